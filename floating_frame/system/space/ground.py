"""The rough ground z = 0 under a body in space, as an inclusion: normal force and friction are unknowns of the stage.

The multiplier of a point is minus the contact force on the body, (m, 3) N along (x, y, z), so that it dissipates λ·u: sliding
μ p_n |u_t|, and the landing of a point p_n |u_n|, the loss of an impact without restitution."""

from __future__ import annotations

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, FrictionProblem, Inclusion, Record
from floating_frame.frame.kinematics import Array
from friction import Coulomb, Law

TOUCHING = 1e-9
"""Gap, m, up to which a point touches."""


class GroundContact(Inclusion):
    """Signorini's law under ``count`` points; ``friction`` μ, of which ``law`` has shares in slip and at rest."""

    name = dissipates = "friction"

    def __init__(self, friction: float, count: int, law: Law | None = None) -> None:
        self.law: Law = law or Coulomb()
        self.coefficient = np.full(count, float(friction) * self.law.radial.kinetic)
        self.static = np.full(count, float(friction) * self.law.radial.static)

    def at_rest(self, slip: Array) -> Array:
        """Return the coefficients (m,) of points with ``slip`` (m, >= 2): static ones where it is 0 along the ground."""
        return np.where(np.any(slip[:, :2], axis=1), self.coefficient, self.static)

    def bound_at(self, points: Array, areas: Array, time: float, *, left: bool = True) -> Array:
        return np.zeros(len(points))

    def bound(self, time: float, *, left: bool = True) -> Array:
        return np.zeros(len(self.coefficient))

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> FrictionProblem:
        return FrictionProblem(self.law, self.law, self.coefficient, np.zeros(2))

    def record(
        self, problem: FrictionProblem, internal: Array | None, tau: float, friction: Friction, ground: Blocks
    ) -> Record:
        power = np.einsum("ia,ia->i", friction.multiplier, friction.slip)
        path = np.hypot(friction.slip[:, 0], friction.slip[:, 1])
        presses = friction.multiplier[:, 2] < 0.0
        return Record(
            force=friction.force,
            dissipated=float(power.sum()),
            rates=(np.where(presses, path, 0.0), power),
            mixed=False,
            multiplier=friction.multiplier,
        )
