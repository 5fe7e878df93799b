"""A long run without a terminal says how far it is, and a short one nothing."""

import time
from types import SimpleNamespace

from cases.run import progress


def test_a_run_that_takes_long_says_so_without_a_terminal_and_again_after_twice_as_long(monkeypatch, capsys):
    monkeypatch.setattr(progress, "FIRST_LINE", 0.02)
    with progress.progress_bar("plate", 2.0, shown=True) as report:
        report(SimpleNamespace(time=0.5, steps=3, iterations=4))
        time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("plate: t = 0.5 of 2 s after 0 s, about 0 s to go")
    assert 2 <= len(lines) <= 4  # at 0.02, 0.04, 0.08, 0.16 s
    with progress.progress_bar("plate", 2.0, shown=False) as report:
        assert report is None
    with progress.progress_bar("plate", 2.0, shown=True):
        pass
    assert capsys.readouterr().err == ""
