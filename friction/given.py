"""Input records: fields are copied and checked by type, and pickled without cached properties."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np

from friction.arrays import is_finite, is_function, is_integer, is_number, require_call, shown


def _all(kind: Callable[[object], bool], values: object) -> bool:
    several = isinstance(values, tuple) or (isinstance(values, np.ndarray) and values.ndim == 1)
    return several and all(kind(value) for value in values)  # type: ignore[attr-defined]


KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "float": ("a number", is_number),
    "int": ("an integer", is_integer),
    "bool": ("True or False", lambda value: isinstance(value, (bool, np.bool_))),
    "str": ("a text", lambda value: isinstance(value, str)),
    "Callable": ("a function", is_function),
    "tuple[float, ...]": ("a tuple of finite numbers, (0.1,) for one", lambda value: _all(is_finite, value)),
    "tuple[str, ...]": (
        'a tuple of texts, ("x",) for one',
        lambda value: _all(lambda text: isinstance(text, str), value),
    ),
}
"""Description and check of fields by type; fields of other types are checked by their class."""


class Given:
    """Base of frozen dataclasses whose arrays are read-only copies of the caller's.

    Pickled and copied without its cached properties. A record with a ``__post_init__`` of its own calls this one first.
    """

    def __post_init__(self) -> None:
        for item in fields(self):  # type: ignore[arg-type]  # a dataclass
            value = read_only(getattr(self, item.name))
            object.__setattr__(self, item.name, value)
            kind = item.type if isinstance(item.type, str) else getattr(item.type, "__name__", "")
            plain = "Callable" if kind.startswith("Callable[") else kind.removesuffix(" | None")
            expected, fits = KINDS.get(plain, ("", None))
            if fits is not None and not fits(value) and not (value is None and kind.endswith("None")):
                raise ValueError(f"{type(self).__name__}: {item.name} must be {expected}, got {shown(value)}")
            if plain == "Callable" and value is not None:
                arguments = kind[len("Callable[[") : kind.index("]")].split(", ")
                require_call(f"{type(self).__name__}: {item.name}", value, *arguments)

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {name: v for name, v in vars(self).items() if not isinstance(getattr(kind, name, None), cached_property)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update({name: read_only(value) for name, value in state.items()})


def read_only(value: Any) -> Any:
    """Read-only copy of an array, copy of a sparse matrix or a dictionary, tuple of a list; others unchanged."""
    if isinstance(value, np.ndarray):
        copied = value if value.base is None and not value.flags.writeable else value.copy()
        copied.setflags(write=False)
        return copied
    if type(value) in (tuple, list):
        return tuple(read_only(item) for item in value)
    if type(value) is dict:
        return {name: read_only(item) for name, item in value.items()}
    sparse = sys.modules.get("scipy.sparse")  # imported already wherever there is such a matrix
    if sparse is not None and sparse.issparse(value):
        return value.copy()
    if hasattr(value, "__array__") and not isinstance(value, (np.generic, type)):  # of pandas or xarray
        with suppress(TypeError, ValueError, RuntimeError):  # a dataset is none
            return read_only(np.array(value))
    return value
