"""Feet of a rigid body that is held share its load as springs of one stiffness that rub, not by the least norm of the forces."""

import numpy as np
import pytest
import scipy.optimize

from floating_frame import Feet, Options, Ramp, RigidSolid, SpaceForce, SpaceProblem, assemble, simulate

MU, G, MASS = 0.5, 9.81, 1.0
FEET = np.array([(0.15 * x, 0.1 * y, -0.05) for x in (-1, 1) for y in (-1, 1)])
ROWS = np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), foot)]) for foot in FEET])
"""Velocities of the feet (12,) by the six rates of the body."""
WRENCH = ROWS.T


def springs(load):
    """Forces (4, 3) N of feet on springs of one stiffness under a wrench (6,) whose part along the ground grows from 0.

    Across the ground a foot's force is k times its depth, along it −k times its displacement, cut to μ times the former.
    """

    def forces(q):
        moved = (ROWS @ q).reshape(-1, 3)
        pressing, along = np.maximum(-moved[:, 2], 0.0), -moved[:, :2]
        size = np.hypot(*along.T)
        return np.column_stack([along * np.minimum(1.0, MU * pressing / np.maximum(size, 1e-300))[:, None], pressing])

    q = np.linalg.solve(ROWS.T @ ROWS, load * (np.arange(6) == 2))  # pressed alone
    for part in np.linspace(0.0, 1.0, 41):
        now = load * np.where(np.arange(6) == 2, 1.0, part)
        q = scipy.optimize.root(lambda q, now=now: WRENCH @ forces(q).ravel() + now, q, tol=1e-14).x
    computed = forces(q)
    np.testing.assert_allclose(WRENCH @ computed.ravel(), -load, atol=1e-11)
    return computed


def least(load, start):
    """Forces (4, 3) N of least norm that bear the wrench within μ p_n."""
    rules = (
        {"type": "eq", "fun": lambda p: WRENCH @ p + load},
        {"type": "ineq", "fun": lambda p: MU * p[2::3] - np.sqrt(p[::3] ** 2 + p[1::3] ** 2 + 1e-18)},
    )
    given = {"jac": lambda p: 2.0 * p, "constraints": rules, "options": {"ftol": 1e-14, "maxiter": 500}}
    return scipy.optimize.minimize(lambda p: p @ p, start.ravel(), method="SLSQP", **given).x.reshape(-1, 3)


def held(part, at):
    """Contact forces (4, 3) N, and the wrench (6,) of weight and pull, of a block pulled by a ``part`` of what friction bears."""
    pull = part * MU * MASS * G * np.array([0.8, 0.6, 0.0])
    load = SpaceForce(force=pull, at=at, history=Ramp(0.05))
    body = RigidSolid(mass=MASS, inertia=(0.004, 0.009, 0.012), shape=Feet(FEET))
    run = simulate(assemble(SpaceProblem(body=body, t_end=0.06, mu=MU, loads=(load,)), Options(dt=1e-3)))
    assert np.abs(run.velocity.values).max() < 1e-15
    assert run.contact_force.attrs["resolution"] == "equal-compliance"
    return run.contact_force.values[-1], np.array([*(pull - [0.0, 0.0, MASS * G]), *np.cross(at, pull)])


@pytest.mark.parametrize(("part", "at"), [(0.4, (0.0, 0.0, -0.05)), (0.3, (0.1, 0.05, 0.0))])
def test_while_no_foot_is_at_its_bound_the_forces_are_those_of_equal_springs_and_of_least_norm(part, at):
    force, load = held(part, at)
    assert np.all(np.hypot(force[:, 0], force[:, 1]) < 0.99 * MU * force[:, 2])
    assert np.ptp(force[:, 2]) > 0.01 * MASS * G or at[2] < 0.0
    np.testing.assert_allclose(force, springs(load), atol=1e-10 * MASS * G)
    np.testing.assert_allclose(force.ravel(), -np.linalg.pinv(WRENCH) @ load, atol=1e-10 * MASS * G)


@pytest.mark.parametrize(("part", "at"), [(0.85, (0.0, 0.0, 0.0)), (0.8, (0.1, 0.05, 0.0))])
def test_where_feet_are_at_their_bound_the_forces_are_those_of_equal_springs_that_rub_not_of_least_norm(part, at):
    force, load = held(part, at)
    bound = np.hypot(force[:, 0], force[:, 1]) > MU * force[:, 2] * (1.0 - 1e-6)
    assert 1 <= bound.sum() <= 3
    np.testing.assert_allclose(force, springs(load), atol=1e-6 * MASS * G)
    smaller = least(load, force)
    np.testing.assert_allclose(WRENCH @ smaller.ravel(), -load, atol=1e-7)
    assert np.all(np.hypot(smaller[:, 0], smaller[:, 1]) <= MU * smaller[:, 2] + 1e-6)
    assert np.linalg.norm(smaller) < np.linalg.norm(force) - 1e-6 * MASS * G
    assert np.abs(smaller - force).max() > 1e-4 * MASS * G
