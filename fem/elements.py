"""The finite elements by name: shape functions, quadrature orders, and their tables on a mesh."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from skfem import CellBasis, Element, ElementQuad1, ElementQuad2, ElementTriP1, ElementTriP2, Mesh
from skfem.quadrature import get_quadrature

_CENTROID = (np.array([[1 / 3], [1 / 3]]), np.array([0.5]))


@dataclass(frozen=True)
class PlateElement:
    """One row of ELEMENTS.

    energy_order: polynomial degree integrated exactly. The St. Venant-Kirchhoff energy is of fourth degree
    in ∂u/∂X, so on affine cells 4(p − 1) is exact for triangles and 4p in each coordinate for
    quadrilaterals. mass_order: exact for φφ on affine triangles and on any straight-sided quadrilateral.
    """

    shape: type[Element]
    corners: int
    energy_order: int
    mass_order: int
    lumpable: bool


ELEMENTS: dict[str, PlateElement] = {
    "P1": PlateElement(ElementTriP1, corners=3, energy_order=1, mass_order=2, lumpable=True),
    "P2": PlateElement(ElementTriP2, corners=3, energy_order=4, mass_order=4, lumpable=False),
    "Q1": PlateElement(ElementQuad1, corners=4, energy_order=4, mass_order=3, lumpable=True),
    "Q2": PlateElement(ElementQuad2, corners=4, energy_order=8, mass_order=5, lumpable=False),
}


class Discretisation(NamedTuple):
    """Arrays of a mesh with an element on it; C cells, N nodes, B nodes per cell, Q quadrature points.

    points (N, 2) m; nodes (C, B) int32; gradients (C, Q, B, 2) 1/m; areas (C, Q) m², quadrature weights ×
    area element; mass (C, B, B) m², ∫φ_a φ_b dA; shape_integrals (C, B) m², ∫φ_b dA.
    """

    points: np.ndarray
    nodes: np.ndarray
    gradients: np.ndarray
    areas: np.ndarray
    mass: np.ndarray
    shape_integrals: np.ndarray


def element(name: str) -> PlateElement:
    """Look an element up by name; ValueError listing the names if there is none."""
    if name not in ELEMENTS:
        raise ValueError(f"element must be one of {', '.join(ELEMENTS)}, got {name!r}")
    return ELEMENTS[name]


def energy_rule(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Points (2, Q) and weights (Q,) on the reference cell with which the strain energy is integrated."""
    kind = element(name)
    return _CENTROID if name == "P1" else get_quadrature(kind.shape.refdom, kind.energy_order)


def shape_values(name: str) -> np.ndarray:
    """φ_b at the quadrature points of ``energy_rule``, (Q, B), in the order of a cell's nodes."""
    kind, (points, _) = element(name).shape(), energy_rule(name)
    count = len(kind.doflocs)
    return np.stack([np.broadcast_to(kind.lbasis(points, b)[0], points.shape[1]) for b in range(count)], axis=1)


def energy_basis(mesh: Mesh, name: str) -> CellBasis:
    """Scalar scikit-fem basis with the quadrature that the strain energy is integrated with."""
    kind = element(name)
    return CellBasis(mesh, kind.shape(), quadrature=energy_rule(name))


def discretise(mesh: Mesh, name: str) -> Discretisation:
    """Tabulate the element on a mesh; ValueError if its cells have the wrong number of corners."""
    kind = element(name)
    if mesh.t.shape[0] != kind.corners:
        have = {3: "triangles", 4: "quadrilaterals"}
        found = have.get(mesh.t.shape[0], f"cells of {mesh.t.shape[0]} corners")
        raise ValueError(f"element {name} needs a mesh of {have[kind.corners]}, got {found}")
    basis = energy_basis(mesh, name)
    gradients = np.stack([np.moveaxis(shape[0].grad, 0, -1) for shape in basis.basis], axis=2)
    masses = CellBasis(mesh, kind.shape(), intorder=kind.mass_order)
    values = np.stack([np.asarray(shape[0])[0] for shape in masses.basis], axis=1)
    return Discretisation(
        points=np.ascontiguousarray(basis.doflocs.T),
        nodes=np.ascontiguousarray(basis.element_dofs.T, dtype=np.int32),
        gradients=np.ascontiguousarray(gradients),
        areas=np.ascontiguousarray(basis.dx),
        mass=np.einsum("cq,qa,qb->cab", masses.dx, values, values, optimize=True),
        shape_integrals=masses.dx @ values,
    )


def nodal_area(name: str, table: Discretisation) -> np.ndarray:
    """Positive nodal weights (N,) [m²] that sum to the area.

    ∫φ_i dA, but for P2, where that vanishes at corners, the P1 rule on each cell's four sub-triangles: A/12
    to a corner, A/4 to a midpoint.
    """
    share = table.shape_integrals
    if name == "P2":
        share = share.sum(axis=1, keepdims=True) * np.array([1, 1, 1, 3, 3, 3]) / 12
    return np.bincount(table.nodes.ravel(), share.ravel())
