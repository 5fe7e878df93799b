"""The explicit scheme of rigid bodies: central differences of (3.4)1 with u = 0, friction exact in the kick.

q'_{n+½} solves D (q'_{n+½} − q'_{n−½})/Δ = wrench(t_n) − Σ Gᵢᵀλᵢ(q'_{n+½}), arms at t_n; q_{n+1} = q_n + h q'_{n+½}. Springs
apart, a rigid body has no stable step: give ``dt``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from floating_frame.coefficients import backward_euler
from floating_frame.effect.protocol import Blocks, Motion
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.leapfrog import loop
from floating_frame.leapfrog.effects import stored_at_start
from floating_frame.leapfrog.step import ExplicitBody, Leapfrog, Slid, kicked, mean_of_limits
from floating_frame.scheme.instants import initial_state
from floating_frame.system.model import Model
from floating_frame.system.state import Counts, State
from friction.rigid.coulomb import solve_rigid_friction
from friction.rigid.problem import RigidFrictionProblem, RigidStart, point_velocity


class ExplicitRigid(ExplicitBody):
    """A rigid body in the plane: block (q,), D its masses and moment of inertia."""

    rest, has_waves, seen_at = (), False, 0.5

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        (self.inertia,) = model.system.apply_mass((np.ones(3),))

    def forces(self, time: float, x: Blocks, h: float, before: float) -> tuple[Array, float]:
        nodes = to_inertial(self.model.body.X, x[0][2])
        return wrench(nodes, mean_of_limits(partial(self.model.loads.total_force, time, nodes), h, before)), 0.0

    def _arms(self, x: Blocks) -> Array:
        return to_inertial(self.model.body.friction.points, x[0][2])

    def pull(self, x: Blocks, multiplier: Array) -> Array:
        return wrench(self._arms(x), multiplier)

    def slid(self, x: Blocks, carried: Leapfrog, force: Array, ground: Array, length: float, bound: Array) -> Slid:
        """Raises RigidFrictionError."""
        d, arms, along = self.inertia, self._arms(x), self.model.system.ground_rates(ground)[0]
        incoming = carried.velocity[0] - along
        pushed = force + d * incoming / length
        problem = RigidFrictionProblem(inertia=d / length, wrench=pushed, arms=arms, bound=bound)
        slip = solve_rigid_friction(problem, RigidStart(incoming, carried.multiplier))
        counts = Counts(steps=1, passes=1, newton=slip.iterations, fallbacks=int(slip.fallback))
        return slip.rates + along, point_velocity(slip.rates, arms), slip.multiplier, counts

    def motion(self, x: Blocks, velocity: Array, acceleration: Array) -> Motion:
        return Motion(x, (velocity,), (acceleration,))

    def advance(self, x: Blocks, carried: Leapfrog, starts: Array, h: float) -> tuple[Blocks, Leapfrog, Counts]:
        counts = Counts()
        for time in starts.tolist():
            done = kicked(self, time, x, carried, h)
            carried, counts = done.carried, counts.plus(done.counts)
            x = (x[0] + h * carried.velocity[0],)
        return x, carried, counts

    def initial_state(self) -> State:
        state = initial_state(backward_euler(), self.model.system)  # any scheme with inertia starts there
        none, motion = np.zeros(len(state.multiplier)), state.motion
        carried = Leapfrog(
            velocity=motion.velocity,
            sums=np.zeros(loop.WORKS),
            effects=stored_at_start(self.model, motion.configuration, motion.velocity),
            slip_path=none,
            friction_work=none,
            multiplier=state.multiplier,
        )
        return replace(state, leapfrog=carried)
