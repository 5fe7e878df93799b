"""Penalty normal forces of the cases, from parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import friction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cases.app.parts.parameters import Penalty
    from friction import NormalForce

IN_PLACE_OF = {"stiffness_spline": ("stiffness", "m1"), "damping_spline": ("damping", "m2")}


def normal_force(params: Penalty, extent: float) -> NormalForce:
    """Penalty law per unit of an ``extent``: length m, area m², or number of points. ValueError for bad splines."""
    return friction.NormalForce(
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
    """(abscissa, force per unit) pairs of a list x1, f1, x2, f2, ...; None for an empty one."""
    if not values:
        return None
    if len(values) % 2:
        raise ValueError(f"{name}: expected pairs of numbers, the second a force, got {len(values)} numbers")
    return np.reshape(values, (-1, 2)) / [1.0, extent]


def depth_under(params: Penalty, load: float) -> float:
    """Static penetration under a ``load`` N, m. ValueError where the force never reaches it."""
    import scipy  # refusals do without its import

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
