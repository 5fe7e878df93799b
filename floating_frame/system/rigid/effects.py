"""Effects on points of a rigid body besides loads, by the address of a function of one block of numbers (see ``kernels``).

Springs are compiled, and penalty contacts of the library's shapes and laws. Any other effect is a callback into Python, which
stores its exception, as C cannot raise it."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import carray, cfunc

from fem.kernels.lanes import BLOCK
from floating_frame.coefficients import Scheme
from floating_frame.effect.penalty import PenaltyContact, contact_numbers
from floating_frame.effect.penalty_kernel import DIMENSION, MOTION, MOVES, contact_forces
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
    (K or 1, S + 1, T)."""

    address: int
    constants: Array
    time_data: Callable[[Array], Array]


@functools.cache
def _compiled(forces: Callable[[Any, Any, Any], Any]) -> Any:
    return cfunc(BLOCK, cache=True, error_model="numpy")(forces)


def _spring_forces(constants, given, rows):  # type: ignore[no-untyped-def]
    """Springs to ends with one velocity. ``constants``: k, c (P,), rest length; data of time: ends (2, P), their velocity (2,)."""
    points = np.uint64(carray(given, (rec.HEADER,))[rec.POINT_COUNT])
    own, block = carray(constants, (2 * points + 1,)), carray(given, (rec.HEADER + 16 * points + 2,))
    rest, place, rate, force = own[2 * points], rec.HEADER, rec.HEADER + 2 * points, rec.HEADER + 4 * points
    by_place, by_rate, end, moves = (
        rec.HEADER + 6 * points,
        rec.HEADER + 10 * points,
        rec.HEADER + 14 * points,
        rec.HEADER + 16 * points,
    )
    stored = put_in = lost = 0.0
    for p in range(points):
        d = (block[place + p] - block[end + p], block[place + points + p] - block[end + points + p], 0.0)
        v = (block[rate + p] - block[moves], block[rate + points + p] - block[moves + 1], 0.0)
        (fx, fy, _), K, C, energy, loss = spring(own[p], own[points + p], rest, d, v)
        block[force + p], block[force + points + p] = fx, fy
        for i in range(4):
            entry = i + i // 2  # xx, xy, yx, yy of 3 × 3
            block[by_place + i * points + p], block[by_rate + i * points + p] = K[entry], C[entry]
        stored, put_in, lost = stored + energy, put_in + fx * block[moves] + fy * block[moves + 1], lost + loss
    block[rec.ENERGY], block[rec.POWER], block[rec.DISSIPATION] = stored, put_in, lost
    return 1.0


def _spring(effect: SpringEffect) -> CompiledEffect:
    rest = effect.rest_length
    constants = np.concatenate([effect.stiffness, effect.damping, [-1.0 if rest is None else rest]])

    def time_data(times: Array) -> Array:
        some = times[:1, :1] if effect.still else times
        ends = [[np.concatenate([p.T.ravel(), rate]) for p, rate in map(effect.end, row)] for row in some]
        return np.broadcast_to(np.array(ends), (len(ends), times.shape[1], len(ends[0][0])))

    return CompiledEffect(_compiled(_spring_forces).address, constants, time_data)


def _penalty_forces(constants, given, rows):  # type: ignore[no-untyped-def]
    """Penalty contact: see ``effect.penalty_kernel``."""
    points = np.int64(carray(given, (rec.HEADER,))[rec.POINT_COUNT])
    own = carray(constants, (1,))
    own = carray(constants, (np.int64(own[0]),))[1:]
    d = np.int64(own[DIMENSION])
    motion_numbers = MOTION if own[MOVES] != 0.0 else 0
    block = carray(given, (rec.HEADER + (3 * d + 2 * d * d) * points + motion_numbers,))
    block[rec.ENERGY], block[rec.POWER], block[rec.DISSIPATION] = contact_forces(own, block, rec.HEADER, points)
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

    return CompiledEffect(_compiled(_penalty_forces).address, np.array([len(numbers) + 1.0, *numbers]), time_data)


COMPILERS: dict[type, Callable[[Any], CompiledEffect | None]] = {SpringEffect: _spring, PenaltyContact: _contact}
"""Compiled functions of effects by class, not by derived classes; None: not compiled."""


class PythonEffect:
    """An ``effect`` in the steps of a scheme with these ``position`` coefficients and weights, on a ``block`` of numbers.

    ``begin``: with the record at the start. ``step_records``: record and time integrals of the densities of each ended step."""

    def __init__(self, effect: Effect, scheme: Scheme, block: Array) -> None:
        self.effect, self._position, self._weights, self._block = effect, scheme.position, scheme.weights, block
        points = (len(block) - rec.HEADER) // 14
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
