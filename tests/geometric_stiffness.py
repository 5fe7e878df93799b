"""The geometric stiffness of a straight beam, for references that linearise about an axial force."""

import numpy as np
from scipy.sparse import csr_matrix
from skfem import Basis, BilinearForm, ElementLineHermite, MeshLine


@BilinearForm
def _slopes(u, v, w):
    return w.axial * u.grad[0] * v.grad[0]


def geometric_stiffness(beam, axial):
    """∫ N φ_i' φ_j' dX (2N, 2N), the weak form of −(N w')'; `axial`: X (n,), m -> N (n,), N, tension positive."""
    basis = Basis(MeshLine(beam.X[:, 0]), ElementLineHermite(), intorder=7)
    points, order = basis.global_coordinates()[0], basis.nodal_dofs.T.ravel()
    values = np.broadcast_to(np.asarray(axial(np.asarray(points)), dtype=float), points.shape)
    matrix = csr_matrix(_slopes.assemble(basis, axial=values))
    return csr_matrix(matrix[order][:, order])
