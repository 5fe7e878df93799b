"""Exact contact in a stage: Signorini's condition with Coulomb friction and Newton's restitution as bounds on velocities.

Derived in docs/theory.md, section 8. A step from (x_n, v_n) ends at x = x* + θ Δt v, x* = x_n + (1 − θ) Δt v_n; contact is imposed
where the next one starts, x̂ = x* + Δt v, u = v − v_o in the axes n = ∇g and t = J n:

    g(x̂) >= min(0, g(x*))   ⟂   p_n >= 0,      |p_t| <= μ p_n, p_t = −μ p_n sgn(u_t) where u_t ≠ 0,
    u_n >= b = n·(v_k − v_o) − (g(x̂_k) − min(0, g(x*)))/Δt       with g linear in v between two passes.

x̂ is kept at a ``lift`` l >= 0 above the bound, so that x does not dip into a curved obstacle. Where p_n > 0 and u_n⁻ < 0, b is
raised to −e u_n⁻, e lowered until no energy is created. A point has the kinetic coefficient once it slides. The work of an impulse
Δt f is Δt f·(v_n + v)/2 (Thomson & Tait); the part without the obstacle's work is ``lost``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.axes import to_axes
from floating_frame.contact.signorini import ExactContacts
from floating_frame.frame.kinematics import Array
from friction.normal.unilateral import UnilateralResult, solve_unilateral_response
from friction.status import SLIP

GAP_TOLERANCE, CLOSED_GAP = 1e-11, 1e-10
"""Tolerance of gaps, and of bounds times the step, and largest gap of a closed contact, over the size of the body."""

MIN_LIFT = 2e-11
"""Least lift, over the size of the body: a lift within rounding would share forces at random."""

_MAX_RESTITUTION_SEARCHES, _BISECTIONS, _ENERGY_TOLERANCE = 2, 20, 1e-9
"""Most searches of a stage for the passive restitution, bisections of each, and the tolerance of created energy, relative."""


class StageContacts:
    """Contacts of one stage during its iterations: positions, bounds and forces.

    ``force`` p (m, 2), N: initial guess; ``places`` x* and x_n (m, 2), m; ``velocity`` v_n (m, 2), m/s; ``lengths`` θ Δt
    and Δt, s; ``time``, s, of x; ``weight`` of the velocity at the end in the body's work. ``candidates`` (m,): points that may
    touch, a set that never shrinks.
    """

    def __init__(
        self,
        contacts: ExactContacts,
        force: Array | None,
        *,
        places: tuple[Array, Array],
        velocity: Array,
        lengths: tuple[float, float],
        time: float,
        weight: float = 0.5,
    ) -> None:
        (start, origin), (tau_x, tau) = places, lengths
        incoming, ahead = velocity, time + tau - tau_x
        self.contacts, self._tau, self._time = contacts, tau, ahead
        self._extent = float(np.abs(start).max() + np.ptp(start, axis=0).max() + tau * np.abs(incoming).max())
        self._at_start = contacts.gap(start, ahead - tau).gap
        # A node that sticks to the foundation touches at a gap of rounding: otherwise it would have to move, or to slip.
        self._floor = np.where(self._at_start <= CLOSED_GAP * self._extent, self._at_start, 0.0)
        self._theta, self._end_time = tau_x / tau, time
        at_origin = contacts.gap(origin, time - tau).gap if self._theta < 1.0 else self._at_start
        self._end_floor, self._lift = np.minimum(at_origin, 0.0), np.zeros(len(start))
        self._incoming = incoming
        self.force = np.zeros_like(start) if force is None else force.copy()
        self._active = np.ones(len(start), np.bool_) if contacts.active is None else contacts.active
        self.force[~self._active] = 0.0
        self.candidates = self.force[:, 0] > 0.0
        self.rebounds = np.zeros(len(start), dtype=np.bool_)
        self._slides: NDArray[np.bool_] | None = None
        self._resolution = 8.0 * float(np.finfo(float).eps) * self._extent / tau
        self._reach, self._weight = np.zeros(len(start)), weight
        self._factor, self._searches = 1.0, 0
        self.axes, self.obstacle = np.zeros((len(start), 2, 2)), np.zeros_like(start)

    def linearise(
        self,
        ahead: Array,
        velocity: Array,
        at_end: Array,
        incoming: Array | None = None,
        inactive: NDArray[np.bool_] | None = None,
    ) -> bool:
        """Update gaps, normals and bounds at x̂ = ``ahead`` (m, 2), m; return True where they have converged.

        ``velocity`` (m, 2), m/s, leads to x̂, and x is ``at_end`` (m, 2), m. Points that are ``inactive`` (m,) are left out.

        ``incoming`` (m, 2): v_n at the present contact points of a body that has turned. With it a rebound without friction loses
        exactly (1 − e²)/2 of its normal energy.
        """
        self._incoming = self._incoming if incoming is None else incoming
        contacts, before, tau = self.contacts, self._least_velocities(), self._tau
        gap = contacts.gap(ahead, self._time)
        tolerance = np.where(self.candidates, CLOSED_GAP, GAP_TOLERANCE) * self._extent
        too_deep = gap.gap < self._floor + self._lift - tolerance
        too_deep &= self._active if inactive is None else self._active & ~inactive
        self.candidates = self.candidates | too_deep
        turned_by = float(np.abs(gap.normal - self.axes[:, 0])[self.candidates].max(initial=0.0))
        self.axes, self.obstacle = gap.axes, contacts.velocity(ahead, self._time)
        if self._slides is None:
            self._slides = np.abs(self._approach()[:, 1]) * tau > CLOSED_GAP * self._extent
        if self._theta < 1.0:
            self._lift = np.where(self.candidates, self._lifted(gap.gap, at_end, velocity), 0.0)
        missing = gap.gap - self._floor - self._lift
        self._reach = to_axes(self.axes, velocity - self.obstacle)[:, 0] - missing / tau
        least_velocity = self._least_velocities()
        # Where a contact is open its bound may change without moving anything.
        closed = self.candidates & (self.force[:, 0] > 0.0)
        shift = tau * float(np.abs(least_velocity - before)[closed].max(initial=0.0))
        return not too_deep.any() and shift <= GAP_TOLERANCE * self._extent and turned_by <= GAP_TOLERANCE

    def _lifted(self, ahead: Array, at_end: Array, velocity: Array) -> Array:
        """Lift l (m,), m, for gaps ``ahead`` (m,) at x̂.

        The depth of the chord, which keeps x on the obstacle in the long run, and at least the lift that closes the gap in this
        step (alone it would alternate).
        """
        gap = self.contacts.gap(at_end, self._end_time).gap
        dip = (1.0 - self._theta) * self._at_start + self._theta * ahead - gap
        needed = ahead + (self._end_floor - gap) / self._theta - self._floor
        most = 0.5 * self._tau * np.hypot(*(velocity - self.obstacle).T)
        lift = np.minimum(np.maximum(dip - self._floor, needed), most)
        return np.where(lift > MIN_LIFT * self._extent, lift, 0.0)

    def _approach(self) -> Array:
        """Relative velocity u⁻ (m, 2) before the stage."""
        return to_axes(self.axes, self._incoming - self.obstacle)

    def _least_velocities(self) -> Array:
        """Least normal velocities b (m,), raised at rebounding points."""
        if not self.rebounds.any():
            return self._reach
        leaving = -self._factor * self.contacts.restitution * self._approach()[:, 0]
        return np.where(self.rebounds, np.maximum(self._reach, leaving), self._reach)

    def solve(
        self,
        respond: Callable[[NDArray[np.intp], Array], tuple[Array, Array]],
        floor: float,
        tolerance: Callable[[], float],
    ) -> UnilateralResult:
        """Solve for the forces of the candidates, restitution included.

        ``respond``: (points (k,) among all, forces p (k, 2) N) -> (u (k, 2) m/s along n and t, relative to the obstacle; W (2k,
        2k)); called last with the solution. ``floor``, ``tolerance``: see ``friction.normal.unilateral``. Raises UnilateralError.
        """

        def rebound(factor: float) -> tuple[UnilateralResult, float]:
            self._factor = factor
            return self._solve(respond, floor, tolerance)

        approaches = (self._approach()[:, 0] < 0.0) & (self.contacts.restitution > 0.0)
        result, lost = rebound(self._factor)
        # in contact, without restitution yet
        while (new := (self.force[:, 0] > 0.0) & approaches & ~self.rebounds).any():
            self.rebounds |= new
            result, lost = rebound(self._factor)
        if not self.rebounds.any() or self._searches == _MAX_RESTITUTION_SEARCHES:
            return result
        size = float(np.abs(self.force).max()) * float(np.abs(self._incoming - self.obstacle).max())
        if lost >= -_ENERGY_TOLERANCE * size:
            return result
        self._searches += 1
        return rebound(largest_passive_factor(lambda factor: rebound(factor)[1], self._factor, _BISECTIONS))[0]

    def _solve(
        self,
        respond: Callable[[NDArray[np.intp], Array], tuple[Array, Array]],
        floor: float,
        tolerance: Callable[[], float],
    ) -> tuple[UnilateralResult, float]:
        """Forces for the present bounds, and the power that they take from the body relative to the obstacle, W."""
        points, least_velocity = np.flatnonzero(self.candidates), self._least_velocities()
        after = np.zeros((len(points), 2))

        def response(p: Array) -> tuple[Array, Array]:
            nonlocal after
            after, w = respond(points, p)
            return after - np.stack([least_velocity[points], np.zeros(len(points))], axis=1), w

        assert self._slides is not None
        while True:
            result = solve_unilateral_response(
                response,
                (self.contacts.mu * np.where(self._slides, self.contacts.kinetic, 1.0))[points],
                self.force[points],
                floor=floor,
                tolerance=tolerance,
                resolution=self._resolution,
                enough=CLOSED_GAP * self._extent / self._tau,
            )
            self.force[points] = result.force
            released = points[(result.state == SLIP) & ~self._slides[points] & (self.contacts.kinetic[points] < 1.0)]
            self._slides[released] = True
            if not len(released):
                break
        worked = (1.0 - self._weight) * self._approach()[points] + self._weight * after
        return result, -float(np.einsum("ka,ka->", result.force, worked))

    def inertial(self) -> Array:
        """Contact forces (m, 2), N, in inertial axes."""
        return np.asarray(np.einsum("mb,mba->ma", self.force, self.axes))

    def power(self) -> float:
        """Power of the obstacles' motion on the body, W."""
        return float(np.einsum("ma,ma->", self.inertial(), self.obstacle))


def largest_passive_factor(lost: Callable[[float], float], most: float, bisections: int) -> float:
    """Largest factor on restitution, below ``most``, at which impacts create no energy, by bisection.

    ``lost``: factor -> dissipated energy or power, not negative at 0.
    """
    least = 0.0
    for _ in range(bisections):
        middle = 0.5 * (least + most)
        least, most = (middle, most) if lost(middle) >= 0.0 else (least, middle)
    return least
