"""Exact unilateral contact of nodes with obstacles: Signorini's condition with Coulomb friction and Newton's restitution.

A step of ``backward-euler`` or ``moreau-theta`` from (x_n, v_n) ends at v with x = x* + τ_x v, x* = x_n + (1 − θ) Δt v_n, τ_x
= θ Δt (θ = 1 for backward Euler). The next one starts from x̂ = x + (1 − θ) Δt v = x* + Δt v. Contact is imposed on these
points:

    g(x̂) >= min(0, g(x*))   ⟂   p_n >= 0,      |p_t| <= μ p_n, p_t = −μ p_n sgn(u_t) where u_t ≠ 0

with u = v − v_o in the axes of the obstacle's normal n = ∇g and t = J n. With g linear in v between two passes this is a bound

    u_n >= b = n·(v_k − v_o) − (g(x̂_k) − min(0, g(x*)))/Δt.

As x̂ = x* + Δt v is backward Euler for x̂, a contact that holds neither drifts nor oscillates, for any θ; and x = (1 − θ) x*
+ θ x̂ lies between two points outside of a straight or hollow obstacle, so no stored instant penetrates it (a convex one of
radius R by at most (Δt u_t)²/8R, a turning rigid body by as much with the radius of its turning point). What penetrates at
the start is not pushed out, which would create energy, but goes no deeper (for θ < 1 that is also what comes nearer than
(1 − θ) Δt of its way at t = 0); so rounding is never corrected, and adds up.

Restitution: where p_n > 0 and the node came with u_n⁻ < 0, b is raised to −e u_n⁻, so the node leaves with exactly that
velocity, up to one step's way before it would have touched; with e = 0 it lands at g = 0 in one step and stops in the next.
Such an impact law knows the velocities at the ends of a step; it is of first order in Δt (the instant of impact is not
resolved). The work of an impulse Δt f between v_n and v is Δt f·(v_n + v)/2 (Thomson & Tait); what of it the obstacle does
not do is ``lost``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem.beam_axis import BeamAxis
from floating_frame.contact_points import ContactPoints
from floating_frame.kinematics import Array, turned
from floating_frame.obstacles import Gap, Obstacle
from friction.unilateral import UnilateralResult, solve_unilateral_response

SETTLED = 1e-11
"""Gaps are met to this over the size of the body, and bounds that move less, as ways in a step, stand still."""

SCHEMES = ("backward-euler", "moreau-theta")
"""Schemes with exact contact."""


@dataclass(frozen=True)
class Signorini:
    """Exact unilateral contact as the normal law of a ``Contact``; ``restitution`` e in [0, 1]. ValueError otherwise."""

    restitution: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.restitution <= 1.0:
            raise ValueError(f"restitution must lie in [0, 1], got {self.restitution!r}")


@dataclass(frozen=True)
class ExactContacts:
    """All points of a body with exact contact: ``nodes`` (m,), ``mu`` and ``restitution`` (m,); ``groups``: an obstacle and the
    slice of points that may touch it."""

    nodes: NDArray[np.intp]
    mu: Array
    restitution: Array
    groups: tuple[tuple[Obstacle, slice], ...]

    def gap(self, points: Array, time: float) -> Gap:
        """Gap, normal and curvature at the points (m, 2) m."""
        found = [obstacle.gap(points[part], time) for obstacle, part in self.groups]
        return Gap(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def velocity(self, points: Array, time: float) -> Array:
        """Velocity of the obstacles at the points, (m, 2) m/s."""
        return np.concatenate([obstacle.velocity(points[part], time) for obstacle, part in self.groups])


def exact_contacts(problem: Any, scheme: str) -> ExactContacts | None:
    """The points with exact contact of a problem, None without any. Raises ValueError for what they do not go with."""
    chosen = [contact for contact in problem.contacts if isinstance(contact.normal, Signorini)]
    if not chosen:
        return None
    if scheme not in SCHEMES:
        raise ValueError(
            f"exact contact takes scheme {' or '.join(SCHEMES)} (an impact law knows the velocities at the ends of a step), "
            f"got {scheme!r}; choose one of these, or a penalty contact"
        )
    if problem.frame.name == "clamped" or isinstance(problem.body, BeamAxis):
        raise ValueError(
            "exact contact takes a free plate or rigid body (frame mean-axis or tisserand), not a clamp or a beam"
        )
    nodes: list[Array] = []
    groups, start = [], 0
    for contact in chosen:
        if not contact.law.set_valued or type(contact.law).__name__ != "Coulomb":
            raise ValueError(f"exact contact takes Coulomb's law of friction, got {type(contact.law).__name__}")
        own = ContactPoints.of(replace(contact, integration="nodes"), problem.body).nodes[:, 0]
        nodes.append(own)
        groups.append((contact.obstacle, slice(start, start + len(own))))
        start += len(own)
    counts = [len(own) for own in nodes]
    return ExactContacts(
        nodes=np.concatenate(nodes).astype(np.intp),
        mu=np.repeat([contact.mu for contact in chosen], counts).astype(float),
        restitution=np.repeat([contact.normal.restitution for contact in chosen], counts).astype(float),
        groups=tuple(groups),
    )


class StageContacts:
    """The contacts of one stage while it is being solved: where they are, their bounds, and their forces.

    ``start`` x* (m, 2) m of the points and ``incoming`` v_n (m, 2) m/s; ``tau`` Δt s; ``time`` s at which x̂ is looked at;
    ``force`` p (m, 2) N to start from. ``candidates`` (m,): points that may be touching, which become more and never fewer.
    """

    def __init__(
        self, contacts: ExactContacts, start: Array, incoming: Array, tau: float, time: float, force: Array | None
    ) -> None:
        self.contacts, self._tau, self._time = contacts, tau, time
        self._extent = float(np.abs(start).max() + np.ptp(start, axis=0).max() + tau * np.abs(incoming).max())
        at_start = contacts.gap(start, time - tau).gap
        # A node that sticks to the foundation at a gap of rounding touches: otherwise it would have to move, or be let go.
        self._floor = np.where(at_start <= 0.1 * SETTLED * self._extent, at_start, 0.0)
        self._incoming = incoming
        self.force = np.zeros_like(start) if force is None else force.copy()
        self.candidates = self.force[:, 0] > 0.0
        self.bounced = np.zeros(len(start), dtype=np.bool_)
        self._resolution = 8.0 * float(np.finfo(float).eps) * self._extent / tau
        self._bound = np.zeros(len(start))
        self.normal = self.tangent = self.obstacle = np.zeros_like(start)

    def linearise(self, ahead: Array, velocity: Array, incoming: Array | None = None) -> bool:
        """Gaps, normals and bounds at x̂ = ``ahead`` (m, 2) m, reached with ``velocity`` (m, 2) m/s. Whether they stood still.

        ``incoming`` (m, 2): v_n of points of a body that has turned meanwhile, there where forces act; then, and with one v_o for
        both velocities, a bounce without friction loses (1 − e²)/2 of its energy in the normal direction exactly.
        """
        self._incoming = self._incoming if incoming is None else incoming
        contacts, before, tau = self.contacts, self._bound, self._tau
        found = contacts.gap(ahead, self._time)
        too_deep = found.gap < self._floor - SETTLED * self._extent
        self.candidates = self.candidates | too_deep
        turned_by = float(np.abs(found.normal - self.normal)[self.candidates].max(initial=0.0))
        self.normal, self.tangent = found.normal, turned(found.normal)
        self.obstacle = contacts.velocity(ahead, self._time)
        self._bound = np.einsum("ma,ma->m", self.normal, velocity - self.obstacle) - (found.gap - self._floor) / tau
        self._raise()
        # Where a contact is open its bound may change without moving anything.
        closed = self.candidates & (self.force[:, 0] > 0.0)
        moved = tau * float(np.abs(self._bound - before)[closed].max(initial=0.0))
        return not too_deep.any() and moved <= SETTLED * self._extent and turned_by <= SETTLED

    def _approach(self) -> Array:
        """u_n⁻ (m,)."""
        return np.asarray(np.einsum("ma,ma->m", self.normal, self._incoming - self.obstacle))

    def _raise(self) -> None:
        """Bounds of nodes that bounce."""
        leaving = -self.contacts.restitution * self._approach()
        self._bound = np.where(self.bounced, np.maximum(self._bound, leaving), self._bound)

    def solve(
        self,
        respond: Callable[[NDArray[np.intp], Array], tuple[Array, Array]],
        floor: float,
        tolerance: Callable[[], float],
    ) -> UnilateralResult:
        """Find the forces of the candidates, restitution included.

        ``respond``: (points (k,) among all, forces p (k, 2) N) -> (u (k, 2) m/s along n and t, relative to the obstacle;
        W (2k, 2k)); called last with the solution. ``floor``, ``tolerance``: see ``friction.unilateral``. Raises UnilateralError.
        """
        points = np.flatnonzero(self.candidates)
        approach = self._approach()
        iterations = 0
        while True:

            def response(p: Array) -> tuple[Array, Array]:
                u, w = respond(points, p)
                return u - np.stack([self._bound[points], np.zeros(len(points))], axis=1), w

            found = solve_unilateral_response(
                response,
                self.contacts.mu[points],
                self.force[points],
                floor=floor,
                tolerance=tolerance,
                resolution=self._resolution,
            )
            iterations += found.iterations
            self.force[points] = found.force
            hit = (self.force[:, 0] > 0.0) & (approach < 0.0) & (self.contacts.restitution > 0.0) & ~self.bounced
            if not hit.any():
                return found
            self.bounced |= hit
            self._raise()

    def nodal(self, count: int) -> Array:
        """The contact forces on the body's nodes, (N, 2) N, inertial."""
        force = self.force[:, :1] * self.normal + self.force[:, 1:] * self.tangent
        return np.stack([np.bincount(self.contacts.nodes, force[:, a], count) for a in (0, 1)], axis=1)

    def power(self) -> float:
        """Power of the obstacles' motion on the body, W."""
        force = self.force[:, :1] * self.normal + self.force[:, 1:] * self.tangent
        return float(np.einsum("ma,ma->", force, self.obstacle))
