"""Frames of clamped bodies: u = 0 on an edge that moves with the frame (Szefer, case B, Fig. 3b; (3.11), (3.12)).

Each of the clamp's motions x, y, α is free or prescribed by its rate in time (rheonomic). The free rows of (3.4)1 are equations
for the free entries of q' (docs/theory.md, section 7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.kernels import cross_sum
from floating_frame.frame.kinematics import Array, turned
from floating_frame.frame.rigid_modes import modes_of
from floating_frame.input_checks import check_kind, require_one_of
from friction.arrays import require_call, shown
from friction.given import Given

COORDINATES = ("x", "y", "angle")


@dataclass(frozen=True)
class Clamped(Given):
    """u = 0 on the named ``edge``. ``free``: which of "x", "y", "angle" are free; ``rates``: prescribed rates of others, as
    continuous functions of time (m/s, m/s, rad/s; 0 where not given). Raises ValueError for unknown or doubly used names."""

    edge: str
    free: tuple[str, ...] = ("x",)
    rates: Mapping[str, Callable[[float], float]] = field(default_factory=dict)
    name: str = "clamped"
    holonomic: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind("Clamped", "rates", self.rates, "items", 'a dictionary of functions of time such as {"y": f}')
        for what in (*self.free, *self.rates):
            require_one_of(COORDINATES, "a clamp's motion", what)
        for what, rate in self.rates.items():
            if not callable(rate):
                raise ValueError(f"the rate of a clamp's {what} must be a function of time, got {shown(rate)}")
            require_call(f"the rate of a clamp's {what}", rate, "t")
        both = sorted(set(self.free) & set(self.rates))
        if both:
            raise ValueError(f"a clamp's motion is either free or prescribed, not both: {', '.join(both)}")

    @property
    def free_mask(self) -> NDArray[np.bool_]:
        """(3,) true where q is free."""
        return np.array([name in self.free for name in COORDINATES])

    @property
    def turns(self) -> bool:
        """True if it may turn."""
        return "angle" in (*self.free, *self.rates)

    def prescribed(self, time: float) -> Array:
        """Prescribed q' (3,) at ``time``, 0 where free. Raises ValueError where it is not a finite number."""
        rates = np.array([float(self.rates[name](time)) if name in self.rates else 0.0 for name in COORDINATES])
        if not np.all(np.isfinite(rates)):
            bad = int(np.argmin(np.isfinite(rates)))
            raise ValueError(
                f"the prescribed rate of the clamp's {COORDINATES[bad]} must be finite, got {rates[bad]} at t = {time:.6g} s"
            )
        return rates


def with_clamp_couple(internal: Array, r: Array, reference: Array, clamp: NDArray[np.intp]) -> Array:
    """Non-objective (small-strain) internal force (N, 2), N, made power-consistent in a turning clamp.

    Its power f·u' contains −ω Σ r × f (see ``Model.moment_force``), so this couple acts on the clamp, whose nodes, in rigid motion,
    take its resultant only. ``r`` = X + u, ``reference`` X (N, 2) m, body components.
    """
    arm = reference[clamp] - reference[clamp].mean(axis=0)
    total = internal.copy()
    total[clamp] -= cross_sum(r, internal) / np.einsum("na,na->", arm, arm) * turned(arm)
    return total


def distribute_wrench(wrench: Array, arms: Array, weights: Array, free: NDArray[np.bool_]) -> Array:
    """Multipliers λ_i = w_i v_i(z) (n, 2) N with the free resultants Σ Gᵢᵀλᵢ of ``wrench`` (3,)."""
    modes = modes_of(arms)[free]
    gram = np.einsum("kna,n,lna->kl", modes, weights, modes)
    rates: Array = np.linalg.lstsq(gram, wrench[free], rcond=None)[0]
    return weights[:, None] * np.tensordot(rates, modes, 1)
