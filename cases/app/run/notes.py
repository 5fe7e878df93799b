"""Notes on stderr, deferred until the input is accepted: a refused command prints its one line and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from cases.app.run.errors import BadInput

_waiting: list[list[str]] = []


def note(text: str) -> None:
    """Print a line on stderr; defer it while the input is not yet accepted."""
    if _waiting:
        _waiting[-1].append(text)
    else:
        print(text, file=sys.stderr)


def input_accepted() -> None:
    """Print the deferred notes; called before the long computation."""
    while _waiting and _waiting[-1]:
        print(_waiting[-1].pop(0), file=sys.stderr)


def limit_numexpr_threads() -> None:
    """Set NumExpr's number of threads to one before pandas imports it.

    It takes OpenMP's number, which may be a list or too large, and then prints or raises. Its arrays here are small: one thread
    is as fast as several.
    """
    most = 64
    for name, instead in (("NUMEXPR_MAX_THREADS", "64"), ("NUMEXPR_NUM_THREADS", "1")):
        given = os.environ.get(name, "")
        if not (given.isdecimal() and 0 < int(given) <= most):
            os.environ[name] = instead
        most = int(os.environ[name])


@contextmanager
def deferred_notes() -> Iterator[None]:
    """Defer notes until ``input_accepted`` or the end; an error drops them."""
    _waiting.append([])
    try:
        yield
    except BadInput:
        _waiting[-1].clear()
        raise
    finally:
        input_accepted()
        _waiting.pop()
