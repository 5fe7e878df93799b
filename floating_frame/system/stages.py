"""Arrays of a step, the same for every system, and the result codes of steps.

For n unknowns, m sources and S stages; arrays are written in place. Blocks of unknowns are views of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Blocks
from floating_frame.frame.kinematics import Array
from friction.status import TIPS

(POINT_LANDS, CUT, GUARD_CHECK, EXCEPTION, ANGLE_UNSETTLED, WORK_NOT_FINITE) = range(TIPS + 1, TIPS + 7)
"""Results of a step besides those of ``friction.status``: a point lands where the scheme lets none land; the body reverses or
breaks loose, so that the step is split; the guard must check it; a Python exception; the angle did not converge; a work is not
finite."""


class Stages(NamedTuple):
    """Arrays of one step. At its start (row 0) and stages, (S + 1, …): ``velocity``, ``momentum_rate``, ``increment_rate`` of the
    configuration increment, ``inertia`` = M momentum_rate (n); of the sources ``force`` (m, n), ``power`` (m, 2) W supplied (NaN:
    the whole work of the force) and dissipated; ``driving`` forces (D, n) that do the supplied work; ``driven`` (m,): row of each
    source among these, −1: none.

    ``momentum`` (n) at the start; a stage's history: ``increment``, ``momentum_history``, weighted ``start_force`` (n). Energies
    ``stored`` (2, m) J, ``kinetic`` (2,) J at start and end; ``explicit`` (m,) J: work at fixed configuration. ``mixed`` (m,):
    θ schemes mix the force; ``resultant`` (m, 2): it counts in the balance, at the end and as mixed in from the start. Results:
    works ``entries`` (m + 1, 3) J, the inertia's last, and the ``balance`` (n) at the end."""

    velocity: Array
    momentum_rate: Array
    increment_rate: Array
    inertia: Array
    force: Array
    power: Array
    driving: Array
    driven: NDArray[np.int64]
    momentum: Array
    increment: Array
    momentum_history: Array
    start_force: Array
    stored: Array
    kinetic: Array
    explicit: Array
    mixed: NDArray[np.bool_]
    resultant: NDArray[np.bool_]
    entries: Array
    balance: Array


def stages_of(stages: int, unknowns: int, sources: int, *, driven: Sequence[int] = (), flat: bool = True) -> Stages:
    """Arrays of a step with ``stages`` stages; ``driven``: sources with a driving force; ``flat``: increment rate = velocity."""
    rows, n, m = stages + 1, unknowns, sources
    (velocity, momentum_rate, inertia, increment_rate), numbers = np.zeros((4, rows, n)), np.full(m, -1)
    momentum, increment, momentum_history, start_force, balance = np.zeros((5, n))
    numbers[list(driven)] = np.arange(len(driven))
    return Stages(
        velocity=velocity,
        momentum_rate=momentum_rate,
        increment_rate=velocity if flat else increment_rate,
        inertia=inertia,
        force=np.zeros((rows, m, n)),
        power=np.zeros((rows, m, 2)),
        driving=np.zeros((rows, len(driven), n)),
        driven=numbers,
        momentum=momentum,
        increment=increment,
        momentum_history=momentum_history,
        start_force=start_force,
        stored=np.zeros((2, m)),
        kinetic=np.zeros(2),
        explicit=np.zeros(m),
        mixed=np.ones(m, np.bool_),
        resultant=np.ones((m, 2), np.bool_),
        entries=np.zeros((m + 1, 3)),
        balance=balance,
    )


def write_blocks(blocks: Blocks, row: Array) -> None:
    """Write blocks into a row (n,), one after the other."""
    np.concatenate(blocks, axis=None, out=row)


def blocks_of(row: Array, like: Blocks) -> Blocks:
    """Views of rows (…, n) as blocks shaped ``like`` others."""
    parts, first = [], 0
    for block in like:
        parts.append(row[..., first : first + block.size].reshape(*row.shape[:-1], *block.shape))
        first += block.size
    return tuple(parts)


def integrated(z: Array, times: Array, rates: Sequence[Array | None]) -> Array:
    """z + Σ times_j rates_j, without absent rates: an internal state, or the integral of a density."""
    for time, rate in zip(times.tolist(), rates, strict=False):
        z = z if rate is None or time == 0.0 else z + time * rate
    return z
