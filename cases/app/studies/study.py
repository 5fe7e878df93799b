"""Results of a convergence study: its levels, and the convergence of each measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cases.app.parts.parameters import CaseParameters
from cases.app.studies.orders import Convergence
from floating_frame import RunWarning

COUNTS = ("passes", "newton_iterations", "fallbacks")


@dataclass(frozen=True)
class Level:
    """One run of a study: its step s (of the explicit loop where there is one), its cells as in '8 x 4', solver counts and
    run time s, and on request the estimated error of the steps: in positions, over the body's size.
    """

    params: CaseParameters
    dt: float
    cells: str
    counts: Mapping[str, int]
    seconds: float
    estimated_error: float = math.nan


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study `over` dt or mesh of the case `name`: its levels, coarse to fine, and the convergence of each measure.

    `failure`: why it ended early, or empty; `warnings`: verdict of the finest level; `signal`: number of the interrupting signal.
    """

    name: str
    over: str
    levels: Sequence[Level]
    measures: Mapping[str, Convergence]
    failure: str = ""
    warnings: tuple[RunWarning, ...] = ()
    signal: int | None = None
