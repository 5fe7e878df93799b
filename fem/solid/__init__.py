"""Elastic solids in space: tetrahedra and hexahedra through the kernels, sparsity, materials and factors of the plane."""
