"""Types of arrays, and what is a number."""

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
    if isinstance(value, int):
        return not isinstance(value, bool) and value.bit_length() < 64
    return isinstance(value, (float, np.integer, np.floating)) and bool(value == value)


def is_finite(value: object) -> bool:
    """Say whether a value is a finite number, see ``is_number``."""
    return is_number(value) and -math.inf < value < math.inf  # type: ignore[operator]


def is_function(value: object) -> TypeGuard[Callable[..., Any]]:
    """Say whether a value can be called, and is no class."""
    return callable(value) and not isinstance(value, type)


def shown(value: object) -> str:
    """Return what a value is in one line, of which not too much."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{type(value).__name__}(...)"


def as_numbers(values: object, what: str) -> Array:
    """Return values as an array of numbers. ValueError, naming ``what`` they are, for others, truth values among them."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # rows of different lengths; what is no array at all
        array = np.array("")
    if array.dtype.kind not in "iuf":
        got = " ".join(repr(values).split())
        raise ValueError(f"{what} must be numbers, got {got if len(got) < 200 else type(values).__name__}")
    return array.astype(float)
