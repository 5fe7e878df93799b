"""Normal pressure that reacts: where in-plane forces act at a height above the ground, friction shifts the weight.

A body whose forces act h above the ground is pressed by p_n = p0 max(0, a + b·d), d the place from its centre of mass along the
plane: of all pressures that carry its weight N and the moment of the friction force F about the horizontal axes,

    Σ p_i = N,    Σ d_i p_i = −h F,

that of least Σ p_i²/(2 p0_i), as under feet of equal compliance. It is the gradient of a convex function of (a, b), and Newton's
method finds it; there is none where −h F/N lies outside the hull of the points, and the body tips.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from friction.arrays import Array, is_finite
from friction.errors import RigidFrictionError

_ROUNDS, _DAMPING = 60, 1e-4
SETTLED, ACCEPTED = 1e-14, 1e-12
"""Part of the weight, and of its moment about the farthest point, that may be missed; the second is what rounding may leave."""


class Tips(RigidFrictionError):
    """Say that no pressure bears the moment of friction: the body would tip over an edge."""


@dataclass(frozen=True)
class Reacting:
    """Represent a normal pressure that friction redistributes.

    Parameters
    ----------
    height : float
        Height h, m, above the ground at which in-plane forces act: that of the centre of mass.
    pressure : float or str or Array or Callable
        Pressure p0, Pa, of the body at rest, as ``Foundation.pressure``; its centre is the centre of mass.

    Raises
    ------
    ValueError
        For a height that is negative or not finite.
    """

    height: float
    pressure: float | str | Array | Callable[[Array, float], Array | float]

    def __post_init__(self) -> None:
        if not (is_finite(self.height) and self.height >= 0.0):
            raise ValueError(f"Reacting: height must be a finite length >= 0 m, got {self.height!r}")


def redistribution(load: Array, arms: Array, moment: Array) -> Array:
    """Return by what each point's load is multiplied, (N,): max(0, a + b·d). Raises ``Tips`` where no pressure bears the moment.

    ``load``: normal forces (N,), N, of the body at rest; ``arms`` d (N, 2), m, from the centre of mass; ``moment`` Σ d p (2,), N m,
    to be borne: −h F.
    """
    weight, reach = float(load.sum()), float(np.abs(arms).max(initial=0.0))
    if weight <= 0.0 or reach == 0.0:
        return np.ones(len(load))
    rows = np.column_stack([np.ones(len(load)), arms / reach])
    wanted = np.array([weight, *(moment / reach)])
    unknown = np.array([1.0, 0.0, 0.0])
    for _ in range(_ROUNDS):
        active: Array = np.maximum(rows @ unknown, 0.0)
        rest = rows.T @ (load * active) - wanted
        missed = float(np.abs(rest).max())
        if missed <= SETTLED * weight:
            break
        # Where the points that press lie on a line the tangent is singular; what is added vanishes with the rest.
        tangent = (rows * (load * (active > 0.0))[:, None]).T @ rows + _DAMPING * missed * np.eye(3)
        step = np.linalg.solve(tangent, rest)
        unknown = unknown - _length(rows, load, wanted, unknown, step) * step
    if missed <= ACCEPTED * weight:
        return active
    raise Tips(
        f"no pressure on the ground bears the moment of friction, {float(np.linalg.norm(moment)) / weight:.4g} m times the weight: "
        "the body tips"
    )


def _length(rows: Array, load: Array, wanted: Array, unknown: Array, step: Array) -> float:
    """Return the part of Newton's step that lowers ½ Σ p0 max(0, a + b·d)² − wanted·(a, b)."""

    def value(at: Array) -> float:
        return 0.5 * float(load @ np.maximum(rows @ at, 0.0) ** 2) - float(wanted @ at)

    slope = float((rows.T @ (load * np.maximum(rows @ unknown, 0.0)) - wanted) @ step)
    start, length = value(unknown), 1.0
    while length > 1e-4 and value(unknown - length * step) > start - 1e-4 * length * slope + 1e-15 * abs(start):
        length *= 0.5
    return length
