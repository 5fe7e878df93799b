"""Start a command line in a child of this process and wait for its end.

This process has imported the code and loaded its kernels: a forked child only runs the command, with its own arguments, channels
and limits. `new=True` makes it an interpreter of its own, `python -m cases`, as a user starts it.
"""

import os
import re
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from shells import Ended, judged

from cases.app.command import cli

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 6 * 2**30
"""Bytes of addresses that a command may take: less than the machine has, so that a greedy input ends alone."""
PATIENCE = 8.0  # s: so long an input may take before SIGTERM asks it to end
GRACE = 40.0  # s: so long it may take to answer
STUCK = 100.0  # s: a command that got nowhere within its patience gets this long the second time
broken = []
"""What breaks the code in each forked child, of the suite's check of itself."""


@dataclass
class Started:
    """A child: its process number, the files of its two channels, its command line, whether it is an interpreter of its own."""

    number: int
    files: list[Path]
    tokens: list[str]
    new: bool


def start(tokens, prepare=None, *, new=False, environment=None, folder=None):
    """Start a command line; `prepare` is called in the child before it, `environment` (of a new interpreter) is added."""
    tokens = [str(token) for token in tokens]
    files = [tempfile.NamedTemporaryFile(dir=folder, delete=False) for _ in range(2)]  # noqa: SIM115
    sys.stdout.flush()
    sys.stderr.flush()
    number = os.fork()
    if number:
        for file in files:
            file.close()
        return Started(number, [Path(file.name) for file in files], tokens, new)
    status = 70
    try:
        for k, file in enumerate(files, start=1):
            os.dup2(file.fileno(), k)
        _own_limits()
        if prepare is not None:
            prepare()
        if new:
            given = os.environ | {"PYTHONPATH": str(ROOT)} | (environment or {})
            os.execve(sys.executable, [sys.executable, "-m", "cases", *tokens], given)
        for breaking in broken:
            breaking()
        status = cli.main(tokens)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 70)


def _own_limits():
    signal.setitimer(signal.ITIMER_REAL, 0)
    for name in ("SIGTERM", "SIGALRM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _over(number, seconds):
    """Wait at most `seconds` for the end of a child; return its wait status, None where it goes on."""
    descriptor = os.pidfd_open(number)
    try:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, seconds))
    finally:
        os.close(descriptor)
    return os.waitpid(number, 0)[1] if ready else None


def waited(child, seconds=600.0, grace=None):
    """Return how a child ended. After `seconds` it is asked to end where `grace` s are given; one that stays is killed: a hang."""
    faults, limit = [], seconds
    status = _over(child.number, seconds)
    if status is None and grace is not None:
        os.kill(child.number, signal.SIGTERM)
        limit, status = grace, _over(child.number, grace)
    if status is None:
        os.kill(child.number, signal.SIGKILL)
        status = os.waitpid(child.number, 0)[1]
        faults.append(f"a hang: no end within {limit:.0f} s{'' if grace is None else ' of SIGTERM'}")
    out, err = (file.read_text(errors="replace") for file in child.files)
    for file in child.files:
        file.unlink()
    status = None if faults else os.waitstatus_to_exitcode(status)
    return Ended(child.tokens, status, out, err, faults=faults, new=child.new)


def run(tokens, prepare=None, *, seconds=600.0, new=False, environment=None):
    """Run a command line to its end and judge it."""
    return judged(waited(start(tokens, prepare, new=new, environment=environment), seconds))


def run_input(tokens, prepare=None, *, new=False, again=None):
    """Run what may take forever: asked to end after a while, and a hang where it got nowhere even in a longer one.

    `again` is called before the second time.
    """
    for seconds in (PATIENCE, STUCK):
        ended = waited(start(tokens, prepare, new=new), seconds + 5.0 * new, GRACE)
        if not stuck(ended):
            return judged(ended)
        if again is not None:
            again()
    ended.faults.append(f"a hang: got nowhere within {STUCK:.0f} s: {ended.err[:200]!r}")
    return ended


def stuck(ended):
    """Say whether a command was stopped by our SIGTERM before it had computed anything that it could keep."""
    if ended.faults or ended.status not in (128 + signal.SIGTERM, -signal.SIGTERM):
        return False
    kept = re.search(r"instants\)|[1-9]\d* of \d+ points are in|of level|levels", ended.err)
    return not kept and not any("output_every" in token for token in ended.tokens)


def guarded(work, now):
    """Do `work()` in a forked child whose signs of life are changes of the file `now`; return what is wrong with its end."""
    silence = PATIENCE + STUCK + GRACE
    sys.stdout.flush()
    number = os.fork()
    if not number:
        status = 70
        try:
            _own_limits()
            for breaking in broken:
                breaking()
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    while (status := _over(number, 1.0)) is None:
        if time.time() - now.stat().st_mtime > silence:
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
            return f"a hang: no sign of life for {silence:.0f} s"
    code = os.waitstatus_to_exitcode(status)
    return "" if code == 0 else f"the process ended with {code}"
