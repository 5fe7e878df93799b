"""Sweeps: what is refused before anything runs, ranges of values, processes and schedulers."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from case_runs import stored

from cases.app.studies.sweep import dask_workers
from cases.app.studies.sweep.grid import grid_of
from cases.app.studies.sweep.processes import THREADS
from cases.app.studies.sweep.workers import outcomes
from cases.block_on_table import Parameters

SWEEP = "sweep block_on_table --t_end 0.5 --dt 0.02 --nx 1 --ny 1"


def values_of(text, **fixed):
    return list(grid_of(Parameters, [text], fixed).axes[0].values)


def test_ranges_are_even_or_logarithmic_with_both_ends_and_no_rounding_tails():
    assert values_of("mu=0.1:0.5:5") == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert values_of("dt=1e-4:1e-1:4:log") == [1e-4, 1e-3, 1e-2, 1e-1]
    assert values_of("nx=2:8:4") == [2, 4, 6, 8]
    assert all(isinstance(v, int) for v in values_of("nx=2:8:4"))
    assert values_of("law=coulomb, smooth") == ["coulomb", "smooth"]
    points = grid_of(Parameters, ["mu=0.1,0.2", "dt=0.1,0.2"], {"t_end": 3.0}).points
    assert [p.mu for p in points] == [0.1, 0.1, 0.2, 0.2]


def by_value(function):
    """A function of this module that workers need not import, for they do not know the tests."""
    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    return function


@pytest.mark.slow
def test_a_running_scheduler_is_used_and_left_running(command, tmp_path):
    import distributed

    quiet = {"dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", **quiet
    ) as cluster:
        for out in ("a", "b"):
            given = f"--grid mu=0.1,0.8 --scheduler {cluster.scheduler_address} --quiet --out {out}"
            assert command(f"{SWEEP} {given}") == (0, "", "")
        assert (stored(tmp_path / "b", "sweep.nc").status == "ok").all()


def look(name, point):
    """Stand in for a point of a sweep: the environment of its worker, an error, a worker's death at once or later."""
    import os
    import time

    if point.startswith("wait"):
        time.sleep(0.3)
    if point.endswith("die"):
        os._exit(1)
    if point == "raise":
        raise LookupError("not here")
    return {key: os.environ.get(key) for key in THREADS}


def failures(points, results):
    """Each of the points that failed, and why in one word."""
    assert sorted(results) == list(range(len(points)))
    return {points[index]: outcome["reason"].split(":")[0] for index, outcome in results.items() if "status" in outcome}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_only_points_whose_worker_dies_when_they_run_alone_are_blamed_and_the_others_have_their_results(workers):
    points = ["look 0", "die", "wait 1", "wait and die", "look 2", "raise", "wait 3"]
    results = dict(outcomes("none", points, workers=workers, scheduler=None, work=by_value(look)))
    assert failures(points, results) == {"die": "KilledWorker", "wait and die": "KilledWorker", "raise": "LookupError"}
    assert results[0] == dict.fromkeys(THREADS, "1"), "a process of a sweep has one thread"


@pytest.mark.slow
def test_a_running_scheduler_whose_threads_share_a_process_that_dies_loses_no_innocent_point():
    import dask
    import distributed

    points = ["wait 0", "die", "look 1"]
    quiet = {"dashboard_address": None, "silence_logs": 50}
    # Dask's own cluster gives up a worker that is still starting so long after an earlier death; two deaths suffice here.
    patient = {"distributed.deploy.lost-worker-timeout": "120s", "distributed.scheduler.allowed-failures": 1}
    with dask.config.set(patient), distributed.LocalCluster(n_workers=1, threads_per_worker=2, **quiet) as cluster:
        address = cluster.scheduler_address
        results = dict(outcomes("none", points, workers=None, scheduler=address, work=by_value(look)))
    assert failures(points, results) == {"die": "KilledWorker"}


class Lost:
    """A client of a scheduler whose workers are there at first, and then are not."""

    def __init__(self, counts):
        self.counts = iter(counts)

    def processing(self):
        return {f"worker {number}": () for number in range(next(self.counts))}


def test_a_scheduler_is_waited_for_until_it_has_had_workers_and_lost_them_for_a_minute(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(dask_workers, "time", SimpleNamespace(monotonic=lambda: now[0]))
    keeper = dask_workers.WorkerWatch(Lost([0] * 200 + [1, 0, 1] + [0] * 60), "tcp://there:1")
    for _ in range(263):
        now[0] += 1.0
        keeper.look()
    now[0] += 1.0
    keeper._client = Lost([0])
    with pytest.raises(dask_workers.NoWorkers, match="tcp://there:1 has had no worker for 60 s"):
        keeper.look()


@pytest.mark.skipif(sys.platform != "linux", reason="asks the system for a process's command line and environment")
def test_a_bad_line_leaves_no_server_that_goes_on_importing(tmp_path):
    def servers():
        processes = (place for place in Path("/proc").glob("[0-9]*") if place.name != str(os.getpid()))
        mine = (p for p in processes if str(tmp_path).encode() in _read(p / "environ"))
        return [p for p in mine if b"forkserver" in _read(p / "cmdline")]

    line = (sys.executable, "-m", "cases", "sweep", "block_on_table", "--grid", "mu=0.1,-0.2", "--workers", "2")
    with subprocess.Popen(line, env=os.environ | {"SWEPT": str(tmp_path)}, stderr=subprocess.PIPE) as command:
        seen = 0
        while command.poll() is None:
            seen = max(seen, len(servers()))
            time.sleep(0.1)
        ended = time.monotonic()
    assert (command.returncode, seen) == (2, 1), "the server imports while the line is read"
    while servers() and time.monotonic() < ended + 5.0:
        time.sleep(0.02)
    assert time.monotonic() < ended + 0.5


def _read(path):
    try:
        return path.read_bytes()
    except OSError:  # it has ended
        return b""
