"""Notes on stderr, which wait until the input is accepted: a command that is refused says its one line and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from cases.app.run.errors import BadInput

_waiting: list[list[str]] = []


def note(text: str) -> None:
    """Print a line on stderr, or let it wait where a command has not accepted its input yet."""
    if _waiting:
        _waiting[-1].append(text)
    else:
        print(text, file=sys.stderr)


def accepted() -> None:
    """Print the notes that wait: the input is accepted, and what comes may take long."""
    while _waiting and _waiting[-1]:
        print(_waiting[-1].pop(0), file=sys.stderr)


def quiet_numexpr() -> None:
    """Let NumExpr, when it is imported, take numbers of threads that it bears.

    It takes that of OpenMP, which may be a list or larger than what it has, and then it prints, or raises; and it is imported with
    pandas. Values at points are few: one thread is as fast as several.
    """
    most = 64
    for name, instead in (("NUMEXPR_MAX_THREADS", "64"), ("NUMEXPR_NUM_THREADS", "1")):
        given = os.environ.get(name, "")
        if not (given.isdecimal() and 0 < int(given) <= most):
            os.environ[name] = instead
        most = int(os.environ[name])


@contextmanager
def notes_wait() -> Iterator[None]:
    """Let notes wait until ``accepted``, or the end; a refusal drops them."""
    _waiting.append([])
    try:
        yield
    except BadInput:
        _waiting[-1].clear()
        raise
    finally:
        accepted()
        _waiting.pop()
