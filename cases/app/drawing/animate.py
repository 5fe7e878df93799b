"""Animations of saved runs, as MP4 where matplotlib finds ffmpeg and as GIF otherwise; nothing is computed again."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.animation import FFMpegWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.progress import track

from cases.app.drawing import style as plot_style
from cases.app.drawing.plotting import drawable, open_results
from cases.app.drawing.scene import Scene
from cases.app.drawing.space_scene import SpaceScene
from cases.app.export.obstacles import wires
from cases.app.export.stresses import problem_of
from cases.app.run.errors import BadInput
from cases.app.run.results import write_whole

FASTEST, DEFAULT_FPS = 50.0, 20.0
"""Frames per second: a GIF cannot be shown faster than one frame in 20 ms."""
MOST_FRAMES = 200
DPI = 120
MP4, GIF = ".mp4", ".gif"


def animate_directory(directory: str | Path, *, fps: str | None = None, out: str | None = None) -> Path:
    """Animate DIR/trajectory.nc and return the file: `out`, or DIR/NAME.mp4 or .gif, whichever can be written.

    `fps` is the text of a number of frames per second. The file appears whole or not at all. Raises BadInput before anything
    is drawn.
    """
    rate = _rate(fps)
    data, name = open_results(directory)
    with data, drawable(directory):
        path = Path(out) if out is not None else Path(directory) / f"{name}{MP4 if FFMpegWriter.isAvailable() else GIF}"
        return animate_run(data, path, fps=rate)


def animate_run(data: xr.Dataset, path: str | Path, *, fps: float = DEFAULT_FPS) -> Path:
    """Write a run, `run.fff.animate("NAME.mp4")` or .gif, as a film and return the file."""
    path = Path(path)
    _check(path)
    instants = chosen_instants(data.time.values)
    with matplotlib.rc_context(plot_style.STYLE | {"savefig.dpi": DPI, "figure.dpi": DPI}):
        write = _write_mp4 if path.suffix == MP4 else _write_gif
        write_whole(path, lambda temporary: write(temporary, data, instants, fps))
    return path


def _rate(text: str | None) -> float:
    try:
        rate = DEFAULT_FPS if text is None else float(text)
    except ValueError:
        rate = math.nan
    if not 0.0 < rate <= FASTEST:
        raise BadInput(f"fps: expected a number > 0, <= {FASTEST:g}, got {text!r}")
    return rate


def _check(path: Path) -> None:
    if path.suffix not in (MP4, GIF):
        raise BadInput(f"out: expected a file that ends in {MP4} or {GIF}, got {str(path)!r}")
    if path.suffix == MP4 and not FFMpegWriter.isAvailable():
        raise BadInput(f"out: expected a file that ends in {GIF}, as no ffmpeg is found, got {str(path)!r}")
    if not path.parent.is_dir():
        raise BadInput(f"out: expected a file in a directory that exists, got {str(path)!r}")


def chosen_instants(times: NDArray[np.float64]) -> NDArray[np.int_]:
    """At most 200 indices into `times` (instants,) s, evenly spaced in time, with the first and the last."""
    if len(times) <= MOST_FRAMES:
        return np.arange(len(times))
    wanted = np.linspace(times[0], times[-1], MOST_FRAMES)
    after = np.searchsorted(times, wanted).clip(1, len(times) - 1)
    nearest = np.where(wanted - times[after - 1] < times[after] - wanted, after - 1, after)
    return np.unique(nearest)


def frames(data: xr.Dataset, instants: NDArray[np.int_]) -> Iterator[Figure]:
    """Yield one figure, drawn anew for each of the `instants` on the same axes."""
    figure = Figure(dpi=DPI)
    FigureCanvasAgg(figure)
    plane = data.sizes["axis"] == 2
    scene = (
        Scene(data, instants, figure) if plane else SpaceScene(data, instants, figure, wires(data, problem_of(data)))
    )
    console = Console(stderr=True)
    for instant in track(instants, "drawing", console=console, transient=True, disable=not sys.stderr.isatty()):
        scene.show(int(instant))
        yield figure


def _write_mp4(path: Path, data: xr.Dataset, instants: NDArray[np.int_], fps: float) -> None:
    # The temporary name does not end in .mp4, so ffmpeg is given the format; every player shows yuv420p.
    writer = FFMpegWriter(fps=fps, codec="h264", extra_args=["-pix_fmt", "yuv420p", "-f", "mp4"])  # type: ignore[arg-type]
    started = False
    try:
        for figure in frames(data, instants):
            if not started:
                writer.setup(figure, path, dpi=DPI)
                started = True
            writer.grab_frame()
    finally:
        if started:
            writer.finish()


def _write_gif(path: Path, data: xr.Dataset, instants: NDArray[np.int_], fps: float) -> None:
    pictures = _indexed(frames(data, instants))
    first = next(pictures)
    # The last frame stays for a second before the animation begins again.
    duration = [round(1000 / fps)] * (len(instants) - 1) + [1000]
    with path.open("wb") as file:  # closed when interrupted, too
        first.save(file, format="GIF", save_all=True, append_images=pictures, duration=duration, loop=0)


def _indexed(drawn: Iterator[Figure]) -> Iterator[Image.Image]:
    """Figures as images, one at a time in memory. All have the palette of the first one, whose legend has every colour."""
    palette: Image.Image | None = None
    for figure in drawn:
        canvas = figure.canvas
        assert isinstance(canvas, FigureCanvasAgg)
        canvas.draw()
        picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
        if palette is None:
            palette = picture.quantize(128)
            yield palette
        else:
            yield picture.quantize(palette=palette, dither=Image.Dither.NONE)
