"""Frictional contact with unknown normal force: Signorini's and Coulomb's laws at points, in space."""

from friction.cone.solve import ConeError, ConeSolution, solve_cone
from friction.status import OPEN, SLIP, STICK

__all__ = ["OPEN", "SLIP", "STICK", "ConeError", "ConeSolution", "solve_cone"]
