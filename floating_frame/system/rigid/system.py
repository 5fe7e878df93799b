"""A rigid body as a system: block (q,) = ((x0, y0, α),), (3.4)1 with u = 0, friction integrated over its friction points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floating_frame.contact.signorini import ExactContacts
from floating_frame.effect.protocol import Blocks, Effect, Inclusion, Internal, Motion, Record
from floating_frame.frame.kinematics import Array, FrameMotion, floating, motion_in_space, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.model import Model
from floating_frame.system.plane import FrameResults, zero_deformation
from floating_frame.system.protocol import Consistent, Fields, Series, System, applied, effects_at, largest_share
from floating_frame.system.rigid.exact_contact import EXACT_CONTACT
from floating_frame.system.rigid.stage import RigidRow, row_friction
from floating_frame.system.rows import Rows
from floating_frame.system.state import InSpace, State
from friction.arrays import row_norms
from friction.rigid.problem import RigidFrictionProblem, point_velocity
from friction.rigid.solve import solve_at_rest
from friction.status import STICK

IMPACTS = {
    "impacts": "count",
    "impact_restitution": "restitution",
    "impact_impulse": "impulse",
    "impact_loss": "loss",
    "impact_energy_created": "created",
}
"""Series of the impacts, and the fields of ``ImpactRecord``."""


def turned(X: Array, angles: Array) -> Array:
    """Vectors X (N, 2) in the body turned by angles (K,), (K, N, 2)."""
    (x, y), c, s = X.T, np.cos(angles)[:, None], np.sin(angles)[:, None]
    result = np.empty((len(angles), *X.shape))
    result[:, :, 0], result[:, :, 1] = c * x - s * y, s * x + c * y
    return result


class RigidResults(FrameResults):
    """Results of a rigid body."""

    system: RigidSystem

    def __init__(self, system: RigidSystem) -> None:
        super().__init__(system)
        rule, finer = self.model.body.friction, self.model.body.finer
        self.quadratures = () if finer is None else (rule, finer)
        self._strikes = system.exact is not None

    @property
    def friction_mass(self) -> Array:
        weights = self.model.body.friction.weights
        return np.asarray(self.model.mass.total * weights / weights.sum())

    def acceleration_by(self, state: State, force: Array) -> float:
        """Acceleration of the mass centre plus the rotational one of the farthest point, m/s², under forces (N, 2)."""
        (x, y, moment), mass = wrench(state.position - state.frame.coordinates[:2], force), self.model.mass
        return float(np.hypot(x, y) / mass.total + self.model.radius * abs(moment) / mass.second_moment)

    def reference(self) -> Fields:
        """Constant variables of friction points, and nodes and cells of the body where they differ."""
        body, rule = self.model.body, self.model.body.friction
        own = {} if body.rule is None else {"body_X": body.X, "body_cells": body.cells}
        return {"X": rule.points, "cells": rule.cells, "friction_weight": self.system.friction.bound(0.0), **own}

    def wrenches(self, force: Blocks, rows: Rows) -> Array:
        return force[0]

    def series_of(self, rows: Rows, ledger: Series) -> Series:
        system, friction, count = self.system, self.system.friction, len(rows.times)
        inertia, ((q,), (rates,), _) = float(self.model.steps.inertia) * system.inertia, rows.ends.motion
        force, none = rows.ends.force, np.zeros((count, 2))
        ground = np.array([friction.ground(t) for t in (rows.times[:1] if friction.still else rows.times)])
        place, velocity, arms = q[:, :2], rates[:, :2], turned(system.feet, q[:, 2])
        spin, points = rates[:, 2, None], np.empty_like(arms)
        np.multiply(spin, arms[:, :, 0], out=points[:, :, 1])
        np.multiply(-spin, arms[:, :, 1], out=points[:, :, 0])
        points += (velocity - ground)[:, None]
        if ground.any():
            points += ground[:, None]
        pressure: Series = {}
        if friction.reacts:
            each = zip(rows.times.tolist(), arms, -force, strict=True)
            pressure["normal_force"] = np.array([friction.reaction_series(*end)["normal_force"] for end in each])
        arms += place[:, None]
        series: Series = {
            "time": rows.times,
            "frame_position": place,
            "frame_velocity": velocity,
            "frame_spin": rates[:, 2],
            "linear_momentum": inertia[0] * velocity,
            "angular_momentum": inertia[0] * (place[:, 0] * rates[:, 1] - place[:, 1] * rates[:, 0])
            + inertia[2] * rates[:, 2],
            "position": arms,
            "velocity": points,
            "friction_force": force,
            "stick": rows.ends.status == STICK,
            "rigid_residual": self._residual(rows),
        }
        series |= {"frame_angle": q[:, 2], "displacement": np.broadcast_to(0.0, arms.shape)}
        series |= {"A": none, "P": none, "B": none, "L": none[:, 0], "J_zz": np.full(count, system.inertia[2])}
        if self._strikes:
            series |= {name: np.array([getattr(i, of) for i in rows.impacts]) for name, of in IMPACTS.items()}
        return series | pressure | ledger

    def _residual(self, rows: Rows) -> Array:
        """Residual (K,) of (3.4)1: forces over max(largest force term, Σw), moment over max(largest moment term, Σ w|X|).

        It is zero where the scale is not above the solver's noise, which is evaluated only near this."""
        system, friction, (_, (rates,), (acceleration,)) = self.system, self.system.friction, rows.ends.motion
        terms = np.stack([float(self.model.steps.inertia) * system.inertia * acceleration, -rows.ends.balance[0]])
        rest, size, arms = np.abs(terms.sum(axis=0)), np.abs(terms).max(axis=0), np.linalg.norm(system.feet, axis=1)
        bounds = np.array([friction.bound(t) for t in (rows.times[:1] if friction.constant else rows.times)])
        scale = np.maximum([size[:, :2].max(axis=1), size[:, 2]], [bounds.sum(axis=1), bounds @ arms]).T
        parts = np.stack([rest[:, :2].max(axis=1), rest[:, 2]], axis=1)
        farthest, turning = self.model.radius, np.abs(acceleration[:, 2]) + rates[:, 2] ** 2
        most = np.abs(acceleration[:, :2]).sum(axis=1) + farthest * turning
        above = system.inertia[0] * most[:, None] * max(self.model.options.tolerance, 1e-12) * [1.0, farthest]
        if self.model.problem.contacts:
            above = np.full_like(above, np.inf)
        noise = np.zeros_like(scale)
        if (near := np.flatnonzero(((parts > 0.0) & (scale <= above)).any(axis=1))).size:
            X, frames = self.model.body.X, floating(np.stack([part[near] for (part,) in rows.ends.motion], axis=1))
            x, v, a = motion_in_space(X, zero_deformation(X), frames)
            forces = self.model.mass.nodal * row_norms(a)
            reach = row_norms(x - frames.origin[:, None])
            noise[near] = self.noise((x, v, forces), reach, rows.lengths[near])
        return largest_share(parts, scale, noise)


class RigidSystem(RigidRow, System):
    """A rigid body under ``effects``, with ``exact`` contacts or none."""

    def __init__(
        self, model: Model, effects: Sequence[Effect], friction: Inclusion, exact: ExactContacts | None
    ) -> None:
        self.model, self.effects, self.friction, self.exact = model, tuple(effects), friction, exact
        self.sources, mass = (*self.effects, friction, *(() if exact is None else [EXACT_CONTACT])), model.mass
        self._inertia = np.array([mass.total, mass.total, mass.second_moment])
        self.feet, self.results = model.body.friction.points, RigidResults(self)

    def with_contacts(self, contacts: ExactContacts) -> RigidSystem:
        return RigidSystem(self.model, self.effects, self.friction, contacts)

    @property
    def inertia(self) -> Array:
        return self._inertia

    def in_space(self, time: float, motion: Motion) -> InSpace:
        X = self.model.body.X
        frame = FrameMotion(motion.configuration[0], motion.velocity[0], motion.acceleration[0])
        position, _, acceleration = motion_in_space(X, zero_deformation(X), frame.floating)
        velocity = point_velocity(frame.rates, to_inertial(X, frame.angle))
        return InSpace(position, velocity, acceleration, frame)

    def initial_motion(self) -> Motion:
        """Given rates at the origin. Raises ValueError for an initial deformation."""
        initial = self.model.problem.initial
        if initial.displacement is not None or initial.rate is not None:
            raise ValueError("a rigid body takes no initial displacement or displacement rate")
        initial.fields(self.model.body.X)
        return Motion((np.zeros(3),), (np.array([*initial.velocity, initial.spin], float),), (np.zeros(3),))

    def ground_rates(self, ground: Array) -> Blocks:
        return (np.array([*ground, 0.0]),)

    def slip(self, time: float, motion: Motion, ground: Array) -> Array:
        rates = motion.velocity[0] - self.ground_rates(ground)[0]
        return point_velocity(rates, to_inertial(self.feet, motion.configuration[0][2]))

    def friction_arms(self, motion: Motion) -> Array:
        return to_inertial(self.feet, float(motion.configuration[0][2]))

    def apply_mass(self, acceleration: Blocks) -> Blocks:
        return (self.inertia * acceleration[0],)

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        return () if self.exact is None else (Record((np.zeros(3),), mixed=False),)

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        return () if self.exact is None else (0.0,)

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        """D q'' = wrench − Σ Gᵀλ; points at rest on the ground may start to slide along q''."""
        q, rates = motion.configuration[0], motion.velocity[0]
        arms, now = to_inertial(self.feet, q[2]), effects_at(self.effects, time, internal, left=left)
        (total,) = applied(self.effects, now, *motion[:2])
        problem = self.friction.for_stage(time, internal[len(self.effects)], 0.0, left=left)
        sliding = rates - self.ground_rates(problem.ground)[0]
        multiplier = problem.law.force(point_velocity(sliding, arms), problem.bound)
        if np.any(sliding) or not problem.law.set_valued:
            acceleration = (total - wrench(arms, multiplier)) / self.inertia
        else:
            ground = self.ground_rates(self.friction.ground_acceleration(time, left=left))[0]
            needed = total - self.inertia * ground
            row = RigidFrictionProblem(inertia=self.inertia, wrench=needed, arms=arms, bound=problem.bound)
            begun = solve_at_rest(problem.law, row)
            acceleration, multiplier = begun.rates + ground, begun.multiplier
        started = Motion(motion.configuration, motion.velocity, (acceleration,))
        return Consistent(started, row_friction(sliding, arms, multiplier), self.own(time, started))
