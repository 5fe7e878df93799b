"""What the cases in space share: their parameters, and how they are integrated."""

from __future__ import annotations

from typing import Annotated, Self, TypedDict

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from cases.parts import laws
from cases.parts.parameters import CaseParameters, choice, quantity
from floating_frame import Options
from friction import LAWS, Law

Array = NDArray[np.float64]

SCHEMES = ("sdirk2", "backward-euler", "moreau-theta")
TimeStep = Annotated[float, quantity("s", "time step", gt=0)]
Scheme = Annotated[
    str, choice("time integration scheme; a step in which a point lands is one of backward Euler", SCHEMES)
]
Mass = Annotated[float, quantity("kg", "mass", gt=0)]
Mu = Annotated[float, quantity("1", "coefficient of friction on the ground", ge=0)]
Gravity = Annotated[float, quantity("m/s2", "acceleration of gravity, along -z", ge=0)]
SpeedX = Annotated[float, quantity("m/s", "initial velocity of the centre of mass along x")]
SpeedY = Annotated[float, quantity("m/s", "initial velocity of the centre of mass along y")]


LawName = Annotated[str, choice("friction law", ("coulomb", "static-kinetic"))]


class Friction(TypedDict):
    """A coefficient and a law."""

    mu: float
    law: Law


class FreeParameters(CaseParameters):
    """What every case in space takes."""

    dt: TimeStep
    scheme: Scheme = "sdirk2"


class SpaceParameters(FreeParameters):
    """What every case on the ground takes besides."""

    mu: Mu
    gravity: Gravity = 9.81


class RoughParameters(SpaceParameters):
    """What every case takes whose feet or nodes rub by a law of normal forces that are unknown."""

    law: LawName = "coulomb"
    mu_s: laws.MuStatic = None

    def unread(self) -> dict[str, str]:
        """Return the coefficient that Coulomb's law does not have."""
        return {} if laws.has(self.law, "dynamic_ratio") else {"mu_s": f"law {self.law}"}

    @model_validator(mode="after")
    def _coefficients_agree(self) -> Self:
        if laws.has(self.law, "dynamic_ratio") and self.mu_s is not None:
            if self.mu_s < self.mu:
                raise ValueError(f"mu_s: expected a number >= mu = {self.mu:g}, got {self.mu_s!r}")
            if self.mu == 0.0 < self.mu_s:
                raise ValueError(f"mu: expected a number > 0 with mu_s = {self.mu_s:g} and law {self.law}, got 0")
        return self

    @property
    def weakens(self) -> bool:
        """Whether what slips is held less than what rests."""
        return self.friction["mu"] != self.mu

    @property
    def friction(self) -> Friction:
        """The coefficient of points at rest, and the law, as a problem takes them."""
        if not laws.has(self.law, "dynamic_ratio"):
            return {"mu": self.mu, "law": LAWS[self.law]()}
        static = self.mu if self.mu_s is None else self.mu_s
        return {"mu": static, "law": LAWS[self.law](dynamic_ratio=self.mu / static if static > 0.0 else 1.0)}


def options(params: FreeParameters, *, stress: bool = False) -> Options:
    """Return how a case in space is integrated."""
    return Options(dt=params.dt, scheme=params.scheme, output_every=params.output_every, stress=stress)


def box_inertia(mass: float, length: float, width: float, height: float) -> Array:
    """Return the principal moments (3,) kg m² of a homogeneous block about its centre."""
    squares = np.square([length, width, height])
    moments: Array = mass * (squares.sum() - squares) / 12.0
    return moments


def corners(length: float, width: float, height: float) -> Array:
    """Return the four base corners (4, 3) m from the centre of a block."""
    x, y = 0.5 * length, 0.5 * width
    return np.array([[a * x, b * y, -0.5 * height] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
