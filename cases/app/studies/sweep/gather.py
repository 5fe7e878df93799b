"""Outcomes from the workers of a Dask client, and which point is to blame where a worker dies.

When a worker dies, Dask reports every point that it had been given, also those that ran beside the one at fault or only waited.
All of them are suspects, and are run again when the others are done, one at a time: a point is blamed only for a death at which
no other ran.
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
"""What is done at a point: (name of the case, JSON of its parameters) -> outcome."""
POLL_SECONDS = 0.02
LOOK_SECONDS = 1.0
PATIENCE_SECONDS = 60.0
"""So long a scheduler that had workers may be without any."""
SETTLING_SECONDS = 0.5

_born: float | None = None


def at_point(work: Work, name: str, point: str) -> Outcome:
    """Do the `work` at a point, on a worker.

    A nanny asks every 50 ms whether its worker has started, and does not start one again that died before the answer. So the first
    points of a process wait a moment.
    """
    global _born
    if _born is None:
        _born = time.monotonic()
    time.sleep(max(0.0, _born + SETTLING_SECONDS - time.monotonic()))
    return work(name, point)


class NoWorkers(Exception):
    """A scheduler has lost all of its workers."""


class Keeper:
    """Sees to the workers while points are waited for: the scheduler at `address` is given time to get some."""

    def __init__(self, client: Client, address: str) -> None:
        self._client, self._address = client, address
        self._looked = self._seen = time.monotonic()
        self._had_any = False
        self.busy: dict[str, int] = {}
        """Number of points and other tasks that each worker has, by address, when it was looked after last."""

    def look(self, *, now: bool = False) -> None:
        """Look after the workers, at most once a second unless it has to be `now`. Raises NoWorkers."""
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
        """Return the address of the worker that has least to do, when there is one. Raises NoWorkers."""
        self.look(now=True)
        while not self.busy:
            time.sleep(POLL_SECONDS)
            self.look()
        return min(self.busy, key=lambda worker: self.busy[worker])


def gathered(
    client: Client, keeper: Keeper, name: str, points: Sequence[str], work: Work
) -> Iterator[tuple[int, Outcome]]:
    """Yield (index, outcome) of the `points` of the case `name` as a Dask `client` has them."""
    count = len(points)
    submitted = client.map(at_point, [work] * count, [name] * count, list(points), pure=False, batch_size=64)
    waiting = {future: index for index, future in enumerate(submitted)}
    del submitted
    suspects = []
    try:
        for future in _finished(list(waiting), keeper):
            outcome, index = _outcome(future, keeper), waiting.pop(future)
            future.release()  # else Dask computes it again where the worker that keeps it dies later, beside another point
            if outcome is None:
                suspects.append(index)
            else:
                yield index, outcome
        while suspects:
            yield suspects[0], _alone(client, keeper, name, points[suspects[0]], work)
            del suspects[0]
    except NoWorkers as none:
        for index in (*waiting.values(), *suspects):
            yield index, failed(f"NoWorkers: {none}")
    finally:
        client.cancel(list(waiting))


def _alone(client: Client, keeper: Keeper, name: str, point: str, work: Work) -> Outcome:
    """Return the outcome of a point that is run with no other beside it, and on one worker: it fails where that one dies."""
    worker = keeper.idlest()
    future = client.submit(at_point, work, name, point, pure=False, workers=[worker], allow_other_workers=False)
    try:
        while not future.done():
            time.sleep(POLL_SECONDS)
            keeper.look()
            if worker not in keeper.busy and not future.done():
                return failed(DIED)
        return _outcome(future, keeper) or failed(DIED)
    finally:
        client.cancel([future])


def _finished(futures: list[Future], keeper: Keeper) -> Iterator[Future]:
    """Yield futures as they are done. Raises NoWorkers."""
    from distributed import as_completed

    coming = as_completed(futures)
    while not coming.is_empty():
        ready = coming.next_batch(block=False)
        yield from ready
        if not ready:
            keeper.look()
            time.sleep(POLL_SECONDS)


def _outcome(future: Future, keeper: Keeper) -> Outcome | None:
    """Return the outcome of a finished point, None where its worker died. What else is raised is a failed point.

    A result that was lost with the worker that kept it is computed again: that is waited for. Raises NoWorkers.
    """
    from distributed import KilledWorker
    from distributed import TimeoutError as NotYet

    while True:
        if future.status not in ("pending", "finished"):
            raised = future.exception()
            if raised is None:  # the result was lost, and has been computed again meanwhile
                keeper.look()
                time.sleep(POLL_SECONDS)
                continue
            # Else a point that raised, a worker that cannot import the case, or a scheduler that went away.
            return None if isinstance(raised, KilledWorker) else failed(f"{type(raised).__name__}: {raised}")
        try:
            outcome: Outcome = future.result(timeout=LOOK_SECONDS)
            return outcome
        except NotYet:
            keeper.look()
        except Exception as error:
            if future.status == "finished":  # and yet cannot be had
                return failed(f"{type(error).__name__}: {error}")
