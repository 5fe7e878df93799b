"""What the compiled steps of a rigid body work on: named numbers and arrays.

Of the arrays of points (2, N) the first index is the axis, so that loops over points use the vector units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array

PLACE, GROUND, RATES, DRIVE, TOTAL, FROM, FROM_TOTAL, ORIGIN, SMALLS = range(9)
"""Rows of ``small``: q*, v_g, q', c, W, rates and W of the last linearisation, and q at the step's start; how many there are."""
H, TANGENT, BY_PLACE, BY_RATE = range(4)
"""Matrices: that of the friction problem, −θ (τ ∂W/∂q + ∂W/∂q'), and these derivatives."""
WHAT, STEP, STAGE, TURN, TIME, TAU, TAU_V, ANGLE, PASSES, NEWTON, FALLBACKS, TURNED, LEFT, AT, LEVER, HEADS = range(16)
"""What Python is asked, where, and the length of that stage; counts of the step; by how much angle and forces are not settled yet;
the row of the last fields; moment of friction over the weight, m, that no pressure bears; how many these are."""
SOLVE, SETTLES, RECORDS, ENDS, START = (np.int64(i) for i in (0, 1, 2, 3, 0))
"""What Python may be asked: to act, whether its contacts are settled, what it does in the solved stage, to keep the end of a
step."""
COUNT, AT_TIME, AT_TAU, AT_STEP, AT_STAGE, ASKED, STORED, GIVEN, LOST, HEAD = range(10)
"""Numbers before an effect's places (2, P), velocities, forces, their derivatives (2, 2, P), and what it knows of time."""


class Plan(NamedTuple):
    """What is the same in all steps: D (3,); feet X (2, N), m; forces on the body (F, 3), N, N, N m, of followers at history value
    one; the law's code and numbers, whether it has bristles, and whether a stage starts where the last accelerations lead;
    address of friction in Python (0: none), and how far angles ``settle``; of E effects addresses, constants' addresses, first
    numbers in ``blocks`` (E + 1,), first points (E + 1,) and first numbers that they know of time, and the points X (2, P), m;
    whether friction needs a ``convex`` problem, and whether the pressure ``reacts`` to it, forces acting at a ``height``, m."""

    inertia: Array
    feet: Array
    followers: Array
    code: int
    numbers: Array
    bristles: bool
    leads: bool
    rubs: int
    settle: float
    acts: NDArray[np.int64]
    constants: NDArray[np.int64]
    blocks: NDArray[np.int64]
    points: NDArray[np.int64]
    known: NDArray[np.int64]
    X: Array
    convex: bool
    reacts: bool
    height: float


class Tables(NamedTuple):
    """What is known of K steps: lengths (K,), s; at their starts (right limits, column 0) and stages, (K, S + 1, …), times,
    dead loads (4), histories of followers (F), velocity (2) of the ground, and (or K = 1) what effects know of time (T); bounds
    (K, S, N) in the stages (K = 1: they do not change), and where the pressure reacts normal forces, both at rest; velocity (K, 2)
    that the ground had until the start."""

    lengths: Array
    times: Array
    dead: Array
    histories: Array
    ground: Array
    acting: Array
    bound: Array
    load: Array
    before: Array


class Room(NamedTuple):
    """A step in work, besides its ``Stages``. Of its start (row 0) and stages, (S + 1, …): slip, λ, sizes of slip and λ·v (2, N),
    rates of bristles, share of the bounds at rest (N,); arms, bristles at a stage's end and start, and at the step's (2, N); of
    rounds of friction and pressure ``bound`` (N,) and what they remember (see ``friction.rigid.reaction``); ``small`` (SMALLS, 3),
    forces ``pushed`` (m, 2) of exact contacts, N along n and t; ``matrices`` (4, 3, 3), ``head`` (HEADS,), ``blocks`` of the
    effects: named above."""

    slip: Array
    multiplier: Array
    density: Array
    bent_rate: Array
    share: Array
    arms: Array
    bent: Array
    old: Array
    first: Array
    bound: Array
    rounds: Array
    pushed: Array
    small: Array
    matrices: Array
    head: Array
    blocks: Array


class Course(NamedTuple):
    """What K steps of n rates begin (row 0) and end with, (K + 1, …): place, in the plane q, in space x and Q (12); rates and those
    of momenta (n); works (m + 1, 3); energies stored (m), forces of the sources (m, n) and their sum in the balance (n); counts:
    see ``Batch``; ``numbers``, in the plane whether a point ``SLIDES`` and forces ``PUSHED`` (m, 2) of exact contacts, in space
    those of ``space.kernels.body``."""

    place: Array
    rates: Array
    acceleration: Array
    work: Array
    stored: Array
    force: Array
    balance: Array
    counts: NDArray[np.int64]
    numbers: Array


SLIDES, PUSHED = range(2)


class Fields(NamedTuple):
    """Fields at the points at the ends of R steps that are stored, and of two others in turn, (R + 2, …): slip, friction −λ,
    bristles (N, d); status, path and work (N,)."""

    slip: Array
    friction: Array
    status: NDArray[np.int8]
    bristles: Array
    path: Array
    heat: Array


@njit(cache=True, error_model="numpy", forceinline=True)
def row_after(fields, rows, k, at):  # type: ignore[no-untyped-def]
    """Return the row of the fields at the end of step ``k``, which began in row ``at``: one that is stored, or one of two."""
    last = fields.path.shape[0] - 1
    return rows[k] if rows[k] >= 0 else 2 * last - 1 - max(at, last - 1)
