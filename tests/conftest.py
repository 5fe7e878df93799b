"""Set-up of all tests: when garbage is collected, how random examples are drawn, and the `verification` fixture.

Trajectories that tests leave open are closed when they are collected. Python collects in whichever thread happens to allocate,
here also in those of the test runner and of the sweeps' clusters, and HDF5 does not bear a file being closed in one thread
while it works in another. So garbage is collected here, in the main thread, between tests, and nowhere else.

Tests run in any order (pytest-randomly shuffles them), draw from generators with seeds of their own, and hypothesis takes the same
examples every time, however slow the machine is.

The fixture asserts a number against its reference and records both for the verification report. A number that theory does not
give is asserted by `verification.band`, which records it as observed.

    pytest tests --verification=FILE.json

runs only the tests that take the fixture and writes their records there; without the option the fixture only asserts.
"""

import gc
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")
KEY = "verification"
LONGEST = "test_compiled.py"
BESIDE = {"fem", "friction", "theory", "docs"}
"""Folders whose tests need few of the kernels that the longest file compiles: beside it, few are compiled twice."""
COLLECTION_EVERY, FULL_COLLECTION_EVERY = 10, 200  # tests
_done = 0


def pytest_sessionstart():
    gc.disable()


def pytest_collection_finish():
    gc.collect()
    gc.freeze()  # what is imported by now stays, and need not be looked through again


def pytest_runtest_logfinish():
    global _done
    _done += 1
    if _done % COLLECTION_EVERY == 0:
        gc.collect(2 if _done % FULL_COLLECTION_EVERY == 0 else 1)


class Verification:
    """Asserts least <= |computed - reference| <= tolerance, and records both."""

    def __init__(self, node):
        self.node = node

    def __call__(self, claim, computed, reference, *, source, tolerance, least=0.0, unit="1", relative=False):
        """Compare numbers, or arrays entry by entry (the worst entry is recorded), and return the error.

        `claim`: one sentence; `source`: where the reference comes from; `tolerance`: the largest error that the claim allows,
        `least`: the smallest (an error below it would be an accident); `relative`: errors over |reference|.
        """
        values, known = np.broadcast_arrays(np.asarray(computed, float), np.asarray(reference, float))
        errors = values - known
        if relative:
            errors = errors / np.abs(known)
        worst = np.unravel_index(np.argmax(np.where(np.isfinite(errors), np.abs(errors), np.inf)), errors.shape)
        error = float(errors[worst])
        record = {
            "claim": claim,
            "kind": "reference",
            "source": source,
            "reference": float(known[worst]),
            "computed": float(values[worst]),
            "unit": unit,
            "error": error,
            "relative": bool(relative),
            "least": float(least),
            "tolerance": float(tolerance),
            "test": self.node.nodeid,
        }
        self.node.user_properties.append((KEY, record))
        said = f"{claim}: {record['computed']!r} against {record['reference']!r} {unit}, error {error:.3g}"
        assert abs(error) <= tolerance, f"{said}, more than {tolerance:.3g}"
        smallest = float(np.min(np.abs(errors)))
        assert smallest >= least, f"{said}; an error of {smallest:.3g} is less than {least:.3g}"
        return error

    def band(self, claim, computed, low, high, *, why, unit="1"):
        """Assert low <= computed <= high, entry by entry, for what is observed and has no reference: `why` says what is known.

        The entry nearest to an end is recorded, or beyond it.
        """
        values = np.atleast_1d(np.asarray(computed, float))
        inside = np.where(np.isfinite(values), np.minimum(values - low, high - values), -np.inf)
        worst = float(values.flat[np.argmin(inside)])
        record = {
            "claim": claim,
            "kind": "band",
            "source": why,
            "computed": worst,
            "unit": unit,
            "low": float(low),
            "high": float(high),
            "test": self.node.nodeid,
        }
        self.node.user_properties.append((KEY, record))
        assert np.all(inside >= 0.0), f"{claim}: {worst!r} {unit} is not within {low:g} to {high:g}"


@pytest.fixture
def verification(request):
    """Assert a claim against its reference and record the numbers."""
    return Verification(request.node)


def pytest_addoption(parser):
    parser.addoption("--verification", metavar="FILE", help="run the verification tests only and write their records")


def pytest_configure(config):
    config.pluginmanager.register(LongestFirst(), "longest-first")
    target = config.getoption("--verification")
    if target and not hasattr(config, "workerinput"):  # with pytest-xdist the controller collects the reports
        config.pluginmanager.register(Records(Path(target)), "verification-records")


class LongestFirst:
    """Puts the file that takes longest before all others, since begun last it would run alone at the end; BESIDE comes next."""

    @staticmethod
    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(items):
        items.sort(key=lambda item: (item.path.name != LONGEST, item.path.parent.name not in BESIDE))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    mark_slow_rows(items, whole=not any("[" in argument for argument in config.args))
    if config.getoption("--verification"):
        chosen = [item for item in items if KEY in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen


def mark_slow_rows(items, whole):
    """Mark as slow the rows of a test that its `quick` mark does not name; with `whole` tests UsageError for a name of no row."""
    left = {}
    for item in items:
        mark = item.get_closest_marker("quick")
        if mark:
            left.setdefault((item.path.name, item.originalname), set(mark.args)).discard(item.callspec.id)
            if item.callspec.id not in mark.args:
                item.add_marker("slow")
    unknown = {test: names for test, names in left.items() if names}
    if whole and unknown:
        raise pytest.UsageError(f"quick names rows that are none: {unknown}")


class Records:
    """Collects the records of the tests that passed and writes them when the session ends."""

    def __init__(self, target):
        self.target = target
        self.records = []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.records += [record for key, record in report.user_properties if key == KEY]

    def pytest_sessionfinish(self, session, exitstatus):
        # What xdist's workers send comes in any order; records of one test keep theirs.
        self.records.sort(key=lambda record: record["test"])
        self.target.parent.mkdir(parents=True, exist_ok=True)
        from floating_frame.output.provenance import git_commit, versions  # not before the tests: numba takes its time

        stored = {"commit": git_commit(), "versions": versions(), "records": self.records}
        self.target.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
