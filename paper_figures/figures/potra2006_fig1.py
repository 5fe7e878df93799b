"""Potra et al. (2006), Figure 1: the block on the table, its contact points and the forces, drawn from the models that are run.

The block is cut into four hexahedra, 2 x 2 in plan. As a body in space it stands on its four corners: the force acts at its centre,
friction at the table, and their couple loads the front feet more than the rear ones, N = mg/4 (1 +- f h/(a mg)). In slip the
friction of each foot is at its bound, in stick a quarter of the force (feet of equal compliance) or at its bound; the others take
the rest.

In the plane each hexahedron has one contact point, the centre of its base, under the uniform pressure of the weight.
The rigid body with these four friction points carries the block's mass and moment of inertia exactly: with
A = [[7, -1], [-1, 7]]/12 over the abscissae +-a/4 the form sum A_ij p(x_i) q(x_j) equals the mean of p q over (-a/2, a/2) for
p, q of degree one, (a/4)^2 (2 * 7/12 + 2 * 1/12) = a^2/12, and the mass matrix is m A x A. The sum of the bounds is that in space.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from cases import block_on_table
from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, LIGHT, VERMILION, spans
from cases.block_on_table import HEIGHT, LENGTH, WIDTH, Parameters
from floating_frame import Options, Problem, RigidBody
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.potra_block import QUICK as QUICK
from paper_figures.parts.potra_block import SPACE
from paper_figures.runs.jobs import Job, ProblemRun

Array = NDArray[np.float64]

FILE = "potra2006_fig1"
ORIGIN = "potra2006"
SOURCE = "Potra et al. (2006), Fig. 1"
CLAIM = "in stick each foot takes a quarter of the force, in slip its own bound, larger by 1 + mu h/a at the feet ahead"
COST = 30.0


def four_point_block(dt: float, t_end: float) -> tuple[Problem, Options]:
    """Block of the case with four contact points, one under each of its hexahedra."""
    params = Parameters(dt=dt, t_end=t_end)
    problem = block_on_table.problem(params)
    x, y = np.meshgrid(LENGTH / 4 * np.array([-1.0, 1.0]), WIDTH / 4 * np.array([-1.0, 1.0]))
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    form = np.array([[7.0, -1.0], [-1.0, 7.0]]) / 12.0
    body = RigidBody(
        X=points,
        nodal_area=np.full(4, LENGTH * WIDTH / 4),
        mass_matrix=csr_matrix(params.mass * np.kron(form, form)),
        cells=np.array([[0, 1, 3, 2]], np.int32),
        edges={},
    )
    return dataclasses.replace(problem, body=body), block_on_table.options(params)


RUNS: Mapping[str, Job] = {"block": ProblemRun(four_point_block, {"dt": 1e-3, "t_end": 10.0}), "space": SPACE}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Configuration of the block and forces at its contact points.

    points (4, 2) m; size (3,) m; mass kg; weight N; normal, bound (4,) N, normal force and mu times it at each point;
    times (n,) s; force (n,) N, the applied one; friction (n, 4) N, along x at each point;
    slip (n,) bool; stick_residual, slip_residual: the largest `|friction + force/4|` in stick, `||friction| - bound|` in slip, N.
    Of the body in space: feet (4, 2) m, normal_space, friction_space (n, 4) N, and the residuals stick_residual_space,
    slip_residual_space of the friction of stick, a quarter of the force or for the feet behind their bound, and of slip; and
    couple_residual: the largest `|sum x N + h/2 sum T|`, N m.
    """
    trajectory, space = data["block"], data["space"]
    params = Parameters()
    times = trajectory.time.values
    force = params.amplitude * np.cos(block_on_table.OMEGA * times)
    friction = trajectory.friction_force.values[:, :, 0]
    bound = trajectory.friction_weight.values
    stuck = (trajectory.stick.values == 1).all(axis=1)
    # Steps with a change of state are left out: their friction is a mean of both states.
    inner, outer = _inside(stuck), _inside(~stuck)
    feet, normal_space = space.X.values[:, :2], space.normal_force.values
    friction_space, stuck_space = space.friction_force.values[:, :, 0], (space.stick.values == 1).all(axis=1)
    bounds = params.mu * normal_space
    rear = np.minimum(np.abs(force)[:, None] / 4, bounds.min(axis=1, keepdims=True))
    ahead = bounds > bounds.mean(axis=1, keepdims=True)
    split = np.where(ahead, np.abs(force)[:, None] / 2 - rear, rear)
    return {
        "feet": feet,
        "normal_space": normal_space,
        "friction_space": friction_space,
        "stick_residual_space": float(np.max(np.abs(np.abs(friction_space) - split)[_inside(stuck_space)])),
        "slip_residual_space": float(np.max(np.abs(np.abs(friction_space) - bounds)[_inside(~stuck_space)])),
        "couple_residual": float(np.max(np.abs(normal_space @ feet[:, 0] + HEIGHT / 2 * friction_space.sum(axis=1)))),
        "points": trajectory.X.values,
        "size": np.array([LENGTH, WIDTH, HEIGHT]),
        "mass": params.mass,
        "weight": params.mass * params.gravity,
        "normal": bound / params.mu,
        "bound": bound,
        "times": times,
        "force": force,
        "friction": friction,
        "slip": ~stuck,
        "stick_residual": float(np.max(np.abs(friction + force[:, None] / 4)[inner])),
        "slip_residual": float(np.max(np.abs(np.abs(friction) - bound)[outer])),
    }


def _inside(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Instants (n,) at which `mask` (n,) is true, also at both neighbours."""
    whole = np.zeros_like(mask)
    whole[1:-1] = mask[1:-1] & mask[:-2] & mask[2:]
    return whole


METRES_PER_NEWTON = 0.022
DEPTH = np.array([0.42, 0.30])
"""Unit vector of y in the oblique drawing; x and z are not shortened."""


def flat(points: ArrayLike) -> Array:
    """Oblique drawing (..., 2) of points (..., 3) m of space."""
    space = np.asarray(points, float)
    result: Array = space[..., [0, 2]] + space[..., 1:2] * DEPTH
    return result


def draw(numbers: Numbers) -> Figure:
    """Draw the block in space with its forces at the start of slip, and normal and friction forces of its feet over time."""
    figure = column_figure(128)
    top, middle, bottom = figure.subplots(3, 1, height_ratios=[1.15, 1, 1])
    draw_block(top, numbers)
    draw_feet(middle, bottom, numbers)
    letter(top, "a", "in space, $t = 0$")
    letter(middle, "b", "normal force; grey: stick")
    letter(bottom, "c", "friction")
    return figure


def draw_block(axes: Axes, numbers: Numbers) -> None:
    """Draw the four hexahedra, the contact points under them, sizes, and the forces to scale."""
    a, b, h = numbers["size"]
    axes.set_axis_off()
    axes.set(aspect="equal", xlim=(-0.345, 0.435), ylim=(-0.115, 0.235))
    table = flat([[-0.215, -0.235, 0], [0.335, -0.235, 0], [0.235, 0.25, 0], [-0.275, 0.25, 0]])
    axes.fill(*table.T, facecolor=LIGHT, edgecolor="none", zorder=0)
    for start, end, hidden in element_edges(a, b, h):
        axes.plot(
            *flat([start, end]).T, color=BLACK, linewidth=0.5 if hidden else 0.8, linestyle=":" if hidden else "-"
        )
    forces = (numbers["friction_space"][0], numbers["normal_space"][0])
    for (x, y), friction, normal in zip(numbers["feet"], *forces, strict=True):
        arrow(axes, (x, y, 0), (friction, 0, 0), VERMILION)
        arrow(axes, (x, y, 0), (0, 0, normal), GREEN)
        axes.plot(*flat((x, y, 0)), "o", color=BLACK, markersize=3.5, zorder=7)
    tip = arrow(axes, (0, 0, h / 2), (numbers["force"][0], 0, 0), BLUE)
    axes.plot(*flat((0, 0, h / 2)), "o", color=BLUE, markersize=3.5, zorder=7)
    axes.text(0.222, tip[1], rf"$f = {numbers['force'][0]:.0f}\,\cos t$ N", color=BLUE, va="center")
    write(axes, numbers)
    dimension(axes, (-a / 2, -b / 2, 0), (a / 2, -b / 2, 0), (0, -0.028), f"$a = {a:g}$ m")
    dimension(axes, (a / 2, -b / 2, 0), (a / 2, b / 2, 0), (0.022, -0.014), f"$b = {b:g}$ m")
    dimension(axes, (-a / 2, -b / 2, 0), (-a / 2, -b / 2, h), (-0.028, 0), f"$h = {h:g}$ m")
    for direction, name in (((1, 0, 0), "x"), ((0, 1, 0), "y"), ((0, 0, 1), "z")):
        start = np.array([-0.3, 0.0, 0.125])
        tip = arrow(axes, start, np.array(direction) * (4.5 if direction[1] else 2.2), BLACK, width=0.8)
        label = flat(start) + 1.3 * (tip - flat(start))
        axes.text(label[0], label[1], f"${name}$", ha="center", va="center")


def write(axes: Axes, numbers: Numbers) -> None:
    """Write the labels of the arrows at the feet."""
    normal = numbers["normal_space"][0]
    values = rf"$N_i = \frac{{1}}{{4}} mg\,(1 \pm \mu h/a)$ = {normal.max():.3f}, {normal.min():.3f} N"
    axes.text(0.435, 0.2, values, color=GREEN, ha="right", va="bottom")
    axes.text(0.435, 0.163, r"$|T_i| = \mu N_i$", color=VERMILION, ha="right", va="bottom")


def arrow(axes: Axes, start: ArrayLike, force: ArrayLike, colour: str, *, width: float = 1.3) -> Array:
    """Draw a force (3,) N at `start` (3,) m, to scale, and return the drawn position (2,) of its tip."""
    tip = flat(np.asarray(start, float) + METRES_PER_NEWTON * np.asarray(force, float))
    style = {
        "arrowstyle": "-|>,head_width=0.15,head_length=0.35",
        "color": colour,
        "lw": width,
        "shrinkA": 0,
        "shrinkB": 0,
    }
    tail = flat(start)
    axes.annotate("", (tip[0], tip[1]), (tail[0], tail[1]), arrowprops=style, zorder=6)
    return tip


def dimension(axes: Axes, start: ArrayLike, end: ArrayLike, shift: tuple[float, float], text: str) -> None:
    """Draw a dimension line beside the edge from `start` to `end` (3,) m, `shift` m away on the page, with its text beyond."""
    ends = flat(np.stack([np.asarray(start, float), np.asarray(end, float)])) + np.array(shift)
    style = {"arrowstyle": "|-|,widthA=0.12,widthB=0.12", "lw": 0.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (ends[1, 0], ends[1, 1]), (ends[0, 0], ends[0, 1]), arrowprops=style)
    side = np.sign(np.round(shift, 3))
    align = {-1.0: "right", 0.0: "center", 1.0: "left"}[float(side[0])]
    place = ends.mean(axis=0) + 0.25 * np.array(shift)
    axes.text(place[0], place[1], text, ha=align, va="center" if side[1] == 0 else "top")


def draw_feet(normal: Axes, friction: Axes, numbers: Numbers) -> None:
    """Draw the forces of a front and a rear foot over time, and a quarter of the weight and of the applied force."""
    times, ahead = numbers["times"], int(np.argmax(numbers["feet"][:, 0]))
    behind = int(np.argmin(numbers["feet"][:, 0]))
    for axes in (normal, friction):
        for start, end in spans(times, ~numbers["slip"]):
            axes.axvspan(start, end, color=LIGHT, linewidth=0, zorder=0)
        axes.set(ylabel="force [N]", xlim=(times[0], times[-1]))
    for axes, name, colour, letter_of in ((normal, "normal", GREEN, "N"), (friction, "friction", VERMILION, "T")):
        for foot, style, place in ((ahead, "-", "x > 0"), (behind, (0, (3, 1.5)), "x < 0")):
            values = numbers[f"{name}_space"][:, foot]
            axes.plot(times, values, color=colour, linewidth=1.4, linestyle=style, label=f"${letter_of}$ at ${place}$")
    normal.axhline(numbers["normal"][0], color=GREY, linewidth=0.8, linestyle=":", label="$mg/4$: plane")
    friction.plot(times, -numbers["force"] / 4, color=BLUE, linewidth=0.8, linestyle=":", label="$-f/4$")
    normal.set(ylim=(1.5, 3.9))
    normal.sharex(friction)
    normal.tick_params(labelbottom=False)
    friction.set(xlabel="time $t$ [s]", ylim=(-2.8, 4.2))
    for axes in (normal, friction):
        axes.legend(loc="upper right", ncols=3, borderaxespad=0.2, columnspacing=1.0)


def element_edges(a: float, b: float, h: float) -> list[tuple[Array, Array, bool]]:
    """Edges of 2 x 2 hexahedra as (start (3,), end (3,), hidden) m, each of the block's faces once."""
    xs, ys, zs = np.array([-a, 0, a]) / 2, np.array([-b, 0, b]) / 2, (0.0, h)
    edges = []
    for y in ys:  # along x: seen on top, and on the front face at the bottom
        edges += [((xs[0], y, z), (xs[-1], y, z), z == 0 and y > ys[0]) for z in zs]
    for x in xs:  # along y: seen on top, and on the right face at the bottom
        edges += [((x, ys[0], z), (x, ys[-1], z), z == 0 and x < xs[-1]) for z in zs]
    for x in xs:
        for y in ys:
            if x == 0 and y == 0:
                continue
            edges.append(((x, y, 0.0), (x, y, h), x < xs[-1] and y > ys[0]))
    return [(np.array(start), np.array(end), hidden) for start, end, hidden in edges]
