"""Friction under a clamped edge: a full stiffness, some motions prescribed, against a cone solver and closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from conic_rigid import Draw, conic_rates, energy, maps_of, optimality

from floating_frame.errors import RigidFrictionError
from friction.rigid import kernels
from friction.rigid.problem import RigidFrictionProblem, RigidSlip
from friction.rigid.solve import solve_rigid_friction

MASKS = [(True, False, False), (False, True, False), (False, False, True), (True, True, False), (True, False, True),
         (False, True, True), (True, True, True)]  # fmt: skip


def row(rng, free, *, moving):
    """Random points on a line, as a clamped edge has them, full stiffness, load; ``moving``: the prescribed rates are not zero."""
    n = int(rng.integers(2, 25))
    along = rng.normal(size=2)
    offset = rng.normal(size=2) * 10 ** rng.uniform(-2, 0.5)
    arms = (offset + np.linspace(-0.5, 0.5, n)[:, None] * along) * 10 ** rng.uniform(-2, 1)
    weights = rng.uniform(0.1, 1.0, n) * 10 ** rng.uniform(-2, 3)
    reach = np.abs(arms).max()
    unit = np.array([1.0, 1.0, reach])
    root = rng.normal(size=(3, 3)) * 10 ** rng.uniform(-1, 1, 3)
    stiffness = (root @ root.T + 0.1 * np.eye(3)) * np.outer(unit, unit) * 10 ** rng.uniform(-1, 4)
    wrench = rng.normal(size=3) * unit * weights.sum() * 10 ** rng.uniform(-1, 1)
    speed = weights.sum() / np.abs(stiffness / np.outer(unit, unit)).max() * 10 ** rng.uniform(-1, 1)
    prescribed = rng.normal(size=3) / unit * speed * moving
    return Draw(stiffness, wrench, arms, weights, held={k: prescribed[k] for k in range(3) if not free[k]})


@pytest.mark.parametrize("free", MASKS, ids=str)
@pytest.mark.parametrize("moving", [False, True], ids=["at rest", "driven"])
def test_a_clamp_with_a_full_stiffness_moves_as_a_cone_solver_finds(free, moving):
    rng = np.random.default_rng([3, int(moving), *map(int, free)])
    rested = 0
    for _ in range(25):
        problem = row(rng, free, moving=moving)
        computed = problem.solve()
        np.testing.assert_array_equal(computed.rates[[*problem.held]], [*problem.held.values()])
        rested += not np.any(computed.rates)
        rest, excess, defect = optimality(problem, computed)
        assert rest < 5e-12
        assert excess < 2e-9
        assert defect < 1e-13
        arguments = (problem.inertia, problem.wrench, problem.arms, problem.weights)
        reference, reach = conic_rates(*arguments, problem.held), np.abs(problem.arms).max()
        least = energy(reference, *arguments) + 1e-10 * abs(problem.wrench @ reference) + 1e-300
        assert energy(computed.rates, *arguments) <= least
        gap = np.abs((computed.rates - reference) * [1, 1, reach]).max() / np.abs(reference * [1, 1, reach]).max()
        assert gap < 1e-3 or not np.any(computed.rates)  # the cone solver's accuracy is the root of its 1e-12, at best
    assert (rested == 0) if moving and not all(free) else 2 <= rested <= 23


@pytest.mark.parametrize("near", [0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4])
@pytest.mark.parametrize("share", [-0.9, 0.3, 0.9])
def test_a_driven_clamp_whose_middle_node_almost_stands_still_balances_its_friction(near, share):
    """Free along y, turned at 1 rad/s about a point ``near`` m beside the middle node, which takes up ``share`` of its bound:
    v = (−d_y, p_y + d_x) stands still, to within ``near``, at p_y = 0.2."""
    d_y = np.linspace(-0.1, 0.1, 5)
    arms = np.stack([np.full(5, -0.2), d_y + near], axis=1)
    weights = np.array([0.5, 1.0, 1.0, 1.0, 0.5])
    stiffness = np.diag([3.0, 3.0, 0.1]) + 0.05
    wrench = stiffness @ [0.0, 0.2, 1.0] + [0.0, share, 0.0]
    problem = Draw(stiffness, wrench, arms, weights, held={0: 0.0, 2: 1.0})
    computed = problem.solve()
    # λ_y = share of the middle node's 1 N: v_y/|v_x| = share/√(1 − share²) with |v_x| = near. As v_y is not zero, the
    # stiffness 3.05 and the other nodes' friction, Σ w/|d_y| = 50, take 53.05 v_y of it: second order in near.
    beside = near * share / np.sqrt(1.0 - share**2)
    second = 53.05 * near * abs(beside) / (1.0 - share**2) ** 1.5
    np.testing.assert_allclose(computed.rates, [0.0, 0.2 + beside, 1.0], rtol=0, atol=1.1 * second + 4e-16)
    assert abs(computed.multiplier[2, 1] - (share - 53.05 * beside)) < 53.05 * 1.1 * second + 1e-13
    rest, excess, defect = optimality(problem, computed)
    assert max(rest, excess) < 1e-11
    assert defect < 1e-13
    if near == 0.0:
        assert computed.rates[1] == 0.2
        assert abs(computed.multiplier[2, 1]) < 1.0


def test_a_clamp_with_no_free_motion_slides_as_it_is_driven():
    problem = row(np.random.default_rng(1), (False, False, False), moving=True)
    computed = problem.solve()
    np.testing.assert_array_equal(computed.rates, [*problem.held.values()])
    velocity = maps_of(problem.arms) @ computed.rates
    expected = problem.weights[:, None] * velocity / np.linalg.norm(velocity, axis=1, keepdims=True)
    np.testing.assert_allclose(computed.multiplier, expected, rtol=1e-13)


def test_prescribed_rates_that_are_not_finite_are_refused_by_name():
    problem = row(np.random.default_rng(1), (True, False, False), moving=True)
    with pytest.raises(RigidFrictionError, match="non-finite"):
        replace(problem, held={1: np.inf, 2: 0.0}).solve()


def test_arrays_that_may_not_be_written_meet_the_kernel_that_was_compiled_for_the_others():
    arrays = {"wrench": np.ones(3), "arms": np.array([[0.0, 1.0], [0.5, 0.0]])}
    arrays |= {"bound": np.ones(2), "free": np.ones(3, bool)}
    for name in ("none", *arrays):
        given = {key: array.copy() for key, array in arrays.items()}
        for array in (given[name], given["bound"]) if name != "none" else ():
            array.flags.writeable = False
        rates = solve_rigid_friction(RigidFrictionProblem(inertia=np.ones(3), **given), RigidSlip.at_rest(2)).rates
        assert len(kernels.set_valued_slip.signatures) == 1, name
    assert np.all(np.isfinite(rates))
