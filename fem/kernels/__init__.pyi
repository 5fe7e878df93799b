from . import constitutive as constitutive
from .either import internal_force
from .elastic import cell_energies, smallest_jacobian, tangent_data

__all__ = ["cell_energies", "constitutive", "internal_force", "smallest_jacobian", "tangent_data"]
