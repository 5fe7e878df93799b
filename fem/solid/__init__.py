"""Elastic solids in space: tetrahedra and hexahedra with the kernels, sparsity, materials and factors of the plane."""
