"""Points of a body in the plane with exact contact: Signorini's condition with Newton's restitution.

Its stage equations are derived in docs/theory.md, section 8; ``system.rigid.exact_contact`` and ``system.elastic.exact_contact``
use it for rigid bodies and plates, beside the exact friction of the foundation.

Between its nodes a straight side of a rigid body touches a convex arc of an obstacle first. A *side point* is the orthogonal
projection of the centre of the arc on the side, another material point at each pose. Its gap is least along the side, so
dg = n·(dx0 + dα J d) with d the arm of the projection. A side point at an end of its side, or within rounding of a node, is
``inactive``: the node represents it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_points import ContactPoints, check_fineness
from floating_frame.contact.obstacles import Obstacle, Obstacles
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.loads.edges import Body

Points: TypeAlias = tuple[Array, NDArray[np.bool_]]
"""Points of a body in the reference (k, 2) m, and the mask (k,) of inactive ones."""

STRAIGHT_TURN = 1e-9
"""Largest turn, rad, between two segments of one straight side."""

NODE_GAP = 1e-11
"""Largest difference of the gaps of a node and a side point, over the size of the body, at which the node represents it."""


@dataclass(frozen=True, kw_only=True)
class Sides:
    """``count`` k sides of a rigid body, each against one bulge of an ``obstacle``.

    In the reference: ``start`` m, unit ``direction`` (k, 2), ``length`` (k,) m; ``nodes`` (k, L) m along it, infinite beyond the
    last; ``centre`` (k, 2) m of the bulge in the obstacle's axes; within ``near`` m of a node a side point is inactive."""

    obstacle: Obstacle
    start: Array
    direction: Array
    length: Array
    nodes: Array
    centre: Array
    near: float

    @property
    def count(self) -> int:
        """Number k of sides."""
        return len(self.start)

    def at(self, coordinates: Array, time: float) -> Points:
        """Side points of a body with ``coordinates`` (x0, α) (3,) at ``time`` s, and the inactive ones."""
        centre = self.obstacle.motion.to_space(self.centre, time)
        own = to_inertial(centre - coordinates[:2], -float(coordinates[2]))  # in the body's axes
        along = np.einsum("ka,ka->k", own - self.start, self.direction)
        foot = np.clip(along, 0.0, self.length)
        inactive = (foot != along) | (np.abs(self.nodes - foot[:, None]).min(axis=1) <= self.near)
        return self.start + foot[:, None] * self.direction, inactive


def sides_of(contact: Contact, body: Body) -> Sides | None:
    """Sides of a rigid body against the bulges of a contact's obstacle; None where there are none."""
    obstacle, bulges = contact.obstacle, contact.obstacle.bulge_centres
    if contact.edge is None:
        return None
    runs = straight_runs(body.X, body.edge_segments(contact.edge))
    if not runs or not len(bulges):
        return None
    most = max(len(run) for run in runs)
    start = np.array([body.X[run[0]] for run in runs])
    arm = np.array([body.X[run[-1]] for run in runs]) - start
    length = np.hypot(*arm.T)
    nodes = np.full((len(runs), most), np.inf)
    for row, run in zip(nodes, runs, strict=True):
        row[: len(run)] = np.hypot(*(body.X[run] - body.X[run[0]]).T)
    each, size = len(bulges), float(np.hypot(*body.X.T).max())
    return Sides(
        obstacle=obstacle,
        start=np.repeat(start, each, axis=0),
        direction=np.repeat(arm / length[:, None], each, axis=0),
        length=np.repeat(length, each),
        nodes=np.repeat(nodes, each, axis=0),
        centre=np.tile(bulges, (len(runs), 1)),
        near=float(np.sqrt(2.0 * NODE_GAP * size / obstacle.sharpness)),
    )


def straight_runs(X: Array, segments: NDArray[np.int32]) -> list[list[int]]:
    """Nodes of each straight side, in order, of ``segments`` (n, 2) or (n, 3) of nodes at X (N, 2)."""
    chains = [[int(s[0]), *(int(i) for i in s[2:]), int(s[1])] for s in segments]
    chains = [c for c in chains if _turns(X, c) <= STRAIGHT_TURN]
    by_start, by_end = {c[0]: c for c in chains}, {c[-1]: c for c in chains}
    followed = {c[0] for c in chains if c[0] in by_end and _turns(X, [by_end[c[0]][0], *c]) <= STRAIGHT_TURN}
    runs = []
    for chain in chains:
        if chain[0] in followed:
            continue
        run = list(chain)
        while run[-1] in followed and run[-1] in by_start:
            run += by_start[run[-1]][1:]
        runs.append(run)
    return runs


def _turns(X: Array, chain: list[int]) -> float:
    """Largest turn, rad, along a chain of nodes."""
    sides = np.diff(X[chain], axis=0)
    heading = np.unwrap(np.arctan2(sides[:, 1], sides[:, 0]))
    return float(np.abs(np.diff(heading)).max(initial=0.0))


@dataclass(frozen=True, kw_only=True)
class ExactContacts(Obstacles):
    """All m points of a body with exact contact: ``nodes``, then the side points of ``sides`` (rigid bodies); ``mu`` in stick,
    ``kinetic`` (m,) its share in slip, and ``restitution`` (m,) by ``laws`` (m,). Points that are not ``active`` (m,) (None: all
    are) carry no force."""

    nodes: NDArray[np.intp]
    mu: Array
    restitution: Array
    kinetic: Array
    laws: tuple[str, ...] = ()
    active: NDArray[np.bool_] | None = None
    sides: tuple[Sides, ...] = ()

    @property
    def idle(self) -> bool:
        """All points are open."""
        return self.active is not None and not self.active.any()

    def of_rigid(self, X: Array, coordinates: Array, time: float) -> Points:
        """All points of a rigid body of nodes at X (N, 2) m, with ``coordinates`` (x0, α) (3,) at ``time`` s."""
        nodes = X[self.nodes], np.zeros(len(self.nodes), np.bool_)
        if not self.sides:
            return nodes
        places, inactive = zip(nodes, *(side.at(coordinates, time) for side in self.sides), strict=True)
        return np.concatenate(places), np.concatenate(inactive)

    def places(self, X: Array, coordinates: Array, time: float) -> Array:
        """Positions (m, 2) m of all points: see ``of_rigid``."""
        return np.asarray(coordinates[:2] + to_inertial(self.of_rigid(X, coordinates, time)[0], coordinates[2]))

    def without_impacts(self, active: NDArray[np.bool_]) -> ExactContacts:
        """These contacts with the points ``active`` (m,) alone, without restitution."""
        return replace(self, restitution=np.zeros_like(self.restitution), active=active)

    def smallest_gap(self, places: Array, coordinates: Array, time: float) -> float:
        """Smallest gap, m, of a body of nodes at ``places`` (n, 2) m, in space, with frame ``coordinates`` (3,)."""
        own = [side.at(coordinates, time)[0] for side in self.sides]
        points = [places, *(coordinates[:2] + to_inertial(X, coordinates[2]) for X in own)]
        return float(self.gap(np.concatenate(points), time).gap.min(initial=np.inf))


def exact_contacts(contacts: Sequence[Contact], body: Body) -> ExactContacts | None:
    """Points of a body with exact contact, None without any. Raises ValueError for points that the body lacks."""
    chosen = [contact for contact in contacts if not contact.penalty]
    if not chosen:
        return None
    nodes = [ContactPoints.of(replace(contact, integration="nodes"), body).nodes[:, 0] for contact in chosen]
    beside = [None if body.deformable else sides_of(contact, body) for contact in chosen]
    for contact, side in zip(chosen, beside, strict=True):
        if side is None:
            check_fineness(contact, body)
    sides = [side for side in beside if side is not None]
    chosen += [contact for contact, side in zip(chosen, beside, strict=True) if side is not None]
    counts = [*(len(own) for own in nodes), *(side.count for side in sides)]
    ends = np.cumsum([0, *counts])
    laws = [contact.normal.restitution_law for contact in chosen]
    static = [contact.mu * contact.law.radial.static for contact in chosen]
    kinetic = [contact.law.radial.kinetic / contact.law.radial.static for contact in chosen]
    return ExactContacts(
        nodes=np.concatenate(nodes).astype(np.intp),
        mu=np.repeat(static, counts).astype(float),
        restitution=np.repeat([contact.normal.restitution for contact in chosen], counts).astype(float),
        groups=tuple((c.obstacle, slice(a, b)) for c, a, b in zip(chosen, ends[:-1], ends[1:], strict=True)),
        kinetic=np.repeat(kinetic, counts).astype(float),
        laws=tuple(law for law, count in zip(laws, counts, strict=True) for _ in range(count)),
        sides=tuple(sides),
    )
