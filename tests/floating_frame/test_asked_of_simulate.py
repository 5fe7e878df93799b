"""What ``simulate`` is asked for beside the model: refused before anything is computed, and nothing else loses its place."""

import os
import stat

import numpy as np
import pytest
import xarray as xr

from floating_frame import InitialState, Options, Problem, RigidBody, assemble, load_trajectory, simulate
from floating_frame.output.replacing import replacing


@pytest.fixture(scope="module")
def model():
    start = InitialState(velocity=(1.0, 0.0))
    return assemble(Problem(RigidBody.disc(radius=0.1, mass=1.0, nr=2, nt=6), 0.03, initial=start), Options(0.01))


def is_pipe(path):
    return stat.S_ISFIFO(os.stat(path).st_mode)


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_pipe_or_device_is_not_replaced_by_a_trajectory(model, pipe, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(FileExistsError, match="got a device or pipe"):
            simulate(model, path=path)
    assert is_pipe(pipe)
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [link, pipe]


def test_a_pipe_or_device_is_not_replaced_by_any_file(pipe, tmp_path):
    with pytest.raises(FileExistsError, match="got a device or pipe"), replacing(pipe) as temporary:
        temporary.write_text("whole")
    assert is_pipe(pipe)
    assert list(tmp_path.iterdir()) == [pipe]


def test_names_that_begin_with_blanks_are_kept_and_those_with_backslashes_refused(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    simulate(model, path="  run.nc")
    assert load_trajectory("  run.nc").complete == 1
    for name in ("a\\b.nc", "a\\0.nc"):
        with pytest.raises(OSError, match=r"expected a path without .*, which NetCDF does not take"):
            simulate(model, path=name)
    assert os.listdir() == ["  run.nc"]


ASKED = {
    "attributes": (3, "a", [("a", 1)], {1: 2}, {"": 1}, {"a/b": 1}, {"a\n": 1}, {"a": None}, {"a": object()}, {"a": True}),
    "progress": (3, "print", [print]),
    "keeper": (3, print, object()),
    "resume": (3, "checkpoint.npz", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_of_a_run_is_refused_before_it_begins(model, tmp_path, name):
    for value in ASKED[name]:
        for path in (None, tmp_path / "run.nc"):
            with pytest.raises(TypeError, match=f"^simulate: {name} must be .*got .") as refused:
                simulate(model, path=path, **{name: value})
            assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [None, 3, b"run.nc", {}])
def test_what_is_no_path_is_not_read(path):
    with pytest.raises(ValueError, match=r"^cannot read a trajectory from .*: expected the path of a file$"):
        load_trajectory(path)


def test_attributes_that_netcdf_takes_are_kept(model, tmp_path):
    given = {"text": "<b>", "count": 3, "share": 0.5, "row": [1.0, 2.0], "one": np.float64(2.0)}
    run = simulate(model, path=tmp_path / "run.nc", attributes=given)
    assert {name: np.array_equal(run.attrs[name], value) for name, value in given.items()} == dict.fromkeys(given, True)


def test_a_dataset_of_something_else_has_no_points_and_no_resultants():
    other = xr.Dataset({"a": ("x", [1.0])})
    for method, arguments in (("at", ((0.0, 0.0),)), ("resultants", ())):
        with pytest.raises(ValueError, match=f"^{method}: expected the dataset of a run, got one without "):
            getattr(other.fff, method)(*arguments)
