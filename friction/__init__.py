"""Coulomb friction for a known pressure: laws, foundations and the convex friction problem."""

from friction.elliptic import Elliptic
from friction.errors import FrictionSolveError, NotPositiveDefinite, UnilateralError
from friction.factors import Factor, FactorCache, SparseLU
from friction.foundation import Foundation
from friction.laws import LAWS, Coulomb, Law, Smooth
from friction.limited import Limited
from friction.normal_force import NormalForce, UserForce
from friction.parts import Quadratic, SmoothPart
from friction.result import FREE, HELD, REVERSED, SLIP, STATES, STICK, TrescaOptions, TrescaResult
from friction.sliding import Sliding
from friction.splines import CoefficientSpline, ForceSpline
from friction.stiction import SlidingStiction
from friction.tresca import solve
from friction.unilateral import UnilateralResult, solve_unilateral, solve_unilateral_response
from friction.velocity_dependent import StaticKinetic, Stribeck

__all__ = [
    "FREE",
    "HELD",
    "LAWS",
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
    "solve",
    "solve_unilateral",
    "solve_unilateral_response",
]
