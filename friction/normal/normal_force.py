"""Normal contact forces: the spring-damper of a commercial multibody code, by coefficients, by splines, or by a function.

At penetration d > 0 with rate d' (RecurDyn, standard contact force)

    f_n = k d^m1 + c sgn(d') |d'|^m2 d^m3,      f_n = 0 for d <= 0,

and never tensile (f_n >= 0) unless asked. The elastic part has the potential E(d) = k d^(m1+1)/(m1+1). Losses, and the purpose of
m3 and of the ``onset`` h (the damper times 3 s^2 - 2 s^3, s = d/h): docs/laws-and-contact.md, "Normal contact force".
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from friction.arrays import Array, Bools, is_finite, is_function, require_call, shown
from friction.curves.tables import Table, odd_table
from friction.given import Given

Pairs = Sequence[Sequence[float]] | Array


class NormalLaw(Protocol):
    """Normal force f_n of a contact as a function of penetration d, m, its rate d', m/s, and time, s.

    Unit N at a point, N/m along an edge, energies J and J/m; all of the shape of d, and 0 for d <= 0.
    """

    penalty: ClassVar[bool] = True
    """False for exact contact, which has no such function."""

    @property
    def jumps(self) -> bool:
        """True where the force jumps at first touch."""
        return False

    @property
    def damps(self) -> bool:
        """False where the force is elastic."""
        return True

    @abstractmethod
    def force(self, delta: ArrayLike, rate: ArrayLike, time: float = 0.0) -> Array:
        """Normal force f_n."""

    @abstractmethod
    def derivatives(self, delta: ArrayLike, rate: ArrayLike, time: float = 0.0) -> tuple[Array, Array]:
        """Derivatives (∂f_n/∂d, ∂f_n/∂d'); 0 where the force is cut off."""

    def elastic(self, delta: ArrayLike) -> Array:
        """Elastic part of the force, dE/dd; 0 where unknown."""
        return np.zeros(np.shape(delta))

    def energy(self, delta: ArrayLike) -> Array:
        """Elastic energy E(d); 0 where unknown."""
        return np.zeros(np.shape(delta))


@dataclass(frozen=True)
class NormalForce(Given, NormalLaw):
    """A spring-damper: ``f_n = k d^m1 + c sgn(d')|d'|^m2 d^m3``, N at a point, N/m along an edge (per unit of reference length).

    Parameters
    ----------
    stiffness : float
        k >= 0, unit of f_n per m^m1.
    damping : float
        c >= 0, unit of f_n per (m/s)^m2 m^m3.
    m1, m2, m3 : float
        Exponents, m1, m2 >= 1, m3 >= 0.
    stiffness_spline : Pairs, optional
        Pairs (d in m, force), from (0, 0) with growing d and no negative force; a monotone (PCHIP) spline, straight beyond its end,
        where it must not fall (it would pull), in place of k d^m1.
    damping_spline : Pairs, optional
        Pairs (d' in m/s, force), through (0, 0), the force with the sign of d'; odd where only d' >= 0 is given, straight beyond
        its ends, where it must not fall (it would drive); in place of ``c sgn(d')|d'|^m2``, so d^m3 stays.
    onset : float
        Penetration, m, over which the damper sets in (0: at once).
    tensile : bool
        Let f_n be negative too.

    Raises
    ------
    ValueError
        For values out of range, and for a spline together with the coefficient it replaces.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    _: KW_ONLY
    m1: float = 1.0
    m2: float = 1.0
    m3: float = 0.0
    stiffness_spline: Pairs | None = None
    damping_spline: Pairs | None = None
    onset: float = 0.0
    tensile: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        least_values = {"stiffness": 0.0, "damping": 0.0, "m1": 1.0, "m2": 1.0, "m3": 0.0, "onset": 0.0}
        for name, least in least_values.items():
            value = getattr(self, name)
            if not (is_finite(value) and value >= least):
                raise ValueError(f"NormalForce: {name} must be a finite number >= {least:g}, got {shown(value)}")
        if not (self.stiffness > 0.0 or self.damping > 0.0 or self.stiffness_spline is not None or self.damps):
            raise ValueError("NormalForce: needs a stiffness > 0, a damping > 0 or a spline, got none of them")
        for name, table in (("stiffness", self._spring), ("damping", self._damper)):  # checked on access
            if table is None:
                continue
            if getattr(self, name) > 0.0:
                raise ValueError(f"NormalForce: {name}: expected 0 with {name}_spline, got {getattr(self, name)!r}")
            if np.any(table.curve(table.x[[0, -1]], 1)[1 if table.x[0] == 0.0 else 0 :] < 0.0):
                raise ValueError(
                    f"NormalForce: {name}_spline must not end falling, as it goes on straight, got {table.y.tolist()}"
                )

    @property
    def damps(self) -> bool:
        return self.damping > 0.0 or self.damping_spline is not None

    @property
    def jumps(self) -> bool:
        return self.damps and self.m3 == 0.0 and self.onset == 0.0

    @cached_property
    def _spring(self) -> Table | None:
        if self.stiffness_spline is None:
            return None
        table = Table.of("NormalForce: stiffness_spline", self.stiffness_spline)
        if table.x[0] != 0.0 or table.y[0] != 0.0 or np.any(table.y < 0.0):
            raise ValueError("NormalForce: stiffness_spline must begin with (0, 0) and have no negative force")
        return table

    @cached_property
    def _damper(self) -> Table | None:
        if self.damping_spline is None:
            return None
        table = odd_table("NormalForce: damping_spline", self.damping_spline)
        if np.any(table.x * table.y < 0.0) or not np.any((table.x == 0.0) & (table.y == 0.0)):
            raise ValueError("NormalForce: damping_spline must pass through (0, 0) with forces of the sign of the rate")
        return table

    @cached_property
    def numbers(self) -> Array:
        """Parameters for ``normal.kernels``."""
        spring, damper = (np.zeros(0) if table is None else table.numbers for table in (self._spring, self._damper))
        given = (self.stiffness, self.damping, self.m1, self.m2, self.m3, self.onset, self.jumps, self.tensile)
        first = len(given) + 2
        places = first if len(spring) else 0, first + len(spring) if len(damper) else 0
        return np.array([*given, *places, *spring, *damper], dtype=np.float64)

    def _at(self, delta: ArrayLike, rate: ArrayLike) -> Array:
        """Force f_n, its derivatives, its elastic part and the energy, (5, ...)."""
        from friction.normal.kernels import normals

        d, rate = np.broadcast_arrays(np.asarray(delta, float), np.asarray(rate, float))
        out = np.empty((5, d.size))
        normals(self.numbers, d.flatten(), rate.flatten(), out)
        return out.reshape(5, *d.shape)

    def force(self, delta: ArrayLike, rate: ArrayLike, time: float = 0.0) -> Array:
        return np.asarray(self._at(delta, rate)[0])

    def derivatives(self, delta: ArrayLike, rate: ArrayLike, time: float = 0.0) -> tuple[Array, Array]:
        _, stiff, viscous, _, _ = self._at(delta, rate)
        return stiff, viscous

    def elastic(self, delta: ArrayLike) -> Array:
        return np.asarray(self._at(delta, 0.0)[3])

    def energy(self, delta: ArrayLike) -> Array:
        return np.asarray(self._at(delta, 0.0)[4])


Function = Callable[[Array, Array, float], ArrayLike]
Slopes = Callable[[Array, Array, float], tuple[ArrayLike, ArrayLike]]


@dataclass(frozen=True)
class UserForce(Given, NormalLaw):
    """A contact force given by a function, for d > 0, assumed continuous at d = 0.

    Its energy is unknown, so that all of its work counts as dissipated.

    Parameters
    ----------
    function : Function
        (d (M,), m, d' (M,), m/s, t, s) -> f_n (M,).
    slopes : Slopes, optional
        (d, d', t) -> (∂f/∂d, ∂f/∂d'); by default central differences (relative error about 1e-10).
    tensile : bool
        False: cut off at f_n >= 0.
    """

    function: Function
    slopes: Slopes | None = None
    tensile: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, given in (("function", self.function), ("slopes", self.slopes)):
            if not (is_function(given) or (name == "slopes" and given is None)):
                raise ValueError(f"UserForce: {name} must be a function of (d, rate, t), got {shown(given)}")
            if given is not None:
                require_call(f"UserForce: {name}", given, "d", "rate", "t")

    def _raw(self, d: Array, rate: Array, time: float) -> Array:
        value = np.asarray(self.function(d, rate, time), float)
        if value.shape not in ((), d.shape) or not np.all(np.isfinite(value)):
            raise ValueError(
                f"UserForce: the function must give finite forces of shape {d.shape}, got shape {value.shape}"
            )
        return np.broadcast_to(value, d.shape)

    def _evaluated(self, delta: ArrayLike, rate: ArrayLike, time: float) -> tuple[Array, Array, Array, Bools]:
        d, rate = np.broadcast_arrays(np.asarray(delta, float), np.asarray(rate, float))
        depth = np.where(d > 0.0, d, 1.0)
        force = self._raw(depth, rate, time)
        return depth, rate, force, (d > 0.0) & (self.tensile | (force > 0.0))

    def force(self, delta: ArrayLike, rate: ArrayLike, time: float = 0.0) -> Array:
        _, _, force, acts = self._evaluated(delta, rate, time)
        return np.where(acts, force, 0.0)

    def derivatives(self, delta: ArrayLike, rate: ArrayLike, time: float = 0.0) -> tuple[Array, Array]:
        d, rate, _, acts = self._evaluated(delta, rate, time)
        if self.slopes is not None:
            stiff, viscous = (np.asarray(s, float) for s in self.slopes(d, rate, time))
        else:
            h, k = 6e-6 * d, 6e-6 * np.maximum(np.abs(rate), 1e-3)
            stiff = (self._raw(d + h, rate, time) - self._raw(d - h, rate, time)) / (2.0 * h)
            viscous = (self._raw(d, rate + k, time) - self._raw(d, rate - k, time)) / (2.0 * k)
        return np.where(acts, stiff, 0.0), np.where(acts, viscous, 0.0)
