"""Storing a run: its cost, and no loss; wrong arguments of ``simulate`` beside the model are refused before it begins."""

import os
import stat
import time
import zlib

import netCDF4
import numpy as np
import pytest
import xarray as xr
from case_models import model_of
from problems import assembled

from cases import block_on_table
from floating_frame import RigidBody, load_trajectory, simulate
from floating_frame.output import archive, journal, trajectory
from floating_frame.output.replacing import replacing


def model(t_end=1.0, dt=0.01):
    return model_of(block_on_table, t_end=t_end, dt=dt)[1]


@pytest.fixture(scope="module")
def known():
    return simulate(model())


def same(stored, known):
    with stored:
        return all(np.array_equal(stored[name], known[name]) for name in known.data_vars)


def test_storing_costs_about_as_much_as_compressing_all_numbers_once(tmp_path):
    """CPU beyond that of the same run in memory, over what zlib takes for its bytes at level 1: once in, nothing out."""
    long = model(t_end=5.0, dt=1e-3)

    def cpu(**where):
        began = time.process_time()
        simulate(long, **where).close()
        return time.process_time() - began

    data = simulate(long)
    raw = b"".join(variable.values.tobytes() for variable in data.data_vars.values())
    assert len(raw) > 5e7
    began = time.process_time()
    zlib.compress(raw, 1)
    floor = time.process_time() - began
    storing = min(cpu(path=tmp_path / f"{k}.nc") for k in range(2)) - min(cpu() for k in range(2))
    assert 0.3 * floor < storing < 3.0 * floor


def test_instants_of_a_short_run_are_written_once(tmp_path, monkeypatch, known):
    pwrite, written = os.pwrite, []
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: written.append(len(data)) or pwrite(file, data, at))
    stored = simulate(model(), path=tmp_path / "run.nc")
    row = known.nbytes / known.sizes["time"]
    assert 0.9 * row < sum(written) < 2.0 * row  # the first instant, by which others see that a run has begun
    assert same(stored, known)
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]


@pytest.mark.parametrize("most", [0, 20_000, 300_000])
def test_instants_are_the_same_however_many_wait_in_memory(tmp_path, monkeypatch, known, most):
    monkeypatch.setattr(journal, "FLUSH_BYTES", most)
    monkeypatch.setattr(journal, "BLOCK", 7)
    assert same(simulate(model(), path=tmp_path / "run.nc"), known)


def test_a_field_whose_blocks_are_not_written_is_read_as_zeros_by_anyone(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_BLOCK_BYTES", 1 << 14)
    simulate(model(), path=tmp_path / "run.nc").close()
    with xr.open_dataset(tmp_path / "run.nc") as data:
        assert data.frame_position[:, 0].values.any()
        assert np.array_equal(data.displacement.values, np.zeros(data.displacement.shape))
    with netCDF4.Dataset(tmp_path / "run.nc") as file:
        assert "_FillValue" not in file["displacement"].ncattrs()
        assert np.ma.count_masked(file["displacement"][:]) == 0


class Stopped(BaseException):
    """Stands for a signal."""


FULL = OSError(28, "No space left on device")


def failing(error):
    def fails(*given, **further):
        raise error

    return fails


@pytest.mark.parametrize("error", [FULL, RuntimeError("HDF error"), Stopped()])
def test_what_stops_writing_the_whole_file_leaves_all_instants_in_the_growing_one(tmp_path, monkeypatch, known, error):
    monkeypatch.setattr(trajectory, "write_archive", failing(error))
    with pytest.raises((OSError, Stopped)):
        simulate(model(), path=tmp_path / "run.nc")
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc.partial"]
    assert same(load_trajectory(tmp_path / "run.nc.partial"), known)


def test_on_a_full_disk_the_growing_file_keeps_what_there_was_room_for(tmp_path, monkeypatch, known):
    pwrite, row = os.pwrite, known.nbytes // known.sizes["time"]

    def full(file, data, at):
        room = 40 * row - at
        if len(data) <= room:
            return pwrite(file, data, at)
        if room > 0:
            return pwrite(file, data[:room], at)
        raise FULL

    monkeypatch.setattr(os, "pwrite", full)
    monkeypatch.setattr(trajectory, "write_archive", failing(FULL))
    with pytest.raises(OSError, match="No space left"):
        simulate(model(), path=tmp_path / "run.nc")
    with load_trajectory(tmp_path / "run.nc.partial") as left:
        count = left.sizes["time"]
        assert 20 < count < 40
        assert np.array_equal(left.position, known.position[:count])


def test_the_sign_of_zero_is_kept(tmp_path, monkeypatch):
    write = trajectory.FileSink._store

    def negative(self, values):
        write(self, values | {"displacement": -np.zeros(np.shape(values["displacement"]))})

    monkeypatch.setattr(trajectory.FileSink, "_store", negative)
    with simulate(model(), path=tmp_path / "run.nc") as data:
        assert np.signbit(data.displacement.values).all()


@pytest.mark.parametrize("place", ["none/run.nc", "none/of/these/run.nc", " ", "folder", "file/run.nc"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_computed(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    before, reports = sorted(tmp_path.rglob("*")), []
    with pytest.raises(OSError, match=r"expected (a file in a directory|the name of a file)") as refused:
        simulate(model(), path=place, progress=reports.append)
    assert isinstance(refused.value, FileNotFoundError | IsADirectoryError)
    assert not reports
    assert sorted(tmp_path.rglob("*")) == before


DISC = assembled(RigidBody.disc(radius=0.1, mass=1.0, nr=2, nt=6), 0.03, 0.01, velocity=(1.0, 0.0))


def test_a_pipe_or_device_is_not_replaced_by_a_trajectory_nor_by_any_file(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(FileExistsError, match="got a device or pipe"):
            simulate(DISC, path=path)
    with pytest.raises(FileExistsError, match="got a device or pipe"), replacing(pipe) as temporary:
        temporary.write_text("whole")
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [link, pipe]


def test_names_that_begin_with_blanks_are_kept_and_those_with_backslashes_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    simulate(DISC, path="  run.nc")
    assert load_trajectory("  run.nc").complete == 1
    for name in ("a\\b.nc", "a\\0.nc"):
        with pytest.raises(OSError, match=r"expected a path without .*, which NetCDF does not take"):
            simulate(DISC, path=name)
    assert os.listdir() == ["  run.nc"]


ASKED = {
    "attributes": (3, "a", [("a", 1)], {1: 2}, {"": 1}, {"a/b": 1}, {"a\n": 1}, {"a": None}, {"a": object()}, {"a": True}),
    "progress": (3, "print", [print]),
    "keeper": (3, print, object()),
    "resume": (3, "checkpoint.npz", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_of_a_run_is_refused_before_it_begins(tmp_path, name):
    for value in ASKED[name]:
        for path in (None, tmp_path / "run.nc"):
            with pytest.raises(TypeError, match=f"^simulate: {name} must be .*got .") as refused:
                simulate(DISC, path=path, **{name: value})
            assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_path_is_not_read():
    for path in (None, 3, b"run.nc", {}):
        with pytest.raises(ValueError, match=r"^cannot read a trajectory from .*: expected the path of a file$"):
            load_trajectory(path)


def test_attributes_that_netcdf_takes_are_kept(tmp_path):
    given = {"text": "<b>", "count": 3, "share": 0.5, "row": [1.0, 2.0], "one": np.float64(2.0)}
    run = simulate(DISC, path=tmp_path / "run.nc", attributes=given)
    assert {name: np.array_equal(run.attrs[name], value) for name, value in given.items()} == dict.fromkeys(given, True)


def test_a_dataset_of_something_else_has_no_points_and_no_resultants():
    other = xr.Dataset({"a": ("x", [1.0])})
    for method, arguments in (("at", ((0.0, 0.0),)), ("resultants", ())):
        with pytest.raises(ValueError, match=f"^{method}: expected the dataset of a run, got one without "):
            getattr(other.fff, method)(*arguments)
