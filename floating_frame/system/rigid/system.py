"""A rigid body as a system: block (q,) = ((x0, y0, α),), (3.4)1 with u = 0, friction integrated over its friction points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floating_frame.contact.signorini import ExactContacts
from floating_frame.effect.protocol import Blocks, Effect, Inclusion, Internal, Motion, Record
from floating_frame.frame.kinematics import Array, FrameMotion, cross, motion_in_space, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.model import Model
from floating_frame.system.plane import PlaneResults, PlaneSystem, still
from floating_frame.system.protocol import Consistent, Series, applied, effects_at
from floating_frame.system.rigid.exact_contact import RigidExactContact
from floating_frame.system.rigid.stage import RigidRow, row_friction
from floating_frame.system.state import InSpace, State
from friction.rigid.problem import RigidFrictionProblem, point_velocity
from friction.rigid.set_valued import solve_at_rest


class RigidResults(PlaneResults):
    """What is asked of a rigid body."""

    def __init__(self, system: RigidSystem) -> None:
        super().__init__(system)
        rule, finer = self.model.body.friction, self.model.body.finer
        self.quadratures = () if finer is None else (rule, finer)
        self._strikes = system.exact is not None

    @property
    def friction_mass(self) -> Array:
        weights = self.model.body.friction.weights
        return np.asarray(self.model.mass.total * weights / weights.sum())

    def wrench(self, force: Blocks, motion: Motion, about: Array) -> Array:
        arm = motion.configuration[0][:2] - about
        return np.asarray(force[0] + [0.0, 0.0, float(cross(arm, force[0]))])

    def series(self, state: State, step: float) -> Series:
        series, impacts = super().series(state, step), state.impacts
        if not self._strikes:
            return series
        return series | {
            "impacts": impacts.count,
            "impact_restitution": impacts.restitution,
            "impact_impulse": impacts.impulse,
            "impact_loss": impacts.loss,
            "impact_energy_created": impacts.created,
        }


class RigidSystem(RigidRow, PlaneSystem):
    """A rigid body under ``effects``, with ``exact`` contacts or none."""

    def __init__(
        self, model: Model, effects: Sequence[Effect], friction: Inclusion, exact: RigidExactContact | None
    ) -> None:
        super().__init__(model, effects, friction, [] if exact is None else [exact])
        mass, self.exact = model.mass, exact
        self._inertia = np.array([mass.total, mass.total, mass.second_moment])
        self.feet, self.results = model.body.friction.points, RigidResults(self)

    def with_contacts(self, contacts: ExactContacts) -> RigidSystem:
        return RigidSystem(self.model, self.effects, self.friction, RigidExactContact(self.model, contacts))

    @property
    def inertia(self) -> Array:
        return self._inertia

    def in_space(self, time: float, motion: Motion) -> InSpace:
        X = self.model.body.X
        frame = FrameMotion(motion.configuration[0], motion.velocity[0], motion.acceleration[0])
        position, _, acceleration = motion_in_space(X, still(X), frame)
        velocity = point_velocity(frame.rates, to_inertial(X, frame.angle))
        return InSpace(position, velocity, acceleration, frame)

    def initial_motion(self) -> Motion:
        """Return the given rates at the origin. Raises ValueError for an initial deformation."""
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
