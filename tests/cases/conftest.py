"""What the tests of the command line share."""

import pytest

from cases.app.command import cli
from cases.app.run.progress import shown


@pytest.fixture(autouse=True)
def no_lines_on_slow_machines(monkeypatch):
    monkeypatch.setattr(shown, "FIRST_LINE", 1e6)


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Run a command line in an empty directory; return status, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = cli.main([str(a) for a in arguments])
        out, err = capfd.readouterr()
        return status, out, err

    return run
