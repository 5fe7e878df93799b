"""The elastic pass of a stage: nodal equilibrium in the frame, with the sliding velocity V as unknown.

Per unit of reference area ρh Qᵀa = Div(hP) + Qᵀb + t, t = −μ p_n V/|V| (3.4)₂, discretised in space and put into a stage

    g(V) + λ = 0,   g(V) = M (V − Qᵀv*)/τ_v − θ f_int(u) − Qᵀf,   u = Qᵀ(x* − x0) + τ_x V − X,   λ_i ∈ w_i ∂|V_i|,

with x*, v* the *inertial nodal* history of the stage. On moving ground the unknown is the slip velocity V − Qᵀv_g, in which
λ_i ∈ w_i ∂|V_i − Qᵀv_g|, and V = total(unknown). Because V and not u' is the unknown, friction and stick are
diagonal in it, and the frame moves nothing but the split (docs/theory.md, section on the stage).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from floating_frame.contact_assembly import NO_CONTACTS, NOWHERE, AssembledContacts
from floating_frame.contact_stage import StageContact
from floating_frame.kernels import cross_sum, dot
from floating_frame.kinematics import Array, FrameMotion, to_body
from floating_frame.model import Model
from floating_frame.moments import moments


@dataclass(frozen=True)
class StageHistory:
    """What a stage inherits, inertial components: x*, v* (N, 2); frame q*, q'* (3,); nodal loads ``external`` and the
    ``start_internal`` force that θ schemes mix in, (N, 2) N.

    ``tau_x``, ``tau_v`` s: weights of the stage's own velocity and acceleration; ``force_weight`` θ of its own internal
    force; ``friction_weights`` (N,) N; ``ground`` v_g (2,) m/s; ``time`` s of the stage; ``memory`` Δ* (N, 2) m, where the law
    remembers (see ``memory``); ``start_contact`` (N, 2) N: what θ schemes mix in of the contact force at the start ((0, 2) without
    contacts); penalty ``contacts`` with the bristles that the stage inherits.
    """

    time: float
    position: Array
    velocity: Array
    coordinates: Array
    rates: Array
    external: Array
    start_internal: Array
    tau_x: float
    tau_v: float
    force_weight: float
    friction_weights: Array
    ground: Array = field(default_factory=lambda: np.zeros(2))
    memory: Array | None = None
    start_contact: Array = field(default_factory=lambda: NOWHERE)
    contacts: AssembledContacts = NO_CONTACTS

    @property
    def load(self) -> Array:
        """All of the stage's nodal force that does not depend on its own motion, (N, 2) N."""
        load = self.external + self.start_internal
        return load + self.start_contact if len(self.start_contact) else load


class StageEquilibrium:
    """g(V) of one elastic pass in a given frame: gradient, Hessian and energy for the friction solver.

    All members take the slip velocity V − Qᵀv_g (N, 2), body components, m/s; forces are N, the energy is a power, W. What is not
    the gradient of a potential is frozen at the last pass's motion and converged by the passes: the part of a non-objective
    internal force that goes with the frame, and loads that follow the body, but for the symmetric part of their tangent.
    ``pushed`` (N, 2) N: nodal forces beside the loads, those of exact contacts, set from outside.
    """

    linear = False

    def __init__(self, model: Model, history: StageHistory, motion: FrameMotion, last_velocity: Array) -> None:
        self._body: Any = model.body_at(history.time)
        self._mass = model.mass
        self._history = history
        self.indptr, self.indices = model.body.indptr, model.body.indices
        angle = motion.angle
        self._carried = to_body(history.position - motion.coordinates[:2], angle) - model.body.X
        self._incoming = to_body(history.velocity, angle)
        self._load = to_body(history.load, angle)
        self.lift = to_body(history.ground[None], angle)
        self.pushed: Array | float = 0.0
        self._follower: Following | None = None
        if model.loads.followers:
            position = to_body(history.position + history.tau_x * last_velocity - motion.coordinates[:2], angle)
            self._follower = Following(model, history, position, to_body(last_velocity, angle))
        self._contact: StageContact | None = None
        if history.contacts:
            self._contact = StageContact(
                history.contacts,
                history.time,
                history.position,
                history.tau_x,
                history.force_weight,
                angle,
                last_velocity,
            )
        self._frame_force: Array | float = 0.0
        if not (model.objective or model.clamped):  # a clamp takes the moment: see ``clamped``
            self._frame_force = frame_moment_force(model, history, motion, last_velocity)
        self._cached: tuple[Array, Array] | None = None
        eps = float(np.finfo(float).eps)
        inertia = float(model.mass.nodal.max()) * _largest(history.velocity) / history.tau_v
        extent = max(_largest(history.position), _largest(model.body.X))
        stiffness = max(model.stiffness, 0.0 if self._contact is None else self._contact.stiffness)
        self._rounding = 8.0 * eps * max(stiffness * extent, inertia)
        self._size = 0.0

    def total(self, velocity: Array) -> Array:
        """V (N, 2) m/s for the unknown."""
        return velocity + self.lift if np.any(self.lift) else velocity

    def displacement(self, velocity: Array) -> Array:
        """u (N, 2) at the end of the stage, in the frame, m."""
        return self._carried + self._history.tau_x * self.total(velocity)

    def acceleration(self, velocity: Array) -> Array:
        """Qᵀa (N, 2) m/s² of the stage, from the inertial nodal history."""
        return (self.total(velocity) - self._incoming) / self._history.tau_v

    def internal_force(self, velocity: Array) -> Array:
        """f_int(u(V)) (N, 2), body components, power-consistent in the frame; evaluated once per V."""
        if self._cached is None or not np.array_equal(self._cached[0], velocity):
            force = self._body.internal_force(self.displacement(velocity))
            if np.any(self._frame_force):
                force = force + self._frame_force
            self._cached = (velocity.copy(), force)
        return self._cached[1]

    def gradient(self, velocity: Array) -> Array:
        """g(V) (N, 2), N."""
        internal = self.internal_force(velocity)
        inertia = self._mass.matrix @ self.acceleration(velocity)
        load = self._load + self.pushed
        if self._follower is not None:
            load = load + self._follower.force(self.total(velocity))
        if self._contact is not None:
            load = load + self._contact.force(self.total(velocity))
        self._size = max(_largest(internal), _largest(inertia), _largest(load))
        return inertia - self._history.force_weight * internal - load

    def hessian(self, velocity: Array) -> Array:
        """∂g/∂V in the body's fixed sparsity (nnz,): M/τ_v + θ τ_x K(u), kg/s."""
        data = self._body.tangent(self.displacement(velocity))
        data *= self._history.force_weight * self._history.tau_x
        data += self._body.mass_data / self._history.tau_v
        if self._follower is not None:
            data -= self._follower.stiffness
        if self._contact is not None:
            self._contact.add_tangent(self.total(velocity), data)
        return data

    def energy(self, velocity: Array) -> float:
        """The incremental potential of which g is the gradient, W."""
        history, inertia = self._history, 0.0
        if np.isfinite(history.tau_v):
            acceleration = self.acceleration(velocity)
            inertia = 0.5 * history.tau_v * dot(acceleration, self._mass.matrix @ acceleration)
        strain = self._body.strain_energy(self.displacement(velocity)) * history.force_weight / history.tau_x
        if self._follower is not None:
            strain -= self._follower.power(self.total(velocity))
        if self._contact is not None:
            strain += self._contact.energy(self.total(velocity))
        return (
            inertia
            + strain
            - dot(self._load + self.pushed + history.force_weight * self._frame_force, self.total(velocity))
        )

    def scale(self, velocity: Array) -> float:
        """The largest nodal force that g is made of, N."""
        return self._size

    def rounding(self, velocity: Array) -> float:
        """Entries of g below this are rounding: element stiffness × the resolution of positions, N."""
        return self._rounding


class Following:
    """Following loads of a stage, linearised at the last pass's motion with the symmetric part of their tangent.

    f(V) = θ f(x_k) + S (V − V_k), S = θ τ_x sym ∂f/∂x, the gradient of f_k·δ + ½ δ·S δ with δ = V − V_k; where the passes have
    settled V = V_k, and it is the whole force. ``position`` r_k, ``velocity`` V_k (N, 2), body components.
    """

    def __init__(self, model: Model, history: StageHistory, position: Array, velocity: Array) -> None:
        body = model.body
        self._velocity = velocity
        self._force = history.force_weight * model.loads.following_force(history.time, position)
        self.stiffness = np.zeros(len(body.indices))
        model.loads.following_tangent(history.time, position, self.stiffness)
        self.stiffness *= history.force_weight * history.tau_x
        size = body.X.size
        self._matrix = csr_matrix((self.stiffness, body.indices, body.indptr), shape=(size, size))

    def _change(self, velocity: Array) -> tuple[Array, Array]:
        change = velocity - self._velocity
        return change, (self._matrix @ change.ravel()).reshape(change.shape)

    def force(self, velocity: Array) -> Array:
        """f(V) (N, 2) N."""
        return self._force + self._change(velocity)[1]

    def power(self, velocity: Array) -> float:
        """The potential of f(V), W."""
        change, stiff = self._change(velocity)
        return dot(self._force, change) + 0.5 * dot(change, stiff)


def _largest(field: Array) -> float:
    """Largest absolute entry."""
    return float(np.abs(field).max(initial=0.0))


def frame_moment_force(model: Model, history: StageHistory, motion: FrameMotion, velocity: Array) -> Array:
    """What makes a non-objective (small-strain) internal force power-consistent in a moving frame, (N, 2) N, body.

    The power of −dU/dt = f_int·u' contains −ω Σ r × f_int through u' = V − Qᵀx0' − ω J r, so the force that does the
    same power through V is f_int − (Σ r × f_int) ∂ω/∂V. It leaves no resultant moment. Taken at the last pass's
    inertial ``velocity`` and frame, it is converged by the passes.
    """
    position = history.position + history.tau_x * velocity
    r = to_body(position - motion.coordinates[:2], motion.angle)
    internal = model.body_at(history.time).internal_force(r - model.body.X)
    found = moments(model.mass, position, velocity, np.zeros_like(velocity))
    return -cross_sum(r, internal) * model.frame.spin_gradient(model.mass, r, found, motion.angle)
