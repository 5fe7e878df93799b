"""The defaults of a friction law: no internal state, the same in all directions, no totals to share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from friction.arrays import Array
from friction.laws.protocol import RadialLaw
from friction.renamed import LAW_NAMES, warn_renamed

_Self = TypeVar("_Self", bound="StatelessLaw")


class OldNames:
    """The names of version 0.2 for properties and methods of laws."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name not in LAW_NAMES:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            warn_renamed(f"{type(self).__name__}.{name}", LAW_NAMES[name])
            return getattr(self, LAW_NAMES[name])


@dataclass(frozen=True)
class StatelessLaw(OldNames):
    """Give the defaults of a law without internal state, the same in all directions, without totals to share.

    Parameters
    ----------
    cap : float
        The cut ``|λ| <= cap w``, -.
    """

    cap: float = field(default=math.inf, kw_only=True)

    def __post_init__(self) -> None:
        if not self.cap >= 0.0:
            raise ValueError(f"{type(self).__name__}: cap must not be negative, got {self.cap!r}")

    @property
    def has_internal_state(self) -> bool:
        """No memory."""
        return False

    @property
    def has_potential(self) -> bool:
        """λ is the (sub)gradient of ``potential``."""
        return True

    @property
    def velocity_weakening(self) -> bool:
        """No."""
        return False

    @property
    def rate_independent(self) -> bool:
        """No."""
        return False

    @property
    def has_total(self) -> bool:
        """No."""
        return False

    @property
    def metric(self) -> Array | None:
        """None: the same in all directions."""
        return None

    @property
    def radial(self) -> RadialLaw:
        """There is none: ValueError."""
        raise ValueError(
            f"a set-valued law must be radial in the velocities of its metric (derive it from friction.Radial), got {self!r}"
        )

    @property
    def peak(self) -> float:
        """1."""
        return 1.0

    def least_tangent(self, start: Array, end: Array, bound: Array) -> Array:
        """Return 0 (N,): friction does not fall."""
        return np.zeros(len(bound))

    def for_stage(self: _Self, internal_state: Array, tau: float) -> _Self:
        """Return the law itself."""
        return self

    def updated_state(self, internal_state: Array, v: Array, tau: float) -> Array:
        """Return the internal state as it is."""
        return internal_state

    def internal_rate(self, internal_state: Array, v: Array) -> Array:
        """Return 0 (N, 2)."""
        return np.zeros_like(internal_state)

    def stored(self, internal_state: Array, bound: Array) -> Array:
        """Return 0 (N,), J."""
        return np.zeros(len(internal_state))

    def rotated(self: _Self, angle: float) -> _Self:
        """Return the law itself."""
        return self

    def with_total_load(self: _Self, bound: Array) -> _Self:
        """Return the law itself."""
        return self

    def capped(self: _Self, cap: float) -> _Self:
        """Return the law whose ``|λ|`` is cut to cap × w as well.

        Parameters
        ----------
        cap : float
            -, >= 0.

        Returns
        -------
        _Self
        """
        return replace(self, cap=min(self.cap, cap))


def require_positive(law: str, **values: float) -> None:
    """Refuse values that are not positive finite numbers.

    Parameters
    ----------
    law : str
        Name for the message.
    **values
        Numbers by name.

    Raises
    ------
    ValueError
        Names the law and the value.
    """
    for name, value in values.items():
        if not (isinstance(value, (int, float, np.number)) and math.isfinite(value) and value > 0.0):
            unit = " speed in m/s" if name.startswith("v_") or name.endswith("speed") else " number"
            raise ValueError(f"{law}: {name} must be a positive finite{unit}, got {value!r}")


def require_fraction(law: str, name: str, value: float) -> None:
    """Refuse a value outside (0, 1].

    Parameters
    ----------
    law, name : str
        For the message.
    value : float
        The number.

    Raises
    ------
    ValueError
        Names the law and the value.
    """
    if not (isinstance(value, (int, float, np.number)) and 0.0 < value <= 1.0):
        raise ValueError(f"{law}: {name} must lie in (0, 1], got {value!r}")
