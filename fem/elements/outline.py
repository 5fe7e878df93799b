"""What a mesh says about the plate's shape: its soundness, its orientation and its named edges."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from skfem import Mesh, MeshQuad1, MeshQuad2, MeshTri1, MeshTri2

# A corner that spans less than this fraction of the cell's longest side squared is called degenerate.
DEGENERATE = 1e-10


def straightened(mesh: Mesh) -> Mesh:
    """Return the mesh with straight sides between the same corners, its boundaries kept."""
    if not isinstance(mesh, (MeshTri2, MeshQuad2)):
        return mesh
    straight = MeshTri1 if mesh.t.shape[0] == 3 else MeshQuad1
    corners = np.ascontiguousarray(mesh.doflocs[:, : mesh.nvertices])
    # The cells as they are: their corners must not be sorted again.
    return straight(corners, mesh.t, mesh.boundaries, sort_t=False)


def corner_areas(mesh: Mesh) -> np.ndarray:
    """Return the signed areas (corners, C), m², spanned at each corner, positive where counter-clockwise."""
    corners = mesh.p[:, mesh.t]
    onward = np.roll(corners, -1, axis=1) - corners
    back = np.roll(corners, 1, axis=1) - corners
    result: np.ndarray = 0.5 * (onward[0] * back[1] - onward[1] * back[0])
    return result


def checked(mesh: Mesh) -> Mesh:
    """Return the mesh. Raises ValueError, which names the first, for non-finite, degenerate, non-convex, folded or loose cells."""
    if not isinstance(mesh, Mesh):
        raise ValueError(
            f"mesh must be one of scikit-fem, such as rectangle(0.4, 0.2, 16, 8) or read(path), got {type(mesh).__name__}"
        )
    bad = np.flatnonzero(~np.isfinite(mesh.p[:, mesh.t]).all(axis=(0, 1)))
    if bad.size:
        raise ValueError(f"{_cell(mesh, bad)} has a corner that is not finite")
    areas = corner_areas(mesh)
    sides = mesh.p[:, mesh.t] - np.roll(mesh.p[:, mesh.t], 1, axis=1)
    longest = (sides**2).sum(axis=0).max(axis=0)
    bad = np.flatnonzero(np.abs(areas).min(axis=0) <= DEGENERATE * longest)
    if bad.size:
        raise ValueError(f"{_cell(mesh, bad)} is degenerate: its area, or the angle at a corner, is zero")
    bad = np.flatnonzero(np.abs(np.sign(areas).sum(axis=0)) < mesh.t.shape[0])
    if bad.size:
        raise ValueError(f"{_cell(mesh, bad)} is inverted at a corner: quadrilaterals must be convex")
    _check_neighbours(mesh)
    return mesh


def _check_neighbours(mesh: Mesh) -> None:
    shared = np.bincount(mesh.t2f.ravel(), minlength=mesh.facets.shape[1])
    if shared.max() > 2:
        raise ValueError(f"edge {mesh.facets[:, shared.argmax()].tolist()} is shared by more than two cells")
    # Cells on the two sides of an edge must lie on opposite sides of it, however their corners are ordered.
    edge = np.flatnonzero(mesh.f2t[1] >= 0)
    start, end = mesh.p[:, mesh.facets[0, edge]], mesh.p[:, mesh.facets[1, edge]]
    middle = mesh.p[:, mesh.t].mean(axis=1)
    pair = mesh.f2t[:, edge]
    side = [_cross(end - start, middle[:, cells] - start) for cells in pair]
    folded = side[0] * side[1] >= 0
    if folded.any():
        # The inverted cell disagrees with all its neighbours, they only with it.
        worst = np.bincount(pair[:, folded].ravel(), minlength=mesh.t.shape[1])
        bad = np.array([worst.argmax()])
        raise ValueError(f"{_cell(mesh, bad)} is inverted: it is folded over its neighbour")
    cells = mesh.t.shape[1]
    graph = coo_array((np.ones(edge.size), (pair[0], pair[1])), shape=(cells, cells))
    parts, label = connected_components(graph, directed=False)
    if parts > 1:
        bad = np.flatnonzero(label != label[0])
        apart = f"the mesh is in {parts} unconnected parts; {_cell(mesh, bad)} is apart from cell 0"
        raise ValueError(f"{apart}; where nodes lie on each other, read the file with merge (--merge_nodes 1e-6)")
    loose = np.setdiff1d(np.arange(mesh.p.shape[1]), mesh.t)
    if loose.size:
        raise ValueError(f"node {loose[0]} at {mesh.p[:, loose[0]].tolist()} belongs to no cell")


def counter_clockwise(mesh: Mesh) -> np.ndarray:
    """Return the corners (C, corners), int32, of the cells, all counter-clockwise."""
    cells = mesh.t.T.astype(np.int32)
    clockwise = corner_areas(mesh)[0] < 0
    cells[clockwise] = cells[clockwise, ::-1]
    return np.ascontiguousarray(cells)


def named_edges(mesh: Mesh, midpoints: bool) -> dict[str, np.ndarray]:
    """Return the nodes of each named edge, (segments, 2) ends or, with ``midpoints`` on the sides, (segments, 3); "boundary" is
    the outline."""
    segments = mesh.facets.T
    if midpoints:
        # scikit-fem numbers the nodes of facets after those of vertices.
        segments = np.column_stack([segments, mesh.nvertices + np.arange(mesh.facets.shape[1])])
    named = {"boundary": mesh.boundary_facets(), **(mesh.boundaries or {})}
    return {name: np.ascontiguousarray(segments[np.asarray(facets)]) for name, facets in named.items()}


def segment_shares(points: np.ndarray) -> np.ndarray:
    """Return ∫φ_b ds (n, B), m, over segments, straight or curved, of ``points`` (n, B, 2), m: two ends, or ends and middle."""
    length = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
    if points.shape[1] == 2:
        return np.outer(length, [1 / 2, 1 / 2])
    abscissa, weight = np.polynomial.legendre.leggauss(5)
    x = 0.5 * (abscissa + 1)
    shapes = np.stack([(1 - x) * (1 - 2 * x), x * (2 * x - 1), 4 * x * (1 - x)], axis=1)
    slopes = np.stack([4 * x - 3, 4 * x - 1, 4 - 8 * x], axis=1)
    stretch = np.linalg.norm(np.einsum("qb,nbi->nqi", slopes, points), axis=2)
    result: np.ndarray = np.einsum("nq,qb,q->nb", stretch, shapes, 0.5 * weight)
    return result


def oriented(segments: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return ``segments`` (n, 2) or (n, 3), ends first, so ordered that the body of ``cells`` (C, corners),
    counter-clockwise, lies to their left. Raises ValueError for segments that have cells on both sides: they are no edge of
    the body."""
    count = int(cells.max()) + 1
    sides = (cells.astype(np.int64) * count + np.roll(cells, -1, axis=1)).ravel()
    start, end = segments[:, 0].astype(np.int64), segments[:, 1].astype(np.int64)
    forward, backward = np.isin(start * count + end, sides), np.isin(end * count + start, sides)
    if np.any(forward & backward):
        raise ValueError("the edge runs through the inside of the body, where it has no outward side")
    ordered = segments.copy()
    ordered[backward, :2] = segments[backward, 1::-1]
    return ordered


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    result: np.ndarray = a[0] * b[1] - a[1] * b[0]
    return result


def _cell(mesh: Mesh, which: np.ndarray) -> str:
    first = int(which[0])
    return f"cell {first} with corners {mesh.p[:, mesh.t[:, first]].T.round(12).tolist()}"
