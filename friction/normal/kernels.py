"""The formulas of normal contact forces, compiled.

The ``numbers`` of a law: k, c, m1, m2, m3, onset h, jump at first touch (0, 1), tensile (0, 1), and the offsets of the tables of
spring and damper in them (0: none).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.curves.kernels import table_at

SMALLEST_PENETRATION = 1e-12
"""Penetration, m, below which a damper that jumps does not act: far above the rounding of positions, which must not decide
whether a body at the surface is pushed."""


@njit(cache=True, error_model="numpy")
def normal_at(numbers, d, rate):  # type: ignore[no-untyped-def]
    """Normal force f_n, ∂f_n/∂d, ∂f_n/∂d', its elastic part and the elastic energy at penetration d, m, and its rate d', m/s."""
    if not d > 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    k, c, m1, m2, m3, onset = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]
    spring, damper = int(numbers[8]), int(numbers[9])
    if spring > 0:
        elastic, stiff, energy = table_at(numbers, spring, d)
    else:
        elastic, stiff, energy = k * d**m1, k * m1 * d ** (m1 - 1.0), k * d ** (m1 + 1.0) / (m1 + 1.0)
    if damper > 0:
        resists, viscous, _ = table_at(numbers, damper, rate)
    else:
        size = abs(rate)
        resists, viscous = c * np.sign(rate) * size**m2, c * m2 * size ** (m2 - 1.0)
    factor, slope = d**m3, m3 * d ** (m3 - 1.0)
    if numbers[6] != 0.0 and d <= SMALLEST_PENETRATION:
        factor = 0.0
    if onset > 0.0:
        s = min(d / onset, 1.0)
        share = s * s * (3.0 - 2.0 * s)
        factor, slope = factor * share, slope * share + factor * 6.0 * s * (1.0 - s) / onset
    force = elastic + resists * factor
    if numbers[7] == 0.0 and not force > 0.0:
        return 0.0, 0.0, 0.0, elastic, energy
    return force, stiff + resists * slope, viscous * factor, elastic, energy


@njit(cache=True, error_model="numpy")
def normals(numbers, d, rate, out):  # type: ignore[no-untyped-def]
    """Write the values of ``normal_at`` (5, M) at penetrations (M,) m and rates (M,) m/s."""
    for i in range(len(d)):
        out[0, i], out[1, i], out[2, i], out[3, i], out[4, i] = normal_at(numbers, d[i], rate[i])
