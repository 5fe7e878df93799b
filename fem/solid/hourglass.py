"""The part of the strain in a hexahedron of eight nodes (Q1) beyond its mean: fem/elements/hourglass.py with one axis more.

The trilinear displacement is an affine and an hourglass part, on any hexahedron (Flanagan & Belytschko 1981; Belytschko & Bindeman
1993),

    ∂u/∂X = H̄ + Σ_m g_m ⊗ (∇h_m − ⟨∇h_m⟩),   h = (ηζ, ξζ, ξη, ξηζ),   H̄ = Σ_b u_b ⊗ ⟨∇φ_b⟩,   g_m = Σ_b γ_mb u_b,
    γ_mb = ⅛ (h_mb − Σ_J (h_m·X_J) ∇_Jφ_b(0)),

⟨·⟩ the mean over the cell. Twelve amplitudes carry bending, torsion and what only hourglasses. Integrated in full they lock:
bending brings shear, and a change of volume. So their strain is enhanced by Simo & Rifai's (1990) modes, the nine of Wilson's
incompatible displacements and three of a change of volume (Simo, Armero & Taylor 1993),

    ε' = Σ_m sym(ĝ_m ⊗ (∇h_m − ⟨∇h_m⟩)) + Mα,    M: (j₀/j) J₀⁻ᵀ {ξ e₁e₁, η e₂e₂, ζ e₃e₃, (ξ, η) e₁e₂, (η, ζ) e₂e₃, (ξ, ζ) e₁e₃,
                                                              (ηζ, ξζ, ξη) 1} J₀⁻¹,

and α is condensed out, which leaves K̂ (12 × 12) of the energy ½ ĝ·K̂ĝ with ĝ_m = R̄ᵀg_m. What is said there of the plane holds: a
potential without moment, exact for constant strains, Simo & Rifai's element at small strain, stable wherever W(F̄) is. In plane
strain, on cells with parallel sides, it is the plane's energy.
"""

from typing import NamedTuple, Self

import numpy as np
from skfem import ElementHex1

from fem.kernels.abreast import in_rows
from fem.materials import Material

CORNERS = 2.0 * ElementHex1.doflocs - 1.0
"""ξ, η, ζ of the nodes (8, 3)."""
_GAUSS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]) / np.sqrt(3.0)
_PAIRS = ((1, 2), (0, 2), (0, 1))
VOIGT = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))


class SolidHourglass(NamedTuple):
    """Hold the tables of the hourglass energy; C cells of 8 nodes, or 0 cells for elements that need none.

    Parameters
    ----------
    vectors : ndarray
        γ (C, 4, 8), -.
    stiffness : ndarray
        K̂ (C, 12, 12), N/m, by mode and axis.
    """

    vectors: np.ndarray
    stiffness: np.ndarray

    @classmethod
    def none(cls) -> Self:
        """Return tables without cells, for elements whose quadrature sees all of the strain."""
        return cls(np.zeros((0, 4, 8)), np.zeros((0, 12, 12)))

    @property
    def modes(self) -> int:
        """Number of the modes: 4, or 0 without cells."""
        return 4 * min(len(self.vectors), 1)

    def in_rows(self) -> np.ndarray:
        """Return K̂ and ĝ₀ = 0 as the element loops take them (fem/kernels/elements.py)."""
        return in_rows(np.pad(self.stiffness.reshape(-1, 144), ((0, 0), (0, 12))))

    @classmethod
    def of(cls, corners: np.ndarray, material: Material) -> Self:
        """Tabulate for cells.

        Parameters
        ----------
        corners : ndarray
            (C, 8, 3), m, in either sense.
        material : Material
            The law in space.
        """
        middle = np.einsum("cbi,bk->cik", corners, CORNERS / 8.0)
        modes = _modes(CORNERS)
        at_centre = np.einsum("bk,ckJ->cbJ", CORNERS / 8.0, np.linalg.inv(middle))
        along = np.einsum("bm,cbJ->cmJ", modes, corners)
        vectors = (modes.T[None] - np.einsum("cmJ,cbJ->cmb", along, at_centre)) / 8.0
        C = elasticity(material)
        B, M, weights = _strains(corners, middle)
        coupling = np.einsum("cq,cqim,ij,cqjk->cmk", weights, M, C, B, optimize=True)
        own = np.einsum("cq,cqim,ij,cqjn->cmn", weights, M, C, M, optimize=True)
        condensed = B - M @ np.linalg.solve(own, coupling)[:, None]
        stiffness = np.einsum("cq,cqik,ij,cqjl->ckl", weights, condensed, C, condensed, optimize=True)
        return cls(vectors, 0.5 * (stiffness + np.swapaxes(stiffness, 1, 2)))


def elasticity(material: Material) -> np.ndarray:
    """Return C at F = 1 for strains (E₁₁, E₂₂, E₃₃, 2E₂₃, 2E₁₃, 2E₁₂).

    Parameters
    ----------
    material : Material
        The law in space.

    Returns
    -------
    ndarray
        (6, 6), Pa.
    """
    tangent = material.response(np.zeros((3, 3))).tangent
    return np.array([[tangent[a + b] for b in VOIGT] for a in VOIGT])


def slopes(at: np.ndarray) -> np.ndarray:
    """Return the derivatives of the shape functions by (ξ, η, ζ).

    Parameters
    ----------
    at : ndarray
        Points (Q, 3), -.

    Returns
    -------
    ndarray
        (Q, 8, 3), -.
    """
    factors = 1.0 + at[:, None] * CORNERS
    return np.stack([CORNERS[:, k] * factors[..., i] * factors[..., j] for k, (i, j) in enumerate(_PAIRS)], -1) / 8.0


def _modes(at: np.ndarray) -> np.ndarray:
    """h (Q, 4) at points (Q, 3)."""
    x, y, z = at.T
    return np.stack([y * z, x * z, x * y, x * y * z], axis=1)


def _rises(at: np.ndarray) -> np.ndarray:
    """∂h/∂(ξ, η, ζ) (Q, 4, 3) at points (Q, 3)."""
    x, y, z = at.T
    o = np.zeros_like(x)
    return np.stack([[o, z, y], [z, o, x], [y, x, o], [y * z, x * z, x * y]]).transpose(2, 0, 1)


def _voigt(strain: np.ndarray) -> np.ndarray:
    """Symmetric strains (..., 3, 3) as (..., 6) with doubled shear."""
    return np.stack([(1.0 if a == b else 2.0) * strain[..., a, b] for a, b in VOIGT], axis=-1)


def _strains(corners: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """B (C, 8, 6, 12) of ĝ [1/m] and M (C, 8, 6, 12) of α at the 2 × 2 × 2 Gauss points, and their volumes (C, 8) m³."""
    J = np.einsum("cbi,qbk->cqik", corners, slopes(_GAUSS))
    volume = np.abs(np.linalg.det(J))
    rise = np.einsum("cqki,qmk->cqmi", np.linalg.inv(J), _rises(_GAUSS))
    rise = rise - (np.einsum("cq,cqmi->cmi", volume, rise) / volume.sum(axis=1)[:, None, None])[:, None]
    eye = np.eye(3)
    wide = np.einsum("cqmi,aj->cqmaij", rise, eye)
    B = _voigt(0.5 * (wide + np.swapaxes(wide, -1, -2))).reshape(*volume.shape, 12, 6)
    hats = np.zeros((8, 12, 3, 3))
    for k in range(3):
        hats[:, k, k, k] = _GAUSS[:, k]
        hats[:, 9 + k] = np.prod(_GAUSS[:, _PAIRS[k]], axis=1)[:, None, None] * eye
    for n, (i, j) in enumerate(_PAIRS):
        for s, axis in enumerate((i, j)):
            hats[:, 3 + 2 * n + s, i, j] = hats[:, 3 + 2 * n + s, j, i] = 0.5 * _GAUSS[:, axis]
    back = np.linalg.inv(middle)
    strain = np.einsum("cki,qmkl,clj->cqmij", back, hats, back, optimize=True)
    strain = strain * (np.abs(np.linalg.det(middle))[:, None] / volume)[:, :, None, None, None]
    return np.swapaxes(B, 2, 3), np.swapaxes(_voigt(strain), 2, 3), volume
