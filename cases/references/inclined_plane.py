"""A block from rest on an incline under any friction law: its final state, and its motion over time.

Uniform weight and friction move the block as a whole, down the slope (x). With the bound W = mu_s N, N = m g cos(angle), and the
friction W m(v) of a law in the speed of slip v, m v' = m g sin(angle) - W m(v). Below the friction angle
- a set-valued law holds the block: nothing moves; an elliptic one while |D^-1 e| drive <= W, e along x and D its metric: then
  lambda = drive e lies in the ellipse; in slip along x lambda need not be along x,
- a regularised one lets it creep at the first root of W m(v) = m g sin(angle); for the sliding type step5(v, -v_s, -1, v_s, 1)
  mu_s = tan(angle),
- bristles hold it once W step5(Delta, -Delta_max, -1, Delta_max, 1) = m g sin(angle): it has moved by Delta.
Above, Coulomb's block accelerates by g (sin(angle) - mu cos(angle)). Everything else is integrated, one equation in one unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from cases.app.parts import laws

if TYPE_CHECKING:
    from friction import Law

Array = NDArray[np.float64]

FASTEST = 1e6
"""Largest creep speed in the search, m/s."""
MOST_EVALUATIONS = 20_000
"""Largest number of evaluations of the equation of motion; stiff laws need a few thousand."""

TOLERANCE = 1e-9


class Forces(NamedTuple):
    """Forces on the block: its ``mass`` kg, the ``drive`` m g sin(angle) N and the ``bound`` mu_s N of friction, N."""

    mass: float
    drive: float
    bound: float


def friction(law: Law, bound: float, speed: float) -> float:
    """Friction force in N at a speed of slip > 0, m/s, along x."""
    return float(law.force(np.array([[speed, 0.0]]), np.array([bound]))[0, 0])


def largest_stick(law: Law, bound: float) -> float:
    """Largest friction force along x, N, that stick can bear under a set-valued law."""
    own = law.with_total_load(np.array([bound]))
    pull = [1.0, 0.0] if own.metric is None else np.linalg.solve(own.metric, [1.0, 0.0])
    return own.radial.static * bound / float(np.linalg.norm(pull))


def sticks(law: Law, forces: Forces) -> bool:
    """True where stick holds the block permanently; False for a law without stick."""
    return law.set_valued and abs(forces.drive) <= largest_stick(law, forces.bound)


def creep_velocity(params: laws.LawParameters, forces: Forces) -> float | None:
    """Final speed of a block that does not accelerate, m/s: 0 in stick; None where it accelerates."""
    law = laws.build(params)
    if sticks(law, forces) or stiction_deformation(params, forces) is not None or forces.drive == 0.0:
        return 0.0
    if law.set_valued:
        return None

    def excess(speed: float) -> float:
        return friction(law, forces.bound, speed) - forces.drive

    places = sorted({*law_speeds(params), *np.geomspace(1e-9, FASTEST, 200)} - {0.0})
    below = 0.0
    for speed in places:
        if excess(speed) >= 0.0:
            return float(scipy.optimize.brentq(excess, below, speed, xtol=1e-18, rtol=1e-14))
        below = speed
    return None


def stiction_deformation(params: laws.LawParameters, forces: Forces) -> float | None:
    """Deformation of the bristles that hold the block, m; None for a law without bristles, or if they cannot hold it."""
    most = params.max_stiction_deformation if laws.has(params.law, "max_stiction_deformation") else 0.0
    limit = forces.bound if params.max_force is None else min(forces.bound, params.max_force)
    if most == 0.0 or forces.drive > limit:
        return None
    from friction.laws.kernels import rise  # with Numba, which takes a second to import

    share = forces.drive / forces.bound
    return most * float(scipy.optimize.brentq(lambda d: d * rise(d)[0] - share, 0.0, 1.0, xtol=1e-16, rtol=1e-14))


def motion(params: laws.LawParameters, forces: Forces, times: Array) -> tuple[Array, Array] | None:
    """Position x (n,) m and velocity v (n,) m/s at `times` (n,) s, from rest; None where the block leaves the x-axis.

    Closed where the friction of slip does not depend on its speed, else integrated with an error of about 1e-9; None also where
    the equation is too stiff, as with bristles whose relaxation time is below a rounding unit of the time.
    """
    law = laws.build(params)
    if sticks(law, forces) or forces.drive == 0.0:
        return np.zeros_like(times), np.zeros_like(times)
    if params.law == "elliptic" and params.axis_angle != 0.0:
        return None
    if params.law in ("coulomb", "elliptic", "static-kinetic"):
        a = (forces.drive - friction(law, forces.bound, 1.0)) / forces.mass
        return 0.5 * a * times**2, a * times
    start = np.zeros(3 if law.has_internal_state else 2)
    scale = creep_velocity(params, forces) or law_speed(params)
    equation = _Equation(law, forces, params.max_stiction_deformation)
    with np.errstate(divide="ignore"):  # in a step without any error
        try:
            solution = scipy.integrate.solve_ivp(
                equation.rates,
                (0.0, float(times[-1])),
                start,
                "Radau",
                times,
                jac=equation.jacobian,
                rtol=TOLERANCE,
                atol=TOLERANCE * scale,
            )
        except _TooStiff:
            return None
    if not solution.success:
        return None
    return solution.y[0], solution.y[1]


def law_speeds(params: laws.LawParameters) -> list[float]:
    """Speeds by which the law of `params` is given, m/s."""
    v_d = 1.5 * params.v_s if params.v_d is None else params.v_d
    speeds = {"v_reg": params.v_reg, "stribeck_speed": params.stribeck_speed, "v_s": params.v_s, "v_d": v_d}
    return [speed for name, speed in speeds.items() if laws.has(params.law, name)] or list(params.spline_speeds)


def law_speed(params: laws.LawParameters) -> float:
    """Speed over which the law of `params` changes, m/s."""
    own = law_speeds(params)
    return (max if laws.has(params.law, "speeds") else min)(own, default=1.0)


class _TooStiff(Exception):
    """The equation was evaluated more often than MOST_EVALUATIONS times."""


class _Equation:
    """(x, v)' or, with bristles, (x, v, Delta)' of the block, and its Jacobian."""

    def __init__(self, law: Law, forces: Forces, bristle: float) -> None:
        self._law, self._forces, self._size, self._evaluations = law, forces, bristle, 0
        self._bound = np.array([forces.bound])

    def _pull(self, speed: float, bent: float) -> float:
        """Friction, N; at rest under a set-valued law the friction of beginning slip."""
        speed = max(speed, 1e-150) if self._law.set_valued else speed
        law = self._law.for_stage(np.array([[bent, 0.0]]), 0.0) if self._law.has_internal_state else self._law
        return float(law.force(np.array([[speed, 0.0]]), self._bound)[0, 0])

    def _bending(self, speed: float, bent: float) -> float:
        """Rate of Delta, m/s."""
        return float(self._law.internal_rate(np.array([[bent, 0.0]]), np.array([[speed, 0.0]]))[0, 0])

    def rates(self, time: float, y: Array) -> Array:
        """Rates that are integrated. Raises _TooStiff."""
        self._evaluations += 1
        if self._evaluations > MOST_EVALUATIONS:
            raise _TooStiff
        bent = y[2] if len(y) == 3 else 0.0
        values = [y[1], (self._forces.drive - self._pull(y[1], bent)) / self._forces.mass]
        return np.array([*values, self._bending(y[1], bent)] if len(y) == 3 else values)

    def jacobian(self, time: float, y: Array) -> Array:
        """By differences in v and Delta of fixed lengths: nothing depends on x, and the iteration alone sees it."""
        columns = [np.zeros(len(y))]
        for k in range(1, len(y)):
            h = 1e-7 * (abs(y[1]) + 1e-6) if k == 1 else 1e-7 * self._size
            step = h * np.eye(len(y))[k]
            columns.append((self.rates(time, y + step) - self.rates(time, y - step)) / (2.0 * h))
        matrix = np.stack(columns, axis=1)
        matrix[2:, 2:] = 0.0  # Delta' depends on Delta only at its stop, a jump
        return matrix
