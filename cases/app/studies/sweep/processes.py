"""Points of a sweep in processes of this machine, forked from a server that imports the numerics once, beside this process.

Where a process dies, the points that ran are suspects, and are run again when the others are done, one at a time: a point is
blamed only for a death at which no other ran.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection, forkserver
from typing import TYPE_CHECKING

from cases.app.own_files import MODULES
from cases.app.registry import CASES

if TYPE_CHECKING:  # the server is started before the numerics are imported
    from cases.app.studies.sweep.outcome import Outcome

    Work = Callable[[str, str], Outcome]

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS")
"""Set to 1 in every process: sums are then taken in one order, and processes do not fight for cores."""
DIED = "KilledWorker: the worker died while it ran this point and no other"
METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


def start_server(name: str) -> None:
    """Let the server begin to import what points of the case `name` need, xarray's datasets dask among it; the processes are
    forked from it later.
    """
    if METHOD == "forkserver":
        case = MODULES.get(name, f"cases.{name}")
        own = [] if case.endswith(".py") else [case]
        folder = "cases.app.studies.sweep"
        forkserver.set_forkserver_preload([f"{folder}.server", f"{folder}.point", *own, "dask.array"])
        with _undisturbed():
            forkserver.ensure_running()


class Process:
    """A process that runs one point after the other of the case `name`; `index`: the point that it has, None while it waits."""

    def __init__(self, name: str, work: Work | None) -> None:
        context = multiprocessing.get_context(METHOD)
        self.pipe, theirs = context.Pipe()
        registered = (CASES.get(name, ""), MODULES.get(name))
        self._process = context.Process(target=_serve, args=(theirs, name, work, registered), daemon=True)  # type: ignore[attr-defined]
        with _undisturbed():
            self._process.start()
        theirs.close()
        self.index: int | None = None

    def give(self, index: int, point: str) -> None:
        """Let it run a point. Its death is noticed when the outcome is taken."""
        self.index = index
        with suppress(OSError):
            self.pipe.send(point)

    def take(self) -> Outcome | None:
        """Return the outcome of its point, which is there; None where it has died."""
        self.index = None
        try:
            outcome: Outcome = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return outcome

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def in_processes(
    name: str, points: Sequence[str], count: int, work: Work | None
) -> Generator[tuple[int, Outcome], None, None]:
    """Yield (index, outcome) of the `points` (JSON each) of the case `name` as they are done by `work` in `count` processes.

    The processes are ended when the iterator is closed.
    """
    from cases.app.studies.sweep.outcome import failed

    start_server(name)
    waiting, suspects = deque(range(len(points))), deque[int]()
    processes = [Process(name, work) for _ in range(count)]
    try:
        while waiting or suspects or any(process.index is not None for process in processes):
            for idle in [process for process in processes if process.index is None]:
                if waiting:
                    idle.give(index := waiting.popleft(), points[index])
            busy = {process.pipe: process for process in processes if process.index is not None}
            if not busy:
                processes[0].give(index := suspects.popleft(), points[index])
                busy = {processes[0].pipe: processes[0]}
            for pipe in connection.wait(busy):
                process = busy[pipe]  # type: ignore[index]
                index, outcome = process.index or 0, process.take()
                if outcome is None:
                    process.end()
                    processes[processes.index(process)] = Process(name, work)
                    if len(busy) > 1:
                        suspects.append(index)
                        continue
                    outcome = failed(DIED)
                elif waiting:  # it need not wait until this outcome is on the disk
                    process.give(following := waiting.popleft(), points[following])
                yield index, outcome
    finally:
        for process in processes:
            process.end()


def _serve(pipe: connection.Connection, name: str, work: Work | None, registered: tuple[str, str | None]) -> None:
    """Run the points that come through a pipe until none can; end at once where the process that asked has ended."""
    from cases.app.studies.sweep.outcome import failed
    from cases.app.studies.sweep.point import run_point

    gc.freeze()  # a collection would write to all that imports left, and so copy the memory shared with the server
    gc.enable()
    line, module = registered
    if module is not None:
        CASES[name], MODULES[name] = line, module
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            point = pipe.recv()
            try:
                outcome = (work or run_point)(name, point)
            except Exception as error:  # whatever a point raises, the others are run
                outcome = failed(f"{type(error).__name__}: {error}")
            pipe.send(outcome)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let processes that are started meanwhile have one thread each and ignore a terminal's signals: this one ends them."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    sent = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
    main = threading.current_thread() is threading.main_thread()  # elsewhere signals cannot be set
    handlers = {number: signal.signal(number, signal.SIG_IGN) for number in sent} if main else {}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
