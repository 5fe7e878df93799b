"""Measures of a convergence study, with their exact values, and its refinement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from floating_frame.coefficients import CAPABILITIES

if TYPE_CHECKING:
    import xarray as xr

    from cases.app.parts.parameters import CaseParameters

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A number or field. Its error is the largest error of its entries, with `mean` their mean.

    `value` of any shape; with `points` (n, 2) m a field (..., n, 2) at these reference points. `known`: the exact or reference
    value (`kind`), of the same shape; None where the error is taken against a finer level.
    """

    value: Array
    unit: str
    known: Array | None = None
    kind: str = "exact"
    points: Array | None = None
    mean: bool = False


@dataclass(frozen=True, kw_only=True)
class Refinement:
    """Refinement of a convergence study, and its coarsest level.

    Parameters
    ----------
    doubled : tuple[str, ...]
        Names of the numbers of cells that are doubled from level to level.
    cells : Callable
        Parameters -> names of the numbers of cells of their body, where these are not `doubled`.
    increments : str
        Name of the number of increments that a quasi-static scheme doubles with a halved `dt`; may be empty.
    dt, mesh : Mapping[str, float | str]
        Parameters of the coarsest level of a study over either that differ from the case's defaults.
    notes : Mapping[str, str]
        Notes below the table of a study over "dt" or "mesh".
    """

    doubled: tuple[str, ...]
    cells: Callable[[Any], tuple[str, ...]] | None = None
    increments: str = ""
    dt: Mapping[str, float | str] = field(default_factory=dict)
    mesh: Mapping[str, float | str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    def start(self, over: str) -> Mapping[str, float | str]:
        """Parameters of the coarsest level over "dt" or "mesh"."""
        return self.dt if over == "dt" else self.mesh

    def meshing(self, params: CaseParameters) -> tuple[str, ...]:
        """Names of the numbers of cells of the body of `params`."""
        return self.doubled if self.cells is None else self.cells(params)

    def refined(self, params: CaseParameters, over: str, dt: float, level: int) -> dict[str, object]:
        """Changed parameters `level` levels finer than `params`; `dt` s is the coarsest step."""
        factor, values = 2**level, dict(params)
        if over == "mesh":
            return {key: values[key] * factor for key in self.doubled}
        with_increments = bool(self.increments) and not CAPABILITIES[params.scheme].inertia
        return {"dt": dt / factor} | ({self.increments: values[self.increments] * factor} if with_increments else {})


def measure(
    value: ArrayLike, unit: str, known: ArrayLike | None = None, kind: str = "exact", *, mean: bool = False
) -> Measure:
    """Measure without points."""
    expected = None if known is None else np.asarray(known, float)
    return Measure(np.asarray(value, float), unit, expected, kind, mean=mean)


def nodal(data: xr.Dataset) -> dict[str, Measure]:
    """Measures: positions of all nodes, at the end and at all shared times; velocities, mean over nodes and times."""
    position, points = data.position.values, data.X.values
    return {
        "position_end": Measure(position[-1], "m", points=points),
        "position_all_times": Measure(position, "m", points=points),
        "velocity_mean": Measure(data.velocity.values, "m/s", points=points, mean=True),
    }


def friction_work(data: xr.Dataset, known: float | None = None) -> Measure:
    """Measure of the energy dissipated by friction until the end, J."""
    return measure(float(data.dissipation_friction.values[-1]), "J", known)
