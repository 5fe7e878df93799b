"""Options and result of the friction solver."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from friction.arrays import Array, shown
from friction.given import Given


@dataclass(frozen=True, kw_only=True)
class TrescaOptions(Given):
    """Options of ``friction.solve``.

    Parameters
    ----------
    rtol : float
        Tolerance of the residuals over max(max w, the part's scale), or the part's rounding where that is larger; -.
    max_iterations : int
        Semismooth Newton steps, chord steps included, with each weight, before the path of smoothed problems is followed.
    chord_steps : float
        A factor is reused while the convergence rate predicts at most this number of further solves with it.
    max_fallback_iterations : int
        Newton steps along the path of smoothed problems, or of the transient of laws without stick; 0: neither is followed.
    fallback_only : bool
        Start with the path of smoothed problems (for comparison and tests).

    Raises
    ------
    ValueError
        For values out of range.
    """

    rtol: float = 1e-11
    max_iterations: int = 40
    chord_steps: float = 6.0
    max_fallback_iterations: int = 90
    fallback_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (math.isfinite(self.rtol) and 0.0 < self.rtol < 1.0):
            raise ValueError(f"TrescaOptions: rtol must be between 0 and 1, got {shown(self.rtol)}")
        for name in ("max_iterations", "max_fallback_iterations"):
            if getattr(self, name) < 0:
                raise ValueError(f"TrescaOptions: {name} must not be negative, got {getattr(self, name)!r}")
        if not self.chord_steps >= 0.0:
            raise ValueError(f"TrescaOptions: chord_steps must not be negative, got {shown(self.chord_steps)}")


@dataclass(frozen=True, kw_only=True)
class TrescaResult:
    """Solution of a friction problem, with its residuals and counts.

    Parameters
    ----------
    velocity : Array
        v (N, 2), m/s; exactly 0.0 at sticking and fixed nodes.
    multiplier : Array
        λ (N, 2), N, the friction force on the body being −λ: within the law's bound in stick (Coulomb: ``|λ| <= w``), the law's
        force in slip (``w v/|v|``), 0 at free nodes, unbounded (a reaction, friction included) at fixed nodes.
    state : ndarray
        (N,) int8, one of ``STATES``: FREE where w = 0, REVERSED where slip is against the reference velocity, HELD where fixed.
    residual_stick : float
        max of ``(|g| − w)+`` over nodes at rest, with the law's own bound, N (elliptic: where it is a disc).
    residual_slip : float
        max of ``|g + λ|`` over moving nodes, N.
    tolerance : float
        Bound of both residuals, N.
    iterations : int
        Semismooth Newton steps, chord steps included.
    fallback_iterations : int
        Newton steps along the path of smoothed problems, or of the transient.
    factorisations, solves : int
        Of the sparse factor, all methods together.
    method : str
        "newton" and with which weight, "smoothed": the path, "linear": linear part, no friction; or "regularised": a law that is a
        function of v.
    """

    velocity: Array
    multiplier: Array
    state: NDArray[np.int8]
    residual_stick: float
    residual_slip: float
    tolerance: float
    method: str
    iterations: int = 0
    fallback_iterations: int = 0
    factorisations: int = 0
    solves: int = 0
