"""Sums over points in lanes: partial sums that stand side by side, so that vector units add several points at once.

A sum of floating-point numbers depends on the order of its terms, so a compiler that keeps the order adds one term after another.
Here point i adds to lane i mod ``LANES`` of each sum, and the lanes are added in their order at the end: vector units are used, and
the bits depend neither on these nor on the function into which the loop is inlined. Of sums with the first lanes
A, B, … = 0, LANES, … a kernel writes

    clear_lanes(sums, rows)
    for first in range(0, N, LANES):
        for k in range(min(LANES, N - first)):
            i = np.uint64(first + k)
            sums[k + A] += ...
    sum_lanes(sums, rows, N)

and finds the sums in sums[A], sums[B], … The index i is unsigned, so that the compiler need not handle indices counted from the end
of the array and sees that neighbouring lanes are neighbours in memory. A loop that also writes a number
for each point puts it into lanes behind the sums, and copies these when the lanes are full: the compiler cannot know that an array
which is written in the loop shares no memory with those that are read there. ``rows`` is an ``np.int64``, not a literal number, for
each literal would compile the functions below once more. Lanes pay where each point takes a square root: ten such sums over 1152
points took 1.7 ns a point, and 11 ns one term after another.
"""

from __future__ import annotations

from numba import njit

LANES = 8
"""Lanes of a sum: numbers that a wide vector unit takes at once. Fewer are not filled; more cost time where points are few."""


@njit(cache=True, error_model="numpy")
def clear_lanes(sums, rows):  # type: ignore[no-untyped-def]
    """Clear the lanes of the first ``rows`` sums."""
    for k in range(rows * LANES):
        sums[k] = 0.0


@njit(cache=True, error_model="numpy")
def sum_lanes(sums, rows, points):  # type: ignore[no-untyped-def]
    """Add the lanes of each of the first ``rows`` sums over ``points`` points into its first lane."""
    for first in range(0, rows * LANES, LANES):
        total = sums[first]
        for k in range(1, min(LANES, points)):
            total += sums[first + k]
        sums[first] = total
