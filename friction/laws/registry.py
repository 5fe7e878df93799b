"""Friction laws by the names of the command line."""

from __future__ import annotations

from collections.abc import Callable

from friction.laws.elliptic import Elliptic
from friction.laws.profiles import Coulomb, Sliding, Smooth, StaticKinetic, Stribeck
from friction.laws.protocol import Law
from friction.laws.splines import CoefficientSpline, ForceSpline
from friction.laws.stiction import SlidingStiction

LAWS: dict[str, Callable[..., Law]] = {
    "coulomb": Coulomb,
    "smooth": Smooth,
    "sliding": Sliding,
    "sliding-stiction": SlidingStiction,
    "static-kinetic": StaticKinetic,
    "stribeck": Stribeck,
    "elliptic": Elliptic,
    "force-spline": ForceSpline,
    "coefficient-spline": CoefficientSpline,
}
"""Classes of laws by the names of the command line; ``friction.Limited`` puts a maximum force on any of them."""
