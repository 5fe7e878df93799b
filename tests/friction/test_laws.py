"""Friction laws: direction, bound, derivative and axes of all; the curves of each, after RecurDyn; creep and hold of one block."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from law_examples import CAP, CONVEX, EVERY, MEMORY, PLAIN, STAGES, TAU, V, W, size
from rows import rows
from scipy.interpolate import CubicSpline
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
    Smooth,
    StaticKinetic,
    Stribeck,
    solve,
)
from friction.laws.kernels import rise
from friction.laws.protocol import StatelessLaw

V_S, V_D, RATIO, D_MAX = 0.1, 0.15, 0.7, 1e-3
ONE = np.ones(1)


def walk(laws):
    return pytest.mark.parametrize("law", laws.values(), ids=list(laws))


@walk(EVERY)
def test_friction_opposes_sliding_dissipates_and_keeps_its_bound(law):
    lam = law.force(V, W)
    assert np.einsum("ia,ia->i", lam, V).min() > 0.0
    if not isinstance(law.with_total_load(W), Elliptic):
        np.testing.assert_allclose(lam[:, 0] * V[:, 1], lam[:, 1] * V[:, 0], atol=2e-15)  # parallel
    cap = law.with_total_load(W).cap
    assert (size(lam) <= W * min(1.0, cap) * (1 + 1e-15)).all()
    if isinstance(law, Limited):
        assert cap == CAP
        uncut = law.law.force(V, W)
        np.testing.assert_array_equal(lam[size(uncut) < 0.3 * W], uncut[size(uncut) < 0.3 * W])
    assert not law.force(np.zeros_like(V), W).any()


@walk(STAGES)
def test_tangent_is_the_derivative_of_the_force(law):
    c = np.random.default_rng(2).standard_normal(V.shape) * size(V)[:, None]
    exact = np.einsum("iab,ib->ia", law.tangent(V, W), c)
    assert np.abs(exact).max() > 0.1
    smooth = np.ones(len(V), bool)  # but for states within a step of a kink, where the tangent jumps
    for h in (0.02, -0.02):
        jump = law.tangent(V + h * c, W) - law.tangent(V, W)
        smooth &= np.abs(jump).max(axis=(1, 2)) < 0.3 * W / size(V)
    assert smooth.mean() > 0.5
    steps = 10.0 ** -np.arange(2, 6)
    errors = [np.abs((law.force(V + h * c, W) - law.force(V, W)) / h - exact)[smooth].max() for h in steps]
    orders = np.diff(np.log10(errors)) / -1.0
    assert (np.abs(orders - 1.0) < 0.1).all(), orders
    assert errors[-1] < 1e-3


@walk(EVERY)
def test_tangents_without_memory_are_symmetric_and_those_of_laws_that_never_fall_with_speed_monotone(law):
    tangent = law.tangent(V, W)
    assert law.has_internal_state or np.abs(tangent - tangent.transpose(0, 2, 1)).max() <= 1e-15 * np.abs(tangent).max()
    assert getattr(law, "law", law) not in CONVEX or np.linalg.eigvalsh(tangent).min() > -1e-12


def test_coulomb_friction_has_its_bound_at_any_speed_and_smooth_friction_its_formula():
    np.testing.assert_allclose(size(Coulomb().force(1e-200 * V, W)), W, rtol=1e-14)
    assert not Coulomb().tangent(np.zeros((50, 2)), W).any()
    expected = (W / np.hypot(size(V), 0.3))[:, None] * V
    np.testing.assert_allclose(Smooth(0.3).force(V, W), expected, rtol=1e-14)
    assert (Coulomb.set_valued, Smooth.set_valued) == (True, False)


@walk(EVERY)
def test_laws_do_not_depend_on_the_axes_but_by_what_is_turned_with_them(law):
    c, s = np.cos(0.7), np.sin(0.7)
    R = np.array([[c, -s], [s, c]])  # components in the turned axes are R' v = v @ R
    seen = law.rotated(0.7)
    stage, seen_stage = law.for_stage(MEMORY, TAU), seen.for_stage(MEMORY @ R, TAU)
    np.testing.assert_allclose(seen_stage.force(V @ R, W), stage.force(V, W) @ R, atol=1e-14)
    np.testing.assert_allclose(stage.rotated(0.7).force(V @ R, W), stage.force(V, W) @ R, atol=1e-14)
    np.testing.assert_allclose(seen_stage.tangent(V @ R, W), R.T @ stage.tangent(V, W) @ R, atol=1e-13)
    bent = law.updated_state(MEMORY, V, TAU)
    np.testing.assert_allclose(seen.updated_state(MEMORY @ R, V @ R, TAU), bent @ R, atol=1e-16)
    np.testing.assert_allclose(seen.internal_rate(MEMORY @ R, V @ R), law.internal_rate(MEMORY, V) @ R, atol=1e-14)
    if "elliptic" in str(law).lower():
        assert np.abs(law.force(V @ R, W) - law.force(V, W) @ R).max() > 0.1  # unturned it does matter


def test_the_compiled_odd_step_is_step5_from_minus_one_to_one_and_exact_in_relative_terms_at_small_arguments():
    x = np.linspace(0.0, 1.0, 41)
    np.testing.assert_allclose([s * rise(s)[0] for s in x], step5(x, -1.0, -1.0, 1.0, 1.0), atol=4e-16)
    np.testing.assert_allclose(step5(x - 0.5, -0.5, 0.0, 0.5, 1.0), 10 * x**3 - 15 * x**4 + 6 * x**5, atol=4e-16)
    for tiny in (1e-9, 1e-100, 1e-300):
        assert tiny * rise(tiny)[0] == pytest.approx(1.875 * tiny, rel=1e-15)


def along(law, speeds, direction=(0.6, 0.8)):
    """lambda/w along the slip (K,) at speeds (K,), all of it."""
    v = np.asarray(speeds)[:, None] * np.array(direction)
    lam = law.force(v, np.ones(len(v)))
    across = lam @ np.array([-direction[1], direction[0]])
    np.testing.assert_allclose(across, 0.0, atol=1e-15 * max(1.0, np.abs(lam).max()))
    return lam @ np.array(direction)


def test_the_sliding_type_is_the_printed_step5_with_the_sign_that_opposes_slip():
    s = np.array([0.0, 0.02, 0.07, 0.1, 0.11, 0.14, 0.15, 0.4])
    printed = np.where(s <= V_S, step5(s, -V_S, 1.0, V_S, -1.0), step5(s, V_S, -1.0, V_D, -RATIO))
    table = np.where(s <= V_S, 0.0, step5(s, V_S, 1.0, V_D, RATIO))
    computed = along(Sliding(V_S, V_D, RATIO), s)
    np.testing.assert_allclose(computed, -printed, atol=1e-15)
    np.testing.assert_allclose(computed[s > V_S], table[s > V_S], atol=1e-15)
    assert computed[3] == computed.max() == 1.0
    assert computed[-1] == pytest.approx(RATIO, rel=1e-15)


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


def test_bristles_bend_by_the_slip_below_the_threshold_and_by_their_share_beyond_and_never_too_far():
    law = SlidingStiction(V_S, V_D, RATIO, D_MAX)
    tau = 1e-3
    v = np.array([[0.05, 0.0], [0.0, 0.1], [0.12, 0.0], [0.0, 5.0]])
    start = np.tile([1e-4, -2e-4], (4, 1))
    share = np.array([1.0, 1.0, step5(0.12, V_S, 1.0, V_D, RATIO), RATIO])
    free = start + tau * share[:, None] * v
    computed = law.updated_state(start, v, tau)
    np.testing.assert_allclose(computed[:3], free[:3], rtol=1e-14)
    np.testing.assert_allclose(computed[3], free[3] / size(free)[3] * D_MAX, rtol=1e-14)
    rate = law.internal_rate(start, v)
    np.testing.assert_allclose((law.updated_state(start, v, 1e-9) - start) / 1e-9, rate, rtol=1e-6)
    full = D_MAX * np.array([[0.6, 0.8]])
    outward, inward = np.array([[0.03, 0.05]]), np.array([[-0.03, 0.05]])
    for slip in (outward, inward, -outward):
        rate = law.internal_rate(full, slip)
        np.testing.assert_allclose((law.updated_state(full, slip, 1e-7) - full) / 1e-7, rate, atol=2e-4 * size(slip)[0])
    assert abs(law.internal_rate(full, outward)[0] @ full[0]) < 1e-18
    assert law.internal_rate(full, -outward)[0] @ full[0] < 0.0


def test_without_bristles_sliding_and_stiction_is_the_sliding_type():
    none, zero = SlidingStiction(V_S, V_D, RATIO, 0.0), np.zeros_like(V)
    stage = none.for_stage(zero, 0.1)
    np.testing.assert_allclose(stage.force(V, W), Sliding(V_S, V_D, RATIO).force(V, W), rtol=1e-14)
    np.testing.assert_allclose(stage.tangent(V, W), Sliding(V_S, V_D, RATIO).tangent(V, W), rtol=1e-13)
    for values in (none.updated_state(zero, V, 0.1), none.stored(zero, W), none.internal_rate(zero, V)):
        assert not values.any()


def test_a_uniform_slip_meets_the_maximum_force_on_the_whole_body_shared_by_weight():
    v = np.tile([3.0, 4.0], (len(W), 1))
    law = Limited(Coulomb(), 7.0)
    np.testing.assert_allclose(law.force(v, W).sum(axis=0), [4.2, 5.6], rtol=1e-14)
    np.testing.assert_allclose(size(law.force(v, W)), 7.0 * W / W.sum(), rtol=1e-14)
    np.testing.assert_allclose(law.with_total_load(W).force(v[:5], W[:5]), law.force(v, W)[:5], rtol=1e-14)
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
    computed = law.force(np.stack([np.array(speeds), np.zeros(4)], axis=1), w)[:, 0]
    np.testing.assert_allclose(computed, np.array(forces) / 4.0, atol=1e-15)
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


@dataclass(frozen=True)
class Stranger(StatelessLaw):
    set_valued = True
    force = tangent = None


def solved_under(law):
    return solve(Quadratic(sp.eye_array(2), V[:1]), W[:1], law=law)


BRISTLES = PLAIN["sliding-stiction"]


@rows(
    ("make", "message"),
    [
        (lambda: Sliding(0.0, 1.0, 0.5), "Sliding: v_s must be a positive finite speed in m/s, got 0.0$"),
        (lambda: Sliding(1.0, 1.0, 0.5), "Sliding: v_d must be larger than v_s = 1.0 m/s, got 1.0$"),
        (lambda: Sliding(0.1, 1.0, 1.1), r"Sliding: dynamic_ratio must lie in \(0, 1\], got 1.1$"),
        (lambda: Sliding(0.1, np.inf, 0.5), "v_d must be a positive finite speed in m/s, got inf$"),
        (lambda: SlidingStiction(0.1, 1.0, 0.0, 1e-3), r"SlidingStiction: dynamic_ratio must lie in \(0, 1\], got 0.0"),
        (lambda: SlidingStiction(0.1, 1.0, 0.5, -1e-3), "max_stiction_deformation must be a positive finite number"),
        (lambda: SlidingStiction(0.1, 1.0, 0.5, np.nan), "max_stiction_deformation must be a positive finite number"),
        (lambda: BRISTLES.for_stage(np.zeros((3, 2)), -1.0), "tau must be a finite time >= 0 s, got -1.0$"),
        (lambda: BRISTLES.for_stage(np.zeros(3), 1.0), r"internal_state must be finite, of shape \(N, 2\)"),
        (lambda: BRISTLES.for_stage(np.full((3, 2), np.nan), 1.0), "internal_state must be finite"),
        (lambda: StaticKinetic(np.nan), r"StaticKinetic: dynamic_ratio must lie in \(0, 1\], got nan$"),
        (lambda: Stribeck(0.5, -0.1), "Stribeck: stribeck_speed must be a positive finite speed in m/s, got -0.1$"),
        (lambda: Stribeck(0.5, 0.1, 0.5), "Stribeck: exponent must be at least 1, got 0.5$"),
        (lambda: Stribeck(2.0, 0.1), r"Stribeck: dynamic_ratio must lie in \(0, 1\]"),
        (lambda: Elliptic(0.0), "Elliptic: ratio must be a positive finite number, got 0.0$"),
        (lambda: Elliptic(1.0, np.inf), "Elliptic: angle must be finite, in rad, got inf$"),
        (
            lambda: ForceSpline((0.0, 1.0), (1.0,)),
            "ForceSpline: speeds and forces must be two lists of one length >= 2",
        ),
        (lambda: ForceSpline((0.1, 1.0), (1.0, 2.0)), r"ForceSpline: speeds must increase from 0 m/s, got \[0.1, 1.0"),
        (lambda: CoefficientSpline((0.0, 1.0, 1.0), (1.0, 2.0, 3.0)), "CoefficientSpline: speeds must increase from 0"),
        (lambda: CoefficientSpline((0.0, 1.0), (1.0, -2.0)), "coefficients must not be negative, got -2.0$"),
        (lambda: CoefficientSpline((0.0, 1.0), (1.0, np.nan)), r"coefficients must be finite, got \[0.0, 1.0\]"),
        (lambda: CoefficientSpline((0.0, "a"), (1.0, 2.0)), r"coefficients must be numbers, got \(0.0, 'a'\)"),
        (lambda: Limited(Coulomb(), 0.0), "Limited: max_force must be a positive finite number, got 0.0$"),
        (lambda: Limited("coulomb", 1.0), "Limited: law must be a friction law such as Coulomb\\(\\), got 'coulomb'$"),
        (lambda: Coulomb(cap=-1.0), "Coulomb: cap must not be negative, got -1.0$"),
        *(
            (lambda v=v: Smooth(v), "Smooth: v_reg must be a positive finite")
            for v in (0.0, -1.0, np.nan, np.inf, "fast")
        ),
        (lambda: solved_under("coulomb"), "solve: law must be a friction law"),
        (lambda: solved_under(Coulomb), "solve: law must be a friction law"),
        (lambda: solved_under(Stranger()), "must be radial .*, got Stranger"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(make, message):
    with pytest.raises(ValueError, match=message) as error:
        make()
    assert "\n" not in str(error.value)
