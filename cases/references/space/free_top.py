"""Euler's torque-free top in Jacobi's elliptic functions (L. D. Landau, E. M. Lifshitz, Mechanics, section 37)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ellipj, ellipkinc

Array = NDArray[np.float64]


def spin(moments: ArrayLike, start: ArrayLike, times: ArrayLike) -> Array:
    """Return the spin (n, 3) rad/s in body axes at ``times`` (n,) s of a body with principal ``moments`` (3,) kg m².

    With moments a <= b <= c, M² > 2 E b (else a and c change places, and with them the sense of the motion),

        ω_a = A cn τ,  ω_b = B sn τ,  ω_c = C dn τ,    τ = λ t + τ0,  λ² = (c − b)(M² − 2 E a)/(a b c),
        k² = (b − a)(2 E c − M²)/((c − b)(M² − 2 E a)),

    A² = (2 E c − M²)/(a (c − a)), B² = (2 E c − M²)/(b (c − b)), C² = (M² − 2 E a)/(c (c − a)).
    """
    J, first, t = np.asarray(moments, float), np.asarray(start, float), np.asarray(times, float)
    energy2, momentum2 = float(J @ first**2), float(J**2 @ first**2)
    order = np.argsort(J, kind="stable")
    swapped = momentum2 < energy2 * J[order[1]] or J[order[1]] == J[order[2]]
    order = order[::-1] if swapped else order
    sense = 1.0 if _even(order) != swapped else -1.0  # a left-handed order of axes turns the sense of the motion
    (a, b, c), (x, y, z) = J[order], sense * first[order]
    if c == a or momentum2 == energy2 * c:
        return np.tile(first, (len(t), 1))  # a sphere, or a spin about one axis
    short, long = (energy2 * c - momentum2) / (c - a), (momentum2 - energy2 * a) / (c - a)
    A, B, C = np.sqrt(short / a), np.sqrt(short * (c - a) / (b * (c - b))), np.sqrt(long / c)
    side = 1.0 if z >= 0.0 else -1.0
    rate = np.sqrt(long * (c - a) * (c - b) / (a * b * c))
    modulus = (b - a) * short / ((c - b) * long)
    phase = float(ellipkinc(np.arctan2(side * y / B, x / A), modulus))
    sn, cn, dn, _ = ellipj(rate * t + phase, modulus)
    found = np.empty((len(t), 3))
    found[:, order] = sense * np.column_stack([A * cn, side * B * sn, side * C * dn])
    return found


def _even(order: NDArray[np.intp]) -> bool:
    """Return whether a permutation of three is even."""
    return bool(np.linalg.det(np.eye(3)[order]) > 0.0)
