"""Coulomb friction for a known pressure: laws, foundations and the convex friction problem."""

from friction.errors import FrictionSolveError, NotPositiveDefinite, UnilateralError
from friction.factors import Factor, FactorCache, SparseLU
from friction.foundation import Foundation
from friction.laws import LAWS, Coulomb, Law, Smooth
from friction.normal_force import NormalForce, UserForce
from friction.parts import Quadratic, SmoothPart
from friction.result import FREE, HELD, REVERSED, SLIP, STATES, STICK, TrescaOptions, TrescaResult
from friction.tresca import solve
from friction.unilateral import UnilateralResult, solve_unilateral, solve_unilateral_response

__all__ = [
    "FREE",
    "HELD",
    "LAWS",
    "REVERSED",
    "SLIP",
    "STATES",
    "STICK",
    "Coulomb",
    "Factor",
    "FactorCache",
    "Foundation",
    "FrictionSolveError",
    "Law",
    "NormalForce",
    "NotPositiveDefinite",
    "Quadratic",
    "Smooth",
    "SmoothPart",
    "SparseLU",
    "TrescaOptions",
    "TrescaResult",
    "UnilateralError",
    "UnilateralResult",
    "UserForce",
    "solve",
    "solve_unilateral",
    "solve_unilateral_response",
]
