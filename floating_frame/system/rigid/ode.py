"""A rigid body under a regularised law as ordinary differential equations: y = (q, q', z), z the internal states of its sources."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import bmat, csc_matrix

from floating_frame.effect.protocol import Friction, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import modes_of
from floating_frame.system.rigid.stage import RigidRow
from floating_frame.system.state import State
from friction import Law
from friction.rigid.problem import point_velocity

SMALL = 1e-3
"""Size of bristles' deformations over the body's, in tolerances."""


class RigidOde:
    """The equations of a rigid body."""

    def __init__(self, system: RigidRow) -> None:
        self.system = system
        self._radius = float(np.sqrt(system.inertia[2] / system.inertia[0]))
        start = [*(e.initial() for e in system.effects), system.friction.initial()]
        self._shapes = [None if z is None else z.shape for z in start]

    def flat(self, state: State) -> Array:
        internal = [r.internal.ravel() for r in state.records if r.internal is not None]
        return np.concatenate([state.motion.configuration[0], state.motion.velocity[0], *internal])

    def motion(self, y: Array) -> tuple[Motion, list[Array | None]]:
        internal: list[Array | None] = []
        first = 6
        for shape in self._shapes:
            count = 0 if shape is None else int(np.prod(shape))
            internal.append(None if shape is None else y[first : first + count].reshape(shape))
            first += count
        return Motion((y[:3],), (y[3:6],), (np.zeros(3),)), internal

    def rates(self, time: float, y: Array, *, left: bool) -> tuple[Array, Motion, Friction]:
        system, (still, internal) = self.system, self.motion(y)
        consistent = system.consistent(time, still, internal, left=left)
        change = [y[3:6], consistent.motion.acceleration[0]]
        for effect, z in zip(system.effects, internal, strict=False):
            if z is not None:
                points, x = effect.points, still.configuration
                change.append(effect.rate(time, z, points.place(x), points.velocity(x, still.velocity)).ravel())
        if internal[-1] is not None:
            change.append(system.friction.rate(time, internal[-1], consistent.friction.slip).ravel())
        return np.concatenate(change), consistent.motion, consistent.friction

    def jacobian(self, time: float, y: Array, *, left: bool) -> Array | csc_matrix:
        """The stiff part: ∂q''/∂q' of friction and effects, ∂q''/∂q of effects, and the terms of bristles; followers are not stiff
        and left to the iteration."""
        system, (still, internal) = self.system, self.motion(y)
        q, rates, d = y[:3], y[3:6], system.inertia
        problem = system.friction.for_stage(time, internal[-1], 0.0, left=left)
        arms = system.friction_arms(still)
        slip = point_velocity(rates - system.ground_rates(problem.ground)[0], arms)
        modes = modes_of(arms)
        damping = np.einsum("kna,nab,lnb->kl", modes, problem.law.tangent(slip, problem.bound), modes)
        by_place = np.zeros((3, 3))
        for effect, z in zip(system.effects, internal, strict=False):
            points = effect.points
            at = points.arms(float(q[2]))
            now = effect.for_stage(time, z, 0.0, left=left).at(q[:2] + at, point_velocity(rates, at))
            place, rate = points.tangents(at, now, float(rates[2]))
            by_place, damping = by_place + place, damping - rate
        rigid = np.block([[np.zeros((3, 3)), np.eye(3)], [by_place / d[:, None], -damping / d[:, None]]])
        others = len(y) - 6 - (0 if internal[-1] is None else internal[-1].size)
        if internal[-1] is not None:
            rigid = with_bristles(problem.shared, rigid, d, modes, internal[-1], slip, problem.bound)
        if not others:
            return rigid
        return csc_matrix(bmat([[csc_matrix(rigid), None], [None, csc_matrix((others, others))]]))

    def scales(self, state: State, dt: float) -> Array:
        radius = self._radius
        speed = max(float(np.abs(state.velocity).max()), 1e-6 * radius / dt)
        count = len(self.flat(state)) - 6
        of_motion = np.array([radius, radius, 1.0, speed, speed, speed / radius])
        return np.concatenate([of_motion, np.full(count, SMALL * radius)])


def with_bristles(
    law: Law, rigid: Array, inertia: Array, modes: Array, memory: Array, sliding: Array, weights: Array
) -> csc_matrix:
    """Jacobian of (q, q', Δ)', sparse (6 + 2N, 6 + 2N), from the Jacobian of (q, q')', ``rigid`` (6, 6).

    ``inertia`` D (3,); ``modes`` G (3, N, 2): v = Σ_k q'_k G_k. With the nodal blocks R = ∂Δ'/∂v and F = ∂λ/∂Δ the further ones are
    ∂q''/∂Δ = −D⁻¹ Gᵀ F and ∂Δ'/∂q' = R G; Δ' depends on Δ at its stop alone, a jump, which is left out. Differences suffice for the
    iteration.
    """
    size = float(np.abs(memory).max()) + 1e-6
    speed = float(np.abs(sliding).max()) + 1e-9
    pushed = nodal_jacobian(lambda d: law.for_stage(d, 0.0).force(sliding, weights), memory, size)
    following = nodal_jacobian(lambda v: law.internal_rate(memory, v), sliding, speed)
    nodes = len(memory)
    by_bristles = -np.einsum("kna,nab->knb", modes, pushed).reshape(3, 2 * nodes) / inertia[:, None]
    by_rates = np.einsum("nab,knb->nak", following, modes).reshape(2 * nodes, 3)
    right = np.vstack([np.zeros((3, 2 * nodes)), by_bristles])
    below = np.hstack([np.zeros((2 * nodes, 3)), by_rates])
    still = csc_matrix((2 * nodes, 2 * nodes))
    return csc_matrix(bmat([[rigid, right], [below, still]]))


def nodal_jacobian(function: Callable[[Array], Array], at: Array, size: float) -> Array:
    """d function_i / d x_i (N, 2, 2) of a nodal field of x (N, 2) by forward differences of 1e-7 of ``size``."""
    step, value = 1e-7 * size, function(at)
    columns = [(function(at + step * np.eye(2)[axis]) - value) / step for axis in (0, 1)]
    return np.stack(columns, axis=-1)
