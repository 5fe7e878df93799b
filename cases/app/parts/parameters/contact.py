"""The ground of a case: gravity, what presses on it, and a penalty for the normal force."""

from __future__ import annotations

from typing import Annotated

from cases.app.parts.fields import TAKEN_OR_LEFT_OUT, field_quantity
from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import Numbers, quantity

Gravity = Annotated[float, quantity("m/s2", "acceleration of gravity, towards the plane", ge=0)]
GravityInSpace = Annotated[float, quantity("m/s2", "acceleration of gravity, along -z", ge=0)]
Pressure = Annotated[
    float | str | None,
    field_quantity("Pa", "normal pressure per reference area; left out: the weight, density x thickness x gravity"),
    TAKEN_OR_LEFT_OUT,
]
ReactingHeight = Annotated[
    float | None,
    quantity(
        "m",
        "height above the ground at which forces and inertia act; friction then shifts the normal pressure to the front; "
        "left out: no shift",
        ge=0,
    ),
]

Stiffness = Annotated[float, quantity("N/m^m1", "total stiffness k of the contact", gt=0)]
Damping = Annotated[float, quantity("N (s/m)^m2/m^m3", "total damping c of the contact", ge=0)]
StiffnessExponent = Annotated[float, quantity("1", "exponent of the penetration in the elastic force", ge=1)]
DampingExponent = Annotated[float, quantity("1", "exponent of the penetration rate in the damping force", ge=1)]
IndentationExponent = Annotated[float, quantity("1", "exponent of the penetration in the damping force", ge=0)]
Onset = Annotated[float, quantity("m", "penetration over which the damping rises from zero; 0: at once", ge=0)]
StiffnessSpline = Annotated[
    Numbers, quantity("m, N", "pairs of penetration and force, d1,F1,d2,F2,..., instead of k d^m1")
]
DampingSpline = Annotated[Numbers, quantity("m/s, N", "pairs of penetration rate and force, instead of c |d'|^m2")]
Tensile = Annotated[bool, quantity("", "allow tensile normal forces")]


class GroundInPlane(Group):
    """The ground under a plane body, and the pressure on it."""

    gravity: Gravity = 9.81
    pressure: Pressure = None
    reacting_height: ReactingHeight = None


class GroundInSpace(Group):
    """The ground at z = 0."""

    gravity: GravityInSpace = 9.81


class Penalty(Group):
    """Normal force as a function of the penetration; forces and stiffnesses are totals over the contact."""

    stiffness: Stiffness = 1e5
    damping: Damping = 0.0
    m1: StiffnessExponent = 1.0
    m2: DampingExponent = 1.0
    m3: IndentationExponent = 0.0
    onset: Onset = 0.0
    stiffness_spline: StiffnessSpline = ()
    damping_spline: DampingSpline = ()
    tensile: Tensile = False
