"""Check of penetration: how far a body's points lie within an obstacle, and whether a step carries them through it.

At the ends of all steps the penetration of the points where contact is looked at is compared: of exact contact with rounding of
the body's size, of penalty contact with the body and the obstacle. Nodes in exact contact keep nodes out and not the edge between
them, so ``PLACES`` on every segment are looked at, too; as a gap grows by no more than the way, only where a node is nearer than
its segment is long. Between the ends a point goes straight, as far as is looked
here; a gap is a distance, so a way shorter than the sum of the gaps at its ends touches nothing, and the others are looked at
in ``LOOKS`` places. What dips into an obstacle on its way by more than penalty contact may has passed through it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floating_frame.contact.contact_points import ContactPoints
from floating_frame.contact.obstacles import Obstacle, traits
from floating_frame.frame.kinematics import Array
from floating_frame.model import RunModel
from floating_frame.system.state import State
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Check, Kept, RunWarning

NAME = "penetration"
LOOKS = 32
PLACES = 9
"""Places on a segment of an edge, evenly from end to end."""


class DepthRecord(NamedTuple):
    """``exact`` m: deepest penetration of nodes in exact contact at the end of a step; ``share``: deepest one of penalty contact,
    and of ways through an obstacle, over the least extent of body or obstacle; ``through``: whether that is a way; ``edge``: the
    same share of edges between nodes in exact contact; ``deepest`` m: of all points of all contacts."""

    exact: float = 0.0
    share: float = 0.0
    through: bool = False
    edge: float = 0.0
    deepest: float = 0.0


class PenetrationCheck(Check[DepthRecord]):
    """Penetration of exact and of penalty contacts."""

    def __init__(self, model: RunModel) -> None:
        self._edges = model.contact_edges(PLACES)

    def begin(self, model: RunModel, state: State) -> DepthRecord:
        return self._at(model, DepthRecord(), state)

    def observe(self, model: RunModel, record: DepthRecord, kept: Kept) -> DepthRecord:
        record = self._at(model, record, kept.after)
        for obstacle, start, end, exact in contact_points(model, kept.before, kept.after):
            if exact and model.steps.locates_impacts:  # no way through
                continue
            depth = depth_on_way(obstacle, start, end, kept.before.time, kept.after.time)
            share = depth / extent(model, obstacle)
            if share > max(record.share, limits.PENALTY_PENETRATION):
                record = record._replace(share=share, through=True)
        return record

    def _at(self, model: RunModel, record: DepthRecord, state: State) -> DepthRecord:
        for obstacle, _, points, exact in contact_points(model, state, state):
            depth = -float(obstacle.gap(points, state.time).gap.min(initial=np.inf))
            record = record._replace(deepest=max(record.deepest, depth))
            if exact:
                record = record._replace(exact=max(record.exact, depth))
            elif depth / extent(model, obstacle) > record.share:
                record = record._replace(share=depth / extent(model, obstacle), through=False)
        for contact, places in self._edges:
            depth = depth_of_edge(contact.obstacle, places, state)
            record = record._replace(deepest=max(record.deepest, depth))
            share = depth / extent(model, contact.obstacle)
            if not contact.penalty:
                record = record._replace(edge=max(record.edge, share))
            elif share > record.share:
                record = record._replace(share=share, through=False)
        return record

    def judge(self, model: RunModel, record: DepthRecord) -> list[RunWarning]:
        warnings = []
        if record.exact > limits.EXACT_PENETRATION * model.radius:
            share = record.exact / model.radius
            text = f"exact contact penetrates by {record.exact:.3g} m: take a smaller dt"
            warnings.append(RunWarning(NAME, share, limits.EXACT_PENETRATION, text))
        if record.edge > limits.EDGE_PENETRATION:
            text = (
                f"between the nodes of an edge exact contact penetrates by {100.0 * record.edge:.3g} % of the size of the body or "
                "of the obstacle: take a finer mesh"
            )
            warnings.append(RunWarning(NAME, record.edge, limits.EDGE_PENETRATION, text))
        if record.share > limits.PENALTY_PENETRATION:
            what = "a step carries the body through an obstacle" if record.through else "the contact penetrates"
            mend = "take a smaller dt" if record.through else "take a larger stiffness"
            text = f"{what} by {100.0 * record.share:.3g} % of the size of the body or of the obstacle: {mend}"
            warnings.append(RunWarning(NAME, record.share, limits.PENALTY_PENETRATION, text))
        return warnings

    def attributes(self, model: RunModel, record: DepthRecord) -> dict[str, float]:
        return {"penetration_max": record.deepest}


def depth_of_edge(obstacle: Obstacle, points: ContactPoints, state: State) -> float:
    """Deepest penetration, m, of an edge at ``points``, ``PLACES`` to a segment; 0 for none."""
    place = points.at(state.position)
    first, last = place[::PLACES], place[PLACES - 1 :: PLACES]
    near = obstacle.gap(first, state.time).gap < np.hypot(*(last - first).T)
    if not near.any():
        return 0.0
    return max(0.0, -float(obstacle.gap(place[np.repeat(near, PLACES)], state.time).gap.min()))


def contact_points(model: RunModel, before: State, after: State) -> list[tuple[Obstacle, Array, Array, bool]]:
    """Obstacle, points (M, 2) m at both states, and whether contact is exact, of every contact."""
    contacts = [(c.obstacle, p.at(before.position), p.at(after.position), False) for c, p in model.contacts.parts]
    if model.exact is not None:
        nodes = model.exact.nodes
        for obstacle, part in model.exact.groups:
            contacts.append((obstacle, before.position[nodes[part]], after.position[nodes[part]], True))
    return contacts


def extent(model: RunModel, obstacle: Obstacle) -> float:
    """Least extent of the body, at rest, and of the obstacle, m (infinite, if it does not say)."""
    return min(model.extent, traits(obstacle).size)


def depth_on_way(obstacle: Obstacle, start: Array, end: Array, begin: float, finish: float) -> float:
    """Deepest penetration, m, of points that go straight from ``start`` to ``end`` (M, 2) m between two times, s; 0 for none.

    Ways are seen from the obstacle's material at its place at the start, so they count its own motion too.
    """
    first, last = obstacle.gap(start, begin).gap, obstacle.gap(end, finish).gap
    way = np.hypot(*(end - start).T) + (finish - begin) * np.maximum(
        np.hypot(*obstacle.velocity(start, begin).T), np.hypot(*obstacle.velocity(end, finish).T)
    )
    doubtful = (np.abs(first) + np.abs(last) < way) & (first > 0.0) & (last > 0.0)
    if not doubtful.any():
        return 0.0
    start, end, deepest = start[doubtful], end[doubtful], 0.0
    for share in np.arange(1, LOOKS) / LOOKS:
        gap = obstacle.gap(start + share * (end - start), begin + share * (finish - begin)).gap
        deepest = max(deepest, -float(gap.min()))
    return deepest
