"""Parameters of cases that follow a history of turning points: pseudo-time, in which leg j spans [j, j + 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

import floating_frame as ff
from cases.app.parts.parameters import ElasticParameters, Given, Parameters, choice, quantity
from cases.app.run.results import Headlines, headline
from cases.references.rods.masing import Backbone, Turn

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

    from floating_frame.loads.histories import History as Course

QUASI_STATIC = "quasi-static"
EndOfHistory = Annotated[float, quantity("s", "end of pseudo-time; its default is the number of legs", gt=0)]
Increment = Annotated[float, quantity("s", "increment of pseudo-time; its default is 1/steps", gt=0)]
QuasiStatic = Annotated[str, choice("time integration scheme", (QUASI_STATIC,))]


class History(Parameters):
    """Parameters of a case with a history. Left out, `t_end` is the number of legs and `dt` is 1/`steps`."""

    t_end: Annotated[
        float, quantity("s", "end of the time; quasi-static: of pseudo-time, its default the number of legs", gt=0)
    ]
    dt: Annotated[float, quantity("s", "time step; quasi-static: 1/steps", ge=0)]
    scheme: str = QUASI_STATIC
    steps: Annotated[int, quantity("1", "equal increments of a leg of the history (quasi-static)", ge=1)] = 20

    HISTORIES: ClassVar[tuple[str, ...]] = ("forces",)
    """Parameters for the turning points; the last one has a default."""

    @classmethod
    def legs(cls, given: dict[str, object]) -> int:
        """Number of turning points of unchecked parameters."""
        *others, last = cls.HISTORIES
        points = next(filter(None, map(given.get, others)), given.get(last, cls.default(last)))
        return len(points) if isinstance(points, (tuple, list)) else 1

    @classmethod
    def default(cls, name: str) -> Any:
        """Default of a parameter."""
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

    @model_validator(mode="after")
    def _has_a_history(self) -> Self:
        name, count = self.HISTORIES[-1], self.legs(dict(self))
        if len(self.HISTORIES) == 1 and not getattr(self, name):
            raise ValueError(f"{name}: expected at least one number, got none")
        if self.scheme != QUASI_STATIC and count != 1:
            raise ValueError(f"{name}: expected one number with scheme {self.scheme}, from t = 0 on, got {count}")
        return self


class HistoryParameters(History, ElasticParameters):
    """Parameters of a history for an elastic body in the plane."""


EndOfEither = Annotated[
    float,
    quantity("s", "end of the time; its default is the number of legs, or with inertia six passages of a wave", gt=0),
]
StepOfEither = Annotated[
    float, quantity("s", "time step; its default is 1/steps, or with inertia the time of a wave through a cell", ge=0)
]


class SuddenOrSlow(HistoryParameters):
    """Parameters of a history, or with inertia of one load that acts suddenly at t = 0: `t_end` is then by default six times
    the passage of a wave through the body, and `dt` its time through a cell."""

    @classmethod
    def passage(cls, values: Given) -> tuple[float, int]:
        """Travel time of a wave through the body of ``values``, s, and the number of cells along its path."""
        raise NotImplementedError

    @classmethod
    def completed(cls, given: Given) -> Given:
        """Fill in `t_end`, `dt` and the one load."""
        if given.get("scheme", cls.default("scheme")) == QUASI_STATIC:
            return super().completed(given)
        load = {name: cls.default(name)[:1] for name in cls.HISTORIES}
        try:
            time, cells = cls.passage({name: cls.default(name) for name in cls.model_fields} | given)
            return load | {"t_end": 6 * time, "dt": time / cells} | given
        except (TypeError, ValueError, ArithmeticError):  # reported by the checks of the fields or the mesh
            return load | given


@dataclass(frozen=True)
class Unchanging:
    """A path, m, or its rate, m/s, that is constant."""

    value: tuple[float, float]

    def __call__(self, time: float) -> tuple[float, float]:
        """Value at any time."""
        return self.value


@dataclass(frozen=True)
class HalfSine:
    """Half a wave of a sine that ends at ``end`` s, then 0."""

    end: float

    def __call__(self, time: float) -> float:
        """Value at any time."""
        return float(np.sin(np.pi * time / self.end)) if time <= self.end else 0.0


def course(name: str, duration: float) -> Course:
    """Course in time of a load called "step", or "half-sine" or "pulse" of a ``duration`` s."""
    if name == "half-sine":
        return ff.Function(HalfSine(duration), breaks=(0.0, duration))
    return ff.Ramp(0.0, duration if name == "pulse" else np.inf)


def history(points: tuple[float, ...]) -> ff.Table:
    """Piecewise linear history from 0 through the turning `points`, one per unit of pseudo-time."""
    return ff.Table(np.arange(len(points) + 1.0).tolist(), [0.0, *points])


def reached(params: History) -> list[int]:
    """Numbers 1, 2, ... of the legs that end within the run; leg j ends at stored instant j x steps."""
    return list(range(1, int(params.t_end + 1e-9) + 1))


def of_legs(
    params: History,
    data: xr.Dataset,
    loads: Sequence[float],
    response: tuple[str, NDArray[np.float64], str, str],
    exact: Sequence[tuple[float, float | None]],
) -> Headlines:
    """Headlines of the response at each turning point, and of the friction loss in each leg.

    Parameters
    ----------
    loads : Sequence[float]
        The turning points.
    response : tuple[str, NDArray, str, str]
        Name, values (times,), unit and description with {load} in it.
    exact : Sequence[tuple[float, float | None]]
        Exact response and loss, J, of the first legs.
    """
    name, values, unit, text = response
    lost, results = data.dissipation_friction.values, Headlines()
    for leg in reached(params):
        at, (known, loss) = leg * params.steps, exact[leg - 1] if leg <= len(exact) else (None, None)
        here = f"{text.format(load=loads[leg - 1])}, leg {leg}"
        results[f"{name}_{leg}"] = headline(values[at], unit, here, exact=known)
        spent, here = lost[at] - lost[at - params.steps], f"energy dissipated by friction in leg {leg}"
        results[f"loss_{leg}"] = headline(spent, "J", here, exact=loss)
    return results


def of_cycle(
    params: History, data: xr.Dataset, turns: list[Turn] | None, backbone: Backbone, *, ends: int = 1
) -> Headlines:
    """Headlines of the friction loss of the last two legs, if they form a closed cycle; the body slips in from 1 or 2 `ends`."""
    legs = reached(params)
    if turns is None or len(legs) < 3 or turns[legs[-1] - 1].memory != turns[legs[-1] - 3].memory:
        return {}
    lost = data.dissipation_friction.values[[(legs[-1] - 2) * params.steps, legs[-1] * params.steps]]
    span = abs(turns[legs[-1] - 1].load - turns[legs[-1] - 2].load)
    text = "energy dissipated by friction in the last cycle"
    return {"loss_per_cycle": headline(lost[1] - lost[0], "J", text, exact=ends * 4 * backbone.loss(span / 2))}
