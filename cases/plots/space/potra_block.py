"""The picture of potra_block: the block, its displacement with the exact one, its error, and the forces on front and rear feet."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.space import blocks, states
from cases.app.drawing.style import BLACK, BLUE, COLUMN, GREEN, LIGHT, ORANGE, VERMILION, letter, shade
from cases.app.parts.solids import base_of
from cases.potra_block import SIZE, Parameters, exact, solved


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the block, x(t), the normal forces of a front and a rear foot over the weight, and the error of x; stick shaded."""
    figure.set_size_inches(COLUMN, 6.0)
    view, top, middle, bottom = figure.subplots(4, 1, height_ratios=[1.5, 2, 2, 1.3])
    for axes in (top, middle):
        axes.sharex(bottom)
        axes.tick_params(labelbottom=False)
    _view(view, params, data)
    times, x = data.time.values, data.frame_position.values[:, 0]
    stuck = (data.stick.values[:, base_of(data)] == 1).all(axis=1)
    for axes in (top, middle, bottom):
        shade(axes, times, stuck, color=LIGHT, label="stick" if axes is top else None)
    top.plot(times, 1e3 * x, color=BLUE, linewidth=1.6, label="computed")
    if solved(params):
        known = exact(params, times)[0]
        top.plot(times, 1e3 * known, color=BLACK, linestyle=(0, (3, 2)), linewidth=0.9, label=params.known_as)
        error = np.abs(x - known)
        bottom.semilogy(times, np.where(error > 0.0, error, np.nan), color=ORANGE)
    top.set_ylabel("displacement $x$ [mm]")
    top.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, borderaxespad=0.2, columnspacing=1.2)
    weight = max(params.mass * params.gravity, 1e-300)
    x0, y0 = data.X.values[:, 0], data.X.values[:, 1]
    base = base_of(data)
    ahead, behind = (base[np.argmax(sign * x0[base] - y0[base])] for sign in (1.0, -1.0))
    middle.plot(times, data.normal_force.values[:, ahead] / weight, color=VERMILION, label="foot at $x > 0$")
    middle.plot(times, data.normal_force.values[:, behind] / weight, color=GREEN, label="foot at $x < 0$")
    middle.set_ylabel("normal force / weight [1]")
    middle.legend(loc="lower center", bbox_to_anchor=(0.55, 1.0), ncols=2, borderaxespad=0.2)
    bottom.set(xlabel="time $t$ [s]", ylabel=r"$|x - x_\mathrm{exact}|$ [m]", xlim=(times[0], times[-1]))
    for name, axes in zip("abcd", (view, top, middle, bottom), strict=True):
        letter(axes, name)


def _view(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the block with the forces on its feet while it slides to the one side, rests, and slides to the other."""
    velocity = data.frame_velocity.values[:, 0]
    shown = sorted({int(np.argmax(velocity)), int(np.argmin(velocity)), int(np.argmin(np.abs(data.time.values - 2.0)))})
    rigid = params.body == "rigid"
    blocks(axes, data, np.array(SIZE), np.array(shown), params.mass * params.gravity if rigid else None)
    if rigid:
        states(
            axes, data.stick.values[shown], loc="lower center", bbox_to_anchor=(0.55, 1.0), ncols=3, borderaxespad=0.2
        )
