"""Points of a sweep in processes of this machine, forked from a server that imports the numerics once, in parallel.

Where a process dies, all points that ran then are suspects and run again at the end, one at a time: a point has failed if its
process dies while it runs alone.
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

from cases.app.registry import CASES
from cases.app.user_files import MODULES

if TYPE_CHECKING:  # the server starts before the numerics are imported
    from cases.app.studies.sweep.outcome import Outcome

    Work = Callable[[str, str], Outcome]

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS")
"""Set to 1 in every process: sums have one order, and processes do not compete for cores."""
DIED = "KilledWorker: the worker died while it ran this point and no other"
METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


def start_server(name: str) -> None:
    """Start the server and its imports for the case `name` (with dask for xarray); the processes are forked from it later."""
    if METHOD == "forkserver":
        case = MODULES.get(name, f"cases.{name}")
        own = [] if case.endswith(".py") else [case]
        folder = "cases.app.studies.sweep"
        forkserver.set_forkserver_preload([f"{folder}.server", f"{folder}.point", *own, "dask.array"])
        with _undisturbed():
            forkserver.ensure_running()


class Process:
    """A process that runs points of the case `name` in turn; `index`: its present point, None while it waits."""

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
        """Send a point. A dead process is noticed in ``take``."""
        self.index = index
        with suppress(OSError):
            self.pipe.send(point)

    def take(self) -> Outcome | None:
        """Receive the outcome of the point; None where the process has died."""
        self.index = None
        try:
            outcome: Outcome = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return outcome

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def in_processes(
    name: str, points: Sequence[str], count: int, work: Work | None
) -> Generator[tuple[int, Outcome], None, None]:
    """Yield (index, outcome) of the `points` (JSON each) of the case `name` as `work` finishes them in `count` processes.

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
                elif waiting:  # before this outcome is written to the disk
                    process.give(following := waiting.popleft(), points[following])
                yield index, outcome
    finally:
        for process in processes:
            process.end()


def _serve(pipe: connection.Connection, name: str, work: Work | None, registered: tuple[str, str | None]) -> None:
    """Run the points from a pipe until it closes; end at once with the parent process."""
    from cases.app.studies.sweep.outcome import failed
    from cases.app.studies.sweep.point import run_point

    gc.freeze()  # a collection would write to imported objects and so copy the memory shared with the server
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
            except Exception as error:  # one failing point does not stop the others
                outcome = failed(f"{type(error).__name__}: {error}")
            pipe.send(outcome)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Start processes within with one thread each and without a terminal's signals: this process ends them."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    sent = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
    main = threading.current_thread() is threading.main_thread()  # handlers can be set in the main thread only
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
