"""One stage of an elastic solid: nodal equilibrium in axes Q, with V = Qᵀv as unknown, and the frame's own equations.

    g(V) = M (V − Qᵀv*)/τ_v − θ f_int(u, V) − Qᵀf,    u = Qᵀ(x* − x0) + τ_x V − X                                    (2.3)3

with x*, v* the inertial nodal history; f are loads and the forces of smooth effects (``penalty``). The material is objective, so
Q moves nothing but rounding: free bodies take Q = 1, space, in which level ground is along the axes, clamped ones those of their
frame. The frame advances by (2.3)2 with the frame condition put in (``frame.conditions``), from the nodes found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from fem import Solid
from floating_frame.frame.kinematics import Array, FloatingFrame
from floating_frame.frame.moments import MassDistribution
from floating_frame.frame.rigid_pass import FrameHistory
from floating_frame.system.protocol import StageHistory
from floating_frame.system.solid.penalty import Smooth, StageEffects

IN_FLIGHT = 1e-3
"""Part of M|V|/τ_v that counts as a force where none acts, to judge residuals by."""
SUMMED = 4.0
"""Rounding of M a over that of its largest term: some thirty nodes are summed up, and turned into the frame."""
EPS = float(np.finfo(float).eps)


class SolidBody(NamedTuple):
    """What does not change in time: the ``body``, its ``mass``, the largest entry of its ``stiffness`` at rest, N/m, and the rate
    √(X·KX / X·MX) of its ``breathing``, rad/s."""

    body: Solid
    mass: MassDistribution
    stiffness: float
    breathing: float

    @classmethod
    def of(cls, body: Solid) -> SolidBody:
        """Return what a body does not change in time."""
        mass, K = MassDistribution.of(body.mass_matrix, body.X), body.tangent(np.zeros_like(body.X))
        swelling = csr_matrix((K, body.indices, body.indptr)) @ body.X.ravel()
        square = float(np.vdot(body.X, swelling) / np.vdot(body.X, mass.matrix @ body.X))
        return cls(body, mass, float(np.abs(K).max()), float(np.sqrt(square)))


class SolidStage:
    """g(V) of a stage in the axes and about the origin of ``frame``, for ``friction.nodal``; ``load`` (N, 3) N, space axes."""

    linear = False

    def __init__(
        self,
        solid: SolidBody,
        history: StageHistory,
        frame: FloatingFrame,
        load: Array,
        smooth: Smooth = (),
    ) -> None:
        self._solid, self.history, self.frame, Q = solid, history, frame, frame.rotation
        self._smooth = StageEffects(smooth, history.tau_x, Q)
        self.indptr, self.indices = solid.body.indptr, solid.body.indices
        self._carried = (history.configuration[0] - frame.origin) @ Q - solid.body.X
        self._incoming, self._load = history.velocity[0] @ Q, load @ Q
        inertia = solid.mass.nodal.max() * np.abs(history.velocity[0]).max() / history.tau_v
        extent = max(np.abs(solid.body.X).max(), np.abs(self._carried).max())
        extent = extent + solid.body.viscosity * np.abs(self._incoming).max()
        self._largest = float(max(solid.stiffness * extent, SUMMED * inertia))
        self._size = self._pushed = 0.0

    def displacement(self, velocity: Array) -> Array:
        """Return u (N, 3) m at the stage's end."""
        return np.asarray(self._carried + self.history.tau_x * velocity)

    def acceleration(self, velocity: Array) -> Array:
        """Return Qᵀa (N, 3) m/s²."""
        return np.asarray((velocity - self._incoming) / self.history.tau_v)

    def internal_force(self, velocity: Array, u: Array | None = None) -> Array:
        """Return f_int (N, 3) N, body components; ``u`` (N, 3) m, where a clamp has placed nodes, also below."""
        body, place = self._solid.body, self.displacement(velocity) if u is None else u
        force: Array = body.internal_force(place) + body.viscous_force(place, velocity)
        return force

    def _motion(self, velocity: Array, u: Array | None) -> tuple[Array, Array]:
        """Return nodal x and v (N, 3), space."""
        Q, place = self.frame.rotation, self.displacement(velocity) if u is None else u
        return self.frame.origin + (self._solid.body.X + place) @ Q.T, velocity @ Q.T

    def push(self, velocity: Array, u: Array | None = None) -> tuple[Array, float]:
        """Return what smooth effects do, (N, 3) N, space axes, and its rounding, N."""
        if not self._smooth:
            return np.zeros_like(velocity), 0.0
        return self._smooth.force(*self._motion(velocity, u))

    def gradient(self, velocity: Array, u: Array | None = None) -> Array:
        mass, (push, rounding) = self._solid.mass.matrix, self.push(velocity, u)
        load = self._load + self.history.theta * push @ self.frame.rotation
        inertia, internal = mass @ self.acceleration(velocity), self.history.theta * self.internal_force(velocity, u)
        flight = IN_FLIGHT * np.abs(mass @ velocity).max() / self.history.tau_v
        forces = inertia, internal, self._load, push
        self._size, self._pushed = float(max(*(np.abs(f).max() for f in forces), flight)), rounding
        return np.asarray(inertia - internal - load)

    def hessian(self, velocity: Array, u: Array | None = None) -> Array:
        """Return dg/dV; of the viscous force what it would be if the elastic tangent were that of the rate."""
        share, inertia = (
            self.history.theta * (self.history.tau_x + self._solid.body.viscosity),
            1.0 / self.history.tau_v,
        )
        place = self.displacement(velocity) if u is None else u
        data = self._solid.body.tangent(place, share=share, inertia=inertia)
        if self._smooth:
            self._smooth.add_tangent(*self._motion(velocity, u), self.history.theta, data)
        return data

    def energy(self, velocity: Array) -> float:
        """Return the incremental potential, W, of which g is the gradient without viscosity."""
        history, acceleration = self.history, self.acceleration(velocity)
        inertia = 0.5 * history.tau_v * float(np.vdot(acceleration, self._solid.mass.matrix @ acceleration))
        strain = self._solid.body.strain_energy(self.displacement(velocity)) * history.theta / history.tau_x
        smooth = history.theta * self._smooth.energy(*self._motion(velocity, None)) if self._smooth else 0.0
        return inertia + strain + smooth - float(np.vdot(self._load, velocity))

    def scale(self, velocity: Array) -> float:
        return self._size

    def rounding(self, velocity: Array) -> float:
        return 8.0 * EPS * max(self._largest, self._pushed)


class SolidInertia:
    """g(a) = M a − f at one instant, for the same solvers; f (N, 3) N. ``largest``: of what a is the difference, m/s²."""

    linear = True

    def __init__(self, solid: SolidBody, force: Array, largest: float = 0.0) -> None:
        self._solid, self._force, self._inertia = solid, force, largest * float(solid.mass.nodal.max())
        self.indptr, self.indices = solid.body.indptr, solid.body.indices

    def gradient(self, acceleration: Array, u: Array | None = None) -> Array:
        return np.asarray(self._solid.mass.matrix @ acceleration - self._force)

    def hessian(self, acceleration: Array, u: Array | None = None) -> Array:
        return np.array(self._solid.body.mass_data)

    def energy(self, acceleration: Array) -> float:
        """Return ½ a·Ma − f·a."""
        return float(np.vdot(acceleration, 0.5 * (self._solid.mass.matrix @ acceleration) - self._force))

    def scale(self, acceleration: Array) -> float:
        return float(np.abs(self._force).max())

    def rounding(self, acceleration: Array) -> float:
        places = self._solid.stiffness * float(np.abs(self._solid.body.X).max())
        return 16.0 * EPS * max(self.scale(acceleration), places, self._inertia)


def frame_history(history: StageHistory) -> FrameHistory:
    """Return what a stage's frame inherits."""
    return FrameHistory(
        time=history.time,
        origin=history.configuration[1],
        velocity=history.velocity[1],
        rotation=history.origin[2],
        turn=history.way[2],
        spin=history.velocity[2],
        tau_x=history.tau_x,
        tau_v=history.tau_v,
    )


def advanced(history: StageHistory, acceleration: Array, spin_rate: Array) -> FloatingFrame:
    """Return the frame at a stage's end by the scheme's formulas, from its accelerations."""
    return frame_history(history).advanced(acceleration, spin_rate)
