from .errors import FrictionSolveError, NotPositiveDefinite, UnilateralError
from .factors import Factor, FactorCache, SparseLU
from .foundation import Foundation, Reacting
from .laws import (
    LAWS,
    CoefficientSpline,
    Coulomb,
    Elliptic,
    ForceSpline,
    Law,
    Limited,
    Radial,
    Sliding,
    SlidingStiction,
    Smooth,
    StaticKinetic,
    Stribeck,
)
from .nodal.smooth_objective import Quadratic, SmoothPart
from .nodal.solve import solve
from .normal.normal_force import NormalForce, NormalLaw, UserForce
from .normal.routh import RESTITUTION_LAWS, RouthImpact, routh_impact
from .normal.unilateral import UnilateralResult, solve_unilateral, solve_unilateral_response
from .redistribution import Tips
from .result import TrescaOptions, TrescaResult
from .status import FREE, HELD, REVERSED, SLIP, STATES, STICK

__all__ = [
    "FREE",
    "HELD",
    "LAWS",
    "RESTITUTION_LAWS",
    "REVERSED",
    "SLIP",
    "STATES",
    "STICK",
    "CoefficientSpline",
    "Coulomb",
    "Elliptic",
    "Factor",
    "FactorCache",
    "ForceSpline",
    "Foundation",
    "FrictionSolveError",
    "Law",
    "Limited",
    "NormalForce",
    "NormalLaw",
    "NotPositiveDefinite",
    "Quadratic",
    "Radial",
    "Reacting",
    "RouthImpact",
    "Sliding",
    "SlidingStiction",
    "Smooth",
    "SmoothPart",
    "SparseLU",
    "StaticKinetic",
    "Stribeck",
    "Tips",
    "TrescaOptions",
    "TrescaResult",
    "UnilateralError",
    "UnilateralResult",
    "UserForce",
    "routh_impact",
    "solve",
    "solve_unilateral",
    "solve_unilateral_response",
]
