"""Friction on the foundation, with the bristles of a law with memory and their energy.

A law with memory has a deformation Δ (N, 2) m of bristles, Δ' = rate(Δ, v), v the slip velocity, inertial (the ground may move, but
does not turn). Within a stage from Δ*_s of length τ ``law.for_stage(Δ*_s, τ)`` gives the force, a function of the stage's slip
alone, and Δ_s follows from the solution. Bristles store ψ_i(Δ_i; w_i) J, and at fixed w

    d_s = λ_s·v_s − (ψ(Δ_s) − ψ(Δ*_s))/τ_s >= 0

is the dissipation of friction. With the pressure, w and ψ at fixed Δ change in time: work of the normal load,

    W_b = Σ_i {ψ(Δ_0; w_0⁺) − ψ(Δ_0; w_0⁻)} + ½ Σ_i {ψ(Δ_0; w_1) − ψ(Δ_0; w_0⁺) + ψ(Δ_1; w_1) − ψ(Δ_1; w_0⁺)}

(a jump at the step's start exactly, the change within by the trapezoidal rule). The ground's power through the friction force is
external work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, FrictionProblem, Inclusion, Instant, Record, pair
from floating_frame.frame.kernels import friction_power
from floating_frame.frame.kinematics import Array
from floating_frame.loads.histories import Breaks
from friction import Coulomb, Foundation, Law
from friction.arrays import contiguous
from friction.redistribution import redistribution

GROUND_DIFFERENCE = 1e-5
"""Step, s, of the difference for the ground's acceleration: error 1e-10 v_g'''/3, rounding 1e-11 v_g."""


class FoundationFriction(Inclusion):
    """Friction on a foundation, or on none.

    ``foundation``: law, bounds and motion of the ground; ``points`` X (N, 2), m, with ``areas`` (N,), m²; ``breaks``: times at
    which bounds and ground have two limits; ``restrict``: bounds of all friction points (N,) -> bounds of the system's unknowns
    (n,), after totals are shared (default: all points are unknowns). Raises ValueError for bounds or a velocity that are not
    finite.
    """

    name = dissipates = "friction"

    def __init__(
        self,
        foundation: Foundation | None,
        points: Array,
        areas: Array,
        breaks: Breaks,
        *,
        restrict: Callable[[Array], Array] = np.asarray,
    ) -> None:
        self.foundation, self._breaks, self._restrict = foundation, breaks, restrict
        self._factor: Array | None = None
        self._points, self._areas = points, areas
        self.law: Law = Coulomb() if foundation is None else foundation.law
        reaction = None if foundation is None else foundation.reaction
        self.reacts, self.height = reaction is not None, 0.0 if reaction is None else reaction.height
        self.results = (("memory",) if self.law.has_internal_state else ()) + (("reaction",) if self.reacts else ())
        self.constant = foundation is None or foundation.constant
        self.still = foundation is None or not callable(foundation.ground_velocity)
        self._bound, self._load = self.bound_at(points, areas, 0.0), self._load_at(0.0)
        self._velocity = self._velocity_at(0.0)

    def bound_at(self, points: Array, areas: Array, time: float, *, left: bool = True) -> Array:
        """Bounds w = ∫ μ p_n φ dA (N,), N, of any ``points`` X (N, 2), m, with ``areas`` (N,), m²."""
        if self.foundation is None:
            return np.zeros(len(points))
        at = self._breaks.one_sided_time(time, left=left and time > 0.0)
        return self.foundation.bound(points, areas, at)

    def bound(self, time: float, *, left: bool = True) -> Array:
        return self._bound if self.constant else self.bound_at(self._points, self._areas, time, left=left)

    def _velocity_at(self, time: float) -> Array:
        return np.zeros(2) if self.foundation is None else self.foundation.velocity(time)

    def ground(self, time: float, *, left: bool = True) -> Array:
        if self.still:
            return self._velocity
        return self._velocity_at(self._breaks.one_sided_time(time, left=left and time > 0.0))

    def ground_acceleration(self, time: float, *, left: bool = True) -> Array:
        """v_g' (2,), m/s², by a one-sided difference: the acceleration of sticking points, for output only."""
        if self.still:
            return np.zeros(2)
        h = GROUND_DIFFERENCE if not left or time < 2.0 * GROUND_DIFFERENCE else -GROUND_DIFFERENCE
        at = self._breaks.one_sided_time(time, left=h < 0.0)
        values = [self._velocity_at(at), self._velocity_at(at + h), self._velocity_at(at + 2.0 * h)]
        return (4.0 * values[1] - 3.0 * values[0] - values[2]) / (2.0 * h)

    def _redistribution(self, time: float, arms: Array, multiplier: Array) -> Array:
        if not self.reacts:
            return np.ones(len(arms))
        return redistribution(self.load(time), arms, self.height * multiplier.sum(axis=0))

    def reaction_series(self, time: float, arms: Array, multiplier: Array) -> dict[str, Array | float]:
        if self.foundation is None or not self.reacts:
            return {}
        return {"normal_force": self.load(time) * self._redistribution(time, arms, multiplier)}

    def load(self, time: float) -> Array:
        return self._load if self.constant else self._load_at(time)

    def _load_at(self, time: float) -> Array:
        if self.foundation is None:
            return np.zeros(len(self._points))
        return self.foundation.load(self._points, self._areas, self._breaks.one_sided_time(time, left=time > 0.0))

    def redistributed(self, time: float, arms: Array, multiplier: Array) -> FoundationFriction:
        """Friction under the pressure redistributed by λ (N, 2), N, or by their sum (1, 2). Raises Tips."""
        friction = copy(self)
        friction._factor = self._redistribution(time, arms, multiplier)
        return friction

    def initial(self) -> Array | None:
        return np.zeros_like(self._points) if self.law.has_internal_state else None

    def rate(self, time: float, internal: Array, slip: Array) -> Array:
        return self.law.internal_rate(internal, slip)

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> FrictionProblem:
        bound = self.bound(time, left=left)
        bound = bound if self._factor is None else bound * self._factor
        shared = self.law.with_total_load(bound)
        law = shared if internal is None else shared.for_stage(internal, tau)
        return FrictionProblem(law, shared, self._restrict(bound), self.ground(time, left=left))

    def record(
        self, problem: FrictionProblem, internal: Array | None, tau: float, friction: Friction, ground: Blocks
    ) -> Record:
        power, speed = np.empty((2, len(friction.slip)))
        dissipated = friction_power(contiguous(friction.multiplier), contiguous(friction.slip), power, speed)
        end, rate, stored = None, None, 0.0
        if internal is not None:
            law, bound = problem.shared, problem.bound
            end = law.updated_state(internal, friction.slip, tau) if tau > 0.0 else internal
            energy = law.stored(end, bound)
            stored = float(energy.sum())
            if tau > 0.0:
                power, rate = power - (energy - law.stored(internal, bound)) / tau, (end - internal) / tau
            else:
                pull = problem.law.force(np.zeros_like(friction.slip), bound)
                power = power - np.einsum("ia,ia->i", pull, law.internal_rate(internal, friction.slip))
            dissipated = float(power.sum())
        return Record(
            force=friction.force,
            external=pair(friction.force, ground) if problem.ground.any() else 0.0,
            dissipated=dissipated,
            stored=stored,
            internal=end,
            internal_rate=rate,
            rates=(speed, power),
            mixed=False,
        )

    def explicit_work(self, before: Instant, after: Instant) -> float:
        bent, last = before.record.internal, after.record.internal
        if bent is None or last is None or self.constant:
            return 0.0
        start, jumped, end = self.bound(before.time), self.bound(before.time, left=False), self.bound(after.time)
        at_start, at_jump, grown = (self._energy(w, bent) for w in (start, jumped, end))
        back, final = (self._energy(w, last) for w in (jumped, end))
        return at_jump - at_start + 0.5 * (grown - at_jump + final - back)

    def _energy(self, bound: Array, internal: Array) -> float:
        return float(self.law.with_total_load(bound).stored(internal, bound).sum())

    def outputs(self, record: Record) -> Mapping[str, Array | float]:
        if record.internal is None:
            return {}
        return {"bristle_deformation": record.internal, "energy_bristles": record.stored}
