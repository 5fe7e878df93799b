"""A rigid body in space that slides and turns on its flat base of many points: v_z = Ω_x = Ω_y = 0 while it neither lifts nor tips.

Along the plane it is a rigid body with three unknowns and friction bounds μ p_n; normal forces balance the other three equations
(``kernels.base``). Among all p_n >= 0 with these resultants, equal compliance per area selects one (``friction.redistribution``).
Friction shifts the pressure. Where the base slides a stage solves for both at once (``friction.rigid.reaction``), else by
iteration, like an instant."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, Inclusion, Internal, Mask, Motion
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import wrench
from floating_frame.frame.rotations import cross
from floating_frame.system.pressure_iteration import solve_instant
from floating_frame.system.protocol import Consistent, Guess, Partial, Stage, StageHistory, System, applied
from floating_frame.system.rigid.stage import RigidRow
from floating_frame.system.space.kernels import base as kernels
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.system import SpaceRigidSystem
from floating_frame.system.stages import ANGLE_UNSETTLED, EXCEPTION
from floating_frame.system.state import Counts, State
from friction.errors import RigidFrictionError
from friction.redistribution import redistribution, tipping_error
from friction.rigid.problem import RigidFrictionProblem, point_velocity
from friction.rigid.solve import solve_at_rest
from friction.status import MESSAGES, PRESSURE_UNSETTLED, SOLVED, TIPS

ALONG = np.array([0, 1, 5])
"""v_x, v_y, Ω_z among the six rates."""
UP = np.array([1.0, -1.0])
"""Signs of moments about y and x, in this order, on the body in Σ d p_n along x and y."""


class FlatBaseSystem(RigidRow, SpaceRigidSystem):
    """A rigid body on a flat base; see the head of this file."""

    compiled = kernels.FlatBody

    @property
    def inertia(self) -> Array:
        """Mass, mass, and the moment of inertia about z."""
        return np.array([self.body.mass, self.body.mass, self.J[2, 2]])

    @property
    def height(self) -> float:
        """Height, m, of the centre of mass above the base."""
        return -float(self.body.shape.reference[0, 2])

    def along(self, blocks: Blocks) -> Array:
        return np.asarray(np.concatenate(blocks)[ALONG])

    def friction_arms(self, motion: Motion) -> Array:
        """Arms (N, 2) m along the ground of the base's points, stored by component."""
        return np.asarray((motion.configuration[1][:2] @ self.base[: kernels.SHARE]).T)

    @cached_property
    def base(self) -> Array:
        base = np.zeros((kernels.ROWS, len(self.body.shape.reference)))
        base[: kernels.SHARE], base[kernels.SHARE] = self.body.shape.reference.T, self.body.shape.shares
        base[kernels.MU] = self.friction.coefficient
        return base

    def points(self) -> Array:
        """No points for the kernels of feet."""
        return np.zeros((0, rec.POINT))

    def painleve(self, state: State) -> float:
        linear, friction = self.acting.linear[0], state.friction
        contact = np.column_stack(
            [friction.slip, -friction.multiplier, friction.status, np.zeros((len(friction.slip), 2))]
        )
        if not contact[:, kernels.F_FORCE + 2].any():
            contact[:, kernels.F_FORCE + 2] = 1.0  # jamming begins without forces
        linear["rotation"] = state.motion.configuration[1]
        return float(kernels.painleve_of_base(self.acting.body[0], self.base, contact, linear))

    def begin(self, state: State, end: float, *, inertia: bool, lands: bool) -> Self:
        """The same system: a base neither leaves the ground nor lands."""
        return self

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        """Solve a stage with its pressure. Raises RigidFrictionError, Tips, Unsolved (NotConverged, Lifts)."""
        if fixed is not None and bool(fixed[0]):
            return self._at_rest(history)
        acting, base, linear = self.acting, self.base, self.acting.linear[0]
        linear["velocity"], linear["spent"] = np.concatenate(guess.velocity), 0
        base[kernels.FRICTION_X : kernels.SIGMA] = guess.multiplier[:, :2].T
        given = acting.arguments(history, acting.ground(history.time))
        self._refuse(kernels.solve_base(*given, linear, self.points(), base), history.time)
        v, Q, (passes, newton) = linear["velocity"].copy(), linear["rotation"].copy(), linear["spent"].tolist()
        friction, share = self._contact(), base[kernels.SIGMA]
        problem = history.friction._replace(bound=base[kernels.AT_REST] * share)
        motion = self.end_motion(history, (linear["place"].copy(), Q), (v[:3], v[3:]))
        own = self.own(history.time, motion)
        return Stage(motion=motion, friction=friction, problem=problem, own=own, counts=Counts(passes, newton))

    def _refuse(self, status: int, time: float) -> None:
        """Raise the error of a stage that is not solved: RigidFrictionError, Tips, Unsolved (NotConverged, Lifts), or of Python."""
        linear = self.acting.linear[0]
        if status == SOLVED:
            return
        if status == EXCEPTION:
            self.acting.raise_error()
        if status == TIPS:
            _refuse_lifting(float(linear["rest"][2]), linear["rest"][3:5])
            raise tipping_error(float(linear["put"]))
        if status in (ANGLE_UNSETTLED, PRESSURE_UNSETTLED):
            raise Unsolved(
                f"pressure and friction under the base did not settle in the stage ending at t = {time:.9g} s"
            )
        raise RigidFrictionError(MESSAGES[status])

    def _at_rest(self, history: StageHistory) -> Stage:
        """Stage with the body at rest: the ground exerts the residual of its balance, friction shared like the weight."""
        rest = np.zeros(3)
        configuration = self.retract(history.origin, history.increment)
        motion = self.end_motion(history, configuration, (rest, rest))
        now = applied(self.effects, history.effects, configuration, (rest, rest))
        driving = history.theta * np.concatenate(now) + np.concatenate(history.start_force)
        contact, arms = np.concatenate(self.apply_mass(motion.acceleration)) - driving, self.friction_arms(motion)
        tangential = self.body.shape.shares[:, None] * contact[:2]
        pressure = self._pressure(arms, tangential, contact)
        friction = self._friction(motion, -tangential, pressure)._replace(force=(contact[:3], contact[3:]))
        problem = history.friction._replace(bound=self.friction.coefficient * pressure)
        own = self.own(history.time, motion)
        return Stage(motion=motion, friction=friction, problem=problem, own=own, counts=Counts(passes=1))

    def _pressure(self, arms: Array, tangential: Array, contact: Array) -> Array:
        """Normal forces (N,) N that exert, with the forces along the ground, the wrench ``contact`` (6,). Raises Tips,
        Unsolved (Lifts)."""
        moment = contact[[4, 3]] * -UP - self.height * tangential.sum(axis=0)
        _refuse_lifting(float(contact[2]), moment)
        load = contact[2] * self.body.shape.shares
        return np.asarray(load * redistribution(load, arms, moment))

    def _friction(self, motion: Motion, multiplier: Array, pressure: Array) -> Friction:
        """Contact fields and wrench with friction λ (N, 2) N and normal forces (N,) N at a motion."""
        base, linear = self.base, self.acting.linear[0]
        base[kernels.FRICTION_X : kernels.SIGMA], base[kernels.LOAD], base[kernels.SIGMA] = multiplier.T, pressure, 1.0
        linear["rotation"], linear["velocity"] = motion.configuration[1], np.concatenate(motion.velocity)
        return self._contact()

    def _contact(self) -> Friction:
        """Contact fields and wrench of the rows ``base`` at the motion in the kernels' record."""
        fields, force = np.zeros((self.base.shape[1], 9)), np.zeros((2, 6))
        kernels.write_contact(self.base, self.acting.linear[0], fields, force, np.zeros((2, 2)))
        slip, contact, status = np.split(fields[:, : kernels.F_STATUS + 1], (kernels.F_FORCE, kernels.F_STATUS), axis=1)
        return Friction(slip.copy(), -contact, status[:, 0].astype(np.int8), (force[0, :3], force[0, 3:]))

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """Motion of the last stage: the base does not leave the ground."""
        return System.resplit(self, partial)

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        def under(friction: Inclusion) -> Consistent:
            return self._under(friction, time, motion, internal, left=left)

        return solve_instant(self.friction, self.friction_arms(motion), time, under, left=left)

    def _under(self, friction: Inclusion, time: float, motion: Motion, internal: Internal, *, left: bool) -> Consistent:
        """An instant under the bounds of a friction."""
        arms, Q, inertia = self.friction_arms(motion), motion.configuration[1], self.inertia
        J, spin, rates = Q @ self.J @ Q.T, motion.velocity[1], np.concatenate(motion.velocity)
        driving = self.driving(time, motion, internal, left=left)
        law, _, bound, *_ = friction.for_stage(time, None, 0.0)
        if np.any(rates[ALONG]):
            tangential = -law.force(point_velocity(rates[ALONG], arms), bound)
        else:
            row = RigidFrictionProblem(inertia=inertia, wrench=driving[ALONG], arms=arms, bound=bound)
            tangential = -solve_at_rest(law, row).multiplier
        change = (driving[ALONG] + wrench(arms, tangential)) / inertia
        turning = np.array([0.0, 0.0, change[2]])
        momenta = np.array([*(self.body.mass * change[:2]), 0.0, *(J @ turning + cross(spin, J @ spin))])
        pressure = self._pressure(arms, tangential, momenta - driving)
        solved = self._friction(motion, -tangential, pressure)
        acceleration = ((driving[:3] + solved.force[0]) / self.body.mass, driving[3:] + solved.force[1])
        return Consistent(motion._replace(acceleration=acceleration), solved, self.own(time, motion))


def _refuse_lifting(normal: float, moment: Array) -> None:
    """Raise Unsolved (Lifts) where nothing presses; without weight, at rest or sliding freely, the base stays."""
    if normal < 0.0 or (normal == 0.0 and np.any(moment)):
        raise Unsolved(f"nothing presses the base on the ground: the normal force would be {normal:.4g} N", "Lifts")
