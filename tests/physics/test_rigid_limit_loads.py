"""Limit loads of rigid bodies against closed forms, and runs of rigid plates under random eccentric loads."""

import numpy as np
import pytest
from conic_rigid import Draw
from convergence import observed_orders

import fem
from floating_frame import EdgeLoad, InitialState, Options, Problem, Ramp, RigidBody, assemble, simulate
from friction import Coulomb, Foundation


def limit_torque(body: RigidBody) -> float:
    """Torque per μp at which pure torsion starts, by bisection on whether the body sticks."""
    low, high = 0.0, 2.0 * body.nodal_area @ np.linalg.norm(body.X, axis=1)
    while high - low > 1e-8 * high:
        middle = 0.5 * (low + high)
        problem = Draw(np.ones(3), np.array([0.0, 0.0, middle]), body.X, body.nodal_area, True)
        low, high = (low, middle) if np.any(problem.solve().rates) else (middle, high)
    return low


def test_a_disc_starts_to_spin_at_two_thirds_of_mu_p_area_radius():
    """∫ r dA = 2π R³/3 is a quadratic in r times dr: the disc's points integrate it exactly."""
    radius = 0.7
    torque = limit_torque(RigidBody.disc(radius, 1.0, 3, 12))
    np.testing.assert_allclose(torque, 2.0 / 3.0 * np.pi * radius**2 * radius, rtol=3e-8)


def test_a_square_starts_to_spin_at_its_mean_distance_with_an_error_of_second_order_in_the_mesh():
    exact = (np.sqrt(2.0) + np.log(1.0 + np.sqrt(2.0))) / 6.0  # ∫ r dA over the unit square, about its centre
    errors = []
    for n in (6, 12):
        mesh = fem.rectangle(1.0, 1.0, n, n, cell="quadrilateral")
        plate = fem.Plate.build(
            mesh, thickness=0.1, density=1.0, material=fem.StVenantKirchhoff(1.0, 0.3), element="Q1"
        )
        body = RigidBody.from_plate(plate)
        torque = limit_torque(body)
        np.testing.assert_allclose(torque, body.nodal_area @ np.linalg.norm(body.X, axis=1), rtol=3e-8)
        errors.append(torque / exact - 1.0)
    orders = observed_orders(errors)
    assert np.all((orders > 1.85) & (orders < 2.1))
    assert 4e-3 < errors[-1] < 6.4e-3  # nodal weights at the rim: too large, by a trapezoidal rule


@pytest.mark.parametrize("pieces", [10, 40, 160])
def test_a_rod_pushed_across_at_its_end_turns_about_the_point_length_over_root_two_away(pieces):
    """With the pivot a from the pushed end: q (2a − L) is the load and a² = L² − a², so the load is q L (√2 − 1)."""
    length, q = 2.0, 3.0
    x = (np.arange(pieces) + 0.5) / pieces * length - 0.5 * length
    arms, weights = np.stack([x, np.zeros(pieces)], 1), np.full(pieces, q * length / pieces)
    inertia = np.array([1.0, 1.0, length**2 / 12.0])
    unit = np.array([0.0, 1.0, 0.5 * length])
    low, high = 0.0, q * length
    while high - low > 1e-10 * high:
        middle = 0.5 * (low + high)
        stuck = not np.any(Draw(inertia, middle * unit, arms, weights, True).solve().rates)
        low, high = (middle, high) if stuck else (low, middle)
    exact = q * length * (np.sqrt(2.0) - 1.0)
    assert abs(low / exact - 1.0) < 2.0 / pieces**2
    moving = Draw(inertia, (low * (1.0 + 1e-6)) * unit, arms, weights, False).solve()
    centre = -moving.rates[1] / moving.rates[2]
    assert abs((0.5 * length - centre) - length / np.sqrt(2.0)) < length / pieces


@pytest.mark.slow
def test_rigid_plates_under_random_eccentric_loads_need_no_smaller_step():
    rng = np.random.default_rng(0)
    slid = stuck = 0
    for trial in range(30):
        length = 10 ** rng.uniform(-1, 0.3)
        mesh = fem.rectangle(length, length * rng.uniform(0.1, 1.0), 4, 2, cell="quadrilateral")
        material = fem.StVenantKirchhoff(1e6, 0.3)
        plate = fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=material, element="Q1")
        holding = 0.5 * 98.1 * plate.area
        push = EdgeLoad(("left", "right", "top", "bottom")[trial % 4], holding * rng.normal(size=2), Ramp(0.1, 0.3))
        initial = InitialState(velocity=rng.choice([0.0, 1.0]) * rng.normal(size=2), spin=rng.choice([0.0, 1.0, 30.0]))
        foundation = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)
        problem = Problem(RigidBody.from_plate(plate), 0.5, foundation, (push,), initial=initial)
        scheme = ("sdirk2", "backward-euler", "moreau-theta")[trial % 3]
        run = simulate(assemble(problem, Options(10 ** rng.uniform(-3.0, -1.3), scheme)))
        assert int(run.halvings.sum()) == 0
        size = np.linalg.norm(run.friction_force.values, axis=-1)
        assert np.all(size <= run.friction_weight.values * (1.0 + 1e-9))
        assert float(run.rigid_residual.max()) < 1e-9
        slid, stuck = slid + int((run.stick == 0).sum()), stuck + int((run.stick == 1).sum())
    assert slid > 10_000
    assert stuck > 3_000
