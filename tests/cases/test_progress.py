"""A long run without a terminal says how far it is, and a short one nothing; what it takes still is told from its steps alone."""

import io
import time
from types import SimpleNamespace

import numba
import pytest
from rich.console import Console

from cases.app.run.progress import bar, display
from cases.app.run.progress.compiling import Compilation
from cases.app.run.progress.remaining_time import RemainingTime


class Clock:
    """A wall clock that is set by hand."""

    now = 0.0

    def __call__(self):
        return self.now


def run_of(to_go, clock, *times, step=1.0):
    """Let a run report ``times``, one each ``step`` s of wall clock."""
    for reached in times:
        clock.now += step
        to_go.report(reached)


@pytest.fixture
def on_terminal(monkeypatch):
    """Text on a terminal; with False stderr is none."""

    def seen(terminal=True):
        text = io.StringIO()
        monkeypatch.setattr(display.sys, "stderr", SimpleNamespace(isatty=lambda: terminal))
        monkeypatch.setattr(bar, "Console", lambda stderr: Console(file=text, force_terminal=True, width=120))
        return text

    return seen


def test_a_run_that_takes_long_says_so_without_a_terminal_and_again_after_twice_as_long(monkeypatch, capsys):
    monkeypatch.setattr(display, "FIRST_LINE", 0.02)
    with display.progress_bar("plate", 2.0, shown=True) as report:
        report(SimpleNamespace(time=0.5, steps=3, iterations=4))
        time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "plate: t = 0.5 of 2 s after 0 s"
    assert 2 <= len(lines) <= 4  # at 0.02, 0.04, 0.08, 0.16 s
    with display.progress_bar("plate", 2.0, shown=False) as report:
        assert report is None
    with display.progress_bar("plate", 2.0, shown=True):
        pass
    assert capsys.readouterr().err == ""


def test_time_to_go_is_that_of_the_steps_and_not_of_what_came_before_them():
    clock = Clock()
    to_go = RemainingTime(10.0, clock)
    clock.now = 100.0  # assembling, importing
    assert to_go.left is None
    run_of(to_go, clock, 1.0)
    assert to_go.left is None, "one report tells no pace"
    run_of(to_go, clock, 2.0, 3.0)
    assert to_go.left == pytest.approx(7.0)  # 1 s of wall clock for 1 s
    run_of(to_go, clock, 10.0, step=7.0)
    assert to_go.left == 0.0


def test_the_reports_of_a_batch_come_at_once_and_tell_no_pace():
    clock = Clock()
    to_go = RemainingTime(100.0, clock)
    clock.now = 30.0
    run_of(to_go, clock, *range(1, 11), step=1e-3)
    assert to_go.left is None
    clock.now = 32.0
    run_of(to_go, clock, *range(11, 21), step=1e-3)
    assert to_go.left == pytest.approx(80.0 / 10.0 * 2.0, rel=0.02)


def test_the_clock_of_a_run_stands_still_while_loops_are_compiled():
    clock = Clock()
    compilation = Compilation(clock)
    to_go = RemainingTime(10.0, lambda: clock() - compilation.spent)
    run_of(to_go, clock, 1.0, 2.0)
    compilation.on_start(None)
    compilation.on_start(None)  # a loop that the loop calls
    clock.now += 50.0
    compilation.on_end(None)
    clock.now += 50.0
    assert compilation.now
    said = display.line("plate", 2.0, 10.0, 102.0, to_go, compilation)
    assert said == "plate: t = 2 of 10 s after 102 s, compiling, once"
    compilation.on_end(None)
    assert not compilation.now
    assert compilation.spent == 100.0
    run_of(to_go, clock, 3.0)
    assert to_go.left == pytest.approx(7.0), "107 s by a clock that runs on"
    assert display.line("plate", 3.0, 10.0, 103.0, to_go, compilation).endswith(", about 7 s to go")


def test_a_run_that_is_begun_again_is_measured_anew():
    clock = Clock()
    to_go = RemainingTime(10.0, clock)
    run_of(to_go, clock, 1.0, 2.0, 3.0)
    run_of(to_go, clock, 0.1, 0.2, step=10.0)
    assert to_go.left == pytest.approx(98.0 * 10.0)


def test_a_bar_tells_time_to_go_or_that_it_compiles(on_terminal):
    clock = Clock()
    compilation = Compilation(clock)
    to_go = RemainingTime(10.0, clock)
    column = bar._TimeLeft(to_go, compilation)
    assert column.render(None).plain == ""
    compilation.on_start(None)
    assert column.render(None).plain == "compiling, once"
    compilation.on_end(None)
    run_of(to_go, clock, 1.0, 2.0, step=30.0)
    assert column.render(None).plain == "0:04:00"

    seen = on_terminal()
    with display.progress_bar("plate", 2.0, shown=True) as report:
        report(SimpleNamespace(time=0.5, steps=3, iterations=6))
        time.sleep(0.3)
    for words in ("t = 0.5 of 2 s, step 3", "2.0 iterations/step"):
        assert words in seen.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_assembling_a_model_says_on_a_terminal_that_it_compiles_where_it_does(on_terminal, terminal):
    seen = on_terminal(terminal)
    loop = numba.njit(lambda x: x + 1.0)
    with display.assembling("plate", shown=True):
        assert seen.getvalue() == ""
        assert loop(1.0) == 2.0
        waited = time.monotonic() + 10.0
        while terminal and "compiling" not in seen.getvalue() and time.monotonic() < waited:
            time.sleep(0.01)  # it is drawn a dozen times a second
        assert ("plate: compiling, once" in seen.getvalue()) == terminal
    length = len(seen.getvalue())
    with display.assembling("plate", shown=True):
        assert loop(2.0) == 3.0
    with display.assembling("plate", shown=False):
        assert loop(1) == 2
    assert len(seen.getvalue()) == length, "nothing is compiled, or nothing is to be said"
