from . import law_blocks as law_blocks
from . import laws as laws
from .elements import cell_energies, internal_force
from .strain_range import smallest_jacobian

__all__ = ["cell_energies", "internal_force", "law_blocks", "laws", "smallest_jacobian"]
