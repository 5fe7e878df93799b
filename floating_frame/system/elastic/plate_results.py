"""What of a deformable body in the plane is stored, at its nodes or along a beam's axis, and what the verdict asks of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fem import BeamAxis
from floating_frame.effect.protocol import Blocks, Motion, axpy
from floating_frame.frame.chord import BeamChord
from floating_frame.frame.inertia import Integrals, integrals, residual
from floating_frame.frame.kinematics import Array, FrameMotion, MovingFrame
from floating_frame.frame.moments import MassDistribution
from floating_frame.frame.rigid_modes import resultant
from floating_frame.system.elastic.system import ElasticSystem
from floating_frame.system.model import Model
from floating_frame.system.plane import PlaneResults, still
from floating_frame.system.protocol import Diagnostics, Fields, Series
from floating_frame.system.state import State
from friction.arrays import lengths

_AT_NODES = (
    *("displacement", "position", "velocity", "friction_force", "stick", "slip_path", "friction_work"),
    "bristle_deformation",  # under a law that remembers
)


def elastic_series(
    state: State,
    mass: MassDistribution,
    frame: MovingFrame,
    values: Integrals,
    displacement: Array,
    inertia: float = 1.0,
) -> Series:
    """Series that all elastic bodies have, in the plane and in space, with the ``values`` of the integrals (3.3); spins and moments
    are numbers in the plane. ``inertia``: 0 of increments of equilibrium."""
    d, v = len(frame.origin), state.velocity
    moment = resultant(mass.times(v), state.position, np.zeros(d))[d:]
    moments = {"L": values.L, "angular_momentum": inertia * moment}
    return {
        "time": state.time,
        "frame_position": frame.origin,
        "frame_velocity": frame.velocity,
        "frame_spin": frame.spin,
        "displacement": displacement,
        "position": state.position,
        "velocity": v,
        "A": values.A,
        "P": values.P,
        "B": values.B,
        "linear_momentum": inertia * (mass.nodal @ v),
        **{name: float(of[0]) if d == 2 else of for name, of in moments.items()},
    }


class PlateResults(PlaneResults):
    """What is asked of a deformable body: results at its nodes, as they are."""

    def __init__(self, system: ElasticSystem) -> None:
        super().__init__(system)
        self.groups = ("stress",) if self.model.options.stress else ()

    @property
    def friction_mass(self) -> Array:
        return np.asarray(self.model.mass.matrix.diagonal())

    def acceleration_by(self, state: State, force: Array) -> float:
        return float(np.max(np.linalg.norm(force, axis=1) / self.friction_mass))

    def wrench(self, force: Blocks, motion: Motion, about: Array) -> Array:
        return resultant(force[0], motion.configuration[0], about)

    def reference(self) -> Fields:
        body, bound = self.model.body, self.system.friction.bound(0.0)
        return {"X": body.X, "cells": body.cells, "friction_weight": bound}

    def series(self, state: State, step: float) -> Series:
        model, frame, friction = self.model, self.frame_seen(state), self.system.friction
        split, motion = model.deformation(state.position, state.velocity, state.acceleration, frame), frame
        if not model.steps.inertia:  # velocities are increments per unit of pseudo-time: no inertia, no momentum
            split = still(split.rate)._replace(displacement=split.displacement)
            motion = FrameMotion(motion.coordinates, np.zeros(3), np.zeros(3))
        values = integrals(model.mass.matrix, model.body.X, split)
        rest, size = residual(values, motion, self.resultant(state, motion.origin))
        series = elastic_series(state, model.mass, frame, values, split.displacement, float(model.steps.inertia))
        series |= {
            "frame_angle": frame.angle,
            "friction_force": -state.multiplier,
            "stick": state.at_rest_relative(),
            "J_zz": float(values.J[0, 0]),
            "rigid_residual": self._relative(rest, size, state, motion, step),
        }
        if friction.reacts:
            arms = self.system.friction_arms(state.motion)
            series |= friction.reaction_series(state.time, arms, state.multiplier)
        if model.options.stress:
            u, body = model.displacement(state.position, state.frame), model.body_at(state.time)
            series |= {"stress": body.stress(u), "cauchy_stress": body.cauchy_stress(u)}
        return series

    def _relative(self, rest: Array, size: Array, state: State, motion: FrameMotion, step: float) -> float:
        """Return the residual ``rest`` (3,) of (3.4)1: forces over max(largest force term, Σw), moment over max(largest moment
        term, Σ w|r|).

        ``size`` (2,): the largest terms. Where the scale is not above the solver's
        noise, forces and moments are zero, and so is the residual.
        """
        bound, arms = self.system.friction.bound(state.time), lengths(state.position - motion.coordinates[:2])
        scale = np.maximum(size, [float(bound.sum()), float(np.einsum("i,i->", bound, arms))])
        parts, noise = np.array([float(np.abs(rest[:2]).max()), abs(float(rest[2]))]), self.noise(state, motion, step)
        return float(np.max(np.where(scale > noise, parts / np.where(scale > noise, scale, 1.0), 0.0)))

    def resultant(self, state: State, about: Array) -> Array:
        """Return the wrench (3,) of all that acts on the body in the balance of the state, with what drives a guide exactly 0 along
        its free motions."""
        force, driven = state.balance, np.zeros(3)
        for record in state.records:
            if record.driving:
                force, driven = axpy(force, -1.0, record.force), driven + np.concatenate(record.driving[1:])
        return self.wrench(force, state.motion, about) + driven

    def frame_seen(self, state: State) -> FrameMotion:
        """Return the motion of the frame in which results are given."""
        return state.frame

    def diagnostics(self, before: State, after: State) -> Diagnostics:
        strains: Diagnostics = self.model.body.strains(self.model.displacement(after.position, after.frame))
        return super().diagnostics(before, after) | strains


class AxisResults(PlateResults):
    """Results at the N places of a ``BeamAxis``; ``displacement`` is (0, w). ``seen``: the frame's motion, where it is another."""

    def __init__(self, system: ElasticSystem, seen: Callable[[State], FrameMotion]) -> None:
        super().__init__(system)
        self._body: BeamAxis = self.model.body
        self._seen, self.groups = seen, ("beam", *self.groups)

    def frame_seen(self, state: State) -> FrameMotion:
        return self._seen(state)

    def reference(self) -> Fields:
        beam = self._body.beam
        return {"X": beam.X, "cells": beam.cells, "friction_weight": self.system.friction.bound(0.0)[0::2]}

    def at_points(self, series: Series) -> Series:
        u = self._body.hermite(np.asarray(series["displacement"]))
        slope = np.array([1.0, 0.0]) + u[1::2]
        at_places = series | {name: np.asarray(series[name])[0::2] for name in _AT_NODES if name in series}
        at_places["displacement"] = np.column_stack([np.zeros(len(slope)), u[0::2, 1]])
        at_places["rotation"] = np.arctan2(slope[:, 1], slope[:, 0])
        at_places["bending_moment"] = self._body.beam.bending_moment(u[:, 1])
        at_places["foreshortening"] = u[0::2, 0]
        return at_places


def seen_from_chord(model: Model, state: State) -> FrameMotion:
    """Return the motion of a beam's chord at an instant."""
    body = model.body
    ends = np.array([body.boundary("left")[0], body.boundary("right")[0]])
    return BeamChord.motion(state.position[ends], state.velocity[ends], state.acceleration[ends], state.frame.angle)
