"""Natural frequencies of uniform Euler-Bernoulli beams: (beta L)^2/(2 pi L^2) sqrt(EJ/(rho A)), beta L the roots of

    free             cosh x cos x = 1
    cantilever       cosh x cos x = -1
    simply-supported sin x = 0

(Szefer (3.17) without friction and load).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from fem.beam import Beam

SIDES = {"free": 1.0, "cantilever": -1.0}


def roots(support: str, count: int) -> NDArray[np.float64]:
    """Lowest beta L > 0 of a support, (count,)."""
    if support not in SIDES:
        return np.pi * np.arange(1.0, count + 1.0)
    # Divided by cosh, which overflows; each root lies within a quarter turn of its asymptote.
    first = 1.5 if support == "free" else 0.5
    values = []
    for n in range(count):
        middle = (first + n) * np.pi
        span = 0.25 * np.pi
        values.append(
            brentq(lambda x: np.cos(x) - SIDES[support] / np.cosh(x), middle - span, middle + span, xtol=1e-14)
        )
    return np.array(values)


def frequencies(beam: Beam, support: str, count: int) -> NDArray[np.float64]:
    """Lowest natural frequencies, (count,) Hz."""
    stiffness = beam.bending_stiffness / beam.mass_per_length
    result: NDArray[np.float64] = (roots(support, count) / beam.length) ** 2 * np.sqrt(stiffness) / (2.0 * np.pi)
    return result
