"""Normal pressure that reacts: friction shifts the weight where in-plane forces act at a height (``redistribution``)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from friction.arrays import Array, is_finite, shown
from friction.curves.expressions import PLACE, TIME
from friction.fields import given_field
from friction.given import Given


@dataclass(frozen=True)
class Reacting(Given):
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
        super().__post_init__()
        if not (is_finite(self.height) and self.height >= 0.0):
            raise ValueError(f"Reacting: height must be a finite length >= 0 m, got {shown(self.height)}")
        given_field("Reacting: pressure", self.pressure, (*PLACE, *TIME), ("X", "t"))
