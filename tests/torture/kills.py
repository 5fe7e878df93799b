"""Kills at random instants: runs and sweeps that are killed go on, and end to the last bit as if nothing had happened."""

import json
import os
import random
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import xarray as xr
from case_runs import SMALL
from shells import check_results, child, forked, judged, waited

from floating_frame import load_trajectory

RUNS = {
    "block_on_table": {"t_end": 2.0, "dt": 0.002},
    "plate_sliding": {"t_end": 0.2, "dt": 0.002, "nx": 4, "ny": 2, "output_every": 3},
    "plate_clamped": {"t_end": 0.2, "dt": 0.004, "nx": 4, "ny": 2, "law": "sliding-stiction"},
    "spinning_disc": {"t_end": 0.7, "dt": 0.004, "nr": 3, "nt": 8, "scheme": "moreau-theta"},
    "rod_wave": {"t_end": 0.06, "dt": 0.0005, "nx": 50, "scheme": "explicit"},
    "rod_cycle": {"t_end": 2.0, "dt": 0.02, "nx": 10},
    "wall_impact": {"t_end": 0.06, "dt": 0.0005, "nx": 2, "ny": 2, "contact": "signorini"},
    "beam_bending": {"t_end": 0.5, "dt": 0.002, "ne": 6},
    "belt_oscillator": {"t_end": 1.0, "dt": 0.002},
    "free_flight": {"t_end": 0.02, "dt": 0.001, "nx": 2, "ny": 1, "error_tolerance": 1e-4},
    "block_in_space": {"t_end": 0.2, "dt": 0.002},
    "inclined_plane": {"t_end": 0.5, "dt": 0.002, "law": "sliding", "v_s": 0.01},
}
SWEEPS = {
    "inclined_plane": (["mu=0.1,0.3,0.5,0.7", "law=coulomb,smooth"], {"t_end": 0.2, "dt": 0.002}),
    "block_on_table": (["mu=0.4,0.6,0.8", "amplitude=6,9"], {"t_end": 1.0, "dt": 0.005}),
    "beam_bending": (["load=1,2,4,8"], SMALL["beam_bending"]),
}
ASKED = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
VOLATILE = ("wall_time",)


def stored(folder):
    with load_trajectory(folder / "trajectory.nc", verified=True) as data:
        return data.load().assign_attrs(run="")


def same(one, other):
    """Say whether two datasets are equal to the last bit."""
    if set(one.variables) != set(other.variables) or one.sizes != other.sizes:
        return False
    return all(
        np.array_equal(one[k].values, other[k].values, equal_nan=one[k].dtype.kind == "f")
        for k in one.variables
        if k not in VOLATILE
    )


class Killing:
    """Starts commands, kills them at random instants, goes on, and compares with what nobody disturbed."""

    def __init__(self, scratch):
        self.scratch, self.whole = scratch, {}

    def reference(self, key, tokens):
        """Return the folder of the undisturbed command and the time it takes, s."""
        if key not in self.whole:
            folder = self.scratch / f"whole_{key}"
            child([*tokens, "--out", folder])  # compiles
            began = time.monotonic()
            ended = child([*tokens, "--force" if "--force" not in tokens else "--quiet", "--out", folder])
            assert ended.status == 0, ended.err
            self.whole[key] = folder, time.monotonic() - began
        return self.whole[key]

    def run(self, seed, tally):
        """One run, killed again and again until it is through."""
        dice = random.Random(seed)
        name = dice.choice(list(RUNS))
        tokens = ["run", name, *(f"--{k}={v}" for k, v in RUNS[name].items()), "--quiet"]
        whole, seconds = self.reference(name, tokens)
        out = self.scratch / f"killed_{seed}"
        command = [*tokens, "--checkpoint_every", dice.choice(["0", "0", "0.05", "60"]), "--out", out]
        repeat = f".venv/bin/python tests/torture/run.py --only kills --seed {seed}"
        for _ in range(6):
            ended, sent = self.hit(command, dice, seconds)
            if ended is None:
                tally.count(
                    "kills of runs",
                    f"kill -9, {'something' if (out / 'trajectory.nc.partial').exists() else 'nothing'} left",
                )
            elif ended.status == 0:
                break
            else:
                tally.ended("signals to runs", self.answered(ended, sent), repeat)
            if any((out / f).exists() for f in ("trajectory.nc", "trajectory.nc.partial")):
                if dice.random() < 0.3:
                    tally.ended("reading what a kill left", self.read(out, dice), repeat)
                command = ["resume", out, "--quiet", "--checkpoint_every", "0"]
        ended = child(command)
        if ended.status == 0:
            check_results(ended, out)
            if not same(stored(out), stored(whole)):
                ended.faults.append("another trajectory than that of the run that nobody disturbed")
        else:
            ended.faults.append(f"does not go on: exit {ended.status}, {ended.err[:300]}")
        tally.ended("resumed runs", ended, repeat)
        if not ended.faults:
            shutil.rmtree(out)

    def hit(self, command, dice, seconds):
        """Start a command and end it at a random instant; return how it ended, None for kill -9, and the signal."""
        sent = signal.SIGKILL if dice.random() < 0.7 else dice.choice(ASKED)
        number, files = forked(command)
        time.sleep(dice.uniform(0.0, 1.1) * seconds)
        os.kill(number, sent)
        ended = waited(number, files, command)
        return (None if ended.status == -signal.SIGKILL else ended), sent

    def answered(self, ended, sent):
        if ended.status == -sent:  # before the command line listens to signals: nothing is lost yet
            ended.status = 128 + sent
        elif ended.status == 0:
            return ended
        elif ended.status != 128 + sent:
            ended.faults.append(f"exit {ended.status} at {signal.Signals(sent).name}")
        elif "interrupted" not in ended.err:
            ended.faults.append(f"no word at {signal.Signals(sent).name}: {ended.err[:200]!r}")
        return judged(ended)

    def read(self, out, dice):
        tokens = dice.choice(
            [["plot", out], ["export", out, "--to", "csv"], ["compare", out, out, "--out", self.scratch / "c.png"]]
        )
        ended = child(tokens)
        if ended.status == 2 and len(ended.err.splitlines()) > 1:
            ended.faults.clear()  # the note on what is left, and the refusal of what has no instants yet
        return ended

    def sweep(self, seed, tally):
        """One sweep, killed several times; in the end every point is as if computed at once."""
        dice = random.Random(seed)
        name = dice.choice(list(SWEEPS))
        grids, values = SWEEPS[name]
        tokens = [
            "sweep",
            name,
            *(t for grid in grids for t in ("--grid", grid)),
            *(f"--{k}={v}" for k, v in values.items()),
        ]
        tokens += ["--workers", "0", "--quiet"]
        whole, seconds = self.reference(f"sweep_{name}", tokens)
        out = self.scratch / f"sweep_{seed}"
        repeat = f".venv/bin/python tests/torture/run.py --only kills --seed {seed}"
        before = 0
        for _ in range(dice.randint(1, 4)):
            ended, sent = self.hit([*tokens, "--out", out], dice, seconds)
            if ended is not None and ended.status != 0:
                tally.ended("signals to sweeps", self.answered(ended, sent), repeat)
            tally.count("kills of sweeps", "interrupted" if ended is None or ended.status else "was through")
            journal = out / "points.jsonl"
            if journal.exists():
                now = sum(b"outcome" in line for line in journal.read_bytes().split(b"\n"))
                if now < before:
                    tally.defect("kills of sweeps", repeat, f"{before} points were kept, now {now}")
                before = now
        ended = child([*tokens, "--out", out])
        if ended.status == 0:
            with xr.open_dataset(out / "sweep.nc") as one, xr.open_dataset(whole / "sweep.nc") as other:
                if not same(one.load(), other.load()):
                    ended.faults.append("other points than those of the sweep that nobody disturbed")
        else:
            ended.faults.append(f"does not go on: exit {ended.status}, {ended.err[:300]}")
        tally.ended("resumed sweeps", ended, repeat)
        if not ended.faults:
            shutil.rmtree(out)


def batch(seed, tally, scratch, kept):
    """Kill five runs, and every other time a sweep."""
    killing = kept.setdefault("killing", Killing(Path(scratch)))
    for k in range(5):
        tally.at(json.dumps({"part": "kills", "seed": seed + k}))
        killing.run(seed + k, tally)
    if seed % 2:
        tally.at(json.dumps({"part": "kills", "seed": seed}))
        killing.sweep(seed + 5, tally)
