"""Bristles of penalty contacts with a law that has a memory, compiled: deformations z (2) m at points, in the blocks of effects and
behind those of friction in the fields. z' = rate(z, u) is integrated like positions; a stage without normal force resets z to 0."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.effect.penalty_kernel import BRISTLES
from floating_frame.system.rigid.kernels.records import EFFECT_TAU

DEFORMATION_HISTORY, DEFORMATION, DEFORMATION_RATE = (np.int64(BRISTLES - row) for row in (0, 2, 4))
"""Rows of z*, of z at the stage's end and of its rate, from a block's end."""


@njit(cache=True, error_model="numpy")
def inherit_bristles(table, blocks, deformation, position, s, dt, rates):  # type: ignore[no-untyped-def]
    """Write the length of stage ``s`` (0: the step's start), and z* = z_n + Δt Σ a_sj z'_j, 0 where an earlier stage released it,
    into the blocks; z_n are the last rows of ``deformation``, ``rates`` (S + 1, p, 2) those of start and stages."""
    first = deformation.shape[0] - table.bristles[-1]
    for e in range(table.addresses.shape[0]):
        count, end = table.bristles[e + 1] - table.bristles[e], table.blocks[e + 1]
        blocks[table.blocks[e] + EFFECT_TAU] = dt * position[s] if s > 0 else 0.0
        for p in range(count):
            own = table.bristles[e] + p
            for a in range(2):
                z = deformation[first + own, a]
                for j in range(s):
                    z += dt * position[j] * rates[j, own, a]
                blocks[end - (DEFORMATION_HISTORY - a) * count + p] = z if z == z else 0.0  # a rate of nan: released


@njit(cache=True, error_model="numpy")
def read_bristles(table, blocks, row, deformation):  # type: ignore[no-untyped-def]
    """Copy z at the stage's end, or its rate, from a ``row`` of the blocks to the last rows of ``deformation``."""
    first = deformation.shape[0] - table.bristles[-1]
    for e in range(table.addresses.shape[0]):
        count, end = table.bristles[e + 1] - table.bristles[e], table.blocks[e + 1]
        for p in range(count):
            for a in range(2):
                deformation[first + table.bristles[e] + p, a] = blocks[end - (row - a) * count + p]
