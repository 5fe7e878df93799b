"""Judge how a command line ended.

A command ends well with 0 and a valid result, with 2 and one line, with 3 and a named reason, or, where it was stopped, with the
status of the signal and a line. Everything else is a defect: a traceback, a hang, a warning of Python's, a number that is not
finite in a result that says complete, a result that cannot be read.
"""

import json
import re
import shlex
import signal
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from floating_frame import load_trajectory

TOLD = ("error: ", "warning: ", "note: ", "no picture: ")
SIGNALLED = {128 + n for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}


@dataclass
class Ended:
    """How a command ended: its status, what it said, whether in an interpreter of its own, and what is wrong with that."""

    tokens: list[str]
    status: int | None
    out: str = ""
    err: str = ""
    new: bool = False
    faults: list[str] = field(default_factory=list)

    @property
    def kind(self):
        if self.faults:
            return "defect"
        return {0: "valid result", 2: "refused in a line", 3: "failed by name"}.get(self.status, "stopped by a signal")

    def command(self):
        return f".venv/bin/python -m cases {shlex.join(self.tokens)}"


def judged(ended):
    """Note what is wrong with how a command ended."""
    if ended.faults:
        return ended
    lines = ended.err.splitlines()
    if "Traceback (most recent call last)" in ended.err:
        ended.faults.append(f"traceback: {lines[-1][:300]}\n{ended.err[-3000:]}")
    elif ended.status == 2 and (len(lines) != 1 or not lines[0].startswith("error: ")):
        ended.faults.append(f"exit 2 with {len(lines)} lines: {ended.err[:300]!r}")
    elif ended.status == 3 and not lines:
        ended.faults.append("exit 3 without a word")
    elif ended.status == 0 and [line for line in lines if not line.startswith(TOLD) and not told_progress(line)]:
        ended.faults.append(f"exit 0, but said {ended.err[:300]!r}")
    elif ended.status not in (0, 2, 3, *SIGNALLED) and not ended.faults:
        ended.faults.append(f"exit {ended.status}: {ended.err[-300:]!r}")
    if re.search(r"\w+Warning: ", ended.err):
        ended.faults.append(f"a warning of Python's: {ended.err[:300]!r}")
    return ended


def told_progress(line):
    return re.match(r"\w+.*: t = ", line) is not None


def check_results(ended, folder):
    """Note what is wrong with the results directory that a command left."""
    folder = Path(folder)
    left = [p.name for p in folder.glob("**/*.partial") if p.name != "trajectory.nc.partial"] if folder.exists() else []
    if left or (folder / ".lock").exists():
        ended.faults.append(f"left behind: {left or '.lock'}")
    if ended.status == 2 and folder.exists() and any(folder.iterdir()):
        ended.faults.append(f"refused, but wrote {sorted(p.name for p in folder.iterdir())}")
    path = folder / "trajectory.nc"
    if ended.status == 0 and ended.tokens[0] in ("run", "resume"):
        if not path.exists() or not (folder / "summary.json").exists():
            ended.faults.append("exit 0 without results")
            return ended
        json.loads(
            (folder / "summary.json").read_text(), parse_constant=lambda name: ended.faults.append(f"{name} in JSON")
        )
    if path.exists():
        try:
            with load_trajectory(path) as data:  # reads every block and its checksum
                bad = [
                    k for k, v in data.variables.items() if v.dtype.kind == "f" and not np.all(np.isfinite(v.values))
                ]
                if bad and ended.status == 0:
                    ended.faults.append(f"not finite: {bad}")
                if int(data.attrs["complete"]) != 1 and ended.status == 0 and ended.tokens[0] in ("run", "resume"):
                    ended.faults.append("exit 0, but not complete")
        except Exception as error:
            ended.faults.append(f"its trajectory cannot be read: {type(error).__name__}: {error}"[:300])
    return ended
