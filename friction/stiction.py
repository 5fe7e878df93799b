"""The sliding & stiction type of seed 002: bristles that bend by at most Delta_max carry a body at rest.

In |v| <= v_s, with the bristles' deflection Delta (2,) and D = step5(|Delta|, -Delta_max, -1, Delta_max, 1) Delta/|Delta|,

    lambda = w [(1 - beta) D + beta n],   beta = step5(|v|, -v_s, -1, v_s, 1)   (0 at rest, 1 at v_s);

beyond, lambda is that of the sliding type, whose profile below v_s is the same beta. The bristles follow the slip,
dDelta/dt = kappa v with kappa = min(1, m(|v|)): 1 up to v_s, so that Delta is the displacement of a body in stick, and less as
friction falls beyond; |Delta| <= Delta_max by radial return (a bristle that is fully bent slides on).

Why energy is never created. With the bristles' energy psi = w integral of D . dDelta, a function of |Delta|,
    lambda . v - dpsi/dt = w [(1 - beta) D + beta n - D] . v = w beta (|v| - D . v) >= 0,   as |D| <= 1,
below v_s, and w m (|v| - D . v) beyond; radial return only lowers psi. In a stage, Delta = P(Delta_0 + tau kappa v) with P
the projection on the disc: psi is convex and D is parallel to what P cuts off, so that the stage adds at most
tau kappa w D . v to psi, and the same inequality holds with the stage's difference of psi in place of its rate. A cut
|lambda| <= cap w projects lambda on a disc; psi is then that of the cut D. On the way x = (1 - t) D + t n the component
along n of the projection does not fall (its rate is (n - D) . n >= 0 inside the disc, and outside it is proportional to
1 - (x . n)^2/|x|^2 >= 0), so that the inequality stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from friction.protocol import Plain, positive
from friction.radial import capped_integral
from friction.sliding import Sliding, check_speeds
from friction.step5 import rise, rise_integral
from friction.stiction_stage import StictionStage

Array = NDArray[np.float64]

_FULL = 1.0 - 1e-12
"""Part of Delta_max from which a bristle counts as fully bent: what radial return has just brought there is so but for rounding."""


@dataclass(frozen=True)
class SlidingStiction(Plain):
    """The law with its memory Delta (N, 2), m; see the module. It has no potential: lambda's tangent is not symmetric.

    v_s, v_d, dynamic_ratio: as in `Sliding`. max_stiction_deformation: Delta_max, m, >= 0; 0 means no bristles, and the law is
    `Sliding`. ValueError otherwise. `force` and its kin, called on the law itself, are those of undeflected bristles at the
    instant; `during` gives them within a stage.

    What the seed prints and what is meant (Table 6.24). f_f = {(1 - beta_v) mu_Delta + mu_v_step5}|f_n| with mu_Delta
    and mu_v_step5 from +mu_s to -mu_s is a force against Delta and v: -lambda here. beta_v = step5(|v|, -v_s, -1, v_s, 1)
    is meant as printed; only its half |v| >= 0 is used, so that it runs from 0 at rest to 1 at v_s, where the bristles
    carry nothing. mu_v_step5 is the sliding type's mu_v under another name; mu_d(|v|) of the second note is a size, its
    sign written apart. That |f_f| <= mu_s |f_n| holds for the sum because below v_s the size of mu_v_step5 is mu_s beta_v.
    How Delta ("creep") evolves the seed does not say, neither below v_s nor beyond: here it is the displacement in stick,
    and goes on beyond in the one way given above, with which energy is never created.
    """

    v_s: float
    v_d: float
    dynamic_ratio: float
    max_stiction_deformation: float
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_speeds("SlidingStiction", self.v_s, self.v_d, self.dynamic_ratio)
        if self.max_stiction_deformation != 0.0:
            positive("SlidingStiction", max_stiction_deformation=self.max_stiction_deformation)

    @property
    def remembers(self) -> bool:
        """True."""
        return True

    @property
    def has_potential(self) -> bool:
        """False."""
        return False

    @property
    def falls(self) -> bool:
        """That of the law without bristles: these carry nothing where it falls."""
        return self.sliding.falls

    def least_tangent(self, start: Array, end: Array, w: Array) -> Array:
        """Return the lower bound (N,), N s/m, of undeflected bristles."""
        return self.during(np.zeros_like(start), 0.0).least_tangent(start, end, w)

    @property
    def sliding(self) -> Sliding:
        """The law without bristles."""
        return Sliding(self.v_s, self.v_d, self.dynamic_ratio, cap=self.cap)

    def during(self, memory: Array, tau: float) -> StictionStage:  # type: ignore[override]
        """Return the law within a stage of length tau, s, that starts from `memory` (N, 2), m."""
        return StictionStage(self, memory, tau)

    def follows(self, v: Array) -> Array:
        """Return kappa = min(1, m(|v|)) (N,), and 1 below v_s: how much of the slip bends the bristles."""
        s = np.hypot(v[:, 0], v[:, 1])
        return np.where(s <= self.v_s, 1.0, self.sliding.profile(s))

    def remembered(self, memory: Array, v: Array, tau: float) -> Array:
        """Return Delta (N, 2), m, at the end of a stage: memory + tau kappa v, brought back to |Delta| <= Delta_max."""
        trial = memory + (tau * self.follows(v))[:, None] * v
        size = np.hypot(trial[:, 0], trial[:, 1])
        most = self.max_stiction_deformation
        return np.where(size > most, most / np.where(size > most, size, 1.0), 1.0)[:, None] * trial

    def memory_rate(self, memory: Array, v: Array) -> Array:
        """Return dDelta/dt = kappa v (N, 2), m/s, without its outward part where |Delta| has reached Delta_max."""
        rate = self.follows(v)[:, None] * v
        size = np.hypot(memory[:, 0], memory[:, 1])
        unit = memory / np.where(size > 0.0, size, 1.0)[:, None]
        outward = np.where(
            size >= _FULL * self.max_stiction_deformation, np.maximum(np.einsum("ia,ia->i", unit, rate), 0.0), 0.0
        )
        return rate - outward[:, None] * unit if self.max_stiction_deformation else np.zeros_like(v)

    def stored(self, memory: Array, w: Array) -> Array:
        """Return psi = w times the integral of min(|D|, cap) from 0 to |Delta| (N,), J."""
        most = self.max_stiction_deformation
        if not most:
            return np.zeros(len(memory))
        size = np.hypot(memory[:, 0], memory[:, 1]) / most  # beyond 1 psi goes on as a line: it stays convex
        return w * most * capped_integral(rise, rise_integral, (0.0, 1.0), self.cap, size)

    def force(self, v: Array, w: Array) -> Array:
        """Return lambda (N, 2), N, of undeflected bristles."""
        return self.during(np.zeros_like(v), 0.0).force(v, w)

    def tangent(self, v: Array, w: Array) -> Array:
        """Return d lambda/dv (N, 2, 2), N s/m, of undeflected bristles."""
        return self.during(np.zeros_like(v), 0.0).tangent(v, w)

    def dissipation(self, v: Array, w: Array) -> Array:
        """Return lambda . v (N,), W, of undeflected bristles: nothing is stored yet."""
        return self.during(np.zeros_like(v), 0.0).dissipation(v, w)

    def potential(self, v: Array, w: Array) -> Array:
        """There is none: NotImplementedError. Line searches use the residual."""
        raise NotImplementedError("SlidingStiction has no potential (has_potential is False)")
