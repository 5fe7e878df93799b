"""Results and diagnostics of an elastic body, at its nodes or along a beam's axis, for d = 2 and 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fem import BeamAxis
from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.tunnelling import face_penetration, path_penetration, penetration
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import Blocks, Record, axpy
from floating_frame.frame.chord import BeamChord
from floating_frame.frame.inertia import Integrals, integrals, residual
from floating_frame.frame.kinematics import Array, Deformation, FloatingFrame, FrameMotion, deformation, floating
from floating_frame.frame.moments import MassDistribution
from floating_frame.frame.rigid_modes import resultant
from floating_frame.frame.rotations import quaternions
from floating_frame.system.elastic.blocks import frame_of
from floating_frame.system.elastic.points import PlatePoints
from floating_frame.system.elastic.system import ElasticSystem
from floating_frame.system.plane import FrameResults, zero_deformation
from floating_frame.system.protocol import Diagnostics, Fields, Series, contact_diagnostics, largest_share
from floating_frame.system.rows import Rows
from floating_frame.system.state import State
from friction.arrays import nonzero_rows, row_norms

VOIGT = [0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]
"""Rows and columns of the components xx, yy, zz, yz, xz, xy of a symmetric matrix."""

_AT_NODES = (
    *("displacement", "position", "velocity", "friction_force", "stick", "slip_path", "friction_work"),
    "bristle_deformation",  # under a law with memory
)


def elastic_series(
    rows: Rows, mass: MassDistribution, frames: FloatingFrame, split: Deformation
) -> tuple[Series, Integrals]:
    """Series (K, …) of all elastic bodies and the integrals (3.3), of deformations ``split`` by ``frames``; spins and moments are
    numbers in the plane."""
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


class ElasticResults(FrameResults):
    """Results of an elastic body at its nodes; ``penalties``: contacts, the last of the effects of its ``system``, reported with a
    solid's ground."""

    system: ElasticSystem

    def __init__(self, system: ElasticSystem, penalties: Sequence[PenaltyContact[PlatePoints]] = ()) -> None:
        super().__init__(system)
        self._effects, self._ground, self._penalties = system.effects, system.ground, penalties
        self.dimension, stress, nodes = self.model.body.X.shape[1], self.model.options.stress, self._ground.nodes
        self.groups = ("stress",) if stress else ()
        if self.dimension == 3:
            self.tolerance = 1e-10  # of contact problems
            self.groups = ("deformed", *(("stress in space",) if stress else ()))
            kind = "unique" if len(np.unique(nodes)) == len(nodes) else "equal-compliance"
            self.notes = {"contact_force": (("resolution", kind),)}

    @property
    def friction_mass(self) -> Array:
        return np.asarray(self.model.mass.matrix.diagonal())

    def acceleration_by(self, state: State, force: Array) -> float:
        return float(np.max(np.linalg.norm(force, axis=1) / self.friction_mass))

    def wrenches(self, force: Blocks, rows: Rows) -> Array:
        (x, *_), _, _ = rows.ends.motion
        return np.array([resultant(*each) for each in zip(force[0], x, rows.poses[1:, :2], strict=True)])

    def reference(self) -> Fields:
        fields: Fields = {"X": self.model.body.X, "cells": self.model.body.cells}
        return fields if self.dimension == 3 else fields | {"friction_weight": self.system.friction.bound(0.0)}

    def _displacement(self, state: State) -> Array:
        """u (N, d) m in the frame."""
        return self.model.displacement(state.position, frame_of(state.motion))

    def series_of(self, rows: Rows, ledger: Series) -> Series:
        """See ``Results``. Without inertia velocities are increments per unit of pseudo-time: there is no momentum."""
        model = self.model
        states = [rows.state(k) for k in range(len(rows.times))]
        moves = float(self.model.steps.inertia)
        frames, attitude = self._frames(rows, states)
        split, motion = self._split(rows, frames), frames
        if not moves:
            split = zero_deformation(split.rate)._replace(displacement=split.displacement)
            motion = FloatingFrame(*(part if k in (0, 3) else 0.0 * part for k, part in enumerate(frames)))
        series, values = elastic_series(rows, model.mass, frames, split)
        net = np.array([self.resultant(*each) for each in zip(states, frames.origin, strict=True)])
        rest, size = residual(values, motion, net)
        series |= attitude | {
            "rigid_residual": self._relative_residual(rest, size, rows, states, frames.origin),
            "linear_momentum": moves * np.asarray(series["linear_momentum"]),
            "angular_momentum": moves * np.asarray(series["angular_momentum"]),
        }
        series |= {"J": values.J} if self.dimension == 3 else {"J_zz": values.J[:, 0, 0]}
        series |= self._contact_series(rows, states, frames.origin)
        if model.options.stress:
            bent = [(model.body_at(s.time), self._displacement(s)) for s in states]
            for name in ("stress", "cauchy_stress"):
                stresses = np.array([getattr(body, name)(u) for body, u in bent])
                series[name] = stresses if self.dimension == 2 else stresses[:, :, *VOIGT]
        return self.at_points(series | ledger)

    def _split(self, rows: Rows, frames: FloatingFrame) -> Deformation:
        """Deformation in the frames; a solid's clamped nodes have the accelerations of their own velocities, not the frame's."""
        if self.dimension == 3:
            return deformation(self.model.body.X, *rows.ends.of_nodes, frames)
        return self.model.deformation(*rows.ends.of_nodes, frames)

    def _frames(self, rows: Rows, states: Sequence[State]) -> tuple[FloatingFrame, Series]:
        """Frames (K, ...) of the results, and the series of their attitudes."""
        if self.dimension == 3:
            frames = frame_of(rows.ends.motion)
            return frames, {"frame_rotation": quaternions(frames.rotation)}
        q = np.array([(f.coordinates, f.rates, f.accelerations) for f in map(self.output_frame, states)])
        return floating(q), {"frame_angle": q[:, 0, 2]}

    def output_frame(self, state: State) -> FrameMotion:
        """Motion of the frame of results in the plane."""
        return state.frame

    def _contact_series(self, rows: Rows, states: Sequence[State], origins: Array) -> Series:
        """Series of ground, penalty contacts and a clamp in space at the nodes, with stick."""
        friction, ends = self.system.friction, rows.ends
        if self.dimension == 3:
            each = [self._nodal_contact(state) for state in states]
            if not self.turns_freely:
                reactions = [
                    resultant(s.records[-2].force[0], s.position, x) for s, x in zip(states, origins, strict=True)
                ]
                each = [
                    a | {"clamp_reaction": R[:3], "clamp_moment": R[3:]} for a, R in zip(each, reactions, strict=True)
                ]
            return {name: np.stack([values[name] for values in each]) for name in each[0]}
        series: Series = {"friction_force": ends.force, "stick": ~nonzero_rows(ends.slip)}
        if friction.reacts:
            each = [friction.reaction_series(s.time, self.system.friction_arms(s.motion), s.multiplier) for s in states]
            series["normal_force"] = np.array([values["normal_force"] for values in each])
        return series

    def _relative_residual(
        self, rest: Array, size: Array, rows: Rows, states: Sequence[State], origins: Array
    ) -> Array:
        """Residuals ``rest`` (K, d + r) of (2.3), (3.4)1: forces over the largest force term or the nodes' normal forces, moments
        over the largest moment term or the moments of these with |r|. ``size`` (K, 2): the largest terms. The residual is zero
        where the scale is not above the solver's noise."""
        (x, v, a), d = rows.ends.of_nodes, self.dimension
        arms = row_norms(x - origins[:, None])
        pressed = np.array([self._normal_force_sizes(state) for state in states])
        scale = np.maximum(size, np.stack([pressed.sum(axis=1), np.einsum("kn,kn->k", pressed, arms)], axis=1))
        parts = np.stack([np.abs(rest[:, :d]).max(axis=1), np.abs(rest[:, d:]).max(axis=1)], axis=1)
        forces = self.model.mass.nodal * row_norms(a)
        if d == 3:  # loads and a clamp may cancel each other
            forces = forces + [sum(np.linalg.norm(r.force[0], axis=1) for r in state.records) for state in states]
        return largest_share(parts, scale, self.noise((x, v, forces), arms, rows.lengths))

    def _normal_force_sizes(self, state: State) -> Array:
        """Sizes (N,) N of the nodes' contact: bounds in the plane, contact forces in space."""
        if self.dimension == 2:
            return self.system.friction.bound(state.time)
        sizes = np.linalg.norm(state.friction.multiplier, axis=1)
        pressed = np.bincount(self._ground.nodes, sizes, len(state.position))
        for record in self._penalty_records(state):
            pressed = pressed + np.linalg.norm(record.force[0], axis=1)
        return np.asarray(pressed)

    def resultant(self, state: State, about: Array) -> Array:
        """Wrench (d + r,) on the body in the balance of the state, with a guide's reaction exactly 0 along its free motions."""
        force, driven = state.balance, np.zeros(1)
        for record in state.records:
            if record.driving:
                force, driven = axpy(force, -1.0, record.force), driven + np.concatenate(record.driving[1:])
        return resultant(force[0], state.position, about) + driven

    def _nodal_contact(self, state: State) -> Series:
        """Series of ground and penalty contacts at all nodes, with stick."""
        series = dict(self._ground.series(state))
        for effect, record in zip(self._penalties, self._penalty_records(state), strict=True):
            now, spread = effect.contact_force_at(state.time, state.motion, record.internal), effect.points.spread
            pressed, rubs = now.normal[:, None] * now.gap.normal, spread(now.normal[:, None]).any(axis=1)
            series["contact_force"] = series["contact_force"] + spread(now.force)
            series["normal_force"] = series["normal_force"] + spread(now.normal[:, None])[:, 0]
            series["friction_force"] = series["friction_force"] + spread(now.force - pressed)
            series["stick"] = np.where(rubs, np.maximum(series["stick"], 0), series["stick"])
        return series

    def _penalty_records(self, state: State) -> tuple[Record, ...]:
        """Records of penalty contacts."""
        return state.records[len(self._effects) - len(self._penalties) : len(self._effects)]

    def at_points(self, series: Series) -> Series:
        """Sums of a solid's friction points as series of all nodes."""
        if self.dimension == 2:
            return series
        nodes, spread = np.concatenate([self._ground.nodes, *(e.points.nodes for e in self._penalties)]), {}
        for name in ("slip_path", "friction_work"):
            sums = [np.bincount(nodes, each, len(self.model.body.X)) for each in np.asarray(series[name])]
            spread[name] = np.array(sums)
        return series | spread

    def path_penetration(self, before: State, after: State) -> float:
        x, y, times = before.position, after.position, (before.time, after.time)
        pairs = [(obstacle, nodes) for obstacle, nodes in self._contact_pairs() if not obstacle.level]
        return max((path_penetration(obstacle, (x[at], y[at]), times) for obstacle, at in pairs), default=0.0)

    def _contact_pairs(self) -> list[tuple[Obstacle, NDArray[np.intp]]]:
        """Obstacles with the nodes that may touch them, exact ones first."""
        return [
            *self._ground.contact_pairs,
            *((effect.contact.obstacle, effect.points.nodes) for effect in self._penalties),
        ]

    def outline_penetration(self, state: State) -> float:
        x, time = state.position, state.time
        gaps = [obstacle.gap(x, time).gap for obstacle, _ in self._ground.contact_pairs]
        for effect in self._penalties:  # nodes in penalty contact may penetrate
            gaps.append(effect.contact.obstacle.gap(np.delete(x, effect.points.nodes, axis=0), time).gap)
        return penetration([gap.min(initial=np.inf) for gap in gaps])

    def penalty_penetration(self, state: State) -> float:
        x, time = state.position, state.time
        gaps = [effect.contact.obstacle.gap(x[effect.points.nodes], time).gap.min() for effect in self._penalties]
        return penetration(gaps)

    def face_penetration(self, state: State) -> float:
        corners, time = state.position[self.model.body.outline], state.time
        return max((face_penetration(obstacle, corners, time) for obstacle, _ in self._contact_pairs()), default=0.0)

    def diagnostics(self, before: State, after: State) -> Diagnostics:
        values: Diagnostics = dict(self.model.body.strains(self._displacement(after)))
        spin = float(np.linalg.norm(after.motion.velocity[2]))
        values |= {"spin_momentum": self.spin_momentum(after), "turn_rate": spin}
        if not self._ground.unknown_pressure:
            return values
        depths = self.outline_penetration(after), self.penalty_penetration(after), self.path_penetration(before, after)
        return values | contact_diagnostics(after, *depths) | {"face_penetration": self.face_penetration(after)}


class AxisResults(ElasticResults):
    """Results at the N places of a ``BeamAxis``, with the frame ``BeamChord`` relative to its chord; ``displacement`` is (0, w)."""

    def __init__(self, system: ElasticSystem) -> None:
        super().__init__(system)
        self._body: BeamAxis = self.model.body
        self.groups = ("beam", *self.groups)

    def output_frame(self, state: State) -> FrameMotion:
        if type(self.model.frame) is not BeamChord:
            return state.frame
        ends = np.array([self._body.boundary("left")[0], self._body.boundary("right")[0]])
        return BeamChord.motion(state.position[ends], state.velocity[ends], state.acceleration[ends], state.frame.angle)

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
