"""Warm starts: a factor carried from solve to solve, and counts that stay small on every mesh."""

import numpy as np
from friction_problems import check_optimal, plate, pulled_plate

from friction import SLIP, FactorCache, Quadratic, solve


def test_a_kept_factor_serves_the_next_solve_and_is_dropped_where_it_does_not_contract():
    A, b, w = pulled_plate(20, 1e8, 1e-3, 3.0)
    b = 3.0 * w[:, None] * np.array([1.0, 0.2]) + 0.1 * b
    part = Quadratic(A, b)
    cache = FactorCache(part.indptr, part.indices)
    first = solve(part, w, cache=cache, key=1e-3)
    assert first.factorisations >= 1
    part.b = 1.01 * b
    warm = {"velocity": first.velocity, "multiplier": first.multiplier}
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
        v, lam, counts, factorisations = np.zeros_like(b), None, [], 0
        force = np.zeros_like(b)
        stiffness = A - mass_over_tau  # tau K
        for step in range(12):
            part.b = force + b + (mass_over_tau @ v.ravel()).reshape(b.shape)
            result = solve(part, w, velocity=v, multiplier=lam, cache=cache, key=tau)
            check_optimal(A, part.b, w, result)
            v, lam = result.velocity, result.multiplier
            force -= (stiffness @ v.ravel()).reshape(b.shape)
            if step >= 6 and np.all(result.state == SLIP):
                counts.append(result.iterations)
                factorisations += result.factorisations
                assert result.method == "semismooth"
        assert len(counts) >= 4  # it slid as a whole
        assert 2 <= max(counts) <= 7
        assert factorisations <= len(counts)
