"""What set-valued friction laws can hold at rest, how sliding begins, and which kind of bound they have.

``multiplier`` is λ (N, 2), N, in the law's axes, ``bound`` w (N,), N.
"""

from __future__ import annotations

import numpy as np

from friction.arrays import Array, Bools, moving
from friction.laws.profiles import Coulomb
from friction.laws.protocol import Law

COULOMB = Coulomb()
MAX_STICK_ROUNDS = 20
"""Rounds in which points of a body that comes to rest are held against sliding back or let go again, each at most once."""


def is_coulomb(law: Law) -> bool:
    """Say whether the law is Coulomb's with the bound w itself: a disc that neither the speed nor a total changes."""
    if law == COULOMB:  # most are, and it costs a tenth
        return True
    return rate_independent(law) and law.metric is None and law.radial.static == 1.0


def rate_independent(law: Law) -> bool:
    """Say whether stick has a bound that slip keeps, whatever its speed; totals have to be shared first."""
    return law.rate_independent and not law.has_total


def has_constant_bounds(law: Law) -> bool:
    """Say whether stick and slip have one bound each, the same in all directions, that no total changes."""
    return not law.has_total and law.set_valued and law.metric is None and law.radial.constant


def has_breakaway_drop(law: Law) -> bool:
    """Say whether the bound falls the moment a node begins to slide: the static one is larger than the kinetic one."""
    return law.set_valued and law.radial.static > law.radial.kinetic


def exceeds_stick(law: Law, multiplier: Array, bound: Array) -> Bools:
    """Say where (N,) λ is more than stick can bear: outside the disc of radius w m_static, or the ellipse."""
    size, limit = stick_load_and_bound(law, multiplier, bound)
    return np.asarray(size > limit * (1.0 + 1e-9))


def stick_load_and_bound(law: Law, multiplier: Array, bound: Array) -> tuple[Array, Array]:
    """Return ``|y|`` of λ = Dᵀ y and what stick can bear of it, (N,), N each."""
    own = law.with_total_load(bound)
    y = multiplier if own.metric is None else np.linalg.solve(own.metric, multiplier.T).T
    return np.linalg.norm(y, axis=1), own.radial.static * bound


def breakaway(law: Law, bound: Array) -> tuple[Law, Array]:
    """Return the law and bounds (N,), N, that nodes at rest obey as they begin to slide, with accelerations for velocities.

    Coulomb's law with the bound of stick; the law itself where it has a metric, or a smaller bound once a node slides.
    """
    if not law.set_valued:
        return Coulomb(), np.zeros_like(bound)
    own = law.with_total_load(bound)
    if own.metric is None and not has_breakaway_drop(own):
        return Coulomb(), own.radial.static * bound
    return own, bound


def incoming_slip(law: Law, reference: Array, latest: Array) -> Array:
    """Return the slip velocities (N, 2), m/s, that nodes count as coming in with: ``reference``, or where that is zero, under a
    law whose bound drops at breakaway, those of an earlier pass of the stage, ``latest``: a node once released stays so."""
    if law == COULOMB or not has_breakaway_drop(law.with_total_load(np.ones(1))):
        return reference
    return np.where(moving(reference)[:, None], reference, latest)


def slip_reverses(start: Array, end: Array) -> bool:
    """Return whether all points slide at the start and rest or slide back at the end, velocities (N, 2) m/s."""
    ways = np.einsum("ia,ia->i", start, end)
    return len(ways) > 0 and bool(ways.max() <= 0.0 and moving(start).all())
