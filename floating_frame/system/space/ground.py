"""Rough obstacles of a body in space, as an inclusion: normal force and friction are unknowns of the stage. The multiplier of a
point is minus the contact force on the body, (m, 3) N along (t1, t2, n), on the ground (x, y, z); it dissipates λ·u: sliding μ p_n
|u_t|. A landing point has an impact without restitution instead (``IMPACTS``)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact import Contact
from floating_frame.contact.motion import AT_REST
from floating_frame.effect.protocol import (
    Blocks,
    Friction,
    FrictionProblem,
    Impact,
    Inclusion,
    Mask,
    OwnSource,
    Record,
    axpy,
)
from floating_frame.frame.kinematics import Array
from friction import Coulomb, Law
from friction.arrays import nonzero_rows, row_norms
from friction.cone import ConeError, solve_cone
from friction.status import OPEN, SLIP

TOUCHING = 1e-9
"""Gap, m, up to which a point touches."""
APPROACHES = 1e-9
"""Speed over the body's above which a touching point approaches the ground."""
LIGHT = 1e-6
"""Normal force over the largest one up to which an opening point was not loaded."""
TURNS = 0.95
"""Cosine of the largest turn of slip within a step, 18°."""
INSTANT, FAST = 1e-6, 100.0
MAX_PROJECTIONS = 20
STICK_SERIES = np.array([-1, 1, 0, 0, 1, 2], np.int8)
"""Values of the series ``stick`` by the states of ``friction.status``."""


def instant_of(speed: float) -> float:
    """Time ε, s, by which accelerations enter velocities, v + ε a, at an instant; longer in proportion to the ``speed`` above
    ``FAST``, m/s, so that rounding of velocities over it is small against accelerations."""
    return INSTANT * max(1.0, speed / FAST)


IMPACTS = OwnSource("impacts", dissipates="impact", results=("landings",))
"""Impacts of points that land, without restitution."""


def impact_record(none: Blocks, landed: Impact | None = None) -> Record:
    """Record of the impact of ``landed`` points, if any; ``none``: zero generalised force."""
    if landed is None:
        return Record(none, mixed=False)
    return Record(landed.force, external=landed.driven, dissipated=landed.lost, mixed=False)


class GroundContact(Inclusion):
    """Signorini's law for ``count`` points with each of the ``contacts``, one after the other; coefficients of friction
    ``coefficient`` (m,) in slip and ``static`` (m,) at rest."""

    name = dissipates = "friction"
    pressure: Array | float = 0.0
    """Normal forces (m,), N, of a flat base in the last pressure iteration; 0 otherwise."""

    def __init__(self, contacts: Sequence[Contact], count: int) -> None:
        self.law: Law = next((contact.law for contact in contacts), Coulomb())
        motions = [contact.obstacle.motion for contact in contacts]
        moving = [motion for motion in motions if motion.moves]
        self._carrying = moving[0] if moving else AT_REST
        alike = all(motion is self._carrying for motion in motions)
        self.translates = not moving or (alike and not self._carrying.turning.any())
        shares = np.array([[c.mu * c.law.radial.kinetic, c.mu * c.law.radial.static] for c in contacts]).reshape(-1, 2)
        self.coefficient, self.static = np.repeat(shares, count, axis=0).T

    def at_rest(self, slip: Array) -> Array:
        """Coefficients (m,) of points with ``slip`` (m, >= 2): static ones where it is 0 along the ground."""
        return np.asarray(np.where(nonzero_rows(slip[:, :2]), self.coefficient, self.static))

    def bound_at(self, points: Array, areas: Array, time: float, *, left: bool = True) -> Array:
        return np.zeros(len(points))

    def bound(self, time: float, *, left: bool = True) -> Array:
        return np.asarray(self.coefficient * self.pressure)

    def redistributed(self, time: float, arms: Array, multiplier: Array) -> GroundContact:
        """Friction under the pressure in the multiplier."""
        ground = copy(self)
        ground.pressure = np.maximum(-multiplier[:, 2], 0.0)
        return ground

    def ground(self, time: float, *, left: bool = True) -> Array:
        """Velocity (3,) m/s of the obstacles, if common to all."""
        return self._carrying.pivot_velocity(time) if self.translates else np.zeros(3)

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> FrictionProblem:
        """Law and ground, with bounds 0, N, before the normal forces are known."""
        return FrictionProblem(self.law, self.law, self.bound(time), self.ground(time))

    def sliding(self, problem: FrictionProblem, slip: Array, multiplier: Array) -> Array:
        bound = self.coefficient * np.maximum(-multiplier[:, 2], 0.0)
        return np.asarray(slip * (bound / np.hypot(slip[:, 0], slip[:, 1]))[:, None])

    def reversing(self, friction: Friction, reference: Array) -> Mask:
        """Mask of loaded points with slip against the incoming slip ``reference`` (m, 3)."""
        back = np.einsum("ia,ia->i", friction.slip[:, :2], reference[:, :2]) < 0.0
        return np.asarray(back & (friction.multiplier[:, 2] < 0.0))

    def beyond_bound(self, problem: FrictionProblem, mean: Array, fixed: Mask) -> Mask:
        """Mask of ``fixed`` points beyond the bound of stick under the mean normal force, or under tension."""
        bound = self.static * np.maximum(-mean[:, 2], 0.0)
        return np.asarray(fixed & (np.hypot(mean[:, 0], mean[:, 1]) > bound))

    def record(
        self, problem: FrictionProblem, internal: Array | None, tau: float, friction: Friction, ground: Blocks
    ) -> Record:
        power, force, driven = (
            np.einsum("ia,ia->i", friction.multiplier, friction.slip),
            friction.force,
            friction.driven,
        )
        if friction.impact is not None:
            force, driven = axpy(force, -1.0, friction.impact.force), driven - friction.impact.driven
            power[friction.impact.points] = 0.0
        path = row_norms(friction.slip[:, :2])
        presses = friction.multiplier[:, 2] < 0.0
        return Record(
            force=force,
            external=driven,
            dissipated=float(power.sum()),
            rates=(np.where(presses, path, 0.0), power),
            mixed=False,
            multiplier=friction.multiplier,
        )


def pressed_at(response: Array, rates: Array, slip: Array, mu: Array, size: float) -> tuple[Array, NDArray[np.int8]]:
    """Forces (m, 3) N and states (m,) of points that touch, with accelerations ``rates`` (m, 3) + W p, m/s².

    Sliding points, ``slip`` (m, 2) m/s, have friction μ p_n against their slip; for others rates replace velocities. Where no such
    forces exist (Painlevé), forces are 0 and states belong to the impulse. ``size``: of forces, N."""
    speed = np.hypot(slip[:, 0], slip[:, 1])
    slides = speed > 0.0
    along = np.where(slides, mu, 0.0)[:, None] * slip / np.where(slides, speed, 1.0)[:, None]
    pairs = response.reshape(-1, len(slip), 3).copy()
    pairs[:, :, 2] -= np.einsum("imk,mk->im", pairs[:, :, :2], along)
    none = np.zeros_like(rates)
    try:
        solved = solve_cone(pairs.reshape(response.shape), rates, np.where(slides, 0.0, mu), none, size)
        force = solved.force.copy()
        force[slides, :2] = -along[slides] * force[slides, 2:]
    except ConeError:
        step = instant_of(float(speed.max()))
        free = np.column_stack([slip, np.zeros(len(slip))]) + step * rates
        solved, force = solve_cone(step * response, free, mu, none, size), none
    return force, np.where(slides & (solved.status != OPEN), SLIP, solved.status)
