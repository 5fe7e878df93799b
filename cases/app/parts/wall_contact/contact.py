"""The contact of wall_impact: normal law, checks of its parameters, and its headline numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app.parts import penalty
from cases.app.parts.parameters import Penalty, Stiffness
from cases.app.parts.parameters.model import Given, Group
from cases.app.parts.penalty import IN_PLACE_OF
from cases.app.parts.quantities import choice, quantity
from cases.app.run.results import Headlines, headline
from friction import RESTITUTION_LAWS

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

    from friction import NormalForce

_NORMAL = "normal contact: penalty (a force that depends on the penetration), or signorini (exact, with impacts)"
_RATIO = "restitution: ratio of velocities (newton) or impulses (poisson), square root of the ratio of works (stronge)"


class NormalContact(Penalty):
    """Normal law of the contact: a penalty, or exact contact with an impact law."""

    edge: Annotated[str, choice("part of the plate's outline that may touch", ("right", "boundary"))] = "right"
    contact: Annotated[str, choice(_NORMAL, ("penalty", "signorini"))] = "penalty"
    stiffness: Stiffness = 2e4
    restitution: Annotated[float, quantity("1", "coefficient of restitution of contact signorini", ge=0, le=1)] = 0.0
    restitution_law: Annotated[str, choice(_RATIO, RESTITUTION_LAWS)] = "newton"
    integration: Annotated[str, choice("integration of the contact force over the edge", ("gauss", "nodes"))] = "gauss"

    @classmethod
    def completed(cls, given: Given) -> Given:
        """Fill in the scheme of exact contact, which needs an impact law."""
        return {"scheme": "moreau-theta"} | given if given.get("contact") == "signorini" else given

    def unread(self) -> dict[str, str]:
        """Also the parameters of the other normal law, and those that a spline replaces."""
        if self.contact == "signorini":
            return super().unread() | dict.fromkeys(Penalty.model_fields, "contact signorini")
        replaced = {name: spline for spline, names in IN_PLACE_OF.items() if dict(self)[spline] for name in names}
        return super().unread() | dict.fromkeys(("restitution", "restitution_law"), "contact penalty") | replaced


def normal_law(params: NormalContact, width: float) -> NormalForce | ff.Signorini:
    """Normal law of an edge of `width` m."""
    if params.contact == "penalty":
        return penalty.normal_force(params, width)
    return ff.Signorini(params.restitution, params.restitution_law)


def check(params: Group) -> None:
    """Refuse parameters that the chosen normal law ignores: ValueError in one line."""
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
    """Size `|F_C|` of the contact force at the stored times, (times,) N."""
    result: NDArray[np.float64] = np.hypot(*data.contact_force.values.T)
    return result


def impacts(data: xr.Dataset) -> Headlines:
    """Number, restitution, impulse and losses of a rigid body's exact impacts; nothing without any."""
    if "impacts" not in data or int(data.impacts[-1]) == 0:
        return {}
    ratio, impulse = float(data.impact_restitution[-1]), float(np.hypot(*data.impact_impulse.values[-1]))
    lost, created = float(data.impact_loss[-1]), float(data.impact_energy_created[-1])
    ratio_of = "computed restitution of the last impact, -u_n+/u_n-"
    creates = "energy created by impacts (possible with Newton's restitution and friction, never with Stronge's)"
    return {
        "impacts": headline(int(data.impacts[-1]), "1", "number of impacts"),
        "impact_restitution": headline(ratio, "1", ratio_of),
        "impact_impulse": headline(impulse, "N s", "size of the impulse of all impacts"),
        "impact_loss": headline(lost, "J", "energy lost in the impacts"),
        "impact_energy_created": headline(created, "J", creates),
    }
