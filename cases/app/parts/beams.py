"""Shared parts of the cases with beams: parameters, the beam, and its friction per length."""

from __future__ import annotations

import math
from typing import Annotated, Protocol, Self

from pydantic import model_validator

import fem
from cases.app.parts import bodies
from cases.app.parts.parameters import Parameters, quantity

Elements = Annotated[int, quantity("1", "elements along the beam", ge=2)]
NoEffect = Annotated[float, quantity("1", "Poisson's ratio; a slender beam does not depend on it", gt=-1, lt=0.5)]


class RoughBeam(bodies.RoughParameters, Protocol):
    """The parameters of a beam on rough ground."""

    length: float
    width: float
    E: float
    ne: int


def beam(params: RoughBeam) -> fem.beam.Beam:
    """Beam of the parameters."""
    return fem.beam.Beam.build(
        length=params.length,
        width=params.width,
        thickness=params.thickness,
        E=params.E,
        density=params.density,
        ne=params.ne,
    )


def bending_stiffness(params: RoughBeam) -> float:
    """Bending stiffness EJ, N m²."""
    return params.E * params.thickness * params.width**3 / 12


def friction_per_length(params: RoughBeam) -> float:
    """Friction per length q = mu p_n b, N/m; NaN where mu or p_n is an expression."""
    return bodies.friction_per_area(params) * params.width


class BendingParameters(Parameters):
    """Further parameters of a beam with lateral load; refuses loads and motions that do not fit together."""

    history: str
    duration: float
    profile: str
    motion: str
    support: str
    vx0: float
    vy0: float
    spin0: float

    def unread(self) -> dict[str, str]:
        """Also the supports of a beam that has none, the frame of one that has, and the duration of a load without an end."""
        of_motion = (
            ("frame",) if self.motion == "fixed" else ("support",) if self.motion == "free" else ("support", "frame")
        )
        of_load = {"duration": "history step"} if self.history == "step" else {}
        return super().unread() | dict.fromkeys(of_motion, f"motion {self.motion}") | of_load

    @model_validator(mode="after")
    def _load_and_motion_agree(self) -> Self:
        motion, duration = self.motion, self.duration
        for name, value in (("vx0", self.vx0), ("vy0", self.vy0), ("spin0", self.spin0)):
            if motion != "free" and value != 0.0:
                raise ValueError(f"{name}: expected 0 with motion {motion}, got {value:g}")
        if self.history == "half-sine" and not math.isfinite(duration):
            raise ValueError(f"duration: expected a finite number > 0 with history half-sine, got {duration:g}")
        if self.profile == "tip" and motion == "translation":
            raise ValueError("profile: expected uniform or sine with motion translation, got 'tip' (it turns the beam)")
        if self.profile == "tip" and motion == "fixed" and self.support == "simply-supported":
            raise ValueError("profile: expected uniform or sine with support simply-supported, got 'tip'")
        return self
