"""Compiled loops over elements and quadrature points, on plain arrays."""

from fem.kernels.elastic import cell_energies, internal_force, smallest_jacobian, tangent_data

__all__ = ["cell_energies", "internal_force", "smallest_jacobian", "tangent_data"]
