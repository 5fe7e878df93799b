from .coulomb import Coulomb, Smooth
from .elliptic import Elliptic
from .limited import Limited
from .protocol import Law
from .radial import Radial
from .registry import LAWS
from .sliding import Sliding
from .splines import CoefficientSpline, ForceSpline
from .stiction import SlidingStiction
from .stribeck import StaticKinetic, Stribeck

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
