"""A rigid body in space that slides and turns on its flat base of many points: v_z = Ω_x = Ω_y = 0 while it neither lifts nor tips.

Along the plane it is a rigid body with three unknowns and friction bounds μ p_n. The other three equations give the normal forces:
their sum N and, with the base h below the centre of mass, their moments,

    Σ d_y p_n = M_x − h Σ p_y,    Σ d_x p_n = −M_y − h Σ p_x,

M the moment of the contact. Among all p_n >= 0 with these resultants, equal compliance per area selects one
(``friction.redistribution``). Friction shifts the pressure. Where the base slides under Coulomb's law a stage solves for both at
once (``friction.rigid.reaction``), else by iteration, like an instant, under given bounds."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, Inclusion, Internal, Mask, Motion
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import wrench
from floating_frame.frame.rotations import cross, exponential
from floating_frame.system.pressure_iteration import ANGLE_TOLERANCE, MAX_PRESSURE_ROUNDS, solve_instant
from floating_frame.system.protocol import Consistent, Guess, Partial, Stage, StageHistory, System, applied
from floating_frame.system.rigid.stage import RigidRow
from floating_frame.system.space.system import SpaceRigidSystem
from floating_frame.system.state import Counts, State
from friction.arrays import nonzero_rows
from friction.redistribution import redistribution
from friction.rigid.problem import Reaction, RigidFrictionProblem, RigidSlip, point_velocity
from friction.rigid.reaction import HISTORY_ROWS, extrapolate_force, solve_reacting
from friction.rigid.solve import solve_at_rest, solve_set_valued
from friction.status import SLIP, STICK

ALONG = np.array([0, 1, 5])
"""v_x, v_y, Ω_z among the six rates."""
UP = np.array([1.0, -1.0])
"""Signs of moments about y and x, in this order, on the body in Σ d p_n along x and y."""
MAX_PASSES = 20
"""Most passes for the forces on a sliding body."""


class Loaded(NamedTuple):
    """Loads at a stage's end: the ``configuration`` there, force and moment ``driving`` (6,) of the effects, the friction
    ``problem`` with the bounds at rest, the reacting pressure, and the ``normal`` force N."""

    configuration: Blocks
    driving: Array
    problem: RigidFrictionProblem
    pressing: Reaction
    normal: float


class FlatBaseSystem(RigidRow, SpaceRigidSystem):
    """A rigid body on a flat base; see the head of this file."""

    impacts = ()

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
        return self._flat_arms(motion.configuration[1])

    def _flat_arms(self, rotation: Array) -> Array:
        """Arms (N, 2) m along the ground of the base's points, stored by component."""
        return np.asarray((rotation[:2] @ self._points).T)

    @cached_property
    def _points(self) -> Array:
        return np.ascontiguousarray(self.body.shape.reference.T)

    def begin(self, state: State, end: float, *, inertia: bool, lands: bool) -> Self:
        """The same system: a base neither leaves the ground nor lands."""
        return self

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        """Solve a stage with its pressure. Raises RigidFrictionError, Tips, Unsolved (NotConverged, Lifts)."""
        if fixed is not None and bool(fixed[0]):
            return self._at_rest(history)
        end, slip, counts = self._pressed(history, guess) or self._by_rounds(history, guess, reference)
        rates, share = _rates(slip.rates), slip.share
        friction = self._friction(slip.rates, end.problem.arms, slip.multiplier, end.pressing.load * share)
        pressed = history.friction._replace(bound=end.problem.bound * share)
        motion = self.end_motion(history, end.configuration, (rates[:3], rates[3:]))
        return Stage(motion=motion, friction=friction, problem=pressed, own=(), counts=counts)

    def _at_rest(self, history: StageHistory) -> Stage:
        """Stage with the body at rest: the ground exerts the residual of its balance, friction shared like the weight."""
        rest = np.zeros(6)
        end = self._loaded(history, rest[ALONG])
        motion = self.end_motion(history, end.configuration, (rest[:3], rest[3:]))
        contact, arms = np.concatenate(self.apply_mass(motion.acceleration)) - end.driving, end.problem.arms
        tangential = self.body.shape.shares[:, None] * contact[:2]
        pressure = self._pressure(arms, tangential, contact)
        friction = self._friction(rest[ALONG], arms, -tangential, pressure)._replace(force=(contact[:3], contact[3:]))
        problem = history.friction._replace(bound=self.friction.coefficient * pressure)
        return Stage(motion=motion, friction=friction, problem=problem, own=(), counts=Counts(passes=1))

    def _pressed(self, history: StageHistory, guess: Guess) -> tuple[Loaded, RigidSlip, Counts] | None:
        """Friction, pressure and counts at the stage's end, solved together; None where this fails."""
        slip, newton = RigidSlip(self.along(guess.velocity), guess.multiplier[:, :2]), 0
        end = self._loaded(history, slip.rates)
        for passes in range(1, MAX_PASSES + 1):
            before, solved = end, solve_reacting(end.problem, end.pressing, slip)
            if solved is None:
                return None
            slip = solved
            end, newton = self._loaded(history, slip.rates), newton + slip.iterations
            forces = np.abs(end.problem.wrench - before.problem.wrench)
            moments = np.abs(_borne(end.pressing, slip) - _borne(before.pressing, slip))
            missed = max(forces[0], forces[1], max(forces[2], moments.max()) / self.radius)
            if missed <= ANGLE_TOLERANCE * end.normal:
                return end, slip, Counts(passes, newton)
        return None

    def _by_rounds(self, history: StageHistory, guess: Guess, reference: Array) -> tuple[Loaded, RigidSlip, Counts]:
        """Friction, pressure and counts by rounds of friction under a given pressure, whose moment is extrapolated."""
        slip = RigidSlip(self.along(guess.velocity), guess.multiplier[:, :2])
        bound = self.friction.coefficient * np.maximum(-guess.multiplier[:, 2], 0.0)
        end, share, newton = self._loaded(history, slip.rates), np.zeros(0), 0
        given: Array | None = None
        slid, force_history = nonzero_rows(reference[:, :2]), np.zeros((HISTORY_ROWS, 4))
        for passes in range(1, MAX_PRESSURE_ROUNDS + 1):
            start, problem = slip, replace(end.problem, bound=bound)
            slip = solve_set_valued(self.friction.law, problem, start, slid)
            end, newton = self._loaded(history, slip.rates), newton + slip.iterations
            turned, moment = abs(slip.rates[2] - start.rates[2]) * history.tau_x, _borne(end.pressing, slip)
            _refuse_lifting(end.normal, moment)
            if given is None:
                given = force_history[0, :2] = moment
            else:
                missed = float(np.abs(moment - given).max())
                if turned <= ANGLE_TOLERANCE and missed <= ANGLE_TOLERANCE * end.normal * self.radius:
                    return end, slip._replace(share=share), Counts(passes, newton)
                extrapolate_force(*moment, force_history)
                given = force_history[0, :2].copy()
            share = redistribution(end.pressing.load, end.problem.arms, given)
            bound = end.problem.bound * share
        raise Unsolved(
            f"the pressure of the stage ending at t = {history.time:.9g} s did not settle in {passes} rounds"
        )

    def _loaded(self, history: StageHistory, slip: Array) -> Loaded:
        """Loads at a stage's end with the rates ``slip`` (3,) along the ground."""
        rates, body = _rates(slip), self.body
        Q = exponential(history.increment[1] + history.tau_x * rates[3:]) @ history.origin[1]  # all turns are about z
        configuration = (history.origin[0] + history.increment[0] + history.tau_x * rates[:3], Q)
        pushed = applied(self.effects, history.effects, configuration, (rates[:3], rates[3:]))
        driving = history.theta * np.concatenate(pushed) + np.concatenate(history.start_force)
        whole = driving + np.concatenate(history.velocity) * np.repeat([body.mass, 1.0], 3) / history.tau_v
        spinning = (Q @ self.J @ Q.T)[:, 2] / history.tau_v
        load = -whole[2] * body.shape.shares
        problem = RigidFrictionProblem(
            inertia=self.inertia / history.tau_v,
            wrench=whole[ALONG],
            arms=self._flat_arms(Q),
            bound=self.friction.coefficient * load,
        )
        pressing = Reaction(load, self.height, whole[[4, 3]] * UP, -spinning[[1, 0]] * UP, history.tau_x)
        return Loaded(configuration, driving, problem, pressing, float(-whole[2]))

    def _pressure(self, arms: Array, tangential: Array, contact: Array) -> Array:
        """Normal forces (N,) N that exert, with the forces along the ground, the wrench ``contact`` (6,). Raises Tips,
        Unsolved (Lifts)."""
        moment = contact[[4, 3]] * -UP - self.height * tangential.sum(axis=0)
        _refuse_lifting(float(contact[2]), moment)
        load = contact[2] * self.body.shape.shares
        return np.asarray(load * redistribution(load, arms, moment))

    def _friction(self, rates: Array, arms: Array, multiplier: Array, pressure: Array) -> Friction:
        """Contact fields and wrench with friction λ (N, 2) N and normal forces (N,) N, at ``rates`` (3,) along the ground."""
        slip = np.column_stack([point_velocity(rates, arms), np.zeros(len(arms))])
        status = np.where(nonzero_rows(slip), SLIP, STICK).astype(np.int8)
        contact = np.column_stack([-multiplier, pressure])
        places = np.column_stack([arms, np.full(len(arms), -self.height)])
        force = (contact.sum(axis=0), cross(places, contact).sum(axis=0))
        return Friction(slip, -contact, status, force)

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
        solved = self._friction(rates[ALONG], arms, -tangential, pressure)
        acceleration = ((driving[:3] + solved.force[0]) / self.body.mass, driving[3:] + solved.force[1])
        return Consistent(motion._replace(acceleration=acceleration), solved, ())


def _rates(slip: Array) -> Array:
    """Rates (6,) of a body that moves along the ground with ``slip`` (3,)."""
    rates = np.zeros(6)
    rates[ALONG] = slip
    return rates


def _borne(pressing: Reaction, slip: RigidSlip) -> Array:
    """Moment Σ d p_n (2,) N m of the pressure with friction λ."""
    drag = np.ones(len(slip.multiplier)) @ slip.multiplier
    return np.asarray(pressing.moment + slip.rates[2] * pressing.by_spin + pressing.height * drag)


def _refuse_lifting(normal: float, moment: Array) -> None:
    """Raise Unsolved (Lifts) where nothing presses; without weight, at rest or sliding freely, the base stays."""
    if normal < 0.0 or (normal == 0.0 and np.any(moment)):
        raise Unsolved(f"nothing presses the base on the ground: the normal force would be {normal:.4g} N", "Lifts")
