"""Frictional contact with unknown normal force: Signorini's and Coulomb's laws at points, in space."""

from friction.cone.kernels import OPEN, SLIPS, STICKS
from friction.cone.solve import ConeError, ConeSolution, solve_cone

__all__ = ["OPEN", "SLIPS", "STICKS", "ConeError", "ConeSolution", "solve_cone"]
