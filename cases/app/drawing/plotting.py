"""Pictures of saved runs: one drawing function per case, from the trajectory alone."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import matplotlib
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pydantic import ValidationError

from cases.app.drawing import style as plot_style
from cases.app.drawing.any_run import draw_run
from cases.app.parts.parameters import CaseParameters, explain
from cases.app.registry import case_of, drawing, load
from cases.app.run.notes import note
from cases.app.run.results import write_whole
from cases.app.run.trajectories import RUN, refused_as_bad_input, warn_of_changes
from cases.app.run.trajectories import open_results as open_results


def parameters(data: xr.Dataset) -> CaseParameters:
    """Parameters that a trajectory was computed with; unknown ones, of another version, are shown on stderr.

    Raises ValueError, one line, where none is known or a value is not valid.
    """
    model = load(case_of(data.attrs)).Parameters
    given = json.loads(data.attrs["parameters"])
    unknown = {name: value for name, value in given.items() if name not in model.model_fields}
    if unknown and len(unknown) < len(given):
        shown = ", ".join(f"{name} = {json.dumps(value)}" for name, value in unknown.items())
        note(f"note: parameters of another version that this one does not know: {shown}")
        given = {name: value for name, value in given.items() if name not in unknown}
    try:  # the attribute is JSON, where infinity is a text: not strict
        return model.model_validate_json(json.dumps(given), strict=False)
    except ValidationError as error:
        raise ValueError(explain(model, error)) from error


def draw(data: xr.Dataset) -> Figure:
    """Figure of a trajectory, drawn by its case, or by `draw_run` without a case."""
    with matplotlib.rc_context(plot_style.STYLE):
        figure = Figure(dpi=plot_style.DPI)
        FigureCanvasAgg(figure)
        if "case" in data.attrs:
            drawing(case_of(data.attrs))(parameters(data), data, figure)
        else:
            draw_run(data, figure)
        plot_style.incomplete_note(figure, data)
        figure.canvas.draw()  # ticks and layout belong to this style
        figure.set_layout_engine("none")  # and stay as they are
    return figure


@contextmanager
def drawable(directory: str | Path) -> Iterator[None]:
    """Turn any error in drawing saved results, damaged or of another version, into BadInput of one line.

    Changed attributes are reported.
    """
    with refused_as_bad_input(directory, "draw"):
        yield
        warn_of_changes(directory)


def plot_directory(directory: str | Path, opened: xr.Dataset | None = None) -> Path:
    """Draw DIR/NAME.png from DIR/trajectory.nc, which the caller may have ``opened``, and return its path.

    Raises BadInput where there is no trajectory of a known case, or one that cannot be drawn.
    """
    results = open_results(directory)[0] if opened is None else nullcontext(opened)
    with results as data, drawable(directory), warnings.catch_warnings():
        picture = Path(directory) / f"{data.attrs.get('case', RUN)}.png"
        if (
            int(data.attrs.get("complete", 1)) != 1 or data.sizes["time"] < 2
        ):  # axes of what a run left may have no length
            warnings.simplefilter("ignore", UserWarning)
        figure = draw(data)
    write_whole(picture, lambda path: plot_style.write_drawn(figure, path))
    return picture


def plot_run(data: xr.Dataset, path: str | Path | None = None) -> Figure:
    """Figure of a run, `run.fff.plot()`; it is written to `path`, a PNG, if one is given."""
    figure = draw(data)
    if path is not None:
        write_whole(Path(path), lambda temporary: plot_style.write_drawn(figure, temporary))
    return figure
