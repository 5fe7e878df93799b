"""Tables of functions, compiled: see ``curves.tables``."""

from __future__ import annotations

from numba import njit


@njit(cache=True, error_model="numpy")
def table_at(numbers, first, x):  # type: ignore[no-untyped-def]
    """Value y, slope and integral of y at x of the table that begins at ``first`` of ``numbers``; straight beyond its ends."""
    n = int(numbers[first])
    low, pieces = first + 1, first + 1 + n
    inside = min(max(x, numbers[low]), numbers[low + n - 1])
    i = 0
    while i < n - 2 and inside >= numbers[low + i + 1]:
        i += 1
    z, beyond, at = inside - numbers[low + i], x - inside, pieces + 4 * i
    c3, c2, c1, c0 = numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]
    y, slope = c0 + z * (c1 + z * (c2 + z * c3)), c1 + z * (2.0 * c2 + z * 3.0 * c3)
    area = numbers[pieces + 4 * (n - 1) + i] + z * (c0 + z * (c1 / 2.0 + z * (c2 / 3.0 + z * c3 / 4.0)))
    return y + slope * beyond, slope, area + beyond * (y + 0.5 * slope * beyond)
