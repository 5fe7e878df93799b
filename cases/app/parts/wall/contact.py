"""The contact of wall_impact: what its parameters refuse, and what a trajectory says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cases.app.parts.parameters import CaseParameters, Penalty
from cases.app.parts.penalty import IN_PLACE_OF

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray


def check(params: CaseParameters) -> None:
    """Refuse parameters of the contact that the chosen normal law would ignore: ValueError in one line."""
    given = dict(params)
    exact = given["contact"] == "signorini"
    idle = dict.fromkeys(
        Penalty.model_fields if exact else ("restitution", "restitution_law"),
        f"contact {given['contact']}, which takes {'restitution' if exact else 'damping'} instead",
    )
    for spline, names in IN_PLACE_OF.items():
        idle |= dict.fromkeys(names if given[spline] else (), f"{spline}, which stands in its place")
    for name, why in idle.items():
        if given[name] != type(params).model_fields[name].default:
            raise ValueError(f"{name}: expected none with {why}, got {given[name]!r}")


def pressed(data: xr.Dataset) -> NDArray[np.float64]:
    """Return `|F_C|` at the stored times, (times,) N."""
    result: NDArray[np.float64] = np.hypot(*data.contact_force.values.T)
    return result
