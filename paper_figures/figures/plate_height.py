"""The plate of `plate_sliding` as a solid of falling height: the error of a given pressure is of first order.

Stiffness and mass per area are kept, E h and ρ h. The pull acts at half the height, friction at the base: their couple, absent in
the plane body, shifts the pressure ahead by μ h/2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter
from numpy.typing import NDArray

from cases import plate_in_space, plate_sliding
from cases.app.drawing.style import BLACK, BLUE, GREY, ORANGE, VERMILION
from floating_frame import assemble, simulate
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

Array = NDArray[np.float64]

FILE = "plate_height"
ORIGIN = "beyond"
SOURCE = "Szefer (2001), Fig. 3a, case B: the plate in the plane, and as an elastic solid in space under its weight"
CLAIM = "As its height falls, a plate in space tends to the plane plate under given pressure; the difference is of order h/L."
COST = 120.0

LENGTH, THICKNESS = 1.0, 0.02
PLANE = {"t_end": 0.66, "length": LENGTH, "thickness": THICKNESS}
"""The other parameters of the plate are the case's own."""
DRAWN = (0.2, 0.05)


def plates(heights: Sequence[float], nx: int, ny: int, dt: float) -> xr.Dataset:
    """``path`` (model, time, axis) m of the centres and the ``angle`` (model, time) rad: of the plane plate, then of
    solids of the ``heights`` m."""
    mesh = {"nx": nx, "ny": ny, "dt": dt}
    plane = plate_sliding.Parameters.model_validate(PLANE | mesh)
    run = simulate(assemble(plate_sliding.problem(plane), plate_sliding.options(plane)))
    paths, angles = [run.frame_position.values], [run.frame_angle.values]
    for height in heights:
        share = THICKNESS / height
        solid = {"density": plane.density * share, "E": plane.E * share, "height": height, "nz": 1, "viscosity": 0.0}
        params = plate_in_space.Parameters.model_validate({"t_end": PLANE["t_end"], "length": LENGTH} | mesh | solid)
        run = simulate(assemble(plate_in_space.problem(params), plate_in_space.options(params)))
        w, _, _, z = run.frame_rotation.values.T
        paths.append(run.frame_position.values[:, :2])
        angles.append(np.unwrap(2.0 * np.arctan2(z, w)))
    table = {"path": (("model", "time", "axis"), np.array(paths)), "angle": (("model", "time"), np.array(angles))}
    return xr.Dataset(table, {"model": [0.0, *heights], "time": run.time.values})


RUNS = {"plates": Study(plates, {"heights": [0.2, 0.1, 0.05, 0.02, 0.01], "nx": 12, "ny": 6, "dt": 4e-3})}
QUICK = {"plates": {"heights": [0.2, 0.05], "nx": 4, "ny": 2, "dt": 0.012}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``height`` over the length; the largest difference of the centre's ``place`` over the length of its path, and of the
    ``angle`` over the final one; their ``slope_*`` and the ``share``: difference of the place at the lowest height, over h/L;
    ``path``: the drawn paths, the plane's first, and their ``models``."""
    table = data["plates"]
    path, angle, height = table.path.values, table.angle.values, table.model.values[1:] / LENGTH
    length = np.hypot(*np.diff(path[0], axis=0).T).sum()
    place = np.linalg.norm(path[1:] - path[0], axis=2).max(axis=1) / length
    turned = np.abs(angle[1:] - angle[0]).max(axis=1) / abs(angle[0, -1])
    chosen = [0, *(1 + int(np.argmin(np.abs(height * LENGTH - wanted))) for wanted in DRAWN)]
    slope = np.polynomial.Polynomial.fit(np.log(height), np.log(place), 1).convert().coef[1]
    return {
        "height": height,
        "place": place,
        "angle": turned,
        "slope_place": float(slope),
        "share": float(place[-1] / height[-1]),
        "path": path[chosen],
        "models": table.model.values[chosen],
    }


def draw(numbers: Numbers) -> Figure:
    """Draw the paths of the plane plate and of two solids, and the differences over the height."""
    figure = column_figure(110)
    above, below = figure.subplots(2, 1, height_ratios=(1.0, 1.2))
    looks = ((BLACK, "-", 2.2), (VERMILION, "-", 1.0), (ORANGE, "--", 1.2))
    for path, model, (colour, line, width) in zip(numbers["path"], numbers["models"], looks, strict=True):
        label = f"in space, $h/L$ = {model / LENGTH:g}" if model else "in the plane"
        above.plot(*(100.0 * path.T), color=colour, linestyle=line, linewidth=width, label=label)
    above.set(xlabel="position of the centre, $x$ [cm]", ylabel="$y$ [cm]")
    above.legend(loc="upper left")
    letter(above, "a")
    height = numbers["height"]
    below.loglog(
        height, numbers["place"], "o-", color=BLUE, markersize=3.5, linewidth=1.0, label="place, over path length"
    )
    below.loglog(
        height, numbers["angle"], "^-", color=ORANGE, markersize=3.5, linewidth=1.0, label="angle, over that at the end"
    )
    below.loglog(
        height, numbers["share"] * height, "--", color=GREY, linewidth=1.0, label=f"{numbers['share']:.2f} $h/L$"
    )
    below.set(xlabel="height over length, $h/L$ [1]", ylabel="difference from the plane [1]")
    below.xaxis.set_major_formatter(ScalarFormatter())
    below.set_xticks(height)
    below.xaxis.set_minor_formatter(NullFormatter())
    below.legend(loc="lower right")
    letter(below, "b")
    return figure
