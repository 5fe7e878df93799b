"""What the cases with beams share: their parameters, the beam, and its friction per length."""

from __future__ import annotations

from typing import Annotated, Protocol

import fem
from cases.app.parts import bodies
from cases.app.parts.fields import uniform_value
from cases.app.parts.parameters import quantity

Elements = Annotated[int, quantity("1", "elements along the beam", ge=2)]
NoEffect = Annotated[float, quantity("1", "Poisson's ratio; a slender beam does not depend on it", gt=-1, lt=0.5)]


class RoughBeam(bodies.Pressed, Protocol):
    """The parameters of a beam on rough ground."""

    mu: float | str
    length: float
    width: float
    thickness: float
    density: float
    E: float
    ne: int


def beam(params: RoughBeam) -> fem.beam.Beam:
    """Return the beam of the parameters."""
    return fem.beam.Beam.build(
        length=params.length,
        width=params.width,
        thickness=params.thickness,
        E=params.E,
        density=params.density,
        ne=params.ne,
    )


def bending_stiffness(params: RoughBeam) -> float:
    """Return EJ, N m²."""
    return params.E * params.thickness * params.width**3 / 12


def friction_per_length(params: RoughBeam) -> float:
    """Return q = mu p_n b, N/m; NaN where mu or p_n is an expression."""
    weight = params.density * params.thickness
    return uniform_value(params.mu) * bodies.pressure(params, mass=weight, area=1.0) * params.width
