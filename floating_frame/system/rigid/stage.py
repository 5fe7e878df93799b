"""The stage of a rigid body: D (q' − q'*)/τ_v = wrench − Σ Gᵢᵀ λᵢ with D = diag(M, M, J_zz), arms turned by the stage's own angle.

The compiled stage (``kernels.stage``) solves it; here are its friction by any law, and the guard's test."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, Mask
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.protocol import Partial, Stage, StageHistory, System, friction_at
from friction import Law
from friction.arrays import nonzero_rows
from friction.rigid.problem import RigidFrictionProblem, RigidSlip, point_velocity
from friction.rigid.solve import solve_at_rest, solve_rigid_regular, solve_set_valued


def solve_slip(law: Law, problem: RigidFrictionProblem, start: RigidSlip, incoming: Array) -> RigidSlip:
    """Friction under the body by the stage's law, set-valued or regularised: slip rates (3,) and λ (N, 2), N.

    ``incoming`` (N, 2), m/s: slip of the points at the start of the stage.
    """
    if law.set_valued:
        return solve_set_valued(law, problem, start, nonzero_rows(incoming))
    return solve_rigid_regular(law, problem, start.rates, incoming)


def row_friction(rates: Array, arms: Array, multiplier: Array) -> Friction:
    """Friction λ (N, 2), N, under points at ``arms`` (N, 2), m, that slide with ``rates`` (3,)."""
    return friction_at(point_velocity(rates, arms), multiplier, (-wrench(arms, multiplier),))


class RigidRow(System):
    """A body with rigidly connected friction points, one group for the guard."""

    @property
    @abstractmethod
    def inertia(self) -> Array:
        """D = (M, M, J_zz), kg, kg, kg m²."""

    def along(self, blocks: Blocks) -> Array:
        """Entries (3,) of x0', y0', ω among generalised rates or forces."""
        return blocks[0]

    def reversing(self, history: StageHistory, partial: Partial, stage: Stage, reference: Array) -> Mask:
        return np.array([self.thrown_back(partial, stage)])

    def thrown_back(self, partial: Partial, stage: Stage) -> bool:
        """True if the body ends sliding backwards although friction could keep it at rest in the mean. Backwards: s·D s_n < 0 with
        s = q' − (v_g, 0) and s_n the incoming one. In the mean: the wrench that stops the body over the step, D (q'_n − (v_g,
        0))/Δt + Σ b_s wrench_s, lies inside the limit surface of the mean bounds."""
        state, stages = partial.state, [*partial.stages, stage]

        def rates(velocity: Blocks, ground: Array) -> Array:
            return self.along(velocity) - self.along(self.ground_rates(ground))

        incoming = rates(state.motion.velocity, self.friction.ground(state.time))
        if not np.any(incoming):
            incoming = rates(stages[0].motion.velocity, stages[0].problem.ground)
        ground = stage.problem.ground
        if not float(rates(stage.motion.velocity, ground) @ (self.inertia * incoming)) < 0.0:
            return False
        # Each stage's balance without friction.
        net = [self.along(self.apply_mass(s.motion.acceleration)) - self.along(s.friction.force) for s in stages]
        mean = np.array([s.problem.bound for s in stages]).T @ partial.weights
        needed = self.inertia * rates(state.motion.velocity, ground) / partial.dt + np.array(net).T @ partial.weights
        arms = self.friction_arms(stage.motion)
        problem = RigidFrictionProblem(inertia=self.inertia, wrench=needed, arms=arms, bound=mean)
        return not np.any(solve_at_rest(self.friction.law, problem).rates)

    def beyond_bound(self, history: StageHistory, mean: Array, fixed: Mask) -> Mask:
        """False: a body is fixed only where friction can hold it (``reversing``)."""
        return np.zeros_like(fixed)
