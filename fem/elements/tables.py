"""Finite elements by name: shape functions, quadrature orders, their tables on a mesh, and points of the body."""

from dataclasses import dataclass

import numpy as np
from skfem import (
    CellBasis,
    Element,
    ElementHex1,
    ElementQuad1,
    ElementQuad2,
    ElementTetP1,
    ElementTetP2,
    ElementTriP1,
    ElementTriP2,
    Mesh,
    MeshQuad1,
    MeshQuad2,
    MeshTri1,
    MeshTri2,
)
from skfem.quadrature import get_quadrature

from fem.input_checks import check_choice

INSIDE_TOLERANCE = 1e-9
"""Tolerance of points outside a cell, relative to its size."""

_MAX_ITERATIONS = 30
_TRIANGLE_CENTRE = np.array([[1 / 3], [1 / 3]]), np.array([0.5])


@dataclass(frozen=True)
class CellElement:
    """Finite element: one row of ``ELEMENTS`` or ``SOLID_ELEMENTS``.

    ``shape``: element of scikit-fem.
    ``energy_order``: polynomial degree that the quadrature of the energy integrates exactly. The St. Venant-Kirchhoff energy is
    of fourth degree in ∂u/∂X, so on affine cells 4(p − 1) is exact for triangles and tetrahedra and 4p in each coordinate for
    quadrilaterals. Q1 takes the mean strain only, exactly; the rest is the hourglass energy of ``fem/elements/hourglass.py``.
    ``mass_order``: the same for the mass; exact for φφ on affine simplices and on any straight-sided quadrilateral.
    ``hourglass``: the non-uniform strain has an energy of its own.
    ``curved``: the element takes the curved sides of a mesh (isoparametric); the row sums of its mass are not all positive.
    """

    shape: type[Element]
    energy_order: int
    mass_order: int
    hourglass: bool = False
    curved: bool = False

    @property
    def corners(self) -> int:
        """Number of corners of a cell."""
        count: int = self.shape.refdom.nnodes
        return count


ELEMENTS: dict[str, CellElement] = {
    "P1": CellElement(ElementTriP1, energy_order=1, mass_order=2),
    "P2": CellElement(ElementTriP2, energy_order=4, mass_order=4, curved=True),
    "Q1": CellElement(ElementQuad1, energy_order=3, mass_order=3, hourglass=True),
    "Q2": CellElement(ElementQuad2, energy_order=8, mass_order=5, curved=True),
}
SOLID_ELEMENTS: dict[str, CellElement] = {
    "P1": CellElement(ElementTetP1, energy_order=1, mass_order=2),
    "P2": CellElement(ElementTetP2, energy_order=4, mass_order=4),
    "Q1": CellElement(ElementHex1, energy_order=3, mass_order=5, hourglass=True),
}
_CELLS = {2: {3: "triangles", 4: "quadrilaterals"}, 3: {4: "tetrahedra", 8: "hexahedra"}}
_MESHES = {1: "a mesh of lines", 2: "a plane mesh", 3: "a mesh in space"}


def element(name: str, d: int = 2) -> CellElement:
    """Element of plates (d = 2) or solids (d = 3) by name. Raises ValueError, which lists the names, for an unknown one."""
    elements, what = (ELEMENTS, "element") if d == 2 else (SOLID_ELEMENTS, "element of a solid")
    return elements[check_choice(elements, what, name)]


def energy_basis(mesh: Mesh, kind: CellElement) -> CellBasis:
    """Scalar basis of scikit-fem of an element on a mesh, with the quadrature of the strain energy."""
    # scikit-fem has no rule of one point for triangles.
    centre = _TRIANGLE_CENTRE if kind.shape is ElementTriP1 else None
    return CellBasis(mesh, kind.shape(), quadrature=centre or get_quadrature(kind.shape.refdom, kind.energy_order))


def check_corners(mesh: Mesh, name: str, d: int) -> None:
    """Refuse a mesh whose cells do not fit an element. Raises ValueError."""
    needed, given = element(name, d).corners, mesh.t.shape[0]
    if mesh.dim() == d and given == needed:
        return
    cells = _CELLS[d].get(given, f"cells of {given} corners") if mesh.dim() == d else _MESHES[mesh.dim()]
    raise ValueError(f"element {name} needs a mesh of {_CELLS[d][needed]}, got {cells}")


def straightened(mesh: Mesh) -> Mesh:
    """Mesh with straight sides between the same corners, and the same boundaries."""
    if not isinstance(mesh, (MeshTri2, MeshQuad2)):
        return mesh
    straight = MeshTri1 if mesh.t.shape[0] == 3 else MeshQuad1
    corners = np.ascontiguousarray(mesh.doflocs[:, : mesh.nvertices])
    # The order of the corners must not change.
    return straight(corners, mesh.t, mesh.boundaries, sort_t=False)


def discretise(mesh: Mesh, name: str) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Points (N, d), m, tables, mass ∫φ_a φ_b dV (C, B, B), m^d, and shape integrals ∫φ_b dV (C, B), m^d, of an element on a mesh.

    ``mesh``: of scikit-fem, m; curved sides count for elements that take them. The tables are fields of ``Elastic``; ``volumes``
    are quadrature weight × area or volume element, m^d. In Q1 gradients and values are means over the cell. Raises ValueError for
    folded cells.
    """
    kind = element(name, mesh.dim())
    mesh = mesh if kind.curved else straightened(mesh)
    basis = energy_basis(mesh, kind)
    _check_sides(mesh, basis)
    # On curved cells the area element is a polynomial too, of degree 2 for P2 and 3 in each coordinate for Q2.
    curved = 3 if isinstance(mesh, (MeshTri2, MeshQuad2)) else 0
    masses = CellBasis(mesh, kind.shape(), intorder=kind.mass_order + curved)
    _, values = _tabulated(masses)
    gradients, at_points = _tabulated(basis)
    shape_integrals, sizes, jacobian_gradients = masses.dx @ values, np.ascontiguousarray(basis.dx), gradients
    if kind.hourglass:
        at_points = (shape_integrals / masses.dx.sum(axis=1, keepdims=True))[:, None]
        total = sizes.sum(axis=1, keepdims=True)
        gradients, sizes = np.einsum("cq,cqbj->cbj", sizes / total, gradients)[:, None], total
    tables = {
        "nodes": np.ascontiguousarray(basis.element_dofs.T, dtype=np.int32),
        "gradients": np.ascontiguousarray(gradients),
        "volumes": sizes,
        "values": at_points,
        "jacobian_gradients": jacobian_gradients,
    }
    mass = np.einsum("cq,qa,qb->cab", masses.dx, values, values, optimize=True)
    return np.ascontiguousarray(basis.doflocs.T), tables, mass, shape_integrals


def _check_sides(mesh: Mesh, basis: CellBasis) -> None:
    determinants = np.broadcast_to(basis.mapping.detDF(basis.X), basis.dx.shape)
    bad = np.flatnonzero(np.abs(np.sign(determinants).sum(axis=1)) < determinants.shape[1])
    if bad.size:
        corners = mesh.p[:, mesh.t[:, bad[0]]].T.round(12).tolist()
        raise ValueError(
            f"cell {bad[0]} with corners {corners} is folded: its sides are curved too much; take more cells"
        )


def _tabulated(basis: CellBasis) -> tuple[np.ndarray, np.ndarray]:
    """∂φ_b/∂X (C, Q, B, d), 1/m, and φ_b (Q, B) at the quadrature points of a basis."""
    gradients = np.stack([np.moveaxis(shape[0].grad, 0, -1) for shape in basis.basis], axis=2)
    values = np.stack([np.asarray(shape[0])[0] for shape in basis.basis], axis=1)
    return np.ascontiguousarray(gradients), values


def nodal_area(name: str, nodes: np.ndarray, shape_integrals: np.ndarray) -> np.ndarray:
    """Positive nodal weights (N,), m², with the area as their sum, of the element ``name`` with ``nodes`` (C, B).

    They are ∫φ_i dA; for P2, where this vanishes at corners, the P1 rule on the four sub-triangles of each cell: A/12 at corners,
    A/4 at midpoints.
    """
    share = shape_integrals
    if name == "P2":
        share = share.sum(axis=1, keepdims=True) * np.array([1, 1, 1, 3, 3, 3]) / 12
    return np.bincount(nodes.ravel(), share.ravel())


def at_point(
    shape: Element, points: np.ndarray, nodes: np.ndarray, place: np.ndarray, *, curved: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (B,) and shape functions (B,), sum 1, that interpolate at a ``place`` (d,), m; at a node that node alone.

    Inverse of x(ξ) = Σ φ_b(ξ) x_b by Newton's method in the cells around the place; exact in one step where sides are straight
    and, on quadrilaterals and hexahedra, parallel. ``shape``: element of scikit-fem; ``points`` (N, d), m; ``nodes`` (C, B) of the
    cells, which may be ``curved``. Raises ValueError for a place outside all cells.
    """
    distance = np.linalg.norm(points - place, axis=1)
    nearest = int(np.argmin(distance))
    if distance[nearest] <= INSIDE_TOLERANCE * float(np.abs(points).max()):
        return np.array([nearest]), np.ones(1)
    simplex = shape.refdom.nnodes == len(place) + 1
    low, high = points[nodes].min(axis=1), points[nodes].max(axis=1)
    margin = (high - low).max(axis=1, keepdims=True) * (0.5 if curved else INSIDE_TOLERANCE)
    for cell in np.flatnonzero(np.all((low - margin <= place) & (place <= high + margin), axis=1)):
        xi = shape.doflocs.mean(axis=0)
        corners = points[nodes[cell]]
        for _ in range(_MAX_ITERATIONS):
            (values,), (slopes,) = shape_functions(shape, xi[:, None])
            change = np.linalg.solve(corners.T @ slopes, place - values @ corners)
            xi = xi + change
            if np.abs(change).max() < 1e-15:
                break
        excess = max(-xi.min(), (xi.sum() if simplex else xi.max()) - 1.0)
        if excess <= INSIDE_TOLERANCE:
            return nodes[cell], shape_functions(shape, xi[:, None])[0][0]
    place_text, nearest_text = (", ".join(f"{x:.6g}" for x in point) for point in (place, points[nearest]))
    raise ValueError(
        f"the body has no point at ({place_text}) m to attach to; its nearest node is at ({nearest_text}) m"
    )


def shape_functions(shape: Element, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """φ (Q, B) and ∂φ/∂ξ (Q, B, d) at ξ (d, Q)."""
    tables = [shape.lbasis(xi, b) for b in range(len(shape.doflocs))]
    count = xi.shape[1]
    values = np.stack([np.broadcast_to(phi, count) for phi, _ in tables], axis=1)
    return values, np.stack([np.broadcast_to(dphi, xi.shape).T for _, dphi in tables], axis=1)
