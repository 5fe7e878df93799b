"""Coulomb friction for a known pressure: laws, foundations and the convex friction problem."""

from friction.errors import FrictionSolveError, NotPositiveDefinite, UnilateralError
from friction.factors import Factor, FactorCache, SparseLU
from friction.foundation import Foundation
from friction.laws import (
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
from friction.nodal.smooth_objective import Quadratic, SmoothPart
from friction.nodal.solve import solve
from friction.normal.normal_force import NormalForce, UserForce
from friction.normal.routh import RESTITUTION_LAWS, RouthImpact, routh_impact
from friction.normal.unilateral import UnilateralResult, solve_unilateral, solve_unilateral_response
from friction.result import FREE, HELD, REVERSED, SLIP, STATES, STICK, TrescaOptions, TrescaResult

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
    "NotPositiveDefinite",
    "Quadratic",
    "Radial",
    "RouthImpact",
    "Sliding",
    "SlidingStiction",
    "Smooth",
    "SmoothPart",
    "SparseLU",
    "StaticKinetic",
    "Stribeck",
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
