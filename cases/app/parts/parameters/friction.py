"""Friction of a case: the law and its coefficients."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import model_validator

import friction
from cases.app.parts import laws
from cases.app.parts.fields import TAKEN, field_quantity
from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import Numbers, choice, quantity

LawName = Annotated[str, choice("friction law", friction.LAWS)]
Mu = Annotated[
    float | str,
    field_quantity("1", "friction coefficient, of laws with two the dynamic one"),
    TAKEN,
]
MuOfGround = Annotated[float, quantity("1", "coefficient of friction on the ground", ge=0)]
MuStatic = Annotated[float | None, quantity("1", "static friction coefficient, of laws with two; left out: mu", ge=0)]
RegularisingSpeed = Annotated[float, quantity("m/s", "speed that regularises the law smooth", gt=0)]
StaticSpeed = Annotated[
    float, quantity("m/s", "speed at which the laws sliding and sliding-stiction reach the static coefficient", gt=0)
]
DynamicSpeed = Annotated[
    float | None,
    quantity(
        "m/s",
        "speed > v_s above which the laws sliding and sliding-stiction have the coefficient mu; left out: 1.5 v_s",
        gt=0,
    ),
]
StictionDeformation = Annotated[
    float, quantity("m", "largest deformation of the bristles of the law sliding-stiction", ge=0)
]
StribeckSpeed = Annotated[
    float, quantity("m/s", "speed scale of the fall from static to dynamic coefficient of the law stribeck", gt=0)
]
StribeckExponent = Annotated[float, quantity("1", "exponent of the law stribeck: 2 (Gauss), 1 (Tustin)", ge=1)]
MuAcross = Annotated[
    float | None, quantity("1", "coefficient across the axis of the law elliptic; left out: equal to mu", gt=0)
]
AxisAngle = Annotated[float, quantity("rad", "angle of the axis of the law elliptic, whose coefficient is mu")]
SplineSpeeds = Annotated[
    Numbers, quantity("m/s", "speeds of the laws force-spline and coefficient-spline, increasing from 0")
]
SplineValues = Annotated[
    Numbers, quantity("N or 1", "friction force on the body, or coefficient, at spline_speeds; it replaces mu")
]
MaxForce = Annotated[
    float | None, quantity("N", "largest friction force on the body, distributed as mu p_n; left out: none", gt=0)
]


class Coefficients(Group):
    """Coefficients of the laws of plane and space."""

    mu_s: MuStatic = None
    v_reg: RegularisingSpeed = 1e-3
    v_s: StaticSpeed = 1e-3
    v_d: DynamicSpeed = None
    max_stiction_deformation: StictionDeformation = 1e-5


class FrictionInPlane(Coefficients):
    """A law of the plane and its coefficients."""

    law: LawName = "coulomb"
    mu: Mu
    stribeck_speed: StribeckSpeed = 1e-2
    stribeck_exponent: StribeckExponent = 2.0
    mu_across: MuAcross = None
    axis_angle: AxisAngle = 0.0
    spline_speeds: SplineSpeeds = ()
    spline_values: SplineValues = ()
    max_force: MaxForce = None

    def acting_laws(self) -> tuple[str, ...]:
        """Names of the friction laws that act."""
        return (self.law,)

    def unread(self) -> dict[str, str]:
        """Also the parameters of other laws."""
        acting = f"law{'s' * (len(set(self.acting_laws())) > 1)} {' and '.join(dict.fromkeys(self.acting_laws()))}"
        return super().unread() | dict.fromkeys(sorted(laws.parameters_of_others(self.acting_laws())), acting)

    @model_validator(mode="after")
    def _law_agrees(self) -> Self:
        laws.check(self)
        return self
