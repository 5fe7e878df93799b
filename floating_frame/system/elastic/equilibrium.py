"""One stage of an elastic body's nodes in the plane or in space: equilibrium in axes Q, with V = Qᵀv as unknown.

Per unit of reference volume ρ Qᵀa = Div P + Qᵀb + t (2.3)3, on an area t = −μ p_n V/|V| (3.4)2, discretised in space and put into
a stage

    g(V) = p,   g(V) = M (V − Qᵀv*)/τ_v − θ f_int(u, V) − Qᵀf,   u = Qᵀ(x* − x0) + τ_x V − X,

with x*, v* the *inertial* nodal history, f loads and smooth effects, and p the forces of the ground (``friction.nodal``). On moving
ground the unknown is V minus a ``lift``. Because V and not u' is the unknown, friction and stick are diagonal in it, and the frame
affects the split only (docs/theory.md, section on the stage). For an objective material Q affects rounding only: free bodies have Q
= 1, with level ground along the axes; clamped bodies and small strains the axes of their frame.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from floating_frame.frame.kernels import momentum_residual, stage_history, stage_kinematics
from floating_frame.frame.kinematics import Array, FloatingFrame
from floating_frame.frame.moments import MassDistribution
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.protocol import StageHistory
from friction.arrays import contiguous

IN_FLIGHT = 1e-3
"""Force scale of residuals of a solid in free flight over M|V|/τ_v."""
SUMMED = {2: 1.0, 3: 4.0}
"""Rounding of M a over the rounding of its largest term: a row has some thirty nodes in space."""
EPS = float(np.finfo(float).eps)
LEVEL = {2: np.eye(2), 3: np.eye(3)}
"""Inertial axes."""


class ElasticBody(NamedTuple):
    """A ``body``, its ``mass``, the largest entry of its ``stiffness`` at rest, N/m, and the ``breathing`` frequency
    √(X·KX / X·MX), rad/s."""

    body: Any
    mass: MassDistribution
    stiffness: float
    breathing: float

    @classmethod
    def of(cls, body: Any, mass: MassDistribution | None = None) -> ElasticBody:
        """Constants of a body; ``mass``: replaces its own, e.g. lumped."""
        mass, K = mass or MassDistribution.of(body.mass_matrix, body.X), body.tangent(np.zeros_like(body.X))
        swelling = csr_matrix((K, body.indices, body.indptr)) @ body.X.ravel()
        square = float(np.vdot(body.X, swelling) / np.vdot(body.X, mass.weighted))
        return cls(body, mass, float(np.abs(K).max()), float(np.sqrt(max(square, 0.0))))


class ElasticStage:
    """g(V) of a stage of an ``elastic`` body with its ``history``, about the origin and in the axes of ``frame``: gradient and
    Hessian for friction; ``load`` (N, d) N, inertial; smooth ``effects``.

    All members take the unknown V − lift (N, d), m/s, in these axes; forces are N. ``u`` (N, d) m and Qᵀa
    (N, d) m/s² are given where a clamp prescribes them. ``contact_force`` (N, d) N: nodal forces of exact contacts;
    ``frame_force``: frame part of a non-objective internal force; both are set by the caller. ``room`` (nnz,): Hessian workspace.
    """

    linear = False

    def __init__(
        self,
        elastic: ElasticBody,
        history: StageHistory,
        frame: FloatingFrame,
        load: Array,
        effects: NodeEffects,
        room: Array | None = None,
    ) -> None:
        self.elastic, self.history, self.frame, self.load, self.effects = elastic, history, frame, load, effects
        self.body, self.origin, self.axes, self._room = elastic.body, frame.origin, frame.rotation, room
        body, d, (x, v) = elastic.body, len(self.axes), (history.configuration[0], history.velocity[0])
        self.level = self.axes is LEVEL[d] or bool((self.axes == LEVEL[d]).all())
        self._dims, self.indptr, self.indices, self._in_space = (0,) * d, body.indptr, body.indices, d == 3
        self._u_start, self._v_start, self._load = np.empty_like(x), np.empty_like(x), self.to_axes(load)
        farthest, speed = stage_history(
            self._dims, contiguous(x), v, self.origin, self.axes, body.X, self._u_start, self._v_start
        )
        self.contact_force: Array | None = None
        self.frame_force: Array | None = None
        self._acts, inertia = bool(effects), elastic.mass.heaviest * speed / history.tau_v
        extent = max(farthest, elastic.mass.farthest) + body.viscosity * speed
        self._rounding, self._size = max(elastic.stiffness * extent, SUMMED[d] * inertia), 0.0
        self._last: tuple[Array | None, Array] = (None, self._load)
        self.lift, self._u_star, self._v_star = np.zeros((1, d)), self._u_start, self._v_start

    @property
    def key(self) -> tuple[float, float, float]:
        """Coefficients of the matrix, for reuse of its factor."""
        return self.history.tau_x, self.history.tau_v, self.history.theta

    def to_axes(self, field: Array) -> Array:
        """Components of an inertial field (N, d) along the axes."""
        return field if self.level else field @ self.axes

    def to_space(self, field: Array) -> Array:
        """Inertial components of a field (N, d)."""
        return field if self.level else field @ self.axes.T

    def set_lift(self, lift: Array) -> None:
        """Set V = unknown + ``lift`` (N, d) or (1, d), m/s."""
        self.lift, self._u_star, self._v_star = lift, self._u_start, self._v_start
        if lift.any():
            self._u_star, self._v_star = self._u_start + self.history.tau_x * lift, self._v_start - lift

    def internal_force(self, velocity: Array, u: Array | None = None) -> Array:
        """f_int (N, d) N, in the axes; the last one is cached."""
        (at, last), now = self._last, velocity if u is None else u
        if at is now or (at is not None and np.array_equal(at, now)):
            return last
        force = self._internal(velocity, self.kinematics(velocity)[0] if u is None else u)
        self._last = now, force
        return force

    def kinematics(self, velocity: Array) -> tuple[Array, Array]:
        """u (N, d) m at the end of the stage, and Qᵀa (N, d) m/s² from the inertial nodal history."""
        u, a = np.empty_like(velocity), np.empty_like(velocity)
        tau_x, tau_v = self.history.tau_x, self.history.tau_v
        stage_kinematics(self._dims, self._u_star, self._v_star, contiguous(velocity), tau_x, tau_v, u, a)
        return u, a

    def _internal(self, velocity: Array, place: Array) -> Array:
        """f_int (N, d) N at V with the displacement u = ``place`` (N, d) m."""
        body = self.body
        force: Array = body.internal_force(place)
        if body.viscosity:
            force = force + body.viscous_force(place, velocity + self.lift)
        if self.frame_force is not None:
            force = force + self.frame_force
        return force

    def nodal_motion(self, velocity: Array, u: Array | None = None) -> tuple[Array, Array]:
        """Nodal x and v (N, d), inertial."""
        place = self.kinematics(velocity)[0] if u is None else u
        return self.origin + self.to_space(self.body.X + place), self.to_space(velocity + self.lift)

    def gradient(self, velocity: Array, u: Array | None = None, a: Array | None = None) -> Array:
        """g (N, d), N."""
        M, history, load, pushed = self.elastic.mass.matrix, self.history, self._load, 0.0
        if self.contact_force is not None:
            load = load + self.contact_force
        if self._acts:
            force = self.to_axes(self.effects.force(*self.nodal_motion(velocity, u)))
            load, pushed = load + force, _largest(force)
        place, acceleration = self.kinematics(velocity) if u is None or a is None else (u, a)
        g, internal = np.empty_like(velocity), self._internal(velocity, place)
        self._last = (velocity if u is None else u), internal
        sizes = momentum_residual(
            self._dims, M.indptr, M.indices, M.data, acceleration, internal, load, history.theta, g
        )
        self._size = max(*sizes, pushed)
        if self._in_space:
            flight = self.elastic.mass.heaviest * _largest(velocity) / history.tau_v
            self._size = max(self._size, IN_FLIGHT * flight)
        return g

    def hessian(self, velocity: Array, u: Array | None = None) -> Array:
        """∂g/∂V in the body's fixed sparsity (nnz,), kg/s; the viscous force has the elastic tangent for the rate."""
        history, body = self.history, self.body
        share, inertia = history.theta * (history.tau_x + body.viscosity), 1.0 / history.tau_v
        place = self.kinematics(velocity)[0] if u is None else u
        data: Array = body.tangent(place, share=share, inertia=inertia, out=self._room)
        if self._acts:
            self.effects.add_tangent(*self.nodal_motion(velocity, u), self.axes, data)
        return data

    def scale(self, velocity: Array) -> float:
        """Largest nodal force in g, N."""
        return self._size

    def rounding(self, velocity: Array) -> float:
        """Rounding level of g, N: element stiffness × resolution of positions."""
        return float(8.0 * EPS * max(self._rounding, self.effects.size))


class InstantEquilibrium:
    """g(a) = M (a + lift) − f at one instant, in any axes; f (N, d) N. ``lift`` (N, d) m/s²: given part of the acceleration;
    ``largest`` m/s²: size of the terms whose difference is a."""

    linear = True

    def __init__(self, elastic: ElasticBody, force: Array, largest: float = 0.0) -> None:
        self._elastic, self._force, self._inertia = elastic, force, largest * float(elastic.mass.nodal.max())
        self.indptr, self.indices = elastic.body.indptr, elastic.body.indices
        self.lift = np.zeros_like(force)

    def gradient(self, acceleration: Array) -> Array:
        return self._elastic.mass.times(acceleration + self.lift) - self._force

    def hessian(self, acceleration: Array) -> Array:
        return np.array(self._elastic.body.mass_data)

    def scale(self, acceleration: Array) -> float:
        return _largest(self._force)

    def rounding(self, acceleration: Array) -> float:
        places = self._elastic.stiffness * _largest(self._elastic.body.X) if len(self.lift[0]) == 3 else 0.0
        return 16.0 * EPS * max(self.scale(acceleration), places, self._inertia)


def _largest(field: Array) -> float:
    """Largest absolute entry."""
    return float(np.abs(field).max(initial=0.0))
