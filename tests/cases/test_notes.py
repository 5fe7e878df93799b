"""A command that is refused says one line on stderr: what it would have noted is not said. And what is refused by its name."""

import os
import subprocess
import sys

import meshio
import numpy as np
import pytest
from rows import rows

from cases import block_in_space, plate_in_space, plate_sliding, potra_block, solid_pulled
from cases.app.command import cli

DOUBLE = np.array([[0, 0], [0.2, 0], [0.2, 0.2], [0, 0.2], [0.2, 1e-9], [0.4, 0], [0.4, 0.2], [0.2, 0.2]], dtype=float)


@pytest.fixture
def mesh(tmp_path):
    path = tmp_path / "double.vtk"
    points = np.column_stack([DOUBLE, np.zeros(len(DOUBLE))])
    meshio.write(path, meshio.Mesh(points, [("quad", [[0, 1, 2, 3], [4, 5, 6, 7]])]))
    return [
        f"--mesh={path}",
        "--edge=boundary",
        "--merge_nodes=1e-6",
        "--t_end=0.01",
        "--dt=0.01",
        f"--out={tmp_path / 'out'}",
    ]


@pytest.mark.parametrize(
    "threads",
    [
        {"OMP_NUM_THREADS": "4,2"},
        {"OMP_NUM_THREADS": "999"},
        {"NUMEXPR_NUM_THREADS": "0", "NUMEXPR_MAX_THREADS": "many"},
        {"NUMEXPR_NUM_THREADS": "16", "NUMEXPR_MAX_THREADS": "8"},
    ],
)
def test_threads_that_numexpr_does_not_bear_are_neither_an_end_nor_a_second_line(threads, tmp_path):
    command = [sys.executable, "-m", "cases", "run", "plate_sliding", "--mu=0.3*zz", f"--out={tmp_path / 'out'}"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | threads, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: mu: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("refused", ["--mu=-1", "--t_end=-1", "--edge=nowhere"])
def test_nodes_that_were_merged_are_noted_unless_the_run_is_refused(mesh, refused, capsys):
    assert cli.main(["run", "plate_sliding", *mesh[:-1], refused, mesh[-1]]) == 2
    assert capsys.readouterr().err.splitlines()[1:] == []


def test_nodes_that_were_merged_are_noted_before_the_run(mesh, capsys):
    assert cli.main(["run", "plate_sliding", *mesh]) == 0
    assert "2 nodes were merged" in capsys.readouterr().err.splitlines()[0]


def test_parameters_that_do_nothing_are_noted_unless_the_run_is_refused(tmp_path, capsys):
    line = ["run", "block_on_table", "--v_d=1", "--t_end=0.02", "--dt=0.01", "--out", str(tmp_path)]
    assert cli.main(line) == 0
    assert capsys.readouterr().err.startswith("note: ")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "trajectory.nc").write_bytes((tmp_path / "trajectory.nc").read_bytes())
    assert cli.main([*line[:1], "inclined_plane", *line[2:-1], str(tmp_path / "other")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@rows(
    "case, given, idle",
    [
        (block_in_space, {"E": 5e6, "nz": 3, "nx": 4}, {"E", "nz", "nx"}),
        (block_in_space, {"feet": "area", "nx": 4, "nu": 0.2}, {"nu"}),
        (block_in_space, {"body": "elastic", "feet": "area", "E": 5e6, "nx": 4}, {"feet"}),
        (potra_block, {"E": 5e6}, {"E"}),
        (potra_block, {"E": 5e6, "body": "elastic"}, set()),
        (solid_pulled, {"pull_x": 0.0, "ramp": 0.3, "release": 0.4}, {"ramp", "release"}),
        (plate_in_space, {"pull_x": 0.0, "ramp": 0.3}, set()),
        (plate_in_space, {"viscosity": 0.0}, {"viscosity 0"}),
        (plate_in_space, {"viscosity": 0.0, "mu": 0.0}, set()),
        (solid_pulled, {"viscosity": 0.0, "contact": "penalty"}, set()),
        (potra_block, {"viscosity": 0.0, "body": "elastic"}, {"viscosity 0"}),
        (plate_sliding, {"pull_x": 0.0, "pull_y": 0.0, "release": 0.7, "v_d": 1.0}, {"release", "v_d"}),
    ],
)
def test_parameters_of_another_body_and_of_no_pull_are_noted(case, given, idle):
    assert {note.split(":")[0] for note in case.Parameters(**given).notes()} == idle


def test_a_name_that_the_encoding_of_the_locale_lacks_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.getfilesystemencoding", lambda: "ascii")
    assert cli.main(["run", "free_top", "--t_end=0.1", "--dt=0.05", "--out", str(tmp_path / "ü")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: out: expected a directory whose name the locale's encoding, ascii, can write, got ")
    assert not (tmp_path / "ü").exists()
