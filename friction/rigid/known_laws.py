"""Laws as codes and numbers, for compiled loops: a law's own class is asked for, not one that it is derived from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy

from friction.arrays import Array
from friction.curves.step5 import rise
from friction.laws.coulomb import Coulomb, Smooth
from friction.laws.elliptic import Elliptic
from friction.laws.protocol import Law
from friction.laws.sliding import Sliding
from friction.laws.splines import CoefficientSpline
from friction.laws.stiction import SlidingStiction
from friction.laws.stribeck import StaticKinetic, Stribeck
from friction.rigid import kernels
from friction.stick import is_coulomb


class KnownLaw(NamedTuple):
    """A law by its ``code`` and ``numbers`` (see ``kernels``); ``fall`` s/m, >= 0: how fast λ/w falls at most with the speed."""

    code: int
    numbers: Array
    fall: float


def _spline(law: CoefficientSpline) -> tuple[int, list[float]]:
    curve = law._table.curve
    return kernels.SPLINE, [len(curve.x), *curve.x, *curve.c.T.ravel()]


def _bristles(law: SlidingStiction) -> tuple[int, list[float]]:
    crossing = scipy.optimize.brentq(lambda x: float(rise(x)) - law.cap, 0.0, 1.0) if law.cap < 1.0 else 1.0
    return kernels.STEPS, [law.v_s, law.v_d, law.dynamic_ratio, law.max_stiction_deformation, crossing]


PROFILES: dict[type, Callable[[Any], tuple[int, list[float]]]] = {
    Coulomb: lambda law: (kernels.CONSTANT, [1.0]),
    StaticKinetic: lambda law: (kernels.CONSTANT, [law.dynamic_ratio]),
    Stribeck: lambda law: (kernels.FALLING, [law.dynamic_ratio, law.stribeck_speed, law.exponent]),
    Smooth: lambda law: (kernels.ROOT, [law.v_reg]),
    Sliding: lambda law: (kernels.STEPS, [law.v_s, law.v_d, law.dynamic_ratio]),
    CoefficientSpline: _spline,
    SlidingStiction: _bristles,
    Elliptic: lambda law: (kernels.CONSTANT, [law.metric[0, 0], law.metric[0, 1], law.metric[1, 1]]),
}
"""Kind of the profile and its own numbers, by the law's class."""


def known_law(law: Law) -> KnownLaw | None:
    """Return a law, its totals shared, as code and numbers; None where compiled loops do not know it."""
    if type(law) not in PROFILES:
        return None
    kind, own = PROFILES[type(law)](law)
    bristly = isinstance(law, SlidingStiction)
    radial = law.sliding if isinstance(law, SlidingStiction) else law.radial
    code = kernels.BRISTLES if bristly else kernels.RADIAL if law.set_valued else kernels.SMOOTH
    if law.metric is not None:
        code = kernels.STRETCHED
    elif is_coulomb(law):
        code = kernels.COULOMB
    fall = 0.0
    if not law.set_valued and law.velocity_weakening:
        slopes = radial.least_slope(np.zeros(1), np.full(1, 2.0 * radial.knots()[-1]))  # type: ignore[attr-defined]
        fall = max(-1.01 * float(slopes[0]), 0.0)
    head = [float(kind), radial.cap, radial.static, radial.kinetic]
    return KnownLaw(code, np.array([*head, *own, *np.zeros(8)]), fall)
