"""The rough plane under the body: friction law, coefficient of friction mu(X), normal pressure p_n(X, t), velocity v_g(t)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from friction.arrays import Array, as_numbers, is_finite, is_function, require_call, shown
from friction.curves.expressions import PLACE, TIME, Expression, expression
from friction.errors import FoundationError
from friction.given import Given
from friction.laws.common import require_law
from friction.laws.protocol import Law

Function = TypeVar("Function")


@dataclass(frozen=True)
class Reacting(Given):
    """A normal pressure that friction redistributes.

    Parameters
    ----------
    height : float
        Height h, m, of in-plane forces above the ground: of the centre of mass.
    pressure : float or str or Array or Callable
        Pressure p0, Pa, of the body at rest, as ``Foundation.pressure``; its centre is the centre of mass.

    Raises
    ------
    ValueError
        For a height that is negative or not finite.
    """

    height: float
    pressure: float | str | Array | Callable[[Array, float], Array | float]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (is_finite(self.height) and self.height >= 0.0):
            raise ValueError(f"Reacting: height must be a finite length >= 0 m, got {shown(self.height)}")
        given_field("Reacting: pressure", self.pressure, (*PLACE, *TIME), ("X", "t"))


@dataclass(frozen=True)
class Foundation(Given):
    """A rough plane, at rest or moving, with given friction and pressure.

    Friction acts on the slip velocity V − Qᵀ v_g. Functions are checked when they are called: ValueError unless their
    values are finite, and >= 0 but for velocities.

    Parameters
    ----------
    law : Law
        Any one of ``friction.LAWS``, also ``Limited``. Its internal state is stored by the caller.
    mu : float or str or Array or Callable[[Array], Array]
        Coefficient of friction, -, of a law with several the static one: a number, an array (N,), a function of X
        (N, 2), m, from the body's centre of mass, giving (N,), or an expression in x and y such as ``"0.3*(1 + x/0.2)"`` (see
        ``friction.curves.expressions``).
    pressure : float or str or Array or Callable[[Array, float], Array or float] or Reacting
        Normal pressure p_n, Pa per reference area: a number, an array (N,), a function of X and t, s, giving (N,) or a number, or
        an expression in x, y and t such as ``"1e3*(t < 1)"``; ``Reacting``: one that friction redistributes.
    ground_velocity : Sequence[float] or Array or Callable[[float], Sequence[float] or Array]
        Velocity v_g (2,) of the plane, m/s, inertial (a belt), or a function of t, s; continuous but at ``breaks``.
    breaks : tuple[float, ...]
        Times, s, at which pressure or ground velocity jump or kink, on which time steps have to end.

    Raises
    ------
    ValueError
        For values that are negative or not finite (``FoundationError``), and a ``law`` that is none.
    """

    law: Law
    mu: float | str | Array | Callable[[Array], Array]
    pressure: float | str | Array | Callable[[Array, float], Array | float] | Reacting
    ground_velocity: Sequence[float] | Array | Callable[[float], Sequence[float] | Array] = (0.0, 0.0)
    breaks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        require_law("Foundation", self.law)
        _ = self._mu, self._pressure  # checks both
        if is_function(self.ground_velocity):
            require_call("Foundation: ground_velocity", self.ground_velocity, "t")
        else:
            _velocity(self.ground_velocity)

    @property
    def reaction(self) -> Reacting | None:
        """The pressure that friction redistributes, or None."""
        return self.pressure if isinstance(self.pressure, Reacting) else None

    @property
    def pressure_at_rest(self) -> float | str | Array | Callable[[Array, float], Array | float]:
        """The pressure without friction, Pa."""
        return self.pressure.pressure if isinstance(self.pressure, Reacting) else self.pressure

    @cached_property
    def _mu(self) -> float | Array | Callable[[Array], Array]:
        return given_field("Foundation: mu", self.mu, PLACE, ("X",))

    @cached_property
    def _pressure(self) -> float | Array | Callable[[Array, float], Array | float]:
        return given_field("Foundation: pressure", self.pressure_at_rest, (*PLACE, *TIME), ("X", "t"))

    @property
    def constant(self) -> bool:
        """True when the bounds do not depend on time, so that a caller may evaluate them once."""
        pressure = self._pressure
        return "t" not in pressure.names if isinstance(pressure, Expression) else not callable(pressure)

    @property
    def moves(self) -> bool:
        """True when the ground has a velocity, or may have one at some time."""
        return callable(self.ground_velocity) or bool(np.any(_velocity(self.ground_velocity)))

    def bound(self, X: Array, nodal_area: Array, t: float) -> Array:
        """Nodal (static) friction bounds w_i = μ p_n × nodal area, (N,), N.

        ``X`` (N, 2), m, from the centre of mass; ``nodal_area`` (N,), m², positive quadrature weights; ``t`` s. ValueError when μ,
        p_n or the areas are negative, not finite or of another shape.
        """
        points, mu = len(X), self._mu
        friction = checked_values("Foundation: mu", mu(X) if callable(mu) else mu, points)
        bounds: Array = friction * self.load(X, nodal_area, t)
        checked_values("Foundation: mu x pressure x area", bounds, points)
        return bounds

    def load(self, X: Array, nodal_area: Array, t: float) -> Array:
        """Normal forces p_n × nodal area (N,), N, of the body at rest; arguments and errors as ``bound``."""
        points, pressure = len(X), self._pressure
        named = (
            f"Foundation: pressure {pressure.text!r}" if isinstance(pressure, Expression) else "Foundation: pressure"
        )
        normal = checked_values(named, pressure(X, t) if callable(pressure) else pressure, points)
        return normal * checked_values("Foundation: nodal_area", nodal_area, points)

    def velocity(self, t: float) -> Array:
        """Velocity v_g (2,), m/s, of the ground at ``t`` s, inertial axes. ValueError unless two finite numbers."""
        return _velocity(self.ground_velocity(t) if callable(self.ground_velocity) else self.ground_velocity)


def _velocity(value: object) -> Array:
    """Velocity (2,), m/s, of finite numbers."""
    try:
        velocity = as_numbers(value, "ground_velocity")
    except ValueError:
        velocity = np.empty(0)
    if velocity.shape != (2,) or not np.isfinite(velocity).all():
        raise FoundationError(f"Foundation: ground_velocity must be two finite numbers in m/s, got {shown(value)}")
    return velocity


def given_field(
    what: str, value: str | Function, allowed: tuple[str, ...], arguments: tuple[str, ...]
) -> Expression | Function:
    """A number, an array or a function of ``arguments`` unchanged, a text as an expression in the names ``allowed``.

    ``what`` begins the messages. Raises ValueError for anything else.
    """
    if isinstance(value, str):
        parsed = expression(what, value, allowed)
        if not parsed.names:
            checked_values(what, parsed(np.zeros((1, 2))), None)
        return parsed
    function: object = value
    if not is_function(function):
        checked_values(what, value, None)
        return value
    require_call(what, function, *arguments)
    return value


def checked_values(what: str, value: object, points: int | None) -> Array:
    """Values as floats, a scalar or (points,), finite and not negative. Raises FoundationError for others."""
    try:
        array = as_numbers(value, what) if points is None else np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise FoundationError(f"{what} must be a number, an array or a function, got {shown(value)}") from None
    if points is not None:
        if array.ndim != 0 and array.shape != (points,):
            raise FoundationError(f"{what} must have shape ({points},), got {array.shape}")
        array = np.broadcast_to(array, (points,))
    if array.size == 0:
        raise FoundationError(f"{what} is empty")
    if not np.isfinite(array).all():
        raise FoundationError(f"{what} must be finite, got {float(array[~np.isfinite(array)].flat[0])!r}")
    if array.min() < 0.0:
        raise FoundationError(f"{what} must not be negative, got {float(array.min())!r}")
    return array
