"""What is asked of a run from Python: points, resultants, pictures and files; short words for what things are; common mistakes."""

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from case_models import model_of
from rows import rows

from cases.app.command import cli
from cases.app.registry import load
from fem import NeoHookean, Plate, StVenantKirchhoff, equilibrium, rectangle
from floating_frame import (
    Ball,
    Circle,
    EdgeLoad,
    InitialState,
    Line,
    Model,
    Options,
    Problem,
    Ramp,
    RigidBody,
    RigidSolid,
    Signorini,
    SpaceForce,
    SpaceInitial,
    SpaceProblem,
    Tisserand,
    assemble,
    load_trajectory,
    simulate,
)  # fmt: skip
from friction import Coulomb, Foundation, Limited, Sliding

PLATE = Plate.build(
    rectangle(0.4, 0.2, 4, 2, "quadrilateral"), thickness=0.01, density=1000.0,
    material=StVenantKirchhoff(E=2e5, nu=0.3), element="Q1",
)  # fmt: skip
GROUND = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)
PULL = EdgeLoad("right", force=(6.0, 3.0), history=Ramp(ramp=0.05))
BALL = RigidSolid(mass=1.0, inertia=(0.1, 0.1, 0.1), shape=Ball(0.1))
THRUST = SpaceForce(force=(1.0, 0.0, 0.0))


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
    found = run.fff.at((0.19, 0.09))
    np.testing.assert_array_equal(found.X, [0.2, 0.1])
    assert float(np.abs(found.velocity[-1]).max()) > 0.01
    place = int(np.flatnonzero((np.abs(run.X.values - [0.2, 0.1]) < 1e-12).all(axis=1))[0])
    np.testing.assert_array_equal(found.position, run.position[:, place])
    for wrong in ((0.1,), "here", (np.nan, 0.0)):
        with pytest.raises(ValueError, match=r"could not convert|expected a point"):
            run.fff.at(wrong)
    for beside in ((0.19, 0.11), (0.0, -0.3), (3.0, 0.0)):
        with pytest.raises(ValueError, match=r"a point of the body, whose nodes lie in \[-.* x .*m from them"):
            run.fff.at(beside)


def test_resultants_of_friction_change_momentum_and_energy_as_balances_say(run):
    found = run.fff.resultants()
    assert float(np.abs(found.force).max()) > 2.0
    momentum, t = run.linear_momentum.values, run.time.values
    loads = np.outer(np.minimum(t / 0.05, 1.0), [6.0, 3.0])
    total = loads + found.force.values
    # The midpoint values of sdirk2's two stages are within O(dt) of the trapezium's, so their sum is within O(dt) of its own.
    change = np.sum(0.5 * (total[1:] + total[:-1]) * np.diff(t)[:, None], axis=0)
    np.testing.assert_allclose(change, momentum[-1], atol=0.1 * np.abs(momentum[-1]).max())
    work = np.sum(0.5 * (found.power.values[1:] + found.power.values[:-1]) * np.diff(t))
    assert -work == pytest.approx(float(run.dissipation_friction[-1]), rel=0.1)
    x, f = run.position.values[3] - run.frame_position.values[3], run.friction_force.values[3]
    assert float(found.moment[3]) == pytest.approx(float(np.sum(x[:, 0] * f[:, 1] - x[:, 1] * f[:, 0])), abs=1e-14)
    assert {variable.units for variable in found.values()} == {"N", "N m", "W", "1"}


def test_pictures_films_and_exports_are_methods_of_a_run(run, tmp_path):
    assert run.fff.plot(tmp_path / "run.png").axes
    for method, name in (("animate", "run.gif"), ("to_vtk", "run.pvd"), ("to_html", "run.html")):
        assert getattr(run.fff, method)(tmp_path / name) == tmp_path / name
    assert {"run.png", "run.gif", "run.pvd", "run.html"} <= {path.name for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=r"ends in \.html"):
        run.fff.to_html(tmp_path / "run.pdf")


def test_without_the_package_that_adds_a_method_its_absence_says_what_to_import():
    script = "import xarray as xr, floating_frame\nfrom floating_frame import load_trajectory\nxr.Dataset().fff.plot"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        "runs have no method 'plot', but at, resultants; import cases adds plot, animate, to_vtk, to_html"
        in done.stderr
    )


@pytest.mark.parametrize("order", ["import floating_frame, xarray", "import xarray, floating_frame"])
def test_a_dataset_that_xarray_opens_has_the_methods_of_runs_once_floating_frame_is_imported(order, saved):
    script = f"{order}\nwith xarray.open_dataset('trajectory.nc') as run: print(run.fff.at((0.0, 0.0)).sizes['time'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=saved)
    assert done.stderr == ""
    with load_trajectory(saved / "trajectory.nc") as run:
        assert int(done.stdout) == run.sizes["time"] > 2


@pytest.mark.parametrize("line", [["--help"], ["run", "plate_sliding", "--help"]])
def test_commands_that_need_no_run_do_not_wait_for_xarray(line):
    command = [sys.executable, "-X", "importtime", "-m", "cases", *line]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    imported = {row.rsplit("|", 1)[1].strip() for row in told.splitlines() if row.startswith("import time:")}
    assert {"cases", "numpy"} <= imported or line == ["--help"]
    assert not imported & {"xarray", "pandas", "netCDF4"}


def test_a_file_written_from_python_carries_where_it_comes_from_and_the_commands_take_it(saved, capsys):
    with load_trajectory(saved / "trajectory.nc") as data:
        assert {"versions", "git_commit", "options", "warnings", "complete"} <= set(data.attrs)
    out = str(saved)
    for command in (
        ["plot", out],
        ["export", out, "--to", "html"],
        ["export", out, "--to", "csv"],
        ["export", out, "--to", "vtk"],
    ):
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


@pytest.mark.parametrize("name", ["beam_bending", "curling_disc", "plate_clamped", "wall_impact"])
def test_problem_and_model_of_a_case_are_a_line(name):
    case = load(name)
    _, model = model_of(case)
    assert 60 < len(repr(model)) < 250
    assert "\n" not in repr(model)
    assert repr(model.problem) in repr(model)
    assert " object at " not in repr(model)


MISTAKES = {
    "a single load": (lambda: problem(loads=PULL), r"loads must be a tuple: write loads=\(load,\)"),
    "a number for a load": (lambda: problem(loads=(3.0,)), r"loads must be loads such as EdgeLoad"),
    "a function for a history": (
        lambda: problem(loads=(EdgeLoad("right", force=(1.0, 0.0), history=np.sin),)), r"history must be a course in time such as",
    ),
    "a pressure without t": (
        lambda: Foundation(law=Coulomb(), mu=0.3, pressure=lambda X: 98.1 + X[:, 0]), r"pressure must be a function of X and t",
    ),
    "a coefficient with t": (lambda: Foundation(law=Coulomb(), mu=lambda X, t: 0.3, pressure=98.1), r"mu must be a function of X"),
    "text for the end": (lambda: problem(t_end="1"), r"t_end must be a number, got '1'"),
    "text for the step": (lambda: Options(dt="1e-3"), r"dt must be a number, got '1e-3'"),
    "text for a modulus": (lambda: StVenantKirchhoff(E="2e5", nu=0.3), r"E must be finite and > 0 Pa, got '2e5'"),
    "text for a ratio": (lambda: NeoHookean(E=2e5, nu="0.3"), r"nu must be a number, got '0.3'"),
    "text for a velocity": (
        lambda: assemble(problem(initial=InitialState(velocity=("1", "0"))), Options(dt=1e-2)), r"velocity must be numbers",
    ),
    "a name for a frame": (lambda: problem(frame="tisserand"), r"frame must be a frame condition such as MeanAxis\(\)"),
    "a class for a frame": (lambda: problem(frame=Tisserand), r"frame must be a frame condition"),
    "a mesh for a body": (lambda: problem(body=rectangle(1, 1, 1, 1)), r"Plate.build\(mesh, thickness"),
    "a number for a foundation": (lambda: problem(foundation=98.1), r"foundation must be Foundation\("),
    "a name for a material": (
        lambda: Plate.build(rectangle(1, 1, 1, 1), thickness=1.0, density=1.0, material="neo-hookean"),
        r"material must be one such as",
    ),
    "a class for a history": (lambda: problem(loads=(EdgeLoad("right", force=(1.0, 0.0), history=Ramp),)), r"history must be"),
    "nothing for a load": (lambda: problem(loads=(None,)), r"loads must be loads such as EdgeLoad"),
    "numbers for the initial state": (lambda: problem(initial=(1.0, 0.0)), r"initial must be InitialState\(velocity="),
    "an obstacle for a contact": (lambda: problem(contacts=(Line((1.0, 0.0), (-1.0, 0.0)),)), r"contacts must be contacts such as"),
    "a load for an effect": (lambda: problem(effects=(PULL,)), r"effects must be effects such as Spring"),
    "a number for the step control": (lambda: Options(dt=1e-2, step_control=2.0), r"step_control must be StepControl\("),
    "an array for a mesh": (
        lambda: Plate.build(np.zeros((3, 2)), thickness=1.0, density=1.0, material=StVenantKirchhoff(1.0, 0.3)),
        r"mesh must be one of",
    ),
    "a mesh for a plate": (lambda: equilibrium(rectangle(1, 1, 1, 1), 0.0, False), r"plate must be one such as Plate.build"),
    "a plate in space": (lambda: SpaceProblem(body=PLATE, t_end=1.0), r"obstacle of a contact must be in the plane"),
    "a single force in space": (lambda: SpaceProblem(body=BALL, t_end=1.0, loads=THRUST), r"write loads=\(load,\)"),
    "a function for a history in space": (lambda: SpaceForce(force=(1, 0, 0), history=np.sin), r"SpaceForce: history must be"),
    "two numbers for a spin in space": (
        lambda: SpaceProblem(body=BALL, t_end=1.0, initial=SpaceInitial(spin_space=(1.0, 0.0))),
        r"spin must be finite, with as many numbers as the body has axes",
    ),
    "a number of NumPy's for a body in space": (lambda: SpaceProblem(body=np.int64(2), t_end=1.0), r"body must be .* or a Solid"),
    "a foundation for a history": (
        lambda: problem(
            loads=(EdgeLoad("right", force=(1.0, 0.0), history=Foundation(law=Coulomb(), mu=0.3, pressure=98.1)),)
        ), r"history must be a course in time such as",
    ),
    "a normal law for a contact": (lambda: problem(contacts=(Signorini(),)), r"contacts must be contacts such as"),
    "a law for a foundation": (lambda: problem(foundation=Limited(Coulomb(), 1.0)), r"foundation must be Foundation\("),
    "a course in time for a load": (
        lambda: assemble(problem(loads=(Ramp(0.1),)), Options(dt=1e-2)), r"loads must be loads such as EdgeLoad",
    ),
    "an array for a scheme": (lambda: Options(dt=1e-2, scheme=np.ones(2)), r"scheme must be a text, got array"),
    "an array for a plane": (lambda: NeoHookean(E=2e5, nu=0.3, plane=np.ones(2)), r"plane must be one of"),
    "a list for an element": (
        lambda: Plate.build(
            rectangle(1, 1, 1, 1), thickness=1.0, density=1.0, material=StVenantKirchhoff(1.0, 0.3), element=["P1"]
        ), r"element must be one of",
    ),
    "a run for a force": (lambda: Circle(centre=xr.Dataset(), radius=1.0), r"must be numbers"),
    "an integer beyond all bounds": (
        lambda: Sliding(v_s=1e-3, v_d=10**40, dynamic_ratio=0.7), r"v_d must be a positive finite speed in m/s, got 1000",
    ),
    "points for a shape": (
        lambda: RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=[(0.0, 0.0, 0.0)]),
        r"shape must be where it touches the ground",
    ),
}  # fmt: skip


@rows("kind", MISTAKES)
def test_common_mistakes_are_told_what_to_write_instead(kind):
    call, message = MISTAKES[kind]
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_numbers_of_numpy_are_numbers():
    options = Options(dt=np.float32(0.5), output_every=np.int64(2), max_halvings=np.int8(3))
    with simulate(assemble(problem(body=RigidBody.from_plate(PLATE), loads=()), options)) as run:
        assert json.loads(run.attrs["options"])["output_every"] == 2


def test_a_problem_is_no_model():
    with pytest.raises(TypeError, match=r"simulate\(assemble\(problem, Options\(dt=...\)\)\), got Problem"):
        simulate(problem())
    with pytest.raises(TypeError, match=r"simulate takes a model: .* got Problem and Options"):
        simulate(problem(), Options(dt=1e-2))
    with pytest.raises(TypeError, match=r"simulate takes a model: .* got type"):
        simulate(Model)


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
    told = []
    simulate(model, progress=told.append)
    assert len(told) == 5
    assert capsys.readouterr().out == ""
