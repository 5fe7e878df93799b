"""The normal force of wall_impact as its parameters name it, and what a trajectory says of the contact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from cases.parts.parameters import CaseParameters
from friction import NormalForce

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

PENALTY = ("stiffness", "damping", "m1", "m2", "m3", "onset", "stiffness_spline", "damping_spline", "tensile")
IN_PLACE_OF = {"stiffness_spline": ("stiffness", "m1"), "damping_spline": ("damping", "m2")}


def with_scheme(given: object) -> object:
    """Return parameters as given, with scheme moreau-theta where none is and the contact is exact: it needs an impact law."""
    if isinstance(given, dict) and given.get("contact") == "signorini" and "scheme" not in given:
        return given | {"scheme": "moreau-theta"}
    return given


def check(params: CaseParameters) -> None:
    """Refuse parameters of the contact that the chosen normal law would ignore: ValueError in one line."""
    given = dict(params)
    exact = given["contact"] == "signorini"
    idle = dict.fromkeys(
        PENALTY if exact else ("restitution", "restitution_law"),
        f"contact {given['contact']}, which takes {'restitution' if exact else 'damping'} instead",
    )
    for spline, names in IN_PLACE_OF.items():
        idle |= dict.fromkeys(names if given[spline] else (), f"{spline}, which stands in its place")
    for name, why in idle.items():
        if given[name] != type(params).model_fields[name].default:
            raise ValueError(f"{name}: expected none with {why}, got {given[name]!r}")


class PenaltyParameters(Protocol):
    """The parameters of a penalty law, totals over an edge of `width` m."""

    width: float
    stiffness: float
    damping: float
    m1: float
    m2: float
    m3: float
    onset: float
    stiffness_spline: tuple[float, ...]
    damping_spline: tuple[float, ...]
    tensile: bool


def normal_force(params: PenaltyParameters) -> NormalForce:
    """Return the penalty law per unit of length of the edge. Raises ValueError for splines that are none."""
    return NormalForce(
        0.0 if params.stiffness_spline else params.stiffness / params.width,
        params.damping / params.width,
        m1=params.m1,
        m2=params.m2,
        m3=params.m3,
        stiffness_spline=_pairs("stiffness_spline", params.stiffness_spline, params.width),
        damping_spline=_pairs("damping_spline", params.damping_spline, params.width),
        onset=params.onset,
        tensile=params.tensile,
    )


def _pairs(name: str, values: tuple[float, ...], width: float) -> NDArray[np.float64] | None:
    """Return (abscissa, force per length) pairs of a list of both by turns; None for an empty one."""
    if not values:
        return None
    if len(values) % 2:
        raise ValueError(f"{name}: expected abscissae and forces by turns, got {len(values)} numbers")
    return np.reshape(values, (-1, 2)) / [1.0, width]


def pressed(data: xr.Dataset) -> NDArray[np.float64]:
    """Return `|F_C|` at the stored times, (times,) N."""
    result: NDArray[np.float64] = np.hypot(*data.contact_force.values.T)
    return result
