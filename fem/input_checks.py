"""What a caller gives: numbers, and names of what there is. What is refused says so in one line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np


def is_number(value: object) -> bool:
    """Return whether a value is a finite real number: no text, no truth value, no integer beyond 64 bits.

    ``value``: anything.
    """
    if is_integer(value):
        return int(value).bit_length() < 64
    return isinstance(value, (float, np.floating)) and math.isfinite(value)


def is_integer(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Return whether a value is an integer: no truth value, and no duration, which NumPy counts among them."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def as_numbers(values: object, what: str, *, kinds: str = "iuf") -> np.ndarray:
    """Return values as an array of floats.

    ``values``: numbers, or rows of them. ``what``: what they are, for the message. ``kinds``: kinds of NumPy's types that are
    taken: "biuf" with truth values. Raises ValueError for what is no numbers.
    """
    hidden = isinstance(values, (bytearray, memoryview)) or np.ma.is_masked(values)
    try:
        array = np.array("") if hidden else np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # no array at all, or none is given; rows of different lengths
        array = np.array("")
    if array.dtype.kind not in kinds:
        got = " ".join(repr(values).split())
        raise ValueError(f"{what} must be numbers, got {got if len(got) < 200 else type(values).__name__}")
    return array.astype(float)


def shown(value: object) -> str:
    """Return what a value is in one line, of which not too much."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{type(value).__name__}(...)"


def check_type(what: str, value: object, kind: type, example: str) -> None:
    """Refuse what is no object of a ``kind``. Raises ValueError, which gives an ``example`` of one."""
    if not isinstance(value, kind):
        raise ValueError(f"{what} must be one such as {example}, got {shown(value)}")


def check_positive(unit: str, **values: float) -> None:
    """Refuse numbers, by name, that are not finite and > 0 ``unit``. Raises ValueError."""
    for name, value in values.items():
        if not (is_number(value) and value > 0):
            raise ValueError(f"{name} must be finite and > {f'0 {unit}'.strip()}, got {shown(value)}")


def check_counts(least: int, **values: int) -> None:
    """Refuse counts, by name, that are no integers >= ``least``. Raises ValueError."""
    for name, value in values.items():
        if not is_integer(value) or value < least:
            raise ValueError(f"{name} must be an integer >= {least}, got {shown(value)}")


def check_choice(known: Iterable[str], what: str, name: object) -> str:
    """Return a name that is among the known ones. Raises ValueError, which lists them."""
    names = tuple(known)
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{what} must be one of {', '.join(names)}, got {shown(name)}")
    return name


def named_part(parts: Mapping[str, np.ndarray], what: str, name: object) -> np.ndarray:
    """Return a named part of a mesh's boundary. Raises ValueError for another name, and for a part without anything."""
    part = parts[check_choice(parts, what, name)]
    if not len(part):
        raise ValueError(f"{what} {name!r} is empty on this mesh")
    return part
