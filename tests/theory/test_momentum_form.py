"""Momentum form of the rigid equations (3.4)1, and what a free spinning body does without the term 2ωK."""

import pytest
import sympy as sp
from derivation import J, Q, assert_erratum, c, cross, ddx0, domega, dx0, generic_body, omega, s, vanishes

BODY = generic_body()
MOMENTUM = BODY.M * dx0 + Q * (omega * J * BODY.A + BODY.P)
SPIN = BODY.J_zz * omega + cross(BODY.A, Q.T * dx0) + BODY.integral(lambda X, p: cross(p.r, p.du))


def rate(expression):
    """Total time derivative: u → u̇ → ü, ẋ0 → ẍ0, ω → ω̇, and α through c and s."""
    follow = {c: -s * omega, s: c * omega, omega: domega} | dict(zip(dx0, ddx0, strict=True))
    for symbol in expression.free_symbols:
        if symbol.name.startswith(("u", "du")):
            follow[symbol] = sp.Symbol("d" + symbol.name, real=True)
    return sum((expression.diff(x) * dx for x, dx in follow.items()), 0 * expression)


def test_momenta_are_integrals_of_the_velocity_and_of_its_moment_about_x0():
    assert vanishes(BODY.integral(lambda X, p: p.v) - MOMENTUM)
    assert vanishes(BODY.integral(lambda X, p: cross(Q * p.r, p.v)) - SPIN)


def test_linear_momentum_changes_by_the_resultant_force():
    assert vanishes(rate(MOMENTUM) - sp.Matrix(BODY.inertia_rows[:2]))


def test_angular_momentum_about_the_moving_point_changes_by_the_moment_and_the_transport_of_momentum():
    transport = cross(dx0, Q * (BODY.P + omega * J * BODY.A))
    assert vanishes(rate(SPIN) - (BODY.inertia_rows[2] - transport))
    assert not vanishes(rate(SPIN) - BODY.inertia_rows[2])  # x0 moves and is not the mass centre
    assert vanishes(transport - cross(dx0, MOMENTUM))


def test_free_body_without_the_coriolis_moment_gains_angular_momentum_at_the_rate_minus_2_omega_K():
    """ω̇ from row 3 with M_z = 0, once as printed (Coriolis row 3 zero) and once with 2ωK."""
    row, transport = BODY.inertia_rows[2], cross(dx0, MOMENTUM)
    gained = {}
    for name, kept in (("printed", 0), ("correct", 2 * omega * BODY.K)):
        used = row - 2 * omega * BODY.K + kept
        # rate(SPIN) + transport − used is what the balance misses once used = M_z = 0.
        gained[name] = rate(SPIN) + transport - used
    assert_erratum(sp.Integer(0), printed=gained["printed"], correct=gained["correct"])
    assert vanishes(gained["printed"] - 2 * omega * BODY.K)


def test_spinning_pair_of_masses_that_breathes_speeds_up_as_it_contracts():
    """Two masses at ±ρ(t) on a spring: the printed equation keeps ω, and so loses the moment of momentum."""
    t, m, w0, eps, f = sp.symbols("t m omega0 epsilon f", positive=True)
    arm = 1 + eps * sp.sin(f * t)
    inertia = 2 * m * arm**2
    K, L = sp.diff(inertia, t) / 2, 0  # u̇ and ü are along r
    kept = inertia.subs(t, 0) * w0
    spin_correct, spin_printed = kept / inertia, w0
    residual = [inertia * sp.diff(w, t) + 2 * w * K + L for w in (spin_correct, spin_printed)]
    assert sp.simplify(residual[0]) == 0
    assert sp.simplify(residual[1]) != 0
    assert sp.diff(spin_printed * inertia, t).subs({t: 0}) == 4 * m * w0 * eps * f
    half_period = (spin_correct / w0).subs({f: sp.pi, t: sp.Rational(1, 2), eps: sp.Rational(-1, 10)})
    assert half_period == pytest.approx(1 / 0.81)
