"""Hourglass stiffness of Q1 cells in the plane and in space: energy of the non-uniform strain, without locking.

The bilinear or trilinear displacement splits exactly into an affine and an hourglass part, on any convex quadrilateral and any
hexahedron (Flanagan & Belytschko 1981; Belytschko & Bindeman 1993), of n = 2^d nodes b and modes h_m:

    ∂u/∂X = H̄ + Σ_m g_m ⊗ (∇h_m − ⟨∇h_m⟩),    h = (ξη) in the plane,  (ηζ, ξζ, ξη, ξηζ) in space,
    H̄ = Σ_b u_b ⊗ ⟨∇φ_b⟩,    g_m = Σ_b γ_mb u_b,    γ_mb = (h_mb − Σ_J (h_m·X_J) ∇_Jφ_b(0))/n,

⟨·⟩ the mean over the cell; in the plane ⟨∇φ_b⟩ is the gradient at the centre and ⟨∇h⟩ = 0. H̄ are the constant strains; g is the
amplitude of bending, torsion and pure hourglass modes. With full integration the strain of g locks: bending causes a spurious
shear strain, and a change of volume that a nearly incompressible material resists. Therefore it is enhanced by the modes of
Simo & Rifai (1990), whose mean is 0 as well; in space by Wilson's incompatible displacements and three changes of volume (Simo,
Armero & Taylor 1993),

    ε' = Σ_m sym(ĝ_m ⊗ (∇h_m − ⟨∇h_m⟩)) + M α,    M: (j₀/j) J₀⁻ᵀ {ξ e₁e₁, η e₂e₂, (ξ, η) e₁e₂} J₀⁻¹ in the plane,
        {ξ e₁e₁, η e₂e₂, ζ e₃e₃, (η, ζ) e₂e₃, (ξ, ζ) e₁e₃, (ξ, η) e₁e₂, (ηζ, ξζ, ξη) 1} in space,

and α is condensed out in every cell, α = −(∫MᵀCM)⁻¹ ∫MᵀCB ĝ. The energy of a cell is

    U = V W(F̄) + ½ (ĝ − ĝ₀)·K̂ (ĝ − ĝ₀),    F̄ = 1 + H̄,    K̂ = ∫BᵀCB dV − ∫BᵀCM dV (∫MᵀCM dV)⁻¹ ∫MᵀCB dV,

C the elasticity at F = 1. ĝ_m = R̄ᵀ g_m, with R̄ the rotation in F̄ = R̄Ū, for materials of finite strain, ĝ = g for small strain;
ĝ₀ is the free thermal bending by a temperature gradient in the cell, 0 in a cold body. Hence

- U is a potential, invariant under rotations where W is: the tangent is symmetric, the forces have no moment;
- at small strain this is exactly Simo & Rifai's enhanced element: cross terms of constant and linear strains vanish;
- constant strains are exact on any mesh, at any rotation (patch test): g = 0 for affine displacements;
- K̂ is positive definite and does not depend on the strain. An element enhanced at finite strain loses its hourglass
  stiffness in compression, for a nearly incompressible neo-Hookean block at the stretch 0.79, long before the material
  does (Wriggers & Reese 1996); this one is stable wherever W(F̄) is (Reese & Wriggers 2000 have the idea);
- the neglected terms, changes of C with the strain inside K̂ and the square of g ⊗ ∇h in FᵀF, are of second order in the
  size of the cell, like the error of the element;
- in plane strain, on cells with parallel sides, the energies in space and in the plane are equal.

``fem/kernels/hourglass.py`` computes force and tangent.
"""

from itertools import product
from typing import NamedTuple, Self

import numpy as np
from skfem import ElementHex1, ElementQuad1

from fem.elements.tables import shape_functions
from fem.kernels.lanes import in_rows
from fem.materials import Material

CORNERS = {2: 2.0 * ElementQuad1.doflocs - 1.0, 3: 2.0 * ElementHex1.doflocs - 1.0}
"""Coordinates ξ, η, ζ of the nodes (2^d, d), by the dimension d."""
_GAUSS = {d: np.array(list(product((-1.0, 1.0), repeat=d))) / np.sqrt(3.0) for d in CORNERS}
_PAIRS = {2: ((0, 1),), 3: ((1, 2), (0, 2), (0, 1))}
_MODES = {2: ((0, 1),), 3: (*_PAIRS[3], (0, 1, 2))}
"""Coordinates whose product is h_m."""


class Hourglass(NamedTuple):
    """Tables of the hourglass energy; C cells of 2^d nodes with M modes, or 0 cells and modes for other elements.

    ``vectors``: γ (C, M, 2^d), -.
    ``stiffness``: K̂ (C, M d, M d), N/m, by mode and axis.
    ``thermal_amplitude``: ĝ₀ (C, M d), m.
    """

    vectors: np.ndarray
    stiffness: np.ndarray
    thermal_amplitude: np.ndarray

    @classmethod
    def empty(cls) -> Self:
        """Tables without cells, for elements with full integration."""
        return cls(np.zeros((0, 0, 0)), np.zeros((0, 0, 0)), np.zeros((0, 0)))

    @property
    def modes(self) -> int:
        """Number of the modes M: 1 in the plane, 4 in space, or 0 without cells."""
        count: int = self.vectors.shape[1]
        return count

    def in_rows(self) -> np.ndarray:
        """K̂ and ĝ₀ in the layout of the element loops (fem/kernels/elements.py)."""
        flat = self.stiffness.reshape(len(self.thermal_amplitude), self.thermal_amplitude.shape[1] ** 2)
        return in_rows(np.concatenate([flat, self.thermal_amplitude], axis=1))

    @classmethod
    def of(cls, corners: np.ndarray, material: Material, thickness: float = 1.0) -> Self:
        """Tables of cells with ``corners`` (C, 2^d, d), m, in either sense; ``thickness``, m, of cells in the plane."""
        d = corners.shape[-1]
        centre = np.linalg.inv(np.einsum("cbi,bk->cik", corners, shape_derivatives(np.zeros((1, d)))[0]))
        at_centre = np.einsum("bk,ckJ->cbJ", shape_derivatives(np.zeros((1, d)))[0], centre)
        modes = np.stack([CORNERS[d][:, list(mode)].prod(axis=1) for mode in _MODES[d]], axis=1)
        along = np.einsum("bm,cbJ->cmJ", modes, corners)
        vectors = (modes.T[None] - np.einsum("cmJ,cbJ->cmb", along, at_centre)) / len(modes)
        condensed, _, _, weights = _condensed_strains(corners, material, thickness)
        C = elasticity(material, d)
        stiffness = np.einsum("cq,cqik,ij,cqjl->ckl", weights, condensed, C, condensed, optimize=True)
        return cls(vectors, 0.5 * (stiffness + np.swapaxes(stiffness, 1, 2)), np.zeros(stiffness.shape[:2]))

    def heated(self, tables: tuple[np.ndarray, ...], eigenstress: np.ndarray, theta: np.ndarray) -> tuple[Self, float]:
        """Tables with ĝ₀, and a constant energy, J, of a plate at nodal eigenstresses s (C, 4, 3), [xx, yy, zz], Pa, and thermal
        strains θ (C, 4, 3), -; ``tables``: the ``thermal_tables`` of the same cells.

        With s' and θ' the deviations from the means, the minimum over α of ∫ ½ ε':Cε' − s':ε' + ½ s':θ' dV is the energy with ĝ₀
        plus the second value, ``½ ∫ s':θ' dV − ½ |L⁻¹ ∫Mᵀs' dV|² − ½ ĝ₀·K̂ĝ₀``; there s replaces s', as ∫M dV = 0.
        """
        bending, enhanced, deviations = tables
        moment = np.einsum("cbik,cbi->ck", bending, eigenstress[..., :2], optimize=True)
        relaxed = np.einsum("cbim,cbi->cm", enhanced, eigenstress[..., :2], optimize=True)
        g0 = np.linalg.solve(self.stiffness, moment[..., None])[..., 0]
        prevented = np.sum(eigenstress * (deviations @ theta))
        return self._replace(thermal_amplitude=g0), 0.5 * float(prevented - np.sum(relaxed**2) - np.sum(moment * g0))


def thermal_tables(
    corners: np.ndarray, material: Material, thickness: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables of a temperature field on cells in the plane; see ``Hourglass.of``.

    ∫ φ_b B̃ dV of the condensed strain B̃ (C, 4, 2, 2), m²: nodes; xx, yy; axis of ĝ. L⁻¹ ∫ φ_b M dV with L Lᵀ = ∫MᵀCM dV
    (C, 4, 2, 4): nodes; xx, yy; mode. ∫ (φ_a − φ̄_a)(φ_b − φ̄_b) dV (C, 4, 4), m³, φ̄ the mean over the cell.
    """
    condensed, M, MCM, weights = _condensed_strains(corners, material, thickness)
    shapes, _ = shape_functions(ElementQuad1(), 0.5 + 0.5 * _GAUSS[2].T)
    bending = np.einsum("cq,qb,cqik->cbik", weights, shapes, condensed[:, :, :2], optimize=True)
    released = np.einsum("cq,qb,cqim->cbim", weights, shapes, M[:, :, :2], optimize=True)
    enhanced = np.einsum("cbim,cnm->cbin", released, np.linalg.inv(np.linalg.cholesky(MCM)), optimize=True)
    off = shapes - ((weights @ shapes) / weights.sum(axis=1, keepdims=True))[:, None]
    return bending, enhanced, np.einsum("cq,cqa,cqb->cab", weights, off, off, optimize=True)


def elasticity(material: Material, d: int) -> np.ndarray:
    """Elasticity C (s, s), Pa, at F = 1 for the strains (E₁₁, E₂₂, 2E₁₂), in space (E₁₁, E₂₂, E₃₃, 2E₂₃, 2E₁₃, 2E₁₂)."""
    tangent = material.response(np.zeros((d, d))).tangent
    return np.array([[tangent[a + b] for b in _voigt_pairs(d)] for a in _voigt_pairs(d)])


def shape_derivatives(at: np.ndarray) -> np.ndarray:
    """Derivatives (Q, 2^d, d) of the shape functions by (ξ, η, ζ) at points (Q, d)."""
    shape = ElementQuad1() if at.shape[1] == 2 else ElementHex1()
    return 0.5 * shape_functions(shape, 0.5 + 0.5 * at.T)[1]


def _voigt_pairs(d: int) -> list[tuple[int, int]]:
    return [*((k, k) for k in range(d)), *_PAIRS[d]]


def _mode_derivatives(at: np.ndarray) -> np.ndarray:
    """Derivatives ∂h/∂(ξ, η, ζ) (Q, M, d) at points (Q, d)."""
    d = at.shape[1]
    return np.stack(
        [
            np.stack([at[:, [i for i in mode if i != k]].prod(axis=1) * (k in mode) for k in range(d)], axis=1)
            for mode in _MODES[d]
        ],
        axis=1,
    )


def _enhanced_modes(d: int) -> np.ndarray:
    """Enhanced strain modes of α in the axes of (ξ, η, ζ), (Q, m, d, d), at the Gauss points."""
    at, e = _GAUSS[d], np.eye(d)
    modes = [(at[:, k], np.outer(e[k], e[k])) for k in range(d)]
    for i, j in _PAIRS[d]:
        modes += [(at[:, k], 0.5 * (np.outer(e[i], e[j]) + np.outer(e[j], e[i]))) for k in (i, j)]
    if d == 3:
        modes += [(at[:, list(pair)].prod(axis=1), e) for pair in _PAIRS[d]]
    return np.stack([np.multiply.outer(values, tensor) for values, tensor in modes], axis=1)


def _voigt_strains(strain: np.ndarray) -> np.ndarray:
    """Symmetric strains (..., k, d, d) in Voigt notation (..., s, k), with doubled shear."""
    rows = [(1.0 if a == b else 2.0) * strain[..., a, b] for a, b in _voigt_pairs(strain.shape[-1])]
    return np.stack(rows, axis=-2)


def _condensed_strains(
    corners: np.ndarray, material: Material, thickness: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """B̃ = B + M α (C, Q, s, M d) [1/m], M (C, Q, s, m), ∫MᵀCM dV (C, m, m) and weights (C, Q) m³ at the Gauss points."""
    d = corners.shape[-1]
    J, C = np.einsum("cbi,qbk->cqik", corners, shape_derivatives(_GAUSS[d])), elasticity(material, d)
    area = np.abs(np.linalg.det(J))
    gradients = np.einsum("cqki,qmk->cqmi", np.linalg.inv(J), _mode_derivatives(_GAUSS[d]))
    gradients = gradients - (np.einsum("cq,cqmi->cmi", area, gradients) / area.sum(axis=1)[:, None, None])[:, None]
    mode_gradients = np.einsum("cqmi,aj->cqmaij", gradients, np.eye(d)).reshape(*area.shape, -1, d, d)
    B = _voigt_strains(0.5 * (mode_gradients + np.swapaxes(mode_gradients, -1, -2)))
    J0 = np.einsum("cbi,bk->cik", corners, shape_derivatives(np.zeros((1, d)))[0])
    inverse, size = np.linalg.inv(J0), np.abs(np.linalg.det(J0))[:, None] / area
    M = np.einsum("cki,qmkl,clj->cqmij", inverse, _enhanced_modes(d), inverse, optimize=True)
    M = M * size[:, :, None, None, None]
    M, weights = _voigt_strains(M), thickness * area
    coupling = np.einsum("cq,cqim,ij,cqjk->cmk", weights, M, C, B, optimize=True)
    MCM = np.einsum("cq,cqim,ij,cqjn->cmn", weights, M, C, M, optimize=True)
    return B - M @ np.linalg.solve(MCM, coupling)[:, None], M, MCM, weights
