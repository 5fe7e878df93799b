from . import constitutive as constitutive
from .elastic import cell_energies, internal_force, smallest_jacobian, tangent_data

__all__ = ["cell_energies", "constitutive", "internal_force", "smallest_jacobian", "tangent_data"]
