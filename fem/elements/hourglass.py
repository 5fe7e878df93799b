"""The linear part of the strain in a four-node quadrilateral (Q1): what keeps it from locking, and from hourglassing.

The bilinear displacement splits exactly into an affine and an hourglass part, on any convex quadrilateral (Flanagan &
Belytschko 1981):

    ∂u/∂X = H̄ + g ⊗ ∇h,    h = ξη,    H̄ = Σ_b u_b ⊗ b_b,    g = Σ_b γ_b u_b,    γ_b = ¼ (h_b − Σ_J (h·X_J) b_bJ),

with b_b = ∇φ_b at the centre, which is its mean over the cell. H̄ carries the constant strains, and ∇h has the mean 0: g is
the amplitude of the two hourglass modes, that is, of bending. Integrated in full, the strain of g locks: bending brings a
shear strain that a beam does not have, and a change of volume that a nearly incompressible material does not allow.
Therefore it is enhanced by the four modes of Simo & Rifai (1990), whose mean is 0 as well,

    ε' = sym(ĝ ⊗ ∇h) + M α,    M α = (j₀/j) J₀⁻ᵀ [ξα₁, ½(ξα₃ + ηα₄); ½(ξα₃ + ηα₄), ηα₂] J₀⁻¹,

and α is condensed out in every cell, α = −(∫MᵀCM)⁻¹ ∫MᵀCB ĝ. The energy of a cell is

    U = V W(F̄) + ½ (ĝ − ĝ₀)·K̂ (ĝ − ĝ₀),    F̄ = 1 + H̄,    K̂ = ∫BᵀCB dV − ∫BᵀCM dV (∫MᵀCM dV)⁻¹ ∫MᵀCB dV,

C the elasticity at F = 1. ĝ = R̄ᵀ g, with R̄ the rotation in F̄ = R̄Ū, for materials of finite strain, ĝ = g for small strain;
ĝ₀ is the bending that a temperature gradient in the cell asks for, 0 in a cold plate. Hence

- U is a potential, invariant under rotations where W is: the tangent is symmetric, the forces have no moment;
- at small strain U is that of Simo & Rifai's enhanced element, exactly: cross terms of constant and linear strains vanish;
- constant strains are exact on any mesh, at any rotation (patch test): g = 0 for affine displacements;
- K̂ is positive definite and does not depend on the strain. An element enhanced at finite strain loses its hourglass
  stiffness in compression, for a nearly incompressible neo-Hookean block at the stretch 0.79, long before the material
  does (Wriggers & Reese 1996); this one is stable wherever W(F̄) is (Reese & Wriggers 2000 have the idea);
- what is left out, changes of C with the strain inside K̂ and the square of g ⊗ ∇h in FᵀF, is of second order in the size
  of the cell, like the error of the element.

The angle of R̄ is tan θ = q/p with p = F̄₁₁ + F̄₂₂, q = F̄₂₁ − F̄₁₂. Force and tangent are those of ``fem/kernels/hourglass.py``:

    −∂U/∂u = −γ_b R̄t − m ∂θ/∂u,   t = K̂(ĝ − ĝ₀),   m = t₁ĝ₂ − t₂ĝ₁,
    ∂ĝ = (∂ĝ)_R + (ĝ₂, −ĝ₁) ∂θ,   ∂θ = (p ∂q − q ∂p)/(p² + q²),   ∂²θ = −Im (∂p + i∂q)²/(p + iq)².
"""

from typing import NamedTuple, Self

import numpy as np

from fem.kernels.abreast import in_rows
from fem.materials import Material

_GAUSS = np.array([[-1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]]) / np.sqrt(3.0)
_CORNERS = np.array([[-1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]])
_VOIGT = ((0, 0), (1, 1), (0, 1))


class Hourglass(NamedTuple):
    """Hold the tables of the hourglass energy; C cells of 4 nodes, or 0 cells for elements that need none.

    ``bending``, ``enhanced`` and ``spread`` are what a temperature field needs.

    Parameters
    ----------
    vectors : ndarray
        γ_b (C, 4), -.
    stiffness : ndarray
        K̂ (C, 2, 2), N/m.
    rest : ndarray
        ĝ₀ (C, 2), m.
    bending : ndarray
        ∫ φ_b B̃ dV of the condensed strain B̃ (C, 4, 2, 2), m²; nodes; xx, yy; mode.
    enhanced : ndarray
        L⁻¹ ∫ φ_b M dV with L Lᵀ = ∫MᵀCM dV (C, 4, 2, 4); nodes; xx, yy; mode.
    spread : ndarray
        ∫ (φ_a − φ̄_a)(φ_b − φ̄_b) dV (C, 4, 4), m³, φ̄ the mean over the cell.
    """

    vectors: np.ndarray
    stiffness: np.ndarray
    rest: np.ndarray
    bending: np.ndarray
    enhanced: np.ndarray
    spread: np.ndarray

    @classmethod
    def none(cls) -> Self:
        """Return tables without cells, for elements whose quadrature sees all of the strain."""
        shapes = ((0, 4), (0, 2, 2), (0, 2), (0, 4, 2, 2), (0, 4, 2, 4), (0, 4, 4))
        return cls(*(np.zeros(shape) for shape in shapes))

    @property
    def modes(self) -> int:
        """Number of the modes: 1, or 0 without cells."""
        return min(len(self.vectors), 1)

    def in_rows(self) -> np.ndarray:
        """Return K̂ and ĝ₀ as the element loops take them (fem/kernels/elements.py)."""
        return in_rows(np.concatenate([self.stiffness.reshape(-1, 4), self.rest], axis=1))

    @classmethod
    def of(cls, corners: np.ndarray, gradients: np.ndarray, material: Material, thickness: float) -> Self:
        """Tabulate for cells.

        Parameters
        ----------
        corners : ndarray
            (C, 4, 2), m, in either sense of rotation.
        gradients : ndarray
            b (C, 4, 2), 1/m.
        material : Material
            The law.
        thickness : float
            m.
        """
        modes = _CORNERS[0] * _CORNERS[1]
        vectors = 0.25 * (modes - np.einsum("cbJ,cJ->cb", gradients, np.einsum("b,cbJ->cJ", modes, corners)))
        C = elasticity(material)
        B, M, weights = _strains(corners)
        weights = thickness * weights
        coupling = np.einsum("cq,cqim,ij,cqjk->cmk", weights, M, C, B, optimize=True)
        own = np.einsum("cq,cqim,ij,cqjn->cmn", weights, M, C, M, optimize=True)
        condensed = B - M @ np.linalg.solve(own, coupling)[:, None]
        stiffness = np.einsum("cq,cqik,ij,cqjl->ckl", weights, condensed, C, condensed, optimize=True)
        shapes = 0.25 * (1 + np.outer(_GAUSS[0], _CORNERS[0])) * (1 + np.outer(_GAUSS[1], _CORNERS[1]))
        released = np.einsum("cq,qb,cqim->cbim", weights, shapes, M[:, :, :2], optimize=True)
        means = (weights @ shapes) / weights.sum(axis=1, keepdims=True)
        off = shapes - means[:, None]
        lower = np.linalg.inv(np.linalg.cholesky(own))
        return cls(
            vectors=vectors,
            stiffness=0.5 * (stiffness + np.swapaxes(stiffness, 1, 2)),
            rest=np.zeros((len(corners), 2)),
            bending=np.einsum("cq,qb,cqik->cbik", weights, shapes, condensed[:, :, :2], optimize=True),
            enhanced=np.einsum("cbim,cnm->cbin", released, lower, optimize=True),
            spread=np.einsum("cq,cqa,cqb->cab", weights, off, off, optimize=True),
        )

    def heated(self, eigenstress: np.ndarray, theta: np.ndarray) -> tuple[Self, float]:
        """Return the tables and an energy at nodal eigenstresses s and thermal strains θ.

        s' and θ' being what they are beyond their means, min over α of ∫ ½ ε':Cε' − s':ε' + ½ s':θ' dV is the energy
        with ĝ₀ plus the second value, ``½ ∫ s':θ' dV − ½ |L⁻¹ ∫Mᵀs' dV|² − ½ ĝ₀·K̂ĝ₀``; ∫M dV = 0, so s serves as s'
        there.

        Parameters
        ----------
        eigenstress : ndarray
            s (C, 4, 3), [xx, yy, zz], Pa.
        theta : ndarray
            θ (C, 4, 3), -.

        Returns
        -------
        tuple[Self, float]
            The tables, and J.
        """
        if not len(self.vectors):
            return self, 0.0
        moment = np.einsum("cbik,cbi->ck", self.bending, eigenstress[..., :2], optimize=True)
        relaxed = np.einsum("cbim,cbi->cm", self.enhanced, eigenstress[..., :2], optimize=True)
        rest = np.linalg.solve(self.stiffness, moment[..., None])[..., 0]
        held = np.sum(eigenstress * (self.spread @ theta))
        return self._replace(rest=rest), 0.5 * float(held - np.sum(relaxed**2) - np.sum(moment * rest))


def elasticity(material: Material) -> np.ndarray:
    """Return C at F = 1 for strains (E₁₁, E₂₂, 2E₁₂).

    Parameters
    ----------
    material : Material
        The law.

    Returns
    -------
    ndarray
        (3, 3), Pa.
    """
    tangent = material.response(np.zeros((2, 2))).tangent
    return np.array([[tangent[a + b] for b in _VOIGT] for a in _VOIGT])


def _strains(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """B (C, 4, 3, 2) of ĝ [1/m] and M (C, 4, 3, 4) of α at the 2 × 2 Gauss points, and their areas (C, 4) m²."""
    at, own = _GAUSS[:, :, None], _CORNERS
    slopes = 0.25 * np.stack([own[0] * (1 + at[1] * own[1]), own[1] * (1 + at[0] * own[0])], axis=-1)
    J = np.einsum("cbi,qbk->cqik", corners, slopes)
    J0 = np.einsum("cbi,bk->cik", corners, slopes.mean(axis=0))
    area = np.abs(np.linalg.det(J))
    rise = np.einsum("cqki,kq->cqi", np.linalg.inv(J), _GAUSS[::-1])
    B = np.zeros((*area.shape, 3, 2))
    B[..., 0, 0] = B[..., 2, 1] = rise[..., 0]
    B[..., 1, 1] = B[..., 2, 0] = rise[..., 1]
    hats = np.zeros((4, 4, 2, 2))
    hats[:, 0, 0, 0], hats[:, 1, 1, 1] = _GAUSS
    hats[:, 2, 0, 1] = hats[:, 2, 1, 0] = 0.5 * _GAUSS[0]
    hats[:, 3, 0, 1] = hats[:, 3, 1, 0] = 0.5 * _GAUSS[1]
    back = np.linalg.inv(J0)
    strain = np.einsum("cki,qmkl,clj->cqmij", back, hats, back, optimize=True)
    strain = strain * (np.abs(np.linalg.det(J0))[:, None] / area)[:, :, None, None, None]
    M = np.stack([strain[..., 0, 0], strain[..., 1, 1], 2 * strain[..., 0, 1]], axis=2)
    return B, M, area
