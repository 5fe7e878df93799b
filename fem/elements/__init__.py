"""Elements on a mesh: shape functions and quadrature, mesh checks and edges, sparsity of matrices, hourglass stiffness."""
