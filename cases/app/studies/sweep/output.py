"""Results of a sweep: one dataset over the parameters, its table, and the lines on the screen."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import SupportsFloat

import numpy as np
import xarray as xr

from cases.app.run.directory import PARTIAL, SWEEP, TRAJECTORY, remove_earlier
from cases.app.run.results import Headlines, git_commit, versions, write_whole
from cases.app.studies.sweep.grid import Grid
from cases.app.studies.sweep.outcome import EFFORT, FAILED, OK, Outcome
from cases.app.studies.sweep.stored_points import StoredPoints
from cases.app.user_files import file_attributes

RESERVED = {"status", "reason", "warnings", "wall_time", *EFFORT}


def dataset(name: str, grid: Grid, outcomes: Sequence[Outcome], *, complete: bool) -> xr.Dataset:
    """Dataset of the `outcomes` of all points of `grid`, with the grid's parameters as dimensions.

    It holds every headline number, NaN where a point failed, did not run or lacks it, with KEY_error, KEY_exact and KEY_reference
    where known, and the `status` and `reason` of each point.
    """
    dims, shape = [axis.name for axis in grid.axes], grid.shape
    variables: dict[str, tuple[list[str], np.ndarray, dict[str, str]]] = {}

    def put(key: str, values: Sequence[float | str], unit: str, meaning: str, kind: type = float, **more: str) -> None:
        key = f"{key}_result" if key in dims else key  # the name of a parameter
        array: np.ndarray = np.array(values, kind).reshape(shape)
        variables[key] = (dims, array, {"units": unit, "long_name": meaning, **more})

    entries: Headlines = {}
    for outcome in outcomes:
        for key, entry in outcome["results"].items():
            entries[key] = {**entries[key], **entry} if key in entries else entry
    for key, entry in entries.items():
        free = f"{key}_result" if key in RESERVED else key
        put(free, [_number(o, key, "value") for o in outcomes], entry["unit"], entry["description"])
        if "error" in entry:
            errors = [_number(o, key, "error") for o in outcomes]
            put(f"{free}_error", errors, entry["unit"], f"estimated error of {free}")
        if "exact" in entry:
            put(f"{free}_exact", [_number(o, key, "exact") for o in outcomes], entry["unit"], f"exact {free}")
        if "reference" in entry:
            source = str(entry["reference"]["source"])
            known = [_number(o, key, "reference") for o in outcomes]
            put(f"{free}_reference", known, entry["unit"], f"reference {free}", source=source)
    for key, (unit, meaning) in EFFORT.items():
        put(key, [o["effort"].get(key, np.nan) for o in outcomes], unit, meaning)
    put("wall_time", [o["seconds"] for o in outcomes], "s", "computing time of the point, with compilation")
    put("status", [o["status"] for o in outcomes], "1", "ok, failed or not run", str)
    put("reason", [o["reason"] for o in outcomes], "1", "reason of a point that failed or was not run", str)
    lines = ["; ".join(warning.advice for warning in o.get("warnings", ())) for o in outcomes]
    put("warnings", lines, "1", "warnings of the point's verdict", str)
    coords = {
        axis.name: (axis.name, axis.labels, {"units": axis.unit or "1", "long_name": axis.meaning})
        for axis in grid.axes
    }
    attributes = {
        "case": name,
        **file_attributes(name),
        "parameters": json.dumps({k: v for k, v in grid.shared().items() if k not in dims}),
        "versions": json.dumps(versions()),
        "git_commit": git_commit(),
        "points": len(outcomes),
        "failed": sum(o["status"] == FAILED for o in outcomes),
        "complete": int(complete),
    }
    return xr.Dataset(variables, coords, attributes)


def _number(outcome: Outcome, key: str, what: str) -> float:
    entry = outcome["results"].get(key)
    if entry is None:
        return np.nan
    reference = entry["reference"]["value"] if "reference" in entry else None
    known = {"value": entry["value"], "error": entry.get("error"), "exact": entry.get("exact"), "reference": reference}
    value = known[what]
    return np.nan if value is None else value


def write_dataset(data: xr.Dataset, directory: Path, stored: StoredPoints) -> None:
    """Write DIR/sweep.nc, with the outcomes `stored` for continuing, and DIR/sweep.csv, each whole or not at all."""

    def write(path: Path) -> None:
        data.to_netcdf(path, engine="netcdf4", format="NETCDF4")
        stored.write_into(path)
        (directory / "sweep.png").unlink(missing_ok=True)  # the picture of an earlier sweep

    write_whole(directory / SWEEP, write)
    remove_earlier(directory, str(data.attrs["case"]), others=(TRAJECTORY, PARTIAL))
    write_whole(directory / "sweep.csv", lambda path: _write_csv(data, path))
    stored.remove()


def _write_csv(data: xr.Dataset, path: Path) -> None:
    """Write one line a point: its parameters, status, numbers, reason; units in the head."""
    keys = ["status", *(k for k in data.data_vars if k not in ("status", "reason", "warnings")), "reason", "warnings"]
    heads = [
        f"{key} [{data[key].units}]" if data[key].units not in ("1", "") else str(key) for key in (*data.dims, *keys)
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        for index in np.ndindex(*data.sizes.values()):
            place = dict(zip(data.dims, index, strict=True))
            row = [_cell(data[dim].values[number]) for dim, number in place.items()]
            writer.writerow(row + [_cell(data[key].isel(place).values[()]) for key in keys])


def _cell(value: SupportsFloat | str) -> str:
    """Text of a number with 10 digits, empty for NaN; texts unchanged."""
    if isinstance(value, str):
        return value
    return "" if np.isnan(float(value)) else f"{float(value):.10g}"


def closing_lines(data: xr.Dataset, seconds: float) -> list[str]:
    """Lines at the end of a sweep: number of points by status, time, reasons of failures, and warnings."""
    status = data.status.values.ravel()
    counts = ", ".join(f"{int((status == kind).sum())} {kind}" for kind in dict.fromkeys([OK, *status]))
    lines = [f"{data.attrs['case']}: {len(status)} points ({counts}) in {seconds:.1f} s"]
    for index in np.ndindex(*data.sizes.values()):
        place = dict(zip(data.dims, index, strict=True))
        point = ", ".join(f"{dim}={_cell(data[dim].values[number])}" for dim, number in place.items())
        outcome = data.isel(place)
        if outcome.status == FAILED:
            lines.append(f"  failed at {point}: {outcome.reason.values[()]}")
        elif outcome.warnings != "":
            lines.append(f"  warning: at {point}: {outcome.warnings.values[()]}")
    return lines
