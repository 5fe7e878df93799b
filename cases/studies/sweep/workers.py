"""Where the points of a sweep are run: in this process, on a local Dask cluster, or on a running scheduler's workers."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from cases.run.errors import BadInput
from cases.studies.sweep.gather import Keeper, Work, gathered
from cases.studies.sweep.point import Outcome, run_point

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS")
"""Set to 1 in every worker of a local cluster: sums are then taken in one order, and workers do not fight for cores.

A running scheduler's workers have the environment that they were started with.
"""
LOCAL = {
    "distributed.nanny.pre-spawn-environ": dict.fromkeys(THREADS, "1"),
    "distributed.scheduler.allowed-failures": 0,  # the first death of a worker makes suspects of its points
    "distributed.scheduler.worker-ttl": None,  # a silent worker is busy: its nanny sees when its process ends
    "distributed.deploy.lost-worker-timeout": "30s",  # so long may a worker take to start again
}
"""Dask's settings for a local cluster."""
CONNECTION_SECONDS = 5.0
EXPECTED = "scheduler: expected the address of a running Dask scheduler, as in tcp://host:8786"
START_SECONDS = 60.0
"""So long a local cluster may take to answer on a busy machine."""


def outcomes(
    name: str, points: Sequence[str], *, workers: int | None, scheduler: str | None, work: Work | None = None
) -> Generator[tuple[int, Outcome], None, None]:
    """Yield (index, outcome) of the `points` (JSON of parameters each) of the case `name` as they are done.

    `workers`: processes of a local cluster, 0 for none (here, one after the other), None for as many as there are cores and
    points; `scheduler`: the address of a running Dask scheduler instead. Raises BadInput where there is none. `work`: what is done
    at a point, (name, point) -> outcome; left out: `run_point`.
    Whatever is under way is cancelled when the iterator is closed.
    """
    if scheduler is None and workers == 0:
        for index, point in enumerate(points):
            yield index, (work or run_point)(name, point)
        return
    yield from _distributed(name, points, workers, scheduler, work or run_point)


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


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes that are started meanwhile ignore Ctrl-C and hanging up, which a terminal sends to all: this one ends them."""
    if threading.current_thread() is not threading.main_thread():  # there signals cannot be set
        yield
        return
    sent = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, signal.SIG_IGN) for number in sent}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _distributed(
    name: str, points: Sequence[str], workers: int | None, scheduler: str | None, work: Work
) -> Generator[tuple[int, Outcome], None, None]:
    import dask
    import distributed  # half a second that other commands need not wait for

    with ExitStack() as stack:
        if scheduler is None:
            count = min(workers or os.cpu_count() or 1, len(points))
            stack.enter_context(dask.config.set(LOCAL))
            with _deaf_to_interrupts():
                cluster: Any = distributed.LocalCluster(
                    n_workers=count,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=":0",  # any free port: a second sweep on the machine must not warn
                    silence_logs=50,
                )
            stack.enter_context(cluster)
        else:
            check_listening(scheduler)
            cluster = scheduler
        try:
            patience = START_SECONDS if scheduler is None else CONNECTION_SECONDS
            client = stack.enter_context(distributed.Client(cluster, timeout=patience))
        except (OSError, ValueError) as error:
            raise BadInput(
                f"scheduler: expected a running Dask scheduler, got no answer from {scheduler!r} ({error})"
            ) from error
        keeper = Keeper(client, cluster if scheduler is None else None, scheduler or "")
        yield from gathered(client, keeper, name, points, work)
