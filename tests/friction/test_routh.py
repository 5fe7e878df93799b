"""Single impacts with friction against the suite's process of Routh, phase by phase over the normal impulse."""

import numpy as np
import pytest
from rows import rows

from cases.app.suite.references import impacts
from friction.normal.routh import RESTITUTION_LAWS, routh_impact


def rods(seed, count=400):
    """Random rod impacts: (W, u⁻, μ, e) of a uniform rod of unit mass that hits the plane with one end, at any angle and spin."""
    rng = np.random.default_rng(seed)
    while count:
        length, angle = rng.uniform(0.2, 2.0), rng.uniform(0.05, np.pi - 0.05)
        arm = -0.5 * length * np.array([np.cos(angle), np.sin(angle)])  # from the centre to the end that hits
        maps = np.array([[0.0, 1.0, arm[0]], [1.0, 0.0, -arm[1]]])  # normal y, tangential x
        w = maps @ np.diag([1.0, 1.0, 12.0 / length**2]) @ maps.T
        u = maps @ np.array([rng.normal(), -abs(rng.normal()), rng.normal() * 2.0])
        if u[0] < -0.05:
            count -= 1
            yield w, u, rng.uniform(0.0, 1.2), rng.uniform(0.0, 1.0)


@pytest.mark.parametrize("law", RESTITUTION_LAWS)
def test_impacts_of_random_rods_are_those_of_rouths_process(law):
    ends = []
    for w, u, mu, e in rods(20):
        impact = routh_impact(w, u, mu, e, law)
        hit = impacts.Collision(w[1, 1], w[0, 1], w[0, 0], u[1], u[0])
        impulse = np.array(impacts.impulses(hit, mu, e, law))[::-1]
        np.testing.assert_allclose(impact.impulse, impulse, rtol=0, atol=1e-10 * abs(impulse).max())
        np.testing.assert_allclose(impact.velocity, u + w @ impulse, rtol=0, atol=1e-10 * abs(u).max())
        ends.append(impact.end)
    assert min(ends.count(end) for end in ("slip", "stick", "reverse")) >= 5


def test_stronge_and_poisson_never_create_energy_and_newton_says_when_it_does():
    created = 0
    for w, u, mu, e in rods(5, 1000):
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
