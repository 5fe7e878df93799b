"""A rigid body in space as a system: blocks (x0, Q) with velocities (v, Ω), all in space; (2.3)1 and (2.3)2 with u = 0.

Accelerations are (v', h'), h = QJQᵀΩ the moment of momentum about the centre of mass: forces and moments change momentum, so that
both momenta are constant to rounding where nothing acts. The increment Θ counts from the attitude at the step's start."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Self

import numpy as np

from floating_frame.contact.axes import to_axes, to_space
from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.tunnelling import CORNER_DEPTH, path_penetration, penetration
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import (
    Blocks,
    Effect,
    Friction,
    Impact,
    Internal,
    Mask,
    Motion,
    Record,
    Source,
    axpy,
    scaled,
)
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array, FrameMotion
from floating_frame.frame.rotations import cross, exponential, hat, quaternions, turn_rate
from floating_frame.rigid_solid import RigidSolid
from floating_frame.system.protocol import (
    Consistent,
    Diagnostics,
    Fields,
    Guess,
    Partial,
    Results,
    Series,
    Stage,
    StageHistory,
    System,
    applied,
    contact_diagnostics,
    effects_at,
    largest_share,
)
from floating_frame.system.rows import Rows
from floating_frame.system.space.contacts import Contacts
from floating_frame.system.space.ground import (
    APPROACHES,
    IMPACTS,
    STICK_SERIES,
    TOUCHING,
    GroundContact,
    impact_record,
    pressed_at,
)
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.base import ROWS
from floating_frame.system.space.kernels.body import Body
from floating_frame.system.space.kernels.contact import begin_points, finish_points, release_points
from floating_frame.system.space.kernels.points import contact_geometry
from floating_frame.system.space.kernels.projection import project
from floating_frame.system.space.painleve import painleve_at
from floating_frame.system.space.stage import CompiledSpaceBody
from floating_frame.system.stages import POINT_LANDS
from floating_frame.system.state import Counts, InSpace, State
from friction.status import OPEN, SLIP, STICK

AT_REST = 1e-12
"""Velocities of points at an instant are rounding below this part of the body's speed, or this time, s, times its acceleration."""


class SpaceRigidSystem(System, Results):
    """A rigid body in space under ``effects``, all points of which may touch all rough ``obstacles``, by the law ``ground``."""

    constant_mass = False
    turns_freely = False
    dimension = 3
    compiled: type[Body] = Body

    def __init__(
        self,
        body: RigidSolid,
        initial: Motion,
        effects: Sequence[Effect],
        ground: GroundContact,
        obstacles: Sequence[Obstacle],
        pressed: Sequence[PenaltyContact] = (),
    ) -> None:
        self.body, self._initial, self.friction = body, initial, ground
        self.J, self.radius = np.array(body.inertia, float), body.radius
        """Inertia (3, 3) kg m² in body axes, and a length of the body, m."""
        self.results: Results = self
        self.principal_moments = np.asarray(np.linalg.eigvalsh(self.J), float)
        self.effects, self.pressed = (*effects, *pressed), tuple(pressed)
        self.sources: tuple[Source, ...] = (*self.effects, ground, IMPACTS)
        self.contacts = Contacts(body.shape, obstacles)
        soft = [effect.contact.obstacle for effect in pressed]
        self.nodes = Contacts(body.shape, [*obstacles, *soft]) if soft else self.contacts
        """All points with all obstacles: of exact contact, then of ``pressed``, penalty contacts."""
        kind = "unique" if len(self.contacts.reference) <= 1 else "equal-compliance"
        self.notes = {"contact_force": (("resolution", kind),)}
        self._end: float
        self._rows: Array
        self._jammed: bool
        self._lands: bool
        self._flies = False
        """Of a step: its end, s; rows (m, POINT) of the contact points; True if sliding has no solution and must stop; if points
        may land in it; if open points pass through obstacles."""

    @property
    def scales(self) -> tuple[float, float, float]:
        return 0.0, self.body.mass, float(self.principal_moments[-1])

    def in_space(self, time: float, motion: Motion) -> InSpace:
        (x, Q), (v, spin) = motion.configuration, motion.velocity
        arms = self.nodes.at(motion.configuration, time).arms
        change, moment = motion.acceleration
        J = Q @ self.J @ Q.T
        turning: Array = np.asarray(np.linalg.solve(J, moment - cross(spin, J @ spin)), float)
        rate, second = hat(spin), hat(turning) + hat(spin) @ hat(spin)
        return InSpace(x + arms, v + arms @ rate.T, change + arms @ second.T, FrameMotion(x, v, change))

    def reference(self) -> Fields:
        return {"X": self.nodes.reference}

    def series_of(self, rows: Rows, ledger: Series) -> Series:
        ends, count = rows.ends, len(rows.times)
        (x, Q), (v, spin), _ = ends.motion
        arms, axes, carried = self.nodes.over(x, Q, rows.times)
        status, force = ends.status, ends.force
        if self.pressed:
            each = enumerate(self.pressed, len(self.effects) - len(self.pressed))
            forces = [effect.forces_over(rows.times, rows.ends.motion, rows.internal(k)) for k, effect in each]
            pushes = np.concatenate(forces, axis=1)
            status = np.concatenate([status, np.where(pushes.any(axis=2), SLIP, OPEN)], axis=1)
            force = np.concatenate([force, to_axes(axes[:, force.shape[1] :], pushes)], axis=1)
        slip = to_axes(axes, v[:, None] + cross(spin[:, None], arms) - carried)
        slip[status == STICK, :2] = 0.0
        h = self.moment_of_momentum(Q, spin)
        series: Series = {
            "time": rows.times,
            "frame_position": x,
            "frame_velocity": v,
            "frame_spin": spin,
            "linear_momentum": self.body.mass * v,
            "angular_momentum": cross(x, self.body.mass * v) + h,
            "position": x[:, None] + arms,
            "velocity": carried + to_space(axes, slip),
            "friction_force": to_space(axes, force * [1.0, 1.0, 0.0]),
            "stick": STICK_SERIES[status],
            "rigid_residual": self._residual(rows, h, force),
        }
        series |= {"frame_rotation": quaternions(Q), "J": np.broadcast_to(self.J, (count, 3, 3))}
        return series | {"contact_force": to_space(axes, force), "normal_force": force[:, :, 2]} | ledger

    def _residual(self, rows: Rows, h: Array, force: Array) -> Array:
        """Residual (K,) of (2.3)1 and (2.3)2 in momentum form over the largest term; of moments also over contact forces ``force``
        (K, P, 3) × radius. Rounding of the momenta (``h`` (K, 3), angular) over a step counts as zero."""
        (_, (v, _), acceleration), arms = rows.ends.motion, (1.0, self.radius)
        size, largest = np.abs(force).sum(axis=(1, 2)), np.zeros(len(rows.times))
        momenta, rates = (self.body.mass * v, h), self.apply_mass(acceleration)
        for rate, force, momentum, arm in zip(rates, rows.ends.balance, momenta, arms, strict=True):
            size = np.maximum(np.maximum(np.abs(rate).max(axis=1), np.abs(force).max(axis=1)), size * arm)
            noise = 64.0 * np.finfo(float).eps * np.abs(momentum).max(axis=1) / rows.lengths
            rest = np.abs(rate - force).max(axis=1)
            largest = np.maximum(largest, largest_share(rest[:, None], size[:, None], noise[:, None]))
        return largest

    def turning_diagnostics(self, configuration: Blocks, spin: Array, times: Array) -> dict[str, Array]:
        """Diagnostics (K, …) of spins (K, 3) and of the outline, of a body at x (K, 3) and Q (K, 3, 3)."""
        (x, Q), gaps = configuration, np.full(len(times), np.inf)
        outline, h = x[:, None] + np.asarray(self.body.outline) @ Q.swapaxes(1, 2), self.moment_of_momentum(Q, spin)
        for obstacle in self.nodes.obstacles if outline.shape[1] else ():
            gaps = np.minimum(gaps, obstacle.gaps(outline, times).min(axis=1))
        return {
            "spin_momentum": h,
            "spin_energy": 0.5 * np.einsum("ka,ka->k", h, spin),
            "turn_rate": np.linalg.norm(spin, axis=1),
            "outline_penetration": np.maximum(0.0, -gaps),
        }

    def path_penetration(self, before: State, after: State) -> float:
        uneven = [(part, obstacle) for obstacle, part in self.nodes.groups if not obstacle.level]
        x, y = (self.nodes.centres(state.motion.configuration) for state in (before, after))
        times, radius = (before.time, after.time), self.nodes.radius
        return max((path_penetration(o, (x[part], y[part]), times, radius) for part, o in uneven), default=0.0)

    def diagnostics(self, before: State, after: State) -> Diagnostics:
        x, Q, spin = (block[None] for block in (*after.motion.configuration, after.motion.velocity[1]))
        values = {k: v[0] for k, v in self.turning_diagnostics((x, Q), spin, np.array([after.time])).items()}
        gaps = self.nodes.at(after.motion.configuration, after.time).gaps[len(self.contacts.reference) :]
        depths = values["outline_penetration"], penetration(gaps), self.path_penetration(before, after)
        return values | contact_diagnostics(after, *depths) | {"painleve": self.painleve(after)}

    def painleve(self, state: State) -> float:
        """Least W_nn − μ W_nt·n̂, 1/kg, of loaded sliding points."""
        acting, P, (x, Q) = self.acting, self.points(), state.motion.configuration
        P[:, rec.SLIP : rec.STATUS], status = state.friction.slip, state.friction.status
        presses = state.friction.multiplier[:, 2] < 0.0
        P[:, rec.FORCE + 2] = presses if presses.any() else status == SLIP  # jamming begins without forces
        acting.evaluate_obstacles(self.contacts.centres((x, Q)), state.time)
        contact_geometry(acting.body[0], acting.ground(state.time), tuple(x), Q, P, acting.surface)
        return float(painleve_at(acting.body[0], Q, P, acting.linear[0]))

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        return (impact_record(scaled(0.0, motion.velocity)),)

    def initial_motion(self) -> Motion:
        return self._initial

    @cached_property
    def acting(self) -> CompiledSpaceBody:
        """Arrays of the compiled kernels."""
        return CompiledSpaceBody(self.body, self.contacts, self.effects)

    @cached_property
    def base(self) -> Array:
        """Rows (ROWS, N) of the points of a flat base for the kernels: none."""
        return np.zeros((ROWS, 0))

    def points(self) -> Array:
        """Rows (m, POINT) of contact points for the kernels, with the constants of all steps."""
        P = np.zeros((len(self.contacts.reference), rec.POINT))
        P[:, rec.REFERENCE : rec.KINETIC] = self.contacts.reference_centres
        P[:, rec.KINETIC], P[:, rec.STATIC] = self.friction.coefficient, self.friction.static
        return P

    def begin(self, state: State, end: float, *, inertia: bool, lands: bool) -> Self:
        """Find loaded, touching and approaching points: an approaching one gets no force in a step without landings. Points whose
        sliding may have no solution (Painlevé) may stop by an impulse, like landing ones."""
        begun, acting, P, (x, Q) = copy(self), self.acting, self.points(), state.motion.configuration
        P[:, rec.INCOMING : rec.OPEN_ONLY], P[:, rec.FORCE : rec.SLIP] = state.friction.slip, -state.friction.multiplier
        acting.evaluate_obstacles(self.contacts.centres((x, Q)), state.time)
        velocity = np.concatenate(state.motion.velocity)
        begin_points(acting.body[0], acting.ground(state.time), tuple(x), Q, velocity, lands, P, acting.surface)
        P[:, rec.OPEN_ONLY] *= 1.0 + self._flies
        jammed = not lands and self.painleve(state) <= 0.0
        begun._end, begun._rows, begun._jammed, begun._lands = end, P, jammed, lands
        return begun

    @property
    def flying(self) -> Self:
        """The same body with points that pass through obstacles from which they are apart at a step's start."""
        flying = copy(self)
        flying._flies = True
        return flying

    def apart(self, state: State, end: float) -> Mask:
        """Mask (m,) of points that are apart from obstacles at the start of a step to ``end`` s, or approach."""
        return np.asarray(self.begin(state, end, inertia=True, lands=False)._rows[:, rec.OPEN_ONLY] != 0.0)

    def retract(self, configuration: Blocks, increment: Blocks) -> Blocks:
        """(x + ξ, exp(Θ) Q)."""
        return configuration[0] + increment[0], exponential(increment[1]) @ configuration[1]

    def increment_rate(self, start: Motion, motion: Motion) -> Blocks:
        """(v, Θ') with Θ the turn since ``start``."""
        v, spin = motion.velocity
        return v, turn_rate(start.configuration[1], motion.configuration[1], spin)

    def moment_of_momentum(self, rotation: Array, spin: Array) -> Array:
        """h = QJQᵀΩ (…, 3) N m s."""
        return np.asarray(rotation @ (self.J @ (rotation.swapaxes(-1, -2) @ spin[..., None])))[..., 0]

    def momentum(self, motion: Motion) -> Blocks:
        """(v, h), with the accelerations as rates."""
        return motion.velocity[0], self.moment_of_momentum(motion.configuration[1], motion.velocity[1])

    def ground_rates(self, ground: Array) -> Blocks:
        return ground, np.zeros(3)

    def slip(self, time: float, motion: Motion, ground: Array) -> Array:
        """Velocities (m, 3) m/s of the points against the obstacles, along the axes of contact."""
        return self.contacts.at(motion.configuration, time).slip(motion.velocity)

    def apply_mass(self, acceleration: Blocks) -> Blocks:
        return self.body.mass * acceleration[0], acceleration[1]

    def solve_stage(
        self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None
    ) -> Stage | None:
        """Solve one stage; None for a landing that the step excludes. Raises Unsolved (NotConverged), ConeError."""
        if self._jammed:
            return None
        acting, P, lands = self.acting, self._rows, self._lands
        coefficient = self.friction.at_rest(reference)
        P[:, rec.FRICTION] = coefficient if fixed is None else np.where(fixed, np.inf, coefficient)
        P[:, rec.FORCE : rec.SLIP], P[:, rec.PERSISTS] = -guess.multiplier, P[:, rec.PRESSED]
        velocity, ground, counts = guess.velocity, acting.ground(history.time), Counts()
        for _ in range(2 * len(P) + 1):
            velocity, configuration, more = acting.solve(history, velocity, P, ground)
            counts = counts.plus(more)
            if not release_points(acting.body[0], history.tau_v, np.concatenate(velocity), P):
                break
        force, power = np.zeros((2, 6)), np.zeros((2, 2))
        if finish_points(history.theta, history.tau_v, lands, P, force, power) == POINT_LANDS:
            return None
        pulls, (driven, struck) = [(row[:3], row[3:]) for row in force], power.tolist()
        landed = Impact(~np.isnan(P[:, rec.LANDING_LOSS]), pulls[1], *struck) if lands else None
        friction = Friction(
            P[:, rec.SLIP : rec.STATUS].copy(),
            -P[:, rec.FORCE : rec.SLIP],
            P[:, rec.STATUS].astype(np.int8),
            axpy(pulls[0], 1.0, pulls[1]),
            driven[0] + struck[0],
            landed,
        )
        motion = self.end_motion(history, configuration, velocity)
        own = (impact_record(scaled(0.0, motion.velocity), landed),)
        return Stage(motion=motion, friction=friction, problem=history.friction, own=own, counts=counts)

    def end_motion(self, history: StageHistory, configuration: Blocks, velocity: Blocks) -> Motion:
        """Motion at a stage's end, with the rates of the momenta in the stage."""
        change = axpy(self.momentum(Motion(configuration, velocity, velocity)), -1.0, history.velocity)
        return Motion(configuration, velocity, scaled(1.0 / history.tau_v, change))

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """Motion at the step's end, persistent contacts projected (``kernels.projection``). Raises Unsolved (WentThrough)."""
        last, acting, P, end = partial.stages[-1], self.acting, self._rows, self._end
        P[:, rec.SLIP : rec.STATUS], P[:, rec.FORCE : rec.SLIP] = last.friction.slip, -last.friction.multiplier
        linear, motion, m = acting.linear[0], last.motion, len(P)
        linear["place"], linear["rotation"] = motion.configuration
        acting.stage["time"] = end
        room = np.empty((m, m)), np.empty((2, m)), np.empty(m, np.int8)
        project(acting.body[0], acting.stage[0], acting.ground(end), acting.python[0], acting.surface, linear, P, *room)
        acting.raise_error()
        put, turn = float(linear["put"]), float(linear["drift"])
        if not put + self.radius * turn <= CORNER_DEPTH * self.radius:
            raise Unsolved(
                f"points are {put + self.radius * turn:.3g} m inside of an obstacle at t = {end:.9g} s",
                "WentThrough",
            )
        x, Q = linear["place"].copy(), linear["rotation"].copy()
        if not self._flies:
            self.nodes.refuse_passage(partial.state.motion.configuration, (x, Q), (partial.state.time, end))
        return motion._replace(configuration=(x, Q)), Counts(drift=turn)

    def mass_matrix(self, motion: Motion) -> Array:
        """Mass matrix (6, 6) from (v, Ω) to both momenta, in space."""
        Q, mass = motion.configuration[1], self.body.mass * np.eye(6)
        mass[3:, 3:] = Q @ self.J @ Q.T
        return mass

    def driving(self, time: float, motion: Motion, internal: Internal, *, left: bool) -> Array:
        """Force and moment (6,) of the effects at one instant."""
        return np.concatenate(applied(self.effects, effects_at(self.effects, time, internal, left=left), *motion[:2]))

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        """Accelerations and contact forces at one instant.

        Points touch within ``TOUCHING`` unless they separate; sliding points keep their direction."""
        total = self.driving(time, motion, internal, left=left)
        spin, inverse = motion.velocity[1], np.linalg.inv(self.mass_matrix(motion))
        at = self.contacts.at(motion.configuration, time)
        slip, pulls = at.slip(motion.velocity), at.pulls.T.reshape(-1, 3, 6)
        scale = float(np.abs(slip).max(initial=0.0)) + self.radius * float(np.linalg.norm(spin))
        driven = pulls @ (inverse @ total)
        still = AT_REST * (scale + float(np.abs(driven).max(initial=0.0)))
        touches = (np.abs(at.gaps) <= TOUCHING) & (slip[:, 2] <= APPROACHES * scale + still)
        slip[np.abs(slip) <= still] = 0.0
        force = np.zeros_like(slip)
        status = np.full(len(slip), OPEN, np.int8)
        if touches.any():
            rows = pulls[touches].reshape(-1, 6)
            h = self.moment_of_momentum(motion.configuration[1], spin)
            gyroscopic = np.concatenate([np.zeros(3), cross(spin, h)])
            convective = self.contacts.convective_rates(at, motion, time)[touches]
            rates = rows @ (inverse @ (total - gyroscopic)) + convective.ravel()
            response, size, own = rows @ inverse @ rows.T, float(np.abs(total).max()), slip[touches, :2]
            mu, kinetic = self.friction.at_rest(slip)[touches], self.friction.coefficient[touches]
            for _ in range(len(own) + 1):
                force[touches], status[touches] = pressed_at(response, rates.reshape(-1, 3), own, mu, size)
                broke = (status[touches] == SLIP) & (mu > kinetic)
                if not broke.any():
                    break
                mu = np.where(broke, kinetic, mu)
        reaction = at.pull(force)
        acceleration = ((total[:3] + reaction[0]) / self.body.mass, total[3:] + reaction[1])
        friction = Friction(slip, -force, status, reaction, float(np.vdot(at.in_space(force), at.obstacle_velocity)))
        return Consistent(motion._replace(acceleration=acceleration), friction, self.own(time, motion))
