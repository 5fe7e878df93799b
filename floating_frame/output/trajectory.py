"""Trajectories: written as they come, to memory or to a NetCDF 4 file, and read back as xarray datasets.

A file grows under a temporary name beside its own and is renamed when it is closed, complete or not (attribute
``complete``), so that no reader ever meets half a file.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Protocol

import netCDF4
import numpy as np
import xarray as xr

from fem.beam_axis import BeamAxis
from floating_frame.model import Model
from floating_frame.output.variables import (
    BEAM,
    CELLS,
    CLAMP,
    CONTACT,
    IMPACTS,
    MEMORY,
    SERIES,
    STATIC,
    STRESS,
    Variable,
    dtype_of,
    has_own_cells,
    static_values,
)
from floating_frame.system.beam.model import BeamModel

AXES = np.array(["x", "y"])
COMPONENTS = np.array(["xx", "yy", "xy"])
_FLUSH_BYTES = 8_000_000
_FLUSH_SECONDS = 10.0


class Sink(Protocol):
    """Takes instants one by one and gives the dataset at the end."""

    def write(self, values: dict[str, Any]) -> None:
        """Store one instant."""
        ...

    def close(self, complete: bool, attributes: dict[str, Any] | None = None) -> xr.Dataset:
        """Finish, saying whether the run reached its end, with further ``attributes``, and return what was stored."""
        ...


def series_of(model: Model) -> dict[str, Variable]:
    """The series that this model's trajectory has."""
    if isinstance(model, BeamModel):
        return SERIES | BEAM | (CLAMP if model.problem.support != "free" else {})
    beam = BEAM if isinstance(model.body, BeamAxis) else {}
    further = (CLAMP if model.clamped else {}) | (MEMORY if model.law.has_internal_state else {})
    further = further | (CONTACT if model.problem.contacts else {})
    further = further | (IMPACTS if model.rigid and model.exact is not None else {})
    return SERIES | beam | further | (STRESS if model.options.stress else {})


def static_of(model: Model) -> dict[str, Variable]:
    """The variables of this model's trajectory that do not change in time."""
    return STATIC | (CELLS if has_own_cells(model) else {})


class MemorySink:
    """Keeps instants in memory."""

    def __init__(self, model: Model, attributes: dict[str, Any]) -> None:
        self._series = series_of(model)
        self._variables = static_of(model) | self._series
        self._static = static_values(model)
        self._attributes = attributes
        self._rows: dict[str, list[Any]] = {name: [] for name in self._series}

    def write(self, values: dict[str, Any]) -> None:
        """Store one instant."""
        for name, rows in self._rows.items():
            rows.append(np.asarray(values[name], dtype_of(name)))

    def close(self, complete: bool, attributes: dict[str, Any] | None = None) -> xr.Dataset:
        """The dataset."""
        data = {}
        for name, variable in self._variables.items():
            values = self._static[name] if name in self._static else np.array(self._rows[name])
            data[name] = (variable.dims, values, {"units": variable.units, "long_name": variable.long_name})
        coords: dict[str, Any] = {"time": data.pop("time"), "axis": ("axis", AXES)}
        if "stress" in self._series:
            coords["component"] = ("component", COMPONENTS)
        return xr.Dataset(data, coords, self._attributes | (attributes or {}) | {"complete": int(complete)})


class FileSink:
    """Appends instants to a NetCDF 4 file in chunks."""

    def __init__(self, model: Model, attributes: dict[str, Any], path: Path) -> None:
        self._path = path
        self._partial = path.with_name(path.name + ".partial")
        self._series = series_of(model)
        self._buffer: list[dict[str, Any]] = []
        self._buffered = 0
        self._rows = 0
        self._flushed_at = time.monotonic()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = netCDF4.Dataset(self._partial, "w", format="NETCDF4")
        self._file.setncatts(attributes | {"complete": np.int32(0)})
        self._define(model)

    def _define(self, model: Model) -> None:
        static = static_values(model)
        sizes = {"time": None, "node": len(static["X"]), "axis": 2, "component": 3}
        sizes["cell"], sizes["corner"] = static["cells"].shape
        if "body_X" in static:
            sizes["body_node"], sizes["body_corner"] = len(static["body_X"]), static["body_cells"].shape[1]
        variables = static_of(model) | self._series
        for name in dict.fromkeys(d for v in variables.values() for d in v.dims):
            self._file.createDimension(name, sizes[name])
        labels = {"axis": AXES} | ({"component": COMPONENTS} if "stress" in self._series else {})
        for name, text in labels.items():
            self._file.createVariable(name, str, (name,))[:] = text.astype(object)
        rows = 64
        for name, variable in variables.items():
            shape = [rows if d == "time" else sizes[d] or 0 for d in variable.dims]
            stored = self._file.createVariable(
                name, dtype_of(name), variable.dims, chunksizes=shape if "time" in variable.dims else None
            )
            stored.units, stored.long_name = variable.units, variable.long_name
            if name in static:
                stored[:] = static[name]

    def write(self, values: dict[str, Any]) -> None:
        """Store one instant."""
        row = {name: np.array(values[name], dtype_of(name)) for name in self._series}
        self._buffer.append(row)
        self._buffered += sum(v.nbytes for v in row.values())
        if self._buffered > _FLUSH_BYTES or time.monotonic() - self._flushed_at > _FLUSH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        if self._buffer:
            end = self._rows + len(self._buffer)
            for name in self._series:
                self._file.variables[name][self._rows : end] = np.array([row[name] for row in self._buffer])
            self._rows, self._buffer, self._buffered = end, [], 0
            self._file.sync()
        self._flushed_at = time.monotonic()

    def close(self, complete: bool, attributes: dict[str, Any] | None = None) -> xr.Dataset:
        """Write what is left, rename the file into place and open it."""
        self._flush()
        self._file.setncatts((attributes or {}) | {"complete": np.int32(complete)})
        self._file.close()
        os.replace(self._partial, self._path)
        return load_trajectory(self._path)


def load_trajectory(path: str | Path) -> xr.Dataset:
    """Open a saved trajectory; arrays are read from the file when they are used. Raises ValueError for an unreadable file."""
    try:
        return xr.open_dataset(path, engine="netcdf4")
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read a trajectory from {path}: {error}") from error


def open_sink(model: Model, path: str | Path | None, attributes: dict[str, Any]) -> Sink:
    """A sink in memory (``path`` None) or in a file."""
    return MemorySink(model, attributes) if path is None else FileSink(model, attributes, Path(path))
