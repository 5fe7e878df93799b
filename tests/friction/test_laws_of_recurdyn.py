"""The laws of RecurDyn: their curves, creep and hold below the friction angle, the maximum force, splines, frames; and refusals."""

import numpy as np
import pytest
import scipy.sparse as sp
from law_examples import EVERY, MEMORY, TAU, V, W, size
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from step5 import step5

from friction import (
    CoefficientSpline,
    Coulomb,
    Elliptic,
    ForceSpline,
    Limited,
    Quadratic,
    Sliding,
    SlidingStiction,
    StaticKinetic,
    Stribeck,
    TrescaOptions,
    solve,
)

V_S, V_D, RATIO, D_MAX = 0.1, 0.15, 0.7, 1e-3
ONE = np.ones(1)
FINE = TrescaOptions(rtol=1e-14)  # the creep's root is wanted to 1e-12 m/s


def along(law, speeds, direction=(0.6, 0.8)):
    """lambda/w along the slip (K,) at speeds (K,), all of it."""
    v = np.asarray(speeds)[:, None] * np.array(direction)
    lam = law.force(v, np.ones(len(v)))
    np.testing.assert_allclose(
        lam @ np.array([-direction[1], direction[0]]), 0.0, atol=1e-15 * max(1.0, np.abs(lam).max())
    )
    return lam @ np.array(direction)


def test_the_sliding_type_is_the_printed_step5_with_the_sign_that_opposes_slip():
    s = np.array([0.0, 0.02, 0.07, 0.1, 0.11, 0.14, 0.15, 0.4])
    printed = np.where(s <= V_S, step5(s, -V_S, 1.0, V_S, -1.0), step5(s, V_S, -1.0, V_D, -RATIO))
    table = np.where(s <= V_S, 0.0, step5(s, V_S, 1.0, V_D, RATIO))
    found = along(Sliding(V_S, V_D, RATIO), s)
    np.testing.assert_allclose(found, -printed, atol=1e-15)
    np.testing.assert_allclose(found[s > V_S], table[s > V_S], atol=1e-15)
    assert found[3] == found.max() == 1.0
    assert found[-1] == pytest.approx(RATIO, rel=1e-15)


def test_sliding_and_stiction_is_the_printed_sum_below_the_threshold_and_the_sliding_type_beyond():
    law = SlidingStiction(V_S, V_D, RATIO, D_MAX)
    s = np.array([0.0, 0.02, 0.07, 0.0999])
    for deflection in (0.0, 2e-4, -7e-4):
        beta = step5(np.abs(s), -V_S, -1.0, V_S, 1.0)
        mu_delta = step5(deflection, -D_MAX, 1.0, D_MAX, -1.0)
        printed = (1.0 - beta) * mu_delta + step5(s, -V_S, 1.0, V_S, -1.0)
        memory = np.tile(deflection * np.array([0.6, 0.8]), (len(s), 1))
        np.testing.assert_allclose(along(law.for_stage(memory, 0.0), s), -printed, atol=1e-15)
        fast = np.array([0.1, 0.12, 0.3])
        np.testing.assert_allclose(
            along(law.for_stage(memory[:3], 0.0), fast), along(Sliding(V_S, V_D, RATIO), fast), rtol=1e-14
        )


def settle(law, push, steps=260, tau=0.02, mass=1.0):
    """Speed (m/s), displacement (m) and last change of speed of one node of bound 1 N under a constant push (N)."""
    v, x, memory = np.zeros((1, 2)), 0.0, np.zeros((1, 2))
    A = mass / tau * np.eye(2)
    change = 0.0
    for _ in range(steps):
        b = mass / tau * v + push * np.array([[0.6, 0.8]])
        result = solve(Quadratic(sp.csr_array(A), b), ONE, law=law.for_stage(memory, tau), velocity=v, options=FINE)
        memory = law.updated_state(memory, result.velocity, tau)
        change = float(size(result.velocity - v)[0])
        v = result.velocity
        x += tau * float(np.vdot(v, [0.6, 0.8]))
    return float(np.vdot(v, [0.6, 0.8])), x, change, float(np.vdot(memory, [0.6, 0.8]))


@pytest.mark.parametrize("push", [0.2, 0.5, 0.9])
@pytest.mark.quick("0.5")
def test_below_the_friction_angle_sliding_creeps_at_the_root_of_step5_stiction_holds_and_coulomb_never_moved(push):
    root = brentq(lambda s: step5(s, -V_S, -1.0, V_S, 1.0) - push, 0.0, V_S, xtol=1e-16, rtol=1e-15)
    assert root > 0.1 * push * V_S
    speed, displacement, change, _ = settle(Sliding(V_S, V_D, RATIO), push)
    assert speed == pytest.approx(root, abs=1e-12)
    assert change < 1e-13
    assert displacement == pytest.approx(root * 5.2, rel=0.1)
    held = brentq(lambda d: step5(d, -D_MAX, -1.0, D_MAX, 1.0) - push, 0.0, D_MAX, xtol=1e-18, rtol=1e-15)
    speed, displacement, _, deflection = settle(SlidingStiction(V_S, V_D, RATIO, D_MAX), push)
    assert abs(speed) < 1e-12
    assert deflection == pytest.approx(held, rel=1e-9)
    # started all at once, the largest push swings the bristles past what they can bend: there they slide on a little
    assert displacement == pytest.approx(held, rel=1e-9) or (push == 0.9 and held < displacement < 2.0 * D_MAX)
    assert settle(Coulomb(), push, steps=5) == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("law", EVERY.values(), ids=list(EVERY))
def test_laws_do_not_depend_on_the_axes_but_by_what_is_turned_with_them(law):
    angle = 0.7
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s], [s, c]])  # components in the turned axes are R' v = v @ R
    seen = law.rotated(angle)
    stage, seen_stage = law.for_stage(MEMORY, TAU), seen.for_stage(MEMORY @ R, TAU)
    np.testing.assert_allclose(seen_stage.force(V @ R, W), stage.force(V, W) @ R, atol=1e-14)
    np.testing.assert_allclose(stage.rotated(angle).force(V @ R, W), stage.force(V, W) @ R, atol=1e-14)
    np.testing.assert_allclose(seen_stage.tangent(V @ R, W), R.T @ stage.tangent(V, W) @ R, atol=1e-13)
    np.testing.assert_allclose(
        seen.updated_state(MEMORY @ R, V @ R, TAU), law.updated_state(MEMORY, V, TAU) @ R, atol=1e-16
    )
    np.testing.assert_allclose(seen.internal_rate(MEMORY @ R, V @ R), law.internal_rate(MEMORY, V) @ R, atol=1e-14)
    if "elliptic" in str(law).lower():
        assert np.abs(law.force(V @ R, W) - law.force(V, W) @ R).max() > 0.1  # unturned it does matter


def test_bristles_bend_by_the_slip_below_the_threshold_and_by_their_share_beyond_and_never_too_far():
    law = SlidingStiction(V_S, V_D, RATIO, D_MAX)
    tau = 1e-3
    v = np.array([[0.05, 0.0], [0.0, 0.1], [0.12, 0.0], [0.0, 5.0]])
    start = np.tile([1e-4, -2e-4], (4, 1))
    share = np.array([1.0, 1.0, step5(0.12, V_S, 1.0, V_D, RATIO), RATIO])
    free = start + tau * share[:, None] * v
    found = law.updated_state(start, v, tau)
    np.testing.assert_allclose(found[:3], free[:3], rtol=1e-14)
    np.testing.assert_allclose(found[3], free[3] / size(free)[3] * D_MAX, rtol=1e-14)
    rate = law.internal_rate(start, v)
    np.testing.assert_allclose((law.updated_state(start, v, 1e-9) - start) / 1e-9, rate, rtol=1e-6)
    full = D_MAX * np.array([[0.6, 0.8]])
    outward, inward = np.array([[0.03, 0.05]]), np.array([[-0.03, 0.05]])
    for slip in (outward, inward, -outward):
        kept = law.internal_rate(full, slip)
        np.testing.assert_allclose((law.updated_state(full, slip, 1e-7) - full) / 1e-7, kept, atol=2e-4 * size(slip)[0])
    assert abs(law.internal_rate(full, outward)[0] @ full[0]) < 1e-18
    assert law.internal_rate(full, -outward)[0] @ full[0] < 0.0


def test_without_bristles_sliding_and_stiction_is_the_sliding_type():
    none = SlidingStiction(V_S, V_D, RATIO, 0.0)
    stage = none.for_stage(np.zeros_like(V), 0.1)
    np.testing.assert_allclose(stage.force(V, W), Sliding(V_S, V_D, RATIO).force(V, W), rtol=1e-14)
    np.testing.assert_allclose(stage.tangent(V, W), Sliding(V_S, V_D, RATIO).tangent(V, W), rtol=1e-13)
    assert not none.updated_state(np.zeros_like(V), V, 0.1).any()
    assert not none.stored(np.zeros_like(V), W).any()
    assert not none.internal_rate(np.zeros_like(V), V).any()


def test_a_uniform_slip_meets_the_maximum_force_on_the_whole_body_shared_by_weight():
    v = np.tile([3.0, 4.0], (len(W), 1))
    law = Limited(Coulomb(), 7.0)
    total = law.force(v, W).sum(axis=0)
    np.testing.assert_allclose(total, [4.2, 5.6], rtol=1e-14)
    np.testing.assert_allclose(size(law.force(v, W)), 7.0 * W / W.sum(), rtol=1e-14)
    part = law.with_total_load(W)
    np.testing.assert_allclose(part.force(v[:5], W[:5]), law.force(v, W)[:5], rtol=1e-14)
    loose = Limited(Coulomb(), 1.01 * W.sum())
    np.testing.assert_array_equal(loose.force(v, W), Coulomb().force(v, W))
    assert not law.force(v, 0.0 * W).any()
    twice = Limited(Limited(Coulomb(), 7.0), 3.0)
    np.testing.assert_allclose(size(twice.force(v, W)).sum(), 3.0, rtol=1e-14)
    np.testing.assert_allclose(size(Limited(law, 9.0).force(v, W)).sum(), 7.0, rtol=1e-14)


def test_the_cut_ellipse_keeps_the_axis_that_is_below_the_cut_and_slip_is_normal_to_it():
    strong = Elliptic(0.5, 0.0).capped(0.8)  # semi-axes 1 and 2, both cut
    np.testing.assert_allclose(size(strong.force(V, W)), 0.8 * W, rtol=1e-14)
    law = Elliptic(2.0, 0.0).capped(0.8)  # semi-axes 1 and 1/2, cut to 0.8 and 1/2
    np.testing.assert_allclose(law.force(np.array([[3.0, 0.0], [0.0, 3.0]]), np.ones(2)), [[0.8, 0.0], [0.0, 0.5]])
    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    bound = np.stack([0.8 * np.cos(angles), 0.5 * np.sin(angles)], axis=1)
    for v in np.random.default_rng(4).standard_normal((20, 2)):
        lam = law.force(v[None], ONE)[0]
        assert (lam[0] / 0.8) ** 2 + (lam[1] / 0.5) ** 2 == pytest.approx(1.0, rel=1e-14)
        assert 0.0 <= lam @ v - (bound @ v).max() <= 1e-4 * size(v[None])[0]  # greatest dissipation


def test_splines_go_through_their_points_stay_between_neighbours_and_constant_beyond():
    speeds, forces = (0.0, 0.1, 0.2, 1.0), (0.0, 9.0, 0.0, 4.0)
    law = ForceSpline(speeds, forces)
    w = np.full(4, 0.25)
    found = law.force(np.stack([np.array(speeds), np.zeros(4)], axis=1), w)[:, 0]
    np.testing.assert_allclose(found, np.array(forces) / 4.0, atol=1e-15)
    assert not law.set_valued
    assert ForceSpline(speeds, (1e-3, 9.0, 0.0, 4.0)).set_valued
    fine = np.linspace(0.0, 3.0, 3001)
    m = along(CoefficientSpline(speeds, forces), fine)
    for a, b, left, right in zip(speeds[:-1], speeds[1:], forces[:-1], forces[1:], strict=True):
        piece = m[(fine >= a) & (fine <= b)]
        assert piece.min() >= min(left, right) - 1e-14
        assert piece.max() <= max(left, right) + 1e-14
    np.testing.assert_allclose(m[fine > 1.0], 4.0, rtol=1e-15)
    assert CubicSpline(speeds, forces)(fine).min() < -0.1  # what the monotone spline avoids


def test_stribecks_curve_starts_at_the_static_bound_and_ends_at_the_kinetic_one():
    law = Stribeck(0.6, 0.2, 2.0)
    s = np.array([1e-12, 0.2, 5.0])
    np.testing.assert_allclose(along(law, s), [1.0, 0.6 + 0.4 / np.e, 0.6], rtol=1e-12)
    for exponent in (1.0, 1.7, 2.0):
        curve = Stribeck(0.6, 0.2, exponent)
        assert along(curve, [1e200])[0] == pytest.approx(0.6, rel=1e-15)
        assert np.isfinite(curve.tangent(np.array([[1e200, 0.0]]), ONE)).all()
    kinetic = StaticKinetic(0.6)
    np.testing.assert_allclose(along(kinetic, s), 0.6, rtol=1e-15)
    assert (kinetic.static, kinetic.kinetic) == (1.0, 0.6)
    assert (kinetic.capped(0.8).static, kinetic.capped(0.5).kinetic) == (0.8, 0.5)


def test_a_bristle_brought_to_its_stop_is_at_its_stop_whatever_rounding_left():
    law = SlidingStiction(V_S, V_D, RATIO, D_MAX)
    bent = law.updated_state(np.array([[0.9e-3, 0.0]]), np.array([[0.03, 0.04]]), 0.01)
    v = np.array([[0.05, 0.01]])
    rates = [law.internal_rate(bent * (1.0 + k * 2.3e-16), v) for k in (-3, 0, 3)]
    assert abs(np.linalg.norm(bent) / D_MAX - 1.0) < 1e-15
    for rate in rates:
        np.testing.assert_allclose(rate, rates[0], rtol=1e-12)
        assert abs(float(np.sum(rate * bent))) < 1e-12 * np.linalg.norm(rate) * D_MAX
