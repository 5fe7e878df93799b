"""What of a deformable body in the plane is stored, at its nodes or along a beam's axis, and what the verdict asks of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fem import BeamAxis
from floating_frame.effect.protocol import Blocks, Motion, axpy
from floating_frame.frame.chord import BeamChord
from floating_frame.frame.inertia import Integrals, integrals, residual
from floating_frame.frame.kinematics import Array, Deformation, FloatingFrame, FrameMotion, floating
from floating_frame.frame.moments import MassDistribution
from floating_frame.frame.rigid_modes import resultant
from floating_frame.system.elastic.system import ElasticSystem
from floating_frame.system.model import Model
from floating_frame.system.plane import PlaneResults, still
from floating_frame.system.protocol import Diagnostics, Fields, Series, largest_share
from floating_frame.system.rows import Rows
from floating_frame.system.state import State

_AT_NODES = (
    *("displacement", "position", "velocity", "friction_force", "stick", "slip_path", "friction_work"),
    "bristle_deformation",  # under a law that remembers
)


def elastic_series(
    rows: Rows, mass: MassDistribution, frames: FloatingFrame, split: Deformation
) -> tuple[Series, Integrals]:
    """Series (K, …) that all elastic bodies have, in the plane and in space, and the integrals (3.3), of what is ``split`` by
    ``frames``; spins and moments are numbers in the plane."""
    values, (x, *_), (v, *_) = integrals(mass.matrix, mass.reference, split), *rows.ends.motion[:2]
    none = np.zeros(v.shape[-1])
    moment = np.array([resultant(mass.times(moving), at, none)[len(none) :] for at, moving in zip(x, v, strict=True)])
    spins = {"frame_spin": frames.spin, "L": values.L, "angular_momentum": moment}
    return {
        "time": rows.times,
        "frame_position": frames.origin,
        "frame_velocity": frames.velocity,
        "displacement": split.displacement,
        "position": x,
        "velocity": v,
        "A": values.A,
        "P": values.P,
        "B": values.B,
        "linear_momentum": mass.nodal @ v,
        **{name: of[:, 0] if len(none) == 2 else of for name, of in spins.items()},
    }, values


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

    def series_of(self, rows: Rows, ledger: Series) -> Series:
        """See ``Results``. Without inertia velocities are increments per unit of pseudo-time: there is no momentum."""
        model, friction, (x, *_) = self.model, self.system.friction, rows.ends.motion.configuration
        states = [rows.state(k) for k in range(len(x))]
        q = np.array([(f.coordinates, f.rates, f.accelerations) for f in map(self.frame_seen, states)])
        frames = floating(q)
        split, motion, moves = model.deformation(*rows.ends.of_nodes, frames), frames, float(model.steps.inertia)
        if not moves:
            split = still(split.rate)._replace(displacement=split.displacement)
            motion = floating(q * [[1.0], [0.0], [0.0]])
        series, values = elastic_series(rows, model.mass, frames, split)
        about = zip(states, frames.origin, strict=True)
        rest, size = residual(values, motion, np.array([self.resultant(*each) for each in about]))
        series |= {
            "frame_angle": q[:, 0, 2],
            "friction_force": rows.ends.force,
            "stick": np.logical_not(rows.ends.slip.any(axis=2)),
            "J_zz": values.J[:, 0, 0],
            "rigid_residual": self._relative(rest, size, rows, frames.origin),
            "linear_momentum": moves * np.asarray(series["linear_momentum"]),
            "angular_momentum": moves * np.asarray(series["angular_momentum"]),
        }
        if friction.reacts:
            each = [friction.reaction_series(s.time, self.system.friction_arms(s.motion), s.multiplier) for s in states]
            series["normal_force"] = np.array([found["normal_force"] for found in each])
        if model.options.stress:
            bent = [(model.body_at(s.time), model.displacement(s.position, s.frame)) for s in states]
            series["stress"] = np.array([body.stress(u) for body, u in bent])
            series["cauchy_stress"] = np.array([body.cauchy_stress(u) for body, u in bent])
        return self.at_points(series | ledger)

    def _relative(self, rest: Array, size: Array, rows: Rows, origins: Array) -> Array:
        """Return the residuals ``rest`` (K, 3) of (3.4)1: forces over max(largest force term, Σw), moment over max(largest moment
        term, Σ w|r|).

        ``size`` (K, 2): the largest terms. Where the scale is not above the solver's
        noise, forces and moments are zero, and so is the residual.
        """
        x, v, a = rows.ends.of_nodes
        arms = np.sqrt(np.square(x - origins[:, None]).sum(axis=2))
        bounds = np.array([self.system.friction.bound(t) for t in rows.times.tolist()])
        scale = np.maximum(size, np.stack([bounds.sum(axis=1), np.einsum("kn,kn->k", bounds, arms)], axis=1))
        parts = np.stack([np.abs(rest[:, :2]).max(axis=1), np.abs(rest[:, 2])], axis=1)
        return largest_share(parts, scale, self.noise((x, v, a), arms, rows.lengths))

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
        u = np.array([self._body.hermite(each) for each in np.asarray(series["displacement"])])
        slope = np.array([1.0, 0.0]) + u[:, 1::2]
        at_places = series | {name: np.asarray(series[name])[:, 0::2] for name in _AT_NODES if name in series}
        at_places["displacement"] = np.stack([np.zeros(slope.shape[:2]), u[:, 0::2, 1]], axis=2)
        at_places["rotation"] = np.arctan2(slope[..., 1], slope[..., 0])
        at_places["bending_moment"] = np.array([self._body.beam.bending_moment(each[:, 1]) for each in u])
        at_places["foreshortening"] = u[:, 0::2, 0]
        return at_places


def seen_from_chord(model: Model, state: State) -> FrameMotion:
    """Return the motion of a beam's chord at an instant."""
    body = model.body
    ends = np.array([body.boundary("left")[0], body.boundary("right")[0]])
    return BeamChord.motion(state.position[ends], state.velocity[ends], state.acceleration[ends], state.frame.angle)
