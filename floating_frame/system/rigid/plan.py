"""A rigid body and its effects as arrays and addresses, for the compiled step (see ``kernels``)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import Inclusion, Record
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.rigid.effects import Callback, EffectLayout, PythonEffect, compiled_effect
from floating_frame.system.rigid.kernels.body import Body
from floating_frame.system.rigid.kernels.records import (
    STAGE,
    BodyData,
    Course,
    Fields,
    Scratch,
    Tables,
)
from floating_frame.system.rigid.python_friction import PythonFriction
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.rows import Numbers
from floating_frame.system.stages import stages_of
from floating_frame.system.state import State
from friction.rigid.compiled_laws import CompiledLaw, compiled_law
from friction.rigid.kernels import COULOMB
from friction.rigid.reaction import HISTORY_ROWS
from friction.stick import has_breakaway_drop

ANGLE_SETTLED, ANGLE_SETTLED_IN_CONTACT = 1e-14, 1e-12
"""Tolerance of a stage's angle, relative to 1 rad + |α|."""


class RigidPlan:
    """A rigid ``system`` in the steps of a ``scheme``. ``effects``, ``friction``: callbacks into Python; ``scratch`` arrays of a
    step; ``cuts``: the guard checks steps (``scheme.guard``); ``loads``: number of loads among the sources;
    ``bristle_sources``: numbers of the sources with bristles among the fields, friction first."""

    densities: tuple[int, ...] = ()
    bristle_sources: tuple[int, ...]

    def __init__(self, system: RigidSystem, scheme: Scheme) -> None:
        self.system, self.scheme, friction = system, scheme, system.friction
        self.law: CompiledLaw | None = None
        self.scheme, self.nodes = scheme, system.model.body.X
        self.cuts = scheme.cuts and friction.law.set_valued
        self._dead = system.model.loads.separable_wrenches(system.model.body.X)
        if not total_shifts(friction) and (system.exact is None or system.exact.idle):
            self.law = compiled_law(friction.law.with_total_load(friction.bound(0.0)))
        # Under bounds that change a law with a total may be the one without.
        widest = friction.law.with_total_load(friction.bound(0.0) if friction.constant else np.zeros(1))
        each = (
            (f, self.nodes if f.nodes is None else self.nodes[f.nodes].reshape(-1, 2))
            for _, f in system.model.loads.followers
        )
        followers = [wrench(at, follower.local_force(at)) for follower, at in each]
        self.loads = 1 + len(followers)
        smooth = system.effects[self.loads :]
        known = [compiled_effect(effect) for effect in smooth]
        self._layout = EffectLayout(known, [effect.points.X for effect in smooth], 2)
        with_bristles = (self.loads + e for e, effect in enumerate(known) if effect is not None and effect.bristles)
        self.bristle_sources = (*([len(system.effects)] if friction.law.has_internal_state else []), *with_bristles)
        first = self._layout.first
        self.scratch, self.work = self._scratch(int(first[-1])), stages_of(scheme.stages, 3, len(system.sources))
        self.work.mixed[len(system.effects) :] = False
        self.work.power[:, : self.loads, 0] = np.nan  # of loads: all their work
        blocks = [self.scratch.blocks[a:b] for a, b in itertools.pairwise(first)]
        self.effects = {
            self.loads + e: PythonEffect(smooth[e], scheme, block) for e, block in enumerate(blocks) if known[e] is None
        }
        self.friction = PythonFriction(system, scheme, self.scratch, self.work)
        called = [known[e] or self.effects[self.loads + e].callback for e in range(len(smooth))]
        jumps = system.exact is not None or any(effect.may_jump for effect in system.effects)
        self.data = BodyData(
            inertia=system.inertia,
            feet=np.ascontiguousarray(system.feet.T),
            followers=np.array(followers).reshape(len(followers), 3),
            bristles=friction.law.has_internal_state,
            extrapolates=self.law is not None and not jumps,
            callback=0 if self.law is not None else self.friction.callback.address,
            angle_tolerance=ANGLE_SETTLED if system.exact is None else ANGLE_SETTLED_IN_CONTACT,
            effects=self._layout.table([c.address for c in called]),
            convex=True,
            reacts=friction.reacts,
            height=friction.height,
            drops=has_breakaway_drop(widest),
        )

    @property
    def callbacks(self) -> Iterator[Callback]:
        """Callbacks of effects and friction."""
        yield from (effect.callback for effect in self.effects.values())
        yield self.friction.callback

    def _scratch(self, numbers: int) -> Scratch:
        rows, points = self.scheme.stages + 1, len(self.system.feet)
        fields = {name: np.zeros((rows, 2, points)) for name in ("slip", "multiplier", "density", "bristle_rate")}
        return Scratch(
            **fields,
            share=np.ones((rows, points)),
            arms=np.zeros((2, points)),
            bristles=np.zeros((2, points)),
            stage_bristles=np.zeros((2, points)),
            start_bristles=np.zeros((2, points)),
            bound=np.zeros(points),
            iterations=np.zeros((HISTORY_ROWS, 4)),
            contact_bristles=np.zeros((rows, self._layout.bristles[-1], 2)),
            contact_force=np.zeros((0 if self.system.exact is None else len(self.system.exact.mu), 2)),
            rates=np.zeros(3),
            drive=np.zeros(3),
            matrix=np.zeros((3, 3)),
            tangent=np.zeros((3, 3)),
            now=np.zeros(1, STAGE),
            blocks=np.zeros(numbers),
        )

    def tables(self, starts: Array, ends: Array) -> Tables:
        """Time-dependent data of the steps between instants (K,) s."""
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
        if friction.law.has_internal_state and not friction.constant:
            limits = np.array([[friction.bound(t, left=left) for left in (True, False)] for t in starting])
            bound = np.concatenate([bound, limits], axis=1)
        load = (
            np.array([[friction.load(t) for t in row] for row in rows])
            if friction.reacts
            else np.zeros((1, scheme.stages, 0))
        )
        if friction.still:
            ground, before = (np.repeat(known, len(ends), axis=0) for known in (ground, before[:1]))
        first = 0 if scheme.mixes else 1  # else forces at the start are not needed
        acting = self._layout.time_data(times[:, first:])
        acting = np.concatenate([acting[:, :first], acting], axis=1)
        tables = lengths, times, dead, histories, ground, acting, bound, *self._laws(bound), load, before
        # one kind of arrays: the kernels are compiled once
        return Tables(*(np.require(table, requirements=("C", "W")) for table in tables))

    def _laws(self, bound: Array) -> tuple[Array, Array]:
        """Rows of the law (K, C, 1 + n) under bounds (K, C, N), and its steepest fall with its knots (1, …): see ``Tables``."""
        friction, each = self.system.friction, [self.law or CompiledLaw(COULOMB, np.zeros(12))]
        if self.law is not None and friction.law.has_total and not friction.constant:
            shared = (friction.law.with_total_load(w) for w in bound.reshape(-1, bound.shape[2]))
            each = [known for law in shared if (known := compiled_law(law)) is not None]
        rows = np.array([[one.code, *one.numbers] for one in each])
        falling = max((one.falling for one in each), key=lambda falling: falling[:1].sum())
        return np.broadcast_to(rows, (bound[..., 0].size, rows.shape[1])).reshape(*bound.shape[:2], -1), falling[None]

    def begin(self, state: State, ends: Array, course: Course, fields: Fields, rows: Numbers) -> Body:
        """Body in steps from a state to ``ends`` (K,) s."""
        for number, effect in self.effects.items():
            effect.begin(state.time, state.records[number], state.sums[number])
        self.friction.begin(state)
        tables = self.tables(np.array([state.time, *ends[:-1]]), ends)
        return self.body(tables, course, fields, np.arange(len(ends)), rows)

    def body(self, tables: Tables, course: Course, fields: Fields, starts: Numbers, rows: Numbers) -> Body:
        """Body in steps from rows ``starts`` of the course; callbacks must be initialised."""
        return Body(self.parameters(tables), tables, self.scratch, course, fields, starts, rows, True)

    @property
    def step_records(self) -> dict[int, list[tuple[Record, tuple[Array, ...]]]]:
        """Records of the last steps by effects in Python, by their numbers."""
        return {number: effect.step_records for number, effect in self.effects.items()}

    def clear_steps(self, before: State, times: Array, course: Course) -> int:
        """All steps: see ``stepping.penalty_steps``."""
        return len(times)

    @property
    def last(self) -> int:
        """Row of the fields in which the last step has ended."""
        return int(self.scratch.now[0]["field_row"])

    def own(self, state: State, force: Array) -> tuple[Record, ...]:
        """Records of the body's own sources at the end of steps from a state; ``force`` of all sources."""
        return (
            ()
            if self.system.exact is None
            else (Record((force[-1],), mixed=False, multiplier=self.scratch.contact_force.copy()),)
        )

    def numbers(self, state: State) -> list[float]:
        """Entries of the course's ``numbers`` for a state."""
        pushed, last = np.zeros(self.scratch.contact_force.size), state.records[-1].multiplier
        return [float(np.any(state.sliding)), *(pushed if last is None else last.ravel()[: pushed.size])]

    def diagnostics(self, times: Array, course: Course) -> tuple[Array, Array, dict[str, Array]]:
        """Kinetic energies (K,), drifts (K, 2) and diagnostics at the ends of steps: see ``Rows`` and ``Batch``."""
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

    def parameters(self, tables: Tables) -> BodyData:
        """Constants of the steps; callbacks must be initialised."""
        convex = self.system.friction.law.set_valued and bool(tables.bound.any())
        return self.data._replace(convex=convex)


def total_shifts(friction: Inclusion) -> bool:
    """True where a law shares a total by bounds whose sum changes with a reacting pressure: under a coefficient that varies."""
    if not (friction.reacts and friction.law.has_total):
        return False
    bound, load = friction.bound(0.0), friction.load(0.0)
    return not (load.all() and np.ptp(bound / load) <= 1e-12 * float((bound / load).max()))
