"""Fields of cells for pictures and export: strain energy density, all of the Cauchy stress, its von Mises and principal values.

The stress normal to the plane is 0 in plane stress. In plane strain, where F₃₃ = 1, it is J⁻¹ ∂W/∂F₃₃:

    St. Venant-Kirchhoff   σ₃₃ = λ tr E / J
    small strain           σ₃₃ = λ tr ε
    neo-Hookean            σ₃₃ = λ ln J / J

less the eigenstress s₃₃ of a heated plate (fem/thermal.py), over J at finite strain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from fem import kernels
from fem.elements import hourglass
from fem.plate import Plate
from fem.thermal import HeatedPlate


def strain_energy_density(plate: Plate, u: np.ndarray) -> np.ndarray:
    """Return the strain energy of each cell of a cold plate over its reference volume, (C,), J/m³, at u (N, 2), m.

    Times the cells' volumes its sum is ``plate.strain_energy(u)``.
    """
    field, energy = plate.field(u), np.empty(len(plate.nodes))
    kernels.cell_energies(*field, *plate.kernel_tables[:3], energy)
    hourglass.add_energies(*field, *plate.hourglass_tables, energy)
    result: np.ndarray = energy / plate.volumes.sum(axis=1)
    return result


def cauchy_tensor(body: Plate | HeatedPlate, u: np.ndarray) -> np.ndarray:
    """Return the Cauchy stress in three dimensions, (C, 3, 3), Pa, its mean over each cell, at u (N, 2), m.

    Symmetric, in the axes of u; xz and yz are 0.
    """
    in_plane = body.cauchy_stress(u)
    tensor = np.zeros((len(in_plane), 3, 3))
    tensor[:, 0, 0], tensor[:, 1, 1] = in_plane[:, 0], in_plane[:, 1]
    tensor[:, 0, 1] = tensor[:, 1, 0] = in_plane[:, 2]
    tensor[:, 2, 2] = normal_stress(body, u)
    return tensor


def normal_stress(body: Plate | HeatedPlate, u: np.ndarray) -> np.ndarray:
    """Return the Cauchy stress σ₃₃ normal to the plane, (C,), Pa, its mean over each cell, at u (N, 2), m; 0 in plane stress."""
    material, pressed = body.material, body.pressed[..., 2]
    if material.plane == "stress":
        return np.zeros(len(body.nodes))
    H = np.einsum("cbi,cqbj->cqij", u[body.nodes], body.gradients, optimize=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        stress = _HELD_THICKNESS[material.name](material.lame, H) - pressed * _over_volume(material.finite_strain, H)
    result: np.ndarray = (body.volumes * stress).sum(axis=1) / body.volumes.sum(axis=1)
    return result


def von_mises(tensor: np.ndarray) -> np.ndarray:
    """Return √(3/2 s:s) with s the deviator of the stress.

    Parameters
    ----------
    tensor : ndarray
        Stress (..., 3, 3), Pa.

    Returns
    -------
    ndarray
        (...), Pa.
    """
    mean = np.trace(tensor, axis1=-2, axis2=-1)[..., None, None] / 3.0
    deviator = tensor - mean * np.eye(3)
    result: np.ndarray = np.sqrt(1.5 * np.einsum("...ij,...ij->...", deviator, deviator))
    return result


def principal_values(tensor: np.ndarray) -> np.ndarray:
    """Return the principal stresses, the largest first.

    Parameters
    ----------
    tensor : ndarray
        Stress (..., 3, 3), Pa, whose third axis is a principal one.

    Returns
    -------
    ndarray
        (..., 3), Pa; NaN where the stress is not finite.
    """
    xx, yy, xy = tensor[..., 0, 0], tensor[..., 1, 1], tensor[..., 0, 1]
    middle, radius = 0.5 * (xx + yy), np.hypot(0.5 * (xx - yy), xy)
    values = np.stack([middle + radius, middle - radius, tensor[..., 2, 2]], axis=-1)
    result: np.ndarray = -np.sort(-values, axis=-1)
    return result


def _over_volume(finite_strain: bool, H: np.ndarray) -> np.ndarray:
    """1/J at finite strain, 1 at small strain."""
    inverse: np.ndarray = 1.0 / np.linalg.det(np.eye(2) + H) if finite_strain else np.ones(H.shape[:-2])
    return inverse


def _st_venant_kirchhoff(lame: float, H: np.ndarray) -> np.ndarray:
    trace = np.trace(H, axis1=-2, axis2=-1) + 0.5 * np.einsum("...ki,...ki->...", H, H)
    return np.asarray(lame * trace * _over_volume(True, H))


def _small_strain(lame: float, H: np.ndarray) -> np.ndarray:
    return np.asarray(lame * np.trace(H, axis1=-2, axis2=-1))


def _neo_hookean(lame: float, H: np.ndarray) -> np.ndarray:
    inverse = _over_volume(True, H)
    return np.asarray(-lame * np.log(inverse) * inverse)


_HELD_THICKNESS: Mapping[str, Callable[[float, np.ndarray], np.ndarray]] = MappingProxyType(
    {
        "st-venant-kirchhoff": _st_venant_kirchhoff,
        "small-strain": _small_strain,
        "neo-hookean": _neo_hookean,
    }
)
"""σ₃₃ of the cold materials in plane strain, from λ (Pa) and H (..., 2, 2)."""
