"""Friction points of rigid bodies: where a thrown body ends, their floor on the accuracy, and what does not depend on them."""

import numpy as np
import problems
import pytest
from case_models import computed

import fem
from cases import spinning_disc
from fem.area_rule import area_rule
from floating_frame import EdgeLoad, InitialState, Options, Problem, RigidBody, assemble, run_warnings, simulate
from friction import Coulomb, Foundation

GROUND, THROWN = Foundation(law=Coulomb(), mu=0.2, pressure=98.1), InitialState((0.3, 0.0), 4.0)


def plate(mesh, element="Q1"):
    material = fem.StVenantKirchhoff(1e6, 0.3)
    return fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=material, element=element)


FINE = {"rectangle": {"nx": 48, "ny": 24}, "disc": {"nr": 48, "nt": 96}}


def thrown(shape, velocity, spin, **further):
    given = {"shape": shape, "vx0": velocity[0], "vy0": velocity[1], "spin0": spin, "dt": 1e-3, "output_every": 100}
    return computed(spinning_disc, **(given | further))[1]


def end(run):
    assert float(run.energy_kinetic[0]) > 0.0 == float(run.energy_kinetic[-1]), "it has come to rest"
    return np.array([*run.frame_position.values[-1], float(run.frame_angle[-1])])


def test_a_thrown_rectangle_ends_where_its_area_and_not_its_nodes_says():
    """Against an ODE solver of order 8 on a product rule of 192 x 96 points, v falling linearly in the last 1e-7 of the energy."""
    run = thrown("rectangle", (0.6, 0.0), 15.0)
    x, y, angle = end(run)
    assert angle > 3.0
    # The nodes of the same cells gave −2.5e-3 of the angle.
    assert abs(angle / 3.1892848798 - 1.0) < 4e-5
    assert np.hypot(x - 0.1300390818, y - 0.0005601825) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "velocity", "spin", "rule"),
    [
        ("rectangle", (0.6, 0.0), 15.0, {}),
        ("rectangle", (1.0, 0.3), 10.0, {}),
        ("disc", (0.4, -0.5), 18.0, {}),
        ("rectangle", (1.0, 0.3), 10.0, {"nx": 4, "ny": 2}),
    ],
)
def test_the_sampling_floor_is_the_error_that_remains_and_larger_of_a_coarser_rule(shape, velocity, spin, rule):
    """Against many points and short steps of the same throw."""
    run, size = thrown(shape, velocity, spin, **rule), np.hypot(0.1, 0.05) if shape == "rectangle" else 0.1
    fine = end(thrown(shape, velocity, spin, dt=2.5e-4, output_every=400, **FINE[shape]))
    error = np.abs((end(run) - fine) / [size, size, 1.0]).max()
    floor, step = run.attrs["sampling_floor"], 0.0 if rule else 1e-5  # steps of 1e-3 s err too, by some 1e-5
    assert error > 1e-6
    assert (error > 5e-4) == bool(rule)
    assert 0.4 * floor - step < error < 2.5 * floor + step


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize("element", ["P1", "P2", "Q1", "Q2"])
def test_mass_and_inertia_are_those_of_the_shape_and_the_rule_integrates_them_exactly(element, n):
    mesh = fem.rectangle(0.2, 0.1, n, n, "triangle" if element[0] == "P" else "quadrilateral")
    body = RigidBody.from_plate(plate(mesh, element))
    assert np.abs(body.friction.points[:, None] - body.X).max(axis=2).min() > 1e-3, "no point is a node"
    inertia = float(np.sum((body.mass_matrix @ body.X) * body.X))
    np.testing.assert_allclose(inertia, 0.2 * (0.2**2 + 0.1**2) / 12.0, rtol=1e-13)
    for points, weights, _ in (body.friction, body.finer):
        assert weights.min() > 0.0
        np.testing.assert_allclose(weights.sum(), 0.02, rtol=1e-13)
        np.testing.assert_allclose(weights @ points, 0.0, atol=1e-16)
        np.testing.assert_allclose(weights @ points**2, 0.02 * np.array([0.2, 0.1]) ** 2 / 12.0, rtol=1e-13)


def test_a_rule_on_distorted_cells_integrates_the_area_and_lies_in_its_cells():
    mesh = fem.rectangle(0.2, 0.1, 4, 3, "quadrilateral")
    points = mesh.p.copy()
    inside = np.all(np.abs(points) < [[0.0999], [0.0499]], axis=0)
    points[:, inside] += 0.01 * np.random.default_rng(3).uniform(-1.0, 1.0, (2, inside.sum()))
    body = plate(type(mesh)(points, mesh.t))
    rule = area_rule(body)
    np.testing.assert_allclose(rule.weights.sum(), body.area, rtol=1e-13)
    inertia = float(np.sum((body.mass_matrix @ body.X) * body.X)) / (body.density * body.thickness)
    np.testing.assert_allclose(rule.weights @ (rule.points**2).sum(axis=1), inertia, rtol=1e-12)
    corner, own = body.X[body.cells], rule.points[rule.cells]
    side = np.roll(corner, -1, axis=1) - corner
    to = own[:, None] - corner[:, :, None]
    assert (side[:, :, None, 0] * to[..., 1] - side[:, :, None, 1] * to[..., 0] > 0.0).all()


def test_results_of_a_rigid_body_are_at_its_friction_points_and_loads_at_its_nodes(tmp_path):
    body = RigidBody.from_plate(plate(fem.rectangle(0.2, 0.1, 3, 2, "quadrilateral")))
    problem = Problem(body, 0.02, GROUND, (EdgeLoad("right", (1.0, 0.5)),), initial=THROWN)
    run = simulate(assemble(problem, Options(1e-3)), path=tmp_path / "run.nc")
    with run:
        assert run.sizes["node"] == 24
        assert run.sizes["body_node"] == 12
        np.testing.assert_allclose(float(run.friction_weight.sum()), 0.2 * 98.1 * 0.02, rtol=1e-13)
        arm = run.position.values[-1] - run.frame_position.values[-1]
        perp = np.stack([-arm[:, 1], arm[:, 0]], 1)
        at_points = run.frame_velocity.values[-1] + float(run.frame_spin[-1]) * perp
        np.testing.assert_allclose(run.velocity.values[-1], at_points, atol=1e-14)
        assert float(run.rigid_residual.max()) < 1e-9


def test_a_body_on_given_feet_has_no_sampling_floor():
    disc = RigidBody.disc(0.1, 1.0, 2, 6)
    feet = RigidBody(disc.X, disc.nodal_area, disc.mass_matrix, disc.cells, {})
    runs = [problems.run(body, 0.02, 2e-3, foundation=GROUND, initial=THROWN) for body in (disc, feet)]
    assert runs[0].attrs["sampling_floor"] > 1e-5
    assert "sampling_floor" not in runs[1].attrs
    np.testing.assert_array_equal(*(run.position.values for run in runs))


@pytest.mark.parametrize(("tolerance", "names"), [(1e-6, ["sampling-floor"]), (0.1, [])])
def test_error_control_below_the_floor_is_warned_of(tolerance, names):
    given = {"foundation": GROUND, "initial": THROWN, "error_tolerance": tolerance}
    run = problems.run(RigidBody.disc(0.1, 1.0, 2, 6), 0.02, 2e-3, **given)
    assert 1e-6 < run.attrs["sampling_floor"] < 0.1
    assert [warning.name for warning in run_warnings(run)] == names
