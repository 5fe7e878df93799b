"""Exact unilateral contact, as the user gives it, and its points on a body: Signorini's condition with Newton's restitution.

How it enters a stage is derived in ``signorini_stage``; ``signorini_rigid`` and ``signorini_elastic`` put it into those of
rigid bodies and of plates, beside the exact friction of the foundation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem.beam_axis import BeamAxis
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.contact.fineness import check_fineness
from floating_frame.contact.obstacles import Gap, Obstacle
from floating_frame.frame.kinematics import Array
from floating_frame.rigid_body import RigidBody
from friction import RESTITUTION_LAWS
from friction.stick import has_constant_bounds

SCHEMES = ("backward-euler", "moreau-theta")
"""Schemes with exact contact."""


@dataclass(frozen=True)
class Signorini:
    """Exact unilateral contact as the normal law of a ``Contact``; ``restitution`` e in [0, 1], a ratio of velocities, impulses or
    (its square) works by ``restitution_law`` "newton", "poisson" or "stronge". ValueError otherwise."""

    restitution: float = 0.0
    restitution_law: str = "newton"

    def __post_init__(self) -> None:
        if self.restitution_law not in RESTITUTION_LAWS:
            raise ValueError(
                f"restitution_law must be one of {', '.join(RESTITUTION_LAWS)}, got {self.restitution_law!r}"
            )
        if not 0.0 <= self.restitution <= 1.0:
            raise ValueError(f"restitution must lie in [0, 1], got {self.restitution!r}")


@dataclass(frozen=True)
class ExactContacts:
    """All points of a body with exact contact: ``nodes`` (m,), ``mu`` in stick, ``kinetic`` (m,) its share in slip, and
    ``restitution`` (m,) by ``laws`` (m,); ``groups``: an obstacle and the slice of points that may touch it. Points that are not
    ``active`` (m,) (None: all are) are taken to be apart."""

    nodes: NDArray[np.intp]
    mu: Array
    restitution: Array
    groups: tuple[tuple[Obstacle, slice], ...]
    kinetic: Array
    laws: tuple[str, ...] = ()
    active: NDArray[np.bool_] | None = None

    def without_impacts(self, active: NDArray[np.bool_]) -> ExactContacts:
        """The points ``active`` (m,) alone, without restitution."""
        return replace(self, restitution=np.zeros_like(self.restitution), active=active)

    def gap(self, points: Array, time: float) -> Gap:
        """Gap, normal and curvature at the points (m, 2) m."""
        found = [obstacle.gap(points[part], time) for obstacle, part in self.groups]
        return Gap(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def velocity(self, points: Array, time: float) -> Array:
        """Velocity of the obstacles at the points, (m, 2) m/s."""
        return np.concatenate([obstacle.velocity(points[part], time) for obstacle, part in self.groups])


def exact_contacts(problem: Any, scheme: str, theta: float = 0.5) -> ExactContacts | None:
    """The points with exact contact of a problem, None without any. Raises ValueError for what they do not go with.

    ``theta`` of moreau-theta. A contact force does the work Δt p_n ((1 − θ) u_n⁻ + θ u_n) on a deformable body, which for
    u_n = −e u_n⁻ is positive, and would create energy, where e > (1 − θ)/θ. (A rigid body gains Δt p_n (u_n⁻ + u_n)/2 <= 0.)
    """
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
    weight = 1.0 if scheme == "backward-euler" else theta
    most = (1.0 - weight) / weight
    if not isinstance(problem.body, RigidBody):
        check_restitution(chosen, scheme, most)
    nodes: list[Array] = []
    groups, start = [], 0
    for contact in chosen:
        if not has_constant_bounds(contact.law):
            raise ValueError(
                f"exact contact takes Coulomb's law of friction or StaticKinetic, got {type(contact.law).__name__}; choose one of "
                "these, or a penalty contact, which takes regularised laws"
            )
        cap = contact.law.radial.cap
        if cap < 1.0:
            raise ValueError(
                f"exact contact takes a law without a cap, got cap {cap:g} with mu {contact.mu:g}; choose "
                f"mu = {contact.mu * cap:g} instead, which is the same"
            )
        own = ContactPoints.of(replace(contact, integration="nodes"), problem.body).nodes[:, 0]
        check_fineness(contact, problem.body)
        nodes.append(own)
        groups.append((contact.obstacle, slice(start, start + len(own))))
        start += len(own)
    counts = [len(own) for own in nodes]
    laws = [contact.normal.restitution_law for contact in chosen]
    static = [contact.mu * contact.law.radial.static for contact in chosen]
    return ExactContacts(
        nodes=np.concatenate(nodes).astype(np.intp),
        mu=np.repeat(static, counts).astype(float),
        restitution=np.repeat([contact.normal.restitution for contact in chosen], counts).astype(float),
        groups=tuple(groups),
        kinetic=np.repeat(
            [contact.law.radial.kinetic / contact.law.radial.static for contact in chosen], counts
        ).astype(float),
        laws=tuple(law for law, count in zip(laws, counts, strict=True) for _ in range(count)),
    )


def check_restitution(contacts: list[Any], scheme: str, most: float) -> None:
    """Refuse restitution that a deformable body does not take: ValueError. ``most``: the largest that creates no energy."""
    for contact in contacts:
        if contact.normal.restitution_law != "newton":
            raise ValueError(
                f"restitution_law {contact.normal.restitution_law!r} takes a rigid body, not a deformable one; choose newton, or "
                "restitution 0: the body rebounds by its elasticity"
            )
        if contact.normal.restitution > most:
            raise ValueError(
                f"restitution of a deformable body must not exceed (1 - theta)/theta = {most:.6g} with scheme {scheme!r}, where it "
                f"would create energy; got {contact.normal.restitution!r}; choose moreau-theta with theta = 0.5, or 0: the body "
                "rebounds by its elasticity"
            )
