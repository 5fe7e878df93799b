"""Checks of contact: how far points lie within an obstacle, whether a step carries them through it, and the force.

*Penetration*: of the points where contact is looked at, at the ends of all steps, and of ``PLACES`` on every segment where a node
is nearer than its segment is long, as a gap grows by no more than the way. A way shorter than the sum of the gaps at its ends
touches nothing; the others are looked at in some places. *Force*: the largest one, first touch and last release over the
steps taken; penetration grows and force falls linearly there, and both are continued to zero between the step's ends. Breaks count
as contact. docs/verdict.md says more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.contact.between import Way, depth_on_way
from floating_frame.contact.contact_points import PLACES, ContactPoints
from floating_frame.contact.obstacles import Obstacle
from floating_frame.frame.kinematics import Array
from floating_frame.system.ledger_series import wrench_of_contacts
from floating_frame.system.model import RunModel
from floating_frame.system.rows import Rows
from floating_frame.system.state import State
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Check, RunWarning

NAME = "penetration"


@dataclass(frozen=True)
class PenetrationCheck(Check):
    """Penetration of exact and of penalty contacts.

    ``exact`` m: deepest penetration of nodes in exact contact at the end of a step; ``share``: deepest one of penalty contact,
    and of ways through an obstacle, over the least extent of body or obstacle; ``through``: whether that is a way; ``edge``: the
    same share of edges between nodes in exact contact; ``deepest`` m: of all points of all contacts.
    """

    exact: float = 0.0
    share: float = 0.0
    through: bool = False
    edge: float = 0.0
    deepest: float = 0.0

    @classmethod
    def of(cls, model: RunModel, rows: Rows) -> PenetrationCheck:
        return cls()._at(model, rows.before)

    def after(self, model: RunModel, rows: Rows) -> PenetrationCheck:
        check = self
        for before, after in rows.pairs():
            check = check._at(model, after)
            for obstacle, start, end, exact in contact_points(model, before, after):
                if exact and model.steps.locates_impacts:  # no way through
                    continue
                depth = depth_on_way(Way(obstacle, start, end, 0.0, before.time, after.time), 0.0)
                share = depth / extent(model, obstacle)
                if share > max(check.share, limits.PENALTY_PENETRATION):
                    check = replace(check, share=share, through=True)
        return check

    def _at(self, model: RunModel, state: State) -> PenetrationCheck:
        """Return the check with what ``state`` adds."""
        check = self
        for obstacle, _, points, exact in contact_points(model, state, state):
            depth = -float(obstacle.gap(points, state.time).gap.min(initial=np.inf))
            check = replace(check, deepest=max(check.deepest, depth))
            if exact:
                check = replace(check, exact=max(check.exact, depth))
            elif depth / extent(model, obstacle) > check.share:
                check = replace(check, share=depth / extent(model, obstacle), through=False)
        for contact, places in model.contact_edges:
            depth = depth_of_edge(contact.obstacle, places, state)
            check = replace(check, deepest=max(check.deepest, depth))
            share = depth / extent(model, contact.obstacle)
            if not contact.penalty:
                check = replace(check, edge=max(check.edge, share))
            elif share > check.share:
                check = replace(check, share=share, through=False)
        return check

    def judge(self, model: RunModel) -> list[RunWarning]:
        warnings = []
        if self.exact > limits.EXACT_PENETRATION * model.radius:
            share = self.exact / model.radius
            text = f"exact contact penetrates by {self.exact:.3g} m: take a smaller dt"
            warnings.append(RunWarning(NAME, share, limits.EXACT_PENETRATION, text))
        if self.edge > limits.EDGE_PENETRATION:
            text = (
                f"between the nodes of an edge exact contact penetrates by {100.0 * self.edge:.3g} % of the size of the body or "
                "of the obstacle: take a finer mesh"
            )
            warnings.append(RunWarning(NAME, self.edge, limits.EDGE_PENETRATION, text))
        if self.share > limits.PENALTY_PENETRATION:
            what = "a step carries the body through an obstacle" if self.through else "the contact penetrates"
            mend = "take a smaller dt" if self.through else "take a larger stiffness"
            text = f"{what} by {100.0 * self.share:.3g} % of the size of the body or of the obstacle: {mend}"
            warnings.append(RunWarning(NAME, self.share, limits.PENALTY_PENETRATION, text))
        return warnings

    def attributes(self, model: RunModel) -> dict[str, float]:
        return {"penetration_max": self.deepest}


@dataclass(frozen=True)
class TouchCheck(Check):
    """The course of the force ``|F_C|`` of all contacts on the body. It warns of nothing.

    ``largest`` force N so far; the last ``force`` N, and its ``fall`` N/s in the step before; times, s, of the first touch
    ``begun`` (nan: none seen) and of the last release ``ended`` (nan: none since).
    """

    largest: float = 0.0
    force: float = 0.0
    fall: float = 0.0
    begun: float = np.nan
    ended: float = np.nan

    @classmethod
    def of(cls, model: RunModel, state: State) -> TouchCheck:
        force = size_of_force(model, state)
        return cls(largest=force, force=force)

    def after(self, model: RunModel, rows: Rows) -> TouchCheck:
        check = self
        for before, after in rows.pairs():
            check = check._at(model, before, after)
        return check

    def _at(self, model: RunModel, before: State, after: State) -> TouchCheck:
        """Return the check with what a step between two states adds."""
        begun, ended, length, force = self.begun, self.ended, after.time - before.time, size_of_force(model, after)
        if force > 0.0:
            if self.largest == 0.0:
                depths = [-model.clearance(before), -model.clearance(after)]
                begun = float(np.interp(0.0, depths, [before.time, after.time]))
            ended = np.nan
        elif self.force > 0.0:
            left = self.force / self.fall if self.fall > 0.0 else 0.0
            ended = min(before.time + left, after.time)
        fall = (self.force - force) / length if self.force > 0.0 else 0.0
        return TouchCheck(max(self.largest, force), force, fall, begun, ended)

    def attributes(self, model: RunModel) -> dict[str, float]:
        times = {"contact_begin": self.begun, "contact_end": self.ended}
        return {"contact_force_max": self.largest} | {k: float(t) for k, t in times.items() if np.isfinite(t)}


def size_of_force(model: RunModel, state: State) -> float:
    """Return ``|F_C|`` N of all contacts at a state; of exact ones in the mean of the step that ends there."""
    return float(np.hypot(*wrench_of_contacts(model.system, state)[:2]))


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
    return min(model.extent, obstacle.extent)
