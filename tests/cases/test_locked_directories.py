"""Commands that write a results directory: one writer at a time, nothing of another case replaced, interrupted with a line."""

import os
import re
import signal
import subprocess
import time

import pytest
from case_runs import stored, summary_of

from cases.app.run.checkpoint import Checkpoints
from cases.app.run.directory import locked
from cases.app.run.results import OWN
from cases.app.studies import converge
from floating_frame.output import netcdf
from paper_figures import command as figures_command

BEAM = "beam_bending --ne 4 --t_end 0.02 --dt 0.01 --quiet --out out"
COMMANDS = {
    "run": f"run {BEAM} --no-estimate",
    "converge": f"converge {BEAM} --over dt --levels 2",
    "sweep": f"sweep {BEAM} --grid load=1,2 --workers 0",
    "modes": "modes beam_bending --ne 4 --count 1 --quiet --out out",
}


@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS)
def test_a_directory_has_one_writer_at_a_time(line, command, no_picture, tmp_path):
    with locked(str(tmp_path / "out")):
        status, out, err = command(line)
        assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [".lock"]
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: out: expected a directory that no other run writes, got 'out', into which process ")
    assert command(line)[0] == 0
    assert not (tmp_path / "out" / ".lock").exists()


def test_a_run_is_not_resumed_while_another_writes_and_a_killed_one_left_no_lock(command, no_picture, tmp_path):
    assert command(COMMANDS["run"])[0] == 0
    with locked(str(tmp_path / "out")):
        assert "into which process" in command("resume out --t_end 0.03")[2]
    (tmp_path / "out" / ".lock").write_text(f"process {os.getpid()}")  # its number is used again
    assert command(COMMANDS["run"])[0] == 0


def test_the_process_that_tries_a_file_first_does_not_hold_the_lock(tmp_path):
    """It may outlive a run that is killed."""

    def die_of_an_open_file(path):
        os.fstat(held.fileno())  # raises where it is closed
        os.kill(os.getpid(), signal.SIGKILL)

    path = tmp_path / "trajectory.nc"
    path.write_bytes(b"")
    with path.open("rb") as held, pytest.raises(ValueError, match="Bad file descriptor"):
        netcdf.check_readable(path, die_of_an_open_file)


def test_figures_have_one_writer_at_a_time(tmp_path, capsys):
    with locked(str(tmp_path / "out")):
        assert figures_command.main(["limit_surfaces", "--out", str(tmp_path / "out")]) == 2
    assert "that no other run writes" in capsys.readouterr().err


OTHERS = {
    "studies": ("converge", "converge rod_cycle --nx 2 --steps 1 --over mesh --levels 2 --quiet --out out", "--force"),
    "modes": ("modes", "modes rod_wave --nx 4 --count 1 --quiet --out out", "--replace"),
    "a run after modes": ("modes", COMMANDS["run"], "--force"),
    "runs": ("run", "run rod_wave --nx 4 --t_end 2e-3 --dt 1e-3 --no-estimate --quiet --out out", "--replace"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_results_of_another_case_or_kind_are_replaced_with_force_only(kind, command, no_picture, tmp_path):
    own, other, force = OTHERS[kind]
    assert command(COMMANDS[own])[0] == 0
    status, _, err = command(other)
    assert (status, err.count("\n")) == (2, 1)
    assert re.search("or --force to replace them, got 'out' with .*(beam_bending|modes)", err)
    assert command(COMMANDS[own])[0] == 0
    assert command(other, force)[0] == 0
    assert (tmp_path / "out" / "modes.nc").exists() == (kind == "modes")


def test_a_run_of_another_version_is_replaced_with_force_only_and_its_picture_goes(
    command, no_picture, tmp_path, monkeypatch
):
    assert command(COMMANDS["run"])[0] == 0
    picture = tmp_path / "out" / "beam_bending.png"
    picture.write_text("of the earlier run")
    monkeypatch.setattr("cases.app.run.directory.versions", lambda: {OWN: "99.0"})
    assert (command(COMMANDS["run"])[0], picture.exists()) == (2, True)
    assert (command(COMMANDS["run"] + " --force")[0], picture.exists()) == (0, False)


@pytest.mark.parametrize("before", ["0.1.9", ""])
def test_a_study_of_another_version_is_replaced_with_force_only(before, command, no_picture, tmp_path):
    assert command(COMMANDS["converge"])[0] == 0
    path = tmp_path / "out" / "converge.csv"
    head, *rows = path.read_text().splitlines()
    assert head.endswith(",version")
    this = rows[0].rsplit(",", 1)[1]
    path.write_text("\n".join([head, *(row.replace(f",{this}", f",{before}") for row in rows)]) + "\n")
    status, _, err = command(COMMANDS["converge"])
    assert (status, err.count("\n")) == (2, 1)
    assert f"got 'out' with one of version {before or 'before 0.3.0'}, this is {this}" in err
    assert command(COMMANDS["converge"] + " --force")[0] == 0


def test_an_interrupted_study_keeps_the_levels_that_are_done(command, no_picture, tmp_path, monkeypatch):
    simulate, runs = converge.simulate, []

    def interrupting(model, **rest):
        runs.append(model)
        if len(runs) == 3:
            signal.raise_signal(signal.SIGTERM)
        return simulate(model, **rest)

    monkeypatch.setattr(converge, "simulate", interrupting)
    status, _, err = command(f"converge {BEAM} --over dt --levels 4")
    assert status == 128 + signal.SIGTERM
    assert err == "interrupted: 2 of 4 levels are in out\n"
    rows = [line.split(",") for line in (tmp_path / "out" / "converge.csv").read_text().splitlines()[1:]]
    assert {(row[1], row[3]) for row in rows} == {("0", "1"), ("0", "2")}  # incomplete


class Lossy:
    """An exception that comes while this is destroyed is lost, as in callbacks of libraries in C."""

    def __del__(self):
        signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize("follows", [None, RuntimeError("no compiled object yet")], ids=["nothing", "an error"])
def test_a_signal_whose_exception_is_lost_ends_the_run_after_its_step(
    command, no_picture, tmp_path, monkeypatch, follows
):
    """Also where an error follows it, which is then no failure of the run."""
    step, steps = Checkpoints.after_step, []

    def after_step(self, state, sync):
        steps.append(state.number)
        Lossy()
        if follows:
            raise follows
        step(self, state, sync)

    monkeypatch.setattr(Checkpoints, "after_step", after_step)
    status, _, err = command(f"run {BEAM} --no-estimate")
    assert (status, steps[-1] <= 1, err.count("\n")) == (128 + signal.SIGTERM, True, 1)
    assert err.startswith("interrupted by SIGTERM: what was computed up to t = ")
    assert stored(tmp_path / "out").attrs["complete"] == 0


def test_a_signal_during_a_long_picture_is_answered_at_once_and_the_run_is_whole(command, tmp_path, monkeypatch):
    """Not by drawing the same picture once more, of a run that is said to be incomplete."""
    begun, ring = [], signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGTERM))

    def draw(directory, opened=None):
        begun.append(time.monotonic())
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        time.sleep(30.0)

    with monkeypatch.context() as patch:
        patch.setattr("cases.app.drawing.plotting.plot_directory", draw)
        status, _, err = command(f"run {BEAM} --no-estimate")
    late = time.monotonic() - begun[0] - 0.2
    signal.signal(signal.SIGALRM, ring)
    assert (len(begun), status) == (1, 128 + signal.SIGTERM)
    assert late < 10.0  # of 30 s, on a machine however busy
    assert err == "interrupted by SIGTERM: the run is complete; its picture is drawn by: python -m cases plot out\n"
    assert (stored(tmp_path / "out").attrs["complete"], summary_of(tmp_path / "out")["complete"]) == (1, True)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["summary.json", "trajectory.nc"]
    assert command("plot out")[0] == 0


def test_what_a_killed_process_left_half_written_is_cleared_and_what_a_living_one_writes_stays(
    command, no_picture, tmp_path
):
    out = tmp_path / "out"
    out.mkdir()
    child = subprocess.Popen(["true"])
    child.wait()
    names = [f".{name}-12ab34cd.partial" for name in (f"beam_bending.png.{child.pid}", f"note.png.{os.getpid()}")]
    for name in names:
        (out / name).touch()
    assert command(f"run {BEAM} --no-estimate")[0] == 0
    assert [(out / name).exists() for name in names] == [False, True]


def test_a_run_killed_at_its_first_instant_is_plotted_without_a_word_of_the_plotter(command, no_picture, tmp_path):
    assert command("run rod_wave --nx 4 --t_end 0.002 --dt 0.001 --quiet --out out")[0] == 0
    stored(tmp_path / "out").isel(time=slice(1)).to_netcdf(tmp_path / "out" / "trajectory.nc")
    assert command("plot out") == (0, "out/rod_wave.png\n", "")
