"""Single impacts with friction against an independent integration of Routh's equations over the normal impulse."""

import numpy as np
import pytest
from rows import rows
from scipy.integrate import solve_ivp

from friction.normal.routh import RESTITUTION_LAWS, routh_impact

COUNT = 200


def rods(seed=20):
    """Random rod impacts: (W, u⁻, μ, e) of a uniform rod of unit mass that hits the plane with one end, at any angle and spin."""
    rng = np.random.default_rng(seed)
    while True:
        length, angle = rng.uniform(0.2, 2.0), rng.uniform(0.05, np.pi - 0.05)
        arm = -0.5 * length * np.array([np.cos(angle), np.sin(angle)])  # from the centre to the end that hits
        maps = np.array([[0.0, 1.0, arm[0]], [1.0, 0.0, -arm[1]]])  # normal y, tangential x
        w = maps @ np.diag([1.0, 1.0, 12.0 / length**2]) @ maps.T
        u = maps @ np.array([rng.normal(), -abs(rng.normal()), rng.normal() * 2.0])
        if u[0] < -0.05:
            yield w, u, rng.uniform(0.0, 1.2), rng.uniform(0.0, 1.0)


def integrated(w, u, mu, e, law):
    """(P, u⁺) by an ODE solver in the normal impulse, slip and stick told apart by events: nothing in closed form."""
    needed = -w[0, 1] / w[1, 1]

    def rhs(side):
        r = -mu * side if side != 0.0 else (needed if abs(needed) <= mu else mu * np.sign(needed))
        return lambda _, y: [w[0, 0] + w[0, 1] * r, w[0, 1] + w[1, 1] * r, r, y[0]]  # u_n, u_t, P_t, W

    def ends(compressed):
        """The event that ends the period: u_n = 0 first, then that of the law."""
        if compressed is None:
            return lambda p, y: y[0]
        p_c, w_c = compressed
        return {
            "newton": lambda p, y: y[0] + e * u[0],
            "poisson": lambda p, y: p - (1.0 + e) * p_c,
            "stronge": lambda p, y: (y[3] - w_c) + e * e * w_c,
        }[law]

    def slip_ends(_, y):
        return y[1]

    y, p, side, compressed = np.array([*u, 0.0, 0.0]), 0.0, np.sign(u[1]), None
    for _ in range(6):
        target = ends(compressed)
        target.terminal, target.direction = True, 1.0
        slip_ends.terminal, slip_ends.direction = True, 0.0
        if compressed and (e == 0.0 or target(p, y) >= 0.0):
            break
        events = [target, slip_ends] if side != 0.0 else [target]
        sol = solve_ivp(rhs(side), (p, p + 1e3), y, events=events, rtol=1e-11, atol=1e-13, max_step=10.0)
        p, y = sol.t[-1], sol.y[:, -1]
        if sol.t_events[0].size and compressed:
            break
        if sol.t_events[0].size:
            compressed = (p, y[3])
        else:
            side, y[1] = 0.0, 0.0
    return np.array([p, y[2]]), y[:2]


@pytest.mark.parametrize("law", RESTITUTION_LAWS)
def test_closed_form_is_rouths_integration_for_random_rods(law):
    ends, reversals = set(), 0
    for (w, u, mu, e), _ in zip(rods(), range(COUNT), strict=False):
        found = routh_impact(w, u, mu, e, law)
        impulse, after = integrated(w, u, mu, e, law)
        assert np.allclose(found.impulse, impulse, rtol=0, atol=1e-7 * abs(impulse).max()), (w, u, mu, e)
        assert np.allclose(found.velocity, after, rtol=0, atol=1e-7 * abs(u).max()), (w, u, mu, e)
        ends.add(found.end)
        reversals += found.end == "reverse"
    assert ends == {"slip", "stick", "reverse"}
    assert reversals >= 5


def test_stronge_and_poisson_never_create_energy_and_newton_says_when_it_does():
    created = 0
    for (w, u, mu, e), _ in zip(rods(5), range(1000), strict=False):
        kinetic = 0.5 * u @ np.linalg.solve(w, u)  # of the two motions that the impact changes
        for law in ("stronge", "poisson"):
            assert routh_impact(w, u, mu, e, law).loss >= -1e-12 * kinetic, law
            assert routh_impact(w, u, mu, 1.0, law).loss >= -1e-12 * kinetic, law
        newton = routh_impact(w, u, mu, 1.0, "newton")
        change = kinetic - 0.5 * newton.velocity @ np.linalg.solve(w, newton.velocity)
        assert np.isclose(newton.loss, change, rtol=0, atol=1e-11 * kinetic)
        created += newton.loss < -1e-6 * kinetic
    assert created > 0


@pytest.mark.parametrize("law", RESTITUTION_LAWS)
def test_a_contact_that_comes_without_slip_and_sticks_leaves_with_its_restitution(law):
    w = np.array([[2.0, 0.3], [0.3, 1.0]])
    assert np.isclose(routh_impact(w, (-1.0, 0.0), 0.5, 0.7, law).velocity[0], 0.7)


def test_static_friction_holds_what_kinetic_friction_alone_would_not():
    w, u = np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([-1.0, 0.1])
    assert routh_impact(w, u, 0.6, 0.0).end == "stick"
    assert routh_impact(w, u, 0.4, 0.0).end in ("slip", "reverse")
    held = routh_impact(w, u, 0.6, 0.0, kinetic=0.5)
    assert held.end in ("stick", "slip")
    assert routh_impact(w, -np.abs(u), 0.6, 0.0, kinetic=0.5).end == "stick"


@rows(
    ("given", "said"),
    [
        ((np.eye(2), (1.0, 0.0), 0.1, 0.5), "approach"),
        ((np.zeros((2, 2)), (-1.0, 0.0), 0.1, 0.5), "positive definite"),
        ((np.eye(2), (-1.0, 0.0), -0.1, 0.5), "mu"),
        ((np.eye(2), (-1.0, 0.0), 0.1, 1.5), "restitution"),
        ((np.eye(2), (-1.0, 0.0), 0.1, 0.5, "routh"), "one of newton"),
    ],
)
def test_bad_impacts_are_refused_in_one_line(given, said):
    with pytest.raises(ValueError, match=said) as caught:
        routh_impact(*given)
    assert "\n" not in str(caught.value)
