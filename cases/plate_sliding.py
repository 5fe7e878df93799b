"""A free elastic plate on a rough plane, pulled at its right edge: it sticks, slips, slides, turns and stops.

Reference: G. Szefer, Fig. 3a, case B, with the corrections of docs/theory.md.

Analysis: coupled rigid and elastic motion with set-valued distributed Coulomb friction, large deformation and
rotation.

Purpose: all phases of the main problem in one run.

Summary: a soft plate at rest is pulled at its right edge by a dead force that grows linearly over `ramp` and
ends at `release`. Slip begins at the pulled edge and runs through the plate; once all of it slides, the plate
runs, turned by the eccentric pull, and after the release friction stops its sliding and its turning together.
Without pull, a purely translating plate under uniform pressure stops as a rigid body (case B), which is
exact: `exact_stop`.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Annotated

import numpy as np

import fem
import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, friction_work, headline, main, measure, nodal, quantity
from cases.app.parts import bodies, headlines, laws, parameters
from cases.app.run.notes import note

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


class Parameters(parameters.ElasticParameters):
    """Parameters of the sliding plate."""

    t_end: parameters.EndTime = 1.6
    dt: parameters.TimeStep = 2e-3
    mu: parameters.Mu = 0.3
    length: parameters.Length = 1.0
    width: parameters.Width = 0.5
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1100.0
    E: parameters.Young = 6e4
    nu: parameters.Poisson = 0.4
    elements: parameters.Element = "Q1"
    nx: parameters.CellsX = 32
    ny: parameters.CellsY = 16
    mesh: parameters.MeshFile = None
    merge_nodes: parameters.MergeNodes = None
    edge: Annotated[str, quantity("", "name of the loaded edge")] = "right"
    pull_x: Annotated[float, quantity("N", "force on the edge along x")] = 40.0
    pull_y: Annotated[float, quantity("N", "force on the edge along y")] = 30.0
    ramp: parameters.Ramp = 0.2
    release: parameters.Release = 0.65
    vx0: Annotated[float, quantity("m/s", "initial velocity along x")] = 0.0
    vy0: Annotated[float, quantity("m/s", "initial velocity along y")] = 0.0
    spin0: parameters.Spin = 0.0

    def unread(self) -> dict[str, str]:
        """Also the course of a pull that is zero, and the merging of nodes without a mesh file."""
        merged = {} if self.mesh else {"merge_nodes": "no mesh"}
        return super().unread() | parameters.course_unread(self.pull_x, self.pull_y) | merged

    @classmethod
    def completed(cls, given: parameters.Given) -> parameters.Given:
        """Fill in the elements of a mesh file: by default the linear element of its cells."""
        if "elements" in given or not isinstance(given.get("mesh"), str):
            return given
        try:
            corners = fem.read(given["mesh"]).t.shape[0]
        except ValueError:  # said when the mesh is used
            return given
        return given | {"elements": "P1" if corners == 3 else "Q1"}


def plate(params: Parameters) -> fem.Plate:
    """Mesh the elastic plate: a rectangle, or the file `mesh`; nodes that were merged are noted on stderr."""
    if params.mesh is None:
        return bodies.rectangular_plate(params, (params.length, params.width, params.thickness), params.density)
    with warnings.catch_warnings(record=True) as merged:
        warnings.simplefilter("always")
        mesh = fem.read(params.mesh, merge=params.merge_nodes)
    for warning in merged:
        note(f"note: {warning.message}")
    return bodies.plate(params, mesh, thickness=params.thickness, density=params.density)


def problem(params: Parameters) -> ff.Problem:
    """Set the plate on the rough plane, with its pull and its initial motion."""
    body = plate(params)
    pull = ff.EdgeLoad(params.edge, (params.pull_x, params.pull_y), ff.Ramp(params.ramp, params.release))
    return ff.Problem(
        body=body,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=body.mass, area=body.area),
        loads=(pull,),
        frame=bodies.frame(params),
        initial=ff.InitialState(velocity=(params.vx0, params.vy0), spin=params.spin0),
    )


options = bodies.options


def exact_stop(params: Parameters) -> tuple[float, float] | None:
    """Stop time s and distance m of a plate thrown without spin and not pulled, else None.

    Uniform pressure decelerates every particle by mu p_n/(rho h): case B, no deformation.
    """
    driven = params.pull_x or params.pull_y or params.spin0
    if driven or params.reacting_height is not None or not laws.plain_coulomb(params):
        return None
    deceleration = bodies.deceleration(params)
    speed = math.hypot(params.vx0, params.vy0)
    if not deceleration or speed / deceleration > params.t_end:
        return None
    return speed / deceleration, speed**2 / (2 * deceleration)


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Time and place of the stop, the largest displacement, and how the energy was spent."""
    stuck = data.stick.values
    partial = ~stuck.all(axis=1) & stuck.any(axis=1)
    partial_time = float(np.sum(np.diff(data.time.values)[partial[1:]]))
    known = exact_stop(params) or (None, None)
    turned, u = float(data.frame_angle.values[-1]), np.linalg.norm(data.displacement.values, axis=2)
    return {
        "stop_time": headlines.rest_time(data, exact=known[0]),
        "distance": headlines.path_length(data, exact=known[1]),
        "angle": headline(turned, "rad", "angle turned", exact=None if known[0] is None else 0.0),
        "partial_slip_time": headline(partial_time, "s", "time with stick and slip side by side"),
        "displacement_max": headline(u.max(), "m", "largest displacement from the reference shape"),
        "work_external": headline(float(data.work_external.values[-1]), "J", "work of the pull"),
        "friction_work": headlines.friction_work(data),
        "balance_error": headlines.balance(data),
    }


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.004, "nx": 8, "ny": 4},
    mesh={"dt": 0.004, "nx": 4, "ny": 2},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Positions, angle turned and friction work of the sliding plate, against a finer level."""
    angle = measure(float(data.frame_angle.values[-1]), "rad")
    return nodal(data) | {"angle_end": angle, "friction_work": friction_work(data)}


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw six snapshots in space, then speeds with the share of sticking nodes, and the energy ledger."""
    height = drawing.snapshots_height(data)
    figure.set_size_inches(drawing.PAGE, height + 2.4)
    above, below = drawing.stacked(figure, height, 2.4)
    instants = drawing.chosen_instants(data)
    drawing.snapshots(above, data, instants)
    motion, energy = below.subplots(1, 2)
    drawing.speeds(motion, data, instants)
    drawing.energies(energy, data)
    drawing.letter(motion, "g")
    drawing.letter(energy, "h")


if __name__ == "__main__":
    main(__file__)
