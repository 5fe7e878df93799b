"""The normal contact force: formula, splines, exact derivatives, and energy."""

import numpy as np
import pytest
from rows import rows

from friction import NormalForce, UserForce

LAWS = {
    "linear": NormalForce(2e4, 30.0),
    "Hertz": NormalForce(2e6, 0.0, m1=1.5),
    "indentation": NormalForce(2e4, 5e3, m1=1.5, m2=1.3, m3=1.7),
    "onset": NormalForce(2e4, 30.0, onset=0.004),
    "tensile": NormalForce(2e4, 300.0, tensile=True),
    "stiffness spline": NormalForce(0, 40.0, stiffness_spline=[(0, 0), (1e-3, 10), (4e-3, 90), (6e-3, 100)]),
    "damping spline": NormalForce(2e4, m3=1.2, damping_spline=[(0, 0), (0.1, 2e3), (1.0, 4e3)]),
    "user": UserForce(lambda d, rate, t: 3e4 * d * (1.0 + 0.4 * rate) + 2.0 * np.sin(t)),
    "user with slopes": UserForce(
        lambda d, rate, t: 3e4 * d * (1.0 + 0.4 * rate), lambda d, rate, t: (3e4 * (1.0 + 0.4 * rate), 1.2e4 * d)
    ),
}


def states(count=2000, seed=3):
    rng = np.random.default_rng(seed)
    return rng.uniform(-2e-3, 8e-3, count), rng.uniform(-1.5, 1.5, count)


def test_the_standard_force_is_the_printed_formula():
    law = NormalForce(2e4, 5e3, m1=1.5, m2=1.2, m3=0.8, tensile=True)
    d, rate = np.array([1e-3, 4e-3, 4e-3]), np.array([0.3, -0.6, 0.0])
    expected = 2e4 * d**1.5 + 5e3 * np.sign(rate) * np.abs(rate) ** 1.2 * d**0.8
    assert expected.min() < -1.0
    np.testing.assert_allclose(law.force(d, rate), expected, rtol=1e-14)
    np.testing.assert_array_equal(law.force(-d, rate), 0.0)


@rows("name", LAWS)
def test_the_derivatives_are_those_of_the_force(name):
    law = LAWS[name]
    d, rate = states()
    h, k = 1e-9, 1e-6
    ends = [law.force(d + s * h, rate, 0.3) for s in (-1, 1)] + [law.force(d, rate + s * k, 0.3) for s in (-1, 1)]
    acts = np.all([(e > 0.0) | getattr(law, "tensile", False) for e in ends], axis=0) & (d > 1e-6)
    assert acts.mean() > 0.3
    by_d, by_rate = law.derivatives(d, rate, 0.3)
    np.testing.assert_allclose(by_d[acts], ((ends[1] - ends[0]) / (2 * h))[acts], rtol=2e-5, atol=2e-1)
    np.testing.assert_allclose(by_rate[acts], ((ends[3] - ends[2]) / (2 * k))[acts], rtol=2e-5, atol=1e-4)
    off = law.force(d, rate, 0.3) == 0.0
    np.testing.assert_array_equal(by_d[off], 0.0)
    np.testing.assert_array_equal(by_rate[off], 0.0)


@rows("name", [n for n in LAWS if "user" not in n])
def test_the_elastic_part_is_the_derivative_of_the_energy_and_the_rest_dissipates(name):
    law = LAWS[name]
    d, rate = states()
    h = 1e-7
    slope = (law.energy(d + h) - law.energy(d - h)) / (2 * h)
    np.testing.assert_allclose(law.elastic(d), slope, rtol=1e-6, atol=2e-3)
    lost = (law.force(d, rate) - law.elastic(d)) * rate
    assert lost.min() >= -1e-12
    assert (lost.max() > 1.0) == law.damps


@rows("name", [n for n in LAWS if n != "tensile"])
def test_no_force_pulls_unless_asked(name):
    d, rate = states()
    assert LAWS[name].force(d, rate).min() == 0.0
    assert LAWS["tensile"].force(d, rate).min() < -1.0


def test_splines_pass_through_their_points_without_overshoot_and_go_on_straight():
    points = [(0, 0), (1e-3, 10), (2e-3, 10), (4e-3, 90)]
    law = NormalForce(stiffness_spline=points)
    x, y = np.array(points).T
    np.testing.assert_allclose(law.elastic(x), y, atol=1e-12)
    fine = np.linspace(0, 4e-3, 400)
    assert np.all(np.diff(law.elastic(fine)) >= -1e-12)
    beyond = law.elastic(np.array([4e-3, 5e-3, 6e-3]))
    assert np.diff(beyond, 2)[0] == pytest.approx(0.0, abs=1e-9)
    assert beyond[1] > 91.0
    damper = NormalForce(1e-9, damping_spline=[(0, 0), (1, 5), (2, 6)], tensile=True)
    forward, backward = (damper.force(np.full(3, 1e-3), s * np.array([0.5, 1.0, 1.7])) for s in (1, -1))
    np.testing.assert_allclose(backward, -forward, rtol=1e-9)
    assert forward[1] == pytest.approx(5.0, rel=1e-9)


def spring(*points, **more):
    return NormalForce(stiffness_spline=points, **more)


def damper(*points):
    return NormalForce(1.0, damping_spline=points)


@rows(
    ("make", "expected"),
    [
        (NormalForce, "needs a stiffness"),
        (lambda: NormalForce(-1.0), "stiffness must be a finite number >= 0, got -1.0"),
        (lambda: NormalForce(1.0, m1=0.5), "m1 must be a finite number >= 1, got 0.5"),
        (lambda: NormalForce(1.0, damping=np.nan), "damping must be"),
        (lambda: spring((1e-3, 0), (2e-3, 1)), r"begin with \(0, 0\)"),
        (lambda: spring((0, 0), (1e-3, -1)), "no negative force"),
        (lambda: spring((0, 0), (2, 1), (1, 2)), "growing abscissae"),
        (lambda: spring((0, 0)), "two or more pairs"),
        (lambda: damper((-1, 1), (0, 0), (1, 1)), "sign of the rate"),
        (lambda: spring((0, 0), (1e-3, 9), (2e-3, 1)), "stiffness_spline must not end falling"),
        (lambda: damper((0, 0), (1, 9), (2, 1)), "damping_spline must not end falling"),
        (lambda: spring((0, 0), (1, 1), stiffness=2e4), r"stiffness: expected 0 with stiffness_spline, got 20000\.0"),
        (lambda: NormalForce(2e4, 3.0, damping_spline=[(0, 0), (1, 1)]), r"expected 0 with damping_spline, got 3\.0"),
        (lambda: UserForce(3.0), r"function must be a function of \(d, rate, t\), got 3.0"),
        (lambda: UserForce(lambda d, r, t: np.inf).force(1e-3, 0.0), "finite forces"),
    ],
)
def test_a_bad_normal_force_is_refused_in_one_line(make, expected):
    with pytest.raises(ValueError, match=expected) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_spline_that_ends_level_holds_its_last_force_however_deep():
    level = NormalForce(stiffness_spline=[(0, 0), (1e-3, 9), (1.5e-3, 12), (2e-3, 12)])
    np.testing.assert_allclose(level.elastic(np.array([2e-3, 0.1, 10.0])), 12.0, rtol=1e-12)
    softening = NormalForce(stiffness_spline=[(0, 0), (1e-3, 12), (2e-3, 6), (3e-3, 9)])  # between, not at its end
    assert np.all(softening.elastic(np.linspace(1e-4, 1.0, 500)) > 0.0)
