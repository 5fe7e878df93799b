"""Friction under a rigid body: stick inside the limit surface, slip outside, against a cone solver and closed forms."""

import numpy as np
import pytest
from conic_rigid import Draw, conic_rates, draw, energy, farthest_load, optimality

from floating_frame.errors import RigidFrictionError
from friction.rigid.problem import RigidSlip
from friction.rigid.solve import point_velocity


@pytest.mark.parametrize("distance", [None, 1e-2, -1e-2, 1e-4, -1e-4, 1e-7, -1e-7])
@pytest.mark.parametrize("zero_weights", [False, True])
def test_a_rigid_body_sticks_inside_the_limit_surface_and_slips_outside_as_a_cone_solver_finds(distance, zero_weights):
    rng = np.random.default_rng([17, int(zero_weights)])
    inside = 0
    for _ in range(16):
        problem = draw(rng, distance, zero_weights)
        computed = problem.solve()
        assert (not np.any(computed.rates)) == problem.inside  # exact zeros: stick is certified, not approximated
        inside += problem.inside
        rest, excess, defect = optimality(problem, computed)
        assert rest < 5e-12
        assert excess < 2e-9
        assert defect < 1e-13
        arguments = (problem.inertia, problem.wrench, problem.arms, problem.weights)
        reference, scale = conic_rates(*arguments), problem.force**2 / problem.inertia[0]
        assert energy(computed.rates, *arguments) <= energy(reference, *arguments) + 1e-12 * scale
        gap = np.sqrt(problem.inertia @ (computed.rates - reference) ** 2 / scale)
        assert gap < 3e-5  # the cone solver's own accuracy is about the root of its 1e-12 in energy
    assert inside == {None: inside, 1e-2: 0, 1e-4: 0, 1e-7: 0}.get(distance, 16)
    assert distance is not None or 2 <= inside <= 14


def test_a_warm_start_finds_what_a_cold_start_finds_in_fewer_iterations():
    rng = np.random.default_rng(23)
    cold_count = warm_count = slid = 0
    for _ in range(60):
        problem = draw(rng, None)
        cold = problem.solve()
        before = problem.scaled(1.0 + 1e-2 * rng.uniform(-1.0, 1.0)).solve()
        warm = problem.solve(before)
        reach, speed = np.linalg.norm(problem.arms, axis=1).max(), problem.force / problem.inertia[0]
        assert np.abs((warm.rates - cold.rates) * np.array([1.0, 1.0, reach])).max() < 1e-9 * speed
        if np.any(cold.rates):
            slid += 1
            cold_count, warm_count = cold_count + cold.iterations, warm_count + warm.iterations
    assert slid > 20
    assert warm_count < 0.4 * cold_count
    assert warm_count > 0


def test_a_push_through_the_bearing_edge_of_a_point_turns_the_body_about_that_very_point():
    """A heavily loaded point and light ones: the body turns about the heavy one, whose velocity is exactly zero."""
    rng = np.random.default_rng(5)
    turned = 0
    for _ in range(40):
        arms, weights = rng.normal(size=(12, 2)), np.where(np.arange(12) == 3, 10.0, 0.05)
        wrench = np.array([*(0.5 * rng.normal(size=2)), 0.0])
        about = wrench[0] * arms[3, 1] - wrench[1] * arms[3, 0]
        wrench[2] = -about + 4.0 * rng.choice([-1.0, 1.0])  # moment about point 3 larger than the light points resist
        problem = Draw(np.array([2.0, 2.0, 1.0]), wrench, arms, weights, False)
        computed = problem.solve()
        velocity = point_velocity(computed.rates, arms)
        turned += not np.any(velocity[3])
        assert computed.rates[2] != 0.0
        rest, excess, defect = optimality(problem, computed)
        assert max(rest, excess, defect) < 5e-12
    assert turned == 40


def test_a_body_that_bears_on_coincident_points_turns_about_them_and_they_share_the_force():
    arms = np.array([[0.3, 0.1], [0.3, 0.1], [-0.5, 0.0], [0.0, 0.4]])
    weights = np.array([6.0, 4.0, 0.1, 0.1])
    problem = Draw(np.array([2.0, 2.0, 1.0]), np.array([0.0, 9.0, 3.5]), arms, weights, False)
    computed = problem.solve()
    assert abs(computed.rates[2]) > 0.1
    assert not np.any(point_velocity(computed.rates, arms)[:2])
    np.testing.assert_allclose(computed.multiplier[0] / 6.0, computed.multiplier[1] / 4.0, rtol=1e-12)
    assert 6.0 < np.linalg.norm(computed.multiplier[:2].sum(axis=0)) < 10.0  # more than either could carry alone


@pytest.mark.parametrize("arm", [0.0, 0.7])
def test_one_bearing_point_carries_a_force_through_it_and_no_moment_about_it(arm):
    arms, weights = np.array([[arm, 0.0], [-1.0, 0.0]]), np.array([2.0, 0.0])
    inertia = np.array([1.0, 1.0, 0.5])
    stick = Draw(inertia, np.array([1.0, 1.5, 1.5 * arm]), arms, weights, True).solve()
    assert not np.any(stick.rates)
    np.testing.assert_allclose(stick.multiplier[0], [1.0, 1.5], rtol=1e-14)
    turning = Draw(inertia, np.array([1.0, 1.5, 1.5 * arm + 0.1]), arms, weights, False).solve()
    expected = 0.1 / (0.5 + arm**2)  # a pendulum about the point
    np.testing.assert_allclose(turning.rates, [0.0, -expected * arm, expected], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("excess", [1e-1, 1e-4, 1e-6, 1e-8, 1e-10])
def test_a_block_pushed_by_a_hair_more_than_friction_holds_slides_at_the_excess_over_its_inertia(excess):
    """Here c·p and Σ w|v| cancel to the last digits, so a line search on the energy alone sees only rounding."""
    x = np.linspace(-0.15, 0.15, 4)
    arms = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    weights = np.full(16, 7.848 / 16)
    problem = Draw(np.array([1000.0, 1000.0, 15.0]), np.array([7.848 + excess, 0.0, -4e-17]), arms, weights, False)
    computed = problem.solve()
    np.testing.assert_allclose(computed.rates, [excess / 1000.0, 0.0, 0.0], rtol=0, atol=2e-14)
    assert computed.rates[0] != 0.0
    assert computed.iterations < 150


@pytest.mark.parametrize("offset", [0.0, 1e-18, 3e-17])
@pytest.mark.parametrize("start", [0.0, 30.0])
def test_a_spinning_body_turns_about_its_middle_point_though_rounding_puts_that_off_the_centre(offset, start):
    x = np.array([-0.2, 0.0, 0.2])
    arms = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    arms[4] = offset, -2.0 * offset
    weights = np.full(9, 0.01)
    problem = Draw(np.array([26.0, 26.0, 0.5]), np.array([4e-4, -3e-4, 1.5]), arms, weights, False)
    computed = problem.solve(RigidSlip(np.array([0.0, 0.0, start]), np.zeros_like(arms), 0, False))
    resisting = weights @ np.linalg.norm(arms, axis=1)
    np.testing.assert_allclose(computed.rates, [0.0, 0.0, (1.5 - resisting) / 0.5], rtol=1e-12, atol=1e-14)
    assert max(optimality(problem, computed)) < 1e-11


def test_a_plate_just_beyond_its_limit_turns_about_one_point_from_a_cold_and_from_a_warm_start():
    """An eccentric push at the limit load: rotation about a sample point, so slow that inertia is lost beside its kink."""
    x, y = np.meshgrid(np.linspace(-0.2, 0.2, 9), np.linspace(-0.1, 0.1, 5))
    arms, weights = np.stack([x.ravel(), y.ravel()], 1), np.full(45, 3.924 / 45)
    unit = np.array([0.0, 1.0, 0.2])
    limit = farthest_load(unit, arms, weights)
    solved = None
    for beyond in (1e-2, 1e-4, 1e-6, 1e-8):
        problem = Draw(np.array([2731.0, 2731.0, 45.5]), (1.0 + beyond) * limit * unit, arms, weights, False)
        cold, warm = problem.solve(), problem.solve(solved)
        solved = cold
        assert cold.rates[2] > 0.0
        np.testing.assert_allclose(warm.rates, cold.rates, rtol=0, atol=1e-12 * 3.924 / 45.5)
        assert max(optimality(problem, cold)[:2]) < 5e-12


def test_without_weights_the_body_is_free_to_the_last_bit():
    problem = Draw(np.array([3.0, 3.0, 7.0]), np.array([0.1, 0.2, 0.3]), np.eye(2), np.zeros(2), False)
    computed = problem.solve()
    np.testing.assert_array_equal(computed.rates, problem.wrench / problem.inertia)
    np.testing.assert_array_equal(computed.multiplier, 0.0)


def test_loads_that_are_not_finite_are_refused_by_name():
    problem = Draw(np.ones(3), np.array([np.nan, 0.0, 0.0]), np.eye(2), np.ones(2), False)
    with pytest.raises(RigidFrictionError, match="non-finite"):
        problem.solve()
