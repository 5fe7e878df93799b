"""Thermal strain of a plate or an axis of a beam: its part in energy, internal force, tangent and stress.

The elastic strain of a plate is E − θ, θ = diag(θ_x, θ_y, θ_z) = α_T ΔT 1 where the material is isotropic, so S = S₀(E) − s and

    W = W₀(E) − s:E + ½ s:θ,     s = λ (θ_x + θ_y) 1 + 2μ θ            in plane stress (S₃₃ = 0; the thickness is free)
                                 s = λ (θ_x + θ_y + θ_z) 1 + 2μ θ      in plane strain (E₃₃ = 0, so −θ_z is elastic)

per reference volume, with the in-plane λ of ``Isotropic.lame``; s is β θ 1 with β = E/(1 − ν) and E/(1 − 2ν) for an isotropic
θ. In Q1 θ here is the mean over the cell; the gradient bends the cell by the amplitude ĝ₀ of fem/elements/hourglass.py.
The elastic stretch of an axis is e − θ, e = ½ (r'·r' − 1), so that W = W₀(e) − s e + ½ s θ with s = EA θ, per length.

E and e are quadratic in u, at small strain E is linear. Therefore the thermal part is exactly a nodal force b and a stiffness G,
equal for both components:

    U = U₀ + c − u·(b + ½ G u),    f = f₀ + b + G u,    K = K₀ − G.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from fem.beam import gauss
from fem.beam_axis import BeamAxis
from fem.bodies import Plate
from fem.elements.sparsity import Sparsity, scalar_matrix
from fem.input_checks import as_numbers, check_type
from fem.materials import Isotropic, Material


def check_material(material: Material) -> Isotropic:
    """The material, if its strain is the sum of an elastic and a thermal part; ValueError otherwise, as for neo-Hookean laws."""
    if not (isinstance(material, Isotropic) and material.additive_strain):
        raise ValueError(
            "thermal strain takes the material st-venant-kirchhoff or small-strain, whose strain is a sum of parts; "
            f"got {material.name}"
        )
    return material


def eigenstress(material: Isotropic, theta: np.ndarray) -> np.ndarray:
    """Eigenstress s (..., 3), [xx, yy, zz], Pa, at thermal strains ``theta`` (..., 3): minus the stress at zero total strain."""
    active = np.array([1.0, 1.0, float(material.plane == "strain")])
    constrained = theta * active
    result: np.ndarray = (
        material.lame * constrained.sum(axis=-1, keepdims=True) + 2 * material.shear_modulus * constrained
    ) * active
    return result


@dataclass(frozen=True, eq=False, repr=False)
class Heated:
    """Body at given thermal strain, see ``heated_plate``, ``heated_axis``; other attributes are those of ``warm``.

    Parameters
    ----------
    cold : Plate or BeamAxis
        The cold body.
    warm : Plate or BeamAxis
        The same, of a plate with its thermal strain and eigenstress, and the ĝ₀ of the heated body for Q1.
    expansion : ndarray
        Nodal force b (N, 2), N.
    stiffening : csr_matrix
        Stiffness G in the sparsity of the body, N/m; zero for small strain.
    constant : float
        Energy c = ½ ∫ s:θ dV, J, less its reduction by the enhanced strains of Q1.
    """

    viscosity: ClassVar[float] = 0.0

    cold: Plate | BeamAxis
    warm: Plate | BeamAxis
    expansion: np.ndarray
    stiffening: csr_matrix
    constant: float

    def __getattr__(self, name: str) -> Any:
        if name == "warm":  # not yet set, as in copying
            raise AttributeError(name)
        return getattr(self.warm, name)

    def internal_force(self, u: np.ndarray) -> np.ndarray:
        """Internal force −∂U/∂u (N, 2), N, at u (N, 2), m."""
        return np.asarray(self.warm.internal_force(u) + self.expansion + self._stiffening_force(u))

    def tangent(
        self, u: np.ndarray, *, share: float = 1.0, inertia: float = 0.0, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Tangent ∂²U/∂u² (nnz,), N/m, or ``share`` × ∂²U/∂u² + ``inertia`` × mass, see ``Plate.tangent``."""
        result: np.ndarray = self.warm.tangent(u, share=share, inertia=inertia, out=out)
        result -= share * self.stiffening.data
        return result

    def tangent_matrix(self, u: np.ndarray) -> csr_matrix:
        """``tangent(u)`` as a sparse matrix (2N, 2N), N/m."""
        return csr_matrix((self.tangent(u), self.cold.indices, self.cold.indptr), shape=self.stiffening.shape)

    def thermal_energy(self, u: np.ndarray) -> float:
        """Thermal part ∫ −s:E + ½ s:θ dV, J, of the strain energy at u (N, 2), m."""
        energy = self.constant - float(np.sum(u * (self.expansion + 0.5 * self._stiffening_force(u))))
        if isinstance(self.warm, Plate) and isinstance(self.cold, Plate):
            energy += self.warm.hourglass_energy(u) - self.cold.hourglass_energy(u)
        return energy

    def strain_energy(self, u: np.ndarray) -> float:
        """Strain energy U, J, of the elastic strain E − θ at u (N, 2), m."""
        return self.cold.strain_energy(u) + self.thermal_energy(u)

    def _stiffening_force(self, u: np.ndarray) -> np.ndarray:
        return np.asarray((self.stiffening @ np.asarray(u, dtype=float).ravel()).reshape(-1, 2))


def heated_plate(plate: Plate, thermal_strain: Sequence[float] | np.ndarray | float) -> Heated:
    """Plate at a given thermal strain.

    Parameters
    ----------
    plate : Plate
        The cold plate.
    thermal_strain : array_like
        θ = α_T ΔT, -, at the nodes, (N,) or a number; or (N, 2), along x and y only (θ_z = 0).

    Raises
    ------
    ValueError
        For θ not finite, of another shape, or not above −1/2 (no stress-free shape), and for neo-Hookean material.
    """
    check_type("plate", plate, Plate, "Plate.build(mesh, ...)")
    material = check_material(plate.material)
    nodal = as_numbers(thermal_strain, "the thermal strain")
    count = len(plate.X)
    if nodal.shape not in ((), (count,), (count, 2)) or not np.isfinite(nodal).all() or nodal.min() <= -0.5:
        raise ValueError(
            f"the thermal strain must be finite, > -1/2, a number or of shape ({count},) or ({count}, 2), "
            f"got shape {nodal.shape} from {nodal.min()} to {nodal.max()}"
        )
    full = np.zeros((count, 3))
    full[:, : 2 if nodal.ndim == 2 else 3] = nodal if nodal.ndim == 2 else nodal.reshape(-1, 1)
    strain = plate.values @ full[plate.nodes]
    stress = eigenstress(material, strain)
    weight, slopes = stress[..., :2] * plate.volumes[..., None], plate.gradients
    blocks = np.einsum("cqi,cqai,cqbi->cab", weight, slopes, slopes, optimize=True)
    modes, energy = plate.hourglass, 0.0
    if modes.modes:
        nodal_stress = eigenstress(material, full)
        modes, energy = modes.heated(plate.thermal_tables, nodal_stress[plate.nodes], full[plate.nodes])
    warm = replace(plate, hourglass=modes, thermal_strain=strain, eigenstress=stress)
    return _heated(plate, warm, blocks, 0.5 * float(np.sum(plate.volumes[..., None] * stress * strain)) + energy)


def heated_axis(axis: BeamAxis, thermal_strain: Sequence[float] | np.ndarray | float) -> Heated:
    """Axis of a beam at a given thermal strain, uniform over the section.

    Parameters
    ----------
    axis : BeamAxis
        The cold axis.
    thermal_strain : array_like
        θ, -, at the P points (P,), handles without effect, or a number; linear between places.

    Raises
    ------
    ValueError
        For θ not finite, not above −1/2, or of another shape.
    """
    check_type("axis", axis, BeamAxis, "BeamAxis.build(beam)")
    nodal = as_numbers(thermal_strain, "the thermal strain")
    if nodal.shape not in ((), (len(axis.X),)) or not np.isfinite(nodal).all() or nodal.min() <= -0.5:
        raise ValueError(
            f"the thermal strain of a beam must be finite, > -1/2, a number or of shape ({len(axis.X)},), "
            f"got shape {nodal.shape}"
        )
    ends = np.broadcast_to(nodal, (len(axis.X),))[axis.cells]
    share = gauss(len(axis.quadrature), 1.0)[0]
    theta = np.outer(1.0 - share, ends[:, 0]) + np.outer(share, ends[:, 1])
    S, EA = axis.slope_shapes, axis.beam.axial_stiffness
    blocks = EA * np.einsum("g,gc,ga,gb->cab", axis.quadrature, theta, S, S)
    return _heated(axis, axis, blocks, 0.5 * EA * float(np.einsum("g,gc->", axis.quadrature, theta**2)))


def _heated(cold: Plate | BeamAxis, warm: Plate | BeamAxis, blocks: np.ndarray, constant: float) -> Heated:
    """Heated body from the cells' ``blocks`` (C, B, B) of the G of finite strain, N/m. As Σ_b ∇φ_b ⊗ X_b = 1, b = G X."""
    pattern = Sparsity(cold.indptr, cold.indices, cold.entries, cold.row_length)
    G = scalar_matrix(pattern, cold.nodes, blocks)
    expansion = (G @ cold.X.ravel()).reshape(-1, 2)
    return Heated(cold=cold, warm=warm, expansion=expansion, stiffening=G * float(cold.objective), constant=constant)
