"""The variables of a trajectory: name, dimensions, unit, meaning; and how one stored instant is computed from a state."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fem.beam_axis import BeamAxis
from floating_frame.frame import inertia
from floating_frame.frame.chord import BeamChord, seen_from_chord
from floating_frame.frame.kernels import cross_sum, weighted_sum
from floating_frame.frame.kinematics import Array, Deformation, FrameMotion, to_inertial
from floating_frame.model import Model
from floating_frame.output.beam_results import at_axis_nodes, beam_static_values, beam_values, static_at_axis_nodes
from floating_frame.output.ledger_series import count_series, ledger_series, wrench_of_contacts
from floating_frame.rigid_body import RigidBody
from floating_frame.system.beam.model import BeamModel
from floating_frame.system.state import Counts, State


class Variable(NamedTuple):
    """One variable of the results: dimensions, unit, long name."""

    dims: tuple[str, ...]
    units: str
    long_name: str


_T, _TA, _TN, _TNA, _TCC = (
    ("time",),
    ("time", "axis"),
    ("time", "node"),
    ("time", "node", "axis"),
    ("time", "cell", "component"),
)

STATIC = {
    "X": Variable(("node", "axis"), "m", "reference coordinates from the centre of mass"),
    "cells": Variable(("cell", "corner"), "1", "node numbers of the cells' corners"),
    "friction_weight": Variable(("node",), "N", "friction bound w = integral of mu p_n phi over the area, at t = 0"),
}

SERIES = {
    "time": Variable(_T, "s", "time"),
    "frame_position": Variable(_TA, "m", "origin x0 of the frame, inertial"),
    "frame_velocity": Variable(_TA, "m/s", "velocity of the frame's origin, inertial"),
    "frame_angle": Variable(_T, "rad", "angle alpha of the frame, unwrapped"),
    "frame_spin": Variable(_T, "rad/s", "spin omega of the frame"),
    "displacement": Variable(_TNA, "m", "elastic displacement u in the frame"),
    "position": Variable(_TNA, "m", "position x, inertial"),
    "velocity": Variable(_TNA, "m/s", "velocity, inertial"),
    "friction_force": Variable(_TNA, "N", "nodal friction force on the body, inertial"),
    "stick": Variable(_TN, "1", "1 where the sliding velocity is exactly zero"),
    "A": Variable(_TA, "kg m", "integral A of rho u (3.3), in the frame"),
    "P": Variable(_TA, "kg m/s", "integral P of rho du/dt (3.3), in the frame"),
    "B": Variable(_TA, "N", "integral B of rho d2u/dt2 (3.3), in the frame"),
    "L": Variable(_T, "N m", "integral L of rho r x d2u/dt2 (3.3)"),
    "J_zz": Variable(_T, "kg m2", "moment of inertia J_zz of the deformed body (3.3)"),
    "rigid_residual": Variable(_T, "1", "residual of the rigid equations (3.4)1, relative to their largest term"),
    "frame_drift": Variable(_T, "rad", "angle that the re-split by the frame condition removed since the last instant"),
    "energy_kinetic": Variable(_T, "J", "kinetic energy"),
    "energy_strain": Variable(_T, "J", "strain energy"),
    "work_external": Variable(_T, "J", "work of the loads, of heating and of the moving ground so far"),
    "dissipation_friction": Variable(_T, "J", "energy dissipated by friction so far"),
    "dissipation_viscous": Variable(_T, "J", "energy dissipated by viscosity so far"),
    "dissipation_numerical": Variable(_T, "J", "energy dissipated by the time scheme so far, from its stages"),
    "balance_error": Variable(_T, "J", "what remains of the energy balance"),
    "slip_path": Variable(_TN, "m", "length of the slip path so far"),
    "friction_work": Variable(_TN, "J", "energy dissipated by friction at the node so far"),
    "linear_momentum": Variable(_TA, "kg m/s", "linear momentum"),
    "angular_momentum": Variable(_T, "kg m2/s", "angular momentum about the inertial origin"),
    "passes": Variable(_T, "1", "staggered passes since the last instant"),
    "newton_iterations": Variable(_T, "1", "Newton iterations of the friction problem since the last instant"),
    "factorisations": Variable(_T, "1", "sparse factorisations since the last instant"),
    "fallbacks": Variable(_T, "1", "stages that needed the globally convergent solver since the last instant"),
    "halvings": Variable(_T, "1", "step halvings since the last instant"),
    "steps": Variable(_T, "1", "time steps taken since the last instant"),
    "rejected_steps": Variable(_T, "1", "time steps tried and taken again smaller since the last instant"),
    "step_size": Variable(_T, "s", "smallest time step since the last instant"),
}

CELLS = {
    "body_X": Variable(
        ("body_node", "axis"), "m", "reference coordinates of a rigid body's nodes from the centre of mass"
    ),
    "body_cells": Variable(("cell", "body_corner"), "1", "body_node numbers of the corners of the cells, for pictures"),
}
"""A rigid body has its friction points as ``node``; these are the nodes of its mesh, and the cells that the points lie in."""

STRESS = {
    "stress": Variable(_TCC, "Pa", "second Piola-Kirchhoff stress (xx, yy, xy), cell mean, in the frame"),
    "cauchy_stress": Variable(_TCC, "Pa", "Cauchy stress (xx, yy, xy), cell mean, in the frame"),
}

MEMORY = {
    "bristle_deformation": Variable(_TNA, "m", "deformation of the friction law's bristles, inertial"),
    "energy_bristles": Variable(_T, "J", "energy that the friction law's bristles hold"),
}

CLAMP = {
    "clamp_reaction": Variable(_TA, "N", "force of the clamp's guide on the body, inertial"),
    "clamp_moment": Variable(_T, "N m", "moment of the clamp's guide on the body about x0"),
}

CONTACT = {
    "contact_force": Variable(
        _TA,
        "N",
        "force F_C of the obstacles on the body, inertial; of exact contact its impulse over the length of the step",
    ),
    "contact_moment": Variable(_T, "N m", "moment M_C of the obstacles on the body about x0"),
    "contact_energy": Variable(_T, "J", "elastic energy of the contacts"),
    "dissipation_contact": Variable(_T, "J", "energy dissipated in the contacts, by dampers and friction, so far"),
}

IMPACTS = {
    "impacts": Variable(_T, "1", "impacts of the rigid body so far"),
    "impact_restitution": Variable(_T, "1", "restitution that came out of the last impact; 0 before the first"),
    "impact_impulse": Variable(_TA, "N s", "impulse of all impacts on the body so far, inertial"),
    "impact_loss": Variable(_T, "J", "energy lost in impacts so far, part of dissipation_contact"),
    "impact_energy_created": Variable(
        _T, "J", "energy that single impacts have created so far (Newton's law with friction)"
    ),
}

BEAM = {
    "rotation": Variable(_TN, "rad", "rotation of the beam's axis in the frame, counter-clockwise"),
    "bending_moment": Variable(_TN, "N m", "bending moment EJ w'', mean of the adjoining elements"),
    "foreshortening": Variable(_TN, "m", "displacement u_x along the frame, of second order in w"),
}

_INTEGER = {"stick": np.int8, "cells": np.int32, "body_cells": np.int32} | dict.fromkeys(
    ("passes", "newton_iterations", "factorisations", "fallbacks", "halvings", "steps", "rejected_steps", "impacts"),
    np.int32,
)


def dtype_of(name: str) -> Any:
    """Stored type of a variable."""
    return _INTEGER.get(name, np.float64)


def static_values(model: Model) -> dict[str, Any]:
    """Values of the variables that do not change in time."""
    if isinstance(model, BeamModel):
        return beam_static_values(model)
    static = {"X": model.body.X, "cells": model.body.cells, "friction_weight": model.system.friction.bound(0.0)}
    if isinstance(model.body, RigidBody):
        static |= {"X": model.body.friction.points, "cells": model.body.friction.cells}
        if has_own_cells(model):
            static |= {"body_X": model.body.X, "body_cells": model.body.cells}
    return static_at_axis_nodes(model.body, static) if isinstance(model.body, BeamAxis) else static


def has_own_cells(model: Model | BeamModel) -> bool:
    """Whether the body's cells have other nodes than its friction points: a rigid body with a rule of its own."""
    return not isinstance(model, BeamModel) and isinstance(model.body, RigidBody) and model.body.rule is not None


def friction_kinematics(model: Model, state: State) -> tuple[Array, Array, Array]:
    """(u, x, v) (F, 2) of the points by which friction acts: the frame's u, inertial x and v. A point that rests on the ground
    has its velocity to the last bit."""
    points = model.body.friction.points
    place = state.frame.coordinates[:2] + to_inertial(points, state.frame.angle)
    ground = model.system.friction.ground(state.time)
    return np.zeros_like(points), place, model.system.slip(state.motion, ground) + ground


def instant_values(model: Model, state: State, counts: Counts, energy_at_start: float) -> dict[str, Any]:
    """Values of all series at one instant; integrals and the residual of (3.4)1 are evaluated afresh from (x, v, a)."""
    if isinstance(model, BeamModel):
        return beam_values(model, state, counts, energy_at_start)
    frame = seen_from_chord(model, state) if isinstance(model.frame, BeamChord) else state.frame
    motion, mass = frame, model.mass
    split = Deformation(*(np.zeros_like(model.body.X) for _ in range(3)))
    if not model.rigid:
        split = model.deformation(state.position, state.velocity, state.acceleration, motion)
    if not model.steps.inertia:  # velocities are increments per unit of pseudo-time: no inertia, no momentum
        split = Deformation(split.displacement, *(np.zeros_like(split.rate) for _ in range(2)))
        motion = FrameMotion(motion.coordinates, np.zeros(3), np.zeros(3))
    values = inertia.integrals(mass.matrix, model.body.X, split)
    displacement, position, velocity = split.displacement, state.position, state.velocity
    if model.rigid:
        displacement, position, velocity = friction_kinematics(model, state)
    net, step = model.system.resultant(state, motion.coordinates[:2]), counts.step_size or model.options.dt or np.inf
    noise, moving = solver_noise(model, state, motion, step), float(model.steps.inertia)
    series = {
        "time": state.time,
        "frame_position": motion.coordinates[:2],
        "frame_velocity": frame.rates[:2],
        "frame_angle": motion.angle,
        "frame_spin": frame.spin,
        "displacement": displacement,
        "position": position,
        "velocity": velocity,
        "friction_force": -state.multiplier,
        "stick": state.at_rest_relative(),
        "A": values.A,
        "P": values.P,
        "B": values.B,
        "L": values.L,
        "J_zz": values.J_zz,
        "rigid_residual": relative_residual(model, values, motion, net, state.time, position, noise),
        "linear_momentum": moving * np.array(weighted_sum(mass.nodal, state.velocity)),
        "angular_momentum": moving * cross_sum(mass.matrix @ state.position, state.velocity),
        **ledger_series(model.system, state, energy_at_start),
        **count_series(counts),
    }
    if model.problem.contacts:
        series |= wrench_of_contacts(model.system, state)
    if model.exact is not None and model.rigid:
        series |= {
            "impacts": state.impacts.count,
            "impact_restitution": state.impacts.restitution,
            "impact_impulse": state.impacts.impulse,
            "impact_loss": state.impacts.loss,
            "impact_energy_created": state.impacts.created,
        }
    if model.options.stress:
        displacement = model.displacement(state.position, motion)
        body = model.body_at(state.time)
        series["stress"] = body.stress(displacement)
        series["cauchy_stress"] = body.cauchy_stress(displacement)
    return at_axis_nodes(model.body, series) if isinstance(model.body, BeamAxis) else series


def relative_residual(
    model: Model, values: inertia.Integrals, motion: FrameMotion, net: Array, time: float, position: Array, noise: Array
) -> float:
    """Residual of (3.4)1 under the resultant ``net`` (3,): forces over max(largest force term, Σw), moment over max(largest moment
    term, Σ w|r|).

    ``position`` (F, 2) m of the points with the friction bounds w (F,) N at ``time`` s.
    ``noise`` (2,) N, N m: what the solver's tolerance leaves of the nodal forces and moments that cancel in the sums; where
    the scale is not above it, both are zero, and so is the residual.
    """
    rest, size = inertia.residual(values, motion, net)
    weights, arms = model.system.friction.bound(time), np.linalg.norm(position - motion.coordinates[:2], axis=1)
    scale = np.maximum(size, [float(weights.sum()), float(np.einsum("i,i->", weights, arms))])
    parts = np.array([float(np.abs(rest[:2]).max()), abs(float(rest[2]))])
    return float(np.max(np.where(scale > noise, parts / np.where(scale > noise, scale, 1.0), 0.0)))


def solver_noise(model: Model, state: State, motion: FrameMotion, step: float) -> Array:
    """Tolerance × (Σ m|a|, Σ m|a||r|), or the rounding of internal forces, and of contacts in a ``step`` s, if larger, (2,) N,
    N m; see ``relative_residual``."""
    forces = model.mass.nodal * np.hypot(state.acceleration[:, 0], state.acceleration[:, 1])
    arms = np.linalg.norm(state.position - motion.coordinates[:2], axis=1)
    level = max(model.options.tolerance, 1e-12)
    extent = float(arms.max())
    rounding = 8.0 * float(np.finfo(float).eps) * model.stiffness * extent  # as ``StageEquilibrium.rounding``
    if model.problem.contacts:  # which may be touched by rounding alone: that of momenta over the step
        inertia = model.mass.total * np.abs(state.velocity).max() / step
        rounding = max(rounding, 64.0 * float(np.finfo(float).eps) * float(inertia))
        if model.exact is not None:  # a gap is closed to the rounding of places, which over the step is an impulse too
            places = extent + float(np.abs(state.position).max())
            rounding = max(rounding, 16.0 * float(np.finfo(float).eps) * model.mass.total * places / step**2)
    found = level * np.array([float(forces.sum()), float(np.einsum("i,i->", forces, arms))])
    return np.maximum(found, [rounding, rounding * extent])
