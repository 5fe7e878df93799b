"""Mistakes that are easily made in a problem or its options: refused with what to write instead."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from floating_frame.frame.kinematics import Array

PLURAL = {"loads": "load", "contacts": "contact", "effects": "effect"}


def require(fits: bool | np.bool_, what: str, words: str, value: object) -> None:
    """Refuse a ``value`` that does not fit: ValueError, in one line, says what it must be and what it is."""
    if not fits:
        raise ValueError(f"{what} must {words}, got {repr(value) if isinstance(value, str) else value}")


def require_end(t_end: float) -> None:
    """Refuse an end time that is none: ValueError."""
    require(np.isfinite(t_end) and t_end > 0.0, "t_end", "be a finite time > 0 s", t_end)


def finite_array(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """Return ``value`` as an array. Raises ValueError for texts, another shape, and what is not finite."""
    array = np.asarray(value)
    if array.dtype.kind in "US":
        raise ValueError(f"{what} must be numbers, got {value!r}")
    if array.shape != shape or not np.all(np.isfinite(array)):
        got = repr(value) if array.size <= 9 else f"shape {array.shape}"
        raise ValueError(f"{what} must be finite with shape {shape}, got {got}")
    return array.astype(float)


def check_numbers(owner: str, values: dict[str, Any]) -> None:
    """Refuse what is no number, texts among it: ValueError."""
    for name, value in values.items():
        if not isinstance(value, Real):
            raise ValueError(f"{owner}: {name} must be a number, got {value!r}")


def check_parts(problem: Any) -> None:
    """Refuse parts of a problem that are something else than what belongs there: ValueError."""
    check_numbers("Problem", {"t_end": problem.t_end})
    if not hasattr(problem.body, "deformable"):
        raise ValueError(
            f"Problem: body must be a plate, a rigid body or the axis of a beam, got {_short(problem.body)}; "
            "Plate.build(mesh, thickness=..., density=..., material=...) makes a plate of a mesh"
        )
    if problem.foundation is not None and not hasattr(problem.foundation, "law"):
        raise ValueError(
            f"Problem: foundation must be Foundation(law=Coulomb(), mu=..., pressure=...), got {_short(problem.foundation)}"
        )
    if isinstance(problem.frame, type) or not hasattr(problem.frame, "name"):
        raise ValueError(f"Problem: frame must be a frame condition such as MeanAxis(), got {_short(problem.frame)}")
    for name, one in PLURAL.items():
        parts = getattr(problem, name)
        if not isinstance(parts, (tuple, list)):
            raise ValueError(f"Problem: {name} must be a tuple: write {name}=({one},) for one, got {_short(parts)}")
    for load in problem.loads:
        if isinstance(load, (Real, str, tuple, list)):
            raise ValueError(
                f"Problem: loads must be loads such as EdgeLoad('right', force=(1.0, 0.0)), got {_short(load)}"
            )
        if hasattr(load, "history") and not hasattr(load.history, "breaks"):
            raise ValueError(
                f"{type(load).__name__}: history must be a course in time such as Ramp(0.1) or Function(f), "
                f"got {_short(load.history)}"
            )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{type(value).__name__}(...)"
