"""State and total time of compilation, from Numba's documented events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core.event import Event, Listener, install_listener


class Compilation(Listener):
    """Measures the time of compilation by a ``clock``, s, while it listens to Numba's events.

    Compilations are nested: only the outermost counts. ``begins`` is called as each of them begins.
    """

    says = "compiling, once"
    """Text in place of the time to go during compilation; later runs use Numba's cache."""

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, begins: Callable[[], None] | None = None
    ) -> None:
        self._clock, self._begins = clock, begins
        self._open, self._begun, self._ended = 0, 0.0, 0.0

    def on_start(self, event: Event) -> None:
        """Count the begin of a compilation."""
        if not self._open:
            self._begun = self._clock()
            if self._begins is not None:
                self._begins()
        self._open += 1

    def on_end(self, event: Event) -> None:
        """Count the end of a compilation, also of a failed one."""
        self._open -= 1
        self._ended += 0.0 if self._open else self._clock() - self._begun

    @property
    def now(self) -> bool:
        """True while something is being compiled."""
        return self._open > 0

    @property
    def spent(self) -> float:
        """Time of compilation so far, s."""
        return self._ended + (self._clock() - self._begun if self.now else 0.0)


@contextmanager
def watched(begins: Callable[[], None] | None = None) -> Iterator[Compilation]:
    """Yield the compilation of the ``with`` block; ``begins`` is called as each one begins."""
    with install_listener("numba:compile", Compilation(begins=begins)) as compilation:
        yield compilation
