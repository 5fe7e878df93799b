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
from inputs_run import without_picture
from processes import run, start, waited
from shells import check_results, judged

from floating_frame import load_trajectory

RUNS = {
    "block_on_table": {"t_end": 2.0, "dt": 0.002},
    "plate_sliding": {"t_end": 0.2, "dt": 0.002, "nx": 4, "ny": 2, "output_every": 3},
    "plate_clamped": {"t_end": 0.08, "dt": 0.004, "nx": 4, "ny": 2, "law": "sliding-stiction"},
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
NEW = 0.06
"""Share of the commands that are interpreters of their own."""
ASKED = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
VOLATILE = ("wall_time",)


def stored(folder):
    with load_trajectory(folder / "trajectory.nc") as data:
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
        self.scratch, self.whole, self.importing = scratch, {}, None

    def reference(self, key, tokens):
        """Return the folder of the undisturbed command and the time it takes, s."""
        if key not in self.whole:
            folder = self.scratch / f"whole_{key}"
            began = time.monotonic()
            ended = run([*tokens, "--out", folder])
            assert ended.status == 0, ended.err
            self.whole[key] = folder, time.monotonic() - began
        return self.whole[key]

    def importing_time(self):
        """Return how long an interpreter of its own takes before it begins, s."""
        if self.importing is None:
            began = time.monotonic()
            run(["plot", self.scratch / "nothing"], new=True)
            self.importing = time.monotonic() - began
        return self.importing

    def run(self, seed, tally):
        """Kill one run with kill -9 until it was hit, go on with it, again and again, until it is through."""
        dice = random.Random(seed)
        name = dice.choice(list(RUNS))
        tokens = ["run", name, *(f"--{k}={v}" for k, v in RUNS[name].items()), "--quiet"]
        whole, seconds = self.reference(name, tokens)
        out = self.scratch / f"killed_{seed}"
        first = [*tokens, "--checkpoint_every", dice.choice(["0", "0", "0.05", "60"]), "--out", out]
        how = {"new": dice.random() < NEW}
        if not how["new"] and dice.random() < 0.7:
            how["prepare"] = without_picture
        repeat = f".venv/bin/python tests/torture/run.py --only kills --seed {seed}"
        command, kills = first, 0
        for _ in range(10):
            if tally.over or (kills and dice.random() < 0.4):
                break
            ended, sent = self.hit(command, dice, seconds, how)
            if ended is None:
                kills += 1
                left = "something" if (out / "trajectory.nc.partial").exists() else "nothing"
                tally.count("kills of runs", f"kill -9, {left} left")
            elif ended.status != 0:
                tally.ended("signals to runs", self.answered(ended, sent), repeat)
            elif kills:
                break
            else:  # it was through before the kill
                shutil.rmtree(out)
                command = first
                continue
            if any((out / f).exists() for f in ("trajectory.nc", "trajectory.nc.partial")):
                if dice.random() < 0.2:
                    tally.ended("reading what a kill left", self.read(out, dice), repeat)
                command = ["resume", out, "--quiet", "--checkpoint_every", "0"]
        if kills:
            ended = self.through(run(command, **how), out, whole)
            tally.ended("resumed runs", ended, repeat)
        shutil.rmtree(out, ignore_errors=True)

    def through(self, ended, out, whole):
        """Note where a run that went on did not end as the one that nobody disturbed."""
        if ended.status == 0:
            check_results(ended, out)
            if not ended.faults and not same(stored(out), stored(whole)):
                ended.faults.append("another trajectory than that of the run that nobody disturbed")
        elif not ended.faults:
            ended.faults.append(f"does not go on: exit {ended.status}, {ended.err[:300]}")
        return ended

    def hit(self, command, dice, seconds, how):
        """Start a command and end it at a random instant; return how it ended, None for kill -9, and the signal."""
        sent = signal.SIGKILL if dice.random() < 0.7 else dice.choice(ASKED)
        child = start(command, **how)
        time.sleep(
            dice.uniform(0.0, 1.1) * seconds + (self.importing_time() * dice.uniform(0.5, 1.0) if how["new"] else 0.0)
        )
        os.kill(child.number, sent)
        ended = waited(child)
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
        return run(tokens)

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
        tokens += ["--quiet", "--workers"]
        how = {"new": dice.random() < NEW}
        workers = "2" if how["new"] else "0"
        whole, seconds = self.reference(f"sweep_{name}", [*tokens, "0"])
        out = self.scratch / f"sweep_{seed}"
        repeat = f".venv/bin/python tests/torture/run.py --only sweeps --seed {seed}"
        before = 0
        for _ in range(dice.randint(1, 4)):
            ended, sent = self.hit([*tokens, workers, "--out", out], dice, seconds, how)
            if ended is not None and ended.status != 0:
                tally.ended("signals to sweeps", self.answered(ended, sent), repeat)
            tally.count("kills of sweeps", "interrupted" if ended is None or ended.status else "was through")
            journal = out / "points.jsonl"
            if journal.exists():
                now = sum(b"outcome" in line for line in journal.read_bytes().split(b"\n"))
                if now < before:
                    tally.defect("kills of sweeps", repeat, f"{before} points were kept, now {now}")
                before = now
        ended = run([*tokens, workers, "--out", out])
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
    """Kill a run."""
    tally.at(json.dumps({"part": "kills", "seed": seed}))
    kept.setdefault("killing", Killing(Path(scratch))).run(seed, tally)


def sweep_batch(seed, tally, scratch, kept):
    """Kill a sweep."""
    tally.at(json.dumps({"part": "sweeps", "seed": seed}))
    kept.setdefault("killing", Killing(Path(scratch))).sweep(seed, tally)
