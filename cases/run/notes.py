"""Notes on stderr, which wait until the input is accepted: a command that is refused says its one line and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from cases.run.errors import BadInput

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
