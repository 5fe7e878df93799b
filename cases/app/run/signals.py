"""Signals that end a run: SIGINT (Ctrl-C), SIGTERM and SIGHUP raise an exception in the main thread.

Python loses exceptions raised in destructors and in callbacks of C libraries, such as the compiler of kernels. Runs, sweeps and
studies therefore call ``raise_unanswered`` after each step, point and level.
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
    """Interruption by the signal `number`; `message`: the saved part and its file, once known."""

    def __init__(self, number: int, message: str = "") -> None:
        super().__init__(message)
        self.number, self.message = number, message

    @property
    def name(self) -> str:
        """Name of the signal."""
        return signal.Signals(self.number).name

    @property
    def words(self) -> str:
        """Text of the interruption, with the signal's name where it is not SIGINT."""
        return "interrupted" if self.number == signal.SIGINT else f"interrupted by {self.name}"

    @property
    def status(self) -> int:
        """Exit status, as a shell reports it: 128 and the signal's number."""
        return 128 + self.number


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise Interrupted at the first signal; later ones are ignored while results are saved.

    Signals that were ignored before (nohup) stay ignored.
    """
    if threading.current_thread() is not threading.main_thread():  # handlers can be set in the main thread only
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

    def report_unraisable(lost: sys.UnraisableHookArgs) -> None:
        if not _unanswered:  # exceptions lost after a signal are its consequence
            tell(lost)

    tell, sys.unraisablehook = sys.unraisablehook, report_unraisable
    for number in taken:
        signal.signal(number, answer)
    try:
        with interruption_first():
            yield
        raise_unanswered()
    finally:
        _unanswered.clear()
        sys.unraisablehook = tell
        for number in taken:
            signal.signal(number, before[number])


def interruption(error: KeyboardInterrupt) -> Interrupted:
    """The interruption as Interrupted (SIGINT where no signal is named), and every signal marked as answered."""
    _unanswered.clear()
    return error if isinstance(error, Interrupted) else Interrupted(signal.SIGINT)


@contextmanager
def interruption_first() -> Iterator[None]:
    """Raise Interrupted in place of any error after a signal whose exception was lost (an interrupted compiler fails)."""
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
