"""The rough plane under the body: friction law, coefficient of friction mu(X) and normal pressure p_n(X, t)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from friction.laws import Law

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Foundation:
    """A rough plane at rest with given friction and pressure (formulation, section 5).

    law: a `friction.laws.Law`.
    mu: coefficient of friction, -: a number, an array (N,), or a function of X (N, 2), m, giving (N,).
    pressure: normal pressure p_n, Pa per reference area: a number, an array (N,), or a function of X (N, 2), m, and
        t, s, giving (N,) or a number.

    Numbers and arrays are checked here, functions when they are called: ValueError unless finite and >= 0.
    """

    law: Law
    mu: float | Array | Callable[[Array], Array]
    pressure: float | Array | Callable[[Array, float], Array | float]

    def __post_init__(self) -> None:
        for name in ("force", "tangent", "dissipation"):
            if not callable(getattr(self.law, name, None)):
                raise ValueError(f"Foundation: law must be a friction law such as Coulomb(), got {self.law!r}")
        for name, value in (("mu", self.mu), ("pressure", self.pressure)):
            if not callable(value):
                _checked(name, value, None)

    @property
    def constant(self) -> bool:
        """True when the weights do not depend on time, so that a caller may evaluate them once."""
        return not callable(self.pressure)

    def weights(self, X: Array, nodal_area: Array, t: float) -> Array:
        """Return the nodal bounds w_i = mu p_n x nodal area, shape (N,), N.

        X: reference positions (N, 2), m; nodal_area: positive quadrature weights (N,), m^2; t: time, s.
        ValueError when mu, p_n or the areas are negative, not finite or of another shape.
        """
        points = len(X)
        mu = _checked("mu", self.mu(X) if callable(self.mu) else self.mu, points)
        pressure = self.pressure(X, t) if callable(self.pressure) else self.pressure
        return mu * _checked("pressure", pressure, points) * _checked("nodal_area", nodal_area, points)


def _checked(name: str, value: object, points: int | None) -> Array:
    """Return value as a float array that is a scalar or (points,), finite and not negative."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"Foundation: {name} must be a number, an array or a function, got {value!r}") from None
    if points is not None:
        if array.ndim != 0 and array.shape != (points,):
            raise ValueError(f"Foundation: {name} must have shape ({points},), got {array.shape}")
        array = np.broadcast_to(array, (points,))
    if array.size == 0:
        raise ValueError(f"Foundation: {name} is empty")
    if not np.isfinite(array).all():
        raise ValueError(f"Foundation: {name} must be finite, got {float(array[~np.isfinite(array)].flat[0])!r}")
    if array.min() < 0.0:
        raise ValueError(f"Foundation: {name} must not be negative, got {float(array.min())!r}")
    return array
