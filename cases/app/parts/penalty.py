"""Penalty normal forces as parameters of cases: totals over the edge or the base that touches, and the law that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Protocol

import numpy as np
import scipy

from cases.app.parts.quantities import Numbers, quantity
from friction import NormalForce

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIELDS = ("stiffness", "damping", "m1", "m2", "m3", "onset", "stiffness_spline", "damping_spline", "tensile")
IN_PLACE_OF = {"stiffness_spline": ("stiffness", "m1"), "damping_spline": ("damping", "m2")}

Stiffness = Annotated[float, quantity("N/m^m1", "stiffness k of the contact, in all", gt=0)]
Damping = Annotated[float, quantity("N (s/m)^m2/m^m3", "damping c of the contact, in all", ge=0)]
StiffnessExponent = Annotated[float, quantity("1", "stiffness exponent", ge=1)]
DampingExponent = Annotated[float, quantity("1", "damping exponent", ge=1)]
IndentationExponent = Annotated[float, quantity("1", "indentation exponent", ge=0)]
Onset = Annotated[float, quantity("m", "penetration over which the damper sets in", ge=0)]
StiffnessSpline = Annotated[Numbers, quantity("m, N", "penetrations and forces by turns, instead of k d^m1")]
DampingSpline = Annotated[Numbers, quantity("m/s, N", "rates and forces by turns, instead of c |d'|^m2")]
Tensile = Annotated[bool, quantity("", "let the normal force pull")]


class PenaltyParameters(Protocol):
    """The parameters of a penalty law, totals over what touches."""

    stiffness: float
    damping: float
    m1: float
    m2: float
    m3: float
    onset: float
    stiffness_spline: tuple[float, ...]
    damping_spline: tuple[float, ...]
    tensile: bool


def normal_force(params: PenaltyParameters, extent: float) -> NormalForce:
    """Return the penalty law per unit of an ``extent``: a length m, an area m², or so many points. ValueError for bad splines."""
    return NormalForce(
        0.0 if params.stiffness_spline else params.stiffness / extent,
        params.damping / extent,
        m1=params.m1,
        m2=params.m2,
        m3=params.m3,
        stiffness_spline=_pairs("stiffness_spline", params.stiffness_spline, extent),
        damping_spline=_pairs("damping_spline", params.damping_spline, extent),
        onset=params.onset,
        tensile=params.tensile,
    )


def _pairs(name: str, values: tuple[float, ...], extent: float) -> NDArray[np.float64] | None:
    """Return (abscissa, force per unit) pairs of a list of both by turns; None for an empty one."""
    if not values:
        return None
    if len(values) % 2:
        raise ValueError(f"{name}: expected abscissae and forces by turns, got {len(values)} numbers")
    return np.reshape(values, (-1, 2)) / [1.0, extent]


def depth_under(params: PenaltyParameters, load: float) -> float:
    """Return the penetration, m, at which a ``load`` N is borne at rest. ValueError where it is nowhere."""
    law, deep = normal_force(params, 1.0), 1.0
    if not load > 0.0:
        return 0.0
    while law.elastic(deep) > load and deep > 1e-12:
        deep *= 0.1
    for _ in range(60):
        if law.elastic(deep) >= load:
            return float(
                scipy.optimize.brentq(lambda d: float(law.elastic(d)) - load, 0.0, deep, xtol=1e-18, rtol=1e-14)
            )
        deep *= 2.0
    raise ValueError(f"stiffness_spline: expected forces that bear the weight of {load:.6g} N, got too small ones")
