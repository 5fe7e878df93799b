"""Checks of input: errors advise in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from friction.arrays import Array, as_numbers, is_finite, is_function, require_call, shown

PLURAL = {"loads": "load", "contacts": "contact", "effects": "effect"}


def require(fits: bool | np.bool_, what: str, words: str, value: object) -> None:
    """Refuse a ``value`` that does not fit: ValueError in one line, ``what`` must ``words``, got the value."""
    if not fits:
        raise ValueError(f"{what} must {words}, got {shown(value)}")


def require_one_of(names: Iterable[str], what: str, value: object) -> None:
    """Refuse a ``value`` that is none of the ``names``: ValueError lists them."""
    names_text = tuple(names)
    require(isinstance(value, str) and value in names_text, what, f"be one of {', '.join(names_text)}", value)


def require_end(t_end: float) -> None:
    """Refuse an unfit end time: ValueError."""
    require(is_finite(t_end) and t_end > 0.0, "t_end", "be a finite time > 0 s", t_end)


def finite_array(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """``value`` as an array. Raises ValueError for texts, another shape (-1: any length), and numbers that are not finite."""
    array = as_numbers(value, what)
    expected = (
        shape
        if array.ndim != len(shape)
        else tuple(n if n >= 0 else m for n, m in zip(shape, array.shape, strict=True))
    )
    if array.shape != expected or not np.all(np.isfinite(array)):
        got = " ".join(repr(value).split()) if array.size <= 9 else f"shape {array.shape}"
        raise ValueError(f"{what} must be finite with shape {shape}, got {got}")
    return array


def vector(value: ArrayLike, what: str, d: int | None = None) -> Array:
    """``d`` (None: two or three) finite numbers. Raises ValueError for others."""
    array = as_numbers(value, what)
    words, counts = ("two or three", (2, 3)) if d is None else ({2: "two", 3: "three"}[d], (d,))
    fits = array.ndim == 1 and len(array) in counts and bool(np.all(np.isfinite(array)))
    require(fits, what, f"be {words} finite numbers", value)
    return array


def vectors(function: Callable[[float], Any], times: Array, what: str, d: int) -> Array:
    """Values (K, d) of a ``function`` of time: looked at together, and one by one where one does not fit. Raises ValueError as
    ``vector``."""
    with suppress(TypeError, ValueError):
        values = np.array([tuple(function(t)) for t in times.tolist()])
        if values.dtype.kind in "iuf" and values.shape == (len(times), d) and np.isfinite(values).all():
            return values.astype(float)
    return np.array([vector(function(t), what, d) for t in times.tolist()])


INSTANTS, OFF, NEAR = 33, 1e-3, (1e-4, 1e-6)
"""Instants at which given rates are compared with differences of their path, the relative tolerance, and steps, s."""


def check_rates(path: Callable[[float], Array], rates: Callable[[float], Array], t_end: float, what: str) -> None:
    """Refuse ``rates`` that are not the derivative of a ``path``, functions of time (d,), within ``t_end`` s: ValueError. They must
    be near a forward or a backward difference: a path may have kinks, or turn fast."""
    times, off, differences = t_end * (np.arange(INSTANTS) + 0.5) / INSTANTS, np.full(INSTANTS, np.inf), np.zeros(0)
    given = np.array([rates(t) for t in times])
    for h in (sign * min(near, t_end / (8 * INSTANTS)) for near in NEAR for sign in (1.0, -1.0)):
        places = np.array([[path(t + k * h) for k in range(3)] for t in times])
        differences = np.einsum("k,nka->na", [-3.0, 4.0, -1.0], places) / (2.0 * h)
        rounding = 64.0 * np.finfo(float).eps * np.abs(places).max() / abs(h)
        off = np.minimum(off, np.abs(differences - given).max(axis=1) - rounding)
    worst = int(np.argmax(off))
    if off[worst] > OFF * max(np.abs(given).max(), np.abs(differences).max()):
        raise ValueError(
            f"{what} must be the derivative of its path: at t = {times[worst]:.6g} s they are {_listed(given[worst])}, that is "
            f"{_listed(differences[worst])}; leave them out to have them by differences"
        )


def _listed(values: Array) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in values + 0.0) + ")"


HISTORY = "a course in time such as Ramp(0.1) or Function(f)"
PARTS = {
    "body": (
        "deformable",
        "a plate, a rigid body, a beam or its axis, in space a RigidSolid or a Solid",
        "; Plate.build(mesh, thickness=..., density=..., material=...) makes a plate of a mesh",
    ),
    "frame": ("name", "a frame condition such as MeanAxis()", ""),
    "initial": ("fields", "InitialState(velocity=(1.0, 0.0), spin=...)", ""),
}
"""Parts of a problem: required attribute, description, and advice."""
MEMBERS = {
    "contacts": ("obstacle", "contacts such as Contact(obstacle, edge='right', normal=...)"),
    "effects": ("on", "effects such as Spring('left', stiffness=...)"),
}


def check_kind(owner: str, name: str, value: Any, face: str, expected: str, advice: str = "") -> None:
    """Refuse a value without the attribute ``face`` of the expected kind: ValueError."""
    if isinstance(value, type) or not hasattr(value, face):
        raise ValueError(f"{owner}: {name} must be {expected}, got {shown(value)}{advice}")


def check_parts(problem: Any) -> None:
    """Refuse parts of a problem of another kind than expected: ValueError."""
    for name, kind in PARTS.items():
        check_kind("Problem", name, getattr(problem, name), *kind)
    if problem.foundation is not None:
        check_kind(
            "Problem", "foundation", problem.foundation, "reaction", "Foundation(law=Coulomb(), mu=..., pressure=...)"
        )
    for name, one in PLURAL.items():
        parts = getattr(problem, name)
        if not isinstance(parts, (tuple, list)):
            raise ValueError(f"Problem: {name} must be a tuple: write {name}=({one},) for one, got {shown(parts)}")
        for part in parts if name in MEMBERS else ():
            check_kind("Problem", name, part, *MEMBERS[name])
    for load in problem.loads:
        if load is None or isinstance(load, (Real, str, tuple, list)):
            raise ValueError(f"Problem: loads must be loads such as {EDGE_LOAD}, got {shown(load)}")
        if hasattr(load, "history"):
            check_kind(type(load).__name__, "history", load.history, "value", HISTORY)


EDGE_LOAD = "EdgeLoad('right', force=(1.0, 0.0))"


def check_function(owner: str, name: str, value: object, of: str) -> None:
    """Refuse a value that is not a function ``of`` its arguments: ValueError."""
    require(is_function(value), f"{owner}: {name}", f"be a function of {of}", value)
    require_call(f"{owner}: {name}", value, *of.split(" and "))
