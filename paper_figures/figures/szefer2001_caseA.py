"""Szefer's case A: a constant body force shifts the frame and does not deform the body, unless a contact force reacts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLUE, GREEN, ORANGE, VERMILION
from fem import Plate, StVenantKirchhoff, rectangle
from floating_frame import BodyForce, Clamped, EdgeLoad, InitialState, MeanAxis, Options, Problem, Ramp
from friction import Coulomb, Foundation
from paper_figures.ink.pairs import draw_differences, draw_shapes, pair_numbers, power_above, shape_key, share_text
from paper_figures.ink.style import SMALLEST_TYPE, above_and_below, column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import ProblemRun

LENGTH, WIDTH, THICKNESS, DENSITY, MU, GRAVITY = 1.0, 0.5, 0.02, 1100.0, 0.3, 9.81
KINDS = {
    "flight": ("free flight", "$F_C = 0$", BLUE, (0.29, 1e-12)),
    "straight": ("slides straight", "$F_C$ fixed", GREEN, (0.29, 5e-16)),
    "turning": ("slides and turns", "$F_C$ reacts", ORANGE, (0.29, 2e-3)),
    "held": ("held at the left", "$F_C$ reacts", VERMILION, (0.29, 8.0)),
}
"""Label of each kind, its contact force, colour, and position of the label."""


def forced_plate(
    kind: str, b_x: float = 0.0, b_y: float = 0.0, nx: int = 20, ny: int = 10, dt: float = 2e-3, t_end: float = 0.3
) -> tuple[Problem, Options]:
    """Soft plate pulled at its right edge, with a constant body force (b_x, b_y) N/kg.

    flight: thrown and spinning, without friction. straight: sliding along x with friction, pulled along x, nu = 0, so that every
    point keeps its direction and friction is a constant force. turning: sliding and spinning with friction. held: the left
    edge is fixed in space, without friction.
    """
    nu = 0.0 if kind == "straight" else 0.4
    material = StVenantKirchhoff(E=2.5e4, nu=nu)
    mesh = rectangle(LENGTH, WIDTH, nx, ny, "quadrilateral")
    plate = Plate.build(mesh, thickness=THICKNESS, density=DENSITY, material=material, element="Q1")
    rubs = kind in ("straight", "turning")
    ground = Foundation(law=Coulomb(), mu=MU, pressure=DENSITY * THICKNESS * GRAVITY) if rubs else None
    spin = 3.0 if kind in ("flight", "turning") else 0.0
    speed = {"straight": 3.0, "held": 0.0}.get(kind, 1.5)
    pull = {"straight": (30.0, 0.0), "held": (10.0, 4.0)}.get(kind, (15.0, 9.0))
    problem = Problem(
        plate,
        t_end,
        ground,
        (EdgeLoad("right", pull, Ramp(0.1)), BodyForce((b_x, b_y))),
        frame=Clamped("left", free=()) if kind == "held" else MeanAxis(),
        initial=InitialState(velocity=(speed, 0.0), spin=spin),
    )
    return problem, Options(dt=dt, tolerance=1e-13 if kind != "held" else 1e-10)


TIMES = 2
"""Magnification of the drawn displacements."""
FILE = "szefer2001_caseA"
ORIGIN = "szefer2001"
SOURCE = "Szefer (2001), case A: constant body force, (3.7) to (3.10)"
CLAIM = (
    "A constant body force b shifts the frame by b t^2/2 and leaves u unchanged within rounding if the "
    "contact force does not react to it."
)
COST = 4.0
FORCE = {"straight": (2.0, 0.0)}
_OTHER_FORCE = (2.0, -3.0)
RUNS = {
    f"{kind}_{name}": ProblemRun(forced_plate, {"kind": kind, "b_x": b[0], "b_y": b[1], "nx": 20, "ny": 10, "dt": 2e-3})
    for kind in KINDS
    for name, b in (("plain", (0.0, 0.0)), ("forced", FORCE.get(kind, _OTHER_FORCE)))
}
QUICK = {label: {"nx": 8, "ny": 4, "dt": 8e-3} for label in RUNS}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """By kind: the pair of shapes and differences, and the difference of the frame's shift from b t^2/2, m."""
    result = {}
    for kind in KINDS:
        plain, forced = data[f"{kind}_plain"], data[f"{kind}_forced"]
        b, t = np.array(FORCE.get(kind, _OTHER_FORCE)), plain.time.values
        shift = forced.frame_position.values - plain.frame_position.values
        result[kind] = pair_numbers(plain, forced) | {
            "shift": float(np.linalg.norm(shift[-1])),
            "shift_error": float(np.linalg.norm(shift - 0.5 * np.outer(t**2, b), axis=1).max()),
            "expected_shift": float(0.5 * t[-1] ** 2 * np.linalg.norm(b)),
            "turned": float(np.abs(plain.frame_angle.values).max()),
            "friction": float(np.abs(plain.friction_force.values.sum(axis=1)).max()),
        }
    return result


def draw(n: Numbers) -> Figure:
    """Draw the shapes with and without the body force for four kinds of contact, and the differences over time."""
    figure = column_figure(132)
    above, below = above_and_below(figure, 1.4, 1.0)
    panels = above.subplots(2, 2, sharex=True, sharey=True)
    for axes, name, (kind, (title, contact, _, _)) in zip(panels.flat, "abcd", KINDS.items(), strict=True):
        error = n[kind]["shift_error"]
        size = f"{1e3 * error:.0f}$ mm" if error > 1e-6 else f"{power_above(error)}$ m"
        shift = r"$\Delta x_0 = 0$" if kind == "held" else rf"$\Delta x_0 = bt^2/2 \pm {size}"
        draw_shapes(axes, n[kind], TIMES, rf"{contact}: $\Delta u$ ${share_text(n[kind]['worst'])}$", shift)
        letter(axes, name, title)
    for axes in panels[-1]:
        axes.set_xlabel("$r_x$, $r = X + u$ [m]")
    for axes in panels[:, 0]:
        axes.set_ylabel("$r_y$ [m]")
    above.legend(
        handles=shape_key("without $b$", f"with $b$ ($u$ drawn {TIMES} times)"), loc="outside upper center", ncols=3
    )
    over_time = below.subplots()
    names = {
        kind: (colour, f"({name}) {title}", over)
        for name, (kind, (title, _, colour, over)) in zip("abcd", KINDS.items(), strict=True)
    }
    draw_differences(over_time, n, names)
    over_time.set_ylabel(r"$\max|\Delta u|\,/\,\max|u|$")
    letter(over_time, "e", r"effect $\Delta u$ of $b$ on the deformation")
    force = "$b$ = (2, -3) N/kg; in (b), along the slide, (2, 0) N/kg"
    over_time.text(
        0.5, 1e-8, force, fontsize=SMALLEST_TYPE, ha="center", va="center", transform=over_time.get_yaxis_transform()
    )
    return figure
