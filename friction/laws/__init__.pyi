from .elliptic import Elliptic
from .limited import Limited
from .profiles import Coulomb, Sliding, Smooth, StaticKinetic, Stribeck
from .protocol import Law, Radial
from .registry import LAWS
from .splines import CoefficientSpline, ForceSpline
from .stiction import SlidingStiction

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
