"""Nothing is lost: runs that are killed, fail or end go on to the last bit, and directories keep what they hold."""

import os
import re
import shutil
import signal
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from case_runs import SMALL, Killed, killed, run_unparsed, run_without_picture, stored, summary_of

from cases.app.command import cli
from cases.app.run import runner
from cases.app.run.checkpoint import Checkpoints
from cases.app.run.codec import decode, encode
from floating_frame import load_trajectory
from floating_frame.output import trajectory
from floating_frame.output.archive import check_closed
from floating_frame.output.journal import Journal
from floating_frame.simulate import Batches

PLATE = SMALL["plate_sliding"] | {"nx": 2, "ny": 1}


def trajectory_in(folder):
    """All of a trajectory but the name of its run."""
    return stored(folder).assign_attrs(run="")


def plate(out, values=()):
    return run_unparsed("plate_sliding", PLATE | dict(values), out)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Contents of a plate's run that nothing stopped."""
    folder = tmp_path_factory.mktemp("whole")
    assert run_without_picture("plate_sliding", PLATE, folder) == 0
    return trajectory_in(folder)


def one_line(capsys):
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch):
    """Pictures have tests of their own, and take longer than these runs."""
    monkeypatch.setattr(runner, "_draw", lambda directory, *_: (directory / "drawn.png").write_text(""))


@pytest.fixture(autouse=True)
def _batches_of_one_step(monkeypatch):
    """A compiled batch may hold all steps of these runs; they are stopped between two of them."""
    after = Batches.after

    def one(self, number, state):
        last, self._last = self._last, min(self._last, number + 1)
        try:
            return after(self, number, state)
        finally:
            self._last = last

    monkeypatch.setattr(Batches, "after", one)


RUNS = {
    "plate": ("plate_sliding", PLATE | {"output_every": 2}, 3),
    "clamp, law with memory": ("plate_clamped", SMALL["plate_clamped"] | {"law": "sliding-stiction"}, 2),
    "rigid body, exact contact": ("wall_impact", {"t_end": 0.01, "dt": 0.0005, "contact": "signorini", "vx0": 60.0}, 7),
    "beam under error control": ("beam_bending", SMALL["beam_bending"] | {"error_tolerance": 1e-2}, 4),
    "explicit": ("rod_wave", {"scheme": "explicit", "dt": 0, "t_end": 0.02, "nx": 10, "output_every": 3}, 3),
    "body in space": ("potra_block", {"t_end": 0.2, "dt": 0.01}, 11),
    "quasi-static": ("rod_cycle", SMALL["rod_cycle"], 3),
}


@pytest.mark.parametrize("kind", RUNS)
@pytest.mark.quick("plate", "quasi-static")
def test_a_killed_run_goes_on_to_the_last_bit(tmp_path, kind):
    name, values, step = RUNS[kind]
    out = tmp_path / kind
    assert run_unparsed(name, values, tmp_path / f"{kind} whole") == 0
    whole = trajectory_in(tmp_path / f"{kind} whole")
    with pytest.MonkeyPatch.context() as patch:
        killed(patch, step)
        with suppress(Killed):
            run_unparsed(name, values, out, checkpoint_every="0")
            pytest.fail("the run was not stopped")
    assert {p.name for p in out.iterdir()} == {"trajectory.nc.partial", "checkpoint.npz"}
    with load_trajectory(out / "trajectory.nc.partial") as left:
        assert 0 < left.sizes["time"] < whole.sizes["time"]
        assert np.array_equal(left.position, whole.position[: left.sizes["time"]])
    assert cli.main(["resume", str(out), "--quiet"]) == 0
    assert trajectory_in(out).identical(whole)
    assert {p.name for p in out.iterdir()} == {"trajectory.nc", "summary.json", "drawn.png"}


EXTENDED = {
    "at full steps": ({}, 0.05, 0.11),
    "after a short last step": ({}, 0.043, 0.08),
    "between stored instants": ({"output_every": 3}, 0.05, 0.08),
    "under error control, from the start": ({"error_tolerance": 1e-2}, 0.03, 0.05),
}


@pytest.mark.parametrize("kind", EXTENDED)
@pytest.mark.quick("between stored instants")
def test_a_finished_run_is_extended_as_if_it_had_never_ended(tmp_path, kind):
    more, first, last = EXTENDED[kind]
    tmp_path = tmp_path / kind
    assert plate(tmp_path / "whole", more | {"t_end": last}) == 0
    assert plate(tmp_path / "two", more | {"t_end": first}) == 0
    before = trajectory_in(tmp_path / "two")
    assert float(before.time[-1]) == first
    assert cli.main(["resume", str(tmp_path / "two"), "--t_end", str(last), "--quiet"]) == 0
    assert trajectory_in(tmp_path / "two").identical(trajectory_in(tmp_path / "whole"))
    assert summary_of(tmp_path / "two")["parameters"]["t_end"] == last


def test_a_run_that_failed_or_was_stopped_says_what_is_saved_and_goes_on(tmp_path, whole, monkeypatch, capsys):
    out = tmp_path / "stopped"
    for number, status in ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)):
        before = signal.getsignal(number)
        if before is signal.SIG_IGN:  # as nohup has it
            signal.signal(number, signal.SIG_DFL)
        with monkeypatch.context() as patch:
            after = Checkpoints.after_step

            def send(self, state, sync, number=number, after=after):
                after(self, state, sync)
                if state.number == 3:
                    os.kill(os.getpid(), number)

            patch.setattr(Checkpoints, "after_step", send)
            assert plate(out) == status
        signal.signal(number, before)
        said = one_line(capsys)
        assert f"up to t = 0.03 s is in {out / 'trajectory.nc'} (4 instants)" in said
        assert f"python -m cases resume {out}" in said
        assert (trajectory_in(out).attrs["complete"], summary_of(out)["complete"]) == (0, False)
        assert sorted(p.name for p in out.iterdir()) == ["summary.json", "trajectory.nc"]  # a picture may take long
    assert cli.main(["resume", str(out), "--quiet"]) == 0
    assert trajectory_in(out).identical(whole)


def test_a_full_disk_leaves_what_was_synced_and_the_run_goes_on_elsewhen(tmp_path, whole, monkeypatch, capsys):
    assert plate(tmp_path / "full", {"t_end": 0.02}) == 0
    earlier = (tmp_path / "full" / "trajectory.nc").read_bytes()
    pwrite, done = os.pwrite, []

    def full(file, data, at):
        done.append(at)
        if len(done) > 6:
            pwrite(file, data[: len(data) // 2], at)  # a torn row
            raise OSError(28, "No space left on device")
        return pwrite(file, data, at)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        patch.setattr("floating_frame.output.trajectory.MAX_DELAY", -1.0)
        patch.setattr("floating_frame.output.journal.FLUSH_SECONDS", -1.0)
        assert plate(tmp_path / "full") == 3
    said = one_line(capsys)
    assert "No space left on device" in said
    assert "(3 instants)" in said
    assert (tmp_path / "full" / "trajectory.nc").read_bytes() == earlier, "what was there stays until it is replaced"
    assert summary_of(tmp_path / "full")["complete"] is True
    assert cli.main(["resume", str(tmp_path / "full"), "--quiet"]) == 0
    assert trajectory_in(tmp_path / "full").identical(whole)


@pytest.mark.parametrize("when", ["between steps", "interrupted", "while the whole file is written"])
def test_a_directory_that_vanishes_is_made_again_with_what_was_computed(when, tmp_path, monkeypatch, capsys):
    """Also where instants still wait when the run ends, and writing them finds that it has vanished."""
    out, after, verified = tmp_path / "gone", Checkpoints.after_step, []
    monkeypatch.setattr("floating_frame.output.journal.FLUSH_SECONDS", -1.0 if when == "interrupted" else 10.0)

    def vanish(self, state, sync):
        after(self, state, sync)
        if state.number == 3:
            shutil.rmtree(out)
            if when == "interrupted":
                raise KeyboardInterrupt

    def vanish_once(path, instants):
        verified.append(path)
        if len(verified) == 1:
            shutil.rmtree(out)
        check_closed(path, instants)

    if when.startswith("while"):
        monkeypatch.setattr(trajectory, "check_closed", vanish_once)
    else:
        monkeypatch.setattr(Checkpoints, "after_step", vanish)
    assert plate(out) == 3
    assert "put away" in one_line(capsys)
    assert trajectory_in(out).sizes["time"] == (4 if when == "interrupted" else 6)
    assert len(verified) == (2 if when.startswith("while") else 0)


def test_what_the_disk_does_not_give_back_as_written_is_a_failure_of_the_disk(tmp_path, monkeypatch, capsys):
    def damage(path, instants):
        path.write_bytes(path.read_bytes()[:-500])
        check_closed(path, instants)

    monkeypatch.setattr(trajectory, "check_closed", damage)
    assert plate(tmp_path) == 3
    assert "what was written cannot be read back" in one_line(capsys)
    assert load_trajectory(tmp_path / "trajectory.nc.partial").sizes["time"] == 6


def test_a_flipped_byte_is_named_and_what_is_damaged_refused(tmp_path, capsys):
    assert plate(tmp_path) == 0
    path, where = tmp_path / "trajectory.nc", {}
    good, read = path.read_bytes(), trajectory_in(tmp_path)
    blocks = [match.end() + 3 for match in re.finditer(rb"x\x01", good)]  # as zlib begins; two components a field
    for at in (good.index(b'"pull_x"'), *blocks[:10], *range(0, len(good), len(good) // 5)):
        path.write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1 :])
        try:
            assert trajectory_in(tmp_path).identical(read), f"byte {at} changes what is read, and nobody says so"
        except ValueError as error:
            where[str(error)] = at
    named = [text for text in where if re.search(r"is damaged: \w+\[0:6\] does not agree with its checksum", text)]
    assert len(named) >= 5
    attribute = next(text for text, at in where.items() if at == good.index(b'"pull_x"'))
    for text in (named[0], attribute):
        at = where[text]
        path.write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1 :])
        for command in (["plot"], ["resume", "--t_end", "1"]):
            assert cli.main([command[0], str(tmp_path), *command[1:]]) == 2
            assert " ".join(text.split()) in one_line(capsys)


def test_records_come_back_from_bytes_to_the_last_bit_and_nothing_else_does(tmp_path, monkeypatch):
    last = []
    monkeypatch.setattr(Checkpoints, "at_end", lambda self, state: last.append(state))
    assert plate(tmp_path) == 0
    strided = np.arange(24.0).reshape(4, 6)[::2, 1::2]
    tree = {"state": last[0], "both": (strided, strided, np.float64(0.1), -0.0, float("inf"), None, [True, "a"])}
    back = decode(encode(tree))
    assert np.array_equal(back["both"][0], strided)
    assert decode(encode(strided[::-1].T)).flags.c_contiguous
    assert decode(encode(np.asfortranarray(strided))).flags.f_contiguous
    assert back["both"][0] is back["both"][1]
    assert type(back["both"][2]) is np.float64
    assert encode(back) == encode(tree)
    assert replace(back["state"], state=last[0].state) == last[0]
    with pytest.raises(TypeError, match="expected a record"):
        encode(Journal)
