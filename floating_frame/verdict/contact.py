"""Checks of contact: penetration, tunnelling through an obstacle within a step, and contact force.

*Penetration*: of the contact points at the ends of all steps, and of ``SAMPLES_PER_SEGMENT`` points on segments with a node nearer
than their length (the gap has the Lipschitz constant 1). A path shorter than the sum of the gaps at its ends touches nothing;
others are sampled. *Force*: its largest value, first touch and last release, where penetration or force is extrapolated linearly to
zero between a step's ends. Breaks count as contact. See docs/verdict.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floating_frame.contact.contact_points import SAMPLES_PER_SEGMENT, ContactPoints
from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.tunnelling import path_penetration
from floating_frame.frame.kinematics import Array
from floating_frame.system.model import RunModel
from floating_frame.system.rows import Rows
from floating_frame.verdict import limits
from floating_frame.verdict.energy import advice
from floating_frame.verdict.verdict import Check, RunWarning, beyond

NAME = "penetration"


@dataclass(frozen=True)
class PenetrationCheck(Check):
    """Penetration of exact and of penalty contacts.

    ``exact`` m: deepest penetration of nodes in exact contact at the end of a step; ``share``: deepest one of penalty contact, and
    of paths through an obstacle, over the least extent of body or obstacle; ``through``: True for a path; ``edge``: the same of
    edges between nodes in exact contact; ``deepest`` m: of all points.
    """

    exact: float = 0.0
    share: float = 0.0
    through: bool = False
    edge: float = 0.0
    deepest: float = 0.0

    @classmethod
    def of(cls, model: RunModel, rows: Rows) -> PenetrationCheck:
        return cls()._with(model, rows, slice(0, 1))

    def after(self, model: RunModel, rows: Rows) -> PenetrationCheck:
        return self._with(model, rows, slice(1, None))

    def _with(self, model: RunModel, rows: Rows, new: slice) -> PenetrationCheck:
        """Check updated by the instants ``new`` of the start and the ends of the rows."""
        times = np.concatenate([[rows.before.time], rows.times])
        exact, share, through, edge, deepest = self.exact, self.share, self.through, self.edge, self.deepest
        deep, paths = np.zeros((2, len(times)))  # of penalty contacts, and on paths, at or before each end
        for obstacle, at, is_exact in points_of(model):
            (place, _), least = rows.points(at), extent(model, obstacle)
            gap = obstacle.gaps(place, times)
            depth = -gap.min(axis=1, initial=np.inf)
            deepest = max(deepest, float(depth[new].max()))
            if is_exact:
                exact = max(exact, float(depth[new].max()))
            else:
                deep = np.maximum(deep, depth / least)
            if not (is_exact and model.steps.locates_impacts):  # else no path leads through
                for k in doubtful_steps(obstacle, place, gap, times):
                    ends, span = (place[k], place[k + 1]), (float(times[k]), float(times[k + 1]))
                    paths[k + 1] = max(paths[k + 1], path_penetration(obstacle, ends, span, closed=0.0) / least)
        for contact, places in model.contact_edges:
            depth = depths_of_edge(contact.obstacle, rows.points(places)[0], times)
            deepest = max(deepest, float(depth[new].max()))
            if contact.penalty:
                deep = np.maximum(deep, depth / extent(model, contact.obstacle))
            else:
                edge = max(edge, float(depth[new].max()) / extent(model, contact.obstacle))
        penetrates, passes = float(deep[new].max()), float(paths[new].max())
        if penetrates > share:
            share, through = penetrates, False
        if passes > max(share, limits.PENALTY_PENETRATION):
            share, through = passes, True
        return PenetrationCheck(exact, share, through, edge, deepest)

    def judge(self, model: RunModel) -> list[RunWarning]:
        what = "a step carries the body through an obstacle" if self.through else "the contact penetrates"
        mend = "take a smaller dt" if self.through else "take a larger stiffness"
        edge, share = (f"{100.0 * s:.3g} % of the size of the body or of the obstacle" for s in (self.edge, self.share))
        exact = f"exact contact penetrates by {self.exact:.3g} m: take a smaller dt"
        between = f"between the nodes of an edge exact contact penetrates by {edge}: take a finer mesh"
        return [
            *beyond(NAME, self.exact / (model.radius or np.inf), limits.EXACT_PENETRATION, exact),
            *beyond(NAME, self.edge, limits.EDGE_PENETRATION, between),
            *beyond(NAME, self.share, limits.PENALTY_PENETRATION, f"{what} by {share}: {mend}"),
        ]

    def attributes(self, model: RunModel) -> dict[str, float]:
        return {"penetration_max": self.deepest}


@dataclass(frozen=True)
class ContactForceCheck(Check):
    """Force ``|F_C|`` of all contacts on the body, without warnings.

    ``largest`` force N so far; the last ``force`` N, and its ``fall`` N/s in the step before; times, s, of the first touch
    ``begun`` (nan: none) and of the last release ``ended`` (nan: none since).
    """

    largest: float = 0.0
    force: float = 0.0
    fall: float = 0.0
    begun: float = np.nan
    ended: float = np.nan

    @classmethod
    def of(cls, rows: Rows) -> ContactForceCheck:
        force = float(rows.diagnostics["contact_force"][0])
        return cls(largest=force, force=force)

    def after(self, model: RunModel, rows: Rows) -> ContactForceCheck:
        largest, last, fall, begun, ended = self.largest, self.force, self.fall, self.begun, self.ended
        times = [rows.before.time, *rows.times.tolist()]
        for k, force in enumerate(rows.diagnostics["contact_force"].tolist()):
            before, after = times[k], times[k + 1]
            if force > 0.0:
                if largest == 0.0:
                    depths = -clearances(model, rows)[k : k + 2]
                    begun = float(np.interp(0.0, depths, [before, after]))
                ended = np.nan
            elif last > 0.0:
                ended = min(before + (last / fall if fall > 0.0 else 0.0), after)
            fall = (last - force) / (after - before) if last > 0.0 else 0.0
            largest, last = max(largest, force), force
        return ContactForceCheck(largest, last, fall, begun, ended)

    def attributes(self, model: RunModel) -> dict[str, float]:
        times = {"contact_begin": self.begun, "contact_end": self.ended}
        return {"contact_force_max": self.largest} | {k: float(t) for k, t in times.items() if np.isfinite(t)}


@dataclass(frozen=True)
class ContactStepsCheck(Check):
    """Steps from touch to release of penalty contacts.

    ``steps`` and ``impulse`` N s of the present contact; ``over``: numbers of steps of contacts with too few, each with the largest
    impulse; ``energy`` J: the largest kinetic energy.
    """

    steps: int = 0
    impulse: float = 0.0
    over: tuple[tuple[int, float], ...] = ()
    energy: float = 0.0

    @classmethod
    def of(cls, rows: Rows) -> ContactStepsCheck:
        """Initial check; a contact at t = 0 counts as long enough, since its beginning is unknown."""
        return cls(limits.CONTACT_STEPS if rows.diagnostics["contact_push"].any() else 0, energy=float(rows.kinetic[0]))

    def after(self, model: RunModel, rows: Rows) -> ContactStepsCheck:
        steps, impulse, best = self.steps, self.impulse, dict(self.over)
        columns = (rows.diagnostics["contact_push"], rows.lengths, rows.parts)
        for push, length, parts in zip(*(column.tolist() for column in columns), strict=True):
            if push > 0.0:
                steps, impulse = steps + parts, impulse + push * length * parts
                continue
            if 0 < steps < limits.CONTACT_STEPS:
                best[steps] = max(best.get(steps, 0.0), impulse)
            steps, impulse = 0, 0.0
        return ContactStepsCheck(
            steps, impulse, tuple(sorted(best.items())), max(self.energy, float(rows.kinetic.max()))
        )

    def judge(self, model: RunModel) -> list[RunWarning]:
        _, mass, _ = model.system.results.scales
        least = limits.CONTACT_IMPULSE * float(np.sqrt(2.0 * mass * self.energy))
        short = [steps for steps, impulse in self.over if impulse > least]
        if not short:
            return []
        text = f"a contact is over within {short[0]} step{'s' if short[0] > 1 else ''}: {advice(model)}"
        return [RunWarning("unresolved", float(short[0]), float(limits.CONTACT_STEPS), text)]


def depths_of_edge(obstacle: Obstacle, place: Array, times: Array) -> Array:
    """Deepest penetrations (K,), m, of an edge at places (K, P, 2), ``SAMPLES_PER_SEGMENT`` to a segment; 0 for none."""
    gap = obstacle.gaps(place, times).reshape(len(place), -1, SAMPLES_PER_SEGMENT)
    ends = place.reshape(*gap.shape, 2)[:, :, [0, -1]]
    near = gap[:, :, 0] < np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=2)
    return np.asarray(np.where(near, -gap.min(axis=2), 0.0).max(axis=1, initial=0.0))


def doubtful_steps(obstacle: Obstacle, place: Array, gap: Array, times: Array) -> list[int]:
    """Steps between places (K + 1, P, 2) with ``gap`` (K + 1, P) m in which a point may have passed through an obstacle."""
    speeds = obstacle.speeds(place, times)
    own = np.diff(times)[:, None] * np.maximum(speeds[:-1], speeds[1:])
    reach = np.linalg.norm(np.diff(place, axis=0), axis=2) + own
    doubtful = (np.minimum(gap[:-1], gap[1:]) > 0.0) & (gap[:-1] + gap[1:] < reach)
    return np.flatnonzero(doubtful.any(axis=1)).tolist()


def points_of(model: RunModel) -> list[tuple[Obstacle, ContactPoints, bool]]:
    """Obstacle and points of every contact; True for exact contact."""
    contacts = [(contact.obstacle, at, False) for contact, at in model.contacts]
    if model.exact is not None:
        nodes = model.exact.nodes
        for obstacle, part in model.exact.groups:
            contacts.append((obstacle, ContactPoints.at_nodes(nodes[part], np.ones(len(nodes[part]))), True))
    return contacts


def clearances(model: RunModel, rows: Rows) -> Array:
    """Smallest gaps (K + 1,), m, at the start and at the ends of the rows."""
    times, exact = np.concatenate([[rows.before.time], rows.times]), model.exact
    gaps = [c.obstacle.gaps(rows.points(at)[0], times).min(axis=1, initial=np.inf) for c, at in model.contacts]
    if exact is not None:
        places, _ = rows.points(ContactPoints.at_nodes(exact.nodes, np.ones(len(exact.nodes))))
        each = zip(places, rows.poses, times.tolist(), strict=True)
        gaps.append(np.array([exact.smallest_gap(*one) for one in each]))
    return np.asarray(np.min(gaps, axis=0))


def extent(model: RunModel, obstacle: Obstacle) -> float:
    """Least extent of the body, at rest, and of the obstacle, m (infinite if unknown)."""
    return min(model.extent, obstacle.extent)
