"""Penalty contact of a body with an obstacle, as an effect on its points, in the plane and in space: see ``contact.contact_force``.

A law with memory has at each point a deformation z (P, 2) along the tangents, z' = rate(z, u), reset to 0 at the end of a stage
without normal force. Derivation: docs/laws-and-contact.md, normal contact force."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_force import ContactForce, point_force
from floating_frame.contact.shapes import formula_of
from floating_frame.effect.protocol import Blocks, Effect, Motion, PointForce, Points, Record
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross, hat
from friction import Limited, NormalForce
from friction.arrays import contiguous
from friction.laws.common import CAP, OWN


class PenaltyContact(Effect[Points]):
    """A ``contact`` at ``points`` of a body with quadrature ``weights`` (P,), m of its edge, m² of its face, or 1 each; or at balls
    of ``radius`` m about them, with velocities (v, Ω) and forces (F, a × F), (P, 6).

    In a stage of length ``tau`` s that ends at ``time`` s it starts from deformations z* ``start`` (P, 2) m (None: none)."""

    name = dissipates = "contact"
    may_jump = True

    def __init__(self, contact: Contact, points: Points, weights: Array, radius: float = 0.0) -> None:
        self.contact, self.points, self.weights, self.radius = contact, points, weights, radius
        self.nodal = contact.obstacle.dimension == 3
        """True for results at its points, like those of friction (in space); in the plane they are integrals."""
        self.results, self.rubs = ("penalty" if self.nodal else "contact",), self.nodal and contact.mu > 0.0
        self.time, self.start, self.tau = 0.0, self.initial(), 0.0

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> PenaltyContact:
        stage = copy(self)
        stage.time, stage.start, stage.tau = time, internal, tau
        return stage

    def now(self, x: Array, v: Array) -> ContactForce:
        """Contact force of the stage and its quantities at the points."""
        bristles = None if self.start is None else (self.start, self.tau)
        return point_force(self.contact, x, v, self.time, self.weights, bristles=bristles, radius=self.radius)

    def at(self, x: Array, v: Array) -> PointForce:
        now = self.now(x, v)
        force, by_place, by_velocity = now.force, now.by_place, now.by_velocity
        if not self.radius:
            return PointForce(force, by_place, by_velocity)
        arms, bent = hat(-self.radius * now.gap.normal), -self.radius * now.gap.curvature
        # c = v + Ω × a − v_o and the moment a × F, with da = −ρ H dx
        by_place = by_place + by_velocity @ (hat(v[:, 3:]) @ bent)
        by_motion = np.concatenate([by_velocity, -by_velocity @ arms], axis=2)
        lifted = np.concatenate([by_place, arms @ by_place - hat(force) @ bent], axis=1)
        moments = np.concatenate([by_motion, arms @ by_motion], axis=1)
        return PointForce(np.concatenate([force, -self.radius * cross(now.gap.normal, force)], axis=1), lifted, moments)

    def record(self, x: Array, v: Array, force: Blocks) -> Record:
        now = self.now(x, v)
        end, rate = self._bristles(now)
        path, power = np.where(now.normal == 0.0, 0.0, np.hypot(*now.slip.T)), (now.friction * now.slip).sum(axis=1)
        return Record(
            force=force,
            external=now.external,
            dissipated=now.dissipated,
            stored=now.stored,
            internal=end,
            internal_rate=rate,
            rates=(path, power) if self.nodal else (),
        )

    def _bristles(self, now: ContactForce) -> tuple[Array | None, Array | None]:
        """Bristles z and their rate at the end of the stage; at an instant z itself."""
        if self.start is None or not self.tau > 0.0:
            return self.start, None
        reached, touching = now.law.updated_state(self.start, now.slip, self.tau), now.normal[:, None] > 0.0
        rate = np.where(touching, (reached - self.start) / self.tau, np.nan)  # nan: released
        return np.where(touching, reached, 0.0), rate

    def contact_force_at(self, time: float, motion: Motion, internal: Array | None) -> ContactForce:
        """Contact force and its quantities at an instant."""
        x, points = motion.configuration, self.points
        return self.for_stage(time, internal, 0.0).now(points.place(x), points.velocity(x, motion.velocity))

    def forces_over(self, times: Array, motion: Motion, internal: Array | None) -> Array:
        """Contact forces (K, P, 3) N at the points of a rigid body in space at instants (K,) s, of motions and bristles (K, …)."""
        from floating_frame.effect.penalty_kernel import BRISTLES, ROWS_IN_SPACE, forces_at_instants

        x, points, moving = motion.configuration, self.points, self.contact.obstacle.motion
        place, rate, numbers = points.place(x), points.velocity(x, motion.velocity), contact_numbers(self)
        if numbers is None:
            bristles = [None] * len(times) if internal is None else internal
            each = zip(times.tolist(), bristles, place, rate, strict=True)
            return np.stack([self.for_stage(time, z, 0.0).now(*at).force for time, z, *at in each])
        K, P, _ = place.shape

        def columns(part: Array) -> Array:
            return part.swapaxes(1, 2).reshape(K, -1)

        course = moving.table(times, 3) if moving.moves else np.zeros((K, 0))
        room, densities, rest = (np.zeros((K, n * P)) for n in (ROWS_IN_SPACE - 6, 2, BRISTLES - 2))
        memory = [] if internal is None else [columns(internal), rest]
        blocks = np.concatenate([columns(place), columns(rate[..., :3]), room, course, densities, *memory], axis=1)
        forces_at_instants(numbers, blocks, P, contiguous(motion.velocity[1]))
        return blocks[:, 6 * P : 9 * P].reshape(K, 3, P).swapaxes(1, 2)

    def initial(self) -> Array | None:
        remembers = self.contact.mu > 0.0 and self.contact.law.has_internal_state
        return np.zeros((len(self.weights), 2)) if remembers else None

    def rate(self, time: float, internal: Array, x: Array, v: Array) -> Array:
        """z' (P, 2) m/s; 0 without normal force."""
        now = self.for_stage(time, internal, 0.0).now(x, v)
        return np.where(now.normal[:, None] > 0.0, now.law.internal_rate(internal, now.slip), 0.0)

    def inherited(self, internal: Array, earlier: Sequence[Record]) -> Array:
        """z*, 0 where an earlier stage of the step released it."""
        released = np.any([np.isnan(r.internal_rate) for r in earlier if r.internal_rate is not None], axis=0)
        return np.where(released, 0.0, internal)


def contact_numbers(effect: PenaltyContact) -> Array | None:
    """Constants of a contact for ``penalty_kernel``; None for a shape or law that is not compiled, or a total other than a largest
    force."""
    from floating_frame.effect.penalty_kernel import WEIGHTS
    from friction.rigid.compiled_laws import compiled_law
    from friction.rigid.kernels import BRISTLES, SMOOTH

    contact = effect.contact
    obstacle, normal, formula = contact.obstacle, contact.normal, formula_of(contact.obstacle)
    law, most = (contact.law.law, contact.law.max_force) if type(contact.law) is Limited else (contact.law, np.inf)
    rubs = compiled_law(law) if contact.mu > 0.0 else None
    friction = contact.mu == 0.0 or (rubs is not None and rubs.code in (SMOOTH, BRISTLES))
    if not (friction and type(normal) is NormalForce and formula is not None):
        return None
    kind, numbers = formula
    own_law = np.zeros(OWN) if rubs is None else rubs.numbers
    first = WEIGHTS + len(effect.weights) + np.cumsum([0, len(numbers), len(normal.numbers)])
    pivot = np.pad(np.zeros(obstacle.dimension) + np.asarray(obstacle.motion.pivot, float), (0, 3 - obstacle.dimension))
    moves, has_bristles = obstacle.motion.moves, effect.start is not None
    given = (
        obstacle.dimension,
        kind,
        contact.mu,
        obstacle.size,
        moves,
        most,
        own_law[CAP],
        effect.radius,
        has_bristles,
    )
    return np.array([*given, *first, *pivot, *effect.weights, *numbers, *normal.numbers, *own_law], np.float64)
