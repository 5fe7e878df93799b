"""One measure of a trajectory in a convergence study: a number or a field, and what it should be where that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A number, or a field over times and places, whose error is the largest one of its entries, or, with `mean`, their mean.

    `value` of any shape; with `points` (n, 2) m a field (..., n, 2) at these reference points. `known`: what it should be, of
    the same shape, or None where only a finer level can tell; `kind` names what is known: exact or reference.
    """

    value: Array
    unit: str
    known: Array | None = None
    kind: str = "exact"
    points: Array | None = None
    mean: bool = False


def measure(
    value: ArrayLike, unit: str, known: ArrayLike | None = None, kind: str = "exact", *, mean: bool = False
) -> Measure:
    """Return a measure without points."""
    expected = None if known is None else np.asarray(known, float)
    return Measure(np.asarray(value, float), unit, expected, kind, mean=mean)


def nodal(data: xr.Dataset) -> dict[str, Measure]:
    """Positions of all nodes, at the end and at all shared times, and their velocities in the mean over nodes and times."""
    position, points = data.position.values, data.X.values
    return {
        "position_end": Measure(position[-1], "m", points=points),
        "position_all_times": Measure(position, "m", points=points),
        "velocity_mean": Measure(data.velocity.values, "m/s", points=points, mean=True),
    }


def friction_work(data: xr.Dataset, known: float | None = None) -> Measure:
    """Return the energy that friction has taken at the end as a measure."""
    return measure(float(data.dissipation_friction[-1]), "J", known)
