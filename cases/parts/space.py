"""What the cases in space share: their parameters, and how they are integrated."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cases.parts.parameters import CaseParameters, choice, quantity
from floating_frame import Options

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


class FreeParameters(CaseParameters):
    """What every case in space takes."""

    dt: TimeStep
    scheme: Scheme = "sdirk2"


class SpaceParameters(FreeParameters):
    """What every case on the ground takes besides."""

    mu: Mu
    gravity: Gravity = 9.81


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
