"""Points of a sweep in this process, in others of this machine, or on the workers of a running Dask scheduler."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from cases.app.run.errors import BadInput
from cases.app.studies.sweep.dask_workers import Work, WorkerWatch, outcomes_of_workers
from cases.app.studies.sweep.outcome import Outcome
from cases.app.studies.sweep.processes import in_processes

CONNECTION_SECONDS = 5.0
EXPECTED = "scheduler: expected the address of a running Dask scheduler, as in tcp://host:8786"


def outcomes(
    name: str, points: Sequence[str], *, workers: int | None, scheduler: str | None, work: Work | None = None
) -> Generator[tuple[int, Outcome], None, None]:
    """Yield (index, outcome) of the `points` (JSON of parameters each) of the case `name` as they are finished.

    `workers`: processes of this machine, 0 for none (here, one after the other), None for as many as there are cores and points;
    `scheduler`: the address of a running Dask scheduler instead. Raises BadInput where there is none. `work`: computation of a
    point, default `run_point`. Closing the iterator cancels the running points.
    """
    if scheduler is None and workers == 0:
        work = work or _run_point()
        for index, point in enumerate(points):
            yield index, work(name, point)
        return
    if scheduler is None:
        yield from in_processes(name, points, min(workers or os.cpu_count() or 1, len(points)), work)
        return
    yield from _distributed(name, points, scheduler, work or _run_point())


def estimated_point(name: str, point: str) -> Outcome:
    """Outcome of a point with the estimated errors of the steps."""
    from cases.app.studies.sweep.point import run_point

    return run_point(name, point, "steps")


def point_estimated_with_mesh(name: str, point: str) -> Outcome:
    """Outcome of a point with the estimated errors of steps and mesh."""
    from cases.app.studies.sweep.point import run_point

    return run_point(name, point, "mesh")


WORK: dict[str, Work | None] = {"": None, "steps": estimated_point, "mesh": point_estimated_with_mesh}
"""Computation of a point by the kind of estimate; None: ``run_point``."""


def _run_point() -> Work:
    from cases.app.studies.sweep import point  # imports the numerics; the processes of a sweep do that themselves

    return point.run_point


def check_scheduler(address: str) -> None:
    """Raise BadInput within seconds where no Dask scheduler answers at `address`, as in tcp://host:8786 or host:8786."""
    protocol, place = check_listening(address)
    try:
        kind = asyncio.run(_kind_of(f"{protocol or 'tcp'}://{place}"))
    except Exception as error:  # any server may answer, and Dask reads its bytes as messages
        reason = str(error) or f"no answer within {CONNECTION_SECONDS:.0f} s"
        reason = " ".join(f"{type(error).__name__}: {reason}".split())[:200]
        raise BadInput(f"{EXPECTED}, got something else at {address!r} ({reason})") from error
    if kind != "Scheduler":
        raise BadInput(f"{EXPECTED}, got Dask's {kind.lower()} at {address!r}")


def check_listening(address: str) -> tuple[str, str]:
    """Protocol and host:port of an address. Raises BadInput where nothing listens there."""
    protocol, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    if protocol not in ("", "tcp", "tls") or not host or not port.isdigit():
        raise BadInput(f"{EXPECTED}, got {address!r}")
    try:
        socket.create_connection((host, int(port)), CONNECTION_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise BadInput(f"{EXPECTED}, got {address!r} ({error})") from error
    return protocol, place


async def _kind_of(address: str) -> str:
    """Dask's type of the server at an address. Raises any exception where it is not one of Dask's, also TimeoutError."""
    import distributed

    arguments = distributed.Security().get_connection_args("client")
    with silenced("distributed"):
        async with distributed.core.rpc(address, connection_args=arguments) as server:
            identity = await asyncio.wait_for(server.identity(), CONNECTION_SECONDS)
    return str(identity["type"])


@contextmanager
def silenced(name: str) -> Iterator[None]:
    """Silence the log of a library."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def _distributed(
    name: str, points: Sequence[str], scheduler: str, work: Work
) -> Generator[tuple[int, Outcome], None, None]:
    from distributed import Client  # its import takes half a second

    check_listening(scheduler)
    try:
        client = Client(scheduler, timeout=CONNECTION_SECONDS)
    except (OSError, ValueError) as error:
        raise BadInput(f"{EXPECTED}, got no answer from {scheduler!r} ({error})") from error
    with client:
        yield from outcomes_of_workers(client, WorkerWatch(client, scheduler), name, points, work)
