"""The ratio v/(R ω) to which a thick disc tends, and the side force there, by quadrature over its base.

With friction F at the ground, h below the centre of mass, the pressure of a uniform disc that keeps contact everywhere is linear,

    p_n = (N/π R²)(1 + b·d),    b = −4 h F/(N R²),    |b| R <= 1,

since ∫ d d dA = (π R⁴/4) 1. The friction of p_n gives F: two linear equations. Drag D against v and torque T against ω change v
and ω at rates in the ratio of v and ω themselves where D/(m v) = T/(½ m R² ω): the ratio that a disc tends to. The side force
turns v alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

RINGS, SPOKES = 200, 256
LIFTS = 0.25
"""μ h/R above which the base of a disc that does not spin lifts."""


class Terminal(NamedTuple):
    """``ratio`` v/(R ω), and the ``side`` force over the drag."""

    ratio: float
    side: float


def forces(ratio: float, share: float) -> tuple[float, float, float]:
    """Drag/(μ N), side force/(μ N) and torque/(μ N R) at v/(R ω) = ``ratio``, μ h/R = ``share``; v along x, R = 1."""
    nodes, weights = np.polynomial.legendre.leggauss(RINGS)
    r, angle = 0.5 * (nodes + 1.0), 2.0 * np.pi * (np.arange(SPOKES) + 0.5) / SPOKES
    area = (0.5 * weights * r)[:, None] * np.full(SPOKES, 2.0 * np.pi / SPOKES) / np.pi
    x, y = r[:, None] * np.cos(angle), r[:, None] * np.sin(angle)
    u, v = ratio - y, x
    speed = np.hypot(u, v)
    u, v = u / speed, v / speed
    # pressure is 1 + 4 μ h/R (drag x + side y), b = −4 h F/(N R²) with F = −μ N (drag, side): two linear equations
    own = np.array([[np.sum(area * w * a) for a in (x, y)] for w in (u, v)])
    plain = np.array([np.sum(area * u), np.sum(area * v)])
    drag, side = (float(part) for part in np.linalg.solve(np.eye(2) - 4.0 * share * own, plain))
    pressure = area * (1.0 + 4.0 * share * (drag * x + side * y))
    return drag, side, float(np.sum(pressure * (x * v - y * u)))


def terminal(share: float) -> Terminal | None:
    """Terminal motion of a disc with μ h/R = ``share``; None where its base may lift."""
    from scipy.optimize import brentq  # takes long to import

    if not 0.0 <= share <= LIFTS:
        return None

    def unbalance(ratio: float) -> float:
        drag, _, torque = forces(ratio, share)
        return drag / ratio - 2.0 * torque

    ratio = float(brentq(unbalance, 0.4, 0.95, xtol=1e-10))
    drag, side, _ = forces(ratio, share)
    return Terminal(ratio, side / drag)
