"""A command that is refused says one line on stderr: what it would have noted is not said. And what is refused by its name."""

import os
import subprocess
import sys

import meshio
from rows import rows

from cases import beam_bending, block_in_space, plate_in_space, plate_sliding, potra_block, solid_pulled
from cases.app.run.notes import limit_numexpr_threads


@rows(
    "threads", [{"OMP": "4,2"}, {"OMP": "999"}, {"NUMEXPR": "0", "MAX": "many"}, {"NUMEXPR": "16", "MAX": "8"}], ids=str
)
def test_numexpr_gets_numbers_of_threads_that_it_bears_of_its_own_whatever_openmp_has(threads, monkeypatch):
    given = {"OMP": "OMP_NUM_THREADS", "NUMEXPR": "NUMEXPR_NUM_THREADS", "MAX": "NUMEXPR_MAX_THREADS"}
    for name, variable in given.items():
        monkeypatch.setitem(os.environ, variable, threads.get(name, ""))
    limit_numexpr_threads()
    assert 1 <= int(os.environ["NUMEXPR_NUM_THREADS"]) <= int(os.environ["NUMEXPR_MAX_THREADS"]) <= 64


def test_threads_that_numexpr_does_not_bear_are_neither_an_end_nor_a_second_line(tmp_path):
    command = [sys.executable, "-m", "cases", "run", "plate_sliding", "--mu=0.3*zz", f"--out={tmp_path / 'out'}"]
    environment = os.environ | {"OMP_NUM_THREADS": "4,2"}
    for name in ("NUMEXPR_NUM_THREADS", "NUMEXPR_MAX_THREADS"):
        environment.pop(name, None)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("error: mu: ")


def test_nodes_that_were_merged_are_noted_before_the_run(command, no_picture, tmp_path):
    points = [[0, 0], [0.2, 0], [0.2, 0.2], [0, 0.2], [0.2, 1e-9], [0.4, 0], [0.4, 0.2], [0.2, 0.2]]
    meshio.write_points_cells("m.vtk", [(*p, 0.0) for p in points], [("quad", [[0, 1, 2, 3], [4, 5, 6, 7]])])
    merged = "--mesh=m.vtk --edge=boundary --merge_nodes=1e-6 --t_end=0.01 --dt=0.01 --no-estimate"
    status, _, err = command(f"run plate_sliding {merged}")
    assert (status, "2 nodes were merged" in err.splitlines()[0]) == (0, True)


def test_parameters_that_do_nothing_are_noted_unless_the_run_is_refused_and_the_picture_is_drawn(command, tmp_path):
    idle = "--mu_s=0.2 --v_s=0.2 --v_d=0.1 --t_end=0.02 --dt=0.01 --no-estimate --out out"
    status, _, err = command(f"run block_on_table {idle}")
    assert (status, err[:6]) == (0, "note: ")
    assert (tmp_path / "out" / "block_on_table.png").stat().st_size > 1000
    status, _, err = command(f"run inclined_plane {idle}")
    assert (status, err.count("\n")) == (2, 1)


@rows(
    "case, given, idle",
    [
        (block_in_space, {"E": 5e6, "nz": 3, "nx": 4}, {"E", "nz", "nx"}),
        (block_in_space, {"feet": "area", "nx": 4, "nu": 0.2}, {"nu"}),
        (block_in_space, {"body": "elastic", "feet": "area", "E": 5e6, "nx": 4}, {"feet"}),
        (potra_block, {"E": 5e6}, {"E"}),
        (potra_block, {"E": 5e6, "body": "elastic"}, set()),
        (beam_bending, {"motion": "free", "support": "cantilever", "duration": 0.3}, {"support", "duration"}),
        (beam_bending, {"support": "cantilever", "history": "pulse", "duration": 0.3, "frame": "tisserand"}, {"frame"}),
        (plate_sliding, {"merge_nodes": 0.1}, {"merge_nodes"}),
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


def test_a_name_that_the_encoding_of_the_locale_lacks_is_refused(command, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.getfilesystemencoding", lambda: "ascii")
    status, _, err = command("run free_top --t_end=0.1 --dt=0.05 --out ü")
    assert status == 2
    assert err.startswith("error: out: expected a directory whose name the locale's encoding, ascii, can write, got ")
    assert not (tmp_path / "ü").exists()
