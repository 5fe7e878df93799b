"""A rigid body as a system: block (q,) = ((x0, y0, α),), (3.4)1 with u = 0, friction integrated over its friction points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floating_frame.contact.signorini import ExactContacts
from floating_frame.effect.protocol import Blocks, Effect, Inclusion, Internal, Mask, Motion, Record
from floating_frame.errors import NotConverged, in_pass
from floating_frame.frame.kinematics import Array, FrameMotion, cross, motion_in_space, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.model import Model
from floating_frame.system.plane import PlaneSystem, still
from floating_frame.system.protocol import Consistent, Guess, Partial, Series, Stage, StageHistory, friction_at
from floating_frame.system.rigid.exact_contact import RigidExactContact
from floating_frame.system.rigid.ode import RigidOde
from floating_frame.system.rigid.stage import RigidRow, StageWrench, row_friction, solve_slip, stage_motion
from floating_frame.system.state import Counts, InSpace, State
from friction.rigid.problem import RigidFrictionProblem, RigidStart, point_velocity
from friction.rigid.set_valued import solve_at_rest
from friction.stick import is_coulomb

MAX_TURNS = 60
FORCE_SETTLED = 1e-13
"""Part of the wrench of effects, or of the momenta over τ, that a linearisation may miss."""
ANGLE_SETTLED, ANGLE_SETTLED_IN_CONTACT = 1e-14, 1e-12
"""Part of 1 rad + |α| by which the angle of a stage may still turn."""


class RigidSystem(RigidRow, PlaneSystem):
    """A rigid body under ``effects``, with ``exact`` contacts or none."""

    def __init__(
        self, model: Model, effects: Sequence[Effect], friction: Inclusion, exact: RigidExactContact | None
    ) -> None:
        super().__init__(model, effects, friction, [] if exact is None else [exact])
        mass, self.exact = model.mass, exact
        self._inertia = np.array([mass.total, mass.total, mass.second_moment])
        self.feet, finer = model.body.friction.points, model.body.finer
        self.quadratures = () if finer is None else (model.body.friction, finer)

    def with_contacts(self, contacts: ExactContacts) -> RigidSystem:
        return RigidSystem(self.model, self.effects, self.friction, RigidExactContact(self.model, contacts))

    @property
    def inertia(self) -> Array:
        return self._inertia

    @property
    def friction_mass(self) -> Array:
        weights = self.model.body.friction.weights
        return np.asarray(self.model.mass.total * weights / weights.sum())

    def in_space(self, motion: Motion) -> InSpace:
        X = self.model.body.X
        frame = FrameMotion(motion.configuration[0], motion.velocity[0], motion.acceleration[0])
        position, _, acceleration = motion_in_space(X, still(X), frame)
        velocity = point_velocity(frame.rates, to_inertial(X, frame.angle))
        return InSpace(position, velocity, acceleration, frame)

    def series(self, state: State, step: float) -> Series:
        series, impacts = super().series(state, step), state.impacts
        if self.exact is None:
            return series
        return series | {
            "impacts": impacts.count,
            "impact_restitution": impacts.restitution,
            "impact_impulse": impacts.impulse,
            "impact_loss": impacts.loss,
            "impact_energy_created": impacts.created,
        }

    def initial_motion(self) -> Motion:
        """Return the given rates at the origin. Raises ValueError for an initial deformation."""
        initial = self.model.problem.initial
        if initial.displacement is not None or initial.rate is not None:
            raise ValueError("a rigid body takes no initial displacement or displacement rate")
        initial.fields(self.model.body.X)
        return Motion((np.zeros(3),), (np.array([*initial.velocity, initial.spin], float),), (np.zeros(3),))

    def ground_rates(self, ground: Array) -> Blocks:
        return (np.array([*ground, 0.0]),)

    def slip(self, motion: Motion, ground: Array) -> Array:
        rates = motion.velocity[0] - self.ground_rates(ground)[0]
        return point_velocity(rates, to_inertial(self.feet, motion.configuration[0][2]))

    def ode(self) -> RigidOde:
        return RigidOde(self)

    def friction_arms(self, motion: Motion) -> Array:
        return to_inertial(self.feet, float(motion.configuration[0][2]))

    def apply_mass(self, acceleration: Blocks) -> Blocks:
        return (self.inertia * acceleration[0],)

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        return () if self.exact is None else (Record((np.zeros(3),), mixed=False),)

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        return () if self.exact is None else (0.0,)

    def predict(self, history: StageHistory, partial: Partial) -> Guess:
        """Return the last multipliers known, and the velocities that the last accelerations lead to.

        The last velocities stay where these would turn the slip round, or the start may choose among solutions (``PlateSystem``).
        """
        guess = super().predict(history, partial)
        jumps = self.exact is not None or any(effect.may_jump for effect in self.effects)
        if jumps or not np.isfinite(history.tau_v) or not is_coulomb(history.friction.law):
            return guess
        (last,), (acceleration,), (ground,) = guess[0], guess[1], self.ground_rates(history.friction.ground)
        ahead = history.velocity[0] + history.tau_v * acceleration
        turns = float((ahead - ground) @ (self.inertia * (last - ground))) < 0.0
        return guess if turns else guess._replace(velocity=(ahead,))

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        """Solve one stage. Raises RigidFrictionError, UnilateralError, NotConverged."""
        (q0,), (v0,), (law, _, bound, _, pressing) = history.configuration, history.velocity, history.friction
        d, tau, ground = self.inertia / history.tau_v, history.tau_x, self.ground_rates(history.friction.ground)[0]
        acting = StageWrench(self.effects, history, d, law.set_valued and bool(bound.any()))
        if fixed is not None and fixed[0]:
            return self._held(history, acting, ground)
        rates, multiplier = guess.velocity[0], guess.multiplier
        angle = q0[2] + tau * rates[2]
        contact = None if self.exact is None else self.exact.in_stage(history, rates, guess.unilateral)
        close = ANGLE_SETTLED if contact is None else ANGLE_SETTLED_IN_CONTACT
        newton, fallbacks, contact_force = 0, 0, np.zeros(3)
        for turn in range(1, MAX_TURNS + 1):
            arms = to_inertial(self.feet, angle)
            h, drive = acting.linearised(rates, ground)
            drive, start = drive + d * (v0 - ground), RigidStart(rates - ground, multiplier)
            problem = RigidFrictionProblem(inertia=h, wrench=drive, arms=arms, bound=bound, pressing=pressing)
            with in_pass(turn, history.time):
                if contact is None:
                    slip = solve_slip(law, problem, start, reference)
                else:
                    slip, contact_force = contact.solve(law, problem, start, reference, angle, ground)
            newton, fallbacks = newton + slip.iterations, fallbacks + int(slip.fallback)
            multiplier = slip.multiplier
            rates, whole = acting.damped(slip.rates + ground)
            at, angle = angle, q0[2] + tau * rates[2]
            turned_by = abs(angle - at)
            settled = whole and turned_by <= close * (1.0 + abs(angle)) and acting.left <= FORCE_SETTLED
            if settled and (contact is None or contact.settled(rates, at)):
                break
        else:
            raise NotConverged(
                f"the angle of the stage ending at t = {history.time:.9g} s did not settle in {turn} passes (still "
                f"{turned_by:.3g} rad; contact force still by {acting.left:.3g} of the forces)"
            )
        own = () if contact is None or self.exact is None else (self.exact.record(contact, contact_force, v0, rates),)
        return Stage(
            motion=stage_motion(history, rates),
            friction=row_friction(slip.rates, arms, multiplier),
            problem=history.friction._replace(bound=bound * slip.share, pressing=None),
            own=own,
            counts=Counts(passes=turn, newton=newton, fallbacks=fallbacks),
        )

    def _held(self, history: StageHistory, acting: StageWrench, ground: Array) -> Stage:
        """Return the stage with the body at rest on the ground: its λ are left open, their wrench is what the balance leaves."""
        motion, none = stage_motion(history, ground), np.zeros_like(self.feet)
        friction = friction_at(none, none, (self.inertia * motion.acceleration[0] - acting.total(ground),))
        own = self.own(history.time, motion)
        return Stage(motion=motion, friction=friction, problem=history.friction, own=own, counts=Counts())

    def wrench(self, force: Blocks, motion: Motion, about: Array) -> Array:
        arm = motion.configuration[0][:2] - about
        return np.asarray(force[0] + [0.0, 0.0, float(cross(arm, force[0]))])

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        """D q'' = wrench − Σ Gᵀλ; points at rest on the ground may start to slide along q''."""
        q, rates = motion.configuration[0], motion.velocity[0]
        arms, acting = to_inertial(self.feet, q[2]), self.acting(time, internal, left=left)
        (total,) = self.applied(acting, motion.configuration, motion.velocity)
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
