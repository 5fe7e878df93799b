"""Cases outside of `cases/`: required and optional definitions of their modules, with defaults."""

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
class UserCase:
    """A case outside of `cases/`, with the face of ``Case``. Defaults: ``measures``: positions and velocities; ``STUDY``: no mesh;
    ``draw``: the picture of any run."""

    Parameters: Any
    problem: Callable[..., Any]
    options: Callable[..., Any]
    summary: Callable[..., Any]
    measures: Callable[..., Any] = lambda params, data: nodal(data)
    STUDY: Refinement = field(default_factory=lambda: Refinement(doubled=()))
    draw: Callable[..., Any] = lambda params, data, figure: _any_picture(data, figure)


def completed(module: ModuleType, where: str) -> UserCase:
    """Case of a ``module``, read from ``where``. Raises BadInput where a required definition is missing."""
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
    return UserCase(**own | functions)


def _guarded(where: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of a case: any error in it, or a wrong result, becomes BadInput of one line.

    ValueError and OSError, which refuse parameters, are passed on."""

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
    from cases.app.drawing.any_run import draw_run  # imports Matplotlib, which refusals do without

    draw_run(data, figure)
