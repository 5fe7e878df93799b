"""Fixtures of the tests of the command line."""

import shlex

import pytest
from matplotlib.figure import Figure

from cases.app.command import cli
from cases.app.drawing import style
from cases.app.run import runner
from cases.app.run.progress import display
from cases.app.studies import converge_output, modes
from cases.app.studies.sweep import command as sweep


@pytest.fixture(autouse=True)
def no_lines_on_slow_machines(monkeypatch):
    monkeypatch.setattr(display, "FIRST_LINE", 1e6)


@pytest.fixture(scope="session", autouse=True)
def coarse_pictures():
    """A third of the dots per inch: drawing takes as long as these runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "DPI", 100)
        patch.setattr(converge_output, "DPI", 100)
        yield


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Run a command line in an empty directory; return status, stdout, stderr.

    The first argument is split at blanks as a shell does, further ones are taken as they are.
    """
    monkeypatch.chdir(tmp_path)

    def run(line="", *more):
        status = cli.main([*shlex.split(line), *map(str, more)])
        return status, *capfd.readouterr()

    return run


@pytest.fixture
def no_picture(monkeypatch):
    """For tests of something else: a picture of a run, of modes, a sweep or a study takes as long as a small run."""
    monkeypatch.setattr(runner, "_draw", lambda *_: None)
    monkeypatch.setattr(sweep, "_draw", lambda _: "")
    monkeypatch.setattr(modes, "draw_modes", lambda data, path: path.touch())
    monkeypatch.setattr(converge_output, "draw", lambda _: Figure((0.1, 0.1)))
