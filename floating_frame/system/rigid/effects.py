"""Effects on points of a rigid body besides loads, by the address of a function of one block of numbers (see ``kernels``).

Springs are compiled, and penalty contacts of the library's shapes and laws. Any other effect is a callback into Python, which
stores its exception, as C cannot raise it."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import carray, cfunc

from fem.kernels.lanes import BLOCK
from floating_frame.coefficients import Scheme
from floating_frame.contact.kernels import combine
from floating_frame.effect.penalty import PenaltyContact, contact_numbers
from floating_frame.effect.penalty_kernel import (
    BRISTLES,
    DIMENSION,
    HAS_BRISTLES,
    MOTION,
    MOVES,
    ROWS_IN_PLANE,
    ROWS_IN_SPACE,
    contact_forces,
    triple,
    vector_at,
)
from floating_frame.effect.protocol import Effect, Record
from floating_frame.effect.spring import SpringEffect
from floating_frame.effect.spring_kernel import spring
from floating_frame.frame.kinematics import Array
from floating_frame.system.rigid.kernels import records as rec
from floating_frame.system.stages import integrated

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Callback:
    """A function () -> float of Python with its C ``address``; ``raised``: its last exception."""

    def __init__(self, function: Callable[[], float]) -> None:
        self.raised: BaseException | None = None

        def guarded(_constants: int, _given: int, _rows: int) -> float:
            try:
                return function()
            except BaseException as error:
                self.raised = error
                return -1.0

        self._function = _SIGNATURE(guarded)
        self.address = int(ctypes.cast(self._function, ctypes.c_void_p).value or 0)

    def take_error(self) -> BaseException | None:
        """Stored exception, which is cleared."""
        error, self.raised = self.raised, None
        return error


class CompiledEffect(NamedTuple):
    """Address of an effect's compiled function of ``BLOCK``, its ``constants``, and ``time_data``: times (K, S + 1) -> its data
    (K or 1, S + 1, T); how many ``densities`` it gives at each point; ``bristles``: True if it has some there."""

    address: int
    constants: Array
    time_data: Callable[[Array], Array]
    densities: int = 0
    bristles: bool = False


@functools.cache
def _compiled(forces: Callable[[Any, Any, Any], Any]) -> Any:
    return cfunc(BLOCK, cache=True, error_model="numpy")(forces)


def _spring_forces(constants, given, rows):  # type: ignore[no-untyped-def]
    """Springs to ends with one velocity. ``constants``: d, k, c (P,), rest length; data of time: ends (d, P), their
    velocity (d,)."""
    points = np.int64(carray(given, (rec.HEADER,))[rec.POINT_COUNT])
    own = carray(constants, (2 * points + 2,))
    d = np.int64(own[0])
    plane, rest = d == 2, own[2 * points + 1]
    end = rec.HEADER + (ROWS_IN_PLANE if plane else ROWS_IN_SPACE) * points
    moves = end + d * points
    block = carray(given, (moves + d,))
    place, rate, force = rec.HEADER, rec.HEADER + d * points, rec.HEADER + 2 * d * points
    by_place = force + d * points
    stored = put_in = lost = 0.0
    for p in range(points):
        arm = combine(1.0, vector_at(block, place, points, p, plane), -1.0, vector_at(block, end, points, p, plane))
        v = combine(1.0, vector_at(block, rate, points, p, plane), -1.0, vector_at(block, moves, 1, 0, plane))
        f, K, C, energy, loss = spring(own[1 + p], own[1 + points + p], rest, arm, v)
        for i in range(d):
            block[force + i * points + p] = f[i]
            put_in += f[i] * block[moves + i]
            for j in range(d):
                entry = by_place + (d * i + j) * points + p
                block[entry], block[entry + d * d * points] = K[3 * i + j], C[3 * i + j]
        stored, lost = stored + energy, lost + loss
    block[rec.ENERGY], block[rec.POWER], block[rec.DISSIPATION] = stored, put_in, lost
    return 1.0


def _spring(effect: SpringEffect) -> CompiledEffect:
    rest, d = effect.rest_length, effect.ends(np.zeros(1))[1].shape[1]
    constants = np.array([d, *effect.stiffness, *effect.damping, -1.0 if rest is None else rest])

    def time_data(times: Array) -> Array:
        some = times[:1, :1] if effect.still else times
        at, which = np.unique(some, return_inverse=True)  # a step's end is the next one's start
        places, rates = effect.ends(at)
        ends = np.concatenate([places.swapaxes(1, 2).reshape(len(at), -1), rates], axis=1)[which.reshape(some.shape)]
        return np.broadcast_to(ends, (len(some), times.shape[1], ends.shape[2]))

    return CompiledEffect(_compiled(_spring_forces).address, constants, time_data)


def _penalty_forces(constants, given, rows):  # type: ignore[no-untyped-def]
    """Penalty contact: see ``effect.penalty_kernel``."""
    points = np.int64(carray(given, (rec.HEADER,))[rec.POINT_COUNT])
    own = carray(constants, (1,))
    own = carray(constants, (np.int64(own[0]),))[1:]
    d = np.int64(own[DIMENSION])
    rows = (ROWS_IN_PLANE if d == 2 else ROWS_IN_SPACE + 2) + (BRISTLES if own[HAS_BRISTLES] != 0.0 else 0)
    block = carray(given, (rec.HEADER + rows * points + (MOTION if own[MOVES] != 0.0 else 0),))
    turning, tau = triple(block, rec.SPIN), block[rec.EFFECT_TAU]
    block[rec.ENERGY], block[rec.POWER], block[rec.DISSIPATION] = contact_forces(
        own, block, rec.HEADER, points, turning, tau
    )
    return 1.0


def _contact(effect: PenaltyContact) -> CompiledEffect | None:
    numbers = contact_numbers(effect)
    if numbers is None:
        return None
    moves, d = effect.contact.obstacle.motion.moves, effect.contact.obstacle.dimension

    def time_data(times: Array) -> Array:
        if not moves:
            return np.zeros((1, times.shape[1], 0))
        return effect.contact.obstacle.motion.table(times.ravel(), d).reshape(*times.shape, MOTION)

    constants = np.array([len(numbers) + 1.0, *numbers])
    address, densities = _compiled(_penalty_forces).address, 2 if effect.nodal else 0
    return CompiledEffect(address, constants, time_data, densities, effect.start is not None)


COMPILERS: dict[type, Callable[[Any], CompiledEffect | None]] = {SpringEffect: _spring, PenaltyContact: _contact}
"""Compiled functions of effects by class, not by derived classes; None: not compiled."""


def compiled_effect(effect: Effect) -> CompiledEffect | None:
    """An effect's compiled function; None where Python evaluates it."""
    compiler = COMPILERS.get(type(effect))
    return None if compiler is None else compiler(effect)


class EffectLayout:
    """Layout of the blocks of effects: ``first`` numbers (E + 1,). ``compiled``: their functions, None where Python evaluates one;
    ``X``: the points (P, d) of each, m."""

    def __init__(self, compiled: Sequence[CompiledEffect | None], X: Sequence[Array], d: int) -> None:
        none = np.zeros((1, 1))
        columns = [0 if k is None else k.time_data(none).shape[2] for k in compiled]
        self._has_bristles = [k is not None and k.bristles for k in compiled]
        further = [0 if k is None else k.densities + BRISTLES * k.bristles for k in compiled]
        self._X, self._compiled, self._d, self._columns = X, compiled, d, np.cumsum([0, *columns]).astype(np.int64)
        self.points = np.cumsum([0, *map(len, X)]).astype(np.int64)
        self.bristles = np.cumsum([0, *(len(x) * b for x, b in zip(X, self._has_bristles, strict=True))]).astype(
            np.int64
        )
        each, rows = zip(X, columns, further, strict=True), ROWS_IN_PLANE if d == 2 else ROWS_IN_SPACE
        sizes = (rec.HEADER + (rows + own) * len(x) + more for x, more, own in each)
        self.first = np.cumsum([0, *sizes]).astype(np.int64)

    def table(self, addresses: Sequence[int]) -> rec.EffectTable:
        """Table for the kernels, with the addresses of the functions."""
        return rec.EffectTable(
            addresses=np.array(addresses, np.int64),
            constants=np.array([0 if k is None else k.constants.ctypes.data for k in self._compiled], np.int64),
            blocks=self.first,
            points=self.points,
            bristles=self.bristles,
            time_columns=self._columns,
            X=np.ascontiguousarray(np.concatenate([*self._X, np.zeros((0, self._d))]).T),
        )

    def time_data(self, times: Array) -> Array:
        """Data of time (K, C, T) of all effects at times (K, C) s; (1, C, T) where nothing changes."""
        tables = [np.zeros((1, times.shape[1], 0)), *(k.time_data(times) for k in self._compiled if k is not None)]
        if len({len(table) for table in tables}) > 1:
            tables = [np.broadcast_to(table, (len(times), *table.shape[1:])) for table in tables]
        return np.concatenate(tables, axis=2)


class PythonEffect:
    """An ``effect`` in the steps of a scheme with these ``position`` coefficients and weights, on a ``block`` of numbers.

    ``begin``: with the record at the start. ``step_records``: record and time integrals of the densities of each ended step."""

    def __init__(self, effect: Effect, scheme: Scheme, block: Array) -> None:
        self.effect, self._position, self._weights, self._block = effect, scheme.position, scheme.weights, block
        points = (len(block) - rec.HEADER) // ROWS_IN_PLANE
        parts = np.split(block[rec.HEADER :], np.cumsum([2, 2, 2, 4]) * points)
        self._x, self._v, self._force = (part.reshape(2, points).T for part in parts[:3])
        self._by_place, self._by_rate = (part.reshape(2, 2, points).transpose(2, 0, 1) for part in parts[3:])
        self.callback = Callback(self._called)

    def begin(self, time: float, record: Record, sums: tuple[Array, ...]) -> None:
        """Initialise for steps from ``time`` s."""
        self._time, self._stage, self._internal, self._sums = time, -1, record.internal, sums
        self._records, self._rate = dict[int, Record](), record.internal
        self.step_records: list[tuple[Record, tuple[Array, ...]]] = []

    def _called(self) -> float:
        block, what = self._block, int(self._block[rec.EFFECT_REQUEST])
        time, tau, s = float(block[rec.EFFECT_TIME]), float(block[rec.EFFECT_TAU]), int(block[rec.EFFECT_STAGE])
        if what == rec.END_STEP:
            return self._end_step(tau / self._position[s - 1, s], s)
        if s != self._stage:
            self._stage, self._acting = s, self.effect.for_stage(time, self._inherited(time, s, tau), tau, left=s > 0)
        now = self._acting.at(self._x, self._v)
        self._force[:] = now.force
        self._by_place[:] = 0.0 if now.by_place is None else now.by_place
        self._by_rate[:] = 0.0 if now.by_velocity is None else now.by_velocity
        if what == rec.RECORD:
            record = self._records[s] = self._acting.record(self._x, self._v, (np.zeros(3),))
            block[rec.ENERGY], block[rec.DISSIPATION] = record.stored, record.dissipated
            block[rec.POWER] = np.nan if record.external is None else record.external  # NaN: all the work of the force
        return 0.0 if now.by_place is None and now.by_velocity is None else 1.0

    def _inherited(self, time: float, s: int, tau: float) -> Array | None:
        """z* of a stage: as ``scheme.staged``."""
        z, effect = self._internal, self.effect
        if z is None:
            return None
        if s == 0:
            self._rate = effect.rate(time, z, self._x, self._v)
            return z
        position, earlier = self._position[s - 1], [self._records[j] for j in range(1, s)]
        rates = [self._rate, *(record.internal_rate for record in earlier)]
        return effect.inherited(integrated(z, tau / position[s] * position, rates), earlier)

    def _end_step(self, dt: float, stages: int) -> float:
        records, self._stage = [self._records[s] for s in range(1, stages + 1)], -1
        self._internal = records[-1].internal
        self._sums = tuple(
            old + dt * np.tensordot(self._weights, [r.rates[i] for r in records], 1) for i, old in enumerate(self._sums)
        )
        self.step_records.append((records[-1], self._sums))
        return 0.0
