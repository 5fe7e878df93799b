"""How far a body is strained and turned: the largest of it over all quadrature points, against a material's range."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from fem.kernels.elastic import displacement_gradient


class StrainRange(NamedTuple):
    """Hold the extremes over a body at one instant.

    Parameters
    ----------
    strain : float
        Largest absolute principal value of ε = sym ∂u/∂X, -.
    rotation : float
        Largest absolute angle of the polar rotation of F, rad.
    stretch : float
        Smallest principal stretch, -; below 0 where det F < 0.
    """

    strain: float
    rotation: float
    stretch: float


@njit(cache=True, error_model="numpy")
def strain_range(u: np.ndarray, nodes: np.ndarray, gradients: np.ndarray) -> tuple[float, float, float]:
    """Return the entries of ``StrainRange`` over all quadrature points.

    In the plane F = R U has the sums ``|s₁ + s₂| = |(F₁₁ + F₂₂, F₂₁ − F₁₂)|``, ``|s₁ − s₂| = |(F₁₁ − F₂₂, F₂₁ +
    F₁₂)|`` of its stretches, and R the angle atan2(F₂₁ − F₁₂, F₁₁ + F₂₂). NaN where u is not finite.

    Parameters
    ----------
    u : ndarray
        Displacement (N, 2), m.
    nodes : ndarray
        (C, B).
    gradients : ndarray
        (C, Q, B, 2), 1/m.

    Returns
    -------
    tuple[float, float, float]
        Strain, rotation in rad, stretch.
    """
    strain, stretch = 0.0, math.inf
    ahead, aside = 1.0, 0.0  # R of the largest angle so far, which is taken at the end
    for c in range(nodes.shape[0]):
        for point in range(gradients.shape[1]):
            h11, h12, h21, h22 = displacement_gradient(u, nodes, gradients, c, point)
            p, q = 2.0 + h11 + h22, abs(h21 - h12)
            difference = math.sqrt((h11 - h22) ** 2 + (h12 + h21) ** 2)
            largest = 0.5 * (abs(h11 + h22) + difference)
            if not math.isfinite(largest + q):
                return math.nan, math.nan, math.nan
            if q * ahead > p * aside or (q == 0.0 and p < 0.0):
                ahead, aside = p, q
            strain, stretch = max(strain, largest), min(stretch, 0.5 * (math.sqrt(p * p + q * q) - difference))
    return strain, abs(math.atan2(aside, ahead)), stretch
