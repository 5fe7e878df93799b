"""The picture of a sweep over one or two parameters: one panel per headline number, drawn from DIR/sweep.nc."""

from __future__ import annotations

import math
import re
import textwrap
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from cases.app.drawing import style as plot_style
from cases.app.drawing.style import BLACK, BLUE, COLUMN, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILION
from cases.app.run.results import write_whole
from cases.app.studies.sweep.outcome import OK
from cases.app.studies.sweep.output import RESERVED

LINES = (
    (BLUE, "o", "-"),
    (VERMILION, "s", "--"),
    (GREEN, "D", "-."),
    (ORANGE, "^", ":"),
    (PURPLE, "v", (0, (5, 1, 1, 1, 1, 1))),
    (SKY, "P", (0, (6, 2))),
)
"""Colour, marker and dash of the series: coinciding lines both stay visible."""
MOST_PANELS = 8


def plot_sweep(directory: str | Path) -> Path:
    """Draw DIR/sweep.png from DIR/sweep.nc and return its path."""
    folder = Path(directory)
    with (
        xr.open_dataset(folder / "sweep.nc", engine="netcdf4") as data,
        matplotlib.rc_context(plot_style.STYLE),
        np.errstate(all="ignore"),
        warnings.catch_warnings(action="ignore"),  # of numbers that no axis shows
    ):
        figure = draw(data.load())
        picture = folder / "sweep.png"
        write_whole(picture, lambda path: plot_style.write_drawn(figure, path))
    return picture


def drawn(data: xr.Dataset) -> list[str]:
    """Headline numbers with a panel: the first eight that have a value at any point; without such numbers the steps."""
    beside = ("_exact", "_reference")
    keys = [
        str(k) for k in data.data_vars if str(k).removesuffix("_result") not in RESERVED and not str(k).endswith(beside)
    ]
    shown = [key for key in keys if np.isfinite(data[key].values).any() and not _is_error(data, key)]
    steps = "steps" if "steps" in data.data_vars else "steps_result"
    return shown[:MOST_PANELS] or [steps]


def _is_error(data: xr.Dataset, key: str) -> bool:
    """True for a number whose exact value is zero: its value is an error, mostly of rounding."""
    return f"{key}_exact" in data and not np.nan_to_num(data[f"{key}_exact"].values).any()


def draw(data: xr.Dataset) -> Figure:
    """Figure of a sweep over one or two parameters; as lines, or, where these were too many, as maps."""
    keys, dims = drawn(data), [str(dim) for dim in data.dims]
    across = 1 if len(keys) == 1 else 2
    rows = math.ceil(len(keys) / across)
    names = max((len(str(v)) for d in dims if not _numeric(data, d) for v in data[d].values), default=0)
    height = rows * (2.1 + 0.035 * names) + 0.4  # room for names that are turned
    figure = Figure(figsize=(COLUMN if across == 1 else PAGE, height), dpi=plot_style.DPI)
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, across, squeeze=False).ravel()
    x, series = dims[0], dims[1] if len(dims) > 1 else None
    if series is not None and (_numeric(data, series), -data.sizes[series]) > (_numeric(data, x), -data.sizes[x]):
        x, series = series, x  # names make lines, numbers an axis
    as_map = series is not None and data.sizes[series] > len(LINES)
    for key, axes in zip(keys, panels, strict=False):
        values = data[key]
        text = re.sub(r"(?<![\w.])-(?=\d)", "\N{MINUS SIGN}", str(values.long_name))
        axes.set_title("\n".join(textwrap.wrap(text, 44)))
        if as_map and series is not None:
            _map(figure, axes, data, key, x, series)
        else:
            _lines(axes, data, key, x, series)
    for axes in panels[len(keys) :]:
        axes.set_axis_off()
    if not as_map:
        handles, labels = panels[0].get_legend_handles_labels()
        if len(labels) > 1:
            figure.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 4))
    bad = int((data.status.values != OK).sum())
    if bad or not int(data.attrs["complete"]):
        left = "" if int(data.attrs["complete"]) else "incomplete: "
        note = f"{left}{bad} of {data.status.size} points have no result"
        figure.supxlabel(note, fontsize=7, color=VERMILION, x=0.99, ha="right")
    figure.canvas.draw()
    figure.set_layout_engine("none")
    return figure


def _numeric(data: xr.Dataset, dim: str) -> bool:
    return data[dim].dtype.kind in "fi"


def _places(data: xr.Dataset, dim: str) -> np.ndarray:
    """Places of a parameter's values on an axis: numbers at their value, names side by side."""
    return np.asarray(data[dim].values, float) if _numeric(data, dim) else np.arange(data.sizes[dim], dtype=float)


def _named(data: xr.Dataset, dim: str) -> str:
    unit = data[dim].units
    return dim if unit in ("1", "") else f"{dim} [{unit}]"


def _axis(axes: Axes, data: xr.Dataset, dim: str, which: str = "x") -> None:
    places = _places(data, dim)
    getattr(axes, f"set_{which}label")(_named(data, dim))
    if not _numeric(data, dim):
        names = [str(name) for name in data[dim].values]
        long = which == "x" and sum(map(len, names)) > 30
        turn = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if long else {}
        getattr(axes, f"set_{which}ticks")(places, names, **turn)
        getattr(axes, f"set_{which}lim")(-0.5, len(places) - 0.5)
    elif _logarithmic(places):
        getattr(axes, f"set_{which}scale")("log")
    else:
        getattr(axes, f"{which}axis").set_major_locator(MaxNLocator(5))


def _logarithmic(values: np.ndarray) -> bool:
    """True for positive values over two decades or more."""
    finite = values[np.isfinite(values)]
    return bool(len(finite) > 1 and finite.min() > 0.0 and finite.max() >= 100.0 * finite.min())


def _lines(axes: Axes, data: xr.Dataset, key: str, x: str, series: str | None) -> None:
    places, unit = _places(data, x), data[key].units
    order = np.argsort(places)
    names = [None] if series is None else list(data[series].values)
    for number, name in enumerate(names):
        part = data if series is None else data.isel({series: number})
        colour, marker, dash = LINES[number]
        joined = dash if _numeric(data, x) else "none"
        unit_of = "" if series is None or data[series].units in ("1", "") else f" {data[series].units}"
        text = (
            "computed"
            if name is None
            else f"{series} = {name if isinstance(name, str) else f'{plot_style.number(float(name), 6)}{unit_of}'}"
        )
        axes.plot(
            places[order],
            part[key].values[order],
            color=colour,
            marker=marker,
            markersize=3.5,
            linestyle=joined,
            label=text,
        )
        for known in ("exact", "reference"):
            if f"{key}_{known}" in data:
                beside = part[f"{key}_{known}"].values[order]
                label = known if number == len(names) - 1 else None
                axes.plot(places[order], beside, "_", color=BLACK, markersize=8, markeredgewidth=1.0, label=label)
        missing = places[part.status.values != OK]
        if len(missing):  # on the lower edge of the panel, whatever its scale
            low = np.zeros(len(missing))
            edge = axes.get_xaxis_transform()
            axes.plot(missing, low, "x", color=colour, markersize=5, transform=edge, clip_on=False)
    _axis(axes, data, x)
    axes.set_ylabel(key if unit in ("1", "") else f"{key} [{unit}]")
    if _logarithmic(data[key].values.ravel()):
        axes.set_yscale("log")


def _map(figure: Figure, axes: Axes, data: xr.Dataset, key: str, x: str, y: str) -> None:
    values = np.ma.masked_invalid(data[key].transpose(y, x).values)
    logarithmic = _logarithmic(values.compressed())
    axes.set_facecolor(plot_style.LIGHT)  # points without a result
    norm = matplotlib.colors.LogNorm() if logarithmic else None
    order = np.argsort(_places(data, x)), np.argsort(_places(data, y))
    image = axes.pcolormesh(
        _places(data, x)[order[0]], _places(data, y)[order[1]], values[np.ix_(order[1], order[0])],
        shading="nearest", cmap="viridis", norm=norm,
    )  # fmt: skip
    _axis(axes, data, x)
    _axis(axes, data, y, "y")
    unit = data[key].units
    figure.colorbar(image, ax=axes, label=key if unit in ("1", "") else f"{key} [{unit}]")
