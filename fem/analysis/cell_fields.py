"""Cell fields for pictures and export: strain energy density, Cauchy stress, von Mises and principal stresses.

The stress normal to the plane is 0 in plane stress. In plane strain, where F₃₃ = 1, it is J⁻¹ (∂W/∂F₃₃ − s₃₃) of the law in space,
at small strain ∂W/∂ε₃₃ − s₃₃, with the eigenstress s₃₃ of a heated plate (fem/thermal.py).
"""

from __future__ import annotations

import numpy as np

from fem.bodies import Plate
from fem.thermal import Heated


def strain_energy_density(plate: Plate, u: np.ndarray) -> np.ndarray:
    """Strain energy of each cell of a cold plate per reference volume, (C,), J/m³, at u (N, 2), m."""
    return np.asarray(plate.cell_energies(u) / plate.volumes.sum(axis=1))


def cauchy_tensor(body: Plate | Heated, u: np.ndarray) -> np.ndarray:
    """Cauchy stress tensor (C, 3, 3), Pa, mean over each cell, at u (N, 2), m; in the axes of u, xz and yz are 0."""
    in_plane = body.cauchy_stress(u)
    tensor = np.zeros((len(in_plane), 3, 3))
    tensor[:, 0, 0], tensor[:, 1, 1] = in_plane[:, 0], in_plane[:, 1]
    tensor[:, 0, 1] = tensor[:, 1, 0] = in_plane[:, 2]
    tensor[:, 2, 2] = normal_stress(body, u)
    return tensor


def normal_stress(body: Plate | Heated, u: np.ndarray) -> np.ndarray:
    """Cauchy stress σ₃₃ normal to the plane, (C,), Pa, mean over each cell, at u (N, 2), m; 0 in plane stress."""
    material, eigenstress = body.material, body.eigenstress[..., 2]
    if material.plane == "stress":
        return np.zeros(len(body.nodes))
    H, F, _ = body.point_state(u)
    with np.errstate(divide="ignore", invalid="ignore"):
        stress = material.response(np.pad(H, ((0, 0), (0, 0), (0, 1), (0, 1)))).stress[..., 2, 2] - eigenstress
        stress = stress / np.linalg.det(F) if material.finite_strain else stress
    return np.asarray((body.weights * stress).sum(axis=1))


def von_mises(tensor: np.ndarray) -> np.ndarray:
    """Von Mises stress √(3/2 s:s) (...), Pa, s the deviator of the stress ``tensor`` (..., 3, 3), Pa."""
    mean = np.trace(tensor, axis1=-2, axis2=-1)[..., None, None] / 3.0
    deviator = tensor - mean * np.eye(3)
    return np.asarray(np.sqrt(1.5 * np.einsum("...ij,...ij->...", deviator, deviator)))


def principal_values(tensor: np.ndarray) -> np.ndarray:
    """Principal stresses (..., 3), Pa, in descending order, of a stress ``tensor`` (..., 3, 3), Pa, whose third axis is a principal
    one; NaN where it is not finite."""
    xx, yy, xy = tensor[..., 0, 0], tensor[..., 1, 1], tensor[..., 0, 1]
    middle, radius = 0.5 * (xx + yy), np.hypot(0.5 * (xx - yy), xy)
    values = np.stack([middle + radius, middle - radius, tensor[..., 2, 2]], axis=-1)
    return np.asarray(-np.sort(-values, axis=-1))
