"""How the friction problem is solved: fallbacks that are really needed, nonlinear parts, regularised laws, failures."""

import numpy as np
import pytest
from friction_problems import distance_allowed, kkt_violation, pulled_plate, random_problem, tolerance_allowed

from friction import (
    SLIP,
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

ALONE = TrescaOptions(path_steps=0, max_fallback_iterations=0)
WITHOUT_PATH = TrescaOptions(path_steps=0)


class Quartic(Quadratic):
    """A v - b + k |v_i|^2 v_i: a nonlinear, convex part."""

    linear = False

    def __init__(self, A, b, k):
        super().__init__(A, b)
        self.k = k
        self.diagonal = FactorCache(self.indptr, self.indices).diagonal
        self.visited = []

    def gradient(self, v):
        self.visited.append(v.copy())
        return super().gradient(v) + self.k * np.sum(v * v, axis=1)[:, None] * v

    def hessian(self, v):
        data = self.data.copy()
        blocks = np.sum(v * v, axis=1)[:, None, None] * np.eye(2) + 2.0 * v[:, :, None] * v[:, None, :]
        data[self.diagonal] += self.k * blocks.reshape(-1, 4)
        return data

    def energy(self, v):
        return super().energy(v) + 0.25 * self.k * float(np.sum(np.sum(v * v, axis=1) ** 2))


def test_cold_quasi_static_start_defeats_semismooth_newton_alone_and_both_fallbacks_solve_it():
    A, b, w = pulled_plate(24, 1e11, 1.0, 0.9)
    with pytest.raises(FrictionSolveError) as failure:
        solve(Quadratic(A, b), w, options=ALONE)
    assert failure.value.reason == "stagnated"
    path = solve(Quadratic(A, b), w)
    assert path.method == "smoothed"
    assert 3 <= path.fallback_iterations <= 15
    truncated = solve(Quadratic(A, b), w, options=WITHOUT_PATH)
    assert truncated.method == "truncated"
    assert 5 <= truncated.fallback_iterations <= 42
    for result in (path, truncated):
        assert kkt_violation(A, b, w, result.velocity, result.multiplier) <= 2.0 * result.tolerance
        assert result.tolerance <= tolerance_allowed(A, b, w, result.velocity)
    apart = np.linalg.norm(path.velocity - truncated.velocity)
    assert apart <= distance_allowed(A, max(path.tolerance, truncated.tolerance))
    assert apart <= 1e-3 * np.abs(path.velocity).max()


def test_the_smoothing_path_keeps_the_count_of_a_cold_quasi_static_step_from_growing_with_the_mesh():
    counts = []
    for cells in (16, 32, 64):
        A, b, w = pulled_plate(cells, 1e11, 1.0, 1.5)
        result = solve(Quadratic(A, b), w)
        assert result.method == "smoothed"
        counts.append(result.factorisations)
    assert max(counts) - min(counts) <= 4, counts
    assert max(counts) <= 16


def test_semismooth_newton_gives_up_in_a_cycle_or_without_progress_long_before_its_cap():
    for cells, pull in ((24, 0.9), (32, 1.5)):
        A, b, w = pulled_plate(cells, 1e11, 1.0, pull)
        with pytest.raises(FrictionSolveError) as failure:
            solve(Quadratic(A, b), w, options=ALONE)
        assert failure.value.result.iterations < 20


@pytest.mark.parametrize(
    "options",
    [TrescaOptions(), TrescaOptions(fallback_only=True), TrescaOptions(max_iterations=0)],
    ids=["semismooth", "truncated", "smoothed"],
)
@pytest.mark.parametrize("k", [1.0, 100.0])
def test_nonlinear_part_is_solved_by_every_method(k, options):
    A, b, w = random_problem(50, seed=5, stiffness=0.3)
    b = 2.0 * b
    result = solve(Quartic(A, b, k), w, options=options)
    linear = solve(Quadratic(A, b), w)
    assert {STICK, SLIP} <= set(result.state)
    assert np.abs(result.velocity - linear.velocity).max() > 0.1  # the quartic term matters
    cubic = k * np.sum(result.velocity**2, axis=1)[:, None] * result.velocity
    assert kkt_violation(A, b - cubic, w, result.velocity, result.multiplier) <= 2.0 * result.tolerance
    assert result.tolerance < 1e-9


def test_newton_converges_quadratically_on_a_nonlinear_part_when_no_factor_is_kept():
    A, b, w = random_problem(50, seed=5, stiffness=0.3)
    part = Quartic(A, 2.0 * b, 1.0)
    exact = solve(part, w).velocity
    part.visited.clear()
    solve(part, w, velocity=exact * 1.05, multiplier=None, options=TrescaOptions(chord_steps=0.0))
    errors = np.array([np.abs(v - exact).max() for v in part.visited])
    errors = errors[(errors < 0.2) & (errors > 1e-13)]
    assert len(errors) >= 3
    orders = np.log(errors[1:]) / np.log(errors[:-1])
    constants = errors[1:] / errors[:-1] ** 2
    assert (constants < 20.0).all(), errors
    assert 1.6 < orders[-1] < 3.0, errors


@pytest.mark.parametrize("v_reg", [1.0, 1e-2, 1e-5])
def test_regularised_law_creeps_where_coulomb_sticks_and_tends_to_it(v_reg):
    A, b, w = random_problem(60, seed=6)
    coulomb = solve(Quadratic(A, b), w)
    result = solve(Quadratic(A, b), w, law=Smooth(v_reg))
    assert result.method == "regularised"
    assert STICK in coulomb.state
    assert STICK not in result.state
    assert result.velocity.any(axis=1).all()
    size = np.hypot(np.hypot(*result.velocity.T), v_reg)[:, None]
    balance = (A @ result.velocity.ravel()).reshape(b.shape) - b + w[:, None] * result.velocity / size
    assert np.abs(balance).max() <= result.tolerance < 1e-9
    apart = result.velocity - coulomb.velocity
    # 0 <= w|v| - potential <= w v_reg per node and strong convexity bound the difference
    assert 0.0 < 0.5 * apart.ravel() @ (A @ apart.ravel()) <= w.sum() * v_reg


def test_regularised_law_on_a_nonlinear_part_from_a_bad_start():
    A, b, w = random_problem(60, seed=6)
    held = np.arange(60) % 20 == 0
    result = solve(Quartic(A, b, 10.0), w, law=Smooth(1e-3), velocity=50.0 * np.ones_like(b), held=held)
    size = np.hypot(np.hypot(*result.velocity.T), 1e-3)[:, None]
    part = Quartic(A, b, 10.0)
    balance = part.gradient(result.velocity) + w[:, None] * result.velocity / size
    assert np.abs(balance[~held]).max() <= result.tolerance
    assert not result.velocity[held].any()
    np.testing.assert_allclose(result.multiplier[held], -part.gradient(result.velocity)[held], atol=1e-12)


def test_failures_have_a_name_a_reason_advice_and_the_best_iterate():
    A, b, w = pulled_plate(24, 1e11, 1.0, 0.9)
    few = TrescaOptions(max_iterations=2, path_steps=0, max_fallback_iterations=2)
    with pytest.raises(FrictionSolveError, match="take a smaller step") as failure:
        solve(Quadratic(A, b), w, options=few)
    error = failure.value
    assert error.reason == "out of iterations"
    assert error.advice in str(error)
    assert error.result.fallback_iterations == 2
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
        (lambda: solve(part, w[:4]), r"weights must have shape \(5,\), got \(4,\)"),
        (lambda: solve(part, -w), "weights must not be negative"),
        (lambda: solve(part, w, velocity=np.full((5, 2), np.nan)), "velocity must be finite, got nan"),
        (lambda: solve(part, w, multiplier=b[:3]), "multiplier must have shape"),
        (lambda: solve(part, w, held=np.zeros(5)), "held must be bool"),
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
    result = solve(part, w, velocity=v, multiplier=lam, held=held)
    for x, y in zip((part.data, part.b, w, v, lam, held), before, strict=True):
        np.testing.assert_array_equal(x, y)
    with pytest.raises(ValueError, match="read-only"):
        result.velocity[0] = 1.0
