"""A law, a frame, a case, an effect, an obstacle, a load, a material, a body are added from outside: by a file of their own, and a
line in a registry.

CONTRIBUTING.md says which files adding a thing touches. Here files of docs/how-to are written into a folder,
imported and registered, those of `added_files` imported, and run as their users would; a run shows one thing that it must do.
"""

import functools
import importlib
import json
import math
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from added_files import Dragged, OnRail, Pair, RailSystem, Ring

import cases.app.registry
import floating_frame as ff
from cases.app.command.cli import main
from cases.app.run import runner
from fem import DeformableBody, NeoHookean, Plate, Solid, StVenantKirchhoff, box, rectangle
from floating_frame.assemble import SYSTEMS
from floating_frame.coefficients import CAPABILITIES, IMPLICIT_SCHEMES, Capabilities, runge_kutta
from friction import LAWS, Coulomb, Foundation

HOW_TO = Path(__file__).parents[1] / "docs" / "how-to"


def shown(page, name):
    """The block of Python of a page of docs/how-to that defines a class."""
    text = (HOW_TO / f"{page}.md").read_text(encoding="utf-8")
    return next(block for block in re.findall(r"```python\n(.*?)```", text, re.S) if f"class {name}" in block)


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a module into a folder of its own and import it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(name, text):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        importlib.invalidate_caches()
        return importlib.import_module(name)

    return write


def ran(directory, *arguments):
    """The headline numbers and the trajectory of a run of the command line."""
    assert main(["run", *arguments, "--out", str(directory), "--quiet", "--no-estimate"]) == 0
    summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    with ff.load_trajectory(directory / "trajectory.nc") as data:
        return summary["results"], data.load()


def test_a_law_is_a_file_and_a_line_and_creeps_down_a_slope_as_its_profile_says(written, tmp_path, monkeypatch):
    """Its coefficient is called as a parameter of the cases, v_reg: tanh(v/v_reg) = tan(angle)/mu."""
    monkeypatch.setitem(LAWS, "tanh", written("toy_law", shown("law", "Tanh")).Tanh)
    monkeypatch.setattr(runner, "_draw", lambda *_: None)
    options = ["--law=tanh", "--v_reg=0.01", "--mu=0.5", "--angle=15", "--t_end=0.2"]
    results, data = ran(tmp_path / "out", "inclined_plane", *options)
    creep = 0.01 * math.atanh(math.tan(math.radians(15.0)) / 0.5)
    assert data.frame_velocity[0, 0] == 0.0 < creep
    assert results["velocity_end"]["value"] == pytest.approx(creep, rel=1e-6)


def test_a_frame_is_a_file_and_a_line_and_moves_no_node(written, tmp_path, monkeypatch):
    """The split is a gauge: in a frame that does not turn, all turning is displacement, and the motion in space is the same."""
    monkeypatch.setitem(ff.FRAMES, "translating", written("toy_frame", shown("frame", "Translating")).Translating)
    options = [
        "plate_sliding",
        "--t_end=0.1",
        "--dt=0.01",
        "--nx=3",
        "--ny=2",
        "--pull_x=60",
        "--pull_y=40",
        "--ramp=0",
    ]
    monkeypatch.setattr(runner, "_draw", lambda *_: None)
    (_, usual), (_, own) = (ran(tmp_path / name, *options, f"--frame={name}") for name in ("mean-axis", "translating"))
    assert abs(float(usual.frame_angle[-1])) > 0.01
    assert not own.frame_angle.values.any()
    size = float(np.abs(usual.position).max())
    np.testing.assert_allclose(own.position, usual.position, rtol=0, atol=1e-9 * size)


def test_a_case_is_a_file_and_a_line_and_is_run_drawn_and_studied(written, tmp_path, request, capsys):
    """A puck that friction stops: v0^2/(2 mu g), exact for SDIRK2 but for the step in which it stops."""
    written("toy_case", (HOW_TO / "puck.py").read_text(encoding="utf-8"))
    for registry in (cases.app.registry.CASES, cases.app.registry.MODULES):
        request.addfinalizer(functools.partial(registry.pop, "toy_slide", None))
    cases.app.registry.register("toy_slide", "a puck is thrown and stops", module="toy_case")
    results, data = ran(tmp_path / "out", "toy_slide", "--speed=1.4", "--dt=0.01")
    distance = 1.4**2 / (2 * 0.5 * 9.81)
    assert results["x_end"]["exact"] == pytest.approx(distance, rel=1e-14)
    assert 0.0 < abs(results["x_end"]["value"] - distance) < 0.5 * 0.5 * 9.81 * 0.01**2
    assert not data.frame_velocity[-1].values.any()
    assert (tmp_path / "out" / "toy_slide.png").stat().st_size > 1000
    assert main(["converge", "toy_slide", "--over=dt", "--levels=3"]) == 0
    assert "position" in capsys.readouterr().out
    with pytest.raises(ValueError, match="there is a case 'toy_slide'"):
        cases.app.registry.register("toy_slide", "again", module="toy_case")


def small_plate():
    """2 kg, 0.4 x 0.2 m."""
    material = StVenantKirchhoff(E=2e6, nu=0.3)
    return Plate.build(rectangle(0.4, 0.2, 2, 1), thickness=0.025, density=1000.0, material=material)


def thrown(kind):
    """A body of 2 kg that flies with 3 m/s, in the plane or in space, rigid or elastic, and its drag."""
    if kind == "solid":
        body = Solid.build(box(0.4, 0.2, 0.025, 2, 1, 1), density=1000.0, material=StVenantKirchhoff(2e6, 0.3))
        start = ff.SolidInitial(velocity=(3.0, 0.0, 0.0))
        return ff.SolidProblem(body=body, t_end=0.5, gravity=0.0, initial=start, effects=(Dragged("left", 2.0),))
    if kind == "rigid solid":
        body, start = ff.RigidSolid(mass=2.0, inertia=(0.1, 0.1, 0.1)), ff.SpaceInitial(velocity=(3.0, 0.0, 0.0))
        return ff.SpaceProblem(
            body=body, t_end=0.5, gravity=0.0, initial=start, effects=(Dragged((0.0, 0.0, 0.0), 2.0),)
        )
    body, at = (ff.RigidBody.from_plate(small_plate()), (0.0, 0.0)) if kind == "rigid" else (small_plate(), "left")
    return ff.Problem(body, 0.5, initial=ff.InitialState((3.0, 0.0)), effects=(Dragged(at, 2.0),))


@pytest.mark.parametrize("kind", ["rigid", "plate", "rigid solid", "solid"])
def test_an_effect_is_a_file_and_slows_a_body_by_the_law_of_drag_with_its_loss_booked(kind):
    """m v' = -c v: v = v0 exp(-c t/m), and what is lost of m v^2/2 is viscous dissipation."""
    rigid = kind.startswith("rigid")
    run = ff.simulate(ff.assemble(thrown(kind), ff.Options(0.01)))
    v = 3.0 * np.exp(-run.time.values)
    assert float(run.frame_velocity[-1, 0]) < 2.0
    np.testing.assert_allclose(run.frame_velocity[:, 0], v, rtol=0, atol=2e-4 if rigid else 2e-2)
    assert float(run.dissipation_viscous[-1]) == pytest.approx(9.0 - v[-1] ** 2, rel=1e-3 if rigid else 2e-2)
    assert float(np.abs(run.balance_error).max()) < 1e-10 * 9.0


def test_an_obstacle_is_a_file_and_leads_a_ball_round_with_the_force_of_its_circle():
    """m v^2/(R + r - b) towards the middle, without friction; and its gap is a distance in the plane, too."""
    ring = Ring(0.5, 0.2)
    ball, radius, speed = ff.RigidSolid(mass=2.0, inertia=(0.01,) * 3, shape=ff.Ball(0.05)), 0.5 + 0.2 - 0.05, 1.3
    start = ff.SpaceInitial(position=(radius, 0.0, 0.0), velocity=(0.0, speed, 0.0))
    problem = ff.SpaceProblem(body=ball, t_end=2.0, gravity=0.0, initial=start, contacts=(ff.Contact(ring),))
    run = ff.simulate(ff.assemble(problem, ff.Options(0.02)))
    x = run.frame_position.values
    assert x[-1, 0] < -0.3
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), radius, atol=1e-13)
    turned = speed * 0.02 / radius  # in a step, of which the force is a mean
    np.testing.assert_allclose(run.normal_force[1:, 0], 2.0 * speed**2 / radius, rtol=turned**2)
    rng, h = np.random.default_rng(4), 1e-6
    for d in (2, 3):
        x = rng.uniform(-0.6, 0.6, (60, d))
        computed = ring.gap(x, 0.0)
        for axis, e in enumerate(h * np.eye(d)):
            ahead, behind = ring.gap(x + e, 0.0), ring.gap(x - e, 0.0)
            np.testing.assert_allclose((ahead.gap - behind.gap) / (2 * h), computed.normal[:, axis], atol=1e-8)
            slope = (ahead.normal - behind.normal) / (2 * h)
            size = np.abs(computed.curvature).max(axis=(1, 2))[:, None]
            assert np.all(np.abs(slope - computed.curvature[:, :, axis]) <= 1e-6 * (1.0 + size**3))


@pytest.mark.slow
@pytest.mark.parametrize("space", [False, True], ids=["plate", "solid"])
def test_a_load_and_a_material_are_files_and_move_a_plate_and_a_solid_as_the_librarys(written, space):
    """Newton's law for the centre of mass, and the strains of the neo-Hookean law, which the file writes once more."""
    corner, force = (0.2, 0.1, 0.0125), (4.0, -1.0, 2.0)
    load = written("toy_load", shown("load", "PointForce")).PointForce
    rubber = written("toy_material", shown("material", "Rubber")).Rubber
    computed = []
    for material in (rubber(2e4 * 0.3 / (1.3 * 0.4), 2e4 / 2.6), NeoHookean(2e4, 0.3, "strain")):
        if space:
            body, push = Solid.build(box(0.4, 0.2, 0.025, 2, 1, 1), density=1e3, material=material), (corner, force)
        else:
            body = Plate.build(rectangle(0.4, 0.2, 2, 1), thickness=0.025, density=1e3, material=material)
            push = (corner[:2], force[:2])
        more = {"gravity": 0.0} if space else {}
        problem = ff.Problem(body, 0.05, loads=(load(*push, ff.Table([0.0, 0.02], [0.0, 1.0])),), **more)
        computed.append(ff.simulate(ff.assemble(problem, ff.Options(5e-3, stress=not space))))
    own, librarys = computed
    largest = float(np.abs(own.energy_kinetic + own.energy_strain).max())
    assert float(own.energy_strain.max()) > 1e-3 * largest
    assert float(np.abs(own.balance_error).max()) < 1e-12 * max(largest, float(np.abs(own.work_external).max()))
    np.testing.assert_allclose(own.energy_strain, librarys.energy_strain, rtol=0, atol=1e-8 * largest)
    np.testing.assert_allclose(own.linear_momentum.values[-1], 0.04 * np.array(push[1]), rtol=1e-9)
    size = float(np.abs(librarys.displacement).max())
    assert size > 1e-3
    np.testing.assert_allclose(own.displacement, librarys.displacement, rtol=0, atol=1e-8 * size)
    if not space:
        np.testing.assert_allclose(own.stress, librarys.stress, rtol=0, atol=1e-7 * float(np.abs(own.stress).max()))


def test_a_body_is_a_file_and_swings_at_its_own_frequency_while_it_flies():
    """Half the stretch goes as cos(w t) with w^2 = 2 k/m, the centre of mass straight on; SDIRK2 errs by O(dt^2)."""
    pair = Pair(0.5, 0.2, 40.0)
    assert isinstance(pair, DeformableBody)
    start = ff.InitialState((0.3, 0.0), displacement=np.array([[-0.01, 0.0], [0.01, 0.0]]))
    errors = []
    for dt in (4e-3, 2e-3):
        run = ff.simulate(ff.assemble(ff.Problem(pair, 0.5, initial=start), ff.Options(dt)))
        stretch = 0.01 * np.cos(math.sqrt(2 * 40.0 / 0.5) * run.time.values)
        errors.append(float(np.abs(run.displacement.values[:, 1, 0] - stretch).max()))
        assert float(np.ptp(run.displacement.values[:, 1, 0])) > 0.019
        assert float(run.frame_position[-1, 0]) == pytest.approx(0.15, rel=1e-12)
    assert errors[1] < 1e-4
    assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta", "backward-euler"])
def test_what_moves_is_a_file_and_a_line_and_every_scheme_with_stages_moves_it(monkeypatch, scheme):
    """Pulled askew it keeps to its rail, at (F_x - mu m g)/m; it is released, stops, and stays. Its heat is mu m g s."""
    monkeypatch.setitem(SYSTEMS, OnRail, RailSystem)
    body = OnRail.from_plate(small_plate())
    ground = Foundation(Coulomb(), 0.2, 2.0 * 10.0 / 0.08)
    pull = ff.BodyForce((6.0, 3.0), history=ff.Table([0.0, 0.5, 0.5, 2.0], [1.0, 1.0, 0.0, 0.0]))
    run = ff.simulate(ff.assemble(ff.Problem(body, 2.0, foundation=ground, loads=(pull,)), ff.Options(0.01, scheme)))
    distance = 0.5 * (6.0 - 2.0) * 0.5**2 + ((6.0 - 2.0) * 0.5) ** 2 / (2 * 2.0)
    order_one = 0.5 * 4.0 * 0.01 * 0.5 if scheme == "backward-euler" else 1e-9
    assert float(run.frame_velocity[50, 0]) == pytest.approx(2.0, rel=1e-9)
    assert float(run.frame_position[-1, 0]) == pytest.approx(distance, abs=3 * order_one)
    assert not run.frame_position[:, 1:].values.any()
    assert not run.frame_velocity[-1].values.any()
    assert bool(run.stick[-1].all())
    heat = 0.2 * 2.0 * 10.0 * float(run.frame_position[-1, 0])
    assert float(run.dissipation_friction[-1]) == pytest.approx(heat, rel=0.02)
    assert float(np.abs(run.balance_error).max()) < 1e-12 * heat


def test_a_scheme_is_two_lines_and_converges_with_its_order(monkeypatch):
    """Alexander's (1977) SDIRK of order 3 on a swing: x = x0 cos(w t), each halving of dt divides the error by 8."""
    g = 0.43586652150845906
    c, b = 0.5 * (1.0 + g), -0.25 * (6.0 * g * g - 16.0 * g + 1.0)
    table = [[g, 0.0, 0.0], [c - g, g, 0.0], [b, 1.0 - b - g, g]]
    monkeypatch.setitem(IMPLICIT_SCHEMES, "sdirk3", lambda: runge_kutta(table, order=3))
    monkeypatch.setitem(CAPABILITIES, "sdirk3", Capabilities(penalty=True))
    spring = ff.Spring((0.0, 0.0), to=(0.0, 0.0), stiffness=2.0 * 25.0)
    start = ff.InitialState((1.0, 0.0))
    errors = []
    for dt in (0.05, 0.025):
        problem = ff.Problem(ff.RigidBody.from_plate(small_plate()), 1.0, initial=start, effects=(spring,))
        run = ff.simulate(ff.assemble(problem, ff.Options(dt, "sdirk3")))
        errors.append(float(np.abs(run.frame_position[:, 0] - np.sin(5.0 * run.time) / 5.0).max()))
    assert 7.0 < errors[0] / errors[1] < 9.0
    assert errors[1] < 5e-5
