"""Exact contact in a stage of a rigid body, with the exact friction under it at the same time.

Unknown are the contact forces p of the candidates. For given p the body's rates q'(p) come from the friction problem under
the body (three unknowns) with the wrench c + Gᵀp, and u = G q' − v_o, where G (2k, 3) has the rows (n, d × n), (t, d × t) of
points at arms d. What a change of the wrench does to the rates is the inverse of the friction problem's tangent T = D/τ + Σ
Gᵢᵀ (∂λᵢ/∂vᵢ) Gᵢ on the motions that the sticking points leave free: all, rotation about one point, or none.

An impulse Δt f between v_n and v does the work Δt f·(v_n + v)/2 (Thomson & Tait). What of it the obstacle does not do is
dissipated: the impact's loss and the wall's friction. Multipliers are not mixed by θ schemes.
"""

from __future__ import annotations

import numpy as np

from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_kernel import touch_of
from floating_frame.effect.penalty import has_formula, obstacle_numbers
from floating_frame.effect.penalty_kernel import MOTION
from floating_frame.effect.protocol import OwnSource
from floating_frame.frame.kinematics import Array
from floating_frame.system.rigid.effects import Callback
from floating_frame.system.rigid.kernels.contact import LENGTH, SIDE, ExactPoints, NoPoints
from friction.rigid.problem import point_maps

EXACT_CONTACT = OwnSource("exact contact", dissipates="contact", results=("contact", "impacts"))
"""Exact contacts of a rigid body."""

_NONE = np.zeros(0)
NO_CONTACTS = ExactContacts(groups=(), nodes=np.zeros(0, np.intp), mu=_NONE, restitution=_NONE, kinetic=_NONE)


class RigidContacts:
    """The ``points`` of a body of nodes at X (N, 2) m that may touch in exact contact, as arrays for the compiled stage.

    ``obstacles``: those of the points; where one is ``interpreted``, having no formula, Python evaluates all by ``callback``."""

    def __init__(self, exact: ExactContacts | None, X: Array) -> None:
        exact = NO_CONTACTS if exact is None else exact
        self.obstacles, count = tuple(obstacle for obstacle, _ in exact.groups), len(exact.mu)
        self.interpreted = [obstacle for obstacle in self.obstacles if not has_formula(obstacle)]
        rows = np.flatnonzero(np.ones(count, np.bool_) if exact.active is None else exact.active)
        size = float(np.ptp(X, axis=0).max())
        X, sides, nodes = _nodes_and_sides(exact, X)
        of = np.zeros(count, np.int64)
        for number, (_, part) in enumerate(exact.groups):
            of[part] = number
        numbers = [obstacle_numbers(obstacle) for obstacle in self.obstacles]
        self.callback, self.failure = Callback(self._called), np.zeros(3)
        m = len(rows)
        self.points: ExactPoints | NoPoints = NoPoints(rows, np.zeros(1, np.bool_))
        if exact is NO_CONTACTS:
            return
        self.points = ExactPoints(
            touch=touch_of(exact.mu[rows], exact.kinetic[rows], None),
            X=X[rows],
            reference=np.zeros((m, 2)),
            side=sides[rows],
            nodes=nodes[rows],
            obstacle=of[rows],
            first=np.cumsum([0, *map(len, numbers)]),
            numbers=np.concatenate([np.zeros(0), *numbers]),
            rows=rows,
            touches=np.zeros(1, np.bool_),
            place=np.zeros((m, 2)),
            normal=np.zeros((m, 2)),
            carried=np.zeros((m, 2)),
            gap=np.zeros(m),
            inactive=np.zeros(m, np.bool_),
            time=np.zeros(1),
            callback=self.callback.address if self.interpreted and m else 0,
            end_gap=np.zeros(m),
            velocity=np.zeros((m, 2)),
            wrench=np.zeros(3),
            compliance=np.zeros((3, 3)),
            size=size,
            failure=self.failure,
        )

    def _called(self) -> float:
        points = self.points
        assert isinstance(points, ExactPoints)
        time = float(points.time[0])
        for number, obstacle in enumerate(self.obstacles):
            own = np.flatnonzero(points.obstacle == number)
            found = obstacle.gap(points.place[own], time)
            points.gap[own], points.normal[own] = found.gap, found.normal
            points.carried[own] = obstacle.velocity(points.place[own], time)
        return 1.0

    def motions(self, times: Array, lengths: tuple[Array, Array]) -> Array:
        """Motions (K or 1, S, 4, n, 18) of the obstacles in stages that end at ``times`` (K, S) s, ``lengths`` τ, τ_v (K, S) s."""
        tau, tau_v = lengths
        moves = any(obstacle.motion.moves for obstacle in self.obstacles)
        at = np.stack([times - tau_v, times - tau, times, times + tau_v - tau], axis=2)[: len(times) if moves else 1]
        each = [obstacle.motion.table(at.ravel(), 2).reshape(*at.shape, MOTION) for obstacle in self.obstacles]
        return np.stack(each, axis=3) if each else np.zeros((1, at.shape[1], 4, 0, MOTION))


def _nodes_and_sides(exact: ExactContacts, X: Array) -> tuple[Array, Array, Array]:
    """Nodes and starts of sides (m, 2) m in the reference, rows of sides (m, SIDE) and their nodes (m, L): see ``ExactPoints``."""
    most = max((side.nodes.shape[1] for side in exact.sides), default=0)
    X, row = np.concatenate([X[exact.nodes], *(side.start for side in exact.sides)]), len(exact.nodes)
    rows, nodes = np.zeros((len(X), SIDE)), np.full((len(X), most), np.inf)
    rows[:, LENGTH] = -1.0
    for side in exact.sides:
        part, near = slice(row, row + side.count), np.full(side.count, side.near)
        nodes[part, : side.nodes.shape[1]], row = side.nodes, part.stop
        rows[part] = np.column_stack([side.direction, side.length, near, side.centre])
    return X, rows, nodes


def contact_maps(arms: Array, axes: Array) -> Array:
    """Return G (2k, 3): velocities of points at ``arms`` (k, 2), m, along their ``axes`` (k, 2, 2), for unit rates."""
    return np.asarray((axes @ point_maps(arms)).reshape(-1, 3))
