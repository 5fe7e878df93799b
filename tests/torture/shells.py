"""Run one command line, here or in a forked child, and judge how it ended.

A command ends well with 0 and a valid result, with 2 and one line, with 3 and a named reason, or, where it was stopped, with the
status of the signal and a line. Everything else is a defect: a traceback, a hang, a warning of Python's, a number that is not
finite in a result that says complete, a result that cannot be read.
"""

import json
import os
import re
import shlex
import signal
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cases.command import cli
from floating_frame import load_trajectory

PATIENCE = 8.0  # s: so long a command may take before SIGTERM asks it to end
GRACE = 40.0  # s: so long it may take to answer
TOLD = ("error: ", "warning: ", "note: ", "no picture: ")
SIGNALLED = {128 + n for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}


@dataclass
class Ended:
    """How a command ended: its status, what it said, what it raised."""

    tokens: list[str]
    status: int | None
    out: str = ""
    err: str = ""
    raised: str = ""
    faults: list[str] = field(default_factory=list)

    @property
    def kind(self):
        if self.faults:
            return "defect"
        return {0: "valid result", 2: "refused in a line", 3: "failed by name"}.get(self.status, "stopped by a signal")

    def command(self):
        return f".venv/bin/python -m cases {shlex.join(self.tokens)}"


class Hang(BaseException):
    """A command did not answer SIGTERM."""


@contextmanager
def patience(seconds=PATIENCE, grace=GRACE):
    """Send this process SIGTERM after `seconds`, and raise Hang where that is not answered within `grace`."""
    asked = False

    def ring(number, frame):
        nonlocal asked
        if asked:
            raise Hang
        asked = True
        signal.setitimer(signal.ITIMER_REAL, grace)
        os.kill(os.getpid(), signal.SIGTERM)

    def early(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, ring), signal.signal(signal.SIGTERM, early)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before[0])
        signal.signal(signal.SIGTERM, before[1])


@contextmanager
def captured():
    """Take what the process says on its two channels, libraries in C included; yields a function that returns the texts."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        sys.stderr.flush()
        before = os.dup(1), os.dup(2)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        texts = ["", ""]
        try:
            yield texts
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, old in enumerate(before, start=1):
                os.dup2(old, number)
                os.close(old)
            for k, file in enumerate((out, err)):
                file.seek(0)
                texts[k] = file.read().decode(errors="replace")


def here(tokens, seconds=PATIENCE):
    """Run a command line in this process."""
    tokens = [str(token) for token in tokens]
    ended = Ended(tokens, None)
    with captured() as texts:
        try:
            with patience(seconds):
                ended.status = cli.main(tokens)
        except Hang:
            ended.faults.append(f"no answer to SIGTERM within {GRACE:.0f} s")
        except (KeyboardInterrupt, SystemExit) as stop:
            ended.status = 128 + signal.SIGTERM if isinstance(stop, KeyboardInterrupt) else stop.code
        except BaseException:  # what a user would see as a traceback
            ended.raised = traceback.format_exc()
    ended.out, ended.err = texts
    return judged(ended)


def judged(ended):
    """Note what is wrong with how a command ended."""
    if ended.raised:
        ended.faults.append("traceback: " + ended.raised.strip().splitlines()[-1][:300])
    lines = ended.err.splitlines()
    if "Traceback (most recent call last)" in ended.err:
        ended.faults.append("traceback: " + (lines[-1] if lines else "")[:300])
        ended.raised = ended.err[-3000:]
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
            with load_trajectory(path, verified=True) as data:
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


def forked(tokens, prepare=None, folder=None):
    """Start a command line in a forked child with its channels in files; return the process number and these files."""
    files = [tempfile.NamedTemporaryFile(dir=folder, delete=False) for _ in range(2)]  # noqa: SIM115
    sys.stdout.flush()
    sys.stderr.flush()
    number = os.fork()
    if number:
        return number, [Path(file.name) for file in files]
    status = 70
    try:
        for k, file in enumerate(files, start=1):
            os.dup2(file.fileno(), k)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for name in ("SIGTERM", "SIGALRM", "SIGHUP"):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if prepare is not None:
            prepare()
        status = cli.main([str(token) for token in tokens])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 70)


def waited(number, files, tokens, seconds=600.0):
    """Return how a forked child ended; one that takes longer is a hang, and killed."""
    until = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(number, os.WNOHANG)
        if done:
            break
        if time.monotonic() > until:
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
            ended = Ended([str(t) for t in tokens], None, faults=[f"no end within {seconds:.0f} s"])
            return ended
        time.sleep(0.002)
    out, err = (file.read_text(errors="replace") for file in files)
    for file in files:
        file.unlink()
    return Ended([str(t) for t in tokens], os.waitstatus_to_exitcode(status), out, err)


def child(tokens, prepare=None, seconds=600.0):
    """Run a command line in a forked child and judge it."""
    return judged(waited(*forked(tokens, prepare), tokens, seconds))
