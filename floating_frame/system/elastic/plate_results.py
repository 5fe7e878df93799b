"""What of a deformable body in the plane is stored, at its nodes or along a beam's axis, and what the verdict asks of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fem import BeamAxis
from floating_frame.effect.protocol import Blocks, Motion
from floating_frame.frame.chord import BeamChord
from floating_frame.frame.kinematics import Array, FrameMotion
from floating_frame.frame.rigid_modes import resultant
from floating_frame.system.elastic.system import ElasticSystem
from floating_frame.system.model import Model
from floating_frame.system.plane import PlaneResults
from floating_frame.system.protocol import Diagnostics, Fields, Series
from floating_frame.system.state import State

_AT_NODES = (
    *("displacement", "position", "velocity", "friction_force", "stick", "slip_path", "friction_work"),
    "bristle_deformation",  # under a law that remembers
)


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
        series = super().series(state, step)
        if self.model.options.stress:
            u, body = self.model.displacement(state.position, state.frame), self.model.body_at(state.time)
            series |= {"stress": body.stress(u), "cauchy_stress": body.cauchy_stress(u)}
        return series

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
