"""Types of arrays, and what is a number."""

import inspect
import math
from collections.abc import Callable
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)


def for_loops(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return the array C-contiguous and not flagged read-only, copied only where it has to be.

    Numba compiles a loop once more for every other layout of an argument, and for a read-only one.
    """
    if array.flags.carray:
        return array
    view = array.view()
    try:
        view.flags.writeable = True  # loops write into no argument that they only read
    except ValueError:
        view = array.copy()
    return np.ascontiguousarray(view)


def lengths(vectors: Array) -> Array:
    """Return the lengths (N,) of rows (N, d). (NumPy's norms along rows that short take several times as long.)"""
    return np.asarray(np.sqrt(np.einsum("nd,nd->n", vectors, vectors)))


def moving(slip: Array) -> Bools:
    """Say which rows (N, d) are not zero. (NumPy's ``any`` along rows that short takes ten times as long.)"""
    found: Bools = slip[:, 0] != 0.0
    for column in slip.T[1:]:
        found |= column != 0.0
    return found


def is_number(value: object) -> bool:
    """Say whether a value is a real number or infinite: no text, no truth value, no array, no integer beyond 64 bits."""
    if is_integer(value):
        return int(value).bit_length() < 64
    return isinstance(value, (float, np.floating)) and bool(value == value)


def is_integer(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Say whether a value is an integer: no truth value, and no duration, which NumPy counts among them."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def is_finite(value: object) -> bool:
    """Say whether a value is a finite number, see ``is_number``."""
    return is_number(value) and -math.inf < value < math.inf  # type: ignore[operator]


def is_function(value: object) -> TypeGuard[Callable[..., Any]]:
    """Say whether a value can be called, and is no class."""
    return callable(value) and not isinstance(value, type)


def require_call(what: str, function: Any, *arguments: str) -> None:
    """Refuse a function that cannot be called with so many arguments: ValueError names them, and ``what`` it is."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        names = " and ".join(arguments)
        raise ValueError(f"{what} must be a function of {names}, got one that does not take them ({error})") from None
    except ValueError:  # a builtin, which does not say what it takes
        pass


def shown(value: object) -> str:
    """Return what a value is in one line, of which not too much."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{type(value).__name__}(...)"


def as_numbers(values: object, what: str) -> Array:
    """Return values as an array of numbers. ValueError, naming ``what`` they are, for others, truth values among them."""
    hidden = isinstance(values, (bytearray, memoryview)) or np.ma.is_masked(values)
    try:
        array = np.array("") if hidden else np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # rows of different lengths; what is no array at all, or gives none
        array = np.array("")
    if array.dtype.kind not in "iuf":
        got = " ".join(repr(values).split())
        raise ValueError(f"{what} must be numbers, got {got if len(got) < 200 else type(values).__name__}")
    return array.astype(float)
