"""One frame of an animation: the deformed body, stick and slip, friction, the frame and the path of its origin."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.quiver import Quiver
from numpy.typing import NDArray

from cases.app.drawing.style import BLACK, GREEN, LIGHT, ORANGE, PURPLE, SKY, YELLOW, number, thinned
from cases.app.parts.body_mesh import body_mesh

Array = NDArray[np.float64]
STICKS, SLIPS = SKY, YELLOW
LINE_SLIPS = ORANGE  # yellow lines do not show on white
WIDTH, HEIGHTS = 6.0, (2.6, 6.0)  # inches
SMALL_DISPLACEMENT = 0.05
"""Over the body's size: smaller displacements are drawn enlarged."""
AXES = (PURPLE, GREEN)
ARROWS_ALONG = 10.0
"""Number of arrows along the body; at the bound mu p_n an arrow is nearly as long as the distance between two."""
SLENDER = 6.0
"""Length over width of the drawing above which its axes have different scales."""


def enlargement(data: xr.Dataset) -> float:
    """Factor by which displacements from the reference place are drawn: 1, or 1, 2, 5 x 10^n where they are small."""
    size = float(np.ptp(body_mesh(data).X, axis=0).max())
    displacement = float(np.abs(data.position.values - data.position.values[0]).max())
    if not 0.0 < displacement < SMALL_DISPLACEMENT * size:
        return 1.0
    wanted = 0.12 * size / displacement
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(max(step * power for step in (1, 2, 5) if step * power <= wanted))


class _BodyArtist(Protocol):
    """Artist of a body: points, lines or cells, each in its colour."""

    slips: str

    def show(self, places: Array, colours: list[str]) -> None:
        """Set places (n, 2) m of points, or (n, corners, 2) of cells, and their colours."""


class _Points:
    slips = SLIPS

    def __init__(self, axes: Axes, first: Array) -> None:
        self.artist = axes.scatter(first[:, 0], first[:, 1], s=14, edgecolors=BLACK, linewidths=0.3, zorder=2)

    def show(self, places: Array, colours: list[str]) -> None:
        self.artist.set_offsets(places)
        self.artist.set_facecolor(colours)


class _Lines:
    slips = LINE_SLIPS

    def __init__(self, axes: Axes, start: Array) -> None:
        axes.add_collection(LineCollection(list(start), colors=LIGHT, linewidths=3.0, zorder=0))
        self.artist = LineCollection([], linewidths=3.0, zorder=2, capstyle="round")
        axes.add_collection(self.artist)

    def show(self, places: Array, colours: list[str]) -> None:
        self.artist.set_segments(list(places))
        self.artist.set_color(colours)


class _Cells:
    slips = SLIPS

    def __init__(self, axes: Axes, start: Array) -> None:
        axes.add_collection(PolyCollection(list(start), facecolors=LIGHT, edgecolors="none", zorder=0))
        self.artist = PolyCollection([], edgecolors="white", linewidths=0.15, zorder=2)
        axes.add_collection(self.artist)

    def show(self, places: Array, colours: list[str]) -> None:
        self.artist.set_verts(list(places))
        self.artist.set_facecolor(colours)


class Scene:
    """The artists of an animation on one pair of axes; `show` sets them to an instant.

    `data`: a trajectory; `instants`: those of the animation, (frames,), whose places set the limits of the axes.
    """

    def __init__(self, data: xr.Dataset, instants: NDArray[np.int_], figure: Figure) -> None:
        self._data, self._first = data, data.position.values[0]
        self._factor = enlargement(data)
        X, self._places, self._cells = body_mesh(data)
        self._size = float(np.ptp(X, axis=0).max())
        self._cell_nodes = data.cells.values if len(self._cells) else self._cells
        self._origins = self._enlarged(data.frame_position.values, data.frame_position.values[0])
        self._nodes = self._arrow_nodes()
        self._weights = data.friction_weight.values[self._nodes]
        self._axes = figure.add_subplot()
        low, high = self._limits(instants)
        span = high - low
        self._stretched = bool(span.max() > SLENDER * span.min())
        height = HEIGHTS[0] if self._stretched else WIDTH * span[1] / span[0] + 0.9
        # Even numbers of pixels, as video codecs want.
        figure.set_size_inches(WIDTH, round(float(np.clip(height, *HEIGHTS)) * 10) / 10)
        self._axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="$x$ [m]", ylabel="$y$ [m]")
        if not self._stretched:
            self._axes.set_aspect("equal")
        self._body = self._body_artist(self._axes)
        self._arrows = self._arrow_artist(self._axes)
        (self._path,) = self._axes.plot([], [], color=BLACK, linewidth=0.8, zorder=4)
        self._frame = LineCollection([], colors=AXES, linewidths=1.8, zorder=5)
        self._axes.add_collection(self._frame)
        self._time = self._axes.set_title(" ", loc="left")
        self._legend(figure)
        self.show(int(instants[0]))
        figure.canvas.draw()
        figure.set_layout_engine("none")  # the axes stay where they are

    def show(self, instant: int) -> None:
        """Set every artist to a stored instant."""
        data = self._data
        place = self._enlarged(data.position.values[instant], self._first)
        stuck = data.stick.values[instant].astype(bool)
        places, sticks = place, stuck
        if len(self._cells):  # a cell sticks where most of its corners do
            places = self._enlarged(self._places[instant], self._places[0])[self._cells]
            sticks = stuck[self._cell_nodes].mean(axis=1) > 0.5
        self._body.show(places, np.where(sticks, STICKS, self._body.slips).tolist())
        if self._arrows is not None:
            share = data.friction_force.values[instant][self._nodes] / self._weights[:, None]
            self._arrows.set_offsets(place[self._nodes])
            self._arrows.set_UVC(*(self._full_arrow * share).T)
        self._path.set_data(*self._origins[: instant + 1].T)
        self._frame.set_segments(self._frame_axes(instant))
        self._time.set_text(f"$t$ = {number(float(data.time.values[instant]), 4)} s{self._note()}")

    def _note(self) -> str:
        return f"     displacements drawn {number(self._factor, 6)} times" if self._factor != 1.0 else ""

    def _enlarged(self, place: Array, start: Array) -> Array:
        return start + self._factor * (place - start)

    def _arrow_nodes(self) -> NDArray[np.int_]:
        if self._data.sizes["node"] == 0:
            return np.zeros(0, int)
        nodes = thinned(self._data.X.values, self._size / ARROWS_ALONG)
        result: NDArray[np.int_] = nodes[self._data.friction_weight.values[nodes] > 0]
        return result

    def _limits(self, instants: NDArray[np.int_]) -> tuple[Array, Array]:
        places = self._enlarged(self._places[instants], self._places[0]).reshape(-1, 2)
        tips = np.concatenate([np.reshape(self._frame_axes(int(k)), (-1, 2)) for k in instants])
        if np.ptp(places, axis=0).min() > self._size / SLENDER:
            places = np.concatenate([places, tips])
        low, high = places.min(axis=0), places.max(axis=0)
        margin = 0.06 * (high - low)
        if (high - low).min() * SLENDER > self._size:  # room for arrows at the rim
            margin = np.maximum(margin, self._size / ARROWS_ALONG)
        margin = np.where(margin > 0, margin, 0.1 * self._size)
        return low - margin, high + margin

    def _frame_axes(self, instant: int) -> list[Array]:
        """Two axes of the frame, each from its origin to its tip, a quarter of the body long."""
        origin, angle = self._origins[instant], self._factor * float(self._data.frame_angle.values[instant])
        tips = [origin + 0.25 * self._size * np.array([np.cos(a), np.sin(a)]) for a in (angle, angle + np.pi / 2)]
        return [np.stack([origin, tip]) for tip in tips]

    def _body_artist(self, axes: Axes) -> _BodyArtist:
        if not len(self._cells):
            return _Points(axes, self._first)
        return (_Lines if self._cells.shape[1] == 2 else _Cells)(axes, self._places[0][self._cells])

    def _arrow_artist(self, axes: Axes) -> Quiver | None:
        if not self._nodes.size:
            return None
        none = np.zeros(len(self._nodes))
        style: dict[str, Any] = {"width": 0.0035, "headwidth": 3.4, "headlength": 3.8, "headaxislength": 3.4}
        if self._stretched:  # directions as they are on the plane, lengths in parts of the picture's width
            style |= {"angles": "uv", "scale_units": "width", "scale": 1.2 * ARROWS_ALONG}
            self._full_arrow = 1.0
        else:
            style |= {"angles": "xy", "scale_units": "xy", "scale": 1.0}
            self._full_arrow = 0.85 * self._size / ARROWS_ALONG
        return axes.quiver(*self._first[self._nodes].T, none, none, color=BLACK, zorder=3, **style)

    def _legend(self, figure: Figure) -> None:
        handles: list[Patch | Line2D] = [
            Patch(color=STICKS, label="sticks"),
            Patch(color=self._body.slips, label="slips"),
        ]
        if self._arrows is not None:
            arrow = Line2D([], [], color=BLACK, marker=r"$\rightarrow$", linestyle="none", markersize=9)
            arrow.set_label(r"friction, at most $\mu p_n$")
            handles.append(arrow)
        handles.append(Line2D([], [], color=BLACK, linewidth=0.8, label="path of the frame's origin"))
        handles += [Line2D([], [], color=c, linewidth=1.8, label=f"$e_{k}$") for k, c in enumerate(AXES, start=1)]
        figure.legend(handles=handles, loc="outside lower center", ncols=6, columnspacing=1.2)
