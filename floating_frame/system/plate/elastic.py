"""The elastic pass of a stage: nodal equilibrium in the frame, with the sliding velocity V as unknown.

Per unit of reference area ρh Qᵀa = Div(hP) + Qᵀb + t, t = −μ p_n V/|V| (3.4)2, discretised in space and put into a stage

    g(V) + λ = 0,   g(V) = M (V − Qᵀv*)/τ_v − θ f_int(u) − Qᵀf,   u = Qᵀ(x* − x0) + τ_x V − X,   λ_i ∈ w_i ∂|V_i|,

with x*, v* the *inertial nodal* history of the stage. On moving ground the unknown is the slip velocity V − Qᵀv_g, in which
λ_i ∈ w_i ∂|V_i − Qᵀv_g|, and V = total(unknown). Because V and not u' is the unknown, friction and stick are
diagonal in it, and the frame moves nothing but the split (docs/theory.md, section on the stage).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem.body import DeformableBody
from floating_frame.effect.protocol import FrictionProblem, Motion
from floating_frame.frame.kernels import cross_sum, dot, unbalanced
from floating_frame.frame.kinematics import Array, FrameMotion, to_body
from floating_frame.frame.turning import skew_of
from floating_frame.system.model import Model
from floating_frame.system.plate.pass_forces import PassForces


@dataclass(frozen=True, kw_only=True)
class NodalHistory:
    """What a stage of nodes and frame inherits, inertial components: x*, v* (N, 2); frame q*, q'* (3,); ``load`` (N, 2) N: all
    nodal force that does not depend on the stage's own motion.

    ``tau_x``, ``tau_v`` s: weights of the stage's own velocity and acceleration; ``force_weight`` θ of its own internal force;
    ``friction``: law, bounds and ground; ``bristles`` Δ* (N, 2) m, where the law remembers; ``time`` s of the stage.
    """

    time: float
    position: Array
    velocity: Array
    coordinates: Array
    rates: Array
    load: Array
    tau_x: float
    tau_v: float
    force_weight: float
    friction: FrictionProblem
    bristles: Array | None = None

    @property
    def key(self) -> tuple[float, float, float]:
        """What the matrix of the stage depends on besides the motion."""
        return self.tau_x, self.tau_v, self.force_weight


NO_FRAME_FORCE = np.zeros(3)
"""Forces act on the nodes; the frame has no force of its own."""


def frame_of(motion: Motion) -> FrameMotion:
    """Return the frame's part of a motion of nodes and frame."""
    return FrameMotion(motion.configuration[1], motion.velocity[1], motion.acceleration[1])


def with_frame(x: Array, v: Array, a: Array, frame: FrameMotion) -> Motion:
    """Return the motion of nodes (N, 2), inertial, and of the frame."""
    return Motion((x, frame.coordinates), (v, frame.rates), (a, frame.accelerations))


class StageEquilibrium:
    """g(V) of one elastic pass about the origin of a frame, in axes turned by ``angle``: gradient, Hessian and energy for the
    friction solver.

    All members take the slip velocity V − Qᵀv_g (N, 2), body components, m/s; forces are N, the energy is a power, W. What is not
    the gradient of a potential is frozen at the last pass's motion and converged by the passes: the part of a non-objective
    internal force that goes with the frame, and what of the ``effects`` has none.
    ``contact_force`` (N, 2) N: nodal forces beside the loads, those of exact contacts, set from outside.
    """

    linear = False

    def __init__(
        self,
        model: Model,
        history: NodalHistory,
        motion: FrameMotion,
        angle: float,
        last_velocity: Array,
        effects: PassForces,
    ) -> None:
        self._effects = effects
        self._body: DeformableBody = model.body_at(history.time)
        self._mass = model.mass
        assert model.cache is not None
        self._room = model.cache.data
        self._history = history
        self.indptr, self.indices = model.body.indptr, model.body.indices
        self._carried = to_body(history.position - motion.coordinates[:2], angle) - model.body.X
        self._incoming = to_body(history.velocity, angle)
        self._load = to_body(history.load, angle)
        self.lift_by(to_body(history.friction.ground[None], angle))
        self.contact_force: Array | None = None
        self._frame_force: Array | None = None
        if not (model.objective or len(model.clamp)):  # a clamp takes the moment: see ``clamp``
            self._frame_force = frame_moment_force(model, history, motion, last_velocity)
        eps = float(np.finfo(float).eps)
        inertia = float(model.mass.nodal.max()) * _largest(history.velocity) / history.tau_v
        extent = max(_largest(history.position), _largest(model.body.X))
        stiffness = max(model.stiffness, effects.stiffness)
        self._rounding = 8.0 * eps * max(stiffness * extent, inertia)
        self._size = 0.0
        self._last: tuple[Array | None, Array] = (None, self._load)

    def lift_by(self, lift: Array) -> None:
        """Take V = unknown + ``lift`` (N, 2) or (1, 2), m/s."""
        self.lift = lift
        self._resting, self._arriving = self._carried + self._history.tau_x * lift, self._incoming - lift

    def total(self, velocity: Array) -> Array:
        """V (N, 2) m/s for the unknown."""
        return velocity + self.lift

    def displacement(self, velocity: Array) -> Array:
        """u (N, 2) at the end of the stage, in the frame, m."""
        u: Array = self._resting + self._history.tau_x * velocity
        return u

    def acceleration(self, velocity: Array) -> Array:
        """Qᵀa (N, 2) m/s² of the stage, from the inertial nodal history."""
        return (velocity - self._arriving) / self._history.tau_v

    def internal_force(self, velocity: Array) -> Array:
        """f_int(u(V)) (N, 2), body components, power-consistent in the frame; the last one is kept."""
        at, force = self._last
        if at is None or not np.array_equal(at, velocity):
            force = self._body.internal_force(self.displacement(velocity))
            if self._frame_force is not None:
                force = force + self._frame_force
            self._last = velocity, force
        return force

    def gradient(self, velocity: Array) -> Array:
        """g(V) (N, 2), N."""
        M, internal, load, g = self._mass.matrix, self.internal_force(velocity), self._load, np.empty_like(velocity)
        if self.contact_force is not None:
            load = load + self.contact_force
        if self._effects:
            load = load + self._effects.force(self.total(velocity))
        weight = self._history.force_weight
        sizes = unbalanced(M.indptr, M.indices, M.data, self.acceleration(velocity), internal, load, weight, g)
        self._size = max(sizes)
        return g

    def hessian(self, velocity: Array) -> Array:
        """∂g/∂V in the body's fixed sparsity (nnz,): M/τ_v + θ τ_x K(u), kg/s."""
        history = self._history
        share, inertia = history.force_weight * history.tau_x, 1.0 / history.tau_v
        data: Array = self._body.tangent(self.displacement(velocity), share=share, inertia=inertia, out=self._room)
        if self._effects:
            self._effects.add_tangent(self.total(velocity), data)
        return data

    def energy(self, velocity: Array) -> float:
        """The incremental potential of which g is the gradient, W."""
        history, inertia = self._history, 0.0
        if np.isfinite(history.tau_v):
            acceleration = self.acceleration(velocity)
            inertia = 0.5 * history.tau_v * dot(acceleration, self._mass.matrix @ acceleration)
        strain = self._body.strain_energy(self.displacement(velocity)) * history.force_weight / history.tau_x
        if self._effects:
            strain += self._effects.energy(self.total(velocity))
        load = self._load if self.contact_force is None else self._load + self.contact_force
        if self._frame_force is not None:
            load = load + history.force_weight * self._frame_force
        return float(inertia + strain - dot(load, self.total(velocity)))

    def scale(self, velocity: Array) -> float:
        """The largest nodal force that g is made of, N."""
        return self._size

    def rounding(self, velocity: Array) -> float:
        """Entries of g below this are rounding: element stiffness × the resolution of positions, N."""
        return self._rounding


def _largest(field: Array) -> float:
    """Largest absolute entry."""
    return float(np.abs(field).max(initial=0.0))


def frame_moment_force(model: Model, history: NodalHistory, motion: FrameMotion, velocity: Array) -> Array:
    """What makes a non-objective (small-strain) internal force power-consistent in a moving frame, (N, 2) N, body.

    The power of −dU/dt = f_int·u' contains −ω Σ r × f_int through u' = V − Qᵀx0' − ω J r, so the force that does the
    same power through V is f_int − (Σ r × f_int) ∂ω/∂V. It leaves no resultant moment. Taken at the last pass's
    inertial ``velocity`` and frame, it is converged by the passes.
    """
    position = history.position + history.tau_x * velocity
    r = to_body(position - motion.coordinates[:2], motion.angle)
    internal = model.body_at(history.time).internal_force(r - model.body.X)
    return -model.frame.couple(model.mass, r, skew_of(cross_sum(r, internal), 2))
