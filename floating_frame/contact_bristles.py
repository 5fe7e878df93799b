"""Memory of friction on penalty contacts: a bristle at each point of a contact, as part of the integrator's state.

A bristle's deformation Δ is a length along the obstacle's tangent t at its point, Δ' = rate(Δ, s) with the slip velocity s: it
turns with the obstacle's surface, and rests with an obstacle that carries its points along. It is advanced as positions are
(see ``memory``): a stage inherits Δ* = Δ_n + Δt Σ a_sj Δ'_j, its force is that of ``law.during(Δ*, τ)``, a function of the
stage's motion alone, and Δ at its end is read off the solved stage. Nothing is written while residuals are evaluated.

A point without normal force holds nothing: its bristle is released to Δ = 0 at the end of the stage, and a later stage of
the same step starts from 0. A point that comes into contact within a stage has its bristle bent by the whole stage's slip τ s,
an error of first order in τ at first touch, as that of the normal law's impulse is. The energy w ∫ D dΔ that bristles
store changes with the bound w as well; it is not counted apart: the work λ s of friction is dissipation, less what comes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact_force import PointForce, along_wall
from floating_frame.kinematics import Array

if TYPE_CHECKING:
    from floating_frame.state import State


class ContactBristles(NamedTuple):
    """All P points' bristles at the end of a stage, contact after contact (0 where a law does not remember): ``deformation`` Δ m,
    ``rate`` (Δ − Δ*)/τ of the stage and ``onward`` Δ' at its end, m/s, each (P,); ``touching`` (P,): f_n > 0."""

    deformation: Array
    rate: Array
    onward: Array
    touching: NDArray[np.bool_]


def bristles_of(found: PointForce, start: Array | None, tau: float) -> ContactBristles:
    """The bristles of one contact at the end of a stage of length ``tau`` s that starts with Δ* = ``start`` (Q,) m."""
    touching = found.normal > 0.0
    none = np.zeros(len(touching))
    if start is None:
        return ContactBristles(none, none, none, touching)
    slip = along_wall(found.slip)
    reached = found.law.remembered(along_wall(start), slip, tau)
    deformation = np.where(touching, reached[:, 0], 0.0)
    rate = np.where(touching, (reached[:, 0] - start) / tau, 0.0) if tau > 0.0 else none
    onward = np.where(touching, found.law.memory_rate(along_wall(deformation), slip)[:, 0], 0.0)
    return ContactBristles(deformation, rate, onward, touching)


def joined(parts: Sequence[ContactBristles]) -> ContactBristles:
    """Those of several contacts, one after the other."""
    return ContactBristles(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def inherited_bristles(state: State, stages: Sequence[Any], dt: float, row: Array) -> Array | None:
    """Δ* (P,) m of the stage whose position coefficients are ``row`` (S + 1,), after the ``stages`` so far; None where no
    contact remembers."""
    start = state.contact.bristles
    if start is None:
        return None
    deformation = start.deformation + dt * row[0] * start.onward
    opened = np.zeros(len(deformation), dtype=np.bool_)
    for weight, earlier in zip(row[1:], stages, strict=False):
        deformation = deformation + dt * weight * earlier.contact.bristles.rate
        opened |= ~earlier.contact.bristles.touching
    return np.where(opened, 0.0, deformation)
