"""The friction solver fails by name, refuses bad input in one line, and leaves its arguments alone."""

import numpy as np
import pytest
from friction_problems import pulled_plate, random_problem

from friction import (
    STICK,
    FactorCache,
    FrictionSolveError,
    NotPositiveDefinite,
    Quadratic,
    Smooth,
    SparseLU,
    TrescaOptions,
    solve,
)


def test_failures_have_a_name_a_reason_advice_and_the_best_iterate():
    A, b, w = pulled_plate(24, 1e11, 1.0, 0.9)
    few = TrescaOptions(max_iterations=2, max_fallback_iterations=2)
    with pytest.raises(FrictionSolveError, match="take a smaller step") as failure:
        solve(Quadratic(A, b), w, options=few)
    error = failure.value
    assert error.reason == "out of iterations"
    assert error.advice in str(error)
    assert error.result.fallback_iterations == 4  # two ways of two
    assert max(error.result.residual_stick, error.result.residual_slip) > error.result.tolerance


@pytest.mark.parametrize("law", [None, Smooth(0.1)])
def test_forces_that_are_not_finite_are_named(law):
    A, b, w = random_problem(20, seed=1)

    class Broken(Quadratic):
        def gradient(self, v):
            g = super().gradient(v)
            g[7, 1] = np.nan
            return g

    for weights in (w, 0.0 * w):
        with pytest.raises(FrictionSolveError) as failure:
            solve(Broken(A, b), weights, law=law)
        assert failure.value.reason == "non-finite"


@pytest.mark.parametrize("law", [None, Smooth(0.1)])
@pytest.mark.parametrize("share", [0.0, 1e-320])
def test_forces_below_the_normal_numbers_are_solved(law, share):
    A, b, w = random_problem(20, seed=1)
    assert np.abs(solve(Quadratic(A, 1e-320 * b), share * w, law=law).velocity).max() < 1e-300


def test_an_indefinite_hessian_on_sliding_nodes_is_a_named_failure_and_one_on_sticking_nodes_is_none():
    A, b, w = random_problem(20, seed=1)
    bad = A.tolil()
    bad[6, 6] = -50.0
    b[3] *= 2.0 * w[3] / np.hypot(*b[3])
    with pytest.raises(NotPositiveDefinite, match="smaller step"):
        solve(Quadratic(bad.tocsr(), b), w)
    w[3] = 1e3
    result = solve(Quadratic(bad.tocsr(), b), w)
    assert result.state[3] == STICK
    singular = np.zeros((40, 40))
    with pytest.raises(NotPositiveDefinite):
        solve(Quadratic(type(A)(singular), b), 0.0 * w)


def test_bad_input_is_refused_in_one_line():
    A, b, w = random_problem(5, seed=1)
    part = Quadratic(A, b)
    other = Quadratic(A, b)
    cache = FactorCache(*(getattr(Quadratic(*random_problem(6, 1)[:2]), name) for name in ("indptr", "indices")))
    cases = [
        (lambda: solve(part, w[:4]), r"bound must have shape \(5,\), got \(4,\)"),
        (lambda: solve(part, -w), "bound must not be negative"),
        (lambda: solve(part, w, velocity=np.full((5, 2), np.nan)), "velocity must be finite, got nan"),
        (lambda: solve(part, w, fixed=np.zeros(5)), "fixed must be bool"),
        (lambda: solve(part, w, cache=cache), "another sparsity"),
        (lambda: solve(part, w, cache=cache, factor=SparseLU(other.indptr, other.indices)), "not both"),
        (lambda: Quadratic(A, b[:4]), r"A must have shape \(8, 8\)"),
        (lambda: Quadratic(A, b[:, :1]), r"b must have shape \(N, 2\)"),
        (lambda: Quadratic(A, b * np.inf), "must be finite"),
        (lambda: TrescaOptions(rtol=0.0), "rtol must be between 0 and 1"),
        (lambda: TrescaOptions(max_iterations=-1), "max_iterations must not be negative"),
        (lambda: FactorCache(np.array([0, 1, 2]), np.array([0, 1])), "full 2x2 node blocks, node 0"),
    ]
    for call, message in cases:
        with pytest.raises(ValueError, match=message) as error:
            call()
        assert "\n" not in str(error.value)


def test_a_solve_changes_none_of_its_arguments_and_its_result_is_read_only():
    A, b, w = random_problem(30, seed=2)
    part = Quadratic(A, b)
    v, lam, held = np.ones_like(b), 0.5 * b, np.arange(30) % 10 == 0
    before = [x.copy() for x in (part.data, part.b, w, v, lam, held)]
    result = solve(part, w, velocity=v, fixed=held)
    for x, y in zip((part.data, part.b, w, v, lam, held), before, strict=True):
        np.testing.assert_array_equal(x, y)
    with pytest.raises(ValueError, match="read-only"):
        result.velocity[0] = 1.0
