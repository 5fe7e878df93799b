"""A hundred thousand steps with flat memory: what a run holds does not grow with its length."""

import gc
import json
import resource
import time
from pathlib import Path

from cases.app.registry import load
from floating_frame import assemble, simulate

STEPS = 100_000
FLAT = 4.0  # MB: what the allocator may still take after the first tenth

SOAKS = {
    "a block, every 10th step stored": ("block_on_table", {"body": "rigid", "nx": 1, "ny": 1}, 10),
    "a beam, every 100th step stored": ("beam_bending", {"ne": 4}, 100),
}


def resident():
    """Return the memory that this process holds, MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def soak(name, given, every, path, steps=STEPS, alive=lambda: None):
    """Return the memory, MB, after a tenth of the steps and at the end."""
    case = load(name)
    plain = case.Parameters(**given)
    params = case.Parameters(**given, dt=plain.dt, t_end=plain.dt * steps, output_every=every)
    seen = []

    def progress(report):
        alive()
        if report.steps in (steps // 10, report.total_steps):
            gc.collect()
            seen.append(resident())

    simulate(assemble(case.problem(params), case.options(params)), path=path, progress=progress).close()
    return seen[0], seen[-1]


def batch(seed, tally, scratch, kept, steps=STEPS):
    """Each of the soaks once."""
    for title, (name, given, every) in SOAKS.items():
        told = json.dumps({"part": "soak", "title": title})
        tally.at(told)
        last = [time.monotonic()]

        def alive(told=told, last=last):
            if time.monotonic() > last[0] + 1.0:
                last[0] = time.monotonic()
                tally.at(told)

        path = Path(scratch) / "soak.nc"
        early, late = soak(name, given, every, path, steps, alive)
        tally.notes[f"soak: {title}"] = f"{steps} steps; {early:.1f} MB after a tenth, {late:.1f} MB at the end"
        if late - early > FLAT:
            tally.defect(
                "soak", f".venv/bin/python tests/torture/run.py --only soak  # {title}", f"{early:.1f} -> {late:.1f} MB"
            )
        else:
            tally.count("soak", "valid result")
        path.unlink()
