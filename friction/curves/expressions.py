"""Expressions such as "1e3*(1 + 0.5*x/0.2)*(t < 1)" as functions of place and time, parsed and computed by numexpr.

numexpr compiles arithmetic, comparisons, `where` and the usual functions to its own bytecode; what else Python has (attributes
and indices of objects, calls, statements) it refuses. Names are checked here as well, so nothing else can be reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numexpr
import numpy as np
from numexpr.necompiler import getExprNames

from friction.arrays import Array

PLACE, TIME = ("x", "y"), ("t",)
"""Names of coordinates X from the body's centre of mass, m, and of time, s; `pi` is known beside them."""


@dataclass(frozen=True)
class Expression:
    """A scalar function of `names`, written out in `text`; see `expression`, which checks it."""

    text: str
    names: tuple[str, ...]

    def __call__(self, X: Array, t: float = 0.0) -> Array:
        """Return the values (N,) at X (N, 2), m, and t, s."""
        points = np.asarray(X, dtype=np.float64)
        values: dict[str, Any] = {"x": points[:, 0].copy(), "y": points[:, 1].copy(), "t": np.float64(t), "pi": np.pi}
        found = numexpr.evaluate(
            self.text, local_dict={name: values[name] for name in self.names}, global_dict={}, truediv=True
        )
        return np.broadcast_to(np.asarray(found, dtype=np.float64), (len(points),)).copy()


@lru_cache(maxsize=128)
def expression(what: str, text: str, allowed: tuple[str, ...]) -> Expression:
    """Return the expression `text`, which may use the names `allowed` and pi; `what` it stands for is named in errors.

    ValueError for another name, for what numexpr does not know, and for text that is no expression.
    """
    known = (*allowed, "pi")
    try:
        used = tuple(getExprNames(text, {}, sanitize=True)[0])
    except Exception as error:  # numexpr parses with Python's compiler and its own operators: errors of many classes
        raise ValueError(f"{what}: {text!r} is not an expression in {', '.join(known)}: {error}") from None
    for name in used:
        if name not in known:
            raise ValueError(f"{what}: {text!r} uses {name!r}; the names are {', '.join(known)}")
    found = Expression(text, used)
    try:
        found(np.ones((1, 2)), 1.0)
    except Exception as error:
        raise ValueError(f"{what}: {text!r} cannot be computed: {error}") from None
    return found
