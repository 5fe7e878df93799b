"""A rigid body in space that slides and turns on its flat base of many points: v_z = Ω_x = Ω_y = 0 while it neither lifts nor tips.

Its three equations along the plane are those of a rigid body there, with friction bounds μ p_n, and are solved so. The other three
give the normal forces: their sum N and, with the base h below the centre of mass, their moments,

    Σ d_y p_n = M_x − h Σ p_y,    Σ d_x p_n = −M_y − h Σ p_x,

M the moment that the contact has to exert. Of all p_n >= 0 with these resultants those of least norm are taken
(``friction.redistribution``). Friction shifts the pressure: a stage and an instant are solved under given bounds, whose fixed point
is ``scheme.reaction``'s."""

from __future__ import annotations

from copy import copy

import numpy as np

from floating_frame.effect.protocol import Friction, FrictionProblem, Inclusion, Internal, Mask, Motion
from floating_frame.errors import NotConverged
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import wrench
from floating_frame.frame.rotations import cross, exponential
from floating_frame.scheme.reaction import DEPTH, MAX_ROUNDS, SETTLED, extrapolated
from floating_frame.system.protocol import Blocks, Consistent, Guess, Partial, Stage, StageHistory, System
from floating_frame.system.rigid.stage import RigidRow
from floating_frame.system.space.ground import GroundContact
from floating_frame.system.space.system import SpaceRigidSystem
from floating_frame.system.state import Counts
from friction.cone import SLIPS, STICKS
from friction.redistribution import redistribution
from friction.rigid.problem import RigidFrictionProblem, RigidStart, point_velocity
from friction.rigid.set_valued import solve_at_rest, solve_set_valued

ALONG = np.array([0, 1, 5])
"""v_x, v_y, Ω_z among the six rates."""


class Lifts(NotConverged):
    """Say that nothing presses a flat base on the ground."""


class FlatContact(GroundContact):
    """The ground under a flat base: friction with the bounds μ p_n of the pressure that it was last given, at first none."""

    reacts = True
    pressure: Array | float = 0.0
    sliding = Inclusion.sliding

    def redistributed(self, time: float, arms: Array, multiplier: Array) -> FlatContact:
        """Return the friction under the pressure that is part of the multiplier."""
        ground = copy(self)
        ground.pressure = np.maximum(-multiplier[:, 2], 0.0)
        return ground

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> FrictionProblem:
        return FrictionProblem(self.law, self.law, self.coefficient * self.pressure, self.ground(time))


class FlatBaseSystem(RigidRow, SpaceRigidSystem):
    """A rigid body on a flat base; see the head of this file."""

    jams = False

    @property
    def inertia(self) -> Array:
        """Mass, mass, and the moment of inertia about z, which turning about z does not change."""
        return np.array([self.body.mass, self.body.mass, self.body.inertia[2, 2]])

    def arms(self, motion: Motion) -> Array:
        """Return the arms (m, 3) m of the base's points."""
        return self.body.shape.arms(motion.configuration[1])

    def along(self, blocks: Blocks) -> Array:
        return np.asarray(np.concatenate(blocks)[ALONG])

    def friction_arms(self, motion: Motion) -> Array:
        return self.arms(motion)[:, :2]

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        """Solve a stage, its pressure included. Raises RigidFrictionError, NotConverged, Tips, Lifts."""
        held = fixed is not None and bool(fixed[0])
        if held:
            rates, pressed, counts = np.zeros(6), history.friction, Counts(passes=1)
            tangential = np.zeros((len(self.body.shape.shares), 2))
        else:
            rates, tangential, pressed, counts = self._sliding(history, guess, reference)
        configuration, driving = self._driven(history, rates)
        motion = self.moved(history, configuration, (rates[:3], rates[3:]))
        contact = np.concatenate(self.apply_mass(motion.acceleration)) - driving
        if held:
            tangential = self.body.shape.shares[:, None] * contact[:2]
        friction = self._friction(rates, self.arms(motion), tangential, contact, held=held)
        return Stage(motion=motion, friction=friction, problem=pressed, own=(), counts=counts)

    def _sliding(
        self, history: StageHistory, guess: Guess, reference: Array
    ) -> tuple[Array, Array, FrictionProblem, Counts]:
        """Return the rates (6,), the forces along the ground (N, 2) N, the friction problem under the pressure that they leave, and
        the counts: rounds under a given pressure, whose moment is extrapolated."""
        shares, coefficient = self.body.shape.shares, self.friction.coefficient
        rates, multiplier, bound = np.zeros(6), guess.multiplier[:, :2], history.friction.bound
        rates[ALONG] = self.along(guess.velocity)
        before = np.concatenate(history.velocity) * np.repeat([self.body.mass, 1.0], 3) / history.tau_v
        (_, Q), driving = self._driven(history, rates)
        given, rounds, newton = None, list[tuple[Array, Array]](), 0
        slid, each = np.any(reference[:, :2], axis=1), np.ones(len(shares))
        for passes in range(1, MAX_ROUNDS + 1):
            arms = np.ascontiguousarray(self.body.shape.arms(Q)[:, :2])
            problem = RigidFrictionProblem(
                inertia=self.inertia / history.tau_v, wrench=(before + driving)[ALONG], arms=arms, bound=bound
            )
            start = RigidStart(rates[ALONG], multiplier)
            result = solve_set_valued(self.friction.law, problem, start, slid)
            turned, newton = abs(result.rates[2] - rates[5]) * history.tau_x, newton + result.iterations
            rates[ALONG], multiplier = result.rates, result.multiplier
            (_, Q), driving = self._driven(history, rates)
            spinning = (Q @ self.body.inertia @ Q.T)[:, 2] * rates[5] / history.tau_v
            exerted = spinning - before[3:] - driving[3:]
            normal, moment = self._borne(-before[2] - driving[2], exerted, -each @ multiplier)
            if given is not None:
                missed = float(np.abs(moment - given).max())
                if turned <= SETTLED and missed <= SETTLED * normal * self.body.radius:
                    return rates, -multiplier, history.friction._replace(bound=bound), Counts(passes, newton)
                rounds = [*rounds[-DEPTH:], (moment - given, moment)]
            given = extrapolated(rounds) if rounds else moment
            bound = coefficient * normal * shares * redistribution(normal * shares, arms, given)
        raise NotConverged(
            f"the pressure of the stage ending at t = {history.time:.9g} s did not settle in {passes} rounds"
        )

    def _borne(self, normal: float, exerted: Array, drag: Array) -> tuple[float, Array]:
        """Return the normal force N and the moment Σ d p_n (2,) N m under the base, of which the contact's moment is ``exerted``
        (3,) N m and the friction ``drag`` (2,) N. Raises Lifts."""
        height = -float(self.body.shape.reference[0, 2])
        moment = np.array([-exerted[1] - height * drag[0], exerted[0] - height * drag[1]])
        # Without weight, at rest or sliding freely, the base stays.
        if normal < 0.0 or (normal == 0.0 and np.any(moment)):
            raise Lifts(f"nothing presses the base on the ground: the normal force would be {normal:.4g} N")
        return normal, moment

    def _driven(self, history: StageHistory, rates: Array) -> tuple[Blocks, Array]:
        """Return the configuration at a stage's end with the ``rates`` (6,), and force and moment (6,) of the effects there."""
        Q = exponential(history.way[1] + history.tau_x * rates[3:]) @ history.origin[1]  # all turns are about z
        configuration = (history.origin[0] + history.way[0] + history.tau_x * rates[:3], Q)
        applied = self.applied(history.effects, configuration, (rates[:3], rates[3:]))
        return configuration, history.theta * np.concatenate(applied) + np.concatenate(history.start_force)

    def _friction(
        self, rates: Array, arms: Array, tangential: Array, contact: Array, *, held: bool = False
    ) -> Friction:
        """Return what the contact does that exerts the wrench ``contact`` (6,); of a body that is ``held``, whose friction is left
        open, all of it. Raises Tips, Lifts."""
        drag = np.array([tangential[:, 0].sum(), tangential[:, 1].sum()])
        normal, moment = self._borne(float(contact[2]), contact[3:], drag)
        load = normal * self.body.shape.shares
        pressure = load * redistribution(load, np.ascontiguousarray(arms[:, :2]), moment)
        force, slip = np.empty((2, *arms.shape))
        force[:, 0], force[:, 1], force[:, 2] = tangential[:, 0], tangential[:, 1], pressure
        slip[:, :2], slip[:, 2] = point_velocity(rates[ALONG], arms[:, :2]), 0.0
        whole = (contact[:3], contact[3:])
        if not held:
            turning = arms.T @ force  # Σ a_i p_j
            about = np.array(
                [turning[1, 2] - turning[2, 1], turning[2, 0] - turning[0, 2], turning[0, 1] - turning[1, 0]]
            )
            whole = (np.array([*drag, pressure.sum()]), about)
        moves = (slip[:, 0] != 0.0) | (slip[:, 1] != 0.0)
        return Friction(slip, -force, np.where(moves, SLIPS, STICKS).astype(np.int8), whole)

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """Return the last stage's motion: the base does not leave the ground."""
        return System.resplit(self, partial)

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        arms, Q, inertia = self.arms(motion), motion.configuration[1], self.inertia
        J, spin, rates = Q @ self.body.inertia @ Q.T, motion.velocity[1], np.concatenate(motion.velocity)
        driving = self.driving(time, motion, internal, left=left)
        law, _, bound, _ = self.friction.for_stage(time, None, 0.0)
        if np.any(rates[ALONG]):
            tangential = -law.force(point_velocity(rates[ALONG], arms[:, :2]), bound)
        else:
            row = RigidFrictionProblem(inertia=inertia, wrench=driving[ALONG], arms=arms[:, :2], bound=bound)
            tangential = -solve_at_rest(law, row).multiplier
        change = (driving[ALONG] + wrench(arms[:, :2], tangential)) / inertia
        turning = np.array([0.0, 0.0, change[2]])
        momenta = np.array([*(self.body.mass * change[:2]), 0.0, *(J @ turning + cross(spin, J @ spin))])
        friction = self._friction(rates, arms, tangential, momenta - driving)
        acceleration = ((driving[:3] + friction.force[0]) / self.body.mass, driving[3:] + friction.force[1])
        return Consistent(motion._replace(acceleration=acceleration), friction, ())
