"""Painlevé's number of points that slide and press: whether their accelerations follow from the forces.

Normal accelerations are A p_n + b with A = N D⁻¹ (Nᵀ − μ Tᵀ); N and T take rates to the points' velocities away from the ground
and along their slip. 0 <= p_n ⟂ A p_n + b >= 0 has one solution for every b if and only if A is a P-matrix, that is, if the real
eigenvalues of A and of all its principal submatrices are positive (Cottle, Pang & Stone 1992). For one point that is
W_nn − μ W_nt·n̂ > 0. Of points that share a load beyond what is determined, the sets that carry it by themselves are looked at."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross

MOST = 12
"""Points up to which all sets are looked at; of more, the eigenvalues of all together."""
INDEPENDENT = 1e-10
"""Least determinant of the normal response of a set, over the product of its diagonal."""


def painleve_number(mass: Array, arms: Array, up: Array, along: Array, mu: Array) -> float:
    """Return the least real eigenvalue, 1/kg, over all sets of the m points; infinite without any.

    ``mass`` (6, 6): takes velocity and spin to momenta; ``arms`` (m, 3) m; ``up``, ``along`` (m, 3): the directions of
    the normals and of slip."""
    if not len(arms):
        return np.inf
    normal, tangent = (np.column_stack([d, cross(arms, d)]) for d in (up, along))
    soft = np.linalg.solve(mass, (normal - mu[:, None] * tangent).T)
    if len(arms) > MOST:
        eigenvalues = np.linalg.eigvals(soft @ normal)  # 6 x 6, with those of A that are not 0
        kept = np.argsort(np.abs(eigenvalues))[-np.linalg.matrix_rank(normal.T @ normal, hermitian=True) :]
        return float(eigenvalues[kept].real.min())
    response, plain = normal @ soft, normal @ np.linalg.solve(mass, normal.T)
    return min(_least(response, plain, size) for size in range(1, min(len(arms), 3) + 1))


def _least(response: Array, plain: Array, size: int) -> float:
    """Return the least real eigenvalue of the principal submatrices of a ``size`` whose points are independent."""
    sets = np.array(list(combinations(range(len(response)), size)))
    own, smooth = (matrix[sets[:, :, None], sets[:, None, :]] for matrix in (response, plain))
    scale = np.prod(np.diagonal(smooth, axis1=1, axis2=2), axis=1)
    own = own[np.linalg.det(smooth) > INDEPENDENT * scale]
    values = np.linalg.eigvals(own).ravel()
    real = values[np.abs(values.imag) <= 1e-9 * np.abs(values)].real
    return float(real.min(initial=np.inf))
