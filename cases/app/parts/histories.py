"""Parameters of cases that follow a history of turning points: pseudo-time, in which leg j spans [j, j + 1]."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from cases.app.parts.parameters import ElasticParameters, Given, Parameters, quantity
from floating_frame import Table

QUASI_STATIC = "quasi-static"


class History(Parameters):
    """What a case with a history takes, whatever its body. Left out, `t_end` is the number of legs and `dt` 1/`steps`; both
    are then set.
    """

    t_end: Annotated[
        float, quantity("s", "end of the time; quasi-static: of pseudo-time, left out all legs of the history", gt=0)
    ]
    dt: Annotated[float, quantity("s", "time step; quasi-static: 1/steps", ge=0)]
    scheme: str = QUASI_STATIC
    steps: Annotated[int, quantity("1", "equal increments of a leg of the history (quasi-static)", ge=1)] = 20

    HISTORIES: ClassVar[tuple[str, ...]] = ("forces",)
    """Parameters that may hold the turning points; the last one has a default."""

    @classmethod
    def legs(cls, given: dict[str, object]) -> int:
        """Return the number of turning points of parameters that are not yet checked."""
        *others, last = cls.HISTORIES
        points = next(filter(None, map(given.get, others)), given.get(last, cls.default(last)))
        return len(points) if isinstance(points, (tuple, list)) else 1

    @classmethod
    def default(cls, name: str) -> Any:
        """Return the default of a parameter."""
        return cls.model_fields[name].default

    @classmethod
    def completed(cls, given: Given) -> Given:
        """Fill in `t_end`, `dt` and `steps` from each other."""
        if given.get("scheme", cls.default("scheme")) != QUASI_STATIC:
            return given
        filled = dict(given)
        step = filled.get("dt")
        if "steps" not in filled and isinstance(step, float) and 0.0 < step <= 1.0:
            filled["steps"] = round(1.0 / step)
        steps = filled.setdefault("steps", cls.default("steps"))
        if "dt" not in filled and isinstance(steps, int) and steps > 0:
            filled["dt"] = 1.0 / steps
        filled.setdefault("t_end", float(max(1, cls.legs(filled))))
        return filled

    @model_validator(mode="after")
    def _steps_fill_a_leg(self) -> Self:
        if self.scheme == QUASI_STATIC:
            if abs(self.dt * self.steps - 1.0) > 1e-9:
                raise ValueError(f"dt: expected 1/steps = {1.0 / self.steps:g} of a leg's pseudo-time, got {self.dt:g}")
            if self.output_every != 1:
                raise ValueError(
                    f"output_every: expected 1 with scheme {QUASI_STATIC}, which stores every increment, got {self.output_every}"
                )
            legs = self.legs(dict(self))
            if self.t_end > legs:
                raise ValueError(
                    f"t_end: expected at most {legs}, the number of legs of the history, got {self.t_end:g}"
                )
        return self


class HistoryParameters(History, ElasticParameters):
    """The same for an elastic body in the plane."""


def history(points: tuple[float, ...]) -> Table:
    """Return the piecewise linear history from 0 through the turning `points`, one per unit of pseudo-time."""
    return Table(np.arange(len(points) + 1.0).tolist(), [0.0, *points])


def reached(params: History) -> list[int]:
    """Return the numbers 1, 2, ... of the legs that end within the run; leg j ends at stored instant j x steps."""
    return list(range(1, int(params.t_end + 1e-9) + 1))
