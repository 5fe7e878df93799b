"""Types of arrays, and checks of numbers."""

import inspect
import math
from collections.abc import Callable
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)


def contiguous(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """The array C-contiguous and not flagged read-only, copied only where necessary.

    Numba compiles a loop again for every other layout of an argument, and for a read-only one.
    """
    if array.flags.carray:
        return array
    view = array.view()
    try:
        view.flags.writeable = True  # kernels do not write into their input
    except ValueError:
        view = array.copy()
    return np.ascontiguousarray(view)


def row_norms(vectors: Array) -> Array:
    """Lengths (...) of rows (..., d). (NumPy's norms along such short rows take several times as long.)"""
    return np.asarray(np.sqrt(np.einsum("...d,...d->...", vectors, vectors)))


def nonzero_rows(slip: Array) -> Bools:
    """Mask (...) of rows (..., d) that are not zero. (NumPy's ``any`` along such short rows takes ten times as long.)"""
    mask: Bools = slip[..., 0] != 0.0
    for column in range(1, slip.shape[-1]):
        mask |= slip[..., column] != 0.0
    return mask


def is_number(value: object) -> bool:
    """True for a real number or infinity: no text, no truth value, no array, no integer beyond 64 bits."""
    if is_integer(value):
        return int(value).bit_length() < 64
    return isinstance(value, (float, np.floating)) and bool(value == value)


def is_integer(value: object) -> TypeGuard[int | np.integer[Any]]:
    """True for an integer: no truth value, and no duration, which NumPy counts among them."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def is_finite(value: object) -> bool:
    """True for a finite number, see ``is_number``."""
    return is_number(value) and -math.inf < value < math.inf  # type: ignore[operator]


def is_function(value: object) -> TypeGuard[Callable[..., Any]]:
    """True for a callable that is no class."""
    return callable(value) and not isinstance(value, type)


def require_call(what: str, function: Any, *arguments: str) -> None:
    """Check that a function, named ``what``, takes the ``arguments``; ValueError otherwise."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        names = " and ".join(arguments)
        raise ValueError(f"{what} must be a function of {names}, got one that does not take them ({error})") from None
    except ValueError:  # a builtin without a signature
        pass


def shown(value: object) -> str:
    """Short representation of a value in one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{type(value).__name__}(...)"


def as_numbers(values: object, what: str) -> Array:
    """Values as an array of numbers. ValueError, naming ``what``, for others, truth values included."""
    hidden = isinstance(values, (bytearray, memoryview)) or np.ma.is_masked(values)
    try:
        array = np.array("") if hidden else np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # rows of different lengths, or no array
        array = np.array("")
    if array.dtype.kind not in "iuf":
        got = " ".join(repr(values).split())
        raise ValueError(f"{what} must be numbers, got {got if len(got) < 200 else type(values).__name__}")
    return array.astype(float)
