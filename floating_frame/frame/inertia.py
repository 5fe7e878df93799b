"""The integrals of section 2 and (3.3), and the rigid equations (2.3)1, (2.3)2, in the plane (3.4)1, corrected, term by term.

They are the projection of the momentum balance on the rigid modes of the split x = x0 + Q (X + u), body components, with one
convention for moments, r × f, about x0. With r = X + u and ⟨·⟩ = ∫ρ · dV by the one mass matrix::

    A = ⟨u⟩,  P = ⟨u'⟩,  B = ⟨u''⟩,  J: ω·Jω = ⟨|ω × r|²⟩,  k = ⟨r × u'⟩,  L = ⟨r × u''⟩

    forces    M Qᵀx0'' + ω' × A   + 2 ω × P          + ω × (ω × A)   + B   = QᵀF         (2.3)1
    moments   A × Qᵀx0'' + J ω'   + J'ω + ω × k      + ω × Jω        + L   = M0          (2.3)2
              mass matrix           Coriolis           centrifugal     relative

In the plane J = J_zz, J' = 2 K with K = ⟨r·u'⟩, and ω × Jω = ω × k = 0: (3.4)1. The printed equations differ in signs and lack
K (docs/theory.md, errata). They hold for *every* split, frame condition or not; ``residual`` checks them. A vector product
ω × a is W a, W = Σ ω_k B_k with the ``kinematics.BASIS`` of d = 2 or 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from floating_frame.frame.kernels import split_sums
from floating_frame.frame.kinematics import BASIS, Deformation, FloatingFrame, axial, body_spins, inertia
from friction.arrays import Array, contiguous


@dataclass(frozen=True, kw_only=True)
class Integrals:
    """The integrals, body components: ``mass`` M kg; ``A`` = ∫ρu kg m, ``P`` = ∫ρu' kg m/s, ``B`` = ∫ρu'' N, (..., d) each; ``J``
    kg m² and its rate ``J_rate`` kg m²/s, (..., r, r) each; ``k`` = ∫ρ r × u' kg m²/s and ``L`` = ∫ρ r × u'' N m, (..., r) each."""

    mass: float
    A: Array
    P: Array
    B: Array
    J: Array
    J_rate: Array
    k: Array
    L: Array


def integrals(mass_matrix: csr_matrix, reference: Array, split: Deformation) -> Integrals:
    """Evaluate the integrals with one mass matrix throughout.

    ``mass_matrix`` (N, N) kg per displacement component, ``reference`` X (N, d) m, ``split`` u, u', u'' (..., N, d) in the frame.
    """
    (*rows, nodes, d), M = split.displacement.shape, mass_matrix
    fields = [contiguous(np.asarray(field, float).reshape(-1, nodes, d)) for field in split]
    count = len(fields[0])
    sums, pairs = np.empty((count, 3, d)), np.empty((count, 3, d, d))
    X = contiguous(np.asarray(reference, float))
    mass: float = split_sums((0,) * d, M.indptr, M.indices, M.data, X, *fields, sums, pairs)
    A, P, B = np.moveaxis(sums.reshape(*rows, 3, d), -2, 0)
    R, D, second = np.moveaxis(pairs.reshape(*rows, 3, d, d), -3, 0)
    J, J_rate = inertia(R), inertia(D + D.swapaxes(-1, -2))
    return Integrals(mass=mass, A=A, P=P, B=B, J=J, J_rate=J_rate, k=axial(D), L=axial(second))


def mass_matrix(values: Integrals) -> Array:
    """Symmetric mass matrix (..., d + r, d + r) of (2.3), (3.4)1: M 1, J, and A through ω' × A and A × Qᵀx0''."""
    *rows, d = values.A.shape
    carried, size = matvec(BASIS[d], values.A[..., None, :]), d + len(BASIS[d])
    matrix = np.zeros((*rows, size, size))
    matrix[..., range(d), range(d)] = values.mass
    matrix[..., :d, d:], matrix[..., d:, :d], matrix[..., d:, d:] = carried.swapaxes(-1, -2), carried, values.J
    return matrix


def coriolis(values: Integrals, W: Array, spin: Array) -> Array:
    """(2 ω × P, J'ω + ω × k) (..., d + r), N, N m; the moment, 2 ω K in the plane, is missing in the paper. ``spin``
    (..., r) ω, and ``W`` (..., d, d) its skew matrix, rad/s."""
    return np.concatenate([2.0 * matvec(W, values.P), matvec(values.J_rate, spin) + spin_cross(W, values.k)], axis=-1)


def centrifugal(values: Integrals, W: Array, spin: Array) -> Array:
    """(ω × (ω × A), ω × Jω) (..., d + r), N, N m; −ω² A and 0 in the plane."""
    return np.concatenate([matvec(W, matvec(W, values.A)), spin_cross(W, matvec(values.J, spin))], axis=-1)


def relative(values: Integrals) -> Array:
    """(B, L) (..., d + r): the inertia force and moment of the relative acceleration u''; N, N m."""
    return np.concatenate([values.B, values.L], axis=-1)


def matvec(matrix: Array, vector: Array) -> Array:
    """M v (..., n) of matrices (..., n, m) and vectors (..., m)."""
    return np.asarray(np.matmul(matrix, vector[..., None]))[..., 0]


def spin_cross(W: Array, components: Array) -> Array:
    """ω × c of spins or moments (..., r): W c in space, 0 in the plane."""
    return matvec(W, components) if components.shape[-1] == W.shape[-1] else np.zeros_like(components)


def residual(values: Integrals, frame: FloatingFrame, net: Array) -> tuple[Array, Array]:
    """Left minus right side of (2.3), (3.4)1 and the size of its largest terms, body components.

    ``net`` (..., d + r): force N and moment N m about x0, in space. Returns (residual (..., d + r), [largest force term, largest
    moment term] (..., 2)) in N and N m.
    """
    Q, d, (W, W_rate) = frame.rotation, values.A.shape[-1], body_spins(frame)
    spin, rate = (0.5 * np.einsum("kab,...ab->...k", BASIS[d], skew) for skew in (W, W_rate))
    back = Q.swapaxes(-1, -2)
    moment = matvec(back, net[..., d:]) if d == 3 else net[..., d:]
    terms = np.stack(
        [
            matvec(mass_matrix(values), np.concatenate([matvec(back, frame.acceleration), rate], axis=-1)),
            coriolis(values, W, spin),
            centrifugal(values, W, spin),
            relative(values),
            -np.concatenate([matvec(back, net[..., :d]), moment], axis=-1),
        ]
    )
    size = np.stack([np.abs(terms[..., :d]).max(axis=(0, -1)), np.abs(terms[..., d:]).max(axis=(0, -1))], axis=-1)
    return terms.sum(axis=0), size
