"""Disks that are full, limited, read-only, or gone: what was computed stays readable, a line says what happened, exit 3 (or 2)."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

from kills import RUNS, SWEEPS
from processes import run, start, waited
from shells import judged

from floating_frame import load_trajectory

NEW = 0.15
"""Share of the commands that are interpreters of their own."""


def limited(size):
    """Let files of the child grow to `size` bytes only, as a quota does."""

    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return prepare


def mount(folder, *options):
    """Mount a disk of its own, in memory; return whether that is allowed here."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", folder], capture_output=True, check=False
    )
    return done.returncode == 0


def unmount(folder):
    for _ in range(20):
        if subprocess.run(["umount", folder], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.1)


def readable(folder, ended):
    """What is left must be readable, whole or partial."""
    for path in (folder / "trajectory.nc.partial", folder / "trajectory.nc"):
        if path.exists() and path.stat().st_size:
            try:
                load_trajectory(path).close()
            except Exception as error:
                ended.faults.append(f"{path.name} cannot be read: {type(error).__name__}: {error}")
    return ended


def expect(ended, *statuses):
    if ended.status not in statuses and not ended.faults:
        ended.faults.append(f"exit {ended.status}: {ended.err[:300]!r}")
    if ended.status == 3 and len(ended.err.splitlines()) > 2:
        ended.faults.append(f"not one line: {ended.err[:500]!r}")
    return ended


def tokens_of(name):
    return ["run", name, *(f"--{k}={v}" for k, v in RUNS[name].items()), "--quiet", "--checkpoint_every", "0"]


def batch(seed, tally, scratch, kept):
    """A run and a sweep on each kind of disk."""
    for k, part in enumerate((quota, full, read_only, gone, sweep_quota)):
        if tally.over:
            break
        dice = random.Random(seed + k)
        tally.at(json.dumps({"part": "disks", "seed": seed}))
        repeat = f".venv/bin/python tests/torture/run.py --only disks --seed {seed}"
        part(dice, Path(scratch) / f"disk_{seed + k}", tally, repeat)


def quota(dice, folder, tally, repeat):
    """A limit of file size: the run ends by name and goes on without it."""
    tokens = [*tokens_of(dice.choice(list(RUNS))), "--out", folder]
    size = int(10 ** dice.uniform(3.7, 6.3))  # what the command says goes into a file, too
    ended = readable(folder, expect(run(tokens, limited(size), new=dice.random() < NEW), 0, 2, 3))
    tally.ended("limited files", ended, f"{repeat}  # {size} bytes")
    if ended.status == 3 and (folder / "trajectory.nc.partial").exists():
        again = run(["resume", folder, "--quiet"])
        if again.status == 2 and "instant" not in again.err and "checkpoint" not in again.err:
            again.faults.append(f"does not go on: {again.err[:300]!r}")
        tally.ended("resumed after a full disk", again, repeat)
    shutil.rmtree(folder, ignore_errors=True)


def full(dice, folder, tally, repeat):
    """A disk in memory that is full at some time."""
    size = int(10 ** dice.uniform(3.7, 6.3))
    if not mount(folder, f"size={size}"):
        tally.count("full disks", "not allowed here")
        return
    try:
        tokens = [*tokens_of(dice.choice(list(RUNS))), "--out", folder / "out"]
        ended = expect(run(tokens, new=dice.random() < NEW), 0, 2, 3)
        tally.ended("full disks", readable(folder / "out", ended), f"{repeat}  # {size} bytes")
        subprocess.run(["mount", "-o", "remount,size=50m", folder], check=False)
        if any((folder / "out").glob("trajectory.nc*")):
            again = run(["resume", folder / "out", "--quiet"])
            tally.ended("resumed after a full disk", again, repeat)
    finally:
        unmount(folder)


def read_only(dice, folder, tally, repeat):
    """A disk that turns read-only before or during a run."""
    if not mount(folder, "size=50m"):
        tally.count("read-only disks", "not allowed here")
        return
    try:
        out = folder / "out"
        out.mkdir()
        tokens, new = [*tokens_of(dice.choice(list(RUNS))), "--out", out], dice.random() < NEW
        child = start(tokens, new=new, folder=folder.parent)
        time.sleep(dice.uniform(0.0, 4.0 if new else 1.2))
        for _ in range(200):  # busy while a file is open for writing
            if subprocess.run(["mount", "-o", "remount,ro", folder], capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.01)
        ended = judged(waited(child))
        if subprocess.run(["mount", "-o", "remount,ro", folder], capture_output=True, check=False).returncode:
            tally.count("read-only disks", "still busy")
            return
        tally.ended("read-only disks", readable(out, expect(ended, 0, 2, 3)), repeat)
        for what in (
            ["run", "free_top", "--t_end=0.1", "--dt=0.05", "--quiet", "--force", "--out", out],
            ["plot", out],
        ):
            tally.ended("read-only disks", expect(run(what), 2, 3), repeat)
    finally:
        subprocess.run(["mount", "-o", "remount,rw", folder], capture_output=True, check=False)
        unmount(folder)


def gone(dice, folder, tally, repeat):
    """A results directory that vanishes during the run."""
    tokens, new = [*tokens_of(dice.choice(list(RUNS))), "--out", folder], dice.random() < NEW
    child = start(tokens, new=new)
    time.sleep(dice.uniform(0.0, 4.0 if new else 1.2))
    if folder.exists():
        os.replace(folder, folder.with_name(f"{folder.name}_moved"))
    tally.ended("vanished directories", expect(judged(waited(child)), 0, 2, 3), repeat)
    for left in (folder, folder.with_name(f"{folder.name}_moved")):
        shutil.rmtree(left, ignore_errors=True)


def sweep_quota(dice, folder, tally, repeat):
    """A sweep under a limit of file size keeps its points and goes on without it."""
    name = dice.choice(list(SWEEPS))
    grids, values = SWEEPS[name]
    tokens = [
        "sweep",
        name,
        *(t for grid in grids for t in ("--grid", grid)),
        *(f"--{k}={v}" for k, v in values.items()),
    ]
    tokens += ["--workers", "0", "--quiet", "--out", folder]
    tally.ended("limited files", expect(run(tokens, limited(int(10 ** dice.uniform(3.5, 5.0)))), 0, 2, 3), repeat)
    tally.ended("resumed after a full disk", expect(run(tokens), 0), repeat)
    shutil.rmtree(folder, ignore_errors=True)
