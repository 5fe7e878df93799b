"""Friction over velocity by a spline through given points, as a coefficient relative to w or as a force on the body.

The spline is Fritsch and Carlson's (scipy's PchipInterpolator): monotone between any two points, hence never negative
between data that are not negative (a natural cubic spline can be, and would then drive the body), once
differentiable, and constant beyond the last point. A value > 0 at speed 0 is the bound of a true stick (set-valued law);
with the value 0 there the law is a regularised one, which creeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from friction.arrays import Array, as_numbers
from friction.curves.tables import Table
from friction.laws.common import SPLINE, SharedTotal
from friction.laws.protocol import StatelessLaw
from friction.laws.radial import CompiledRadial


def _store_floats(of: CoefficientSpline | ForceSpline, name: str) -> None:
    """Store a law's speeds and the values ``name`` as tuples of floats; ValueError for others."""
    law = type(of).__name__
    x, y = (as_numbers(values, f"{law}: speeds and {name}") for values in (of.speeds, getattr(of, name)))
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
        raise ValueError(f"{law}: speeds and {name} must be two lists of one length >= 2, got {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError(f"{law}: speeds and {name} must be finite, got {x.tolist()} and {y.tolist()}")
    if x[0] != 0.0 or not (np.diff(x) > 0.0).all():
        raise ValueError(f"{law}: speeds must increase from 0 m/s, got {x.tolist()}")
    if y.min() < 0.0:
        raise ValueError(f"{law}: {name} must not be negative, got {float(y.min())!r}")
    object.__setattr__(of, "speeds", tuple(x.tolist()))
    object.__setattr__(of, name, tuple(y.tolist()))


@dataclass(frozen=True)
class CoefficientSpline(CompiledRadial):
    """Coefficient of friction over speed by a spline through given points: λ = w m(s) n.

    Parameters
    ----------
    speeds : Sequence[float]
        Increasing from 0, m/s.
    coefficients : Sequence[float]
        Relative to w (mu(s) over the coefficient of w), -, >= 0.
    """

    speeds: Sequence[float]
    coefficients: Sequence[float]
    kind: ClassVar[int] = SPLINE

    def __post_init__(self) -> None:
        super().__post_init__()
        _store_floats(self, "coefficients")

    @property
    def set_valued(self) -> bool:
        return self.coefficients[0] > 0.0

    @property
    def constant(self) -> bool:
        return min(self.coefficients) == max(self.coefficients)

    @cached_property
    def _table(self) -> Table:
        return Table.of("CoefficientSpline", np.column_stack([self.speeds, self.coefficients]))

    def knots(self) -> tuple[float, ...]:
        return tuple(self.speeds)

    @property
    def own(self) -> tuple[float, ...]:
        """Parameters of the table."""
        return tuple(self._table.numbers.tolist())


@dataclass(frozen=True)
class ForceSpline(SharedTotal, StatelessLaw):
    """Friction force of the whole body, all nodes at one speed, through given points: λ_i = F(s_i) w_i/Σw n_i, independent of mu.

    Parameters
    ----------
    speeds : Sequence[float]
        Increasing from 0, m/s.
    forces : Sequence[float]
        N, >= 0.
    """

    speeds: Sequence[float]
    forces: Sequence[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        _store_floats(self, "forces")

    @property
    def set_valued(self) -> bool:
        return self.forces[0] > 0.0

    @property
    def velocity_weakening(self) -> bool:
        return bool((np.diff(self.forces) < 0.0).any())

    def with_total_load(self, bound: Array) -> CoefficientSpline:
        """The law with coefficients F/Σw."""
        total = float(bound.sum()) or 1.0  # without a bound there is no friction
        return CoefficientSpline(self.speeds, tuple(f / total for f in self.forces), cap=self.cap)
