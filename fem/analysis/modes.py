"""Natural modes of K φ + B λ = ω² M φ, Bᵀφ = 0, M-orthogonal to rigid motions R, B = M R, by shift and invert.

Where rigid motions have no stiffness, K R = 0, the multipliers λ vanish. The operator

    S = A⁻¹ − A⁻¹B (BᵀA⁻¹B)⁻¹ BᵀA⁻¹,    A = K + s M,

solves A φ + B λ = M f, Bᵀφ = 0 by φ = S M f. A is positive definite, so all ω² are above −s, and the lowest are the nearest to −s.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, null_space
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from fem.factorisation import NOT_POSITIVE_DEFINITE, Factor, FactorError, factor
from fem.input_checks import is_integer, shown

SHIFTS = np.array([1e-9, 1e-7, 1e-5, 1e-3, 1e-1])
"""Trial shifts s over the largest ratio of the diagonal entries of K and M, which is of the order of the largest ω²."""
MAX_DENSE = 300
"""Number of unknowns up to which the dense eigensolver is used."""
NEGATIVE_TOLERANCE = 1e-10
"""Rounding of ω² over the same ratio; ω² below its negative is an instability."""


def natural_modes(
    stiffness: csr_matrix, mass: csr_matrix, count: int, rigid: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lowest ``count`` natural angular frequencies ω (count,), rad/s, ascending, and shapes φ (n, count), kg^(-1/2), φᵀMφ = 1.

    The shapes are M-orthogonal to the ``rigid`` motions R (n, r), r >= 0. K (n, n) symmetric, N/m, M (n, n) positive definite, kg.
    Raises ValueError for more modes than there are, and for a negative ω², of a body that is not stable.
    """
    size = stiffness.shape[0] - rigid.shape[1]
    if not is_integer(count) or not 1 <= count <= size:
        raise ValueError(f"expected a number of modes from 1 to {size}, got {shown(count)}")
    scale = float((stiffness.diagonal() / mass.diagonal()).max())
    # For n/2 modes and more the dense eigensolver is as fast.
    if stiffness.shape[0] > MAX_DENSE and 2 * count + 20 < stiffness.shape[0]:
        values, shapes = _lanczos_modes(stiffness, mass, count, rigid, scale)
    else:
        values, shapes = _dense_modes(stiffness, mass, count, rigid)
    order = np.argsort(values)
    lowest = values[order[0]]
    if lowest < -NEGATIVE_TOLERANCE * scale:
        raise ValueError(f"the body is not stable about this displacement: a mode has omega^2 = {lowest:.3g} 1/s2 < 0")
    shapes = shapes[:, order] / np.sqrt(np.einsum("nk,nk->k", shapes[:, order], mass @ shapes[:, order]))
    largest = shapes[np.abs(shapes).argmax(axis=0), np.arange(count)]
    return np.sqrt(np.maximum(values[order], 0.0)), shapes * np.sign(largest)


def _dense_modes(
    stiffness: csr_matrix, mass: csr_matrix, count: int, rigid: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lowest modes by the dense eigensolver, on a basis of the M-orthogonal complement of the rigid motions."""
    basis = null_space((mass @ rigid).T) if rigid.size else np.eye(stiffness.shape[0])
    reduced = [basis.T @ (matrix @ basis) for matrix in (stiffness, mass)]
    values, shapes = eigh(*reduced, subset_by_index=[0, count - 1])
    return np.asarray(values), basis @ shapes


def _lanczos_modes(
    stiffness: csr_matrix, mass: csr_matrix, count: int, rigid: np.ndarray, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Modes nearest to −s, by Lanczos iteration."""
    shift, inverse = _factor_with_shift(stiffness, mass, scale)
    B = mass @ rigid
    columns = np.column_stack([inverse.solve(column) for column in B.T]) if rigid.size else B
    gram = B.T @ columns

    def solve(load: np.ndarray) -> np.ndarray:
        x = inverse.solve(np.ascontiguousarray(load).ravel())
        return x - columns @ np.linalg.solve(gram, B.T @ x) if rigid.size else x

    start = solve(mass @ np.random.default_rng(1).standard_normal(len(B)))
    operator = LinearOperator(mass.shape, matvec=solve, dtype=float)
    try:
        values, shapes = eigsh(stiffness, k=count, M=mass, sigma=-shift, OPinv=operator, v0=start, which="LM")
    except ArpackNoConvergence as error:
        raise ValueError(f"the natural modes did not converge: {error}") from error
    return np.asarray(values), np.asarray(shapes)


def _factor_with_shift(stiffness: csr_matrix, mass: csr_matrix, scale: float) -> tuple[float, Factor]:
    """Smallest trial shift s with K + s M positive definite, and the factor of that matrix."""
    for shift in scale * SHIFTS:
        A = csr_matrix(stiffness + shift * mass)
        A.sort_indices()
        inverse = factor(A.indptr.astype(np.int32), A.indices.astype(np.int32))
        try:
            inverse.refactor(A.data)
        except FactorError as error:
            if error.reason != NOT_POSITIVE_DEFINITE:
                raise
            continue
        return float(shift), inverse
    raise ValueError(f"the body is not stable about this displacement: a mode has omega^2 < {-shift:.3g} 1/s2")
