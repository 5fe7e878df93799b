"""What a caller gives: kept as copies, and pickled without what is computed from it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse


class Given:
    """A frozen dataclass whose arrays are its own and read-only: what a caller does with those that were given changes nothing.

    Pickled and copied without its cached properties. A record with a ``__post_init__`` of its own calls this one first.
    """

    def __post_init__(self) -> None:
        for item in fields(self):  # type: ignore[arg-type]  # a dataclass
            object.__setattr__(self, item.name, owned(getattr(self, item.name)))

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {name: v for name, v in vars(self).items() if not isinstance(getattr(kind, name, None), cached_property)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update({name: owned(value) for name, value in state.items()})


def owned(value: Any) -> Any:
    """Return a read-only copy of an array, a copy of a sparse matrix or a dictionary, a tuple for a list; others as they are."""
    if isinstance(value, np.ndarray):
        copied = value if value.base is None and not value.flags.writeable else value.copy()
        copied.setflags(write=False)
        return copied
    if type(value) in (tuple, list):
        return tuple(owned(item) for item in value)
    if type(value) is dict:
        return {name: owned(item) for name, item in value.items()}
    if issparse(value):
        return value.copy()
    if hasattr(value, "__array__") and not isinstance(value, (np.generic, type)):  # of pandas or xarray
        with suppress(TypeError, ValueError):  # a dataset is none
            return owned(np.array(value))
    return value
