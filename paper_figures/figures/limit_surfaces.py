"""limit surfaces of a disc and of a rectangle, computed by stick or slip, beside closed forms.

A load inside the surface moves nothing at all, one outside it moves the body: `floating_frame.system.limit_load.limit_factor`
bisects between the two with the exact stick decision of the rigid friction problem. Closed forms:
`cases.references.limit_surfaces`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREEN, VERMILION
from cases.references.limit_surfaces import disc_wrench, rectangle_wrench
from floating_frame import RigidBody
from floating_frame.system.limit_load import limit_factor
from paper_figures.ink.style import column_figure
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

ORIGIN = "beyond"
SOURCE = "Goyal, Ruina, Papadopoulos, Wear 143 (1991) 307; Farkas et al., PRL 90 (2003) 248302"
CLAIM = "Stick ends exactly on the limit surface: largest force and moment in equilibrium with friction, disc and rectangle."
FILE = "limit_surfaces"
COST = 15.0

LENGTH, WIDTH = 0.2, 0.1
"""m, the rectangle."""
SHAPES = {"disc": BLUE, "along": VERMILION, "across": GREEN}


def disc() -> tuple[np.ndarray, np.ndarray, float]:
    """Points (N, 2) m, shares of the normal force (N,), and the moment of pure turning over mu N, m, of a disc."""
    body = RigidBody.disc(LENGTH / 2, 1.0, 24, 64)
    return body.X, body.nodal_area / body.nodal_area.sum(), LENGTH / 3


def rectangle() -> tuple[np.ndarray, np.ndarray, float]:
    """Points, shares and moment of pure turning of the rectangle, with Gauss points."""
    (x, wx), (y, wy) = (np.polynomial.legendre.leggauss(n) for n in (48, 24))
    points = np.stack(np.meshgrid(0.5 * LENGTH * x, 0.5 * WIDTH * y, indexing="ij"), -1).reshape(-1, 2)
    return points, np.outer(wx, wy).ravel() / 4, float(rectangle_wrench(LENGTH, WIDTH, (1e-12, 1e-12))[0, 2])


def exact(shape: str) -> np.ndarray:
    """Force and moment (F, M)/(mu N) (n, 2), 1 and m, on the closed-form surface, from pure turning to pure sliding."""
    if shape == "disc":
        return disc_wrench(LENGTH / 2, np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 400)]))
    arm = LENGTH * np.geomspace(1e-7, 1e4, 800) * 1.000123  # not through a corner
    zero = np.full_like(arm, 1e-12)
    # Turning about a point off the axis pulls along x, off to the side along y.
    centre = np.stack([zero, -arm] if shape == "along" else [-arm, zero], axis=1)
    wrench = rectangle_wrench(LENGTH, WIDTH, centre)
    return np.column_stack([np.abs(wrench[:, 0 if shape == "along" else 1]), wrench[:, 2]])


def ends_of_stick(directions: int) -> xr.Dataset:
    """Factor at which stick ends along ``directions`` rays from pure force to pure moment, and the angles of the rays.

    A ray of angle a is the load (cos a mu N, sin a M_turning).
    """
    rays = np.linspace(0.0, 0.5 * np.pi, directions)
    result = {}
    for shape in SHAPES:
        points, shares, arm = disc() if shape == "disc" else rectangle()
        forces, moments = np.cos(rays), np.sin(rays) * arm
        zero = np.zeros_like(forces)
        pull = [zero, forces] if shape == "across" else [forces, zero]
        wrenches = np.stack([*pull, moments], axis=1)
        result[shape] = ("ray", [limit_factor(wrench, points, shares) for wrench in wrenches])
    return xr.Dataset(result, coords={"ray": rays})


RUNS = {"factors": Study(ends_of_stick, {"directions": 19})}
QUICK = {"factors": {"directions": 3}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``computed_*`` (n, 2): force and moment at the end of stick over their values in pure sliding and turning; ``exact_*``: the
    closed form, ``error_*`` the largest distance of a computed point from it along its ray, relative.
    """
    factors = data["factors"]
    rays = factors.ray.values
    result: Numbers = {}
    for shape in SHAPES:
        curve = exact(shape)
        curve = curve / [1.0, curve[0, 1]]  # the curve begins with pure turning
        angle, radius = np.arctan2(curve[::-1, 1], curve[::-1, 0]), np.hypot(*curve[::-1].T)
        factor = factors[shape].values
        result[f"computed_{shape}"] = factor[:, None] * np.stack([np.cos(rays), np.sin(rays)], axis=1)
        result[f"exact_{shape}"] = curve
        result[f"error_{shape}"] = float(np.max(np.abs(factor / np.interp(rays, angle, radius) - 1)))
    return result


def draw(numbers: Numbers) -> Figure:
    """Draw the three sections over one another."""
    figure = column_figure(80)
    axes = figure.subplots()
    names = {"disc": "disc", "along": "2:1 rectangle, pulled along", "across": "2:1 rectangle, pulled across"}
    styles = {"disc": "-", "along": (0, (5, 1.5)), "across": (0, (1.5, 1))}
    marks = {"disc": "o", "along": "s", "across": "^"}
    for shape, colour in SHAPES.items():
        axes.plot(*numbers[f"exact_{shape}"].T, color=colour, linewidth=1.0, linestyle=styles[shape])
        axes.plot(
            *numbers[f"computed_{shape}"].T, linestyle="none", marker=marks[shape], markersize=3.6, color=colour,
            markerfacecolor="white", label=names[shape], clip_on=False, zorder=4,
        )  # fmt: skip
    axes.plot([], [], color=BLACK, linewidth=1.0, label="lines: closed forms")
    axes.text(0.3, 0.3, "sticks: not moved", fontsize=8, ha="center")
    axes.text(0.93, 0.93, "slides", fontsize=8, ha="center")
    axes.set(xlabel=r"force $F\,/\,(\mu N)$", ylabel=r"moment $M_z\,/\,M_z^{\rm turning}$", aspect="equal")
    axes.set(xlim=(0, 1.08), ylim=(0, 1.08))
    axes.legend(loc="lower left", fontsize=7)
    return figure
