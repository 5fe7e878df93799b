"""Where the figures' quick runs are kept: in a directory of the session, which the workers of pytest-xdist share."""

import os

import figure_runs
import pytest

from cases.app.run.progress import display


@pytest.fixture(autouse=True)
def no_lines_on_slow_machines(monkeypatch):
    monkeypatch.setattr(display, "FIRST_LINE", 1e6)


@pytest.fixture(scope="session", autouse=True)
def directory_of_the_session(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    figure_runs.STORE.directory = shared / "figure-runs"
