"""Arrays of the compiled steps of a rigid body, and the indices of their entries.

Of the arrays of points (2, N) the first index is the axis, so that loops over points use the vector units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array

STAGE = np.dtype(
    [
        *(
            (name, float, 3)
            for name in ("place", "ground", "wrench", "linearised_rates", "linearised_wrench", "origin")
        ),
        *((name, float, (3, 3)) for name in ("by_place", "by_rate")),
        *((name, np.int64) for name in ("request", "stage", "iteration", "passes", "newton", "fallbacks", "field_row")),
        *((name, float) for name in ("time", "tau", "tau_v", "angle", "angle_change", "force_defect", "lever")),
    ],
    align=True,
)
"""A stage: q*, v_g, W, rates and W of the last linearisation, q at the step's start; ∂W/∂q, ∂W/∂q'; request to Python, its stage
and iteration; counts of the step; row of the last fields; time s, τ, τ_v s and angle rad; change of angle (rad) and relative force
defect of the last iteration; lever arm of friction where the body tips, m."""
SOLVE_FRICTION, CHECK_CONTACT, RECORD, END_STEP, START = (np.int64(i) for i in (0, 1, 2, 3, 0))
"""Requests to Python: solve friction or evaluate forces; check convergence of contacts; record the solved stage; end the step."""
(POINT_COUNT, EFFECT_TIME, EFFECT_TAU, EFFECT_STAGE, EFFECT_REQUEST,
 ENERGY, POWER, DISSIPATION, SPIN, HEADER) = (*range(9), 11)  # fmt: skip
"""Header of an effect's block, with the body's spin (3) in space, before the numbers of its points (``effect.penalty_kernel``):
places (d, P), velocities, forces, their derivatives (d, d, P), in space e (d, P) from the place to where the force acts and its
derivative; its data of time; of a contact in space rates of slip path m/s and friction work W (2, P); of a law with memory bristles
at the start and end of the stage, m, and their rate (2, P)."""


class EffectTable(NamedTuple):
    """E effects on points: ``addresses`` of their functions and of their ``constants``; first numbers in the blocks (E + 1,), first
    ``points`` (E + 1,), first points with bristles among all of these (E + 1,), first columns of data of time (E + 1,), and the
    points X (d, P), m."""

    addresses: NDArray[np.int64]
    constants: NDArray[np.int64]
    blocks: NDArray[np.int64]
    points: NDArray[np.int64]
    bristles: NDArray[np.int64]
    time_columns: NDArray[np.int64]
    X: Array


class BodyData(NamedTuple):
    """Constants of all steps: inertia D (3,); feet X (2, N), m; forces on the body (F, 3), N, N, N m, of followers at history value
    one; the law has ``bristles``; ``extrapolates``: stages under Coulomb's law start from rates extrapolated by the last
    accelerations; address of friction's ``callback`` (0: none); ``angle_tolerance``; the ``effects``; ``convex``: friction needs a
    convex problem; ``reacts``: the pressure reacts to it, forces at the ``height``, m; ``drops``: the bound drops as the body
    breaks loose."""

    inertia: Array
    feet: Array
    followers: Array
    bristles: bool
    extrapolates: bool
    callback: int
    angle_tolerance: float
    effects: EffectTable
    convex: bool
    reacts: bool
    height: float
    drops: bool


class Tables(NamedTuple):
    """Time-dependent data of K steps: lengths (K,), s; at their starts (right limits, column 0) and stages, (K, S + 1, …), times,
    dead loads (4), histories of followers (F), velocity (2) of the ground, and (or K = 1) data of the effects (T); bounds (K, S, N)
    in the stages (K = 1: constant), under bristles whose bounds change also the left and right limits at the start (K, S + 2, N);
    under these bounds code and numbers of the law (K, …, 1 + n), and how it falls at most (1, …), see ``CompiledLaw``; for a
    reacting pressure normal forces (K, S, N), like the bounds at rest; left limit (K, 2) of the ground's velocity at the start."""

    lengths: Array
    times: Array
    dead: Array
    histories: Array
    ground: Array
    effect_data: Array
    bound: Array
    law: Array
    falling: Array
    load: Array
    ground_before: Array


class Scratch(NamedTuple):
    """Scratch arrays of a step besides its ``Stages``. Of its start (row 0) and stages, (S + 1, …): slip, λ, speed and λ·v (2, N),
    rates of bristles, share of the bounds at rest (N,); arms, bristles at a stage's end and start, and at the step's (2, N); of the
    pressure iteration ``bound`` (N,) and last ``iterations`` (see ``friction.rigid.reaction``); forces (m, 2) of
    exact contacts, N along n and t; rates of bristles (S + 1, p, 2) of penalty contacts; of the friction problem q' and c (3,), H
    and −θ (τ ∂W/∂q + ∂W/∂q') (3, 3); the record ``now`` (1,) and ``blocks`` of the effects: see above."""

    slip: Array
    multiplier: Array
    density: Array
    bristle_rate: Array
    share: Array
    arms: Array
    bristles: Array
    stage_bristles: Array
    start_bristles: Array
    bound: Array
    iterations: Array
    contact_force: Array
    contact_bristles: Array
    rates: Array
    drive: Array
    matrix: Array
    tangent: Array
    now: NDArray[np.void]
    blocks: Array


class Course(NamedTuple):
    """Starts (row 0) and ends of K steps with n rates, (K + 1, …): place, in the plane q, in space x and Q (12); rates, and their
    derivatives (n); works (m + 1, 3); energies stored (m), forces of the sources (m, n) and their sum in the balance (n); counts:
    see ``Batch``; ``numbers``: in the plane ``SLIDING`` (any point) and ``CONTACT_FORCE`` (m, 2) of exact contacts, in space see
    ``space.kernels.body``."""

    place: Array
    rates: Array
    acceleration: Array
    work: Array
    stored: Array
    force: Array
    balance: Array
    counts: NDArray[np.int64]
    numbers: Array


SLIDING, CONTACT_FORCE = range(2)


class Fields(NamedTuple):
    """Fields at the points at the ends of R stored steps, and of two others by turns, (R + 2, …): slip, friction −λ,
    bristles (N, 2) and of penalty contacts with a memory (p, 2); status, path and work (N,)."""

    slip: Array
    friction: Array
    status: NDArray[np.int8]
    bristles: Array
    path: Array
    heat: Array


@njit(cache=True, error_model="numpy", forceinline=True)
def row_after(fields, rows, k, at):  # type: ignore[no-untyped-def]
    """Row of the fields at the end of step ``k``, which began in row ``at``: a stored row, or one of the last two by turns."""
    last = fields.path.shape[0] - 1
    return rows[k] if rows[k] >= 0 else 2 * last - 1 - max(at, last - 1)
