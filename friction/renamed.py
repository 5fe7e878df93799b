"""Names of version 0.2 that still work: each is told apart by a ``DeprecationWarning`` that says its new name."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")

LAW_NAMES = {
    "remembers": "has_internal_state",
    "during": "for_stage",
    "remembered": "updated_state",
    "memory_rate": "internal_rate",
    "falls": "velocity_weakening",
    "within": "capped",
    "shared": "with_total_load",
    "turned": "rotated",
}
"""Properties and methods of laws."""


def warn_renamed(old: str, new: str) -> None:
    """Warn that a name of version 0.2 was used, where the caller's caller stands."""
    warnings.warn(f"{old} is now called {new}", DeprecationWarning, stacklevel=3)


def renamed_arguments(**names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Accept keyword arguments by their old names as well; ``names``: old name = new name."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def accepting(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            for old in names.keys() & kwargs.keys():
                warn_renamed(f"{function.__name__}({old}=)", f"{names[old]}=")
                kwargs[names[old]] = kwargs.pop(old)
            return function(*args, **kwargs)

        return accepting

    return decorate
