"""How the friction problem is solved: fallbacks that are really needed, nonlinear parts, regularised laws."""

import numpy as np
import pytest
from friction_problems import distance_allowed, kkt_violation, pulled_plate, random_problem, tolerance_allowed

from friction import SLIP, STICK, FactorCache, FrictionSolveError, Quadratic, Smooth, TrescaOptions, solve

ALONE = TrescaOptions(max_fallback_iterations=0)


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


def test_cold_quasi_static_start_defeats_semismooth_newton_alone_and_the_path_of_smoothed_problems_solves_it():
    A, b, w = pulled_plate(24, 1e11, 1.0, 0.9)
    with pytest.raises(FrictionSolveError) as failure:
        solve(Quadratic(A, b), w, options=ALONE)
    assert failure.value.reason == "stagnated"
    result = solve(Quadratic(A, b), w)
    assert result.method == "smoothed"
    assert 3 <= result.fallback_iterations <= 15
    assert kkt_violation(A, b, w, result.velocity, result.multiplier) <= 2.0 * result.tolerance
    assert result.tolerance <= tolerance_allowed(A, b, w, result.velocity)
    again = solve(Quadratic(A, b), w, options=TrescaOptions(fallback_only=True))
    apart = np.linalg.norm(again.velocity - result.velocity)
    assert apart <= distance_allowed(A, max(again.tolerance, result.tolerance))
    assert apart <= 1e-3 * np.abs(result.velocity).max()


def test_semismooth_newton_gives_up_in_a_cycle_or_without_progress_long_before_its_cap():
    for cells, pull in ((24, 0.9), (32, 1.5)):
        A, b, w = pulled_plate(cells, 1e11, 1.0, pull)
        with pytest.raises(FrictionSolveError) as failure:
            solve(Quadratic(A, b), w, options=ALONE)
        assert failure.value.result.iterations < 40  # three weights, 40 each


@pytest.mark.parametrize("options", [TrescaOptions(), TrescaOptions(fallback_only=True)], ids=["newton", "path"])
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


class Saturating(Quartic):
    """A v - b + k v_i/sqrt(1 + |v_i|^2): convex, but far out Newton's model is so soft that full steps overshoot."""

    def gradient(self, v):
        return Quadratic.gradient(self, v) + self.k * Smooth(1.0).force(v, np.ones(len(v)))

    def hessian(self, v):
        data = self.data.copy()
        data[self.diagonal] += self.k * Smooth(1.0).tangent(v, np.ones(len(v))).reshape(-1, 4)
        return data


@pytest.mark.parametrize("options", [TrescaOptions(), TrescaOptions(fallback_only=True)], ids=["all", "path"])
def test_the_smoothed_path_converges_from_far_off_where_full_newton_steps_overshoot(options):
    A, b, w = random_problem(40, seed=9)
    A, k = 0.02 * A, 30.0
    w[::4] *= 40.0
    far = 30.0 * np.sign(b)
    part = Saturating(A, 8.0 * b, k)
    with pytest.raises(FrictionSolveError):
        solve(part, w, velocity=far, options=ALONE)
    result = solve(part, w, velocity=far, options=options)
    assert {STICK, SLIP} <= set(result.state)
    saturated = k * Smooth(1.0).force(result.velocity, np.ones(len(w)))
    violation = kkt_violation(A, 8.0 * b - saturated, w, result.velocity, result.multiplier)
    assert violation <= 2.0 * result.tolerance < 1e-8


def test_newton_converges_quadratically_on_a_nonlinear_part_when_no_factor_is_kept():
    A, b, w = random_problem(50, seed=5, stiffness=0.3)
    part = Quartic(A, 2.0 * b, 1.0)
    exact = solve(part, w).velocity
    part.visited.clear()
    solve(part, w, velocity=exact * 1.05, options=TrescaOptions(chord_steps=0.0))
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
    result = solve(Quartic(A, b, 10.0), w, law=Smooth(1e-3), velocity=50.0 * np.ones_like(b), fixed=held)
    size = np.hypot(np.hypot(*result.velocity.T), 1e-3)[:, None]
    part = Quartic(A, b, 10.0)
    balance = part.gradient(result.velocity) + w[:, None] * result.velocity / size
    assert np.abs(balance[~held]).max() <= result.tolerance
    assert not result.velocity[held].any()
    np.testing.assert_allclose(result.multiplier[held], -part.gradient(result.velocity)[held], atol=1e-12)
