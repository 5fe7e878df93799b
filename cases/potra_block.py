"""The block of Potra et al. in space, on four feet: stick–slip under amplitude cos t with the normal forces unknown.

Reference: F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle, A linearly implicit trapezoidal method for integrating stiff multibody
dynamics with contact, joints, and friction, Int. J. Numer. Meth. Engng 66 (2006) 1079-1124.

Analysis: dynamics of a rigid body in space with four points of contact; stick–slip transitions.

Purpose: the example as it was published, a body in space, against the closed form of its motion in the plane.

Summary: the force acts at the centre of mass and friction at the ground, so that the feet ahead carry more; the sum of the normal
forces stays m g, and the block moves as in `block_on_table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases import block_on_table
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, headline, main, measure, quantity
from cases.app.parts import parameters, solids, space

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from floating_frame import Problem

    Array = NDArray[np.float64]

SIZE = (0.3, 0.3, 0.1)  # m
OMEGA = 1.0  # rad/s, the force's angular frequency


class Parameters(parameters.BlockParameters):
    """Parameters of the block and the force."""

    t_end: parameters.EndTime = 10.0
    dt: parameters.StepInSpace = 4e-3
    mu: parameters.MuOfGround = 0.8
    amplitude: Annotated[float, quantity("N", "amplitude a of the force a cos t along x")] = 8.0
    E: parameters.Young = 1e8


def problem(params: Parameters) -> Problem:
    """Block at rest, the ground and the force; an elastic one has four hexahedra and the force on all its mass."""
    place, course = params.standing(0.5 * SIZE[2], params.mass), ff.Cosine(angular_frequency=OMEGA)
    if params.body == "elastic":
        solid = solids.block(SIZE, (2, 2, 1), params, params.mass / float(np.prod(SIZE)), "Q1")
        return ff.Problem(
            body=solid,
            t_end=params.t_end,
            face="bottom",
            contacts=(params.ground(SIZE[0] * SIZE[1]),),
            gravity=params.gravity,
            loads=(ff.SolidForce(force=(params.amplitude, 0.0, 0.0), history=course),),
            frame=ff.FRAMES[params.frame](),
            initial=ff.InitialState(position=place, displacement=solids.at_rest(solid, params.gravity)),
        )
    feet, inertia = space.corners(*SIZE), space.box_inertia(params.mass, *SIZE)
    return ff.Problem(
        body=ff.RigidSolid(mass=params.mass, inertia=inertia, shape=ff.Feet(feet), outline=feet * [1.0, 1.0, -1.0]),
        t_end=params.t_end,
        gravity=params.gravity,
        loads=(ff.SpaceForce(force=(params.amplitude, 0.0, 0.0), history=course),),
        initial=ff.InitialState(position=place),
        contacts=(params.ground(len(feet)),),
    )


options = space.options


def exact(params: Parameters, times: Array) -> tuple[Array, Array]:
    """Position and velocity (n,) along x of the block at ``times`` (n,) s; it does not tip."""
    plane = block_on_table.Parameters(
        t_end=params.t_end, mu=params.mu, mass=params.mass, amplitude=params.amplitude, gravity=params.gravity
    )
    return block_on_table.exact(plane, times)[:2]


def solved(params: Parameters) -> bool:
    """True where ``exact`` is valid: Coulomb's law, and friction of sliding that does not lift the trailing feet."""
    return params.mu * SIZE[2] <= SIZE[0] and params.coulomb


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Displacement beside the exact one, and the deviation of the block from its line."""
    times, place = data.time.values, data.frame_position.values
    known = exact(params, times)[0] if solved(params) else None
    elastic, ended = params.body == "elastic", None if known is None else float(known[-1])
    weight, total = params.mass * params.gravity, data.normal_force.values.sum(axis=1)
    return {
        "x_end": headline(
            place[-1, 0], "m", "displacement of the centre at the end",
            exact=None if elastic else ended,
            reference=(ended, "a rigid block") if elastic and ended is not None else None,
        ),
        "x_error_max": headline(
            None if known is None else np.abs(place[:, 0] - known).max(), "m",
            "largest error of the displacement at a stored time (of an elastic block against a rigid one)", kind="check",
        ),
        "y_max": headline(np.abs(place[:, 1]).max(), "m", "largest displacement across", kind="check"),
        "weight_error": headline(
            np.abs(total / weight - 1.0).max() if weight > 0.0 else None, "1",
            "largest error of the sum of the normal forces over the weight", kind="check",
        ),
        "friction_work": space.friction_work(data),
    }  # fmt: skip


STUDY = Refinement(doubled=(), dt={"dt": 0.02})


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement and velocity along x."""
    known = exact(params, data.time.values) if solved(params) and params.body == "rigid" else (None, None)
    x, v = data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    return {
        "x_end": measure(x[-1], "m", None if known[0] is None else known[0][-1]),
        "x_all_times": measure(x, "m", known[0]),
        "velocity_mean": measure(v, "m/s", known[1], mean=True),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the block while it slides, rests and slides back, x(t), its error, and the normal forces of a front and a rear foot."""
    views, (place, forces, error) = drawing.page(figure, panels=3, widths=(1.0, 1.0, 1.0))
    times, x, velocity = data.time.values, data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    shown = sorted({int(np.argmax(velocity)), int(np.argmin(np.abs(times - 2.0))), int(np.argmin(velocity))})
    draw_block(views, params, data, shown)
    known = exact(params, times)[0] if solved(params) else None
    scaled = None if known is None else 1e3 * known
    drawing.beside_exact(place, times, 1e3 * x, scaled, params.known_as)
    place.set(xlabel="time $t$ [s]", ylabel="displacement $x$ [mm]", xlim=(times[0], times[-1]))
    if known is not None:
        error.semilogy(times, np.where(x != known, np.abs(x - known), np.nan), color=drawing.ORANGE)
    error.set(xlabel="time $t$ [s]", ylabel=r"$|x - x_\mathrm{exact}|$ [m]", xlim=(times[0], times[-1]))
    draw_forces(forces, params, data)
    for axes in (place, forces, error):
        drawing.shade(axes, times, space.stuck(data), color=drawing.LIGHT, label="stick")
    for axes in (place, forces):
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, columnspacing=0.8)
    drawing.letters(views[0], place, forces, error)


def draw_block(views: list[Axes], params: Parameters, data: xr.Dataset, shown: list[int]) -> None:
    """Draw the block at instants, a rigid one with the forces on its feet."""
    rigid, size = params.body == "rigid", np.array(SIZE)
    paint = drawing.block_with_feet(size, data, params.mass * params.gravity if rigid else None)
    drawing.space_snapshots(views, data, shown, drawing.rectangle(size), paint)
    if rigid:
        drawing.states(views[-1], data.stick.values[shown], loc="lower right", bbox_to_anchor=(1.0, 0.95), ncols=2)


def draw_forces(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the normal forces of a front and a rear foot over the weight."""
    base, weight = space.base_of(data), max(params.mass * params.gravity, 1e-300)
    x0, y0 = data.X.values[base, 0], data.X.values[base, 1]
    for side, colour, name in ((1.0, drawing.VERMILION, "foot at $x > 0$"), (-1.0, drawing.GREEN, "at $x < 0$")):
        foot = base[np.argmax(side * x0 - y0)]
        axes.plot(data.time.values, data.normal_force.values[:, foot] / weight, color=colour, label=name)
    axes.set(xlabel="time $t$ [s]", ylabel="normal force / weight [1]", xlim=data.time.values[[0, -1]])


if __name__ == "__main__":
    main(__file__)
