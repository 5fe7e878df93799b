"""Exact contact in a stage: Signorini's condition with Coulomb friction and Newton's restitution as bounds on velocities.

Derived in docs/theory.md, section 8. A step from (x_n, v_n) ends at x = x* + θ Δt v, x* = x_n + (1 − θ) Δt v_n; contact is imposed
where the next one starts, x̂ = x* + Δt v, u = v − v_o in the axes n = ∇g and t = J n:

    g(x̂) >= min(0, g(x*))   ⟂   p_n >= 0,      |p_t| <= μ p_n, p_t = −μ p_n sgn(u_t) where u_t ≠ 0,
    u_n >= b = n·(v_k − v_o) − (g(x̂_k) − min(0, g(x*)))/Δt       with g linear in v between two passes.

x̂ is held at a ``lift`` l >= 0 above the bound, such that x does not dip into a curved obstacle. Where p_n > 0 and u_n⁻ < 0, b is
raised to −e u_n⁻, e lowered to what creates no energy. A point has the kinetic coefficient once it slides. The work of an impulse
Δt f is Δt f·(v_n + v)/2 (Thomson & Tait); what of it the obstacle does not do is ``lost``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact import signorini_kernel as kernel
from floating_frame.contact.axes import to_axes
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_kernel import CLOSED_GAP
from floating_frame.frame.kinematics import Array, turned
from friction.arrays import contiguous
from friction.normal.unilateral import UnilateralResult, solve_unilateral_response

_MAX_RESTITUTION_SEARCHES, _BISECTIONS, _ENERGY_TOLERANCE = 2, 20, 1e-9
"""Most searches of a stage for the passive restitution, bisections of each, and the tolerance of created energy, relative."""


class StageContacts:
    """Contacts of one stage of an elastic body during its iterations: positions, bounds and forces.

    ``force`` p (m, 2), N: initial guess; ``place`` x* and ``origin`` x_n (m, 2), m; ``velocity`` v_n (m, 2), m/s; ``lengths`` θ Δt
    and Δt, s; ``time``, s, of x; ``weight`` of the velocity at the end in the body's work.
    """

    def __init__(
        self,
        contacts: ExactContacts,
        force: Array | None,
        *,
        place: Array,
        origin: Array,
        velocity: Array,
        lengths: tuple[float, float],
        time: float,
        weight: float,
    ) -> None:
        tau_x, tau = lengths
        self.contacts, self._tau, self._time, self._end_time = contacts, tau, time + tau - tau_x, time
        self._touch = kernel.touch_of(contacts.mu, contacts.kinetic, contacts.active)
        self._touch.incoming[:] = velocity
        self._extent = float(np.abs(place).max() + np.ptp(place, axis=0).max() + tau * np.abs(velocity).max())
        at_start = contacts.gap(place, self._time - tau).gap
        at_origin = contacts.gap(origin, time - tau).gap if tau_x < tau else at_start
        self.force = self._touch.force
        self.force[:] = 0.0 if force is None else force
        kernel.begin(self._touch, at_start, at_origin, self._extent, tau, tau_x / tau)
        self.rebounds, self._weight, self._factor, self._searches = np.zeros(len(place), np.bool_), weight, 1.0, 0

    @property
    def candidates(self) -> NDArray[np.bool_]:
        """Mask (m,) of points that may touch, a set that never shrinks."""
        return self._touch.candidate

    @property
    def axes(self) -> Array:
        """Axes n and t (m, 2, 2)."""
        return np.stack([self._touch.normal, turned(self._touch.normal)], axis=1)

    @property
    def obstacle(self) -> Array:
        """Velocity v_o (m, 2), m/s."""
        return self._touch.obstacle

    def linearise(self, ahead: Array, velocity: Array, at_end: Array) -> bool:
        """Update gaps, normals and bounds at x̂ = ``ahead`` (m, 2), m; return whether they have converged.

        ``velocity`` (m, 2), m/s, leads to x̂, and x is ``at_end`` (m, 2), m."""
        gap, obstacle = self.contacts.gap(ahead, self._time), self.contacts.velocity(ahead, self._time)
        end = self.contacts.gap(at_end, self._end_time).gap if self._end_time < self._time else gap.gap
        given = gap.gap, contiguous(gap.normal), obstacle, end, contiguous(velocity), np.zeros(len(end), np.bool_)
        return bool(kernel.linearise(self._touch, *given))

    def _approach(self) -> Array:
        """Relative velocity u⁻ (m, 2) before the stage."""
        return to_axes(self.axes, self._touch.incoming - self.obstacle)

    def solve(
        self,
        respond: Callable[[NDArray[np.intp], Array], tuple[Array, Array]],
        floor: float,
        tolerance: Callable[[], float],
    ) -> UnilateralResult:
        """Find the forces of the candidates, restitution included.

        ``respond``: (points (k,) among all, forces p (k, 2) N) -> (u (k, 2) m/s along n and t, relative to the obstacle;
        W (2k, 2k)); called last with the solution. ``floor``, ``tolerance``: see ``friction.normal.unilateral``. Raises
        UnilateralError.
        """

        def rebound(factor: float) -> tuple[UnilateralResult, float]:
            self._factor = factor
            self._touch.bounce[:] = np.where(self.rebounds, factor * self.contacts.restitution, -1.0)
            return self._solve(respond, floor, tolerance)

        approaches = (self._approach()[:, 0] < 0.0) & (self.contacts.restitution > 0.0)
        result, lost = rebound(self._factor)
        # in contact, without restitution yet
        while (new := (self.force[:, 0] > 0.0) & approaches & ~self.rebounds).any():
            self.rebounds |= new
            result, lost = rebound(self._factor)
        if not self.rebounds.any() or self._searches == _MAX_RESTITUTION_SEARCHES:
            return result
        size = float(np.abs(self.force).max()) * float(np.abs(self._touch.incoming - self.obstacle).max())
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
        touch, points = self._touch, np.flatnonzero(self.candidates)
        bound = np.array([[kernel.bound(touch, i), 0.0] for i in points])
        after, result = np.zeros((len(points), 2)), None

        def response(p: Array) -> tuple[Array, Array]:
            nonlocal after
            after, w = respond(points, p)
            return after - bound, w

        while result is None or kernel.release(touch, points, result.state):
            result = solve_unilateral_response(
                response,
                kernel.coefficients(touch, points),
                self.force[points],
                floor=floor,
                tolerance=tolerance,
                resolution=8.0 * float(np.finfo(float).eps) * self._extent / self._tau,
                enough=CLOSED_GAP * self._extent / self._tau,
            )
            self.force[points] = result.force
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
