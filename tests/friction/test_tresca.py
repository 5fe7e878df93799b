"""The friction problem's solutions, against a conic solver and the optimality conditions themselves; failures by name."""

import numpy as np
import pytest
from friction_problems import check_against_conic, check_optimal, distance_allowed, pulled_plate, random_problem
from rows import rows

import friction

SOLVERS = {"newton first": friction.TrescaOptions(), "path alone": friction.TrescaOptions(fallback_only=True)}


@pytest.mark.parametrize("options", SOLVERS.values(), ids=list(SOLVERS))
@pytest.mark.parametrize("stiffness", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_problems_have_the_conic_solution(seed, stiffness, options):
    A, b, w = random_problem(60, seed, stiffness)
    w[::11] = 0.0
    result = friction.solve(friction.Quadratic(A, b), w, options=options)
    assert {friction.FREE, friction.STICK, friction.SLIP} == set(result.state)  # all kinds at once
    check_optimal(A, b, w, result)
    check_against_conic(A, b, w, result, 1e-7)


@pytest.mark.parametrize("options", SOLVERS.values(), ids=list(SOLVERS))
@pytest.mark.parametrize("pull", [0.3, 0.9, 1.5])
@pytest.mark.parametrize(("young", "tau"), [(1e6, 1e-4), (1e6, 1e-2), (1e9, 1e-3), (1e11, 1e-2)])
def test_plates_from_dynamic_to_quasi_static_have_the_conic_solution_cold_and_warm(young, tau, pull, options):
    A, b, w = pulled_plate(12, young, tau, pull)
    part = friction.Quadratic(A, b)
    cold = friction.solve(part, w, options=options)
    assert friction.SLIP in cold.state
    check_optimal(A, b, w, cold)
    check_against_conic(A, b, w, cold, 1e-6)
    near = friction.Quadratic(A, 1.02 * b)
    warm = friction.solve(near, w, velocity=cold.velocity, options=options)
    fresh = friction.solve(near, w, options=friction.TrescaOptions(fallback_only=options is SOLVERS["newton first"]))
    check_optimal(A, 1.02 * b, w, warm)
    assert np.abs(warm.velocity - cold.velocity).max() > 1e-3 * np.abs(cold.velocity).max()
    # another start and another method: the same solution
    apart = np.linalg.norm(warm.velocity - fresh.velocity)
    assert apart <= distance_allowed(A, max(warm.tolerance, fresh.tolerance)) < 1e-3 * np.abs(fresh.velocity).max()


def test_a_plate_pulled_below_the_bound_everywhere_sticks_exactly_without_a_factorisation():
    A, b, w = pulled_plate(10, 1e9, 1e-3, 1.0)
    b = 0.9 * w[:, None] * np.array([0.6, 0.8])
    result = friction.solve(friction.Quadratic(A, b), w)
    assert (result.state == friction.STICK).all()
    assert not result.velocity.any()
    assert result.factorisations == result.iterations == 0
    np.testing.assert_array_equal(result.multiplier, b)
    # started while sliding, it comes to the same rest
    moving = friction.solve(friction.Quadratic(A, b), w, velocity=np.ones_like(b))
    assert not moving.velocity.any()
    assert (moving.state == friction.STICK).all()


@pytest.mark.parametrize("held_some", [False, True])
def test_without_friction_the_solution_is_one_direct_solve(held_some):
    A, b, w = pulled_plate(15, 1e9, 1e-2, 1.5)
    part, held, start = friction.Quadratic(A, b), np.arange(len(w)) < 5 * held_some, np.random.default_rng(0)
    result = friction.solve(part, 0.0 * w, velocity=start.standard_normal(b.shape), fixed=held)
    free, expected = np.repeat(~held, 2), np.zeros(b.size)
    expected[free] = np.linalg.solve(A.toarray()[np.ix_(free, free)], b.ravel()[free])
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(result.velocity.ravel(), expected, rtol=1e-8, atol=1e-14)
    if not held_some:
        factor = friction.SparseLU(part.indptr, part.indices)
        factor.refactor(part.data)
        np.testing.assert_allclose(result.velocity.ravel(), factor.solve(b.ravel()), rtol=1e-10, atol=1e-14)
    assert not result.velocity[held].any()
    assert not result.multiplier[~held].any()
    np.testing.assert_array_equal(result.state, np.where(held, friction.HELD, friction.FREE))
    balance = (A @ result.velocity.ravel()).reshape(b.shape) - b + result.multiplier
    assert np.abs(balance).max() <= result.tolerance
    assert (result.method, result.factorisations, result.solves, result.iterations) == ("linear", 1, 1, 0)


def test_nodes_that_slide_against_the_reference_velocity_are_reported_as_reversed():
    A, b, w = pulled_plate(8, 1e9, 1e-3, 1.0)
    b = 2.0 * w[:, None] * np.array([1.0, 0.0])
    reference = np.where(np.arange(len(w))[:, None] % 2 == 0, 1.0, -1.0) * np.array([1.0, 0.5])
    result = friction.solve(friction.Quadratic(A, b), w, reference=reference)
    np.testing.assert_array_equal(result.state, np.where(np.arange(len(w)) % 2 == 0, friction.SLIP, friction.REVERSED))


def test_nodes_exactly_on_the_border_of_stick_do_not_flip_for_ever():
    A, _, w = pulled_plate(10, 1e9, 1e-3, 1.0)
    for over in (1.0, 1.0 + 1e-15, 1.0 - 1e-15, 1.0 + 1e-12, 1.0 + 1e-9):
        b = over * w[:, None] * np.array([0.6, -0.8])
        for start in (None, 1e-3 * np.ones_like(b)):
            result = friction.solve(friction.Quadratic(A, b), w, velocity=start)
            assert result.iterations <= 60  # three weights, twenty each
            check_optimal(A, b, w, result)


def test_failures_have_a_name_a_reason_advice_and_the_best_iterate():
    A, b, w = pulled_plate(24, 1e11, 1.0, 0.9)
    few = friction.TrescaOptions(max_iterations=2, max_fallback_iterations=2)
    with pytest.raises(friction.FrictionSolveError, match="take a smaller step") as failure:
        friction.solve(friction.Quadratic(A, b), w, options=few)
    error = failure.value
    assert error.reason == "out of iterations"
    assert error.advice in str(error)
    assert error.result.fallback_iterations == 4  # two methods, two iterations each
    assert max(error.result.residual_stick, error.result.residual_slip) > error.result.tolerance


@pytest.mark.parametrize("law", [None, friction.Smooth(0.1)])
def test_forces_that_are_not_finite_are_named(law):
    A, b, w = random_problem(20, seed=1)

    class Broken(friction.Quadratic):
        def gradient(self, v):
            g = super().gradient(v)
            g[7, 1] = np.nan
            return g

    for weights in (w, 0.0 * w):
        with pytest.raises(friction.FrictionSolveError) as failure:
            friction.solve(Broken(A, b), weights, law=law)
        assert failure.value.reason == "non-finite"


@pytest.mark.parametrize("law", [None, friction.Smooth(0.1)])
@pytest.mark.parametrize("share", [0.0, 1e-320])
def test_forces_below_the_normal_numbers_are_solved(law, share):
    A, b, w = random_problem(20, seed=1)
    assert np.abs(friction.solve(friction.Quadratic(A, 1e-320 * b), share * w, law=law).velocity).max() < 1e-300


def test_an_indefinite_hessian_on_sliding_nodes_is_a_named_failure_and_one_on_sticking_nodes_is_none():
    A, b, w = random_problem(20, seed=1)
    bad = A.tolil()
    bad[6, 6] = -50.0
    b[3] *= 2.0 * w[3] / np.hypot(*b[3])
    with pytest.raises(friction.NotPositiveDefinite, match="smaller step"):
        friction.solve(friction.Quadratic(bad.tocsr(), b), w)
    w[3] = 1e3
    result = friction.solve(friction.Quadratic(bad.tocsr(), b), w)
    assert result.state[3] == friction.STICK
    with pytest.raises(friction.NotPositiveDefinite):
        friction.solve(friction.Quadratic(type(A)(np.zeros((40, 40))), b), 0.0 * w)


A5, B5, W5 = random_problem(5, seed=1)
PART, OTHER = friction.Quadratic(A5, B5), friction.Quadratic(*random_problem(6, 1)[:2])
CACHE = friction.FactorCache(OTHER.indptr, OTHER.indices)


@rows(
    ("call", "message"),
    [
        (lambda: friction.solve(PART, W5[:4]), r"bound must have shape \(5,\), got \(4,\)"),
        (lambda: friction.solve(PART, -W5), "bound must not be negative"),
        (lambda: friction.solve(PART, W5, velocity=np.full((5, 2), np.nan)), "velocity must be finite, got nan"),
        (lambda: friction.solve(PART, W5, fixed=np.zeros(5)), "fixed must be bool"),
        (lambda: friction.solve(PART, W5, cache=CACHE), "another sparsity"),
        (
            lambda: friction.solve(PART, W5, cache=CACHE, factor=friction.SparseLU(PART.indptr, PART.indices)),
            "not both",
        ),
        (lambda: friction.Quadratic(A5, B5[:4]), r"A must have shape \(8, 8\)"),
        (lambda: friction.Quadratic(A5, B5[:, :1]), r"b must have shape \(N, 2\)"),
        (lambda: friction.Quadratic(A5, B5 * np.inf), "must be finite"),
        (lambda: friction.TrescaOptions(rtol=0.0), "rtol must be between 0 and 1"),
        (lambda: friction.TrescaOptions(max_iterations=-1), "max_iterations must not be negative"),
        (lambda: friction.FactorCache(np.array([0, 1, 2]), np.array([0, 1])), "full 2x2 node blocks, node 0"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_a_solve_changes_none_of_its_arguments_and_its_result_is_read_only():
    A, b, w = random_problem(30, seed=2)
    part = friction.Quadratic(A, b)
    v, held = np.ones_like(b), np.arange(30) % 10 == 0
    given = (part.data, part.b, w, v, held)
    before = [x.copy() for x in given]
    result = friction.solve(part, w, velocity=v, fixed=held)
    assert all(np.array_equal(x, y) for x, y in zip(given, before, strict=True))
    with pytest.raises(ValueError, match="read-only"):
        result.velocity[0] = 1.0
