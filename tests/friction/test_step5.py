"""The quintic step: values, two continuous derivatives, slope and integral, and its odd form without cancellation."""

import numpy as np
import pytest
from convergence import observed_orders

from friction.curves.step5 import rise, rise_integral, step5, step5_integral

STEP = (0.5, -2.0, 2.5, 3.0)  # from -2 at 0.5 to 3 at 2.5


def test_values_at_the_ends_the_middle_and_a_quarter_are_those_of_the_polynomial():
    x = np.array([-7.0, 0.5, 1.0, 1.5, 2.0, 2.5, 9.0])
    quarter = 10 / 64 - 15 / 256 + 6 / 1024
    expected = -2.0 + 5.0 * np.array([0, 0, quarter, 0.5, 1 - quarter, 1, 1])
    np.testing.assert_allclose(step5(x, *STEP), expected, rtol=1e-15)


@pytest.mark.parametrize("end", [STEP[0], STEP[2]])
def test_the_step_joins_its_constants_with_two_continuous_derivatives_and_not_three(end):
    h = np.array([0.04, 0.02, 0.01])
    inwards = 1.0 if end == STEP[0] else -1.0
    off = np.abs(step5(end + inwards * h, *STEP) - step5(end, *STEP))
    assert not (step5(end - inwards * h, *STEP) - step5(end, *STEP)).any()
    # third order: 10 (h/2)^3 x 5; value, slope and curvature vanish, the third derivative does not
    np.testing.assert_allclose(off, 50.0 * (h / 2.0) ** 3, rtol=0.04)
    orders = observed_orders(off)
    assert (np.abs(orders - 3.0) < 0.05).all(), orders


def test_the_integral_is_the_steps_primitive():
    x = np.linspace(-0.5, 3.5, 81)
    h = 1e-6
    inside = x[x >= STEP[0]]
    rate = (step5_integral(inside + h, *STEP) - step5_integral(inside, *STEP)) / h
    np.testing.assert_allclose(rate, step5(inside + h / 2, *STEP), atol=1e-8)
    assert step5_integral(2.5, *STEP) == pytest.approx(0.5 * (-2.0 + 3.0) * 2.0, rel=1e-14)  # odd about the middle


def test_the_odd_step_is_step5_from_minus_one_to_one_and_exact_in_relative_terms_at_small_arguments():
    x = np.linspace(0.0, 1.5, 61)
    np.testing.assert_allclose(rise(x), step5(x, -1.0, -1.0, 1.0, 1.0), atol=4e-16)
    np.testing.assert_allclose(
        rise_integral(x), step5_integral(x, -1, -1, 1, 1) - step5_integral(0.0, -1, -1, 1, 1), atol=4e-16
    )
    tiny = np.array([1e-9, 1e-100, 1e-300])
    np.testing.assert_allclose(rise(tiny), 1.875 * tiny, rtol=1e-15)
