"""The rows on which a step works, the same for every system, and what a step says that is not taken.

Of n unknowns, m sources and S stages; arrays are written in place. Blocks of unknowns are views of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Blocks
from floating_frame.frame.kinematics import Array

SOLVED, LANDS, DRIVEN_BACK, LOOKS, RAISED, TURNS, SHIFTS, TIPPED, FINITE, SLIP = range(10)
"""Why a step is not taken: it is; a point lands in it that may not; the body is driven back through rest, so that it is to be taken
in two; the guard has to look at it; Python raised; the angle, or a pressure that reacts, does not settle; no pressure bears the
moment of friction; it is not finite; friction is not solved, and why it is not (see ``friction.rigid.kernels.MESSAGES``)."""


class Stages(NamedTuple):
    """A step in work. Of its start (row 0) and stages, (S + 1, …): ``velocity``, rates ``gained`` of momenta, ``way_rate`` of what
    leads to places, ``inertia`` = M gained (n); of the sources ``force`` (m, n) and ``power`` (m, 2) W, put in (NaN: all the work
    that the force does) and lost; forces ``driving`` (D, n) at whose velocity the work is put in that sources do who are
    ``driven`` (m,), their numbers, −1: not.

    ``momentum`` (n) at the start; what a stage inherits: ``way``, momentum that it ``came`` with, ``first``: what its balance has
    of forces at the start (n). Energies ``stored`` (2, m) J, ``kinetic`` (2,) J at start and end; ``explicit`` (m,) J: work at
    fixed configuration. ``mixed`` (m,): whether θ schemes mix a force; ``resultant`` (m, 2): whether it counts in the balance, at
    the end and as mixed in from the start. What the text of the step makes of it: works ``entries`` (m + 1, 3) J, the inertia's
    last, and the ``balance`` (n) at the end."""

    velocity: Array
    gained: Array
    way_rate: Array
    inertia: Array
    force: Array
    power: Array
    driving: Array
    driven: NDArray[np.int64]
    momentum: Array
    way: Array
    came: Array
    first: Array
    stored: Array
    kinetic: Array
    explicit: Array
    mixed: NDArray[np.bool_]
    resultant: NDArray[np.bool_]
    entries: Array
    balance: Array


def stages_of(stages: int, unknowns: int, sources: int, *, driven: Sequence[int] = (), flat: bool = True) -> Stages:
    """Return the rows of a step of so many ``stages``; ``driven``: numbers of the sources that have a driving force; ``flat``: the
    way's rate is the velocity."""
    rows, n, m = stages + 1, unknowns, sources
    velocity, numbers = np.zeros((rows, n)), np.full(m, -1)
    numbers[list(driven)] = np.arange(len(driven))
    return Stages(
        velocity=velocity,
        gained=np.zeros((rows, n)),
        way_rate=velocity if flat else np.zeros((rows, n)),
        inertia=np.zeros((rows, n)),
        force=np.zeros((rows, m, n)),
        power=np.zeros((rows, m, 2)),
        driving=np.zeros((rows, len(driven), n)),
        driven=numbers,
        momentum=np.zeros(n),
        way=np.zeros(n),
        came=np.zeros(n),
        first=np.zeros(n),
        stored=np.zeros((2, m)),
        kinetic=np.zeros(2),
        explicit=np.zeros(m),
        mixed=np.ones(m, np.bool_),
        resultant=np.ones((m, 2), np.bool_),
        entries=np.zeros((m + 1, 3)),
        balance=np.zeros(n),
    )


def put(blocks: Blocks, row: Array) -> None:
    """Write blocks one after the other into a row (n,)."""
    first = 0
    for block in blocks:
        row[first : first + block.size] = block.ravel()
        first += block.size


def blocks_of(row: Array, like: Blocks) -> Blocks:
    """Return rows (…, n) as blocks, views of them, of the shapes of others."""
    parts, first = [], 0
    for block in like:
        parts.append(row[..., first : first + block.size].reshape(*row.shape[:-1], *block.shape))
        first += block.size
    return tuple(parts)


def grown(z: Array, times: Array, rates: Sequence[Array | None]) -> Array:
    """Return z + Σ times_j rates_j, of those there are: an internal state, or a density's integral."""
    for time, rate in zip(times.tolist(), rates, strict=False):
        z = z if rate is None or time == 0.0 else z + time * rate
    return z
