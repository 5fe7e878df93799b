"""Elasticity of a case's body: constants, material, elements, frame, viscosity."""

from __future__ import annotations

from typing import Annotated

import fem
import floating_frame as ff
from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import choice, quantity

Young = Annotated[float, quantity("Pa", "Young's modulus E", gt=0)]
Poisson = Annotated[float, quantity("1", "Poisson's ratio", gt=-1, lt=0.5)]
Material = Annotated[str, choice("elastic material", fem.MATERIALS)]
MaterialOfSolids = Annotated[str, choice("elastic material", ("st-venant-kirchhoff", "neo-hookean"))]
Plane = Annotated[str, choice("plane stress or plane strain", ("stress", "strain"))]
_ELEMENT = (
    "finite elements: linear or quadratic triangles (P1, P2), linear or quadratic quadrilaterals (Q1, Q2). P1 is too stiff in "
    "bending (frequencies of a strip of length 20 times its width: 16 % too high on 40 x 4 cells) and in plane strain near nu = 0.5"
)
Element = Annotated[str, choice(_ELEMENT, ("P1", "P2", "Q1", "Q2"))]
ElementOfSolids = Annotated[
    str, choice("finite elements: linear tetrahedra (P1), too stiff in bending, or linear hexahedra (Q1)", ("P1", "Q1"))
]
Frame = Annotated[str, choice("condition that defines the floating frame", ff.FRAMES)]
Viscosity = Annotated[
    float | None,
    quantity(
        "s",
        "retardation time of the Kelvin-Voigt viscosity; 0: none; left out: max(3/4, 3 H/L) mu H/c_s with friction under "
        "contact signorini, else none (H, L: smallest and largest size of the body, c_s: speed of shear waves); stated in the "
        "results",
        ge=0,
    ),
]


class Elastic(Group):
    """An elastic body and its frame."""

    E: Young
    nu: Poisson
    material: Material = "st-venant-kirchhoff"
    frame: Frame = "mean-axis"


class ElasticInPlane(Elastic):
    """An elastic body in the plane."""

    plane: Plane = "stress"
    elements: Element = "P1"


class ElasticInSpace(Elastic):
    """An elastic solid."""

    material: MaterialOfSolids = "st-venant-kirchhoff"
    viscosity: Viscosity = None
