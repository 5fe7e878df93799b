"""The picture of block_on_table: velocity and displacement over time beside the exact ones, and the error."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, COLUMN, LIGHT, ORANGE, letter, shade
from cases.app.parts import laws
from cases.block_on_table import Parameters, exact


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw v_x(t), x(t) with the exact solution of the rigid block, stick shaded, and `|x - exact|`."""
    figure.set_size_inches(COLUMN, 4.6)
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[2, 2, 1.3])
    times = data.time.values
    x, v = data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    x_exact, v_exact = exact(params, times)[:2] if laws.uniform(params) else (np.full_like(times, np.nan),) * 2
    stuck = data.stick.values.all(axis=1)
    shade(top, times, stuck, color=LIGHT, label="stick")
    shade(middle, times, stuck, color=LIGHT)
    shade(bottom, times, stuck, color=LIGHT)
    rigid = params.body == "rigid" or params.loaded == "body"
    reference = "exact, rigid block" if not rigid else "exact" if laws.plain_coulomb(params) else "exact, Coulomb"
    for axes, computed, known in ((top, v, v_exact), (middle, x, x_exact)):
        axes.plot(times, 1e3 * computed, color=BLUE, label="computed", linewidth=1.6)
        if laws.uniform(params):
            axes.plot(times, 1e3 * known, color=BLACK, linestyle=(0, (3, 2)), linewidth=0.9, label=reference)
    top.set_ylabel("velocity $v_x$ [mm/s]")
    top.legend(loc="lower center", bbox_to_anchor=(0.55, 1.0), ncols=3, borderaxespad=0.2, columnspacing=1.2)
    middle.set_ylabel("displacement $x$ [mm]")
    error = np.abs(x - x_exact)
    bottom.semilogy(times, np.where(error > 0, error, np.nan), color=ORANGE)
    if np.nanmax(error, initial=0.0) > 0.0:
        bottom.set_ylim(1e-6 * error.max(), 4 * error.max())
    other = "rigid" if not rigid else "exact" if laws.plain_coulomb(params) else "Coulomb"
    bottom.set_ylabel(rf"$|x - x_\mathrm{{{other}}}|$ [m]")
    bottom.set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    for name, axes in zip("abc", (top, middle, bottom), strict=True):
        letter(axes, name)
