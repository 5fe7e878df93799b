"""`python -m cases export DIR --to FORMAT`: from the saved trajectory, without running the case again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import xarray as xr

from cases.app.drawing.plotting import drawable, open_results
from cases.app.export.page import write_page
from cases.app.export.series import write_series
from cases.app.export.vtk import write_vtk
from cases.app.run.errors import BadInput

Writer = Callable[[xr.Dataset, Path], Path]

FORMATS: Mapping[str, tuple[Writer, str]] = MappingProxyType(
    {
        "vtk": (write_vtk, "vtk/{name}.pvd"),
        "csv": (write_series, "{name}.csv"),
        "html": (write_page, "{name}.html"),
    }
)
"""Formats by name: the writer, and the file in the results directory."""


def export_directory(directory: str | Path, to: str | None, out: str | None = None) -> Path:
    """Write DIR/trajectory.nc in the format `to` and return the file: `out`, or the default of `FORMATS` in DIR.

    The file appears whole or not at all. Raises BadInput before anything is written.
    """
    if to is None or to not in FORMATS:
        raise BadInput(f"to: expected one of {', '.join(FORMATS)}, got {'nothing' if to is None else to}")
    writer, place = FORMATS[to]
    data, name = open_results(directory)
    with data, drawable(directory):
        return writer(data, _target(Path(directory), place.format(name=name), out))


def _target(directory: Path, place: str, out: str | None) -> Path:
    if out is None:
        path = directory / place
        path.parent.mkdir(exist_ok=True)
        return path
    path, suffix = Path(out), Path(place).suffix
    if path.suffix != suffix or not path.parent.is_dir():
        raise BadInput(f"out: expected a file in a directory that exists, its name ending in {suffix}, got {out!r}")
    return path


def run_to_vtk(data: xr.Dataset, path: str | Path) -> Path:
    """Write a run, `run.fff.to_vtk("NAME.pvd")`, as a series for ParaView and return the file."""
    return write_vtk(data, _named(path, ".pvd"))


def run_to_html(data: xr.Dataset, path: str | Path) -> Path:
    """Write a run, `run.fff.to_html("NAME.html")`, as a page with a player and return the file."""
    return write_page(data, _named(path, ".html"))


def _named(path: str | Path, suffix: str) -> Path:
    if Path(path).suffix != suffix:
        raise ValueError(f"expected a file whose name ends in {suffix}, got {str(path)!r}")
    return Path(path)
