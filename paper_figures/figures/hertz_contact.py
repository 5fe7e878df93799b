"""Pressure under an elastic sphere beside Hertz's, its errors over the mesh, and the annulus that slips when the sphere is pulled.

The body is pressed on the ground and, with friction, pulled along it by less than the friction bound (Cattaneo 1938, Mindlin 1949).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.sphere_pressed import (
    Contact,
    Sphere,
    hertz,
    mindlin,
    pressed,
    radius_found,
    stick_radius,
    stick_radius_found,
)
from paper_figures.runs.jobs import Study

FILE = "hertz_contact"
ORIGIN = "beyond"
SOURCE = "Hertz (1881); Cattaneo (1938) and Mindlin (1949)"
CLAIM = "Nodal pressures converge to Hertz's over the mesh, and under a pull the annulus of Cattaneo and Mindlin slips."
COST = 40.0

MU, SHARE = 0.3, 0.6
MESHES = {1: (SKY, "^"), 2: (GREEN, "s"), 4: (BLUE, "o")}


def pressures(cells: Sequence[int]) -> xr.Dataset:
    """Places ``r_*`` and pressures ``p_*`` of the nodes without friction by mesh, and errors (mesh,): ``L1``, ``L2``,
    ``largest`` relative to Hertz's pressure, ``radius`` to the contact's radius."""
    result: dict[str, tuple[str, np.ndarray]] = {}
    errors: dict[str, list[float]] = {name: [] for name in ("L1", "L2", "largest", "radius")}
    for n in cells:
        contact = pressed(n, Sphere())
        off = np.abs(contact.pressure - hertz(contact.r))
        errors["L1"].append((contact.area * off).sum() / (2.0 * np.pi / 3.0))
        errors["L2"].append(np.sqrt((contact.area * off**2).sum() / (np.pi / 2.0)))
        errors["largest"].append(off.max())
        errors["radius"].append(abs(radius_found(contact) - 1.0))
        result |= _of_nodes(contact, f"_{n}")
    return xr.Dataset(result | {name: ("cells", np.array(e)) for name, e in errors.items()}, {"cells": list(cells)})


def slips(cells: int) -> xr.Dataset:
    """Places and pressures on one mesh with friction and pull, tractions ``q`` over μ p0 and ``stick``; ``found``: computed c/a."""
    contact = pressed(cells, Sphere(nu=0.49, mu=MU), SHARE)
    result = _of_nodes(contact, "") | {
        "q": ("node", contact.traction),
        "stick": ("node", contact.stick[-1].astype(np.int64)),
    }
    return xr.Dataset(result, attrs={"found": stick_radius_found(contact)})


def _of_nodes(contact: Contact, name: str) -> dict[str, tuple[str, np.ndarray]]:
    return {f"r{name}": (f"node{name}", contact.r), f"p{name}": (f"node{name}", contact.pressure)}


RUNS = {"pressed": Study(pressures, {"cells": list(MESHES)}), "pulled": Study(slips, {"cells": 4})}
QUICK = {"pressed": {"cells": [1, 2]}, "pulled": {"cells": 2}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``h`` over the contact radius, the errors and their ``slope_*`` over the finest two, nodes' ``r_*``, ``p_*`` by mesh;
    ``r``, ``q``, ``p``, ``stick`` of the pulled sphere, ``c_found`` and ``c_exact``."""
    table, pulled = data["pressed"], data["pulled"]
    h = 0.5 / table.cells.values
    result: Numbers = {"cells": table.cells.values, "h": h}
    for name in ("L1", "L2", "largest", "radius"):
        values = table[name].values
        result |= {name: values, f"slope_{name}": float(np.log(values[-2] / values[-1]) / np.log(h[-2] / h[-1]))}
    for n in table.cells.values:
        result |= {f"{x}_{n}": table[f"{x}_{n}"].values for x in ("r", "p")}
    result |= {name: pulled[name].values for name in ("r", "q", "p", "stick")}
    return result | {"c_found": float(pulled.attrs["found"]), "c_exact": stick_radius(SHARE)}


def draw(numbers: Numbers) -> Figure:
    """Draw pressures, their errors, and the friction of the pulled sphere."""
    figure = column_figure(190)
    above, middle, below = figure.subplots(3, 1, height_ratios=[1.0, 0.9, 1.1])
    r = np.linspace(0.0, 1.3, 400)
    above.plot(r, hertz(r), color=BLACK, linewidth=0.9, label="Hertz", zorder=1)
    for n in numbers["cells"]:
        colour, marker = MESHES[int(n)]
        near = numbers[f"r_{n}"] < 1.32
        above.plot(
            numbers[f"r_{n}"][near], numbers[f"p_{n}"][near], linestyle="none", marker=marker, markersize=3.2, color=colour,
            markerfacecolor="white", markeredgewidth=0.8, label=f"$h = a/{2 * n}$",
        )  # fmt: skip
    above.set(xlabel="$r/a$", ylabel="$p_n/p_0$", xlim=(0.0, 1.3), ylim=(-0.03, 1.12))
    above.legend(loc="lower left", borderaxespad=0.3)
    letter(above, "a", "pressure at the nodes, no friction")
    _errors(middle, numbers)
    _friction(below, numbers, r)
    return figure


def _errors(axes: Axes, numbers: Numbers) -> None:
    """Draw the errors over the mesh with their slopes."""
    names = (
        ("largest", "largest", VERMILION, "D"),
        ("L2", "$L_2$", ORANGE, "s"),
        ("L1", "$L_1$", BLUE, "o"),
        ("radius", r"contact radius by $\langle r^2\rangle$", GREEN, "^"),
    )
    for name, text, colour, marker in names:
        label = f"{text}: {numbers[f'slope_{name}']:.2f}"
        axes.loglog(
            numbers["h"], numbers[name], color=colour, marker=marker, markersize=3.5, linewidth=1.0, label=label
        )
    axes.set_xticks(numbers["h"], [f"1/{round(1 / h)}" for h in numbers["h"]])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set(xlabel="size of the cells over the contact radius, $h/a$", ylabel="relative error [1]")
    axes.set_ylim(bottom=axes.get_ylim()[0] / 20.0)
    axes.legend(loc="lower right", title="slope of the finest two", title_fontsize=7, ncols=2, borderaxespad=0.3)
    letter(axes, "b", "errors of the pressure")


def _friction(axes: Axes, numbers: Numbers, r: np.ndarray) -> None:
    """Draw the friction of the pulled sphere with its zones of slip and stick."""
    axes.axvspan(numbers["c_exact"], 1.0, color=GREY, alpha=0.18, linewidth=0)
    axes.plot(r, hertz(r), color=BLACK, linewidth=0.7, linestyle=(0, (4, 2)), label=r"$\mu p_n$, Hertz")
    axes.plot(r, mindlin(r, SHARE), color=BLACK, linewidth=0.9, label="Cattaneo, Mindlin")
    for state, text, face in ((1, "stick", BLUE), (0, "slip", "white")):
        nodes = numbers["stick"] == state
        axes.plot(
            numbers["r"][nodes], numbers["q"][nodes], linestyle="none", marker="o", markersize=3.2, color=BLUE,
            markerfacecolor=face, markeredgewidth=0.8, label=text,
        )  # fmt: skip
    axes.annotate("$c$", (numbers["c_exact"], 0.0), (-2, 4), textcoords="offset points", ha="right", fontsize=8)
    axes.set(xlabel="$r/a$", ylabel=r"$q_x/(\mu p_0)$", xlim=(0.0, 1.3), ylim=(-0.03, 1.12))
    axes.legend(loc="upper right", borderaxespad=0.3)
    letter(axes, "c", rf"friction under the pull $Q = {SHARE}\,\mu P$")
