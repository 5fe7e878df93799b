"""Cases from elsewhere: what their modules define, and what is taken for what they leave out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import floating_frame as ff
from cases.app.parts.measure import Refinement, nodal
from cases.app.parts.parameters import CaseParameters
from cases.app.run.errors import BadInput

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

NEEDED, OPTIONAL = ("Parameters", "problem", "options", "summary"), ("measures", "STUDY", "draw")


@dataclass
class OwnCase:
    """A case from elsewhere, with the face of ``Case``. Left out: ``measures``, positions and velocities are measured;
    ``STUDY``, no mesh is refined; ``draw``, any run's picture is drawn."""

    Parameters: Any
    problem: Callable[..., Any]
    options: Callable[..., Any]
    summary: Callable[..., Any]
    measures: Callable[..., Any] = lambda params, data: nodal(data)
    STUDY: Refinement = field(default_factory=lambda: Refinement(doubled=()))
    draw: Callable[..., Any] = lambda params, data, figure: _any_picture(data, figure)


def completed(module: ModuleType, where: str) -> OwnCase:
    """Return the case of a ``module`` that stands ``where``. Raises BadInput where it lacks what a case has."""
    own = {name: vars(module)[name] for name in (*NEEDED, *OPTIONAL) if name in vars(module)}
    missing = [name for name in NEEDED if name not in own]
    if missing:
        raise BadInput(f"{where}: expected a case, which defines {', '.join(NEEDED)}; it lacks {', '.join(missing)}")
    kind = own["Parameters"]
    if not (isinstance(kind, type) and issubclass(kind, CaseParameters)):
        raise BadInput(
            f"{where}: Parameters: expected a class of cases.app.parts.parameters.CaseParameters, got {kind!r}"
        )
    functions = {name: _guarded(where, name, one) for name, one in own.items() if name not in ("Parameters", "STUDY")}
    return OwnCase(**own | functions)


def _guarded(where: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a case that says in one line, as BadInput, what went wrong in it or is wrong with its result.

    A refusal of parameters, ValueError or OSError, is handed on as it stands."""

    @functools.wraps(function)
    def guarded(*given: Any, **named: Any) -> Any:
        try:
            result = function(*given, **named)
        except (ValueError, OSError):
            raise
        except (Exception, SystemExit) as error:
            raise BadInput(
                f"{where}: {name} ended in {type(error).__name__}: {' '.join(str(error).split())}"
            ) from error
        if not RESULTS.get(name, lambda _: True)(result):
            raise BadInput(f"{where}: {name}: expected {EXPECTED[name]}, got {type(result).__name__}")
        return result

    return guarded


def _are_headlines(result: object) -> bool:
    keys = {"value", "unit", "description"}
    return isinstance(result, Mapping) and all(
        isinstance(name, str) and isinstance(entry, Mapping) and keys <= {*entry} for name, entry in result.items()
    )


RESULTS: dict[str, Callable[[object], bool]] = {
    "problem": lambda result: isinstance(result, ff.Problem),
    "options": lambda result: isinstance(result, ff.Options),
    "summary": _are_headlines,
}
EXPECTED = {
    "problem": "a Problem",
    "options": "Options",
    "summary": "headline numbers by name, each made by cases.app.run.results.headline",
}


def _any_picture(data: xr.Dataset, figure: Figure) -> None:
    from cases.app.drawing.any_run import draw_run  # imports Matplotlib, which refusals don't wait for

    draw_run(data, figure)
