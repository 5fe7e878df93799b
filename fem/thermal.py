"""Thermal strain of a plate: what a temperature change adds to energy, internal force, tangent and stress.

The elastic strain is E − θ, θ = diag(θ_x, θ_y, θ_z) = α_T ΔT 1 where the material is isotropic, so S = S₀(E) − s and

    W = W₀(E) − s:E + ½ s:θ,     s = λ (θ_x + θ_y) 1 + 2μ θ            in plane stress (S₃₃ = 0; the thickness is free)
                                 s = λ (θ_x + θ_y + θ_z) 1 + 2μ θ      in plane strain (E₃₃ = 0, so −θ_z is elastic)

per reference volume, with the in-plane λ of ``Material.lame``; s is β θ 1 with β = E/(1 − ν) and E/(1 − 2ν) for an isotropic
θ. E is quadratic in u for St. Venant-Kirchhoff and linear for small strain, so the thermal part is exactly a nodal force b
and a stiffness G, the same for both components: f = f₀ + b + G u, tangent K − G. The compiled element loops stay as they are.
In Q1 that is the mean of θ over the cell; its gradient there bends the cell, by the amplitude ĝ₀ of fem/elements/hourglass.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix

from fem.given import as_numbers, check_kind
from fem.materials import Isotropic, Material
from fem.plate import Plate


def check_material(material: Material) -> Isotropic:
    """Return the material. Raises ValueError for a law, such as the neo-Hookean one, whose strain is no sum of an elastic and a
    thermal part."""
    if not (isinstance(material, Isotropic) and material.additive_strain):
        raise ValueError(
            "thermal strain takes the material st-venant-kirchhoff or small-strain, whose strain is a sum of parts; "
            f"got {material.name}"
        )
    return material


def eigenstress(material: Isotropic, theta: np.ndarray) -> np.ndarray:
    """Return s (..., 3), [xx, yy, zz], Pa, at thermal strains ``theta`` of that shape: minus the stress where all strain is
    prevented."""
    held = theta if material.plane == "strain" else theta * np.array([1.0, 1.0, 0.0])
    s = material.lame * held.sum(axis=-1, keepdims=True) + 2 * material.shear_modulus * held
    result: np.ndarray = s if material.plane == "strain" else s * np.array([1.0, 1.0, 0.0])
    return result


@dataclass(frozen=True, eq=False, repr=False)
class HeatedPlate:
    """Represent a plate at given thermal strain; build it with ``HeatedPlate.of``. What is not named here is the plate's own.

    Parameters
    ----------
    plate : Plate
        The cold plate.
    bent : Plate
        The same with the ĝ₀ of the heated one; for the other elements the plate itself.
    points : ndarray
        θ (C, Q, 3), -, at the quadrature points.
    pressed : ndarray
        s (C, Q, 3), Pa, there.
    expansion : ndarray
        b = ∫ s ∂φ/∂X dV (N, 2), N.
    stiffening : csr_matrix
        G in the plate's sparsity, N/m; zero for small strain.
    constant : float
        ½ ∫ s:θ dV, J, less what the enhanced strains of Q1 release of it.
    """

    viscosity: ClassVar[float] = 0.0

    plate: Plate
    bent: Plate
    points: np.ndarray
    pressed: np.ndarray
    expansion: np.ndarray
    stiffening: csr_matrix
    constant: float

    @classmethod
    def of(cls, plate: Plate, thermal_strain: Sequence[float] | np.ndarray | float) -> Self:
        """Heat a plate.

        Parameters
        ----------
        plate : Plate
            The cold plate.
        thermal_strain : Sequence[float] or ndarray or float
            θ = α_T ΔT at the nodes, (N,) or a number; or (N, 2), along x and y only (θ_z = 0).

        Raises
        ------
        ValueError
            Where it is not finite, of another shape, not above −1/2 (no stress-free shape), and for neo-Hookean
            material.
        """
        check_kind("plate", plate, Plate, "Plate.build(mesh, ...)")
        material = check_material(plate.material)
        nodal = as_numbers(thermal_strain, "the thermal strain")
        count = len(plate.X)
        if nodal.shape not in ((), (count,), (count, 2)) or not np.isfinite(nodal).all() or nodal.min() <= -0.5:
            raise ValueError(
                f"the thermal strain must be finite, > -1/2, a number or of shape ({count},) or ({count}, 2), "
                f"got shape {nodal.shape} from {nodal.min()} to {nodal.max()}"
            )
        isotropic = nodal.ndim < 2
        full = np.zeros((count, 3))
        full[:, : 3 if isotropic else 2] = nodal.reshape(-1, 1) if isotropic else nodal
        points = plate.values @ full[plate.nodes]
        pressed = eigenstress(material, points)
        weight = pressed[..., :2] * plate.volumes[..., None]
        shares = np.einsum("cqi,cqbi->cbi", weight, plate.gradients)
        expansion = [np.bincount(plate.nodes.ravel(), shares[..., i].ravel(), count) for i in (0, 1)]
        data = np.zeros(plate.indices.size)
        if plate.material.finite_strain:
            block = np.einsum("cqi,cqai,cqbi->cab", weight, plate.gradients, plate.gradients, optimize=True)
            second = plate.entries + plate.row_length[plate.nodes][:, :, None] + 1
            for place in (plate.entries, second):
                data += np.bincount(place.ravel(), block.ravel(), data.size)
        hourglass, energy = plate.hourglass, 0.0
        if hourglass.modes:
            nodal_stress = eigenstress(material, full)
            hourglass, energy = hourglass.heated(plate.thermal_tables, nodal_stress[plate.nodes], full[plate.nodes])
        return cls(
            plate=plate,
            bent=replace(plate, hourglass=hourglass),
            points=points,
            pressed=pressed,
            expansion=np.stack(expansion, axis=1),
            stiffening=csr_matrix((data, plate.indices, plate.indptr), shape=(plate.X.size, plate.X.size)),
            constant=0.5 * float(np.sum(plate.volumes[..., None] * pressed * points)) + energy,
        )

    def __getattr__(self, name: str) -> Any:
        if name == "plate":  # not yet set, as in copying
            raise AttributeError(name)
        return getattr(self.plate, name)

    def internal_force(self, u: np.ndarray) -> np.ndarray:
        """Return −∂U/∂u (N, 2), N, at u (N, 2), m; see ``Plate.internal_force``."""
        result: np.ndarray = self.bent.internal_force(u) + self.expansion + self._stiffened(u)
        return result

    def tangent(
        self, u: np.ndarray, *, share: float = 1.0, inertia: float = 0.0, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Return ∂²U/∂u² (nnz,), N/m, or the matrix of a step, see ``Plate.tangent``."""
        result: np.ndarray = self.bent.tangent(u, share=share, inertia=inertia, out=out)
        result -= share * self.stiffening.data
        return result

    def tangent_matrix(self, u: np.ndarray) -> csr_matrix:
        """Return ``tangent(u)`` as a sparse matrix (2N, 2N), N/m."""
        return csr_matrix((self.tangent(u), self.plate.indices, self.plate.indptr), shape=self.stiffening.shape)

    def thermal_energy(self, u: np.ndarray) -> float:
        """Return ∫ −s:E + ½ s:θ dV, J: what heating adds to the strain energy at fixed u (N, 2), m."""
        spread = self.constant - float(np.sum(u * (self.expansion + 0.5 * self._stiffened(u))))
        return spread + self.bent.hourglass_energy(u) - self.plate.hourglass_energy(u)

    def strain_energy(self, u: np.ndarray) -> float:
        """Return the elastic energy U, J, of E − θ at u (N, 2), m."""
        return self.plate.strain_energy(u) + self.thermal_energy(u)

    def stress(self, u: np.ndarray) -> np.ndarray:
        """Return the second Piola-Kirchhoff stress (C, 3), [xx, yy, xy], Pa, its mean over each cell, at u (N, 2), m."""
        hot = self.plate.stress(u)
        hot[:, :2] -= np.stack([self._mean(self.pressed[..., i]) for i in (0, 1)], axis=1)
        return hot

    def cauchy_stress(self, u: np.ndarray) -> np.ndarray:
        """Return the Cauchy stress P Fᵀ / J (C, 3), [xx, yy, xy], Pa, cell means, at u (N, 2), m.

        J includes F₃₃ of the heated thickness.
        """
        if not self.plate.material.finite_strain:
            return self.stress(u)
        H = np.einsum("cbi,cqbj->cqij", u[self.plate.nodes], self.plate.gradients, optimize=True)
        F = np.eye(2) + H
        S = np.linalg.solve(F, self.plate.material.response(H).stress) - self.pressed[..., None, :2] * np.eye(2)
        cauchy = F @ S @ np.swapaxes(F, -1, -2) / (np.linalg.det(F) * self._thickness_stretch(H))[..., None, None]
        return np.stack([self._mean(cauchy[..., i, j]) for i, j in ((0, 0), (1, 1), (0, 1))], axis=1)

    def _stiffened(self, u: np.ndarray) -> np.ndarray:
        if not self.plate.material.finite_strain:
            return np.zeros_like(self.expansion)
        result: np.ndarray = (self.stiffening @ np.asarray(u, dtype=float).ravel()).reshape(-1, 2)
        return result

    def _thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """F₃₃ (C, Q) from E₃₃ − θ_z = −ν/(1 − ν) (tr E − θ_x − θ_y) in plane stress, 1 in plane strain."""
        material = check_material(self.plate.material)
        if material.plane == "strain":
            return np.ones(H.shape[:-2])
        free = self.points[..., 2] + material.nu / (1 - material.nu) * self.points[..., :2].sum(axis=-1)
        result: np.ndarray = np.sqrt(material.thickness_stretch(H) ** 2 + 2 * free)
        return result

    def _mean(self, values: np.ndarray) -> np.ndarray:
        volumes = self.plate.volumes
        return np.asarray((volumes * values).sum(axis=1) / volumes.sum(axis=1))
