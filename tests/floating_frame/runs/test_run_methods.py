"""Methods of a run in Python: points, resultants, pictures and files; short representations; common mistakes."""

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import xarray
from case_models import model_of
from ff_examples import plate

from cases.app.command import cli
from cases.app.registry import load
from floating_frame import SCHEMES, EdgeLoad, Options, Problem, Ramp, RigidBody, assemble, load_trajectory, simulate
from friction import Coulomb, Foundation

PLATE = plate(E=2e5, element="Q1")
GROUND = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)
PULL = EdgeLoad("right", force=(6.0, 3.0), history=Ramp(ramp=0.05))


def problem(**changes):
    return Problem(**({"body": PLATE, "foundation": GROUND, "loads": (PULL,), "t_end": 0.1} | changes))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("python") / "trajectory.nc"
    simulate(assemble(problem(), Options(dt=1e-2)), path=path).close()
    return path.parent


@pytest.fixture
def run(saved):
    with load_trajectory(saved / "trajectory.nc") as data:
        yield data.load()


def test_a_point_has_the_series_of_its_nearest_node(run):
    computed = run.fff.at((0.19, 0.09))
    np.testing.assert_array_equal(computed.X, [0.2, 0.1])
    assert float(np.abs(computed.velocity[-1]).max()) > 0.01
    place = int(np.flatnonzero((np.abs(run.X.values - [0.2, 0.1]) < 1e-12).all(axis=1))[0])
    np.testing.assert_array_equal(computed.position, run.position[:, place])
    for wrong in ((0.1,), "here", (np.nan, 0.0)):
        with pytest.raises(ValueError, match=r"could not convert|expected a point"):
            run.fff.at(wrong)
    for beside in ((0.19, 0.11), (0.0, -0.3), (3.0, 0.0)):
        with pytest.raises(ValueError, match=r"a point of the body, whose nodes lie in \[-.* x .*m from them"):
            run.fff.at(beside)


def test_resultants_of_friction_change_momentum_and_energy_as_balances_say(run):
    computed = run.fff.resultants()
    assert float(np.abs(computed.force).max()) > 2.0
    momentum, t = run.linear_momentum.values, run.time.values
    loads = np.outer(np.minimum(t / 0.05, 1.0), [6.0, 3.0])
    total = loads + computed.force.values
    # The midpoint values of sdirk2's two stages are within O(dt) of the trapezium's, so their sum is within O(dt) of its own.
    change = np.sum(0.5 * (total[1:] + total[:-1]) * np.diff(t)[:, None], axis=0)
    np.testing.assert_allclose(change, momentum[-1], atol=0.1 * np.abs(momentum[-1]).max())
    work = np.sum(0.5 * (computed.power.values[1:] + computed.power.values[:-1]) * np.diff(t))
    assert -work == pytest.approx(float(run.dissipation_friction[-1]), rel=0.1)
    x, f = run.position.values[3] - run.frame_position.values[3], run.friction_force.values[3]
    assert float(computed.moment[3]) == pytest.approx(float(np.sum(x[:, 0] * f[:, 1] - x[:, 1] * f[:, 0])), abs=1e-14)
    assert {variable.units for variable in computed.values()} == {"N", "N m", "W", "1"}


def test_pictures_films_and_exports_are_methods_of_a_run(run, tmp_path):
    assert run.fff.plot(tmp_path / "run.png").axes
    for method, name in (("animate", "run.gif"), ("to_vtk", "run.pvd"), ("to_html", "run.html")):
        assert getattr(run.fff, method)(tmp_path / name) == tmp_path / name
    assert {"run.png", "run.gif", "run.pvd", "run.html"} <= {path.name for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=r"ends in \.html"):
        run.fff.to_html(tmp_path / "run.pdf")


def test_a_dataset_that_xarray_opens_has_the_methods_of_runs_once_floating_frame_is_imported(saved, monkeypatch):
    """Before xarray or, as here, after it. Without the package that adds a method its absence says what to import."""
    monkeypatch.delenv("FLOATING_FRAME_LAZY", raising=False)  # which the commands set where a test has imported them
    script = "import floating_frame, xarray\nwith xarray.open_dataset('trajectory.nc') as run: "
    script += "print(run.fff.at((0.0, 0.0)).sizes['time'])\nxarray.Dataset().fff.plot"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=saved)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")  # no warning before
    advice = "import cases adds plot, animate, to_vtk, to_html"
    assert f"runs have no method 'plot', but at, resultants; {advice}" in done.stderr
    with xarray.open_dataset(saved / "trajectory.nc") as run:
        assert int(done.stdout) == run.fff.at((0.0, 0.0)).sizes["time"] > 2


def test_a_file_written_from_python_carries_where_it_comes_from_and_the_commands_take_it(saved, capsys):
    with load_trajectory(saved / "trajectory.nc") as data:
        assert {"versions", "git_commit", "options", "warnings", "complete"} <= set(data.attrs)
    out = str(saved)
    for command in (["plot", out], ["export", out, "--to", "csv"]):
        assert cli.main(command) == 0, capsys.readouterr().err
    assert (saved / "run.png").exists()
    assert cli.main(["compare", out, out, "--out", str(saved / "same.png")]) == 0
    capsys.readouterr()
    assert cli.main(["resume", out]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_things_say_what_they_are_in_a_line():
    rigid = problem(body=RigidBody.from_plate(PLATE), loads=())
    said = [repr(x) for x in (PLATE, rigid.body, problem(), rigid, assemble(problem(), Options(dt=1e-2)))]
    assert all(len(text) < 200 and "\n" not in text for text in said)
    assert said[0] == "Plate(Q1, 15 nodes, 8 cells, 0.08 m2, 0.8 kg, st-venant-kirchhoff)"
    assert "1 loads" in said[2]
    assert "sdirk2" in said[4]
    for name in ("beam_bending", "curling_disc", "plate_clamped", "wall_impact"):
        _, model = model_of(load(name))
        assert 60 < len(repr(model)) < 250
        assert "\n" not in repr(model)
        assert repr(model.problem) in repr(model)
        assert " object at " not in repr(model)


def test_numbers_of_numpy_are_numbers():
    options = Options(dt=np.float32(0.5), output_every=np.int64(2), max_halvings=np.int8(3))
    with simulate(assemble(problem(body=RigidBody.from_plate(PLATE), loads=()), options)) as run:
        assert json.loads(run.attrs["options"])["output_every"] == 2


def test_the_former_name_of_a_scheme_is_taken_and_the_present_one_kept():
    former, present = Options(0.1, "runge-kutta"), Options(0.1, "radau")
    assert former == present
    assert former.scheme == "radau" in SCHEMES
    assert "runge-kutta" not in SCHEMES


def test_a_run_shows_its_progress_in_a_notebook_and_nowhere_else(monkeypatch, capsys):
    model = assemble(problem(t_end=0.05), Options(dt=1e-2))
    simulate(model)
    assert capsys.readouterr().out == ""
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    simulate(model)
    lines = capsys.readouterr().out.split("\r")
    assert lines[1].strip() == "starting; a first run of its kind is compiling, once"
    assert lines[-1].strip() == "t = 0.05 of 0.05 s, step 5 of 5"
    assert lines[-1].endswith("\n")
    reports = []
    simulate(model, progress=reports.append)
    assert len(reports) == 5
    assert capsys.readouterr().out == ""
