"""Cases from elsewhere: what their modules define, and what is taken for what they leave out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cases.app.parts.measure import Refinement, nodal
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
    return OwnCase(**own)


def _any_picture(data: xr.Dataset, figure: Figure) -> None:
    from cases.app.drawing.any_run import draw_run  # imports Matplotlib, which refusals don't wait for

    draw_run(data, figure)
