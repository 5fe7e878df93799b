"""Friction laws: lambda as a function, or a set-valued function, of the slip velocity."""

from friction.laws.coulomb import Coulomb, Smooth
from friction.laws.elliptic import Elliptic
from friction.laws.limited import Limited
from friction.laws.protocol import Law
from friction.laws.radial import Radial
from friction.laws.registry import LAWS
from friction.laws.sliding import Sliding
from friction.laws.splines import CoefficientSpline, ForceSpline
from friction.laws.stiction import SlidingStiction
from friction.laws.stribeck import StaticKinetic, Stribeck

__all__ = [
    "LAWS",
    "CoefficientSpline",
    "Coulomb",
    "Elliptic",
    "ForceSpline",
    "Law",
    "Limited",
    "Radial",
    "Sliding",
    "SlidingStiction",
    "Smooth",
    "StaticKinetic",
    "Stribeck",
]
