"""Fields over the ground as a caller gives them: numbers, arrays, functions of place and time, or expressions."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from friction.arrays import Array, as_numbers, is_function, require_call, shown
from friction.curves.expressions import Expression, expression
from friction.errors import FoundationError

Function = TypeVar("Function")


def given_field(
    what: str, value: str | Function, allowed: tuple[str, ...], arguments: tuple[str, ...]
) -> Expression | Function:
    """Return a number, an array or a function of ``arguments`` as given, a text as an expression in the names ``allowed``.

    ``what`` it is stands before what errors say. Raises ValueError for anything else.
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
    """Return values as floats, a scalar or (points,), finite and not negative. Raises FoundationError for others."""
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
