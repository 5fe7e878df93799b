"""The quintic step: values, two continuous derivatives, and its compiled odd form without cancellation."""

import numpy as np
import pytest
from convergence import observed_orders
from step5 import step5

from friction.laws.kernels import rise

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


def test_the_compiled_odd_step_is_step5_from_minus_one_to_one_and_exact_in_relative_terms_at_small_arguments():
    x = np.linspace(0.0, 1.0, 41)
    odd = [s * rise(s)[0] for s in x]
    np.testing.assert_allclose(odd, step5(x, -1.0, -1.0, 1.0, 1.0), atol=4e-16)
    for tiny in (1e-9, 1e-100, 1e-300):
        assert tiny * rise(tiny)[0] == pytest.approx(1.875 * tiny, rel=1e-15)
