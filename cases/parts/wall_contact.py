"""The normal force of wall_impact as its parameters name it, and what a trajectory says of the contact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from friction import NormalForce

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

PENALTY = ("stiffness", "damping", "m1", "m2", "m3", "onset", "stiffness_spline", "damping_spline", "tensile")
IN_PLACE_OF = {"stiffness_spline": ("stiffness", "m1"), "damping_spline": ("damping", "m2")}


def with_scheme(given: Any) -> Any:
    """Return parameters as given, with scheme moreau-theta where none is and the contact is exact: it needs an impact law."""
    if isinstance(given, dict) and given.get("contact") == "signorini" and "scheme" not in given:
        return given | {"scheme": "moreau-theta"}
    return given


def check(params: Any) -> None:
    """Refuse parameters of the contact that the chosen normal law would ignore: ValueError in one line."""
    exact = params.contact == "signorini"
    for name in PENALTY if exact else ("restitution", "restitution_law"):
        _at_default(
            params, name, f"contact {params.contact}, which takes {'restitution' if exact else 'damping'} instead"
        )
    for spline, names in IN_PLACE_OF.items():
        for name in names if getattr(params, spline) else ():
            _at_default(params, name, f"{spline}, which stands in its place")


def _at_default(params: Any, name: str, why: str) -> None:
    value, default = getattr(params, name), type(params).model_fields[name].default
    if value != default:
        raise ValueError(f"{name}: expected none with {why}, got {value!r}")


def normal_force(params: Any) -> NormalForce:
    """Return the penalty law per unit of length of the edge. Raises ValueError for splines that are none."""
    return NormalForce(
        0.0 if params.stiffness_spline else params.stiffness / params.width,
        params.damping / params.width,
        params.m1,
        params.m2,
        params.m3,
        _pairs("stiffness_spline", params.stiffness_spline, params.width),
        _pairs("damping_spline", params.damping_spline, params.width),
        params.onset,
        params.tensile,
    )


def _pairs(name: str, values: tuple[float, ...], width: float) -> NDArray[np.float64] | None:
    """Return (abscissa, force per length) pairs of a list of both by turns; None for an empty one."""
    if not values:
        return None
    if len(values) % 2:
        raise ValueError(f"{name}: expected abscissae and forces by turns, got {len(values)} numbers")
    return np.reshape(values, (-1, 2)) / [1.0, width]


def pressed(params: Any, data: xr.Dataset) -> NDArray[np.float64]:
    """Return `|F_C|` at the stored times, (times,) N."""
    result: NDArray[np.float64] = np.hypot(*data.contact_force.values.T)
    return result
