"""Euler's torque-free top in Jacobi's elliptic functions (L. D. Landau, E. M. Lifshitz, Mechanics, section 37)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import elliprf

Array = NDArray[np.float64]


def spin(moments: ArrayLike, start: ArrayLike, times: ArrayLike) -> Array:
    """Spin (n, 3) rad/s in body axes at ``times`` (n,) s of a body with principal ``moments`` (3,) kg m².

    With moments a <= b <= c, M² > 2 E b (else a and c change places, and with them the sense of the motion),

        ω_a = A cn τ,  ω_b = B sn τ,  ω_c = C dn τ,    τ = λ t + τ0,  λ² = (c − b)(M² − 2 E a)/(a b c),
        k² = (b − a)(2 E c − M²)/((c − b)(M² − 2 E a)),

    A² = (2 E c − M²)/(a (c − a)), B² = (2 E c − M²)/(b (c − b)), C² = (M² − 2 E a)/(c (c − a)).
    """
    J, first, t = np.asarray(moments, float), np.asarray(start, float), np.asarray(times, float)
    order = np.argsort(J, kind="stable")
    a, b, c = J[order]
    near = c * (c - b) * first[order[2]] ** 2 - a * (b - a) * first[order[0]] ** 2  # M² − 2 E b
    swapped = near < 0.0 or b == c
    order = order[::-1] if swapped else order
    sense = 1.0 if _even(order) != swapped else -1.0  # a left-handed order of axes turns the sense of the motion
    (a, b, c), (x, y, z) = J[order], sense * first[order]
    if c == a or np.count_nonzero(first) < 2:
        return np.tile(first, (len(t), 1))  # a sphere, or a spin about one axis
    # (2 E c − M²)/(c − a) and (M² − 2 E a)/(c − a), without differences of squares
    short, long = a * x**2 + b * (c - b) / (c - a) * y**2, c * z**2 + b * (b - a) / (c - a) * y**2
    A, B, C = np.sqrt(short / a), np.sqrt(short * (c - a) / (b * (c - b))), np.sqrt(long / c)
    rate = np.sqrt(long * (c - a) * (c - b) / (a * b * c))
    rest = abs(near) / (abs(c - b) * long)  # 1 − k²
    flip, side = (1.0 if x >= 0.0 else -1.0), (1.0 if z >= 0.0 else -1.0)
    angle = np.arctan2(flip * side * y / B, abs(x) / A)
    sine, cosine = np.sin(angle), np.cos(angle)
    phase = sine * float(elliprf(cosine**2, cosine**2 + rest * sine**2, 1.0))
    sn, cn, dn = jacobi(rate * t + phase, rest)
    result = np.empty((len(t), 3))
    result[:, order] = sense * np.column_stack([flip * A * cn, flip * side * B * sn, side * C * dn])
    return result


def jacobi(u: Array, rest: float) -> tuple[Array, Array, Array]:
    """Jacobi's sn, cn and dn (n,) at ``u`` (n,) of 1 − k² = ``rest`` in [0, 1], by arithmetic-geometric means.

    `scipy.special.ellipj` takes a series for 1 − k² < 1e-10 that holds in the first quarter period alone.
    """
    if rest == 0.0:
        return np.tanh(u), 1.0 / np.cosh(u), 1.0 / np.cosh(u)
    mean, other, ratios = 1.0, np.sqrt(rest), []
    while mean - other > 1e-9 * mean:  # the next difference is its square
        mean, other, half = 0.5 * (mean + other), np.sqrt(mean * other), 0.5 * (mean - other)
        ratios.append(half / mean)
    angle = 2.0 ** len(ratios) * mean * u
    for ratio in reversed(ratios):
        angle = 0.5 * (angle + np.arcsin(ratio * np.sin(angle)))
    cn = np.cos(angle)
    return np.sin(angle), cn, np.sqrt(rest + (1.0 - rest) * cn**2)


def _even(order: NDArray[np.intp]) -> bool:
    """True for an even permutation of three."""
    return bool(np.linalg.det(np.eye(3)[order]) > 0.0)
