"""Short runs of every admitted combination, recorded and compared: what a change of the code's plan must leave as it was.

Every run (``recorded_runs``) takes a few steps on a tiny mesh: systems (rigid body, free and clamped plate, beams, bodies in space)
by schemes, laws of friction, loads, contacts, frames, equal and error-controlled steps. All variables of all trajectories are
stored, iteration counts and stick flags included; a run that fails is stored with its message.

    python benchmarks/record_runs.py record before.npz [words]     in one checkout, runs whose names have one of the words
    python benchmarks/record_runs.py record after.npz [words]      in another (PYTHONPATH names it)
    python benchmarks/record_runs.py compare before.npz after.npz

A development tool. ``compare`` scales each difference by the variable's largest value in the run; energies, works
and the balance error by the run's largest energy or work, residuals by one, and integrals that vanish but for rounding by the
forces and momenta at play. An error-controlled Radau run repeats itself only to its tolerance, for the steps that it chooses
follow from rounding: there 1e-6 is asked for, and no counts."""

from __future__ import annotations

import sys
import time

import numpy as np
from recorded_runs import RADAU, runs

import floating_frame as ff

COUNTS = ("stick", "passes", "newton_iterations", "factorisations", "fallbacks", "halvings", "steps", "rejected_steps")
ENERGIES = ("energy_", "work_", "dissipation_", "balance_", "contact_energy", "friction_work")


def record(path: str, words: list[str]) -> None:
    """Run all (or those whose names have one of ``words``) and save them."""
    found: dict[str, np.ndarray] = {}
    began = time.process_time()
    chosen = [(name, make) for name, make in runs() if not words or any(word in name for word in words)]
    for name, make in chosen:
        start = time.process_time()
        try:
            trajectory = ff.simulate(ff.assemble(*make()))
        except Exception as error:  # whatever it is, it must be the same after the change
            found[f"{name}|message"] = np.array(str(error))
            trajectory = getattr(error, "trajectory", None)
        for key, values in ({} if trajectory is None else trajectory.variables).items():
            if np.asarray(values).dtype.kind in "fiub":
                found[f"{name}|{key}"] = np.asarray(values)
        found[f"{name}|cpu"] = np.array(time.process_time() - start)
    np.savez_compressed(path, **found)
    print(f"{len(chosen)} runs in {time.process_time() - began:.0f} s of CPU time, {len(found)} variables -> {path}")


def scales(run: dict[str, np.ndarray]) -> dict[str, float]:
    """What differences of each variable are measured by."""
    own = {key: float(np.nanmax(np.abs(v), initial=0.0)) for key, v in run.items()}
    energy = max((s for key, s in own.items() if key.startswith(ENERGIES[:3])), default=0.0)
    own |= {k: energy for k in own if k.startswith(ENERGIES)} | {"rigid_residual": 1.0}
    if "X" not in own or len(run.get("time", ())) < 2:
        return own
    radius, speed, dt = own["X"], own["velocity"], float(np.diff(run["time"]).min())
    force = max(own["friction_force"], own["J_zz" if "J_zz" in own else "J"] / radius**2 * speed / dt)
    momentum = force * dt
    natural = {
        "A": momentum * dt,
        "P": momentum,
        "B": force,
        "L": force * radius,
        "angular_momentum": momentum * radius,
    }
    natural |= {
        "clamp_moment": force * radius,
        "contact_moment": force * radius,
        "displacement": radius * 1e-3,
        "frame_drift": own.get("frame_angle", 1.0),  # in space of rotations, which are of order 1
    }
    return own | {k: max(own[k], size) for k, size in natural.items() if k in own}


def compare(before: str, after: str) -> int:
    """Print what differs; the number of runs that do by more than 1e-13 of scale or in a count."""
    sides: list[dict[str, dict[str, np.ndarray]]] = []
    for path in (before, after):
        table: dict[str, dict[str, np.ndarray]] = {}
        with np.load(path) as stored:
            for key in stored.files:
                name, variable = key.split("|")
                table.setdefault(name, {})[variable] = stored[key]
        sides.append(table)
    one, two = sides
    worst: dict[str, tuple[float, str]] = {}
    equal, other, missing = 0, [], sorted(set(one) ^ set(two))
    for name in one.keys() & two.keys():
        a, b = ({k: v for k, v in side[name].items() if k != "cpu"} for side in (one, two))
        size, parts = scales({k: v for k, v in a.items() if v.dtype.kind in "fiub"}), []
        allowed = 1e-6 if RADAU in name else 1e-13
        for key in sorted(a.keys() & b.keys()):
            if RADAU in name and key in (*COUNTS, "step_size"):
                continue
            if a[key].shape != b[key].shape or a[key].dtype.kind == "U":
                parts += [] if np.array_equal(a[key], b[key]) else [f"{key} is another"]
            elif key in COUNTS:
                parts += [f"{key} in {n} places"] if (n := int((a[key] != b[key]).sum())) else []
            else:
                gap = float(np.abs(a[key].astype(float) - b[key].astype(float)).max(initial=0.0))
                gap = gap / size[key] if size[key] > 0.0 else gap
                if RADAU not in name:
                    worst[key] = max(worst.get(key, (0.0, "")), (gap, name))
                parts += [f"{key} by {gap:.1e}"] if not gap <= allowed else []
        parts += [f"{key} only in one" for key in sorted(a.keys() ^ b.keys())]
        same = a.keys() == b.keys() and all(np.array_equal(a[k], b[k], equal_nan=a[k].dtype.kind == "f") for k in a)
        equal += same
        if parts:
            other.append(f"  {name}: {', '.join(parts)}")
    both = len(one.keys() & two.keys())
    print(f"{both} runs, {equal} equal to the last bit, {len(other)} that differ beyond 1e-13 of scale or in a count")
    print("\n".join(sorted(other) + [f"  only in one file: {name}" for name in missing]))
    for key, (gap, name) in sorted(worst.items(), key=lambda item: -item[1][0]):
        if gap > 0.0:
            print(f"    {key:24s} {gap:.1e}  ({name})")
    return len(other) + len(missing)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", path, *words]:
            record(path, words)
        case ["compare", before, after]:
            sys.exit(min(compare(before, after), 1))
        case _:
            sys.exit(__doc__)
