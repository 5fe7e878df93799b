"""The picture of inclined_plane: velocity and displacement beside those of the laws of Table 6.24, and the law's curve."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, COLUMN, GREEN, GREY, ORANGE, VERMILION, letter
from cases.app.parts import laws
from cases.inclined_plane import Parameters, forces
from cases.references.inclined_plane import Forces, friction, largest_stick, law_speed, motion

BESIDE = {"static-kinetic": (BLACK, "-"), "sliding": (ORANGE, "--"), "sliding-stiction": (GREEN, ":")}


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw v(t) and x(t), computed and by the laws' own equations, and friction over the speed of slip with the drive."""
    figure.set_size_inches(COLUMN, 5.2)
    top, middle, bottom = figure.subplots(3, 1, height_ratios=[1, 1, 1])
    times = data.time.values
    fine = np.concatenate([[0.0], np.geomspace(1e-4 * times[-1], times[-1], 300)])
    exact = "static-kinetic" if params.mu_s is None else ""  # with one coefficient they are one law
    beside = {name: params.model_copy(update={"law": name}) for name in BESIDE}
    beside = {name: other for name, other in beside.items() if laws.uniform(other) and laws.agrees(other)}
    known = {name: motion(other, forces(other), fine) for name, other in beside.items()}
    ends = [data.frame_position.values[:, 0], *(found[0] for found in known.values() if found is not None)]
    unit, prefix = scale(max(float(np.abs(x).max()) for x in ends))
    for name, found in known.items():
        if found is not None:
            colour, dashes = BESIDE[name]
            style: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 0.9, "zorder": 3}
            top.plot(fine, unit * found[1], label="coulomb" if name == exact else name, **style)
            middle.plot(fine, unit * found[0], **style)
    line: dict[str, Any] = {"color": BLUE, "linewidth": 2.2, "alpha": 0.55}
    stored = times > 0.0  # a logarithmic axis has no zero
    top.plot(times[stored], unit * data.frame_velocity.values[stored, 0], label=f"computed, {params.law}", **line)
    middle.plot(times[stored], unit * data.frame_position.values[stored, 0], **line)
    top.set(ylabel=f"velocity $v_x$ [{prefix}m/s]", xscale="log", xlim=(fine[1], times[-1]))
    middle.set(ylabel=f"displacement $x$ [{prefix}m]", xlabel="time $t$ [s]", xscale="log", xlim=(fine[1], times[-1]))
    reached = unit * np.array([np.abs(x).max() for x in ends])
    if (reached > 0.0).any() and reached.max() > 20.0 * reached[reached > 0.0].min():  # one law would fill the axis
        middle.set_yscale("symlog", linscale=0.4, linthresh=10.0 ** np.floor(np.log10(reached[reached > 0.0].min())))
        middle.set_ylim(bottom=0.0 if min(float(x.min()) for x in ends) >= 0.0 else None)
    top.legend(loc="lower center", bbox_to_anchor=(0.5, 1.02), ncols=2, borderaxespad=0.2, columnspacing=1.2)
    acting = forces(params)
    curve(params, acting if laws.uniform(params) else acting._replace(bound=float(data.friction_weight.sum())), bottom)
    for name, axes in zip("abc", (top, middle, bottom), strict=True):
        letter(axes, name)


def curve(params: Parameters, acting: Forces, axes: Axes) -> None:
    """Draw friction over the speed of slip, its static bound, and the drive that it has to balance."""
    law = laws.build(params)
    fastest = 2.0 * law_speed(params)
    speeds = np.linspace(fastest * 1e-6, fastest, 300)
    axes.plot(1e3 * speeds, [friction(law, acting.bound, s) for s in speeds], color=BLUE, label="friction in slip")
    if law.set_valued:
        axes.plot(
            [0.0, 0.0],
            [0.0, largest_stick(law, acting.bound)],
            color=BLUE,
            linewidth=2.5,
            label="stick",
            solid_capstyle="butt",
        )
    axes.axhline(acting.drive, color=VERMILION, linestyle="--", label="weight along the slope")
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.set(xlabel="speed of slip [mm/s]", ylabel="force [N]", xlim=(-0.02e3 * fastest, 1e3 * fastest))
    axes.legend(loc="best")


def scale(largest: float) -> tuple[float, str]:
    """Return the factor and the prefix of metres in which the ``largest`` displacement has one to three digits."""
    for limit, factor, prefix in ((0.5, 1.0, ""), (5e-4, 1e3, "m")):
        if largest >= limit:
            return factor, prefix
    return 1e6, "µ"
