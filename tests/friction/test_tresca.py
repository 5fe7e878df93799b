"""The friction problem's solutions: against an independent conic solver and the optimality conditions themselves."""

import numpy as np
import pytest
import scipy.sparse as sp
from friction_problems import check_optimal, conic_solution, distance_allowed, energy, pulled_plate, random_problem

from friction import FREE, HELD, REVERSED, SLIP, STICK, Quadratic, SparseLU, TrescaOptions, solve

SOLVERS = {"newton first": TrescaOptions(), "path alone": TrescaOptions(fallback_only=True)}


def check_against_conic(A, b, w, result, gap):
    """The energies agree to `gap` (relative), and the velocities to what strong convexity makes of the difference.

    J(conic) - J(v) >= 1/2 |conic - v|_A^2 - residual . |conic - v| holds if v is the minimiser, and only then.
    """
    conic = conic_solution(A, b, w)
    v = result.velocity
    difference = energy(A, b, w, conic) - energy(A, b, w, v)
    size = np.sum(w * np.hypot(*v.T)) + abs(energy(A, b, w, v))
    apart = conic - v
    strong = 0.5 * apart.ravel() @ (A @ apart.ravel())
    rounding = 1e-15 * (size + np.abs(v).ravel() @ (abs(A) @ np.abs(v).ravel()))
    slack = result.tolerance * np.abs(apart).sum() + rounding
    assert slack <= gap * size  # so that the comparison means something
    assert strong - slack <= difference <= gap * size
    assert np.abs(apart).max() <= 1e-2 * np.abs(v).max()


@pytest.mark.parametrize("options", SOLVERS.values(), ids=list(SOLVERS))
@pytest.mark.parametrize("stiffness", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_problems_have_the_conic_solution(seed, stiffness, options):
    A, b, w = random_problem(60, seed, stiffness)
    w[::11] = 0.0
    result = solve(Quadratic(A, b), w, options=options)
    assert {FREE, STICK, SLIP} == set(result.state)  # all kinds at once
    check_optimal(A, b, w, result)
    check_against_conic(A, b, w, result, 1e-7)


@pytest.mark.parametrize("options", SOLVERS.values(), ids=list(SOLVERS))
@pytest.mark.parametrize("pull", [0.3, 0.9, 1.5])
@pytest.mark.parametrize(("young", "tau"), [(1e6, 1e-4), (1e6, 1e-2), (1e9, 1e-3), (1e11, 1e-2)])
def test_plates_from_dynamic_to_quasi_static_have_the_conic_solution_cold_and_warm(young, tau, pull, options):
    A, b, w = pulled_plate(12, young, tau, pull)
    part = Quadratic(A, b)
    cold = solve(part, w, options=options)
    assert SLIP in cold.state
    check_optimal(A, b, w, cold)
    check_against_conic(A, b, w, cold, 1e-6)
    near = Quadratic(A, 1.02 * b)
    warm = solve(near, w, velocity=cold.velocity, options=options)
    fresh = solve(near, w, options=TrescaOptions(fallback_only=options is SOLVERS["newton first"]))
    check_optimal(A, 1.02 * b, w, warm)
    assert np.abs(warm.velocity - cold.velocity).max() > 1e-3 * np.abs(cold.velocity).max()
    # another start and another method: the same solution
    apart = np.linalg.norm(warm.velocity - fresh.velocity)
    assert apart <= distance_allowed(A, max(warm.tolerance, fresh.tolerance)) < 1e-3 * np.abs(fresh.velocity).max()


def test_a_plate_pulled_below_the_bound_everywhere_sticks_exactly_without_a_factorisation():
    A, b, w = pulled_plate(10, 1e9, 1e-3, 1.0)
    b = 0.9 * w[:, None] * np.array([0.6, 0.8])
    result = solve(Quadratic(A, b), w)
    assert (result.state == STICK).all()
    assert not result.velocity.any()
    assert result.factorisations == result.iterations == 0
    np.testing.assert_array_equal(result.multiplier, b)
    # started while sliding, it comes to the same rest
    moving = solve(Quadratic(A, b), w, velocity=np.ones_like(b))
    assert not moving.velocity.any()
    assert (moving.state == STICK).all()


def test_a_plate_pushed_evenly_slides_rigidly_with_the_closed_form_velocity():
    tau = 1e-3
    A, _, w = pulled_plate(10, 1e9, tau, 1.0)
    direction = np.array([0.6, 0.8])
    result = solve(Quadratic(A, 3.0 * w[:, None] * direction), w)
    assert (result.state == SLIP).all()
    speed = 2.0 * tau * 0.3 * 9.81  # (3 - 1) w tau / m
    np.testing.assert_allclose(result.velocity, np.tile(speed * direction, (len(w), 1)), rtol=1e-7)
    check_optimal(A, 3.0 * w[:, None] * direction, w, result)


@pytest.mark.parametrize("held_some", [False, True])
def test_without_friction_the_solution_is_one_direct_solve_bit_for_bit(held_some):
    A, b, w = pulled_plate(15, 1e9, 1e-2, 1.5)
    part = Quadratic(A, b)
    rng = np.random.default_rng(0)
    held = np.zeros(len(w), bool)
    held[: 5 * held_some] = True
    result = solve(part, 0.0 * w, velocity=rng.standard_normal(b.shape), fixed=held)
    keep = np.repeat(~held, 2).astype(float)
    if held_some:
        diagonal = np.repeat(0.5 * (A.diagonal()[::2] + A.diagonal()[1::2]) * held, 2)
        data = sp.diags_array(keep) @ part.matrix @ sp.diags_array(keep)
        dense = data.toarray() + np.diag(diagonal)
        np.testing.assert_allclose(
            result.velocity.ravel(), np.linalg.solve(dense, keep * b.ravel()), rtol=1e-8, atol=1e-14
        )
        assert (result.state[held] == HELD).all()
        assert not result.velocity[held].any()
        balance = (A @ result.velocity.ravel()).reshape(b.shape) - b + result.multiplier
        assert np.abs(balance).max() <= result.tolerance
    else:
        factor = SparseLU(part.indptr, part.indices)
        factor.refactor(part.data)
        assert np.abs(result.velocity).max() > 1e-3
        np.testing.assert_allclose(result.velocity.ravel(), factor.solve(b.ravel()), rtol=1e-10, atol=1e-14)
        assert not result.multiplier.any()
        assert (result.state == FREE).all()
    assert (result.method, result.factorisations, result.solves, result.iterations) == ("linear", 1, 1, 0)


def test_nodes_without_weight_move_freely_among_sticking_ones():
    A, b, w = pulled_plate(12, 1e9, 1e-3, 0.5)
    w[np.abs(b).any(axis=1)] = 0.0
    result = solve(Quadratic(A, b), w)
    assert result.velocity[w == 0.0].any(axis=1).all()
    assert STICK in result.state
    assert not result.multiplier[w == 0.0].any()
    check_optimal(A, b, w, result)
    check_against_conic(A, b, w, result, 1e-6)


def test_held_nodes_stay_at_rest_and_report_their_unbounded_reaction():
    A, b, w = pulled_plate(12, 1e9, 1e-3, 1.5)
    free = solve(Quadratic(A, b), w)
    held = np.zeros(len(w), bool)
    held[np.argsort(-np.hypot(*free.velocity.T))[:6]] = True
    assert free.velocity[held].any(axis=1).all()
    for options in SOLVERS.values():
        result = solve(Quadratic(A, b), w, fixed=held, velocity=free.velocity, options=options)
        assert (result.state[held] == HELD).all()
        assert (result.state == HELD).sum() == 6
        assert np.hypot(*result.multiplier[held].T).max() > 1.5 * w[held].max()
        check_optimal(A, b, w, result, held)


def test_nodes_that_slide_against_the_reference_velocity_are_reported_as_reversed():
    A, b, w = pulled_plate(8, 1e9, 1e-3, 1.0)
    b = 2.0 * w[:, None] * np.array([1.0, 0.0])
    reference = np.where(np.arange(len(w))[:, None] % 2 == 0, 1.0, -1.0) * np.array([1.0, 0.5])
    result = solve(Quadratic(A, b), w, reference=reference)
    np.testing.assert_array_equal(result.state, np.where(np.arange(len(w)) % 2 == 0, SLIP, REVERSED))


def test_nodes_exactly_on_the_border_of_stick_do_not_flip_for_ever():
    A, _, w = pulled_plate(10, 1e9, 1e-3, 1.0)
    for over in (1.0, 1.0 + 1e-15, 1.0 - 1e-15, 1.0 + 1e-12, 1.0 + 1e-9):
        b = over * w[:, None] * np.array([0.6, -0.8])
        for start in (None, 1e-3 * np.ones_like(b)):
            result = solve(Quadratic(A, b), w, velocity=start)
            assert result.iterations <= 60  # three weights, twenty each
            check_optimal(A, b, w, result)


@pytest.mark.slow
@pytest.mark.parametrize(("young", "tau"), [(1e9, 1e-4), (1e9, 1e-2)])
def test_twenty_thousand_unknowns_have_the_conic_solution(young, tau):
    A, b, w = pulled_plate(99, young, tau, 0.9)
    assert A.shape[0] == 20_000
    result = solve(Quadratic(A, b), w)
    check_optimal(A, b, w, result)
    check_against_conic(A, b, w, result, 1e-6)
