"""Signals that ask a run to end: SIGINT (Ctrl-C), SIGTERM and SIGHUP are answered alike, by an exception in the main thread.

Where Python can hand no exception on (a destructor, a callback of a library in C, such as of the compiler of kernels) it is
lost: runs, sweeps and studies therefore ask after each step, point and level whether one waits.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

_unanswered: list[int] = []


class Interrupted(KeyboardInterrupt):
    """A signal came: its `number`; `message`: what was saved where, once it is known."""

    def __init__(self, number: int, message: str = "") -> None:
        super().__init__(message)
        self.number, self.message = number, message

    @property
    def name(self) -> str:
        """Name of the signal."""
        return signal.Signals(self.number).name

    @property
    def words(self) -> str:
        """What to say of it: "interrupted", and by what where it was not Ctrl-C."""
        return "interrupted" if self.number == signal.SIGINT else f"interrupted by {self.name}"

    @property
    def status(self) -> int:
        """Exit status, as a shell reports it: 128 and the signal's number."""
        return 128 + self.number


@contextmanager
def answered() -> Iterator[None]:
    """Raise Interrupted at the first of the signals; further ones wait for what it starts, which is saving.

    A signal that was ignored (nohup) stays so.
    """
    if threading.current_thread() is not threading.main_thread():  # there signals cannot be set
        yield
        return
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    before = {n: signal.getsignal(n) for n in numbers}
    taken = [n for n in numbers if before[n] not in (signal.SIG_IGN, None)]

    def answer(number: int, frame: object) -> None:
        for other in taken:
            signal.signal(other, signal.SIG_IGN)
        _unanswered.append(number)
        raise Interrupted(number)

    def untold(lost: sys.UnraisableHookArgs) -> None:
        if not _unanswered:  # what is lost with it, or by it, is answered soon
            tell(lost)

    tell, sys.unraisablehook = sys.unraisablehook, untold
    for number in taken:
        signal.signal(number, answer)
    try:
        with signals_first():
            yield
        raise_unanswered()
    finally:
        _unanswered.clear()
        sys.unraisablehook = tell
        for number in taken:
            signal.signal(number, before[number])


def interruption(error: KeyboardInterrupt) -> Interrupted:
    """Return what interrupted, by its signal: SIGINT where it does not say. It is answered by that."""
    _unanswered.clear()
    return error if isinstance(error, Interrupted) else Interrupted(signal.SIGINT)


@contextmanager
def signals_first() -> Iterator[None]:
    """Raise Interrupted for any error that follows a signal whose exception was lost: a compiler that was cut short fails."""
    try:
        yield
    except Exception as error:
        if _unanswered:
            raise Interrupted(_unanswered[-1]) from error
        raise


def raise_unanswered() -> None:
    """Raise Interrupted where a signal came and its exception was lost."""
    if _unanswered:
        raise Interrupted(_unanswered[-1])
