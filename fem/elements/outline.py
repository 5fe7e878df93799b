"""Checks of a mesh, and orientation and named edges of plates."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from skfem import FacetBasis, Mesh, MeshQuad2, MeshTri2
from skfem.models.poisson import unit_load

from fem.elements.hourglass import CORNERS, shape_derivatives
from fem.elements.tables import check_corners, element, straightened

# Area or volume at a corner over the cell's size to the power of the dimension, below which a cell is degenerate.
DEGENERATE_RATIO = {2: 1e-10, 3: 1e-12}
_FLAT = {2: "is degenerate: its area, or the angle at a corner, is zero", 3: "is flat, or inside out at a corner"}
_INVERTED = {2: "is inverted at a corner: quadrilaterals must be convex", 3: _FLAT[3]}


def corner_sizes(mesh: Mesh) -> np.ndarray:
    """Signed areas or volumes (C, corners), m^d, that the sides span at the corners of cells; of simplices (C, 1)."""
    corners = mesh.p[:, mesh.t].transpose(2, 1, 0)
    if corners.shape[1] == mesh.dim() + 1:
        sides = (corners[:, 1:] - corners[:, :1])[:, None]
    else:
        sides = 2.0 * np.einsum("cbi,qbk->cqik", corners, shape_derivatives(CORNERS[mesh.dim()]))
    return np.asarray(np.linalg.det(sides))


def check_mesh(mesh: Mesh, name: str, d: int) -> Mesh:
    """The mesh with straight sides, checked. Raises ValueError, which names the cell, for cells that do not fit the element of this
    ``name`` and for non-finite, degenerate, non-convex, folded or unconnected ones."""
    if not isinstance(mesh, Mesh):
        such = {2: "rectangle(0.4, 0.2, 16, 8) or read(path)", 3: "box(1, 1, 1, 4, 4, 4)"}[d]
        raise ValueError(f"mesh must be one of scikit-fem, such as {such}, got {type(mesh).__name__}")
    check_corners(mesh, name, d)
    mesh = straightened(mesh)
    bad = np.flatnonzero(~np.isfinite(mesh.p[:, mesh.t]).all(axis=(0, 1)))
    if bad.size:
        raise ValueError(f"{_cell(mesh, bad)} has a corner that is not finite")
    sizes, extent = corner_sizes(mesh), np.ptp(mesh.p[:, mesh.t], axis=1).max(axis=0)
    bad = np.flatnonzero(np.abs(sizes).min(axis=1) <= DEGENERATE_RATIO[d] * extent**d)
    if bad.size:
        raise ValueError(f"{_cell(mesh, bad)} {_FLAT[d]}")
    bad = np.flatnonzero(np.abs(np.sign(sizes).sum(axis=1)) < sizes.shape[1])
    if bad.size:
        raise ValueError(f"{_cell(mesh, bad)} {_INVERTED[d]}")
    _check_neighbours(mesh)
    return mesh


def _check_neighbours(mesh: Mesh) -> None:
    shared, d = np.bincount(mesh.t2f.ravel(), minlength=mesh.facets.shape[1]), mesh.dim()
    if shared.max() > 2:
        what = "edge" if d == 2 else "face"
        raise ValueError(f"{what} {mesh.facets[:, shared.argmax()].tolist()} is shared by more than two cells")
    # Cells on the two sides of a facet must lie on opposite sides of it, however their corners are ordered.
    facet = np.flatnonzero(mesh.f2t[1] >= 0)
    corners = mesh.p[:, mesh.facets[:d, facet]].transpose(1, 2, 0)
    along = corners[1:] - corners[0]
    normal = along[0][:, ::-1] * (-1.0, 1.0) if d == 2 else np.cross(along[0], along[1])
    middle, pair = mesh.p[:, mesh.t].mean(axis=1).T, mesh.f2t[:, facet]
    side = [np.einsum("fi,fi->f", normal, middle[cells] - corners[0]) for cells in pair]
    folded = side[0] * side[1] >= 0
    if folded.any():
        # The inverted cell is the one with the most folded sides.
        worst = np.bincount(pair[:, folded].ravel(), minlength=mesh.t.shape[1])
        raise ValueError(f"{_cell(mesh, np.array([worst.argmax()]))} is inverted: it is folded over its neighbour")
    cells = mesh.t.shape[1]
    graph = coo_array((np.ones(facet.size), (pair[0], pair[1])), shape=(cells, cells))
    parts, label = connected_components(graph, directed=False)
    if parts > 1 and d == 2:  # cells in space may hang together by nodes
        apart = f"the mesh is in {parts} unconnected parts; {_cell(mesh, np.flatnonzero(label != label[0]))} is apart from cell 0"
        raise ValueError(f"{apart}; where nodes lie on each other, read the file with merge (--merge_nodes 1e-6)")
    loose = np.setdiff1d(np.arange(mesh.p.shape[1]), mesh.t)
    if loose.size:
        raise ValueError(f"node {loose[0]} at {mesh.p[:, loose[0]].tolist()} belongs to no cell")


def counter_clockwise(mesh: Mesh) -> np.ndarray:
    """Corners (C, corners), int32, of the cells, all counter-clockwise."""
    cells = mesh.t.T.astype(np.int32)
    clockwise = corner_sizes(mesh)[:, 0] < 0
    cells[clockwise] = cells[clockwise, ::-1]
    return np.ascontiguousarray(cells)


def named_parts(mesh: Mesh, name: str, count: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Nodes and nodal areas ∫φ_i dA (N,), m^(d−1), of the named parts of the outline of a checked ``mesh``, for the element of this
    ``name`` with ``count`` nodes in all.

    Nodes of an edge: (segments, 2) ends or (segments, 3) with midpoints; of a face: (n,), sorted. "boundary" is the whole outline.
    """
    kind = element(name, mesh.dim())
    mesh = mesh if kind.curved else straightened(mesh)
    # scikit-fem numbers the nodes of facets after those of vertices.
    middles = mesh.nvertices + np.arange(mesh.facets.shape[1])
    segments = np.column_stack([mesh.facets.T, middles]) if kind.curved else mesh.facets.T
    # Shape functions times the length element of a curved side, with five points, are exact to rounding.
    order = 9 if isinstance(mesh, (MeshTri2, MeshQuad2)) else 3
    parts, areas = {}, {}
    for part, given in {"boundary": mesh.boundary_facets(), **(mesh.boundaries or {})}.items():
        facets = np.asarray(given)
        parts[part], areas[part] = np.ascontiguousarray(segments[facets]), np.zeros(count)
        if facets.size:
            basis = FacetBasis(mesh, kind.shape(), facets=facets, intorder=order)
            nodes = np.unique(basis.get_dofs(facets).flatten())
            areas[part][nodes] = unit_load.assemble(basis)[nodes]
            if mesh.dim() == 3:
                parts[part] = nodes
    return parts, areas


def orient_segments(segments: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Segments (n, 2) or (n, 3), ends first, ordered so that the body of ``cells`` (C, corners), counter-clockwise, lies to their
    left. Raises ValueError for segments inside the body, which have cells on both sides."""
    count = int(cells.max()) + 1
    sides = (cells.astype(np.int64) * count + np.roll(cells, -1, axis=1)).ravel()
    start, end = segments[:, 0].astype(np.int64), segments[:, 1].astype(np.int64)
    forward, backward = np.isin(start * count + end, sides), np.isin(end * count + start, sides)
    if np.any(forward & backward):
        raise ValueError("the edge runs through the inside of the body, where it has no outward side")
    ordered = segments.copy()
    ordered[backward, :2] = segments[backward, 1::-1]
    return ordered


def _cell(mesh: Mesh, which: np.ndarray) -> str:
    first = int(which[0])
    return f"cell {first} with corners {mesh.p[:, mesh.t[:, first]].T.round(12).tolist()}"
