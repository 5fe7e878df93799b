"""The stage of a rigid body: D (q' − q'*)/τ_v = wrench − Σ Gᵢᵀ λᵢ with D = diag(M, M, J_zz), arms turned by the stage's own angle.

Effects with derivatives are linearised about the last guess, as the arms are, and friction under the body is solved exactly in
each turn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from floating_frame.effect.protocol import Blocks, Effect, Friction, Mask, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.protocol import Partial, Stage, StageHistory, System, friction_at
from floating_frame.system.rigid.points import RigidPoints
from friction import Law
from friction.arrays import moving
from friction.rigid.coulomb import RigidSlip
from friction.rigid.pressed import solve_pressed
from friction.rigid.problem import RigidFrictionProblem, RigidStart, point_velocity
from friction.rigid.regularised import solve_rigid_regular
from friction.rigid.set_valued import solve_at_rest, solve_set_valued

WHOLE_TURNS = 6
"""Turns of a stage in which Newton's steps are taken whole whatever they miss."""


def solve_slip(law: Law, problem: RigidFrictionProblem, start: RigidStart, incoming: Array) -> RigidSlip:
    """Return friction under the body by the stage's law, set-valued or regularised: slip rates (3,) and λ (N, 2), N.

    ``incoming`` (N, 2), m/s: the slip with which points come into the stage.
    """
    if problem.pressing is not None:
        return solve_pressed(problem, problem.pressing, start)
    if law.set_valued:
        return solve_set_valued(law, problem, start, moving(incoming))
    return solve_rigid_regular(law, problem, start.rates, incoming)


def symmetric_part(tangent: Array, inertia: Array) -> Array:
    """The symmetric part of −∂W/∂p (3, 3) without what would make H = ``inertia`` (3,) + it indefinite (geometric softening).

    Friction under the body is a convex problem only in a symmetric, positive definite H; Newton's method loses its square there,
    not its fixed point.
    """
    scale = np.sqrt(inertia)
    values, vectors = np.linalg.eigh(0.5 * (tangent + tangent.T) / np.outer(scale, scale))
    return np.asarray((vectors * np.maximum(values, -0.5)) @ vectors.T * np.outer(scale, scale))


def stage_motion(history: StageHistory, rates: Array) -> Motion:
    """Return the motion at the end of a stage with rates q' (3,), by the stage formula."""
    place = history.configuration[0] + history.tau_x * rates
    return Motion((place,), (rates,), ((rates - history.velocity[0]) / history.tau_v,))


def row_friction(rates: Array, arms: Array, multiplier: Array) -> Friction:
    """Return friction λ (N, 2), N, under points at ``arms`` (N, 2), m, that slide with ``rates`` (3,)."""
    return friction_at(point_velocity(rates, arms), multiplier, (-wrench(arms, multiplier),))


class RigidRow(System):
    """A body whose friction points move as one, which the guard holds as a whole."""

    moves_as_one = True

    @property
    @abstractmethod
    def inertia(self) -> Array:
        """D = (M, M, J_zz), kg, kg, kg m²."""

    def along(self, blocks: Blocks) -> Array:
        """Return the entries (3,) of x0', y0', ω among generalised rates or forces."""
        return blocks[0]

    def reversing(self, history: StageHistory, partial: Partial, stage: Stage, reference: Array) -> Mask:
        """Return whether the body, one group, ends sliding backwards although friction could keep it at rest in the mean.

        Backwards: s·D s_n < 0 with s = q' − (v_g, 0) and s_n the incoming one. In the mean: the wrench that takes the body to rest
        over the step, D (q'_n − (v_g, 0))/Δt + Σ b_s wrench_s, lies inside the limit surface of the mean bounds.
        """
        state, stages = partial.state, [*partial.stages, stage]

        def rates(velocity: Blocks, ground: Array) -> Array:
            return self.along(velocity) - self.along(self.ground_rates(ground))

        incoming = rates(state.motion.velocity, self.friction.ground(state.time))
        if not np.any(incoming):
            incoming = rates(stages[0].motion.velocity, stages[0].problem.ground)
        ground = history.friction.ground
        if not float(rates(stage.motion.velocity, ground) @ (self.inertia * incoming)) < 0.0:
            return np.zeros(1, np.bool_)
        # What of each stage's balance friction does not do.
        net = [self.along(self.apply_mass(s.motion.acceleration)) - self.along(s.friction.force) for s in stages]
        mean = np.array([s.problem.bound for s in stages]).T @ partial.weights
        needed = self.inertia * rates(state.motion.velocity, ground) / partial.dt + np.array(net).T @ partial.weights
        arms = self.friction_arms(stage.motion)
        problem = RigidFrictionProblem(inertia=self.inertia, wrench=needed, arms=arms, bound=mean)
        return np.array([not np.any(solve_at_rest(self.friction.law, problem).rates)])

    def beyond_bound(self, history: StageHistory, mean: Array, fixed: Mask) -> Mask:
        """Return False: a body is fixed only where friction can hold it (``reversing``)."""
        return np.zeros_like(fixed)


@dataclass
class StageWrench:
    """The wrench of all effects in one stage while its rates p are being found. ``inertia`` D/τ (3,); ``symmetric``: the friction
    problem needs a symmetric H; ``left``: what the last linearisation has missed of the wrench."""

    effects: Sequence[Effect[RigidPoints]]
    history: StageHistory
    inertia: Array
    symmetric: bool
    left: float = 0.0

    def __post_init__(self) -> None:
        acting = list(zip(self.effects, self.history.effects, strict=True))
        self._dead = [(e.points, a.at(_NONE, _NONE).force) for e, a in acting if e.constant]
        self._smooth = [(e, a) for e, a in acting if not e.constant]
        self._turns, self._tangent = 0, np.zeros((3, 3))
        self._constant = self._size = self._from = np.zeros(3)
        self._stiff = False

    def _angle_only(self, angle: float) -> Array:
        """Return θ × the wrench of dead loads, and the start's part."""
        total = np.zeros(3)
        for points, force in self._dead:
            total = total + wrench(points.arms(angle), force)
        return self.history.theta * total + self.history.start_force[0]

    def _evaluated(self, rates: Array) -> tuple[Array, Array, Array]:
        """Return (W (3,), ∂W/∂q, ∂W/∂q' (3, 3)) of the smooth effects at rates p."""
        q = self.history.configuration[0] + self.history.tau_x * rates
        total, by_place, by_rate = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
        for effect, acting in self._smooth:
            points = effect.points
            arms = points.arms(q[2])
            now = acting.at(q[:2] + arms, point_velocity(rates, arms))
            total = total + wrench(arms, now.force)
            if now.by_place is not None or now.by_velocity is not None:
                self._stiff = True
                place, rate = points.tangents(arms, now, float(rates[2]))
                by_place, by_rate = by_place + place, by_rate + rate
        return total, by_place, by_rate

    def linearised(self, rates: Array, ground: Array) -> tuple[Array, Array]:
        """Return (H (3,) or (3, 3), c (3,)) at ``rates`` p, for slip rates s = p − v_g: the wrench is c − (H − D/τ) s."""
        theta, tau = self.history.theta, self.history.tau_x
        total, by_place, by_rate = self._evaluated(rates)
        angle_only = self._angle_only(float((self.history.configuration[0] + tau * rates)[2]))
        if not self._stiff:
            return self.inertia, angle_only + theta * total
        tangent = -theta * (tau * by_place + by_rate)
        self._tangent = symmetric_part(tangent, self.inertia) if self.symmetric else tangent
        self._from, self._constant = rates, theta * total + self._tangent @ rates
        self._size = np.abs(total) + np.abs(self.inertia * rates)
        return np.diag(self.inertia) + self._tangent, angle_only + self._constant - self._tangent @ ground

    def total(self, rates: Array) -> Array:
        """Return the wrench (3,) of the stage's balance at ``rates`` p."""
        angle = float((self.history.configuration[0] + self.history.tau_x * rates)[2])
        return self._angle_only(angle) + self.history.theta * self._evaluated(rates)[0]

    def damped(self, rates: Array) -> tuple[Array, bool]:
        """Return (the next rates, whether they solve the linearised stage): half the way where these do not contract.

        Regularised friction is S-shaped in the slip, and Newton's method may go to and fro over its steep middle.
        """
        if not self._stiff:
            return rates, True
        before, self._turns, self.left = self.left if self._turns else np.inf, self._turns + 1, self._missed(rates)
        if self._turns <= WHOLE_TURNS or self.left <= max(0.5 * before, 1e-12):
            return rates, True
        return 0.5 * (self._from + rates), False

    def _missed(self, rates: Array) -> float:
        """Return what the last linearisation has missed at ``rates``, relative to the wrench and to the momenta over τ."""
        missed = self.history.theta * self._evaluated(rates)[0] - (self._constant - self._tangent @ rates)
        reach = np.array([1.0, 1.0, np.sqrt(self.inertia[2] / self.inertia[0])])
        size = float((self._size / reach).max())
        return float((np.abs(missed) / reach).max()) / size if size > 0.0 else 0.0


_NONE = np.zeros((0, 2))
