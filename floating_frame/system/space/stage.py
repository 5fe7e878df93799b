"""One stage of a rigid body in space: the balance of momentum and moment of momentum with frictional contact, by Newton's method.

With x = x* + τ v and Θ = Θ* + τ (Ω − ½ Θ × Ω), Q = exp(Θ) Q_n, the stage satisfies

    M (v − v*)/τ = F + Σ p_i                          (2.3)1 with A = P = B = 0
    (QJQᵀΩ − h*)/τ = M0 + Σ a_i × p_i                 (2.3)2 in momentum form, in space: h is kept to rounding without moments

where a_i are the arms of the points of contact. θ schemes take arms and normals of p in the mean of the step's ends, as they take
loads: by H̄ = (1 − θ) H_n + θ H, of H v = u, p works in the mean velocity

    H̄ᵀp·{(1 − θ) v_n + θ v} = p·{(1 − θ) u_n + θ u} − θ(1 − θ) p·(H − H_n)(v − v_n),

which for points that press and stick is of order Δt² and changes its sign with that of ΔΩ; by H at the end alone it would be
(1 − θ) p·(H − H_n) v_n, of order Δt, energy made wherever the body turns about its points.

In δv, δΩ, with δφ = T δΩ, T = dexp(Θ)(1 − ½τ hat Ω)⁻¹ τ (1 − ½ hat Θ),

    D = diag(M/τ, {J + (J hat Ω − hat(JΩ)) T}/τ) − ∂(F, M0)/∂ − ∂(Σ p_i, Σ a_i × p_i)/∂    (arms and normals move: ``contacts``)

and the contact forces p follow from the velocities of the points, u + H̃ D⁻¹ (Hᵀ δp − rest), by Signorini's and Coulomb's laws
(``friction.cone``). A point that pressed at the step's start keeps u_n = 0; any other keeps its gap at the stage's end from being
negative, or smaller than it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.motion import vector
from floating_frame.effect.protocol import Attached, Blocks, Effect
from floating_frame.errors import NotConverged
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross, differential, exponential, hat
from floating_frame.rigid_solid import Feet
from floating_frame.system.protocol import StageHistory
from floating_frame.system.space.contacts import Contacts, Meeting, Moving
from friction.cone import ConeSolution, solve_cone

MAX_TURNS = 60
RATES = tuple((rate[:3], rate[3:]) for rate in np.eye(6))
"""Each of the six rates (v, Ω) alone."""
ACCEPTED = ((20, 1e-12), (40, 1e-10), (MAX_TURNS, 1e-8))
"""Up to which turn the balance may miss which part of the momenta over τ, or of the forces: first rounding, then what contacts
that are ill-conditioned leave, then points that slip so little that rounding turns their friction."""


class SpacePoints:
    """Points with reference coordinates X (P, 3) m from the centre of mass."""

    def __init__(self, reference: Array) -> None:
        self.reference = np.atleast_2d(np.asarray(reference, float))

    def arms(self, configuration: Blocks) -> Array:
        """Return QX (P, 3) m."""
        return self.reference @ configuration[1].T

    def place(self, configuration: Blocks) -> Array:
        return configuration[0] + self.arms(configuration)

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        return velocity[0] + cross(velocity[1], self.arms(configuration))

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        return force.sum(axis=0), cross(self.arms(configuration), force).sum(axis=0)

    def turn_slope(self, configuration: Blocks, force: Array) -> Array:
        """Return how force and moment (6, 3) of forces (P, 3) N change with a turn of the body, in space."""
        arms, force = self.arms(configuration), force[:, :3]
        return np.concatenate([np.zeros((3, 3)), arms.T @ force - float(np.vdot(arms, force)) * np.eye(3)])


class FollowingPoints(SpacePoints):
    """Points whose velocities and forces are told in the body's axes."""

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        return super().velocity(configuration, velocity) @ configuration[1]

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        return super().pull(configuration, force @ configuration[1].T)

    def turn_slope(self, configuration: Blocks, force: Array) -> Array:
        return -np.concatenate([hat(part) for part in self.pull(configuration, force)])


class SpaceAnchors:
    """Points of a rigid body in space on which effects act; ``place`` (3,) m and ``rotation`` (3, 3): where it is at first."""

    def __init__(self, place: Array, rotation: Array) -> None:
        self._place, self._rotation = place, rotation

    def attached(self, at: str | Sequence[float]) -> Attached:
        """Return a point (X, Y, Z), m, anywhere. Raises ValueError for names: the body has no faces."""
        if isinstance(at, str):
            raise ValueError(f"a rigid body in space has no face {at!r}: attach to a point at=(X, Y, Z), m")
        X = vector(at, "'at' of an effect (m)", self._place)[None]
        return Attached(SpacePoints(X), self._place + X @ self._rotation.T, np.ones(1))


class BallPoints(SpacePoints):
    """Centres of balls, with velocities (v, Ω) (P, 6) and forces (F, moment about the centre) (P, 6)."""

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        moving = super().velocity(configuration, velocity)
        return np.concatenate([moving, np.broadcast_to(velocity[1], moving.shape)], axis=1)

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        total, moment = super().pull(configuration, force[:, :3])
        return total, moment + force[:, 3:].sum(axis=0)


class Attitude(NamedTuple):
    """Rotation Q (3, 3) at a stage's end, and T (3, 3) s: δφ = T δΩ."""

    rotation: Array
    tangent: Array


class StageResult(NamedTuple):
    """Velocity (v, Ω), configuration, contact forces and velocities, and Newton's turns."""

    velocity: Blocks
    configuration: Blocks
    contact: ConeSolution
    turns: int
    iterations: int
    fallbacks: int


def attitude(start: Array, way: Array, spin: Array, tau: float) -> Attitude:
    """Return the attitude after Θ = Θ* + τ (Ω − ½ Θ × Ω) from Q_n = ``start``."""
    left = np.eye(3) - 0.5 * tau * hat(spin)
    turn: Array = np.asarray(np.linalg.solve(left, way + tau * spin), float)
    inner = np.linalg.solve(left, tau * (np.eye(3) - 0.5 * hat(turn)))
    return Attitude(exponential(turn) @ start, differential(turn) @ inner)


class SpaceStage:
    """The balance of one stage of a body with points of ``contacts``, which were at ``start`` as the step began. ``persisting``
    (m,): points that pressed there; ``friction`` (m,) coefficients, infinite where the guard holds a point."""

    def __init__(
        self,
        body: SpaceInertia,
        contacts: Contacts,
        start: Meeting,
        history: StageHistory,
        effects: Sequence[Effect],
        persisting: NDArray[np.bool_],
        friction: Array,
    ) -> None:
        self.body, self.contacts, self.history, self.effects = body, contacts, history, tuple(effects)
        self.persisting, self.floor, self.friction = persisting, np.minimum(start.gaps, 0.0), friction
        self.start_pulls = (1.0 - history.theta) * start.pulls

    def solve(self, velocity: Blocks, force: Array) -> StageResult:
        """Return the solved stage, started from (v, Ω) and contact forces (m, 3) N. Raises NotConverged, ConeError."""
        w, p = np.concatenate(velocity), np.array(force)
        iterations = fallbacks = 0
        for turn in range(1, MAX_TURNS + 1):
            at = self._linearised(w, p)
            inverse = np.linalg.inv(at.stiffness)
            response = at.rows @ inverse @ at.pulls
            free = at.velocities.ravel() - at.rows @ inverse @ at.rest - response @ p.ravel()
            contact = solve_cone(response, free.reshape(-1, 3), self.friction, p, float(at.scale[:3].max()))
            iterations, fallbacks = iterations + contact.iterations, fallbacks + int(contact.fallback)
            step = -inverse @ (at.rest - at.pulls @ (contact.force - p).ravel())
            w, p = w + step, contact.force
            missed = np.abs(at.stiffness @ step)
            if np.all(missed <= next(part for last, part in ACCEPTED if turn <= last) * at.scale):
                break
        else:
            raise NotConverged(
                f"momentum and contact of the stage ending at t = {self.history.time:.9g} s did not settle in {turn} turns "
                f"(still {float((missed / at.scale).max()):.3g} of the forces)"
            )
        velocity, now = (w[:3], w[3:]), attitude(self.history.origin[1], self.history.way[1], w[3:], self.history.tau_x)
        x = self.history.origin[0] + self.history.way[0] + self.history.tau_x * w[:3]
        return StageResult(velocity, (x, now.rotation), contact, turn, iterations, fallbacks)

    def _linearised(self, w: Array, p: Array) -> Linearised:
        """Return the balance and the points' velocities at (v, Ω) = ``w`` (6,) under contact forces ``p``."""
        h, body, v, spin = self.history, self.body, w[:3], w[3:]
        now = attitude(h.origin[1], h.way[1], spin, h.tau_x)
        place, Q, T = h.origin[0] + h.way[0] + h.tau_x * v, now.rotation, now.tangent
        J = Q @ body.inertia @ Q.T
        at = self.contacts.at((place, Q), h.time)
        moving, pulls = Moving.of(at, self.contacts.radius, h.tau_x, T), self.start_pulls + h.theta * at.pulls
        force, slope, size = self._effects((place, Q), (v, spin), T)
        momenta = np.concatenate([body.mass * v, J @ spin])
        before = np.concatenate(h.velocity) * np.repeat([body.mass, 1.0], 3)
        rest = (momenta - before) / h.tau_v - h.theta * force - np.concatenate(h.start_force) - pulls @ p.ravel()
        stiffness = np.zeros((6, 6))
        stiffness[:3, :3] = body.mass / h.tau_v * np.eye(3)
        stiffness[3:, 3:] = (J + (J @ hat(spin) - hat(J @ spin)) @ T) / h.tau_v
        stiffness -= h.theta * slope
        stiffness -= h.theta * moving.force_slope(at, p)
        rows, velocities = self._rows(w, at, moving)
        radius = body.radius
        level = np.abs(momenta[:3]).max() / h.tau_v + np.abs(force[:3]).max() + size + np.abs(p).max(initial=0.0)
        level += np.abs(momenta[3:]).max() / (h.tau_v * radius)
        scale = np.repeat([level, level * radius], 3)
        return Linearised(rest, stiffness, pulls, rows, velocities, scale)

    def _rows(self, w: Array, at: Meeting, moving: Moving) -> tuple[Array, Array]:
        """Return H̃ (3m, 6) and the velocities (m, 3): the last a gap over τ where a point did not press at the start."""
        h, velocity = self.history, (w[:3], w[3:])
        rows, velocities, free = moving.slip_rows(at, velocity), at.slip(velocity), ~self.persisting
        if free.any():
            if h.tau_v != h.tau_x:
                ahead = attitude(h.origin[1], h.way[1], w[3:], h.tau_v)
                place = h.origin[0] + h.way[0] + h.tau_v * w[:3]
                at = self.contacts.at((place, ahead.rotation), h.time + h.tau_v - h.tau_x)
                moving = Moving.of(at, self.contacts.radius, h.tau_v, ahead.tangent)
            velocities[free, 2] = ((at.gaps - self.floor) / h.tau_v)[free]
            rows[free, 2] = (at.axes[free, 2, None] @ moving.centres[free])[:, 0] / h.tau_v
        return rows.reshape(-1, 6), velocities

    def _effects(self, configuration: Blocks, velocity: Blocks, T: Array) -> tuple[Array, Array, float]:
        """Return force and moment (6,) of the effects, their derivative (6, 6) by (v, Ω), and the size of the forces, N."""
        total, slope, size, tau = np.zeros(6), np.zeros((6, 6)), 0.0, self.history.tau_x
        for effect, acting in zip(self.effects, self.history.effects, strict=True):
            x, v = effect.points.place(configuration), effect.points.velocity(configuration, velocity)
            now = acting.at(x, v)
            arms = x - configuration[0]
            total += np.concatenate(effect.points.pull(configuration, now.force))
            size += float(np.abs(now.force[:, :3]).sum())
            slope[:, 3:] += effect.points.turn_slope(configuration, now.force) @ T
            if now.by_place is None and now.by_velocity is None:
                continue
            maps = np.stack([effect.points.velocity(configuration, rate) for rate in RATES], axis=2)
            if now.by_place is not None:
                moved = np.concatenate([tau * maps[:, :3, :3], -hat(arms) @ T], axis=2)
                slope += np.einsum("pak,pab,pbl->kl", maps, now.by_place, moved)
            if now.by_velocity is not None:
                turned = maps.copy()
                turned[:, :3, 3:] -= hat(velocity[1]) @ hat(arms) @ T
                slope += np.einsum("pak,pab,pbl->kl", maps, now.by_velocity, turned)
        return total, slope, size


class Linearised(NamedTuple):
    """Rest (6,) of the balance, its derivative (6, 6), Hᵀ (6, 3m), H̃ (3m, 6), the points' velocities (m, 3), and what residuals
    are measured by (6,)."""

    rest: Array
    stiffness: Array
    pulls: Array
    rows: Array
    velocities: Array
    scale: Array


class SpaceInertia(NamedTuple):
    """``mass`` kg, ``inertia`` (3, 3) kg m² about the centre of mass in body axes, the ``shape`` that touches, a length ``radius``
    m, and points (P, 3) m of its ``outline``."""

    mass: float
    inertia: Array
    shape: Feet
    radius: float
    outline: Array
