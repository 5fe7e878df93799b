"""Friction on the foundation, with the bristles of a law that remembers and the energy that they hold.

A law with memory has a deformation Δ (N, 2) m of bristles, Δ' = rate(Δ, v), v the slip velocity, inertial (the ground may move,
but does not turn). Within a stage from Δ*_s of length τ the force is that of ``law.for_stage(Δ*_s, τ)``, a function of the stage's
slip alone, and Δ_s is read off the solved stage. Bristles hold ψ_i(Δ_i; w_i) J, and at fixed w

    d_s = λ_s·v_s − (ψ(Δ_s) − ψ(Δ*_s))/τ_s >= 0

is what friction dissipates. Where the pressure changes in time w does, and ψ at fixed Δ with it: work of what presses the body
down,

    W_b = Σ_i {ψ(Δ_0; w_0⁺) − ψ(Δ_0; w_0⁻)} + ½ Σ_i {ψ(Δ_0; w_1) − ψ(Δ_0; w_0⁺) + ψ(Δ_1; w_1) − ψ(Δ_1; w_0⁺)}

(a jump at the step's start exactly, the change within by the trapezoidal rule). The ground's power through the friction force is
external work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, FrictionProblem, Instant, Record, pair
from floating_frame.frame.kinematics import Array
from friction import Law


class Ground(Protocol):
    """Bounds and motion of the foundation in time; at a break the limit on one side."""

    def friction_weights(self, time: float, *, left: bool = True) -> Array:
        """Return the bounds w (N,) N of all friction points."""
        ...

    def ground_velocity(self, time: float, *, left: bool = True) -> Array:
        """Return v_g (2,) m/s, inertial."""
        ...

    def ground_acceleration(self, time: float, *, left: bool = True) -> Array:
        """Return v_g' (2,) m/s²."""
        ...


def as_it_is(bound: Array) -> Array:
    """Return the bounds themselves: every friction point is an unknown of the system."""
    return bound


class FoundationFriction:
    """Friction of a ``law`` on ``ground``; ``restrict``: bounds of all friction points (N,) -> those of the system's unknowns
    (n,), after totals have been shared by all of them."""

    name = dissipates = "friction"

    def in_resultant(self, *, own: bool) -> bool:
        """Return True."""
        return True

    def __init__(
        self, law: Law, ground: Ground, rows: int, *, constant: bool, restrict: Callable[[Array], Array] = as_it_is
    ) -> None:
        self.law, self._ground, self._rows, self._restrict = law, ground, rows, restrict
        self._constant = constant

    def initial(self) -> Array | None:
        """Return undeformed bristles (n, 2)."""
        return np.zeros((self._rows, 2)) if self.law.has_internal_state else None

    def ground(self, time: float, *, left: bool = True) -> Array:
        """Return v_g (2,) m/s."""
        return self._ground.ground_velocity(time, left=left)

    def ground_acceleration(self, time: float, *, left: bool = True) -> Array:
        """Return v_g' (2,) m/s²."""
        return self._ground.ground_acceleration(time, left=left)

    def bound(self, time: float, *, left: bool = True) -> Array:
        """Return w (n,) N of the system's unknowns."""
        return self._restrict(self._ground.friction_weights(time, left=left))

    def rate(self, time: float, internal: Array, slip: Array) -> Array:
        """Return Δ' (n, 2) m/s."""
        return self.law.internal_rate(internal, slip)

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> FrictionProblem:
        """Return the stage's law, bounds and ground velocity."""
        bound = self._ground.friction_weights(time, left=left)
        shared = self.law.with_total_load(bound)
        law = shared if internal is None else shared.for_stage(internal, tau)
        return FrictionProblem(law, shared, self._restrict(bound), self._ground.ground_velocity(time, left=left))

    def record(
        self, problem: FrictionProblem, internal: Array | None, tau: float, found: Friction, ground: Blocks
    ) -> Record:
        """Return the record of a solved stage (τ > 0) or of an instant."""
        power = np.einsum("ia,ia->i", found.multiplier, found.slip)
        end, rate, stored = None, None, 0.0
        if internal is not None:
            law, bound = problem.shared, problem.bound
            end = law.updated_state(internal, found.slip, tau) if tau > 0.0 else internal
            energy = law.stored(end, bound)
            stored = float(energy.sum())
            if tau > 0.0:
                power, rate = power - (energy - law.stored(internal, bound)) / tau, (end - internal) / tau
            else:
                power = problem.law.dissipation(found.slip, bound)
        return Record(
            force=found.force,
            external=pair(found.force, ground) if np.any(problem.ground) else 0.0,
            dissipated=float(power.sum()),
            stored=stored,
            internal=end,
            internal_rate=rate,
            rates=(np.hypot(found.slip[:, 0], found.slip[:, 1]), power),
            mixed=False,
        )

    def explicit_work(self, before: Instant, after: Instant) -> float:
        """Return W_b J."""
        bent, last = before.record.internal, after.record.internal
        if bent is None or last is None or self._constant:
            return 0.0
        start, jumped, end = (
            self.bound(before.time),
            self.bound(before.time, left=False),
            self.bound(after.time),
        )
        at_start, at_jump, grown = (self._energy(w, bent) for w in (start, jumped, end))
        back, final = (self._energy(w, last) for w in (jumped, end))
        return at_jump - at_start + 0.5 * (grown - at_jump + final - back)

    def _energy(self, bound: Array, internal: Array) -> float:
        return float(self.law.with_total_load(bound).stored(internal, bound).sum())

    def outputs(self, record: Record) -> Mapping[str, Array | float]:
        """Return the bristles and what they hold."""
        if record.internal is None:
            return {}
        return {"bristle_deformation": record.internal, "energy_bristles": record.stored}
