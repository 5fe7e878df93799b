"""A rigid body and what acts on it as arrays and addresses, for the compiled step (see ``kernels``)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import Record
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import wrench
from floating_frame.loads.followers import Follower
from floating_frame.system.rigid.acting import COMPILED, Back, Known, PythonEffect
from floating_frame.system.rigid.asked import PythonFriction
from floating_frame.system.rigid.kernels.body import Body
from floating_frame.system.rigid.kernels.records import AT, HEAD, HEADS, SMALLS, Course, Fields, Plan, Room, Tables
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.rows import Numbers
from floating_frame.system.stages import stages_of
from floating_frame.system.state import State
from friction.rigid.compiled_laws import CompiledLaw, compiled_law
from friction.rigid.kernels import COULOMB
from friction.rigid.reaction import HISTORY_ROWS
from friction.stick import is_coulomb

ANGLE_SETTLED, ANGLE_SETTLED_IN_CONTACT = 1e-14, 1e-12
"""Part of 1 rad + |α| by which the angle of a stage may still turn."""


class RigidPlan:
    """A rigid ``system`` in the steps of a ``scheme``. ``effects``, ``friction``: what of it is Python, called back;
    ``room``: what a step works in; ``guards``: whether an arrest within a step may throw the body backwards; ``loads``: how many
    sources are loads."""

    def __init__(self, system: RigidSystem, scheme: Scheme) -> None:
        self.system, self.scheme, friction = system, scheme, system.friction
        self.law: CompiledLaw | None = None
        self.schemes, self.nodes = (scheme.tables(),), system.model.body.X
        self.guards = scheme.guards_reversal and friction.law.set_valued
        self._dead = system.model.loads.separable_wrenches(system.model.body.X)
        changes = friction.reacts or not friction.constant
        changes = changes and (friction.law.has_total or friction.law.has_internal_state)
        if not (changes or (system.exact is not None and not system.exact.idle)):
            self.law = compiled_law(friction.law.with_total_load(friction.bound(0.0)))
        if (
            friction.reacts and self.law is not None and self.law.fall > 0.0
        ):  # how large bounds get is not known beforehand
            self.law = None
        followers = [wrench(at, follower.local_force(at)) for follower, at in followers_of(system)]
        self.loads = 1 + len(followers)
        smooth = system.effects[self.loads :]
        X = [effect.points.X for effect in smooth]
        known: list[Known | None] = [COMPILED[type(e)](e) if type(e) in COMPILED else None for e in smooth]
        self._known = [k for k in known if k is not None]
        columns = [0 if k is None else k.knows(np.zeros((1, scheme.stages + 1))).shape[2] for k in known]
        points = np.cumsum([0, *map(len, X)])
        first = np.cumsum([0, *(HEAD + 14 * len(x) + more for x, more in zip(X, columns, strict=True))])
        self.room, self.work = self._room(int(first[-1])), stages_of(scheme.stages, 3, len(system.sources))
        self.work.mixed[len(system.effects) :] = False
        self.work.power[:, : self.loads, 0] = np.nan  # of loads all that they do is put in
        blocks = [self.room.blocks[a:b] for a, b in itertools.pairwise(first)]
        self.effects = {
            self.loads + e: PythonEffect(smooth[e], scheme, block) for e, block in enumerate(blocks) if known[e] is None
        }
        self.friction = PythonFriction(system, scheme, self.room, self.work)
        called = [known[e] or self.effects[self.loads + e].back for e in range(len(smooth))]
        law = self.law or CompiledLaw(COULOMB, np.zeros(12), 0.0)
        jumps = system.exact is not None or any(effect.may_jump for effect in system.effects)
        self._rubs = 0 if self.law is not None else self.friction.back.address
        self.plan = Plan(
            inertia=system.inertia,
            feet=np.ascontiguousarray(system.feet.T),
            followers=np.array(followers).reshape(len(followers), 3),
            code=law.code,
            numbers=law.numbers,
            bristles=friction.law.has_internal_state,
            leads=is_coulomb(friction.law.with_total_load(friction.bound(0.0))) and not jumps,
            rubs=self._rubs,
            settle=ANGLE_SETTLED if system.exact is None else ANGLE_SETTLED_IN_CONTACT,
            acts=np.array([c.address for c in called], np.int64),
            constants=np.array([0 if k is None else k.constants.ctypes.data for k in known], np.int64),
            blocks=first.astype(np.int64),
            points=points.astype(np.int64),
            known=np.cumsum([0, *columns])[:-1].astype(np.int64),
            X=np.ascontiguousarray(np.concatenate([*X, np.zeros((0, 2))]).T),
            convex=True,
            reacts=friction.reacts,
            height=friction.height,
        )

    @property
    def backs(self) -> Iterator[Back]:
        """What is called back."""
        yield from (effect.back for effect in self.effects.values())
        yield self.friction.back

    def _room(self, numbers: int) -> Room:
        rows, points = self.scheme.stages + 1, len(self.system.feet)
        fields = {name: np.zeros((rows, 2, points)) for name in ("slip", "multiplier", "density", "bent_rate")}
        return Room(
            **fields,
            share=np.ones((rows, points)),
            arms=np.zeros((2, points)),
            bent=np.zeros((2, points)),
            old=np.zeros((2, points)),
            first=np.zeros((2, points)),
            bound=np.zeros(points),
            rounds=np.zeros((HISTORY_ROWS, 4)),
            pushed=np.zeros((0 if self.system.exact is None else len(self.system.exact.contacts.mu), 2)),
            small=np.zeros((SMALLS, 3)),
            matrices=np.zeros((4, 3, 3)),
            head=np.zeros(HEADS),
            blocks=np.zeros(numbers),
        )

    def tables(self, starts: Array, ends: Array) -> Tables:
        """Return what is known of the steps between instants (K,) s."""
        scheme, friction, loads = self.scheme, self.system.friction, self.system.model.loads
        lengths = ends - starts
        inner = [ends if node == 1.0 else starts + node * lengths for node in scheme.nodes]
        times, X, each = np.stack([starts, *inner], axis=1), self.system.model.body.X, self._dead
        starting, later = times[:, 0], times[:, 1:].ravel()
        dead, histories = (
            np.concatenate([right[:, None], left.reshape(len(ends), scheme.stages, right.shape[1])], axis=1)
            for right, left in (
                (loads.dead_wrenches(starting, X, each, left=False), loads.dead_wrenches(later, X, each)),
                (loads.follower_values(starting, left=False), loads.follower_values(later)),
            )
        )
        rows = times[: 1 if friction.still else None]
        ground = np.array([[friction.ground(t, left=s > 0) for s, t in enumerate(row)] for row in rows])
        before = np.array([friction.ground(t) for t in rows[:, 0]])
        rows = times[: 1 if friction.constant else None, 1:]
        bound = np.array([[friction.bound(t) for t in row] for row in rows])
        load = (
            np.array([[friction.load(t) for t in row] for row in rows])
            if friction.reacts
            else np.zeros((1, scheme.stages, 0))
        )
        if friction.still:
            ground, before = (np.repeat(known, len(ends), axis=0) for known in (ground, before[:1]))
        first = 0 if scheme.needs_start_force else 1  # else nobody asks for what acts at the start
        acting = [np.zeros((1, scheme.stages + 1, 0)), *(known.knows(times[:, first:]) for known in self._known)]
        acting = [np.concatenate([known[:, : scheme.stages + 1 - known.shape[1]], known], axis=1) for known in acting]
        if len({len(table) for table in acting}) > 1:
            acting = [np.broadcast_to(table, (len(ends), *table.shape[1:])) for table in acting]
        tables = lengths, times, dead, histories, ground, np.concatenate(acting, axis=2), bound, load, before
        return Tables(*map(np.ascontiguousarray, tables))  # one kind of arrays: the kernels are compiled once

    def begin(self, state: State, ends: Array, course: Course, fields: Fields, rows: Numbers) -> Body:
        """Return the body in steps from a state to ``ends`` (K,) s."""
        for number, effect in self.effects.items():
            effect.begin(state.time, state.records[number], state.sums[number])
        self.friction.begin(state)
        tables = self.tables(np.array([state.time, *ends[:-1]]), ends)
        return self.body(tables, course, fields, np.arange(len(ends)), rows)

    def body(self, tables: Tables, course: Course, fields: Fields, starts: Numbers, rows: Numbers) -> Body:
        """Return the body in steps from rows ``starts`` of the course; what is Python has begun, if it is asked."""
        return Body(self.ready(tables), tables, self.room, course, fields, starts, rows, True)

    @property
    def kept(self) -> dict[int, list[tuple[Record, tuple[Array, ...]]]]:
        """What effects in Python, by their numbers, have kept of the last steps."""
        return {number: effect.kept for number, effect in self.effects.items()}

    @property
    def last(self) -> int:
        """Row of the fields in which the last step has ended."""
        return int(self.room.head[AT])

    def own(self, state: State, force: Array) -> tuple[Record, ...]:
        """Return the records of what the body brings itself at the end of steps from a state, whose sources act with ``force``."""
        return (
            ()
            if self.system.exact is None
            else (Record((force[-1],), mixed=False, multiplier=self.room.pushed.copy()),)
        )

    def numbers(self, state: State) -> list[float]:
        """Return what the course has of a state besides its motion."""
        pushed, last = np.zeros(self.room.pushed.size), state.records[-1].multiplier
        return [float(np.any(state.sliding)), *(pushed if last is None else last.ravel()[: pushed.size])]

    def told(self, times: Array, course: Course) -> tuple[Array, Array, dict[str, Array]]:
        """Return kinetic energies (K,), drifts (K, 2) and diagnostics at the ends of steps: see ``Rows`` and ``Batch``."""
        system, rates = self.system, course.rates
        kinetic: Array = 0.5 * np.einsum("kj,kj,j->k", rates, rates, system.inertia)
        contacts = {k: source.name for k, source in enumerate(system.sources) if source.dissipates == "contact"}
        penalty = [k for k, name in contacts.items() if name == PenaltyContact.name]
        chosen = {"contact_force": list(contacts), "contact_push": penalty} if contacts else {}
        diagnostics = {name: np.hypot(*course.force[:, own, :2].sum(axis=1).T) for name, own in chosen.items()}
        diagnostics |= {
            "dead_load": np.abs(course.force[:, : self.loads]).sum(axis=(1, 2)),
            "free": np.asarray(~course.force.any(axis=(1, 2))),
            "spin_momentum": system.inertia[2] * rates[:, 2:],
            "turn_rate": np.abs(rates[:, 2]),
        }
        return kinetic, np.zeros((len(times), 2)), diagnostics

    def ready(self, tables: Tables) -> Plan:
        """Return the plan of steps; what is Python has begun, if it is asked."""
        rubs = self.friction.back.address if self._may_have_several(tables) else self._rubs
        convex = self.system.friction.law.set_valued and bool(tables.bound.any())
        return self.plan._replace(rubs=rubs, convex=convex)

    def _may_have_several(self, tables: Tables) -> bool:
        """Return whether friction that falls with the speed may leave a stage several solutions: D/τ − fall Σ w Gᵀ G."""
        if self.law is None or self.law.fall == 0.0:
            return False
        tau, w = self.scheme.velocity.max() * tables.lengths.max(), self.law.fall * tables.bound.max(axis=(0, 1))
        x, y = w @ self.system.feet
        polar = float(w @ (self.system.feet**2).sum(axis=1))
        fall = np.array([[w.sum(), 0.0, -y], [0.0, w.sum(), x], [-y, x, polar]])
        size = np.sqrt(self.system.inertia / tau)
        return bool(np.linalg.eigvalsh(fall / np.outer(size, size))[-1] >= 1.0)


def followers_of(system: RigidSystem) -> list[tuple[Follower, Array]]:
    """Return the loads that follow the body, and the reference places (P, 2), m, on which they act."""
    followers = [follower for _, follower in system.model.loads.followers]
    X = system.model.body.X
    return [(f, X if f.nodes is None else X[f.nodes].reshape(-1, 2)) for f in followers]
