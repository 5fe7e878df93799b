"""How the friction problem is solved: fallbacks that are needed, nonlinear parts, regularised laws, factors that are kept."""

import numpy as np
import pytest
from friction_problems import (
    check_optimal,
    distance_allowed,
    kkt_violation,
    plate,
    pulled_plate,
    random_problem,
    tolerance_allowed,
)

from friction import SLIP, STICK, FactorCache, FrictionSolveError, Quadratic, Smooth, TrescaOptions, solve
from friction.nodal import newton

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
    for cells, pull in ((32, 1.5), (24, 0.9)):
        A, b, w = pulled_plate(cells, 1e11, 1.0, pull)
        with pytest.raises(FrictionSolveError) as failure:
            solve(Quadratic(A, b), w, options=ALONE)
        assert failure.value.reason == "stagnated"
        assert failure.value.result.iterations < 40  # three weights, 40 each: it gives up long before its cap
    result = solve(Quadratic(A, b), w)
    assert result.method == "smoothed"
    assert 3 <= result.fallback_iterations <= 15
    assert kkt_violation(A, b, w, result.velocity, result.multiplier) <= 2.0 * result.tolerance
    assert result.tolerance <= tolerance_allowed(A, b, w, result.velocity)
    again = solve(Quadratic(A, b), w, options=TrescaOptions(fallback_only=True))
    apart = np.linalg.norm(again.velocity - result.velocity)
    assert apart <= distance_allowed(A, max(again.tolerance, result.tolerance))
    assert apart <= 1e-3 * np.abs(result.velocity).max()


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


def test_regularised_law_on_a_nonlinear_part_from_a_bad_start():
    A, b, w = random_problem(60, seed=6)
    held = np.arange(60) % 20 == 0
    result = solve(Quartic(A, b, 10.0), w, law=Smooth(1e-3), velocity=50.0 * np.ones_like(b), fixed=held)
    size, part = np.hypot(np.hypot(*result.velocity.T), 1e-3)[:, None], Quartic(A, b, 10.0)
    balance = part.gradient(result.velocity) + w[:, None] * result.velocity / size
    assert np.abs(balance[~held]).max() <= result.tolerance
    assert not result.velocity[held].any()
    np.testing.assert_allclose(result.multiplier[held], -part.gradient(result.velocity)[held], atol=1e-12)


def test_a_kept_factor_serves_the_next_solve_of_its_key():
    A, b, w = pulled_plate(20, 1e8, 1e-3, 3.0)
    b = 3.0 * w[:, None] * np.array([1.0, 0.2]) + 0.1 * b
    part = Quadratic(A, b)
    cache = FactorCache(part.indptr, part.indices)
    first = solve(part, w, cache=cache, key=1e-3)
    assert first.factorisations >= 1
    part.b = 1.01 * b
    warm = {"velocity": first.velocity}
    reused = solve(part, w, cache=cache, key=1e-3, **warm)
    assert reused.factorisations == 0
    assert 1 <= reused.solves <= 7
    check_optimal(A, part.b, w, reused)
    assert solve(part, w, cache=cache, key=2e-3, **warm).factorisations >= 1  # another key
    cache.forget()
    assert solve(part, w, cache=cache, key=1e-3, **warm).factorisations >= 1


def test_a_kept_matrix_is_factorised_for_other_sticking_nodes_and_dropped_where_steps_do_not_contract(monkeypatch):
    A, b, w = pulled_plate(20, 1e8, 1e-3, 2.5)
    part, hessians = Quadratic(A, b), []
    monkeypatch.setattr(Quadratic, "hessian", lambda self, v: hessians.append(1) or self.data)
    cache = FactorCache(part.indptr, part.indices)
    first = solve(part, w, cache=cache, key=1e-3)
    made, speed = len(hessians), np.hypot(*first.velocity.T)
    start = np.where((speed < 0.2 * speed.max())[:, None], 0.0, first.velocity)
    again = solve(part, w, velocity=start, cache=cache, key=1e-3)
    assert again.factorisations > len(hessians) - made
    np.testing.assert_allclose(again.velocity, first.velocity, rtol=0.0, atol=1e-9 * speed.max())
    made = len(hessians)
    other = Quadratic(3.0 * A, b)  # another matrix under the same key: slower, but the same solution
    check_optimal(3.0 * A, b, w, solve(other, w, velocity=start, cache=cache, key=1e-3))
    assert len(hessians) > made


def test_warm_dynamic_steps_take_few_iterations_on_every_mesh():
    for cells in (10, 30):
        tau = 1e-3
        A, b, w = pulled_plate(cells, 1e8, tau, 2.5)
        part = Quadratic(A, b)
        cache = FactorCache(part.indptr, part.indices)
        mass_over_tau = plate(cells, 1.0)[2] / tau
        v, force, counts, factorisations = np.zeros_like(b), np.zeros_like(b), [], 0
        stiffness = A - mass_over_tau  # tau K
        for step in range(12):
            part.b = force + b + (mass_over_tau @ v.ravel()).reshape(b.shape)
            result = solve(part, w, velocity=v, cache=cache, key=tau)
            check_optimal(A, part.b, w, result)
            v = result.velocity
            force -= (stiffness @ v.ravel()).reshape(b.shape)
            if step >= 6 and np.all(result.state == SLIP):
                counts.append(result.iterations)
                factorisations += result.factorisations
                assert result.method == "newton"
        assert len(counts) >= 4  # it slid as a whole
        assert 2 <= max(counts) <= 7
        assert factorisations <= len(counts)


def test_where_slip_begins_the_factorisations_do_not_grow_with_the_mesh(monkeypatch):
    """A front of slip goes on by a row of elements a Newton step; sweeps as far as the wave of a step (3 rows)."""
    counts = {}
    for cells in (10, 20, 40):
        A, b, w = pulled_plate(cells, 1e8, 2e-4, 0.25)
        result = solve(Quadratic(A, b), w)
        check_optimal(A, b, w, result)
        assert 0.05 < np.mean(result.state == SLIP) < 0.15
        counts[cells] = result.factorisations
    assert max(counts.values()) <= 2
    monkeypatch.setattr(newton, "_gauss_seidel", lambda problem, at, data: (at.v, False))
    alone = solve(Quadratic(A, b), w)
    assert alone.factorisations >= counts[40] + 3
    np.testing.assert_array_equal(alone.state, result.state)
    scale = np.abs(result.velocity).max()
    np.testing.assert_allclose(alone.velocity, result.velocity, rtol=0.0, atol=1e-9 * scale)


def test_steps_with_an_old_factor_converge_faster_than_linearly():
    """Broyden's rate falls from step to step, where a chord step's stays (Kelley 2003): on A x = b with a matrix 30 % off."""
    random = np.random.default_rng(8)
    root = random.standard_normal((6, 6))
    A, b = root @ root.T + 6.0 * np.eye(6), random.standard_normal(6)
    old = A + np.diag(random.uniform(0.0, 0.6, 6) * np.diag(A))

    def left(secant):
        x, taken, sizes = np.zeros((3, 2)), [], []
        for _ in range(9):
            rest = b - A @ x.ravel()
            sizes.append(float(np.linalg.norm(rest)))
            taken.append(newton._broyden_step(np.linalg.solve(old, rest).reshape(3, 2), taken if secant else []))
            x = x + taken[-1]
        return np.array(sizes)

    chord, broyden = left(secant=False), left(secant=True)
    rates = chord[1:] / chord[:-1]
    assert 0.2 < rates[-1] < 0.6
    assert abs(rates[-1] - rates[-2]) < 0.05
    assert broyden[-1] < 1e-3 * chord[-1]


def test_where_few_nodes_move_sweeps_solve_without_a_factor_and_their_matrix_serves_the_next_solve(monkeypatch):
    """Equal to the solution by factors; the model of a quadratic potential is exact, so sweeps to its 1e-6 need few repetitions."""
    A, b, w = pulled_plate(20, 1e8, 1e-4, 0.25)
    part, hessians = Quadratic(A, b), []
    monkeypatch.setattr(Quadratic, "hessian", lambda self, v: hessians.append(1) or self.data)
    cache = FactorCache(part.indptr, part.indices)
    swept = solve(part, w, cache=cache, key=1e-4)
    assert 10 < np.count_nonzero(swept.state == SLIP) < 0.1 * len(w)
    assert (swept.factorisations, swept.solves, len(hessians)) == (0, 0, 1)
    assert 1 <= swept.iterations <= 3
    check_optimal(A, b, w, swept)
    part.b = 1.1 * b
    again = solve(part, w, velocity=swept.velocity, cache=cache, key=1e-4)
    assert (again.factorisations, again.solves, len(hessians)) == (0, 0, 1)
    check_optimal(A, part.b, w, again)
    assert np.abs(again.velocity - swept.velocity).max() > 0.05 * np.abs(swept.velocity).max()
    cache.forget()
    check_optimal(A, part.b, w, solve(part, w, velocity=swept.velocity, cache=cache, key=1e-4))
    assert (made := len(hessians)) > 1
    other = Quadratic(3.0 * A, b)  # another matrix under the same key
    wrong = solve(other, w, velocity=swept.velocity, cache=cache, key=1e-4)
    check_optimal(3.0 * A, b, w, wrong)
    assert len(hessians) > made
    monkeypatch.setattr(newton, "SOLVED_RATIO", 0.0)
    factored = solve(Quadratic(A, b), w)
    assert factored.factorisations >= 1
    np.testing.assert_array_equal(factored.state, swept.state)
    np.testing.assert_allclose(factored.velocity, swept.velocity, rtol=0.0, atol=1e-9 * np.abs(swept.velocity).max())
