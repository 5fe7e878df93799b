"""What a convergence study finds: its levels and what each measure does over them."""

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
    run time s, and, where it was asked for, the estimated error of its steps in positions over the body's size.
    """

    params: CaseParameters
    dt: float
    cells: str
    counts: Mapping[str, int]
    seconds: float
    estimated_error: float = math.nan


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study `over` dt or mesh of the case `name`: its levels, coarse to fine, and what each measure does over them.

    `failure`: why it ended early, empty where it did not; `warnings`: the verdict of the finest level; `signal`: the number of that
    by which it was interrupted.
    """

    name: str
    over: str
    levels: Sequence[Level]
    measures: Mapping[str, Convergence]
    failure: str = ""
    warnings: tuple[RunWarning, ...] = ()
    signal: int | None = None
