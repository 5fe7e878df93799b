"""Sums in lanes: they hold each point once, and are added in an order that the compiler may not change."""

import numpy as np
import pytest
from numba import njit

from friction.lanes import LANES, clear_lanes, sum_lanes

(FIRST, SECOND) = range(0, 2 * LANES, LANES)
ROWS = np.int64(2)


@njit
def two_sums(x, y, sums):  # type: ignore[no-untyped-def]
    """The loop that the head of ``friction.lanes`` shows: Σ x and Σ x y."""
    clear_lanes(sums, ROWS)
    for first in range(0, len(x), LANES):
        for k in range(min(LANES, len(x) - first)):
            i = np.uint64(first + k)
            sums[k + FIRST] += x[i]
            sums[k + SECOND] += x[i] * y[i]
    sum_lanes(sums, ROWS, len(x))
    return sums[FIRST], sums[SECOND]


def in_order(terms):
    """The sum as the head of ``friction.lanes`` states it: point i adds to lane i mod LANES, then the lanes in their order."""
    lanes = [0.0] * LANES
    for i, term in enumerate(terms.tolist()):
        lanes[i % LANES] += term
    total = lanes[0]
    for lane in lanes[1:]:
        total += lane
    return total


@pytest.mark.parametrize("points", [0, 1, 2, LANES - 1, LANES, LANES + 1, 3 * LANES, 1152, 1157])
def test_a_sum_in_lanes_has_the_bits_of_its_stated_order_whatever_was_in_the_room(points):
    rng = np.random.default_rng(points)
    x, y = rng.standard_normal((2, points)) * 10.0 ** rng.integers(-8, 8, (2, points))
    found = two_sums(x, y, np.full(2 * LANES, np.nan))
    assert found == (in_order(x), in_order(x * y))


def test_lanes_are_another_order_than_one_term_after_another():
    """Else the test above could not tell whether a compiler reorders."""
    terms = np.random.default_rng(1).standard_normal(1157)
    one_by_one = 0.0
    for term in terms.tolist():
        one_by_one += term
    assert in_order(terms) != one_by_one
    assert in_order(terms) == pytest.approx(one_by_one, abs=1157 * 2.0**-52 * np.abs(terms).sum())
