"""Load the code and its kernels into this process, so that a forked child only runs its command."""

import os
from contextlib import chdir

from case_runs import SMALL
from inputs_run import READERS
from kills import RUNS, SWEEPS

from cases.app.command import cli

FURTHER = [
    ["sweep", "inclined_plane", "--grid", "mu=0.1,0.2", "--t_end=0.05", "--workers=0", "--quiet", "--out", "sweep"],
    ["modes", "plate_sliding", "--nx=3", "--ny=2", "--count=2", "--quiet", "--out", "modes"],
    ["converge", "beam_bending", "--ne=4", "--t_end=0.02", "--dt=0.01", "--over=dt", "--levels=2", "--quiet"],
    ["run", "plate_sliding", "--help"],
]


def commands():
    """Return command lines that import and compile what the suite needs."""
    plates = [{**RUNS["plate_clamped"], "t_end": 0.02, "scheme": s} for s in ("backward-euler", "moreau-theta")]
    small = [*SMALL.items(), *RUNS.items(), *(("plate_clamped", values) for values in plates)]
    lines = [
        ["run", name, *(f"--{k}={v}" for k, v in values.items()), "--quiet", "--force", "--out", "OUT"]
        for name, values in small
    ]
    assert set(SWEEPS) <= set(SMALL)
    return [*lines, *READERS, *FURTHER]


def up(folder):
    """Run these commands in this process, without a word. Raises RuntimeError where one of them fails."""
    place = folder / "warm"
    place.mkdir()
    silence, before = os.open(os.devnull, os.O_WRONLY), (os.dup(1), os.dup(2))
    for channel in (1, 2):
        os.dup2(silence, channel)
    try:
        with chdir(place):
            ends = {" ".join(tokens): cli.main(tokens) for tokens in commands()}
    finally:
        for channel, old in enumerate(before, start=1):
            os.dup2(old, channel)
            os.close(old)
        os.close(silence)
    failed = [f"{line}: exit {status}" for line, status in ends.items() if status]
    if failed:
        raise RuntimeError(f"before the torture: {failed}")
