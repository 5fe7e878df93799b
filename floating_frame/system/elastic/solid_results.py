"""What of an elastic solid in space is stored at one instant, and what the verdict asks of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.between import Way, depth_between, depth_on_way
from floating_frame.contact.obstacles import Obstacle
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import Blocks, Motion, Record
from floating_frame.frame.inertia import residual
from floating_frame.frame.kinematics import Array, FloatingFrame, inertia
from floating_frame.frame.rigid_modes import resultant
from floating_frame.frame.rotations import cross, quaternion
from floating_frame.system.elastic.blocks import frame_of
from floating_frame.system.elastic.equilibrium import EPS
from floating_frame.system.elastic.plate_results import elastic_series
from floating_frame.system.elastic.points import PlatePoints
from floating_frame.system.elastic.system import ElasticSystem
from floating_frame.system.protocol import Diagnostics, Fields, Results, Scales, Series
from floating_frame.system.rows import Rows
from floating_frame.system.state import State

VOIGT = [0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]
"""Rows and columns of a symmetric matrix that are its components xx, yy, zz, yz, xz, xy."""


class SolidResults(Results):
    """What is asked of an elastic solid; ``penalties``: contacts among the effects of its ``system``, the last of them."""

    dimension = 3

    def __init__(self, system: ElasticSystem, penalties: Sequence[PenaltyContact[PlatePoints]]) -> None:
        self._model, self._frame, self._ground = system.model, system.frame, system.ground
        self._effects, self._penalties, self._stress = system.effects, penalties, system.model.options.stress
        frame, stress, nodes = self._frame, self._stress, self._ground.nodes
        self.groups = ("deformed", *(("stress in space",) if stress else ()))
        self.turns_freely = frame.free
        kind = "unique" if len(np.unique(nodes)) == len(nodes) else "equal-compliance"
        self.notes = {"contact_force": (("resolution", kind),)}

    def _displacement(self, state: State) -> Array:
        """Return u (N, 3) m in the frame."""
        return self._model.displacement(state.position, frame_of(state.motion))

    @property
    def scales(self) -> Scales:
        moment = float(np.linalg.eigvalsh(inertia(self._model.mass.second_moments))[-1])
        return Scales(self._model.stiffness, self._model.mass.total, moment)

    def wrench(self, force: Blocks, motion: Motion, about: Array) -> Array:
        return resultant(force[0], motion.configuration[0], about)

    def reference(self) -> Fields:
        return {"X": self._model.body.X, "cells": self._model.body.cells}

    def series_of(self, rows: Rows, ledger: Series) -> Series:
        states, frames = [rows.state(k) for k in range(len(rows.times))], frame_of(rows.ends.motion)
        split = self._model.deformation(*rows.ends.of_nodes, frames)
        series, values = elastic_series(rows, self._model.mass, frames, split)
        about = zip(states, frames.origin, strict=True)
        rest, size = residual(values, frames, np.array([self.resultant(*each) for each in about]))
        each = []
        for k, state in enumerate(states):
            frame, found = FloatingFrame(*(part[k] for part in frames)), self._contact(state)
            found["frame_rotation"] = quaternion(frame.rotation)
            found["rigid_residual"] = self._relative(rest[k], size[k], state, frame)
            if not self._frame.free:
                found |= self._reaction(state, frame)
            if self._stress:
                body, u = self._model.body, split.displacement[k]
                found |= {"stress": body.stress(u)[:, *VOIGT], "cauchy_stress": body.cauchy_stress(u)[:, *VOIGT]}
            each.append(self.at_points(found | {name: np.asarray(values)[k] for name, values in ledger.items()}))
        return series | {"J": values.J} | {name: np.stack([found[name] for found in each]) for name in each[0]}

    def _contact(self, state: State) -> Series:
        """Return what the ground and penalty contacts do to all nodes, and which of them stick."""
        series = dict(self._ground.series(state))
        for effect, record in zip(self._penalties, self._pressing(state), strict=True):
            now, spread = effect.seen(state.time, state.motion, record.internal), effect.points.spread
            pressed, rubs = now.normal[:, None] * now.gap.normal, spread(now.normal[:, None]).any(axis=1)
            series["contact_force"] = series["contact_force"] + spread(now.force)
            series["normal_force"] = series["normal_force"] + spread(now.normal[:, None])[:, 0]
            series["friction_force"] = series["friction_force"] + spread(now.force - pressed)
            series["stick"] = np.where(rubs, np.maximum(series["stick"], 0), series["stick"])
        return series

    def _pressing(self, state: State) -> tuple[Record, ...]:
        """Return the records of penalty contacts."""
        return state.records[len(self._effects) - len(self._penalties) : len(self._effects)]

    def _reaction(self, state: State, frame: FloatingFrame) -> Series:
        """Return the force of a clamp and its moment about x0."""
        held = resultant(state.records[-2].force[0], state.position, frame.origin)
        return {"clamp_reaction": held[:3], "clamp_moment": held[3:]}

    def at_points(self, series: Series) -> Series:
        """Return the friction points' sums as all nodes have them."""
        nodes, spread = np.concatenate([self._ground.nodes, *(e.points.nodes for e in self._penalties)]), {}
        for name in ("slip_path", "friction_work"):
            spread[name] = np.bincount(nodes, np.asarray(series[name]), len(self._model.body.X))
        return series | spread

    def _relative(self, rest: Array, size: Array, state: State, frame: FloatingFrame) -> float:
        """Return the residual (6,) of (2.3)1 and (2.3)2 over their largest terms, or what presses; 0 where these are noise."""
        mass, arms = self._model.mass, np.linalg.norm(state.position - frame.origin, axis=1)
        pressed, borne = np.linalg.norm(state.friction.multiplier, axis=1), np.zeros(len(arms))
        for record in self._pressing(state):
            borne = borne + np.linalg.norm(record.force[0], axis=1)
        scale = np.maximum(size, [pressed.sum() + borne.sum(), pressed @ arms[self._ground.nodes] + borne @ arms])
        forces, extent = mass.nodal * np.linalg.norm(state.acceleration, axis=1), float(arms.max())
        for record in state.records:  # loads and a clamp may cancel each other
            forces = forces + np.linalg.norm(record.force[0], axis=1)
        rounding = 8.0 * EPS * self._model.stiffness * extent
        noise = np.maximum(1e-10 * np.array([forces.sum(), forces @ arms]), [rounding, rounding * extent])
        parts = np.array([np.abs(rest[:3]).max(), np.abs(rest[3:]).max()])
        return float(np.max(np.where(scale > noise, parts / np.where(scale > noise, scale, 1.0), 0.0)))

    def spin_momentum(self, state: State) -> Array:
        mass, x, v = self._model.mass, state.position, state.velocity
        y, w = x - mass.mean(x), v - mass.mean(v)
        return np.asarray(cross(y, mass.matrix @ w).sum(axis=0))

    def ways(self, before: State, after: State) -> list[Way]:
        return [
            Way(obstacle, before.position[nodes], after.position[nodes], 0.0, before.time, after.time)
            for obstacle, nodes in self._touching()
            if not obstacle.level
        ]

    def _touching(self) -> list[tuple[Obstacle, NDArray[np.intp]]]:
        """Return obstacles with the nodes that may touch them, exact ones first."""
        return [*self._ground.touching, *((effect.contact.obstacle, effect.points.nodes) for effect in self._penalties)]

    def sunk(self, state: State) -> float:
        x, time = state.position, state.time
        gaps = [obstacle.gap(x, time).gap for obstacle, _ in self._ground.touching]
        for effect in self._penalties:  # its own nodes are meant to go in
            gaps.append(effect.contact.obstacle.gap(np.delete(x, effect.points.nodes, axis=0), time).gap)
        return max(0.0, -float(np.min([gap.min(initial=np.inf) for gap in gaps], initial=np.inf)))

    def pressed_in(self, state: State) -> float:
        x, time = state.position, state.time
        gaps = [effect.contact.obstacle.gap(x[effect.points.nodes], time).gap.min() for effect in self._penalties]
        return max(0.0, -float(np.min(gaps, initial=np.inf)))

    def between(self, state: State) -> float:
        corners, time = state.position[self._model.body.outline], state.time
        return max((depth_between(obstacle, corners, time) for obstacle, _ in self._touching()), default=0.0)

    def resultant(self, state: State, about: Array) -> Array:
        """Return the wrench (6,) of all that acts on the body in the balance of the state."""
        return self.wrench(state.balance, state.motion, about)

    def diagnostics(self, before: State, after: State) -> Diagnostics:
        found: Diagnostics = dict(self._model.body.strains(self._displacement(after)))
        found |= {
            "spin_momentum": self.spin_momentum(after),
            "turn_rate": float(np.linalg.norm(after.motion.velocity[2])),
        }
        if not self._ground.finds_pressure:
            return found
        pressed = self.pressed_in(after)
        return found | {
            "presses": bool(np.any(after.multiplier[:, 2] < 0.0)) or pressed > 0.0,
            "sunk": self.sunk(after),
            "pressed_in": pressed,
            "between": self.between(after),
            "passed": max((depth_on_way(way) for way in self.ways(before, after)), default=0.0),
        }
