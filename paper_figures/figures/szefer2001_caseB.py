"""Szefer's case B: friction does not deform a plate that slides straight; it does with lateral velocity and stick-slip."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLUE, GREEN, ORANGE, PURPLE, VERMILION
from fem import NeoHookean, Plate, rectangle
from floating_frame import Clamped, EdgeLoad, Function, InitialState, MeanAxis, Options, Problem, Ramp
from friction import Coulomb, Foundation
from paper_figures.ink.pairs import draw_differences, draw_shapes, pair_numbers, shape_key, share_text
from paper_figures.ink.style import above_and_below, column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.slip_states import STICKS, trajectory_states
from paper_figures.runs.jobs import ProblemRun

LENGTH, WIDTH, THICKNESS, DENSITY, MU, GRAVITY = 1.0, 0.5, 0.02, 1100.0, 0.3, 9.81
SPEED, PULL, LATERAL, SHAKE, PERIOD = 1.2, 15.0, 5.0, 40.0, 0.3
KINDS = {
    "straight": (r"slides straight, $\nu = 0$", "$v_y = 0$", BLUE),
    "lateral": (r"the same, $\nu = 0.4$", "$v_y$ is small", GREEN),
    "clamped": ("clamped, also bent", "$v_y$ counts", ORANGE),
    "shaken": ("shaken along $x$", "stick-slip", VERMILION),
    "rod": (r"as (b), width $\ell/8$", "", PURPLE),
}
"""Label of each kind, its slip velocity, and colour."""


def plate_with_friction(
    kind: str, mu: float = MU, nx: int = 20, ny: int = 8, dt: float = 2e-3
) -> tuple[Problem, Options]:
    """Soft plate pulled at its right edge on ground with the friction coefficient `mu`.

    straight, lateral, rod: sliding along x, pulled along x by a force that grows to the full traction, with nu = 0 or 0.4, the
    rod an eighth as wide as long. clamped: the left edge on a guide along x, pulled across as well. shaken: at rest at
    first, nu = 0, under an alternating force along x.
    """
    width = LENGTH / 8 if kind == "rod" else WIDTH
    material = NeoHookean(E=2.5e4, nu=0.0 if kind in ("straight", "shaken") else 0.4)
    mesh = rectangle(LENGTH, width, nx, ny, "quadrilateral")
    plate = Plate.build(mesh, thickness=THICKNESS, density=DENSITY, material=material, element="Q1")
    force = {"shaken": (SHAKE, 0.0), "clamped": (PULL, LATERAL)}.get(kind, (PULL * width / WIDTH, 0.0))
    alternating = Function(lambda t: float(np.sin(2.0 * np.pi * t / PERIOD)))
    problem = Problem(
        plate,
        PERIOD,
        Foundation(law=Coulomb(), mu=mu, pressure=DENSITY * THICKNESS * GRAVITY) if mu > 0.0 else None,
        (EdgeLoad("right", force, alternating if kind == "shaken" else Ramp(0.1)),),
        frame=Clamped("left", free=("x",)) if kind == "clamped" else MeanAxis(),
        initial=InitialState(velocity=(0.0 if kind == "shaken" else SPEED, 0.0)),
    )
    return problem, Options(dt=dt, tolerance=1e-12)


TIMES = 3
"""Magnification of the drawn displacements."""
FILE = "szefer2001_caseB"
ORIGIN = "szefer2001"
SOURCE = "Szefer (2001), case B: sliding without rotation, and the clamped plate (3.11)"
CLAIM = (
    "Friction does not deform a plate that slides straight; it does where v_y counts (clamped) "
    "and where the slip sticks and reverses."
)
COST = 8.0
RUNS = {
    f"{kind}_{name}": ProblemRun(plate_with_friction, {"kind": kind, "mu": mu, "nx": 20, "ny": 8, "dt": 2e-3})
    for kind in KINDS
    for name, mu in (("smooth", 0.0), ("rough", MU))
}
QUICK = {label: {"nx": 8, "ny": 4, "dt": 6e-3} for label in RUNS}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """By kind: the pair of shapes and differences, and measures of the slip.

    friction: its largest resultant, N; lateral: the largest `|v_y|/|v|`; backward, sticking: shares of points and instants with
    v_x < 0, and in stick.
    """
    result = {}
    for kind in KINDS:
        smooth, rough = data[f"{kind}_smooth"], data[f"{kind}_rough"]
        v = rough.velocity.values[1:]
        speed = np.linalg.norm(v, axis=2)
        lateral = np.abs(v[..., 1][speed > 0]) / speed[speed > 0]
        result[kind] = pair_numbers(smooth, rough) | {
            "friction": float(np.abs(rough.friction_force.values[1:].sum(axis=1)).max()),
            "lateral": float(lateral.max()),
            "backward": float((v[..., 0] < 0).mean()),
            "sticking": float((trajectory_states(rough)[1:] == STICKS).mean()),
        }
    return result


def draw(n: Numbers) -> Figure:
    """Draw the shapes with and without friction for four kinds of slip, and the differences over time."""
    figure = column_figure(132)
    above, below = above_and_below(figure, 1.4, 1.0)
    panels = above.subplots(2, 2, sharex=True, sharey=True)
    for axes, name, kind in zip(panels.flat, "abcd", KINDS, strict=False):
        title, slip, _ = KINDS[kind]
        draw_shapes(
            axes,
            n[kind],
            TIMES,
            rf"{slip}: $\Delta u$ ${share_text(n[kind]['worst'])}$",
            f"$t$ = {n[kind]['at']:.2f} s",
        )
        letter(axes, name, title)
    for axes in panels[-1]:
        axes.set_xlabel("$r_x$, $r = X + u$ [m]")
    for axes in panels[:, 0]:
        axes.set_ylabel("$r_y$ [m]")
    above.legend(
        handles=shape_key("no friction", f"friction ($u$ drawn {TIMES} times)"), loc="outside upper center", ncols=3
    )
    over_time = below.subplots()
    letters = dict(zip(KINDS, ("(a) ", "(b) ", "(c) ", "(d) ", ""), strict=True))
    short = {
        "straight": r"straight, $\nu = 0$",
        "lateral": r"straight, $\nu = 0.4$",
        "clamped": "clamped",
        "shaken": "shaken",
        "rod": KINDS["rod"][0],
    }
    names = {kind: (KINDS[kind][2], letters[kind] + short[kind], None) for kind in KINDS}
    draw_differences(over_time, n, names)
    over_time.set_ylabel(r"$\max|\Delta u|\,/\,\max|u|$")
    letter(over_time, "e", r"effect $\Delta u$ of friction on the deformation")
    return figure
