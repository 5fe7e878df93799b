"""Foundations: friction weights from numbers, arrays, functions and expressions; ground that moves; and what is refused."""

import warnings

import numpy as np
import pytest
from rows import rows

from friction import Coulomb, Foundation
from friction.curves.expressions import PLACE, TIME, expression

X = np.random.default_rng(5).uniform(-0.2, 0.2, (7, 2))
AREA = np.linspace(0.1, 0.7, 7)
ALL = (*PLACE, *TIME)


def test_weights_are_mu_times_pressure_times_area_however_these_are_given_and_change_if_time_is_in_them():
    x, y = X.T
    mu, t = 0.3 + np.cos(np.pi * y) ** 2, 0.7
    fields = [mu, lambda X: 0.3 + np.cos(np.pi * X[:, 1]) ** 2, "0.3 + cos(pi*y)**2"]
    still = [50.0, np.full(7, 50.0), "50", "100/2"]
    pressures = [(given, True, 50.0) for given in still] + [(lambda X, t: 50.0, False, 50.0)]
    pressures += [(given, False, (1 + t) * x**2) for given in ("(1 + t)*x**2", lambda X, t: (1.0 + t) * X[:, 0] ** 2)]
    pressures += [("50 + where(t > 2, 1, 0)", False, 50.0), ("1e3*(1 + 0.5*x/0.2)*(t < 0.6)", False, 0.0)]
    pressures += [("1e3*(1 + 0.5*x/0.2)*(t < 1)", False, 1e3 * (1 + 0.5 * x / 0.2))]
    assert np.ptp(mu) > 1e-3
    for given in fields:
        for pressure, constant, expected in pressures:
            ground = Foundation(Coulomb(), given, pressure)
            assert ground.constant == constant
            np.testing.assert_allclose(ground.bound(X, AREA, t), mu * expected * AREA, rtol=1e-14)


def test_expressions_are_real_arithmetic_to_the_last_bit_and_read_numbers_in_all_their_spellings():
    values = {
        "2**10 + 1/4": 1024.25,
        "where((y > 0.1) & ~(y > 5), 2, 3)*7 % 4": 2.0,
        "minimum(3, hypot(3, 4)) - arctan2(0, 1)": 3.0,
        "1e3*(1 + 0.5*2/0.2)*(t < 1)": 6e3,
        "1e3*x": 2e3,
        "1_000.5e+2*x": 200_100.0,
        ".5E1 + 0x1F": 36.0,
        "2.*x + 1.": 5.0,
        "x*(t < 1e-3)": 0.0,
    }
    for text, known in values.items():
        assert expression("pressure", text, ALL)(np.array([[2.0, 0.5]]), 0.5) == pytest.approx([known], rel=1e-15), text


WRONG = """x.__class__|__import__('os').getcwd()|x[0]|foo(x)|(lambda: 1)()|x; y|import os|x +|z|vx||1/0|9**9**9**9|1 + 1j
10**(10**6)|x**1e6|x**(-101)|0 < t < 1|t > 0 and x > 0|True|'a'|1e999|sin(x, y)|sum(x)|real(x)|x if t else y|x.real"""


@rows("text", [*WRONG.replace("\n", "|").split("|"), "9" * 5000, "(" * 300 + "x" + ")" * 300, "-" * 3000 + "x"])
def test_what_is_no_expression_in_the_known_names_is_refused_in_one_line(text):
    with pytest.raises(ValueError, match=r"^pressure: ") as error:
        expression("pressure", text, ALL)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600


NO_NUMBERS = "sqrt(-1)|log(0)*0|exp(1000)|1/0|fmod(1, 0)|0.5and 1|2if 1 else 3|0x1for x in y|5in(x)|-2"


@rows("text", NO_NUMBERS.split("|"))
def test_an_expression_that_is_no_number_is_refused_in_one_line_without_a_warning_before_it(text):
    """Of the parser, or of what NumExpr computes beforehand."""
    for given in ({"mu": text, "pressure": 1.0}, {"mu": 0.5, "pressure": text}):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            with pytest.raises(ValueError, match=r"Foundation: (mu|pressure)") as told:
                Foundation(Coulomb(), **given)
        assert said == []
        assert "\n" not in str(told.value)


def test_ground_at_rest_does_not_move_and_a_belt_does():
    assert not Foundation(Coulomb(), 0.3, 1.0).moves
    assert Foundation(Coulomb(), 0.3, 1.0, (0.0, 1e-9)).moves
    belt = Foundation(Coulomb(), 0.3, 1.0, lambda t: (np.cos(t), t))
    assert belt.moves
    np.testing.assert_array_equal(belt.velocity(2.0), [np.cos(2.0), 2.0])


def made(mu=0.3, pressure=1.0):
    return Foundation(Coulomb(), mu, pressure)


def at(mu=0.3, pressure=1.0, area=AREA):
    return made(mu, pressure).bound(X, area, 0.0)


@rows(
    ("call", "message"),
    [
        (lambda: made(-0.1), "mu must not be negative, got -0.1$"),
        (lambda: made(np.nan), "mu must be finite"),
        (lambda: made(None), "mu must be a number, an array or a function, got None"),
        (lambda: made("z"), "mu: 'z' uses 'z'; the names are X, Y, pi"),
        (lambda: made("0.3*t"), r"mu: '0.3\*t' uses 't'; the names are X, Y, pi"),
        (lambda: at(lambda X: X), r"mu must have shape \(7,\)"),
        (lambda: made(pressure=[1.0, np.inf]), "pressure must be finite"),
        (lambda: made(pressure=[]), "pressure is empty"),
        (lambda: at(pressure=np.ones(2)), r"pressure must have shape \(7,\), got \(2,\)"),
        (lambda: at(pressure=lambda X, t: -1.0), "pressure must not be negative"),
        (lambda: at(pressure="x - 1"), "must not be negative"),
        (lambda: at(pressure="1/(x - x)"), "must be finite"),
        (lambda: at(pressure="sqrt(-1 - x*x)"), "finite"),
        (lambda: at(pressure="sqrt(x)*exp(900)*1e3 + log(0)*0*x"), "pressure 'sqrt.*' must be finite, got"),
        (lambda: at(area=-AREA), "nodal_area must not be negative"),
        (lambda: Foundation("coulomb", 0.1, 1.0), "law must be a friction law"),
        (lambda: Foundation(Coulomb, 0.1, 1.0), "law must be a friction law such as Coulomb"),
        (lambda: Foundation(Coulomb(), 0.3, 1.0, breaks=(np.inf,)), "breaks must be a tuple of finite numbers"),
    ],
)
def test_bad_foundations_are_refused_in_one_line_when_made_or_evaluated(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


@rows("velocity", [(1.0,), (np.nan, 0.0), "fast", 3.0])
def test_a_ground_velocity_is_two_finite_numbers(velocity):
    for call in (
        lambda v: Foundation(Coulomb(), 0.3, 1.0, v),
        lambda v: Foundation(Coulomb(), 0.3, 1.0, lambda t: v).velocity(0),
    ):
        with pytest.raises(ValueError, match="ground_velocity must be two finite numbers in m/s"):
            call(velocity)
