"""Checks of input: numbers, counts, types and names. Errors are of one line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np


def is_number(value: object) -> bool:
    """True for a finite real number: no text, no truth value, no integer beyond 64 bits."""
    if is_integer(value):
        return int(value).bit_length() < 64
    return isinstance(value, (float, np.floating)) and math.isfinite(value)


def is_integer(value: object) -> TypeGuard[int | np.integer[Any]]:
    """True for an integer: no truth value, and no duration, which NumPy counts among the integers."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def as_numbers(values: object, what: str, *, kinds: str = "iuf") -> np.ndarray:
    """Array of floats from numbers, or rows of numbers.

    ``what``: their name in the message. ``kinds``: accepted kinds of NumPy's types; "biuf" with truth values. Raises ValueError
    for other values.
    """
    hidden = isinstance(values, (bytearray, memoryview)) or np.ma.is_masked(values)
    try:
        array = np.array("") if hidden else np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # not convertible, or rows of different lengths
        array = np.array("")
    if array.dtype.kind not in kinds:
        got = " ".join(repr(values).split())
        raise ValueError(f"{what} must be numbers, got {got if len(got) < 200 else type(values).__name__}")
    return array.astype(float)


def shown(value: object) -> str:
    """Short representation of a value in one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{type(value).__name__}(...)"


def check_type(what: str, value: object, kind: type, example: str) -> None:
    """Refuse an object that is not of a ``kind``. Raises ValueError with an ``example`` of one."""
    if not isinstance(value, kind):
        raise ValueError(f"{what} must be one such as {example}, got {shown(value)}")


def check_positive(unit: str, **values: float) -> None:
    """Refuse named numbers that are not finite and > 0 ``unit``. Raises ValueError."""
    for name, value in values.items():
        if not (is_number(value) and value > 0):
            raise ValueError(f"{name} must be finite and > {f'0 {unit}'.strip()}, got {shown(value)}")


def check_counts(least: int, **values: int) -> None:
    """Refuse named counts that are not integers >= ``least``. Raises ValueError."""
    for name, value in values.items():
        if not is_integer(value) or value < least:
            raise ValueError(f"{name} must be an integer >= {least}, got {shown(value)}")


def check_choice(choices: Iterable[str], what: str, name: object) -> str:
    """The ``name``, which must be one of the known ones. Raises ValueError with their list."""
    names = tuple(choices)
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{what} must be one of {', '.join(names)}, got {shown(name)}")
    return name


def named_part(parts: Mapping[str, np.ndarray], what: str, name: object) -> np.ndarray:
    """Named part of the boundary of a mesh. Raises ValueError for an unknown name and for an empty part."""
    part = parts[check_choice(parts, what, name)]
    if not len(part):
        raise ValueError(f"{what} {name!r} is empty on this mesh")
    return part
