"""Warm starts: a factor carried from solve to solve, and counts that stay small on every mesh."""

import numpy as np
from friction_problems import check_optimal, plate, pulled_plate

from friction import SLIP, FactorCache, Quadratic, solve
from friction.nodal import newton


def test_a_kept_factor_serves_the_next_solve_and_is_dropped_where_it_does_not_contract():
    A, b, w = pulled_plate(20, 1e8, 1e-3, 3.0)
    b = 3.0 * w[:, None] * np.array([1.0, 0.2]) + 0.1 * b
    part = Quadratic(A, b)
    cache = FactorCache(part.indptr, part.indices)
    first = solve(part, w, cache=cache, key=1e-3)
    assert first.factorisations >= 1
    part.b = 1.01 * b
    warm = {"velocity": first.velocity}
    kept = solve(part, w, cache=cache, key=1e-3, **warm)
    assert kept.factorisations == 0
    assert 1 <= kept.solves <= 7
    check_optimal(A, part.b, w, kept)
    assert solve(part, w, cache=cache, key=2e-3, **warm).factorisations >= 1  # another key
    cache.forget()
    assert solve(part, w, cache=cache, key=1e-3, **warm).factorisations >= 1
    # the same key with a matrix that is another one after all: slower, but the same solution
    other = Quadratic(3.0 * A, b)
    wrong = solve(other, w, cache=cache, key=1e-3, **warm)
    check_optimal(3.0 * A, b, w, wrong)
    assert wrong.factorisations >= 1


def test_warm_dynamic_steps_take_few_iterations_on_every_mesh():
    for cells in (10, 20, 40):
        tau = 1e-3
        A, b, w = pulled_plate(cells, 1e8, tau, 2.5)
        part = Quadratic(A, b)
        cache = FactorCache(part.indptr, part.indices)
        mass_over_tau = plate(cells, 1.0)[2] / tau
        v, counts, factorisations = np.zeros_like(b), [], 0
        force = np.zeros_like(b)
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
