"""Where the points of a sweep are run: in this process, in others of this machine, or on a running Dask scheduler's workers."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from cases.app.run.errors import BadInput
from cases.app.studies.sweep.gather import Keeper, Work, gathered
from cases.app.studies.sweep.outcome import Outcome
from cases.app.studies.sweep.processes import in_processes

CONNECTION_SECONDS = 5.0
EXPECTED = "scheduler: expected the address of a running Dask scheduler, as in tcp://host:8786"


def outcomes(
    name: str, points: Sequence[str], *, workers: int | None, scheduler: str | None, work: Work | None = None
) -> Generator[tuple[int, Outcome], None, None]:
    """Yield (index, outcome) of the `points` (JSON of parameters each) of the case `name` as they are done.

    `workers`: processes of this machine, 0 for none (here, one after the other), None for as many as there are cores and
    points; `scheduler`: the address of a running Dask scheduler instead. Raises BadInput where there is none. `work`: what is done
    at a point, (name, point) -> outcome; left out: `run_point`.
    Whatever is under way is cancelled when the iterator is closed.
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
"""What is done at a point, by what is estimated; ``run_point`` where nothing is."""


def _run_point() -> Work:
    from cases.app.studies.sweep import point  # it imports the numerics, which processes of a sweep do themselves

    return point.run_point


def check_scheduler(address: str) -> None:
    """Raise BadInput within seconds where no Dask scheduler answers at `address`, as in tcp://host:8786 or host:8786."""
    protocol, place = check_listening(address)
    try:
        kind = asyncio.run(_kind_of(f"{protocol or 'tcp'}://{place}"))
    except Exception as error:  # whatever it is that answers: what it sends is taken for Dask's messages
        reason = str(error) or f"no answer within {CONNECTION_SECONDS:.0f} s"
        reason = " ".join(f"{type(error).__name__}: {reason}".split())[:200]
        raise BadInput(f"{EXPECTED}, got something else at {address!r} ({reason})") from error
    if kind != "Scheduler":
        raise BadInput(f"{EXPECTED}, got Dask's {kind.lower()} at {address!r}")


def check_listening(address: str) -> tuple[str, str]:
    """Return protocol and host:port of an address. Raises BadInput where nothing listens there."""
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
    """Return what Dask calls the server at an address. Raises whatever comes of asking what is none, TimeoutError too."""
    import distributed

    arguments = distributed.Security().get_connection_args("client")
    with silenced("distributed"):
        async with distributed.core.rpc(address, connection_args=arguments) as server:
            found = await asyncio.wait_for(server.identity(), CONNECTION_SECONDS)
    return str(found["type"])


@contextmanager
def silenced(name: str) -> Iterator[None]:
    """Let a library log nothing meanwhile."""
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
    from distributed import Client  # half a second that other commands need not wait for

    check_listening(scheduler)
    try:
        client = Client(scheduler, timeout=CONNECTION_SECONDS)
    except (OSError, ValueError) as error:
        raise BadInput(f"{EXPECTED}, got no answer from {scheduler!r} ({error})") from error
    with client:
        yield from gathered(client, Keeper(client, scheduler), name, points, work)
