"""Outcomes from the workers of a Dask client, and the point at fault where a worker dies.

When a worker dies, Dask reports all of its points, also those that ran beside the one at fault or only waited. All of them are
suspects and run again at the end, one at a time: a point has failed if a worker dies while it runs alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from cases.app.studies.sweep.outcome import Outcome, failed
from cases.app.studies.sweep.processes import DIED

if TYPE_CHECKING:
    from distributed import Client, Future

Work = Callable[[str, str], Outcome]
"""Computation of a point: (name of the case, JSON of its parameters) -> outcome."""
POLL_SECONDS = 0.02
LOOK_SECONDS = 1.0
PATIENCE_SECONDS = 60.0
"""Time, s, for which a scheduler that had workers may be without any."""
SETTLING_SECONDS = 0.5

_born: float | None = None


def at_point(work: Work, name: str, point: str) -> Outcome:
    """Do the `work` at a point, on a worker.

    A nanny does not restart a worker that dies within its first 50 ms: the first points of a process wait a moment.
    """
    global _born
    if _born is None:
        _born = time.monotonic()
    time.sleep(max(0.0, _born + SETTLING_SECONDS - time.monotonic()))
    return work(name, point)


class NoWorkers(Exception):
    """A scheduler has lost all of its workers."""


class WorkerWatch:
    """Watches the workers of the scheduler at `address`, and gives it time to get some."""

    def __init__(self, client: Client, address: str) -> None:
        self._client, self._address = client, address
        self._looked = self._seen = time.monotonic()
        self._had_any = False
        self.busy: dict[str, int] = {}
        """Number of tasks of each worker, by address, at the last look."""

    def look(self, *, now: bool = False) -> None:
        """Update ``busy``, at most once a second unless `now`. Raises NoWorkers."""
        time_now = time.monotonic()
        if not now and time_now - self._looked < LOOK_SECONDS:
            return
        self._looked = time_now
        self.busy = {worker: len(keys) for worker, keys in self._client.processing().items()}
        if self.busy:
            self._seen, self._had_any = time_now, True
        elif self._had_any and time_now - self._seen > PATIENCE_SECONDS:
            raise NoWorkers(f"the scheduler at {self._address} has had no worker for {PATIENCE_SECONDS:.0f} s")

    def idlest(self) -> str:
        """Wait for a worker, and return the address of the one with the fewest tasks. Raises NoWorkers."""
        self.look(now=True)
        while not self.busy:
            time.sleep(POLL_SECONDS)
            self.look()
        return min(self.busy, key=lambda worker: self.busy[worker])


def outcomes_of_workers(
    client: Client, watch: WorkerWatch, name: str, points: Sequence[str], work: Work
) -> Iterator[tuple[int, Outcome]]:
    """Yield (index, outcome) of the `points` of the case `name` as a Dask `client` finishes them."""
    count = len(points)
    submitted = client.map(at_point, [work] * count, [name] * count, list(points), pure=False, batch_size=64)
    waiting = {future: index for index, future in enumerate(submitted)}
    del submitted
    suspects = []
    try:
        for future in _finished(list(waiting), watch):
            outcome, index = _outcome(future, watch), waiting.pop(future)
            future.release()  # else Dask computes it again if the worker that stores it dies later
            if outcome is None:
                suspects.append(index)
            else:
                yield index, outcome
        while suspects:
            yield suspects[0], _alone(client, watch, name, points[suspects[0]], work)
            del suspects[0]
    except NoWorkers as none:
        for index in (*waiting.values(), *suspects):
            yield index, failed(f"NoWorkers: {none}")
    finally:
        client.cancel(list(waiting))


def _alone(client: Client, watch: WorkerWatch, name: str, point: str, work: Work) -> Outcome:
    """Outcome of a point that runs alone, on one worker; failed if that worker dies."""
    worker = watch.idlest()
    future = client.submit(at_point, work, name, point, pure=False, workers=[worker], allow_other_workers=False)
    try:
        while not future.done():
            time.sleep(POLL_SECONDS)
            watch.look()
            if worker not in watch.busy and not future.done():
                return failed(DIED)
        return _outcome(future, watch) or failed(DIED)
    finally:
        client.cancel([future])


def _finished(futures: list[Future], watch: WorkerWatch) -> Iterator[Future]:
    """Yield futures as they are done. Raises NoWorkers."""
    from distributed import as_completed

    coming = as_completed(futures)
    while not coming.is_empty():
        ready = coming.next_batch(block=False)
        yield from ready
        if not ready:
            watch.look()
            time.sleep(POLL_SECONDS)


def _outcome(future: Future, watch: WorkerWatch) -> Outcome | None:
    """Outcome of a finished point, None where its worker died; other exceptions make it a failed point.

    A result lost with the worker that stored it is computed again, and waited for. Raises NoWorkers.
    """
    from distributed import KilledWorker
    from distributed import TimeoutError as NotYet

    while True:
        if future.status not in ("pending", "finished"):
            raised = future.exception()
            if raised is None:  # the lost result has been computed again
                watch.look()
                time.sleep(POLL_SECONDS)
                continue
            # Other cases: the point raised, the worker cannot import the case, the scheduler is gone.
            return None if isinstance(raised, KilledWorker) else failed(f"{type(raised).__name__}: {raised}")
        try:
            outcome: Outcome = future.result(timeout=LOOK_SECONDS)
            return outcome
        except NotYet:
            watch.look()
        except Exception as error:
            if future.status == "finished":  # but the result cannot be fetched
                return failed(f"{type(error).__name__}: {error}")
