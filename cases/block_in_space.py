"""A block on four feet, thrown along a rough plane: it stops, turns, or tips over its leading edge.

Reference: C.-A. de Coulomb 1785; F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, New York 1996.

Analysis: dynamics of a rigid body in space with four points of contact; Signorini's and Coulomb's laws.

Purpose: braking distance, forces under the feet (an input of the plane code), and the onset of tipping.

Summary: friction at the ground, h below the centre of mass, loads the leading feet by 1 + μ h/l and relieves the trailing ones by
as much, l half the length; for μ h > l the block tips (`cases/references/space/block_in_space.py`). Four feet of a rigid body are
hyperstatic: of all forces in equilibrium with the load the code takes the least in norm, as under feet of equal compliance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, choice, headline, main, measure, quantity
from cases.app.parts import parameters, solids, space
from cases.references.space.block_in_space import exact, leading_share, pitch_acceleration

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from floating_frame import Base, Feet, Problem

    Array = NDArray[np.float64]


_FEET = "points of contact: the four corners, or the whole base of a block that does not tip"


class Parameters(parameters.BlockParameters):
    """Parameters of the block and of its throw."""

    t_end: parameters.EndTime = 0.2
    dt: parameters.StepInSpace = 1e-3
    mu: parameters.MuOfGround = 0.8
    length: parameters.Length = 0.3
    width: parameters.Width = 0.3
    height: parameters.Height = 0.1
    vx0: parameters.SpeedX = 1.0
    vy0: parameters.SpeedY = 0.0
    spin0: parameters.SpinZ = 0.0
    feet: Annotated[str, choice(_FEET, ("corners", "area"))] = "corners"
    nx: Annotated[int, quantity("1", "points of the base along x; cells of an elastic block", ge=2)] = 12
    ny: Annotated[int, quantity("1", "points of the base along y; cells of an elastic block", ge=2)] = 12
    nz: parameters.CellsZ = 2
    elements: parameters.ElementOfSolids = "Q1"

    def unread(self) -> dict[str, str]:
        """Also the parameters of the other body or of the other feet."""
        points = dict.fromkeys(("nx", "ny"), "feet corners") if self.feet == "corners" else {}
        other = {"feet": "body elastic"} if self.elastic else points | dict.fromkeys(("nz", "elements"), "body rigid")
        return super().unread() | other


def shape(params: Parameters) -> Feet | Base:
    """Feet of a rigid block, or the points of its base; a penalty has feet only."""
    if params.feet == "corners":
        return ff.Feet(space.corners(params.length, params.width, params.height))
    x, y = (
        size * ((np.arange(n) + 0.5) / n - 0.5) for size, n in ((params.length, params.nx), (params.width, params.ny))
    )
    points = np.array([(a, b, -0.5 * params.height) for b in y for a in x])
    return ff.Feet(points) if params.contact == parameters.PENALTY else ff.Base(points, np.ones(len(points)))


def problem(params: Parameters) -> Problem:
    """Block on the ground at the start of its throw; an elastic one touches with its whole base."""
    size = (params.length, params.width, params.height)
    throw: dict[str, Any] = {
        "position": params.standing(0.5 * params.height, params.mass),
        "velocity": (params.vx0, params.vy0, 0.0),
        "spin": (0.0, 0.0, params.spin0),
    }
    if params.body == "elastic":
        cells = (params.nx, params.ny, params.nz)
        solid = solids.block(size, cells, params, params.mass / float(np.prod(size)), params.elements)
        return ff.Problem(
            body=solid,
            t_end=params.t_end,
            face="bottom",
            contacts=(params.ground(params.length * params.width),),
            gravity=params.gravity,
            frame=ff.FRAMES[params.frame](),
            initial=ff.InitialState(**throw, displacement=solids.at_rest(solid, params.gravity)),
        )
    feet, top = shape(params), space.corners(*size) * [1.0, 1.0, -1.0]
    inertia = space.box_inertia(params.mass, *size)
    return ff.Problem(
        body=ff.RigidSolid(mass=params.mass, inertia=inertia, shape=feet, outline=top),
        t_end=params.t_end,
        contacts=(params.ground(len(feet.reference)),),
        gravity=params.gravity,
        initial=ff.InitialState(**throw),
    )


options = space.options


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Place of rest, forces under the feet and pitch, beside the exact values."""
    times, place = data.time.values, data.frame_position.values
    known, path = exact(params, times), np.hypot(place[:, 0], place[:, 1])
    weight, presses = params.mass * params.gravity, data.normal_force.values
    slid = np.flatnonzero((data.stick.values == 0).any(axis=1))
    share = presses[min(1, len(times) - 1)].max() / weight if weight > 0.0 else None
    begun = np.linalg.norm(data.frame_spin.values[1, :2]) / times[1] if len(times) > 1 else None
    lifted = int((presses[:, space.base_of(data)].min(axis=0) == 0.0).sum())
    distance, turns = None if known is None else known[0][-1], pitch_acceleration(params)
    slid_until = times[slid[-1]] if len(slid) else 0.0
    largest = "largest normal force of a foot over the weight, at the first stored instant after the start"
    pitch, last = "mean pitch acceleration up to the first stored instant", "last stored instant at which a foot slides"
    return {
        "way": headline(path[-1], "m", "displacement of the centre at the end", **params.beside(distance)),
        "t_slid": headline(slid_until, "s", last),
        "leading_share": headline(share, "1", largest, **params.beside(leading_share(params)), kind="sampled"),
        "pitch_acceleration": headline(begun, "rad/s2", pitch, **params.beside(turns), kind="sampled"),
        "lifted": headline(lifted, "1", "feet that left the ground"),
        "lowest": headline(data.position.values[:, :, 2].min(), "m", "lowest position of a foot"),
        "friction_work": space.friction_work(data),
    }


STUDY = Refinement(
    doubled=("nx", "ny"), dt={"dt": 0.02}, mesh={"feet": "area", "dt": 0.02, "spin0": 3.0, "nx": 3, "ny": 3}
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Path length and attitude."""
    times, place = data.time.values, data.frame_position.values
    known = exact(params, times) if params.contact != parameters.PENALTY else None
    displacement = np.hypot(place[:, 0], place[:, 1])
    return {
        "displacement_end": measure(displacement[-1], "m", None if known is None else known[0][-1]),
        "displacement_all_times": measure(displacement, "m", None if known is None else known[0]),
        "attitude": measure(data.frame_rotation.values[-1], "1"),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the block at its place on the ground with the forces on its feet, its speed, and the normal forces over time."""
    views, (speed, forces) = drawing.page(figure, panels=3, widths=(1.0, 1.0))
    times, velocity, last = data.time.values, data.frame_velocity.values, data.sizes["time"] - 1
    size, shown = np.array([params.length, params.width, params.height]), [0, last // 3, last]
    corners, weight = params.feet == "corners" and params.body == "rigid", params.mass * params.gravity
    paint = drawing.block_with_feet(size, data, weight if corners else None)
    drawing.space_snapshots(views, data, shown, drawing.rectangle(size), paint)
    known = exact(params, times)
    moving = np.hypot(velocity[:, 0], velocity[:, 1])
    drawing.beside_exact(speed, times, moving, known and known[1], params.known_as)
    speed.set(xlabel="time $t$ [s]", ylabel="speed of the centre [m/s]", xlim=(times[0], times[-1]))
    base = space.base_of(data)
    share = data.normal_force.values[:, base] / max(weight, 1e-300)
    names, values = ["rear right", "front right", "front left", "rear left"], share.T
    if corners:
        drawing.states(views[-1], data.stick.values[shown], loc="lower right", bbox_to_anchor=(1.0, 0.95), ncols=2)
    else:  # relative to an equal load of all points
        names, values = ["largest", "smallest"], np.array([share.max(axis=1), share.min(axis=1)]) * len(base)
    looks = ((drawing.VERMILION, "-"), (drawing.BLUE, "-"), (drawing.GREEN, (0, (4, 2))), (drawing.ORANGE, (0, (4, 2))))
    for name, value, (colour, style) in zip(names, values, looks, strict=False):
        forces.plot(times, value, color=colour, linestyle=style, label=name)
    ylabel = f"normal force / {'weight' if corners else 'mean'} [1]"
    forces.set(xlabel="time $t$ [s]", ylabel=ylabel, xlim=(times[0], times[-1]), ylim=(0, None))
    for axes in (speed, forces):
        axes.legend(loc="best", ncols=2)
    drawing.letters(views[0], speed, forces)


if __name__ == "__main__":
    main(__file__)
