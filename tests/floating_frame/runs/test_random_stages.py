"""The solver at nodes on random and hard stages: what it says is solved obeys the laws, and it needs no path of smoothed problems.

Stages start cold, at rest, from random incoming velocities, loads, lengths, bounds or coefficients and gaps; runs are those with
onsets, arrests, spin, no friction and much, and steps many times as long as elastic waves take through an element."""

from collections import Counter

import numpy as np
import pytest
from case_models import model_of
from ff_records import stage_at

import floating_frame as ff
from cases import plate_sliding, solid_pulled
from floating_frame.system.elastic.equilibrium import ElasticBody
from floating_frame.system.elastic.factors import ElasticFactor
from friction import FactorCache, NotPositiveDefinite, solve
from friction.nodal.coulomb import NEWTON_METHODS

SLOW = pytest.mark.slow
COUNTS = [100, pytest.param(1500, marks=SLOW)]
METHODS = {*NEWTON_METHODS, "linear"}


def assembled(case, **given):
    return model_of(case, **given)[1]


def balance(elastic, X, incoming, load, dt, v):
    """M (v - v*)/dt - f(u) - load, by the body itself, and the largest entry of its terms."""
    body, mass = elastic.body, elastic.mass.matrix
    inertia, internal = mass @ ((v - incoming) / dt), body.internal_force(X + dt * v - X.mean(axis=0) - body.X)
    return inertia - internal - load, max(np.abs(inertia).max(), np.abs(internal).max(), np.abs(load).max())


@pytest.mark.parametrize("trials", COUNTS)
def test_random_stages_of_a_plate_are_solved_by_newtons_method_alone(trials):
    model, rng, computed, parts = assembled(plate_sliding, nx=16, ny=8), np.random.default_rng(7), Counter(), Counter()
    elastic, X = ElasticBody.of(model.body), model.body.X
    pattern = model.body.indptr, model.body.indices
    cache = FactorCache(*pattern, ElasticFactor(*pattern), d=2)
    bound0, N = np.array(model.system.friction.bound(0.0)), len(X)
    for _ in range(trials):
        dt = 10.0 ** rng.uniform(-3.5, -0.7)
        smooth = rng.standard_normal((2, 2)) * rng.choice([0.0, 1.0, 10.0])
        mean = rng.standard_normal(2) * rng.choice([0.0, 0.3, 3.0])
        incoming = X @ smooth + mean + 0.05 * rng.standard_normal((N, 2))
        load = rng.standard_normal((N, 2)) * bound0[:, None] * 10.0 ** rng.uniform(-2, 1.5)
        w = bound0 * 10.0 ** rng.uniform(-2, 1.5)
        w[rng.random(N) < rng.choice([0.0, 0.5])] = 0.0
        part = stage_at(elastic, X, incoming, load, (dt, dt, 1.0), (X.mean(axis=0), np.eye(2)))
        try:
            cache.forget()
            result = solve(part, w, velocity=np.zeros((N, 2)), cache=cache)
        except NotPositiveDefinite:  # bent so far that a shorter step is the cure
            computed["indefinite"] += 1
            continue
        computed[result.method] += 1
        v, (g, size) = result.velocity, balance(elastic, X, incoming, load, dt, result.velocity)
        speed, force = np.hypot(*v.T), np.hypot(*g.T)
        rests = speed == 0.0
        allowed = 1.01 * result.tolerance + 1e-13 * size
        assert (force[rests] <= w[rests] + allowed).all()
        pull = w[:, None] * v / np.where(rests, 1.0, speed)[:, None]
        assert np.abs(g + pull)[~rests].max(initial=0.0) <= allowed
        assert result.tolerance <= 1e-8 * max(size, w.max())
        parts["stick"] += int(rests.any())
        parts["slip"] += int((~rests & (w > 0.0)).any())
    assert min(parts.values()) > 0.1 * trials
    assert computed["indefinite"] <= 0.05 * trials
    assert computed.keys() <= METHODS | {"indefinite"}, computed


FEW = {"nx": 16, "ny": 8}
THROWN = FEW | {"pull_x": 0.0, "pull_y": 0.0, "vx0": 1.0, "spin0": 6.0, "t_end": 0.8}
HARD = {
    "onset with steps ten times as long": (plate_sliding, FEW | {"dt": 0.02, "t_end": 1.6}),
    "steps 25 times as long": (plate_sliding, FEW | {"dt": 0.05, "t_end": 1.6}),
    "thrown and spinning, long steps": (plate_sliding, THROWN | {"dt": 0.02}),
    "block, long steps": (solid_pulled, {"dt": 0.01, "t_end": 0.3}),
    "plate, whole run": (plate_sliding, FEW),
    "plate, no friction": (plate_sliding, FEW | {"mu": 0.0, "t_end": 0.4}),
    "plate, strong friction, all but the edge sticks": (plate_sliding, FEW | {"mu": 1.0, "t_end": 0.8}),
    "plate, weak friction": (plate_sliding, FEW | {"mu": 0.02, "t_end": 0.4}),
    "thrown and spinning, stops": (plate_sliding, THROWN),
    "stiff plate": (plate_sliding, FEW | {"E": 6e7, "t_end": 0.8}),
    "fine plate, onset": (plate_sliding, {"nx": 64, "ny": 32, "t_end": 0.2}),
    "block, whole run": (solid_pulled, {}),
    "block, no friction": (solid_pulled, {"mu": 0.0, "t_end": 0.1}),
    "block, mu 1, tips": (solid_pulled, {"mu": 1.0, "t_end": 0.2}),
    "block, mu 1.5, pulled aside": (solid_pulled, {"mu": 1.5, "pull_x": 20.0, "pull_y": 20.0, "t_end": 0.2}),
    "stiff block": (solid_pulled, {"E": 5e7, "t_end": 0.1}),
}
ROWS = [pytest.param(*row, id=name, marks=[SLOW] if k > 3 else []) for k, (name, row) in enumerate(HARD.items())]


@pytest.mark.parametrize(("case", "given"), ROWS)
def test_hard_runs_need_neither_another_method_nor_shorter_steps(case, given):
    data = ff.simulate(assembled(case, **given))
    assert float(data.newton_iterations.sum()) > data.sizes["time"] - 1
    assert float(data.fallbacks.sum()) == 0.0
    assert float(data.halvings.sum()) == 0.0
    energy = np.abs(data.work_external).max() + np.abs(data.energy_kinetic).max()
    assert float(np.abs(data.balance_error).max()) <= 1e-9 * float(energy)
