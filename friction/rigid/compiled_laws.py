"""Laws as codes and numbers for compiled loops, by their exact class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from friction.arrays import Array
from friction.laws.elliptic import Elliptic
from friction.laws.profiles import Coulomb, Sliding, Smooth, StaticKinetic, Stribeck
from friction.laws.protocol import Law
from friction.laws.splines import CoefficientSpline
from friction.laws.stateless import CONSTANT, KINETIC, STATIC
from friction.laws.stiction import SlidingStiction
from friction.rigid import kernels
from friction.stick import is_coulomb


class CompiledLaw(NamedTuple):
    """A law by its ``code`` and ``numbers`` (see ``laws.kernels``); ``fall`` s/m, >= 0: the steepest fall of λ/w with the speed."""

    code: int
    numbers: Array
    fall: float


def _constant(cap: float, *own: float) -> Array:
    return np.array([float(CONSTANT), cap, 0.0, 0.0, *own, *np.zeros(8)])


def _ellipse(law: Elliptic) -> Array:
    D = law.metric
    return _constant(law.radial.cap, D[0, 0], D[0, 1], D[1, 1])


NUMBERS: dict[type, Callable[[Any], Array]] = {
    **dict.fromkeys((Coulomb, StaticKinetic), lambda law: _constant(law.cap, law.kinetic)),
    **dict.fromkeys((Stribeck, Smooth, Sliding, CoefficientSpline, SlidingStiction), lambda law: law.numbers.copy()),
    Elliptic: _ellipse,
}
"""A law's numbers without its bounds, by its class."""


def compiled_law(law: Law) -> CompiledLaw | None:
    """Code and numbers of a law, its totals shared; None for a class without a compiled formula."""
    if type(law) not in NUMBERS:
        return None
    numbers = NUMBERS[type(law)](law)
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
    numbers[STATIC], numbers[KINETIC] = radial.static, radial.kinetic
    return CompiledLaw(code, numbers, fall)


def stick_law(law: Law) -> CompiledLaw | None:
    """Code and numbers of a set-valued law, its totals shared: also of a user's law with a metric or Coulomb's bound."""
    if law.metric is not None:
        return CompiledLaw(kernels.STRETCHED, _constant(law.radial.cap, *law.metric[[0, 0, 1], [0, 1, 1]]), 0.0)
    return CompiledLaw(kernels.COULOMB, _constant(1.0), 0.0) if is_coulomb(law) else compiled_law(law)
