"""Impact of one contact with Coulomb friction, integrated over the normal impulse (Routh 1860), with three laws of restitution.

The velocity u = (u_n, u_t) of the contact, relative to the obstacle, follows its impulse P = (P_n, P_t) by du = W dP, with the
compliance W (2 × 2, symmetric, positive definite) of the bodies at the contact; P_n takes the place of time:

    slip      u_t ≠ 0:                      dP_t = −μ sgn(u_t) dP_n
    stick     u_t = 0, |W_nt/W_tt| <= μ:    dP_t = −(W_nt/W_tt) dP_n,  which keeps u_t = 0
    reverse   u_t = 0, |W_nt/W_tt| > μ:     dP_t = −μ sgn(W_nt) dP_n,  for u_t then takes the sign of W_nt

Compression lasts until u_n = 0 (at P_n = P_c), restitution until

    Newton    u_n = −e u_n⁻
    Poisson   P_n = (1 + e) P_c
    Stronge   W_r = −e² W_c,    W = ∫ u_n dP_n over compression (W_c < 0), over restitution (W_r).

Where they differ, which create energy, Painlevé's jamming, and sources: docs/laws-and-contact.md, "Exact contact".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from friction.arrays import Array, as_numbers, is_finite, shown

RESTITUTION_LAWS = ("newton", "poisson", "stronge")
"""Restitution as a ratio of velocities, impulses, or (squared) works."""


@dataclass(frozen=True)
class RouthImpact:
    """Result of an impact.

    Parameters
    ----------
    impulse : Array
        P (2,), N s, normal and tangential.
    velocity : Array
        u⁺ (2,), m/s.
    compression : float
        P_c, N s.
    loss : float
        Energy loss, J; negative: created.
    end : str
        The last phase, "slip", "stick" or "reverse".
    """

    impulse: Array
    velocity: Array
    compression: float
    loss: float
    end: str


def routh_impact(
    compliance: ArrayLike,
    velocity: ArrayLike,
    mu: float,
    restitution: float,
    law: str = "newton",
    *,
    kinetic: float = 1.0,
) -> RouthImpact:
    """Impact of one approaching contact.

    Parameters
    ----------
    compliance, velocity : ArrayLike
        W (2, 2), 1/kg, normal and tangential, and u⁻ (2,), m/s, u_n⁻ < 0.
    mu, kinetic : float
        μ in stick, and its share in slip, -.
    restitution : float
        e in [0, 1].
    law : str
        One of ``RESTITUTION_LAWS``.

    Raises
    ------
    ValueError
        For bad input.
    """
    w, u = _checked(compliance, velocity, mu, restitution, law, kinetic)
    incoming, total, compression, compression_work = float(u[0]), np.zeros(2), math.nan, 0.0
    normal, work = incoming, 0.0  # u_n, and ∫ u_n dP_n of compression or restitution
    for name, ratio, available in _phases(w, float(u[1]), mu, kinetic):
        end, rate = name, float(w[0, 0] + w[0, 1] * ratio)  # du_n/dP_n
        for goal in ("compression", law) if math.isnan(compression) else (law,):
            if goal == "compression":
                needed = -normal / rate if rate > 0.0 else math.inf
            elif goal == "poisson":
                needed = (1.0 + restitution) * compression - float(total[0])
            elif goal == "newton":
                needed = (-restitution * incoming - normal) / rate
            else:
                deficit = max(-(restitution**2) * compression_work - work, 0.0)  # = u_n P + u_n' P²/2
                root = math.sqrt(normal**2 + 2.0 * rate * deficit)
                needed = 2.0 * deficit / (normal + root) if deficit > 0.0 else 0.0
            length = min(needed, available)
            work, normal = work + length * (normal + 0.5 * rate * length), normal + rate * length
            total += length * np.array([1.0, ratio])
            if needed > available:
                break
            available -= needed
            if goal == "compression":
                compression, compression_work, normal, work = float(total[0]), work, 0.0, 0.0
        else:
            break
    after = u + w @ total
    if law == "newton":
        after[0] = -restitution * incoming
    if end == "stick":
        after[1] = 0.0
    return RouthImpact(total, after, compression, -0.5 * float(total @ (u + after)), end)


def _phases(w: Array, sliding: float, mu: float, kinetic: float) -> list[tuple[str, float, float]]:
    """Phases: their names, ratios dP_t/dP_n, and lengths in normal impulse, N s, the last one infinite."""
    slip, phases = kinetic * mu, []
    if sliding != 0.0:
        first = -slip * math.copysign(1.0, sliding)
        rate = float(w[0, 1] + w[1, 1] * first)  # du_t/dP_n
        if sliding * rate >= 0.0:
            return [("slip", first, math.inf)]
        phases.append(("slip", first, -sliding / rate))
    needed = -float(w[0, 1] / w[1, 1])
    if abs(needed) <= mu:
        return [*phases, ("stick", needed, math.inf)]
    return [*phases, ("reverse" if phases else "slip", math.copysign(slip, needed), math.inf)]


def _checked(
    compliance: ArrayLike, velocity: ArrayLike, mu: float, restitution: float, law: str, kinetic: float
) -> tuple[Array, Array]:
    w, u = (as_numbers(x, "routh_impact: compliance and velocity") for x in (compliance, velocity))
    if w.shape != (2, 2) or u.shape != (2,) or not (np.all(np.isfinite(w)) and np.all(np.isfinite(u))):
        raise ValueError(
            f"routh_impact: compliance (2, 2) and velocity (2,) must be finite, got {w.tolist()} and {u.tolist()}"
        )
    if not (w[0, 0] > 0.0 and w[1, 1] > 0.0 and w[0, 0] * w[1, 1] > w[0, 1] * w[1, 0]):
        raise ValueError("routh_impact: compliance must be positive definite")
    if not u[0] < 0.0:
        raise ValueError(f"routh_impact: the contact must approach, u_n < 0, got {float(u[0])!r}")
    if not (is_finite(mu) and mu >= 0.0 and is_finite(kinetic) and 0.0 < kinetic <= 1.0):
        raise ValueError(f"routh_impact: mu must be >= 0 and kinetic in (0, 1], got {shown(mu)} and {shown(kinetic)}")
    if not (is_finite(restitution) and 0.0 <= restitution <= 1.0):
        raise ValueError(f"routh_impact: restitution must lie in [0, 1], got {shown(restitution)}")
    if not (isinstance(law, str) and law in RESTITUTION_LAWS):
        raise ValueError(f"routh_impact: law must be one of {', '.join(RESTITUTION_LAWS)}, got {shown(law)}")
    return 0.5 * (w + w.T), u
