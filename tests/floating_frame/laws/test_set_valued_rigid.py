"""Rigid bodies under every set-valued law: the equations of the law hold at the solution, in stick and in slip."""

import numpy as np
import pytest
from ff_examples import plate
from problems import run

from floating_frame import BodyForce, InitialState, RigidBody
from floating_frame.errors import RigidFrictionError
from friction import CoefficientSpline, Coulomb, Elliptic, Foundation, Limited, StaticKinetic, Stribeck
from friction.rigid.problem import RigidFrictionProblem, RigidSlip
from friction.rigid.solve import point_velocity, solve_at_rest, solve_set_valued

N = 12
LAWS = {
    "coulomb": Coulomb(),
    "elliptic": Elliptic(2.5, 0.7),
    "elliptic-cut": Elliptic(2.5, 0.7).capped(0.6),
    "static-kinetic": StaticKinetic(0.7),
    "stribeck": Stribeck(0.6, 0.5),
    "coefficient-spline": CoefficientSpline((0.0, 0.3, 2.0), (1.0, 0.7, 0.8)),
    "limited": Limited(Stribeck(0.6, 0.5), 9.0),
}


def random_problem(seed, *, full=False):
    rng = np.random.default_rng(seed)
    arms, weights = rng.uniform(-1.0, 1.0, (N, 2)), rng.uniform(0.5, 1.5, N)
    h = np.diag(rng.uniform(20.0, 40.0, 3))
    if full:
        root = rng.standard_normal((3, 3))
        h = h + root @ root.T
    return h, rng.standard_normal(3), arms, weights


def wrench_of(arms, lam):
    return np.array([*lam.sum(axis=0), np.sum(arms[:, 0] * lam[:, 1] - arms[:, 1] * lam[:, 0])])


def solve(law, h, c, arms, weights, slid):
    start, none = np.zeros(3), np.zeros((N, 2))
    problem = RigidFrictionProblem(inertia=h, wrench=c, arms=arms, bound=weights)
    return solve_set_valued(law.with_total_load(weights), problem, RigidSlip(start, none), slid)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("seed", range(4))
def test_sliding_points_obey_the_law_and_all_together_balance(name, seed):
    law, (h, direction, arms, weights) = LAWS[name], random_problem(seed, full=seed % 2 == 1)
    c = 40.0 * direction / np.abs(direction[:2]).max()
    slid = np.random.default_rng(seed).random(N) < 0.5
    computed = solve(law, h, c, arms, weights, slid)
    v = point_velocity(computed.rates, arms)
    assert np.hypot(*v.T).min() > 1e-3
    np.testing.assert_allclose(computed.multiplier, law.force(v, weights), rtol=0, atol=1e-9)
    np.testing.assert_allclose(h @ computed.rates + wrench_of(arms, computed.multiplier), c, rtol=0, atol=1e-9)
    power = np.einsum("na,na->n", computed.multiplier, v)
    assert np.all(power > 0.0)


@pytest.mark.parametrize("name", LAWS)
def test_from_rest_a_body_holds_within_its_limit_exactly_and_slides_beyond(name):
    law, (h, direction, arms, weights) = LAWS[name], random_problem(7)
    low, high = 0.0, 100.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        problem = RigidFrictionProblem(inertia=h, wrench=middle * direction, arms=arms, bound=weights)
        held = not np.any(solve_at_rest(law.with_total_load(weights), problem).rates)
        low, high = (middle, high) if held else (low, middle)
    still = solve(law, h, 0.999 * low * direction, arms, weights, np.zeros(N, bool))
    np.testing.assert_array_equal(still.rates, 0.0)
    np.testing.assert_allclose(wrench_of(arms, still.multiplier), 0.999 * low * direction, rtol=0, atol=1e-9)
    assert np.any(solve(law, h, 1.001 * low * direction, arms, weights, np.zeros(N, bool)).rates)
    # no wrench in stick may do more than the law's most at any motion: |lambda| stays within the set
    shared = law.with_total_load(weights)
    static = getattr(shared, "static", None)
    for d in np.random.default_rng(3).standard_normal((60, 2)):
        rates = np.tile(d, (N, 1))
        sliding = np.einsum("ia,ia->i", shared.force(rates, weights), rates)
        most = sliding if static is None else static * weights * np.hypot(*d)
        assert np.all(still.multiplier @ d <= most * (1.0 + 1e-9))


def test_a_point_that_slid_has_its_kinetic_bound_and_one_at_rest_its_static_one():
    h, _, arms, weights = random_problem(2)
    law, arms = StaticKinetic(0.5), np.zeros_like(arms)
    c = np.array([0.8 * weights.sum(), 0.0, 0.0])  # between the kinetic and the static bound
    still = solve(law, h, c, arms, weights, np.zeros(N, bool))
    moving = solve(law, h, c, arms, weights, np.ones(N, bool))
    np.testing.assert_array_equal(still.rates, 0.0)
    assert moving.rates[0] == pytest.approx(0.3 * weights.sum() / h[0, 0], rel=1e-9)


def test_bounds_that_do_not_settle_are_a_named_failure_with_advice():
    h, _, arms, weights = random_problem(5)
    steep = CoefficientSpline((0.0, 1e-6, 1.0), (0.1, 1.0, 1.0))  # rises within 1e-6 m/s
    c = np.array([0.5 * weights.sum(), 0.0, 0.0])
    with pytest.raises(RigidFrictionError, match=r"did not settle in .* smaller time step"):
        solve(steep, 1e-3 * h, c, np.zeros_like(arms), weights, np.zeros(N, bool))


@pytest.mark.parametrize("rigid", [True, False])
@pytest.mark.parametrize("law", [Coulomb(), StaticKinetic(0.7), Stribeck(0.6, 0.1), Elliptic(2.0)])
@pytest.mark.quick("law0-False", "law1-True", "law2-True", "law3-True")
def test_a_thrown_body_comes_to_rest_without_sliding_back_whatever_the_step(law, rigid):
    body = plate(2, 1, E=2e5)
    body = RigidBody.from_plate(body) if rigid else body
    for dt in (7e-3, 9.3e-3, 1.1e-2):
        start = InitialState(velocity=(0.8, 0.0))
        data = run(body, 0.4, dt, foundation=Foundation(law, 0.4, 98.1), initial=start)
        v = data.velocity.values[:, :, 0]
        assert v[0].min() == 0.8
        assert v.min() >= 0.0
        assert np.all(data.stick.values[-1] == 1)


def test_a_body_pushed_across_the_axes_of_an_ellipse_slides_toward_the_easy_one():
    """From rest x'' = (f - lambda)/m with lambda = w D'D n/|D n| and n along x'': slid to one side by the amount found by hand."""
    body = RigidBody.from_plate(plate(2, 1))
    mass, normal = float(body.mass_matrix.sum()), 98.1 * float(body.nodal_area.sum())
    push = 0.6 * normal * np.array([np.cos(0.8), np.sin(0.8)])
    given = {"foundation": Foundation(Elliptic(2.0), 0.4, 98.1), "loads": (BodyForce(tuple(push / mass)),)}
    data = run(body, 0.1, 0.01, **given)
    v = data.frame_velocity.values[-1]
    n = v / np.hypot(*v)
    d = np.array([1.0, 0.5])
    acceleration = (push - 0.4 * normal * d * d * n / np.hypot(*(d * n))) / mass
    np.testing.assert_allclose(v, 0.1 * acceleration, rtol=1e-9)
    assert n[1] / n[0] > 1.3 * np.tan(0.8)


def test_points_of_a_rigid_row_move_as_the_plain_formula_says_and_stand_still_exactly_at_the_pole():
    rng = np.random.default_rng(5)
    rates, arms = rng.normal(size=3), rng.normal(size=(40, 2))
    arms[7] = -rates[1] / rates[2], rates[0] / rates[2]
    plain = rates[:2] + rates[2] * np.stack([-arms[:, 1], arms[:, 0]], axis=1)
    computed = point_velocity(rates, arms)
    assert not computed[7].any()
    np.testing.assert_allclose(computed, plain, rtol=0, atol=1e-15 * np.abs(plain).max())
