"""The variables of a trajectory: name, dimensions, unit, meaning; and their selection for a model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from floating_frame.system.ledger_series import ledger_series
from floating_frame.system.model import RunModel
from floating_frame.system.protocol import Fields, Series
from floating_frame.system.rows import Rows


class Variable(NamedTuple):
    """One variable of the results: dimensions, unit, long name, and further attributes."""

    dims: tuple[str, ...]
    units: str
    long_name: str
    further: tuple[tuple[str, str], ...] = ()

    @property
    def attributes(self) -> dict[str, str]:
        """Attributes of the variable."""
        return {"units": self.units, "long_name": self.long_name} | dict(self.further)


LABELS = {
    "axis": Variable(("axis",), "1", "axis: of space, or of the frame"),
    "axis2": Variable(("axis2",), "1", "second axis of a matrix"),
    "component": Variable(("component",), "1", "components of a symmetric stress"),
    "quaternion": Variable(("quaternion",), "1", "components of a quaternion: real part first"),
}
"""Names of the entries along a dimension."""

_T, _TA, _TN = ("time",), ("time", "axis"), ("time", "node")
_TNA, _TCC = ("time", "node", "axis"), ("time", "cell", "component")

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
    "dissipation_friction": Variable(
        _T, "J", "energy dissipated by friction so far, but on penalties (dissipation_contact)"
    ),
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
    "fallbacks": Variable(_T, "1", "stages that Newton's method alone did not solve since the last instant"),
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
"""Nodes of a rigid body's mesh, whose ``node`` are its friction points, and the cells around these points."""

SPACE = {
    "frame_rotation": Variable(
        ("time", "quaternion"), "1", "rotation of the frame, unit quaternion (w, x, y, z), body to space"
    ),
    "frame_spin": Variable(_TA, "rad/s", "spin omega of the frame, space components"),
    "contact_force": Variable(_TNA, "N", "force of the ground on the body at the node, space components"),
    "normal_force": Variable(_TN, "N", "normal force of the ground at the node"),
    "friction_force": Variable(_TNA, "N", "part of the contact force along the ground, space components"),
    "stick": Variable(
        _TN, "1", "1: the node sticks to the ground, 0: it slips, -1: it is open, 2: it landed within the step"
    ),
    "J": Variable(("time", "axis", "axis2"), "kg m2", "inertia about the frame's origin, in the frame"),
    "rigid_residual": Variable(
        _T, "1", "residual of the rigid equations (2.3)1 and (2.3)2, relative to their largest term"
    ),
    "angular_momentum": Variable(_TA, "kg m2/s", "angular momentum about the inertial origin"),
}
"""Series of bodies in space that differ from the plane."""

PLANE = ("frame_angle", "displacement", "A", "P", "B", "L", "J_zz")
"""Series that a rigid body in space does not have."""

MOTIONS = {2: SERIES, 3: {name: variable for name, variable in SERIES.items() if name not in PLANE} | SPACE}
"""Series of every body, by the dimension of space."""

_INTEGER = {"stick": np.int8, "cells": np.int32, "body_cells": np.int32} | dict.fromkeys(
    ("passes", "newton_iterations", "factorisations", "fallbacks", "halvings", "steps", "rejected_steps", "impacts"),
    np.int32,
)


def dtype_of(name: str) -> DTypeLike:
    """Stored type of a variable."""
    return _INTEGER.get(name, np.float64)


_CONTACT_ENERGIES = {
    "contact_energy": Variable(_T, "J", "elastic energy of the contacts"),
    "dissipation_contact": Variable(_T, "J", "energy dissipated in the contacts, by dampers and friction, so far"),
}

GROUPS = {
    "beam": {
        "rotation": Variable(_TN, "rad", "rotation of the beam's axis in the frame, counter-clockwise"),
        "bending_moment": Variable(_TN, "N m", "bending moment EJ w'', mean of the adjoining elements"),
        "foreshortening": Variable(_TN, "m", "displacement u_x along the frame, of second order in w"),
    },
    "clamp": {
        "clamp_reaction": Variable(_TA, "N", "force of the clamp's guide on the body, inertial"),
        "clamp_moment": Variable(_T, "N m", "moment of the clamp's guide on the body about x0"),
    },
    "held": {
        "clamp_reaction": Variable(_TA, "N", "force of the clamp on the body, space components"),
        "clamp_moment": Variable(_TA, "N m", "moment of the clamp on the body about x0, space components"),
    },
    "memory": {
        "bristle_deformation": Variable(_TNA, "m", "deformation of the friction law's bristles, inertial"),
        "energy_bristles": Variable(_T, "J", "energy that the friction law's bristles hold"),
    },
    "contact": {
        "contact_force": Variable(
            _TA,
            "N",
            "force F_C of the obstacles on the body, inertial; of exact contact its impulse over the length of the step",
        ),
        "contact_moment": Variable(_T, "N m", "moment M_C of the obstacles on the body about x0"),
        **_CONTACT_ENERGIES,
    },
    "penalty": _CONTACT_ENERGIES,
    "landings": {
        "dissipation_impact": Variable(
            _T, "J", "energy lost so far by points that land, in impacts without restitution"
        ),
    },
    "impacts": {
        "impacts": Variable(_T, "1", "impacts of the rigid body so far"),
        "impact_restitution": Variable(_T, "1", "restitution that came out of the last impact; 0 before the first"),
        "impact_impulse": Variable(_TA, "N s", "impulse of all impacts on the body so far, inertial"),
        "impact_loss": Variable(_T, "J", "energy lost in impacts so far, part of dissipation_contact"),
        "impact_energy_created": Variable(
            _T, "J", "energy that single impacts have created so far (Newton's law with friction)"
        ),
    },
    "deformed": {
        "displacement": Variable(_TNA, "m", "elastic displacement u in the frame"),
        "A": Variable(_TA, "kg m", "integral A of rho u, in the frame"),
        "P": Variable(_TA, "kg m/s", "integral P of rho du/dt, in the frame"),
        "B": Variable(_TA, "N", "integral B of rho d2u/dt2, in the frame"),
        "L": Variable(_TA, "N m", "integral L of rho r x d2u/dt2, in the frame"),
    },
    "stress": {
        "stress": Variable(_TCC, "Pa", "second Piola-Kirchhoff stress (xx, yy, xy), cell mean, in the frame"),
        "cauchy_stress": Variable(_TCC, "Pa", "Cauchy stress (xx, yy, xy), cell mean, in the frame"),
    },
    "stress in space": {
        "stress": Variable(
            _TCC, "Pa", "second Piola-Kirchhoff stress (xx, yy, zz, yz, xz, xy), cell mean, in the frame"
        ),
        "cauchy_stress": Variable(_TCC, "Pa", "Cauchy stress (xx, yy, zz, yz, xz, xy), cell mean, in the frame"),
    },
    "reaction": {
        "normal_force": Variable(_TN, "N", "normal force of the ground at the node, as friction redistributes it")
    },
}
"""Further series of some bodies and effects."""


def series_of(model: RunModel) -> dict[str, Variable]:
    """Series that this model's trajectory has."""
    system = model.system
    named = {*system.results.groups, *(group for source in system.sources for group in source.results)}
    motion = {
        n: v._replace(further=system.results.notes.get(n, ())) for n, v in MOTIONS[system.results.dimension].items()
    }
    return motion | {name: variable for group in GROUPS if group in named for name, variable in GROUPS[group].items()}


def static_values(model: RunModel) -> Fields:
    """Values of the constant variables of this model's trajectory."""
    return model.system.results.reference()


def series_at(model: RunModel, rows: Rows, energy_at_start: float) -> Series:
    """Values (K, …) of all series but the solver's counts at the ends of steps."""
    return model.system.results.series_of(rows, ledger_series(model.system, rows, energy_at_start))
