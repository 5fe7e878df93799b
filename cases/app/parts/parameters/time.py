"""Time, steps and output of a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Self

from pydantic import model_validator

import floating_frame as ff
from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import choice, quantity
from floating_frame.coefficients import RIGID_ONLY

EndTime = Annotated[float, quantity("s", "end of the simulated time", gt=0)]
OutputEvery = Annotated[int, quantity("1", "steps per stored instant; first and last are always stored", ge=1)]
TimeStep = Annotated[
    float,
    quantity("s", "time step; with scheme explicit its upper bound, 0: a safe part of the stable step", ge=0),
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
        "tolerance of the error of positions over the body's size: steps are chosen to meet it, beginning with dt, and an instant "
        "is stored every output_every dt; left out: equal steps dt. The friction points of a rigid body add an error that no step "
        "reduces (sampling_floor in the results)",
        ge=1e-12,
        lt=1,
    ),
]
StepInSpace = Annotated[float, quantity("s", "time step", gt=0)]
SchemeInSpace = Annotated[
    str,
    choice(
        "time integration scheme; a step ends where a point touches down",
        ("sdirk2", "backward-euler", "moreau-theta"),
    ),
]
SchemeOfSolids = Annotated[
    str,
    choice(
        "time integration scheme; steps in which a node touches down are taken by backward-euler",
        ("sdirk2", "backward-euler"),
    ),
]


class CaseParameters(Group):
    """Parameters of any case: time and output.

    ``HEADINGS``: the case's own groups of parameters in its help, by title.
    """

    HEADINGS: ClassVar[Mapping[str, Sequence[str]]] = {}

    t_end: EndTime
    dt: float
    scheme: str
    output_every: OutputEvery = 1

    def notes(self) -> list[str]:
        """Also a note where the step is longer than the run."""
        step: float | None = self.dt  # of a case that may leave it out
        long = step is not None and step > self.t_end
        return [
            *super().notes(),
            *([f"dt: longer than t_end: the run is one step of {self.t_end:g} s"] if long else []),
        ]


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
