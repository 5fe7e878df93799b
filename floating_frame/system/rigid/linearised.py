"""A linearly implicit trapezoidal stage of a rigid body with Coulomb friction: one linear solve with friction, no iteration.

After Potra, Anitescu, Gavrea & Trinkle (2006). (3.4)1 with u = 0 is D q'' = k(t, q, v) − Gᵀλ, k the effects' wrench; with
K = ∂k/∂q, C = ∂k/∂v at (t₁, q₀, v₀) the change δ = v₁ − v₀ of the rates in a step h follows from

    (D/h − θ (h θ K + C)) δ + Gᵀλ(G v₁) = (1 − θ) k₀ + θ [k(t₁, q₀, v₀) + h K v₀].

Derivation and choices: docs/theory.md, section 8.
"""

from __future__ import annotations

import numpy as np

from floating_frame.effect.protocol import Mask, Motion, OwnSource, Record
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.protocol import Guess, Stage, StageHistory, applied
from floating_frame.system.rigid.kernels.stage import make_convex
from floating_frame.system.rigid.stage import row_friction, solve_slip
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.state import Counts
from friction.rigid.problem import RigidFrictionProblem, RigidSlip, point_velocity

_ANGLE_STEP = 1e-5  # rad: error 1e-10 k''', rounding 1e-11 k


class LinearlyImplicitRigid(RigidSystem):
    """A rigid body whose stages are solved once, with its effects linearised about the step's start."""

    def __init__(self, system: RigidSystem) -> None:
        super().__init__(system.model, system.effects, system.friction, None)
        self.sources = (*self.sources, OwnSource("linearisation"))  # difference of the effects from their linearisation

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        return (Record((np.zeros(3),), mixed=False),)

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        return (0.0,)

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        """Solve the step's one stage. Raises RigidFrictionError."""
        (q,), (v,), h, theta = history.origin, history.velocity, history.tau_v, history.theta
        ground, (law, _, bound, *_) = self.ground_rates(history.friction.ground)[0], history.friction
        at_start, by_angle, by_place, by_rate = self._linearised(history)
        at_end = at_start + h * (by_angle * v[2] + by_place @ v)
        matrix = (self.inertia + (h * theta) ** 2 * np.array([0.0, 0.0, -min(by_angle[2], 0.0)])) / h
        if np.any(by_place) or np.any(by_rate):
            tangent = -theta * (h * theta * by_place + by_rate)
            make_convex(tangent, self.inertia / h)
            matrix = np.diag(matrix) + tangent
        arms = to_inertial(self.feet, q[2] + 0.5 * h * v[2])
        momentum = matrix * (v - ground) if matrix.ndim == 1 else matrix @ (v - ground)
        drive = history.start_force[0] + theta * at_end + momentum
        problem = RigidFrictionProblem(inertia=matrix, wrench=drive, arms=arms, bound=bound)
        slip = solve_slip(law, problem, RigidSlip(v - ground, guess.multiplier), reference)
        friction = row_friction(slip.rates, arms, slip.multiplier)
        rates = slip.rates + ground
        place = history.configuration[0] + history.tau_x * rates
        motion = Motion((place,), (rates,), ((rates - v) / h,))
        # The ledger counts the linearised loads.
        acting = self.inertia * motion.acceleration[0] - friction.force[0] - history.start_force[0]
        rest = acting - theta * applied(self.effects, history.effects, *motion[:2])[0]
        return Stage(
            motion=motion,
            friction=friction,
            problem=history.friction,
            own=(Record((rest,), external=None, mixed=False),),
            counts=Counts(passes=1, newton=slip.iterations, fallbacks=int(slip.fallback)),
        )

    def _linearised(self, history: StageHistory) -> tuple[Array, Array, Array, Array]:
        """k(t₁, q₀, v₀) (3,), ∂k/∂α (3,) of loads without derivatives, and K, C (3, 3) of the other effects."""
        (q,), (v,) = history.origin, history.velocity
        total, column = np.zeros(3), np.zeros(3)
        by_place, by_rate = np.zeros((3, 3)), np.zeros((3, 3))
        for effect, acting in zip(self.effects, history.effects, strict=True):
            points = effect.points
            behind, arms, ahead = (points.arms(q[2] + k * _ANGLE_STEP) for k in (-1.0, 0.0, 1.0))
            before, now, after = (acting.at(q[:2] + a, point_velocity(v, a)) for a in (behind, arms, ahead))
            total = total + wrench(arms, now.force)
            if now.by_place is None and now.by_velocity is None:
                column = column + (wrench(ahead, after.force) - wrench(behind, before.force)) / (2.0 * _ANGLE_STEP)
            else:
                place, rate = points.tangents(arms, now, float(v[2]))
                by_place, by_rate = by_place + place, by_rate + rate
        return total, column, by_place, by_rate
