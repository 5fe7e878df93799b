"""The elements of solids by name, and their tables on a mesh: what fem/elements/tables.py is for plates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from skfem import CellBasis, Element, ElementHex1, ElementTetP1, ElementTetP2, Mesh

from fem.elements.tables import tabulated
from fem.given import one_of
from fem.solid.hourglass import CORNERS, slopes


@dataclass(frozen=True)
class SolidElement:
    """Describe an element: one row of ``SOLID_ELEMENTS``; the orders are those of ``PlateElement``.

    Parameters
    ----------
    shape : type[Element]
        Of scikit-fem.
    corners : int
        Of a cell.
    energy_order, mass_order : int
        Polynomial degrees integrated exactly. St. Venant–Kirchhoff's energy is of degree 4(p − 1) on tetrahedra. Q1 has the mean
        strain, exactly, and the hourglass energy of ``fem/solid/hourglass.py``.
    hourglass : bool
        The strain beyond its mean has an energy of its own.
    """

    shape: type[Element]
    corners: int
    energy_order: int
    mass_order: int
    hourglass: bool = False


SOLID_ELEMENTS: dict[str, SolidElement] = {
    "P1": SolidElement(ElementTetP1, corners=4, energy_order=1, mass_order=2),
    "P2": SolidElement(ElementTetP2, corners=4, energy_order=4, mass_order=4),
    "Q1": SolidElement(ElementHex1, corners=8, energy_order=3, mass_order=5, hourglass=True),
}
_CELLS = {4: "tetrahedra", 8: "hexahedra"}


class SolidTables(NamedTuple):
    """Hold the arrays of a mesh with an element on it; as ``Discretisation``, with volumes for areas and three axes.

    Parameters
    ----------
    points : ndarray
        (N, 3), m.
    nodes : ndarray
        (C, B), int32.
    gradients : ndarray
        (C, Q, B, 3), 1/m; of Q1 the mean over the cell, Q = 1.
    volumes : ndarray
        (C, Q), m³.
    jacobian_gradients : ndarray
        (C, R, B, 3), 1/m, where det F must be positive.
    mass : ndarray
        ∫φ_a φ_b dV (C, B, B), m³.
    """

    points: np.ndarray
    nodes: np.ndarray
    gradients: np.ndarray
    volumes: np.ndarray
    jacobian_gradients: np.ndarray
    mass: np.ndarray


def solid_element(name: str) -> SolidElement:
    """Look an element up. Raises ValueError, which lists the names, for another one."""
    return SOLID_ELEMENTS[one_of(SOLID_ELEMENTS, "element of a solid", name)]


def discretise_solid(mesh: Mesh, name: str) -> SolidTables:
    """Tabulate an element on a mesh.

    Parameters
    ----------
    mesh : Mesh
        Of scikit-fem, m.
    name : str
        In ``SOLID_ELEMENTS``.

    Raises
    ------
    ValueError
        For a mesh of other cells, or with a cell that is not finite, has no volume or is turned inside out.
    """
    kind = solid_element(name)
    if mesh.dim() != 3 or mesh.t.shape[0] != kind.corners:
        given = (
            _CELLS.get(mesh.t.shape[0], f"cells of {mesh.t.shape[0]} corners") if mesh.dim() == 3 else "a plane mesh"
        )
        raise ValueError(f"element {name} needs a mesh of {_CELLS[kind.corners]}, got {given}")
    _check_cells(mesh)
    basis = CellBasis(mesh, kind.shape(), intorder=kind.energy_order)
    masses = CellBasis(mesh, kind.shape(), intorder=kind.mass_order)
    _, values = tabulated(masses)
    at_points, _ = tabulated(basis)
    gradients, volumes = at_points, np.ascontiguousarray(basis.dx)
    if kind.hourglass:
        total = volumes.sum(axis=1, keepdims=True)
        gradients = np.einsum("cq,cqbj->cbj", volumes / total, at_points)[:, None]
        volumes = total
    return SolidTables(
        points=np.ascontiguousarray(basis.doflocs.T),
        nodes=np.ascontiguousarray(basis.element_dofs.T, dtype=np.int32),
        gradients=np.ascontiguousarray(gradients),
        volumes=volumes,
        jacobian_gradients=at_points,
        mass=np.einsum("cq,qa,qb->cab", masses.dx, values, values, optimize=True),
    )


def _check_cells(mesh: Mesh) -> None:
    if not np.all(np.isfinite(mesh.p)):
        raise ValueError("the mesh has points that are not finite")
    corners = mesh.p[:, mesh.t].transpose(2, 1, 0)
    if corners.shape[1] == 4:
        sides = (corners[:, 1:] - corners[:, :1])[:, None]
    else:
        sides = np.einsum("cbi,qbk->cqik", corners, slopes(CORNERS))
    volumes, size = np.linalg.det(sides), np.ptp(corners, axis=1).max(axis=1) ** 3
    bad = np.flatnonzero(np.abs(np.sign(volumes).sum(axis=1)) < volumes.shape[1])
    bad = np.union1d(bad, np.flatnonzero(np.abs(volumes).min(axis=1) <= 1e-12 * size))
    if bad.size:
        raise ValueError(
            f"cell {bad[0]} with corners {corners[bad[0]].round(12).tolist()} is flat, or inside out at a corner"
        )
    _check_neighbours(mesh, corners.mean(axis=1))
    loose = np.setdiff1d(np.arange(mesh.p.shape[1]), mesh.t)
    if loose.size:
        raise ValueError(f"node {loose[0]} at {mesh.p[:, loose[0]].tolist()} belongs to no cell")


def _check_neighbours(mesh: Mesh, middles: np.ndarray) -> None:
    """Refuse cells on one side of the facet that they share."""
    shared = np.flatnonzero(mesh.f2t[1] >= 0)
    if np.bincount(mesh.t2f.ravel()).max() > 2:
        raise ValueError("a face of the mesh is shared by more than two cells")
    start, second, third = mesh.p[:, mesh.facets[:3, shared]].transpose(1, 2, 0)
    normal = np.cross(second - start, third - start)
    side = [np.einsum("fi,fi->f", normal, middles[cells] - start) for cells in mesh.f2t[:, shared]]
    folded = np.flatnonzero(side[0] * side[1] >= 0)
    if folded.size:
        pair = mesh.f2t[:, shared[folded[0]]].tolist()
        raise ValueError(f"one of the cells {pair} is inverted: it is folded over its neighbour")
