"""Sweeps: what is refused before anything runs, ranges of values, processes and schedulers."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rows import rows
from sweep_runs import QUICK, opened

from cases.app.studies.sweep import command as sweep
from cases.app.studies.sweep import gather as sweep_gather
from cases.app.studies.sweep.grid import grid_of
from cases.app.studies.sweep.processes import THREADS
from cases.app.studies.sweep.workers import outcomes
from cases.block_on_table import Parameters

BAD = {
    "no case": (("sweep",), r"expected the name of a case to sweep \(one of block_on_table.*got nothing"),
    "unknown case": (("sweep", "nope", "--grid", "mu=1,2"), r"got nope"),
    "no grid": (("sweep", "block_on_table"), r"grid: expected at least one --grid PARAM=V1,V2"),
    "no values": (("sweep", "block_on_table", "--grid", "mu="), r"grid: expected PARAM=.*got 'mu='"),
    "no equals": (("sweep", "block_on_table", "--grid", "mu"), r"grid: expected PARAM=.*got 'mu'"),
    "unknown parameter": (
        ("sweep", "block_on_table", "--grid", "mue=1,2"),
        r"unknown parameter mue: did you mean mu\? Expected one of .*t_end",
    ),
    "bad value": (
        ("sweep", "block_on_table", "--grid", "mu=0.1,-0.2"),
        r"grid point mu=-0.2: mu: expected a number >= 0",
    ),
    "no number": (("sweep", "block_on_table", "--grid", "mu=0.1,much"), r"grid point mu=much: mu: expected a number"),
    "bad name": (("sweep", "block_on_table", "--grid", "law=glue,coulomb"), r"law: expected one of coulomb"),
    "bad pair": (
        ("sweep", "block_on_table", "--grid", "dt=0,0.1", "--grid", "scheme=explicit,sdirk2"),
        r"grid point dt=0.0, scheme=sdirk2: dt: expected a number > 0",
    ),
    "bad fixed value": (
        ("sweep", "block_on_table", "--grid", "mu=1,2", "--mass", "-1"),
        r"mass: expected a number > 0",
    ),
    "swept and fixed": (("sweep", "block_on_table", "--grid", "mu=1,2", "--mu", "1"), r"not fixed by --mu as well"),
    "twice the same": (("sweep", "block_on_table", "--grid", "mu=1,2", "--grid", "mu=3,4"), r"once, got mu 2 times"),
    "equal values": (("sweep", "block_on_table", "--grid", "mu=0.1,0.10"), r"different values of mu, got 0.1 2 times"),
    "short range": (("sweep", "block_on_table", "--grid", "mu=0:1"), r"mu=START:STOP:COUNT\[:log\]"),
    "range of names": (("sweep", "block_on_table", "--grid", "law=a:b:3"), r"law=START:STOP:COUNT"),
    "logarithm of zero": (("sweep", "block_on_table", "--grid", "mu=0:1:3:log"), r"positive ends for log"),
    "range of cells": (("sweep", "block_on_table", "--grid", "nx=1:2:4"), r"range of nx whose values are integers"),
    "too many": (("sweep", "block_on_table", "--grid", "mu=0:1:100001"), r"at most 100000 points, got 100001"),
    "workers": (
        ("sweep", "block_on_table", "--grid", "mu=1,2", "--workers", "-1"),
        r"workers: expected an integer >= 0",
    ),
    "both": (
        ("sweep", "block_on_table", "--grid", "mu=1,2", "--workers", "1", "--scheduler", "tcp://127.0.0.1:8786"),
        r"workers: expected none with --scheduler",
    ),
    "no scheduler there": (
        ("sweep", "block_on_table", "--grid", "mu=1,2", "--scheduler", "tcp://127.0.0.1:1"),
        r"scheduler: expected the address of a running Dask scheduler.*got 'tcp://127.0.0.1:1'",
    ),
    "no address": (("sweep", "block_on_table", "--grid", "mu=1,2", "--scheduler", "here"), r"scheduler: .*got 'here'"),
    "no directory": (
        ("sweep", "block_on_table", "--grid", "mu=1,2", "--out", "file.txt"),
        r"out: expected a directory",
    ),
}


@rows("kind", BAD)
def test_a_bad_sweep_is_refused_in_one_line_before_anything_runs(command, tmp_path, kind, monkeypatch):
    def never(*arguments, **named):
        raise AssertionError("a point was run")

    monkeypatch.setattr(sweep, "outcomes", never)
    (tmp_path / "file.txt").write_text("")
    arguments, expected = BAD[kind]
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert re.search(expected, err), err
    assert not re.search(r"Traceback|pydantic", err)
    assert [p.name for p in tmp_path.iterdir()] == ["file.txt"]


def values_of(text, **fixed):
    return list(grid_of(Parameters, [text], fixed).axes[0].values)


def test_ranges_are_even_or_logarithmic_with_both_ends_and_no_rounding_tails():
    assert values_of("mu=0.1:0.5:5") == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert values_of("dt=1e-4:1e-1:4:log") == [1e-4, 1e-3, 1e-2, 1e-1]
    assert values_of("nx=2:8:4") == [2, 4, 6, 8]
    assert all(isinstance(v, int) for v in values_of("nx=2:8:4"))
    assert values_of("law=coulomb, smooth") == ["coulomb", "smooth"]
    assert [p.mu for p in grid_of(Parameters, ["mu=0.1,0.2", "dt=0.1,0.2"], {"t_end": 3.0}).points] == [
        0.1,
        0.1,
        0.2,
        0.2,
    ]


def by_value(function):
    """A function of this module that workers need not import, for they do not know the tests."""
    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    return function


@pytest.mark.slow
def test_workers_in_processes_give_the_numbers_of_one_process(command, tmp_path):
    grid = ("--grid", "mu=0.1,0.3,0.8")
    for workers in ("0", "2"):
        status, _, err = command(
            "sweep", "block_on_table", *grid, *QUICK, "--workers", workers, "--quiet", "--out", f"w{workers}"
        )
        assert (status, err) == (0, "")
    one, two = opened(tmp_path / "w0"), opened(tmp_path / "w2")
    for name in one.data_vars:
        if name != "wall_time":
            if one[name].dtype.kind == "f":  # workers have one thread and may sum in another order than this process
                np.testing.assert_allclose(two[name], one[name], rtol=1e-9, atol=1e-12, err_msg=name)
            else:
                assert np.array_equal(one[name], two[name]), name


@pytest.mark.slow
def test_a_running_scheduler_is_used_and_left_running(command, tmp_path):
    import distributed

    quiet = {"dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", **quiet
    ) as cluster:
        for out in ("a", "b"):
            status, _, err = command(
                *("sweep", "block_on_table", "--grid", "mu=0.1,0.8", *QUICK),
                *("--scheduler", cluster.scheduler_address, "--quiet", "--out", out),
            )
            assert (status, err) == (0, "")
        assert (opened(tmp_path / "b").status == "ok").all()


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


def judged(points, found):
    """Each of the points that failed, and why in one word."""
    assert sorted(found) == list(range(len(points)))
    return {points[index]: outcome["reason"].split(":")[0] for index, outcome in found.items() if "status" in outcome}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_only_points_whose_worker_dies_when_they_run_alone_are_blamed_and_the_others_have_their_results(workers):
    points = ["look 0", "die", "wait 1", "wait and die", "look 2", "raise", "wait 3"]
    found = dict(outcomes("none", points, workers=workers, scheduler=None, work=by_value(look)))
    assert judged(points, found) == {"die": "KilledWorker", "wait and die": "KilledWorker", "raise": "LookupError"}
    assert found[0] == dict.fromkeys(THREADS, "1"), "a process of a sweep has one thread"


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
        found = dict(outcomes("none", points, workers=None, scheduler=address, work=by_value(look)))
    assert judged(points, found) == {"die": "KilledWorker"}


class Lost:
    """A client of a scheduler whose workers are there at first, and then are not."""

    def __init__(self, counts):
        self.counts = iter(counts)

    def processing(self):
        return {f"worker {number}": () for number in range(next(self.counts))}


def test_a_scheduler_is_waited_for_until_it_has_had_workers_and_lost_them_for_a_minute(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(sweep_gather, "time", SimpleNamespace(monotonic=lambda: now[0]))
    keeper = sweep_gather.Keeper(Lost([0] * 200 + [1, 0, 1] + [0] * 60), "tcp://there:1")
    for _ in range(263):
        now[0] += 1.0
        keeper.look()
    now[0] += 1.0
    keeper._client = Lost([0])
    with pytest.raises(sweep_gather.NoWorkers, match="tcp://there:1 has had no worker for 60 s"):
        keeper.look()


@pytest.mark.skipif(sys.platform != "linux", reason="asks the system for a process's command line and environment")
def test_a_bad_line_leaves_no_server_that_goes_on_importing(tmp_path):
    def servers():
        found = (place for place in Path("/proc").glob("[0-9]*") if place.name != str(os.getpid()))
        return [
            p for p in found if str(tmp_path).encode() in _read(p / "environ") and b"forkserver" in _read(p / "cmdline")
        ]

    line = (sys.executable, "-m", "cases", "sweep", "block_on_table", "--grid", "mu=0.1,-0.2", "--workers", "2")
    with subprocess.Popen(line, env=os.environ | {"SWEPT": str(tmp_path)}, stderr=subprocess.PIPE) as command:
        seen = 0
        while command.poll() is None:
            seen = max(seen, len(servers()))
            time.sleep(0.02)
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
