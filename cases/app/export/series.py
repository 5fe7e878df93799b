"""Headline series as a table of comma-separated values: a row for each stored instant, units in the header."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from cases.app.run.results import write_whole

Array = NDArray[np.float64]


def write_series(data: xr.Dataset, path: Path) -> Path:
    """Write the columns of `headline_series` and return the file."""
    columns = headline_series(data)

    def write(temporary: Path) -> None:
        with temporary.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(columns)
            rows.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))

    write_whole(path, write)
    return path


def headline_series(data: xr.Dataset) -> dict[str, Array]:
    """Series of a trajectory by header, as in "frame_position_x [m]": (times,) each, the time first.

    These are all series that do not depend on the node, and the share of sticking nodes.
    """
    columns = {_header("time", data.time): data.time.values}
    for name, variable in data.data_vars.items():
        if variable.dims == ("time",):
            columns[_header(str(name), variable)] = variable.values
        elif variable.dims == ("time", "axis"):
            for axis, label in enumerate("xyz"[: variable.sizes["axis"]]):
                columns[_header(f"{name}_{label}", variable)] = variable.values[:, axis]
    if "stick" in data and data.stick.size:  # a body in flight has no points
        columns["stick_share [1]"] = (data.stick.values == 1).mean(axis=1)
    return columns


def _header(name: str, variable: xr.DataArray) -> str:
    return f"{name} [{variable.attrs.get('units', '1')}]"
