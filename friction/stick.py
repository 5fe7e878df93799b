"""What a set-valued friction law can hold at rest, and how sliding begins."""

from __future__ import annotations

import numpy as np

from friction import Coulomb, Elliptic, Law
from friction.arrays import Array, Bools
from friction.laws.radial import Radial
from friction.laws.stribeck import StaticKinetic


def beyond_stick(law: Law, multiplier: Array, weights: Array) -> Bools:
    """(N,) where λ (N, 2) N, inertial, is more than stick can bear: outside the disc of radius w m_static, or the ellipse D w."""
    size, bound = against_bound(law, multiplier, weights)
    return np.asarray(size > bound * (1.0 + 1e-9))


def against_bound(law: Law, multiplier: Array, weights: Array) -> tuple[Array, Array]:
    """The size of λ (N, 2) N and what stick can bear, (N,) N each; for an ellipse both in the metric that makes it a disc."""
    held = law.shared(weights)
    if isinstance(held, Elliptic):
        return np.linalg.norm(np.linalg.solve(held.metric, multiplier.T), axis=0), weights
    assert isinstance(held, Radial)
    return np.linalg.norm(multiplier, axis=1), held.static * weights


def breakaway(law: Law, weights: Array) -> tuple[Law, Array]:
    """The law and bounds (N,) N that nodes at rest obey as they begin to slide, with accelerations for velocities.

    Where the bound does not depend on how fast a node slides that is the law itself; else what it is at no speed yet.
    """
    if not law.set_valued:
        return Coulomb(), np.zeros_like(weights)
    held = law.shared(weights)
    if isinstance(held, (Elliptic, StaticKinetic)):
        return held, weights
    assert isinstance(held, Radial)
    return Coulomb(), held.static * weights


def incoming_slip(law: Law, reference: Array, found: Array) -> Array:
    """Slip velocities (N, 2) m/s that a node counts as coming in with: ``reference``, and where that is zero, for a law whose
    static bound is the higher one, what an earlier pass of the stage ``found``: a node once released stays so."""
    held = law.shared(np.ones(1))
    if not (isinstance(held, Radial) and held.set_valued and held.static > held.kinetic):
        return reference
    return np.where(np.any(reference, axis=1)[:, None], reference, found)
