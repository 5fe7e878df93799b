"""Bounds of set-valued friction laws at rest and at the onset of sliding.

``multiplier`` is λ (N, 2), N, in the law's axes, ``bound`` w (N,), N.
"""

from __future__ import annotations

import numpy as np

from friction.arrays import Array, Bools, nonzero_rows
from friction.laws.profiles import Coulomb
from friction.laws.protocol import Law

COULOMB = Coulomb()
MAX_STICK_ROUNDS = 20
"""Most rounds in which points of a body that comes to rest are set to stick or released again, each at most once."""


def is_coulomb(law: Law) -> bool:
    """True for Coulomb's law with the bound w: a disc independent of the speed and of totals."""
    if law == COULOMB:  # the usual case, ten times faster
        return True
    return rate_independent(law) and law.metric is None and law.radial.static == 1.0


def rate_independent(law: Law) -> bool:
    """True where slip has the bound of stick at any speed; totals have to be shared first."""
    return law.rate_independent and not law.has_total


def has_constant_bounds(law: Law) -> bool:
    """True where stick and slip have one bound each, isotropic and independent of totals."""
    return not law.has_total and law.set_valued and law.metric is None and law.radial.constant


def has_breakaway_drop(law: Law) -> bool:
    """True where the static bound is larger than the kinetic one."""
    return law.set_valued and law.radial.static > law.radial.kinetic


def exceeds_stick(law: Law, multiplier: Array, bound: Array) -> Bools:
    """Mask (N,) of λ beyond the bound of stick: outside the disc of radius w m_static, or the ellipse."""
    size, limit = stick_load_and_bound(law, multiplier, bound)
    return np.asarray(size > limit * (1.0 + 1e-9))


def stick_load_and_bound(law: Law, multiplier: Array, bound: Array) -> tuple[Array, Array]:
    """Tangential load ``|y|`` of λ = Dᵀ y and its bound in stick, (N,), N each."""
    own = law.with_total_load(bound)
    y = multiplier if own.metric is None else np.linalg.solve(own.metric, multiplier.T).T
    return np.linalg.norm(y, axis=1), own.radial.static * bound


def breakaway(law: Law, bound: Array) -> tuple[Law, Array]:
    """Law and bounds (N,), N, of nodes at rest that begin to slide, with accelerations for velocities.

    Coulomb's law with the bound of stick; the law itself where it has a metric, or a smaller bound once a node slides.
    """
    if not law.set_valued:
        return Coulomb(), np.zeros_like(bound)
    own = law.with_total_load(bound)
    if own.metric is None and not has_breakaway_drop(own):
        return Coulomb(), own.radial.static * bound
    return own, bound


def incoming_slip(law: Law, reference: Array, latest: Array) -> Array:
    """Incoming slip velocities (N, 2), m/s: ``reference``. Where that is zero, under a law whose bound drops at breakaway,
    ``latest`` of an earlier pass of the stage: a node once released stays released."""
    if law == COULOMB or not has_breakaway_drop(law.with_total_load(np.ones(1))):
        return reference
    return np.where(nonzero_rows(reference)[:, None], reference, latest)


def slip_reverses(start: Array, end: Array) -> bool:
    """True where all points slide at the start and rest or slide back at the end, velocities (N, 2), m/s."""
    slides = len(start) > 0 and bool(nonzero_rows(start).all())
    return slides and bool(np.einsum("ia,ia->i", start, end).max() <= 0.0)
