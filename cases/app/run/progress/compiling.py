"""Tell from Numba's events, which it documents for applications, whether it compiles at the moment, and how long so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core.event import Event, Listener, install_listener


class Compilation(Listener):
    """Measures by a ``clock``, s, how long Numba compiles while this listens to its events.

    To compile a loop, Numba compiles the loops that it calls in between: only the outermost of them counts. ``begins`` is called
    each time that one begins.
    """

    says = "compiling, once"
    """Shown in place of the time to go while loops are compiled; later runs find them in Numba's cache."""

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, begins: Callable[[], None] | None = None
    ) -> None:
        self._clock, self._begins = clock, begins
        self._open, self._begun, self._ended = 0, 0.0, 0.0

    def on_start(self, event: Event) -> None:
        """Count a compilation that begins."""
        if not self._open:
            self._begun = self._clock()
            if self._begins is not None:
                self._begins()
        self._open += 1

    def on_end(self, event: Event) -> None:
        """Count a compilation that has ended, or failed."""
        self._open -= 1
        self._ended += 0.0 if self._open else self._clock() - self._begun

    @property
    def now(self) -> bool:
        """Whether something is being compiled."""
        return self._open > 0

    @property
    def spent(self) -> float:
        """Time spent on compiling so far, s."""
        return self._ended + (self._clock() - self._begun if self.now else 0.0)


@contextmanager
def watched(begins: Callable[[], None] | None = None) -> Iterator[Compilation]:
    """Yield what is told about compilation within the ``with`` block; ``begins`` is called each time that one begins."""
    with install_listener("numba:compile", Compilation(begins=begins)) as compilation:
        yield compilation
