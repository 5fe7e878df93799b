"""Friction that falls with the speed under a rigid row: which of several solutions a stage accepts, compiled and in NumPy."""

import numpy as np
import pytest

from friction import LAWS, Limited
from friction.errors import RigidFrictionError
from friction.rigid.compiled_laws import compiled_law
from friction.rigid.kernels import rigid_slip
from friction.rigid.problem import RigidFrictionProblem
from friction.rigid.solve import solve_rigid_regular
from friction.rigid.uniqueness import least_slope
from friction.status import MESSAGES, SEVERAL, SOLVED

SLIDING = LAWS["sliding"](0.02, 0.06, 0.7)
SPLINE = LAWS["coefficient-spline"]((0.0, 0.02, 0.03, 0.2), (0.0, 1.0, 0.8, 0.4))
STICTION = LAWS["sliding-stiction"](0.02, 0.06, 0.7, 1e-3)
FALLING = {"sliding": SLIDING, "cut": SLIDING.capped(0.9), "spline": SPLINE, "bristles": STICTION}
FALLING["limited bristles"] = Limited(STICTION, 0.8)


@pytest.mark.parametrize("law", ["sliding", "cut", "spline"])
def test_the_least_slope_over_a_range_of_speeds_is_that_of_any_radial_law(law):
    rng, radial = np.random.default_rng(1), FALLING[law]
    low, high = np.sort(rng.uniform(0.0, 0.1, (2, 200)) * (rng.random((2, 200)) < 0.9), axis=0)
    knots = np.array(radial.knots())
    computed = [least_slope(radial.numbers, knots, a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    expected = radial.least_slope(low, high)
    assert 20 < np.count_nonzero(expected < 0.0) < 180
    np.testing.assert_allclose(computed, expected, rtol=1e-12, atol=1e-12)


def stages(law, rng, count):
    """Stages of a body of 1 kg on few points: problem, law of the stage, compiled status and slip, and what they began with."""
    for _ in range(count):
        points, tau = int(rng.integers(1, 5)), 10.0 ** rng.uniform(-3.0, -0.5)
        arms, w = rng.uniform(-0.1, 0.1, (points, 2)), rng.uniform(0.0, 2.0 / points, points)
        inertia, start = np.array([1.0, 1.0, 5e-3]) / tau, rng.normal(size=3) * [0.05, 0.05, 0.5] * (rng.random() < 0.9)
        driven = inertia * start + rng.normal(size=3) * [1.0, 1.0, 0.05]
        old, came = rng.normal(scale=5e-4, size=(points, 2)), rng.normal(scale=0.03, size=(points, 2))
        came *= rng.random((points, 1)) < 0.8
        problem = RigidFrictionProblem(inertia=inertia, wrench=driven, arms=arms, bound=w)
        shared = law.with_total_load(w)
        known = compiled_law(shared)
        p, lam = start.copy(), np.zeros((2, points))
        transposed = [np.array(a.T, order="C") for a in (arms, came, np.zeros_like(came), old)]
        status, _, _ = rigid_slip(
            known.code,
            known.numbers,
            known.falling,
            problem.matrix,
            driven,
            transposed[0],
            w,
            p,
            lam,
            *transposed[1:],
            tau,
        )
        own = shared.for_stage(old, tau) if law.has_internal_state else shared
        yield problem, own, start, came, status, p


@pytest.mark.parametrize("name", FALLING)
def test_the_compiled_stage_accepts_and_refuses_what_numpy_does(name):
    counts = {SOLVED: 0, SEVERAL: 0}
    for problem, law, start, came, status, p in stages(FALLING[name], np.random.default_rng(2), 120):
        try:
            expected = solve_rigid_regular(law, problem, start, came)
        except RigidFrictionError as error:
            assert status != SOLVED
            counts[SEVERAL] += int(str(error) == MESSAGES[SEVERAL] == MESSAGES[status])
        else:
            assert status == SOLVED
            scale = np.abs(problem.wrench) + problem.bound.sum()
            residual = problem.matrix @ (p - expected.rates)
            assert np.abs(residual[:2]).max() <= 1e-8 * scale.max()
            counts[SOLVED] += 1
    assert counts[SOLVED] > 20
    assert counts[SEVERAL] > 6


def test_no_other_solution_lies_between_the_incoming_slip_and_the_accepted_one():
    """One point along x: a fine grid shows all roots of M (v − v*)/τ + w m(v). Some stages have others elsewhere."""
    rng, known, elsewhere, refused = np.random.default_rng(3), compiled_law(SLIDING), 0, 0
    grid = np.linspace(-0.1, 0.7, 16001) + 1e-9
    none, arms = np.zeros((2, 1)), np.zeros((2, 1))
    for _ in range(300):
        mass, came = rng.uniform(2.0, 12.0), rng.uniform(0.0, 0.15)
        before = (
            rng.uniform(0.05, 0.1) + rng.uniform(0.6, 1.0) / mass
        )  # the line meets the curve's peak, its end, or both
        h, p, w = np.diag([mass, mass, 1.0]), np.array([came, 0.0, 0.0]), np.ones(1)
        c, slip = h @ [before, 0.0, 0.0], np.array([[came], [0.0]])
        status, _, _ = rigid_slip(
            known.code, known.numbers, known.falling, h, c, arms, w, p, np.zeros((2, 1)), slip, none, none, 0.0
        )
        residual = mass * (grid - before) + np.sign(grid) * SLIDING.profile(np.abs(grid))
        roots = grid[1:][np.signbit(residual[1:]) != np.signbit(residual[:-1])]
        refused += int(status == SEVERAL)
        if status == SOLVED:
            low, high = sorted((came, p[0]))
            assert not np.any((roots > low + 1e-4) & (roots < high - 1e-4))
            elsewhere += int(len(roots) > 1)
    assert refused > 20
    assert elsewhere > 5
