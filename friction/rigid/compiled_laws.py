"""Laws as codes and numbers for compiled loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from friction.arrays import Array
from friction.laws.common import CONSTANT, KINETIC, STATIC
from friction.laws.profiles import Coulomb, Sliding, Smooth, StaticKinetic, Stribeck
from friction.laws.protocol import Law
from friction.laws.splines import CoefficientSpline
from friction.laws.stiction import SlidingStiction
from friction.rigid import kernels
from friction.rigid.uniqueness import least_slope
from friction.stick import is_coulomb

WITH_NUMBERS = (Coulomb, StaticKinetic, Stribeck, Smooth, Sliding, CoefficientSpline, SlidingStiction)
"""Classes of laws with a compiled formula; classes derived from them may have another one."""
UNUSED = [0.0] * 8
"""Numbers that a law with few does not have."""


class CompiledLaw(NamedTuple):
    """A law by its ``code`` and ``numbers`` (see ``laws.kernels``); ``falling``: the steepest fall of λ/w with the speed, s/m, and
    the knots of its profile, m/s, of a function of v that falls, else empty."""

    code: int
    numbers: Array
    falling: Array = np.zeros(0)


def compiled_law(law: Law) -> CompiledLaw | None:
    """Code and numbers of a law, its totals shared; None for one without a compiled formula."""
    if law.set_valued and law.metric is not None:
        own = [float(CONSTANT), law.radial.cap, 1.0, 1.0, *law.metric[[0, 0, 1], [0, 1, 1]]]
        return CompiledLaw(kernels.STRETCHED, np.array(own + UNUSED))
    if is_coulomb(law):
        return CompiledLaw(kernels.COULOMB, np.array([float(CONSTANT), 1.0, 1.0, 1.0, 1.0, *UNUSED]))
    if type(law) not in WITH_NUMBERS:
        return None
    bristly = isinstance(law, SlidingStiction)
    radial = law.sliding if isinstance(law, SlidingStiction) else law.radial
    code = kernels.BRISTLES if bristly else kernels.RADIAL if law.set_valued else kernels.SMOOTH
    falling, numbers = np.zeros(0), law.numbers.copy()  # type: ignore[attr-defined]
    if not law.set_valued and law.velocity_weakening:
        knots = np.array(radial.knots())
        falling = np.array([max(-1.01 * least_slope(numbers, knots, 0.0, 2.0 * knots[-1]), 0.0), *knots])
    numbers[STATIC], numbers[KINETIC] = radial.static, radial.kinetic
    return CompiledLaw(code, numbers, falling)
