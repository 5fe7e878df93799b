"""Comparison of runs: their final values, and their differences over time.

All runs are compared with the first one. Where stored instants differ, series are interpolated linearly at all instants of all
runs in the common time, among which the largest difference of piecewise linear series lies.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from cases.app.drawing.plotting import drawable
from cases.app.run.errors import BadInput
from cases.app.run.trajectories import open_results

Array = NDArray[np.float64]

SCALARS = {
    "frame_angle": ("angle", "rad"),
    "frame_spin": ("spin", "rad/s"),
    "energy_kinetic": ("kinetic energy", "J"),
    "energy_strain": ("strain energy", "J"),
    "work_external": ("external work", "J"),
    "dissipation_friction": ("friction work", "J"),
    "dissipation_viscous": ("viscous work", "J"),
    "dissipation_contact": ("work of contacts", "J"),
    "dissipation_impact": ("energy lost in impacts", "J"),
    "dissipation_numerical": ("dissipation of the time steps", "J"),
    "linear_momentum": ("momentum", "kg m/s"),
}
"""Compared series: names and units; of vectors, the magnitude."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """A quantity of a run over its stored instants (times,), with name and unit."""

    name: str
    unit: str
    values: Array


@dataclass(frozen=True, kw_only=True)
class Run:
    """A saved run: its `label`, case, parameters, stored `times` (times,) s, series by key; `complete`: it reached its end."""

    label: str
    case: str
    parameters: dict[str, object]
    times: Array
    series: dict[str, Series]
    complete: bool

    def at(self, key: str, times: Array) -> Array:
        """Series at `times` (n,) s, interpolated linearly."""
        return np.interp(times, self.times, self.series[key].values)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Runs, and the `times` (n,) s of their comparison; `stored`: all runs have stored these. `keys`: series of all runs that are
    not zero everywhere.
    """

    runs: list[Run]
    times: Array
    stored: bool
    keys: list[str]

    def differences(self, key: str, run: Run) -> Array:
        """Difference of a run from the first one, (n,)."""
        return run.at(key, self.times) - self.runs[0].at(key, self.times)


def labels(directories: Sequence[str]) -> list[str]:
    """Names of directories, as short as they stay distinct; repeated ones are numbered."""
    paths = [Path(directory).resolve().parts for directory in directories]
    different = len(set(paths))
    depth = next(k for k in range(1, 1 + max(map(len, paths))) if len({path[-k:] for path in paths}) == different)
    short = ["/".join(path[-depth:]) for path in paths]
    return [f"{name} ({short[:k].count(name) + 1})" if name in short[:k] else name for k, name in enumerate(short)]


def read_run(directory: str, label: str) -> Run:
    """Read a saved run. Raises BadInput where there is none."""
    data, name = open_results(directory)
    with data, drawable(directory):
        return Run(
            label=label,
            case=name,
            parameters=json.loads(data.attrs.get("parameters", "{}")),
            times=np.array(data.time.values, float),
            series=series_of(data),
            complete=bool(int(data.attrs.get("complete", 1))),
        )


def series_of(data: xr.Dataset) -> dict[str, Series]:
    """Compared quantities of a trajectory."""
    place = data.frame_position.values
    steps = np.linalg.norm(np.diff(place, axis=0), axis=1)
    series = {
        "x": Series(name="position x of the frame", unit="m", values=place[:, 0]),
        "y": Series(name="position y of the frame", unit="m", values=place[:, 1]),
        "path": Series(name="path of the frame", unit="m", values=np.concatenate([[0.0], np.cumsum(steps)])),
        "speed": Series(
            name="speed of the frame", unit="m/s", values=np.linalg.norm(data.frame_velocity.values, axis=1)
        ),
    }
    for key, (name, unit) in SCALARS.items():
        if key in data and data[key].dims[0] == "time":
            values = data[key].values
            sized = np.linalg.norm(values.reshape(len(values), -1), axis=1) if values.ndim > 1 else values
            series[key] = Series(name=name, unit=unit, values=np.asarray(sized, float))
    if "friction_work" in data:  # the energy balance books friction on penalties with their dampers
        work = data.friction_work.values.sum(axis=1)
        series["dissipation_friction"] = Series(name="friction work", unit="J", values=work)
    if "stick" in data and data.sizes["node"]:
        share = (data.stick.values == 1).mean(axis=1)
        series["stick"] = Series(name="share of nodes that stick", unit="1", values=share)
    if "displacement" in data:
        largest = np.linalg.norm(data.displacement.values, axis=2).max(axis=1, initial=0.0)
        series["displacement"] = Series(name="largest displacement", unit="m", values=largest)
    return series


def compare_runs(runs: list[Run]) -> Comparison:
    """Compare runs. Raises BadInput where they have no common time."""
    first = runs[0]
    start, end = max(run.times[0] for run in runs), min(run.times[-1] for run in runs)
    if not start < end:
        raise BadInput(
            f"expected runs that share a time, got {', '.join(f'{r.label} to t = {r.times[-1]:g} s' for r in runs)}"
        )
    stored = all(np.array_equal(run.times, first.times) for run in runs)
    union = np.unique(np.concatenate([run.times for run in runs]))
    times = union[(union >= start) & (union <= end)]
    keys = [key for key in first.series if all(key in run.series for run in runs)]
    keys = [key for key in keys if any(run.series[key].values.any() for run in runs)]
    return Comparison(runs=runs, times=times, stored=stored, keys=keys)
