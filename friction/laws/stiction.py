"""The sliding & stiction type of RecurDyn: bristles that bend by at most Delta_max support a body at rest.

In |v| <= v_s, with the bristles' deflection Delta (2,) and D = step5(|Delta|, -Delta_max, -1, Delta_max, 1) Delta/|Delta|,

    lambda = w [(1 - beta) D + beta n],   beta = step5(|v|, -v_s, -1, v_s, 1)   (0 at rest, 1 at v_s);

beyond, lambda follows the sliding type, whose profile below v_s is the same beta. The bristles follow the slip,
dDelta/dt = kappa v with kappa = min(1, m(|v|)): 1 up to v_s, so that Delta is the displacement of a body in stick, and less as
friction falls beyond; |Delta| <= Delta_max by radial return (a bristle that is fully bent slides on). They store
psi = w integral of D . dDelta. That energy is never created, in a stage or under a cap, is shown in docs/laws-and-contact.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import ClassVar

import numpy as np
import scipy

from friction.arrays import Array, contiguous, shown
from friction.laws.common import OWN, require_positive
from friction.laws.profiles import Sliding, check_speeds
from friction.laws.protocol import StatelessLaw, speeds_between
from friction.laws.radial import shares

PATH_SAMPLES = 17
"""Points of a straight path at which the tangent of sticking bristles is evaluated."""


@dataclass(frozen=True)
class SlidingStiction(StatelessLaw):
    """RecurDyn's sliding & stiction: bristles of deflection Delta (N, 2), m, support a body at rest; see the module.

    Within a stage ``Delta* = Delta_0 + tau kappa v`` before radial return; D depends on ``Delta*`` directly, with ``|D| = 1``
    from Delta_max on. The tangent below v_s (kappa = 1), with d beta/dv = beta' n and n = v/s, is ``w [(1 − beta) tau
    dD/dDelta* + beta' (n − D) nᵀ + (beta/s) (1 − n nᵀ)]``. D nᵀ makes it unsymmetric; its symmetric part is positive
    semidefinite (docs/laws-and-contact.md).

    RecurDyn's Table 6.24 is interpreted in docs/laws-and-contact.md; it does not define the evolution of Delta ("creep").

    Parameters
    ----------
    v_s, v_d : float
        Static and dynamic threshold speeds, m/s, 0 < v_s < v_d.
    dynamic_ratio : float
        mu_d/mu_s in (0, 1].
    max_stiction_deformation : float
        Delta_max, m, >= 0; 0 means no bristles, and the law is ``Sliding``.
    start : Array, optional
        Delta_0 (N, 2), m, of a stage, see ``for_stage``; by default undeflected.
    tau : float
        Length of a stage, s, >= 0; 0: the instant.
    """

    v_s: float
    v_d: float
    dynamic_ratio: float
    max_stiction_deformation: float
    start: Array | None = field(default=None, kw_only=True)
    tau: float = field(default=0.0, kw_only=True)
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_speeds("SlidingStiction", self.v_s, self.v_d, self.dynamic_ratio)
        if not (isinstance(self.max_stiction_deformation, Real) and self.max_stiction_deformation == 0.0):
            require_positive("SlidingStiction", max_stiction_deformation=self.max_stiction_deformation)
        if not (np.isfinite(self.tau) and self.tau >= 0.0):
            raise ValueError(f"SlidingStiction: tau must be a finite time >= 0 s, got {shown(self.tau)}")
        if self.start is not None and (
            np.ndim(self.start) != 2 or np.shape(self.start)[1] != 2 or not np.isfinite(self.start).all()
        ):
            raise ValueError(
                f"SlidingStiction: internal_state must be finite, of shape (N, 2), got shape {np.shape(self.start)}"
            )

    @property
    def has_internal_state(self) -> bool:
        return True

    @property
    def velocity_weakening(self) -> bool:
        """As of the law without bristles, which transmit no force where it falls."""
        return self.sliding.velocity_weakening

    @property
    def sliding(self) -> Sliding:
        """The law without bristles."""
        return Sliding(self.v_s, self.v_d, self.dynamic_ratio, cap=self.cap)

    def for_stage(self, internal_state: Array, tau: float) -> SlidingStiction:
        return replace(self, start=internal_state, tau=tau)

    @cached_property
    def numbers(self) -> Array:
        """Parameters for ``laws.kernels``: of the sliding type, the bristles' Delta_max, and the share of it at the cap."""
        from friction.laws.kernels import rise

        crossing = scipy.optimize.brentq(lambda x: x * rise(x)[0] - self.cap, 0.0, 1.0) if self.cap < 1.0 else 1.0
        numbers = self.sliding.numbers.copy()
        numbers[OWN + 3 : OWN + 5] = self.max_stiction_deformation, crossing
        return numbers

    def _bristles(self, start: Array, v: Array, tau: float) -> tuple[Array, Array, Array]:
        """Deflections (N, 2), m, at the end, rates (N, 2), m/s, and psi/w (N,), m, at the start."""
        from friction.laws import kernels

        (ends, rates), energy = np.empty((2, *start.shape)), np.empty(len(start))
        kernels.bristles(self.numbers, contiguous(start), contiguous(v), float(tau), ends, rates, energy)
        return ends, rates, energy

    def updated_state(self, internal_state: Array, v: Array, tau: float) -> Array:
        """Deflection at the end of a stage: Delta + tau kappa v, with radial return to ``|Delta| <= Delta_max``."""
        return self._bristles(internal_state, v, tau)[0]

    def internal_rate(self, internal_state: Array, v: Array) -> Array:
        """Rate dDelta/dt = kappa v without its outward part where ``|Delta|`` has reached Delta_max."""
        return self._bristles(internal_state, v, 0.0)[1]

    def stored(self, internal_state: Array, bound: Array) -> Array:
        """Energy psi = w times the integral of ``min(|D|, cap)`` from 0 to ``|Delta|``; linear beyond Delta_max."""
        return bound * self._bristles(internal_state, np.zeros_like(internal_state), 0.0)[2]

    def least_tangent(self, start: Array, end: Array, bound: Array) -> Array:
        """Lower bound: of the sliding type beyond v_s, by points of the path where it stays below."""
        slowest, fastest = speeds_between(start, end)
        beyond = fastest > self.v_s
        fall = bound * np.minimum(self.sliding.least_slope(np.maximum(slowest, self.v_s), fastest), 0.0)
        if not (fall[beyond] < 0.0).any():
            return np.zeros(len(bound))
        least = np.full(len(bound), np.inf)
        for t in np.linspace(0.0, 1.0, PATH_SAMPLES):
            blocks = self.tangent(start + t * (end - start), bound)
            least = np.minimum(least, np.linalg.eigvalsh(0.5 * (blocks + blocks.transpose(0, 2, 1)))[:, 0])
        return np.where(beyond, fall, least)

    def rotated(self, angle: float) -> SlidingStiction:
        """The law with its internal state in axes rotated by ``angle``, rad."""
        if self.start is None:
            return self
        c, s = np.cos(angle), np.sin(angle)
        return replace(self, start=self.start @ np.array([[c, -s], [s, c]]))

    def force(self, v: Array, bound: Array) -> Array:
        return bound[:, None] * self._share(v)[0]

    def tangent(self, v: Array, bound: Array) -> Array:
        return bound[:, None, None] * self._share(v)[1]

    def _share(self, v: Array) -> tuple[Array, Array]:
        """Force lambda/w (N, 2) and its derivative in v (N, 2, 2)."""
        return shares(True, self.numbers, v, np.zeros_like(v) if self.start is None else self.start, self.tau)
