"""Time, steps and output of a case."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import model_validator

import floating_frame as ff
from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import choice, quantity
from floating_frame.coefficients import RIGID_ONLY

EndTime = Annotated[float, quantity("s", "end of the simulated time", gt=0)]
OutputEvery = Annotated[int, quantity("1", "store every so-many-th step, and always the first and the last", ge=1)]
TimeStep = Annotated[
    float,
    quantity("s", "time step; with scheme explicit an upper bound, and 0 means a safe part of the stable step", ge=0),
]
OF_ELASTIC_BODIES = tuple(name for name in ff.SCHEMES if name not in RIGID_ONLY)
WITH_INERTIA = tuple(name for name in ff.SCHEMES if name != "quasi-static")
Scheme = Annotated[str, choice("time integration scheme (explicit needs elements P1 or Q1)", WITH_INERTIA)]
ImplicitScheme = Annotated[str, choice("time integration scheme", ("sdirk2", "backward-euler", "moreau-theta"))]
SchemeOfElastic = Annotated[
    str,
    choice(
        "time integration scheme (explicit needs elements P1 or Q1)",
        tuple(name for name in OF_ELASTIC_BODIES if name != "quasi-static"),
    ),
]
SchemeOrQuasiStatic = Annotated[str, choice("time integration scheme", OF_ELASTIC_BODIES)]
ErrorTolerance = Annotated[
    float | None,
    quantity(
        "1",
        "largest error of the run's positions over the body's size, by which steps are chosen: dt is then the first step and "
        "instants are stored every output_every dt; left out: equal steps of dt; "
        "a rigid body's friction points leave an error of their own at any step, sampling_floor in the results",
        ge=1e-12,
        lt=1,
    ),
]
StepInSpace = Annotated[float, quantity("s", "time step", gt=0)]
SchemeInSpace = Annotated[
    str,
    choice(
        "time integration scheme; a step in which a point lands is one of backward Euler",
        ("sdirk2", "backward-euler", "moreau-theta"),
    ),
]
SchemeOfSolids = Annotated[
    str,
    choice(
        "time integration scheme; a step in which a node lands is one of backward Euler", ("sdirk2", "backward-euler")
    ),
]


class CaseParameters(Group):
    """Parameters of any case: time and output."""

    t_end: EndTime
    dt: float
    scheme: str
    output_every: OutputEvery = 1


class TimeInPlane(CaseParameters):
    """Steps, scheme and accuracy in the plane."""

    dt: TimeStep
    scheme: Scheme = "sdirk2"
    error_tolerance: ErrorTolerance = None

    @model_validator(mode="after")
    def _zero_step_is_explicit(self) -> Self:
        if self.dt == 0 and self.scheme != "explicit":
            raise ValueError(f"dt: expected a number > 0 with scheme {self.scheme}, got 0 (0 needs scheme explicit)")
        return self


class TimeInSpace(CaseParameters):
    """Steps and scheme in space."""

    dt: StepInSpace
    scheme: SchemeInSpace = "sdirk2"
