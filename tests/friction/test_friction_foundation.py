"""Foundations whose pressure and friction are written as expressions, and ground that moves."""

import warnings

import numpy as np
import pytest
from rows import rows

from friction import Coulomb, Foundation
from friction.curves.expressions import PLACE, TIME, expression

X = np.random.default_rng(5).uniform(-0.2, 0.2, (7, 2))
AREA = np.linspace(0.1, 0.7, 7)
ALL = (*PLACE, *TIME)


@pytest.mark.parametrize("t", [0.5, 1.0, 1.5])
def test_a_pressure_written_as_an_expression_is_the_function_that_it_says(t):
    text = "1e3*(1 + 0.5*x/0.2)*(t < 1)"
    written = Foundation(Coulomb(), 0.3, text)
    spoken = Foundation(Coulomb(), 0.3, lambda X, t: 1e3 * (1 + 0.5 * X[:, 0] / 0.2) * (t < 1))
    found = written.bound(X, AREA, t)
    assert not written.constant
    assert np.any(found) == (t < 1)
    np.testing.assert_allclose(found, spoken.bound(X, AREA, t), rtol=1e-15)


def test_numbers_arrays_functions_and_expressions_give_the_same_weights():
    mu = 0.3 + np.cos(np.pi * X[:, 1]) ** 2
    ways = [mu, lambda X: 0.3 + np.cos(np.pi * X[:, 1]) ** 2, "0.3 + cos(pi*y)**2"]
    pressures = [50.0, np.full(7, 50.0), lambda X, t: 50.0, "50", "100/2"]
    found = [Foundation(Coulomb(), m, p).bound(X, AREA, 0.7) for m in ways for p in pressures]
    assert np.ptp(mu) > 1e-3
    for weights in found:
        np.testing.assert_allclose(weights, mu * 50.0 * AREA, rtol=4e-16)


def test_expressions_are_real_arithmetic_to_the_last_bit_of_their_kind():
    values = {
        "2**10 + 1/4": 1024.25,
        "where((y > 0.1) & ~(y > 5), 2, 3)*7 % 4": 2.0,
        "minimum(3, hypot(3, 4)) - arctan2(0, 1)": 3.0,
        "1e3*(1 + 0.5*2/0.2)*(t < 1)": 6e3,
    }
    at = np.array([[0.0, 0.5]])
    for text, known in values.items():
        assert expression("pressure", text, ALL)(at, 0.5) == pytest.approx([known], rel=1e-15), text


def test_only_an_expression_with_time_in_it_changes_in_time():
    assert Foundation(Coulomb(), "0.1*exp(x)", "100 + 1e3*x**2").constant
    assert not Foundation(Coulomb(), "0.1*exp(x)", "100 + where(t > 2, 1, 0)").constant


@rows(
    "text",
    [
        "x.__class__",
        "__import__('os').getcwd()",
        "x[0]",
        "foo(x)",
        "(lambda: 1)()",
        "x; y",
        "import os",
        "x +",
        "z",
        "vx",
        "",
        "1/0",
        "9**9**9**9",
        "1 + 1j",
        "10**(10**6)",
        "x**1e6",
        "x**(-101)",
        "0 < t < 1",
        "t > 0 and x > 0",
        "True",
        "'a'",
        "1e999",
        "9" * 5000,
        "(" * 300 + "x" + ")" * 300,
        "-" * 3000 + "x",
        "sin(x, y)",
        "sum(x)",
        "real(x)",
        "x if t else y",
        "x.real",
    ],
)
def test_what_is_no_expression_in_the_known_names_is_refused_in_one_line(text):
    with pytest.raises(ValueError, match=r"^pressure: ") as error:
        expression("pressure", text, ALL)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600


def test_the_coefficient_of_friction_does_not_know_time():
    with pytest.raises(ValueError, match=r"mu: '0.3\*t' uses 't'; the names are X, Y, pi"):
        Foundation(Coulomb(), "0.3*t", 1.0)


def test_values_of_an_expression_are_checked_where_it_is_evaluated():
    for text, message in (
        ("x - 1", "must not be negative"),
        ("1/(x - x)", "must be finite"),
        ("sqrt(-1 - x*x)", "finite"),
    ):
        with pytest.raises(ValueError, match=message):
            Foundation(Coulomb(), 0.3, text).bound(X, AREA, 0.0)


def test_ground_at_rest_does_not_move_and_a_belt_does():
    assert not Foundation(Coulomb(), 0.3, 1.0).moves
    assert Foundation(Coulomb(), 0.3, 1.0, (0.0, 1e-9)).moves
    belt = Foundation(Coulomb(), 0.3, 1.0, lambda t: (np.cos(t), t))
    assert belt.moves
    np.testing.assert_array_equal(belt.velocity(2.0), [np.cos(2.0), 2.0])


@pytest.mark.parametrize("velocity", [(1.0,), (np.nan, 0.0), "fast", 3.0])
def test_a_ground_velocity_is_two_finite_numbers(velocity):
    with pytest.raises(ValueError, match="ground_velocity must be two finite numbers in m/s"):
        Foundation(Coulomb(), 0.3, 1.0, velocity)
    with pytest.raises(ValueError, match="ground_velocity must be two finite numbers in m/s"):
        Foundation(Coulomb(), 0.3, 1.0, lambda t: velocity).velocity(0.0)
    with pytest.raises(ValueError, match="breaks must be a tuple of finite numbers"):
        Foundation(Coulomb(), 0.3, 1.0, breaks=(np.inf,))


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(-1)",
        "log(0)*0",
        "exp(1000)",
        "1/0",
        "fmod(1, 0)",
        "0.5and 1",
        "2if 1 else 3",
        "0x1for x in y",
        "5in(x)",
        "-2",
    ],
)
def test_an_expression_that_is_no_number_is_refused_in_one_line_without_a_warning_before_it(text):
    """Of the parser, or of what NumExpr computes beforehand."""
    for given in ({"mu": text, "pressure": 1.0}, {"mu": 0.5, "pressure": text}):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            with pytest.raises(ValueError, match=r"Foundation: (mu|pressure)") as told:
                Foundation(Coulomb(), **given)
        assert said == []
        assert "\n" not in str(told.value)


def test_an_expression_whose_values_are_none_somewhere_says_so_there_without_a_warning():
    ground = Foundation(Coulomb(), mu=0.5, pressure="sqrt(x)*exp(900)*1e3 + log(0)*0*x")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(ValueError, match="pressure must be finite, got"):
            ground.bound(np.array([[-0.1, 0.0]]), np.ones(1), 0.0)
    assert said == []


def test_numbers_in_expressions_are_read_in_all_their_spellings():
    spelled = {"1e3*x": 2e3, "1_000.5e+2*x": 200_100.0, ".5E1 + 0x1F": 36.0, "2.*x + 1.": 5.0, "x*(t < 1e-3)": 0.0}
    for text, value in spelled.items():
        ground = Foundation(Coulomb(), mu=1.0, pressure=text)
        assert ground.bound(np.array([[2.0, 0.0]]), np.ones(1), 1.0) == [value], text
