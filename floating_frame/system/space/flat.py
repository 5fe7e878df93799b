"""A rigid body in space that slides and turns on its flat base of many points: v_z = Ω_x = Ω_y = 0 while it neither lifts nor tips.

Its three equations along the plane are those of a rigid body there, with friction bounds μ p_n, and are solved so. The other three
give the normal forces: their sum N and, with the base h below the centre of mass, their moments,

    Σ d_y p_n = M_x − h Σ p_y,    Σ d_x p_n = −M_y − h Σ p_x,

M the moment that the contact has to exert. Of all p_n >= 0 with these resultants those of least norm are taken
(``friction.reacting``). Pressure and friction are found in turns, for friction shifts the pressure: a fixed point, over problems
that have one solution each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floating_frame.effect.protocol import Friction, Mask, Motion
from floating_frame.errors import NotConverged
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.system.protocol import Consistent, Guess, Partial, Stage, StageHistory
from floating_frame.system.rigid.stage import solve_slip
from floating_frame.system.space.stage import attitude
from floating_frame.system.space.system import SpaceRigidSystem
from floating_frame.system.state import Counts
from friction.cone import SLIPS, STICKS
from friction.reacting import redistribution
from friction.rigid.problem import RigidFrictionProblem, RigidStart, point_velocity
from friction.rigid.set_valued import solve_at_rest

ALONG = np.array([0, 1, 5])
"""v_x, v_y, Ω_z among the six rates."""
MAX_TURNS, SETTLED = 200, 1e-12


class Lifts(NotConverged):
    """Say that nothing presses a flat base on the ground."""


class FlatBaseSystem(SpaceRigidSystem):
    """A rigid body on a flat base; see the head of this file."""

    @property
    def _inertia(self) -> Array:
        """Return mass, mass, and the moment of inertia about z, which turning about z does not change."""
        return np.array([self.body.mass, self.body.mass, self.body.inertia[2, 2]])

    def _pressed(self, wrench: Array, arms: Array, drag: Array) -> Array:
        """Return p_n (m,) N where the contact exerts ``wrench`` (6,) with friction of sum ``drag`` (2,) N. Raises Tips, Lifts."""
        normal, height = float(wrench[2]), -float(arms[0, 2])
        moment = np.array([-wrench[4] - height * drag[0], wrench[3] - height * drag[1]])
        if normal < 0.0 or (
            normal == 0.0 and np.any(moment)
        ):  # without weight, at rest or sliding freely, the base stays
            raise Lifts(f"nothing presses the base on the ground: the normal force would be {normal:.4g} N")
        load = normal * self.body.shape.shares
        return load * redistribution(load, arms[:, :2], moment)

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        """Solve one stage. Raises RigidFrictionError, Tips, NotConverged."""
        body, (x0, start), tau = self.body, history.origin, history.tau_x
        before = np.concatenate(history.velocity) * np.repeat([body.mass, 1.0], 3)
        rates = np.concatenate(guess.velocity)
        tangential, newton, angle, pressure = -guess.multiplier[:, :2], 0, np.inf, np.zeros(len(self.body.shape.shares))
        at_rest = fixed is not None and bool(fixed[0])
        for _ in range(MAX_TURNS):
            rates = np.where(np.isin(np.arange(6), ALONG), rates, 0.0) * (not at_rest)
            now = attitude(start, history.way[1], rates[3:], tau).rotation
            configuration = (x0 + history.way[0] + tau * rates[:3], now)
            arms, J = body.shape.arms(now), now @ body.inertia @ now.T
            applied = self.applied(history.effects, configuration, (rates[:3], rates[3:]))
            driving = history.theta * np.concatenate(applied) + np.concatenate(history.start_force)
            momenta = np.concatenate([body.mass * rates[:3], J @ rates[3:]])
            contact = (momenta - before) / history.tau_v - driving
            last, pressure = pressure, self._pressed(contact, arms, contact[:2] if at_rest else tangential.sum(axis=0))
            settled = (
                abs(rates[5] * tau - angle) <= SETTLED and np.abs(pressure - last).max() <= SETTLED * pressure.max()
            )
            if settled or at_rest:
                break
            angle, inertia = rates[5] * tau, self._inertia / history.tau_v
            drive = (before / history.tau_v + driving)[ALONG]
            bound = history.friction.bound * pressure
            problem = RigidFrictionProblem(inertia=inertia, wrench=drive, arms=arms[:, :2], bound=bound)
            start_at = RigidStart(rates[ALONG], -tangential)
            result = solve_slip(self.friction.law, problem, start_at, reference[:, :2])
            rates, tangential, newton = rates.copy(), -result.multiplier, newton + result.iterations
            rates[ALONG] = result.rates
        else:
            raise NotConverged(
                f"pressure and friction under the base did not settle in the stage ending at t = {history.time:.9g} s"
            )
        if at_rest:
            tangential = self.body.shape.shares[:, None] * contact[:2]
        return Stage(
            motion=self.moved(history, configuration, (rates[:3], rates[3:])),
            friction=self._friction(rates, arms, tangential, pressure, contact if at_rest else None),
            problem=history.friction,
            own=(),
            counts=Counts(passes=1, newton=newton),
            data=np.zeros(len(pressure), np.bool_),
        )

    def _friction(
        self, rates: Array, arms: Array, tangential: Array, pressure: Array, whole: Array | None = None
    ) -> Friction:
        """Return what the contact does; ``whole`` (6,): its wrench where the body is held, whose friction is left open."""
        slip = np.zeros((len(pressure), 3))
        slip[:, :2] = point_velocity(rates[ALONG], arms[:, :2])
        force = np.column_stack([tangential, pressure])
        wrench = np.concatenate([force.sum(axis=0), cross(arms, force).sum(axis=0)]) if whole is None else whole
        status = np.where(np.any(slip, axis=1), SLIPS, STICKS).astype(np.int8)
        return Friction(slip, -force, status, (wrench[:3], wrench[3:]))

    def reversing(self, history: StageHistory, partial: Partial, stage: Stage, reference: Array) -> Mask:
        """Return whether the body, one group, ends sliding backwards although friction could keep it at rest in the mean."""
        state, scheme, stages = partial.state, partial.scheme, [*partial.stages, stage]
        incoming = state.motion if any(np.any(v) for v in state.motion.velocity) else stages[0].motion
        inertia = self._inertia
        came, goes = (np.concatenate(m.velocity)[ALONG] for m in (incoming, stage.motion))
        if not float(goes @ (inertia * came)) < 0.0:
            return np.zeros(1, np.bool_)
        net = [
            np.concatenate(self.apply_mass(s.motion.acceleration)) - np.concatenate(s.friction.force) for s in stages
        ]
        started = np.concatenate(state.motion.velocity)[ALONG]
        needed = inertia * started / partial.dt + np.array(net)[:, ALONG].T @ scheme.weights
        bound = history.friction.bound * (np.array([-s.friction.multiplier[:, 2] for s in stages]).T @ scheme.weights)
        arms = self.arms(stage.motion)[:, :2]
        problem = RigidFrictionProblem(inertia=inertia, wrench=needed, arms=arms, bound=bound)
        return np.array([not np.any(solve_at_rest(self.friction.law, problem).rates)])

    def beyond_bound(self, history: StageHistory, mean: Array, fixed: Mask) -> Mask:
        """Return False: a body is fixed only where friction can hold it."""
        return np.zeros_like(fixed)

    def consistent(
        self, time: float, motion: Motion, internal: Sequence[Array | None], *, left: bool = True
    ) -> Consistent:
        """Return accelerations and contact forces at one instant, by the same turns."""
        arms, Q = self.arms(motion), motion.configuration[1]
        J, rates = Q @ self.body.inertia @ Q.T, np.concatenate(motion.velocity)
        driving = self.driving(time, motion, internal, left=left)
        law, coefficient = self.friction.law, self.friction.coefficient
        slip = point_velocity(rates[ALONG], arms[:, :2])
        inertia = self._inertia
        tangential, pressure = np.zeros((len(arms), 2)), np.zeros(len(arms))
        for _ in range(MAX_TURNS):
            change = (driving[ALONG] + _along(arms, tangential)) / inertia
            turning = np.array([0.0, 0.0, change[2]])
            momenta = np.array([*(self.body.mass * change[:2]), 0.0, *(J @ turning + cross(rates[3:], J @ rates[3:]))])
            last, pressure = pressure, self._pressed(momenta - driving, arms, tangential.sum(axis=0))
            if np.abs(pressure - last).max() <= SETTLED * pressure.max():
                break
            if np.any(rates[ALONG]):
                tangential = -law.force(slip, coefficient * pressure)
            else:
                problem = RigidFrictionProblem(
                    inertia=inertia, wrench=driving[ALONG], arms=arms[:, :2], bound=coefficient * pressure
                )
                tangential = -solve_at_rest(law, problem).multiplier
        else:
            raise NotConverged(f"pressure and friction under the base did not settle at t = {time:.9g} s")
        friction = self._friction(rates, arms, tangential, pressure)
        acceleration = ((driving[:3] + friction.force[0]) / self.body.mass, driving[3:] + friction.force[1])
        return Consistent(motion._replace(acceleration=acceleration), friction, ())


def _along(arms: Array, tangential: Array) -> Array:
    """Return force and moment (3,) along the plane of forces (m, 2) at ``arms``."""
    turning = arms[:, 0] * tangential[:, 1] - arms[:, 1] * tangential[:, 0]
    return np.array([*tangential.sum(axis=0), turning.sum()])
