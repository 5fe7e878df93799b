"""The exact wave in a rod on rough ground: a step or a pulse of force at its end, by characteristics.

A rod of stiffness EA and mass rho A per length lies at rest, its friction q per length set-valued. From t = 0 the force P
pushes its end x = 0. With strain eps, velocity v, c^2 = E/rho and a = q/(rho A), where v > 0

    v_t = c^2 eps_x - a,   eps_t = v_x:    d(v - c eps) = -a dt on x = ct + const,   d(v + c eps) = -a dt on x = -ct + const.

*Front.* Ahead v = eps = 0, and v + c eps is continuous across the front x = ct, so c eps = -v just behind it; along it
d(2 v) = -a dt from the value v0 = P c/(EA) that eps(0) = -P/(EA) sets. Hence v = v0 - a t/2 behind the front.
*Loaded zone.* That v, uniform, with c eps = -(v0 - a x/(2 c)), which does not change in time, satisfies both equations, the
front and the end condition. All of it stops at once, at t* = 2 v0/a = 2 P/(q c), the front having run to c t* = 2 P/q. The
force q/2 per length that is left in the rod is below q: it sticks.
*Residual.* u(x) = int_{x/c}^{t*} v dt = (a/4)(t* - x/c)^2 = q (2 P/q - x)^2/(4 EA); at the end P^2/(q EA), twice the
quasi-static P^2/(2 q EA). Friction keeps q int u dx = (2/3) P^3/(q EA) of the work P u(0), strain the rest.

*Pulse.* The force ends at t = T < t*. An unloading front follows at c, x = c (t - T). Across it v + c eps is continuous: -a T/2
all along it. At the end eps = 0, so the rod springs back with v = -a T/2 there, friction now +a: along the front
d(v - c eps) = a dt gives v = -a T/2 + a (t - T)/2, uniform behind the front, until all of it stops at t = 2 T. From then on
the front leaves material at rest, with c eps = -a T/2, and no friction. What lies between the fronts does not know of the
end of the force until t*. If 2 T <= t*, T <= P/(q c), this holds to the end, and

    u(0) = v0 T - a T^2/4 - a T^2/4 = (P T - q c T^2/2)/(rho A c).

For P/(q c) < T < t* the spring-back has not ended at t*, and the strain ahead of its front has changed: not given here.
All of it holds until the front meets the far end, for good where 2 P/q <= length.

*Step and cells of a computation.* With lumped mass and nu = 0 a row of Q1 cells no longer than wide (dx <= dy) has the stable step
dx/c exactly: its highest mode is the axial one. The explicit scheme carries the wave exactly at that step, so that a smaller
explicit step disperses more: at dx/c the end stays at the exact residual to round-off and the profile to O(dx^2), at a sixteenth
of it the end stays 2 % short (4 % with nx = 50). P1 triangles allow 0.71 dx/c (dx = dy) to 0.94 dx/c (slender cells), nu = 0.3
allows 0.95 dx/c: there, as with implicit schemes, dispersion turns into friction work, an error that falls more slowly than dx.
While the rod moves, a zigzag rides on it, for a front's first kick takes the friction of a whole step where half is due: every
other node is off by up to P dx/(2 EA), strains by up to P/(2 EA) with alternating sign (take them from pairs of cells). In the
energy ledger this is P^3/(8 q EA), an eighth of the work, at t*/2; it is gone at t*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

SOURCE = "1-D theory of the rod, small strain"


@dataclass(frozen=True)
class RodWave:
    """A push `force` > 0 N for `duration` s (inf: step) on a rod; `stiffness` EA N, `mass` rho A kg/m, `friction` q N/m.

    Positions x m from the loaded end, into the rod; velocities along it. `friction` may be 0: nothing then stops.
    """

    force: float
    duration: float
    stiffness: float
    mass: float
    friction: float

    @property
    def speed(self) -> float:
        """Wave speed c, m/s."""
        return float(np.sqrt(self.stiffness / self.mass))

    @property
    def first_velocity(self) -> float:
        """Velocity v0 = P c/(EA), m/s."""
        return self.force * self.speed / self.stiffness

    @property
    def deceleration(self) -> float:
        """Deceleration a = q/(rho A), m/s2."""
        return self.friction / self.mass

    @property
    def arrest(self) -> float:
        """Time t* = 2 P/(q c), s: the loaded zone stops, and the front with it; inf without friction."""
        return 2 * self.first_velocity / self.deceleration if self.friction > 0 else np.inf

    @property
    def penetration(self) -> float:
        """Length 2 P/q, m, that the front passes."""
        return self.speed * self.arrest

    @property
    def quasi_static_end(self) -> float:
        """Displacement of the end, P^2/(2 q EA), m, where the force grows slowly; inf without friction."""
        return self.force**2 / (2 * self.friction * self.stiffness) if self.friction > 0 else np.inf

    def quasi_static(self, x: Array) -> Array:
        """Displacement q (P/q - x)^2/(2 EA), m, over the slip length P/q, where the force grows slowly."""
        slow: Array = self.friction * np.maximum(self.force / self.friction - x, 0) ** 2 / (2 * self.stiffness)
        return slow

    def holds(self, x: ArrayLike, time: float, length: float) -> NDArray[np.bool_]:
        """True at the positions `x` m where the solution is valid at `time` s in a rod of `length` m.

        It is valid where the spring-back is simple and no wave has come back from the far end.
        """
        simple = self.duration >= time or 2 * self.duration <= self.arrest
        reflected = self.speed * min(time, self.arrest) > length * (1 + 1e-12)
        untouched = np.asarray(x) <= 2 * length - self.speed * time if reflected else np.ones(np.shape(x), bool)
        return np.asarray(simple & untouched)

    def known(self, time: float, length: float) -> bool:
        """True if the solution is valid everywhere up to `time` s in a rod of `length` m."""
        return bool(self.holds(length, time, length))

    def velocity(self, x: ArrayLike, time: ArrayLike) -> Array:
        """Velocity v(x, t), m/s, of the broadcast shape of `x` and `time`."""
        x, t = np.asarray(x, float), np.asarray(time, float)
        since, a = t - x / self.speed, self.deceleration
        forward = (since > 0) & (since < self.duration) & (t < self.arrest)
        backward = (since > self.duration) & (t < 2 * self.duration)
        pulse = self.duration if np.isfinite(self.duration) else 0.0
        return np.where(forward, self.first_velocity - a * t / 2, 0.0) - np.where(
            backward, a * (2 * pulse - t) / 2, 0.0
        )

    def displacement(self, x: ArrayLike, time: ArrayLike) -> Array:
        """Displacement u(x, t), m, of the broadcast shape of `x` and `time`."""
        forward, backward = self._slips(np.asarray(x, float), np.asarray(time, float))
        return forward - backward

    def slip_path(self, x: ArrayLike, time: ArrayLike) -> Array:
        """Slip length of x until t, m, of the broadcast shape of `x` and `time`."""
        forward, backward = self._slips(np.asarray(x, float), np.asarray(time, float))
        return forward + backward

    def _slips(self, x: Array, t: Array) -> tuple[Array, Array]:
        """Forward and backward slip until t, m: integrals of the two velocities over the time in which they hold."""
        a, arrival = self.deceleration, x / self.speed
        end = np.maximum(np.minimum(np.minimum(t, arrival + self.duration), self.arrest), arrival)
        forward = self.first_velocity * (end - arrival) - a / 4 * (end**2 - arrival**2)
        if not np.isfinite(self.duration):
            return forward, np.zeros_like(forward)
        start = self.duration + arrival
        # int (2 T - t) a/2 dt = -(a/4) (2 T - t)^2
        left_at_start = np.maximum(2 * self.duration - start, 0.0)
        left_now = np.minimum(np.maximum(2 * self.duration - t, 0.0), left_at_start)
        return forward, a / 4 * (left_at_start**2 - left_now**2)

    def friction_work(self, time: float) -> float:
        """Friction work q int slip path dx until `time` s, J; exact, as the slip path is piecewise quadratic in x."""
        last = min(time, self.arrest)
        turns = [last, last - self.duration, min(time, 2 * self.duration) - self.duration]
        ends = np.unique([0.0, *(self.speed * t for t in turns if 0 < t < np.inf)])
        middle, half = 0.5 * (ends[1:] + ends[:-1]), 0.5 * np.diff(ends)
        points = middle + half * np.array([[-1.0], [1.0]]) / np.sqrt(3.0)  # two Gauss points: exact for cubics
        return self.friction * float(np.sum(self.slip_path(points, time) * half))
