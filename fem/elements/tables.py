"""The finite elements by name: shape functions, quadrature orders, and their tables on a mesh."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from skfem import (
    CellBasis,
    Element,
    ElementQuad1,
    ElementQuad2,
    ElementTriP1,
    ElementTriP2,
    Mesh,
    MeshQuad2,
    MeshTri2,
)
from skfem.quadrature import get_quadrature

from fem.elements.outline import straightened
from fem.given import one_of

# The rule of one point, where scikit-fem takes more than it needs.
_CENTRES = {
    "P1": (np.array([[1 / 3], [1 / 3]]), np.array([0.5])),
    "Q1": (np.array([[0.5], [0.5]]), np.array([1.0])),
}


@dataclass(frozen=True)
class PlateElement:
    """Describe an element: one row of ``ELEMENTS``.

    Parameters
    ----------
    shape : type[Element]
        Of scikit-fem.
    corners : int
        Of a cell.
    energy_order : int
        Polynomial degree integrated exactly. The St. Venant-Kirchhoff energy is of fourth degree in ∂u/∂X, so on
        affine cells 4(p − 1) is exact for triangles and 4p in each coordinate for quadrilaterals. Q1 integrates the
        mean strain only, exactly at the centre; the linear rest is the hourglass energy of ``fem/elements/hourglass.py``.
    mass_order : int
        Exact for φφ on affine triangles and on any straight-sided quadrilateral.
    jacobian_order : int
        Of the points at which det F must be positive.
    lumpable : bool
        Row sums of the mass are positive.
    hourglass : bool
        The linear strains have an energy of their own.
    curved : bool
        Takes the curved sides of a mesh (isoparametric).
    """

    shape: type[Element]
    corners: int
    energy_order: int
    mass_order: int
    jacobian_order: int
    lumpable: bool = False
    hourglass: bool = False
    curved: bool = False


ELEMENTS: dict[str, PlateElement] = {
    "P1": PlateElement(ElementTriP1, corners=3, energy_order=1, mass_order=2, jacobian_order=1, lumpable=True),
    "P2": PlateElement(ElementTriP2, corners=3, energy_order=4, mass_order=4, jacobian_order=4, curved=True),
    "Q1": PlateElement(
        ElementQuad1, corners=4, energy_order=1, mass_order=3, jacobian_order=3, lumpable=True, hourglass=True
    ),
    "Q2": PlateElement(ElementQuad2, corners=4, energy_order=8, mass_order=5, jacobian_order=8, curved=True),
}


class Discretisation(NamedTuple):
    """Hold the arrays of a mesh with an element on it; C cells, N nodes, B nodes per cell, Q quadrature points.

    Parameters
    ----------
    points : ndarray
        (N, 2), m.
    nodes : ndarray
        (C, B), int32.
    gradients : ndarray
        (C, Q, B, 2), 1/m.
    areas : ndarray
        Quadrature weights × area element (C, Q), m².
    values : ndarray
        φ_b at the quadrature points (C or 1, Q, B), and its mean over the cell where there is but one.
    jacobian_gradients : ndarray
        (C, R, B, 2), 1/m, where det F must be positive.
    mass : ndarray
        ∫φ_a φ_b dA (C, B, B), m².
    shape_integrals : ndarray
        ∫φ_b dA (C, B), m².
    """

    points: np.ndarray
    nodes: np.ndarray
    gradients: np.ndarray
    areas: np.ndarray
    values: np.ndarray
    jacobian_gradients: np.ndarray
    mass: np.ndarray
    shape_integrals: np.ndarray


def element(name: str) -> PlateElement:
    """Look an element up. Raises ValueError, which lists the names, for another one."""
    return ELEMENTS[one_of(ELEMENTS, "element", name)]


def energy_rule(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rule on the reference cell by which the strain energy is integrated.

    Parameters
    ----------
    name : str
        In ``ELEMENTS``.

    Returns
    -------
    tuple[ndarray, ndarray]
        Points (2, Q) and weights (Q,).
    """
    kind = element(name)
    return _CENTRES[name] if name in _CENTRES else get_quadrature(kind.shape.refdom, kind.energy_order)


def geometry(mesh: Mesh, name: str) -> Mesh:
    """Return the mesh with the sides that the element gives its cells: curved for P2 and Q2 if the mesh has such, else straight.

    Parameters
    ----------
    mesh : Mesh
        Of scikit-fem.
    name : str
        In ``ELEMENTS``.

    Returns
    -------
    Mesh
    """
    return mesh if element(name).curved else straightened(mesh)


def energy_basis(mesh: Mesh, name: str) -> CellBasis:
    """Return the scalar basis of scikit-fem with the quadrature of the strain energy.

    Parameters
    ----------
    mesh : Mesh
        Of scikit-fem.
    name : str
        In ``ELEMENTS``.

    Returns
    -------
    CellBasis
    """
    kind = element(name)
    return CellBasis(mesh, kind.shape(), quadrature=energy_rule(name))


def discretise(mesh: Mesh, name: str) -> Discretisation:
    """Tabulate an element on a mesh.

    Parameters
    ----------
    mesh : Mesh
        Of scikit-fem, m.
    name : str
        In ``ELEMENTS``.

    Returns
    -------
    Discretisation

    Raises
    ------
    ValueError
        If the cells have the wrong number of corners or are folded.
    """
    kind = element(name)
    if mesh.t.shape[0] != kind.corners:
        have = {3: "triangles", 4: "quadrilaterals"}
        given = have.get(mesh.t.shape[0], f"cells of {mesh.t.shape[0]} corners")
        raise ValueError(f"element {name} needs a mesh of {have[kind.corners]}, got {given}")
    mesh = geometry(mesh, name)
    basis = energy_basis(mesh, name)
    _check_sides(mesh, basis)
    # On curved cells the area element is a polynomial too, of degree 2 for P2 and 3 in each coordinate for Q2.
    curved = 3 if isinstance(mesh, (MeshTri2, MeshQuad2)) else 0
    masses = CellBasis(mesh, kind.shape(), intorder=kind.mass_order + curved)
    _, values = tabulated(masses)
    gradients, at_points = tabulated(basis)
    shape_integrals = masses.dx @ values
    if kind.hourglass:
        at_points = (shape_integrals / masses.dx.sum(axis=1, keepdims=True))[:, None]
    jacobian_gradients = gradients
    if kind.jacobian_order != kind.energy_order:
        jacobian_gradients, _ = tabulated(CellBasis(mesh, kind.shape(), intorder=kind.jacobian_order))
    return Discretisation(
        points=np.ascontiguousarray(basis.doflocs.T),
        nodes=np.ascontiguousarray(basis.element_dofs.T, dtype=np.int32),
        gradients=gradients,
        areas=np.ascontiguousarray(basis.dx),
        values=at_points,
        jacobian_gradients=jacobian_gradients,
        mass=np.einsum("cq,qa,qb->cab", masses.dx, values, values, optimize=True),
        shape_integrals=shape_integrals,
    )


def _check_sides(mesh: Mesh, basis: CellBasis) -> None:
    determinants = np.broadcast_to(basis.mapping.detDF(basis.X), basis.dx.shape)
    bad = np.flatnonzero(np.abs(np.sign(determinants).sum(axis=1)) < determinants.shape[1])
    if bad.size:
        corners = mesh.p[:, mesh.t[:, bad[0]]].T.round(12).tolist()
        raise ValueError(
            f"cell {bad[0]} with corners {corners} is folded: its sides are curved too much; take more cells"
        )


def tabulated(basis: CellBasis) -> tuple[np.ndarray, np.ndarray]:
    """∂φ_b/∂X (C, Q, B, 2) [1/m] and φ_b (Q, B) at a basis' quadrature points."""
    gradients = np.stack([np.moveaxis(shape[0].grad, 0, -1) for shape in basis.basis], axis=2)
    values = np.stack([np.asarray(shape[0])[0] for shape in basis.basis], axis=1)
    return np.ascontiguousarray(gradients), values


def nodal_area(name: str, table: Discretisation) -> np.ndarray:
    """Return positive nodal weights that sum to the area.

    ∫φ_i dA, but for P2, where that vanishes at corners, the P1 rule on each cell's four sub-triangles: A/12 to a
    corner, A/4 to a midpoint.

    Parameters
    ----------
    name : str
        In ``ELEMENTS``.
    table : Discretisation
        The element on the mesh.

    Returns
    -------
    ndarray
        (N,), m².
    """
    share = table.shape_integrals
    if name == "P2":
        share = share.sum(axis=1, keepdims=True) * np.array([1, 1, 1, 3, 3, 3]) / 12
    return np.bincount(table.nodes.ravel(), share.ravel())
