from . import laws as laws
from .elements import cell_energies, internal_force
from .strain_range import smallest_jacobian

__all__ = ["cell_energies", "internal_force", "laws", "smallest_jacobian"]
