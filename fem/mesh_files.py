"""Meshes read from files through meshio, in the plane and in space: corners, named boundaries, curved sides, and repairs."""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

import meshio
import numpy as np
import scipy
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from skfem import Mesh, MeshHex1, MeshQuad1, MeshQuad2, MeshTet1, MeshTri1, MeshTri2

from fem.input_checks import shown

PLANE_TOLERANCE = 1e-6
"""Largest spread of z in a mesh file, relative to its size in the plane: rounding of single precision."""
STRAIGHT_TOLERANCE = 1e-9
"""Largest distance of a node from the middle of a straight side, relative to the side."""
CORNER_COUNTS = {
    1: {"line": 2, "line3": 2},
    2: {"triangle": 3, "triangle6": 3, "quad": 4, "quad8": 4, "quad9": 4},
    3: {"tetra": 4, "tetra10": 4, "hexahedron": 8, "hexahedron20": 8, "hexahedron27": 8},
}
"""Corners of meshio's cells, by their dimension."""
KINDS = {(2, 3): MeshTri1, (2, 4): MeshQuad1, (3, 4): MeshTet1, (3, 8): MeshHex1}
"""Meshes of scikit-fem by dimension and corners of a cell."""
LINEAR_TYPES = {"triangle", "quad"}
SECOND_ORDER = {"triangle6": MeshTri2, "quad8": MeshQuad2, "quad9": MeshQuad2}
NEEDS = {
    2: "must hold triangles or quadrilaterals; it holds",
    3: "needs cells that are all tetrahedra or all hexahedra, it has:",
}
TO_VTK = np.array([7, 4, 1, 5, 6, 2, 0, 3])
"""Nodes of a hexahedron of scikit-fem in the order of VTK and meshio: around the bottom, then around the top."""


def read(path: str | PathLike[str], *, merge: float | None = None) -> Mesh:
    """Read a plane mesh (z constant) of triangles or of quadrilaterals through meshio.

    Sets of line cells, or gmsh's physical lines, become named boundaries; "boundary" is the whole outline. In VTK files
    sets are the cell data of meshio's ``cell_sets_to_data``. Curved sides of second-order cells are kept for P2 and Q2; cells
    with straight sides are read by their corners. In meshes of triangles and quadrilaterals each quadrilateral is cut into two
    triangles along its shorter diagonal.

    Parameters
    ----------
    path : str or PathLike[str]
        The file.
    merge : float or None
        Distance, m, below which neighbouring nodes are merged; None: no merging.

    Returns
    -------
    Mesh
        Coordinates as in the file, m.

    Raises
    ------
    ValueError
        With the defect of the file in one line.
    """
    return from_meshio(raw_mesh(path), str(path), merge=merge)


def read_solid(path: str | PathLike[str]) -> Mesh:
    """Read a mesh of tetrahedra or of hexahedra through meshio, by their corners.

    Sets of triangles or quadrilaterals, or gmsh's physical surfaces, become named boundaries; "boundary" is the whole outline.

    Parameters
    ----------
    path : str or PathLike[str]
        The file, coordinates in m.

    Raises
    ------
    ValueError
        With the defect of the file in one line.
    """
    return from_meshio(raw_mesh(path), str(path), d=3)


def raw_mesh(path: str | PathLike[str]) -> meshio.Mesh:
    """Mesh of a file as meshio reads it, without its output and calls of sys.exit. Raises ValueError."""
    try:
        if Path(path).exists() and not Path(path).is_file():  # a device may never end
            raise OSError("no regular file")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return meshio.read(path)
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split()) if isinstance(error, Exception) else "not a valid file of its type"
        raise ValueError(f"cannot read mesh file {str(path)!r}: {reason}") from error


def from_meshio(raw: meshio.Mesh, source: str, *, merge: float | None = None, d: int = 2) -> Mesh:
    """Mesh of scikit-fem in d dimensions from one of meshio; ``source``: its name in errors; see ``read``. Raises ValueError."""
    try:
        check_nodes(raw)
        if merge is not None:
            raw, removed = merge_nodes(raw, merge)
            warnings.warn(
                f"mesh file {source!r}: {removed} nodes were merged with others within {merge:g} m", stacklevel=3
            )
        raw = cells_of_one_kind(raw) if d == 2 else raw
    except ValueError as error:
        raise ValueError(f"mesh file {source!r}: {error}") from error
    blocks = [block for block in raw.cells if block.type in CORNER_COUNTS[d]]
    corners = {CORNER_COUNTS[d][block.type] for block in blocks}
    if len(corners) != 1:
        have = ", ".join(sorted({block.type for block in raw.cells})) or "no cells"
        raise ValueError(f"mesh file {source!r} {NEEDS[d]} {have}")
    (count,) = corners
    used, cells = np.unique(np.vstack([block.data[:, :count] for block in blocks]), return_inverse=True)
    cells = cells.reshape(-1, count)
    new_number = np.full(len(raw.points), -1)
    new_number[used] = np.arange(used.size)
    if raw.points.shape[1] > d:
        spread = np.ptp(raw.points[used], axis=0)
        if not spread[2] <= PLANE_TOLERANCE * spread[:2].max():
            raise ValueError(f"mesh file {source!r} must be plane (z constant), its z spans {spread[2]:g}")
    cells = cells[:, np.argsort(TO_VTK)] if count == 8 else cells
    points = np.ascontiguousarray(np.asarray(raw.points, float)[used, :d].T)
    mesh = KINDS[d, count](points, np.ascontiguousarray(cells.T))
    named = {"boundary": mesh.boundary_facets(), **_named_facets(mesh, raw, new_number, CORNER_COUNTS[d - 1])}
    return (_add_curved_sides(mesh, raw, new_number) if d == 2 else mesh).with_boundaries(named)


def _named_facets(mesh: Mesh, raw: meshio.Mesh, new_number: np.ndarray, kinds: dict[str, int]) -> dict[str, np.ndarray]:
    """Facets of the ``mesh`` in each named set of the file's cells of these ``kinds`` (type: number of corners)."""
    named: dict[str, list[np.ndarray]] = {}
    for name, block, members in _cell_sets(raw):
        if block.type in kinds:
            facets = _facets(mesh, new_number[block.data[members, : kinds[block.type]]])
            named.setdefault(name, []).append(facets[facets >= 0])
    return {name: members for name, facets in named.items() if (members := np.unique(np.concatenate(facets))).size}


def _cell_sets(raw: meshio.Mesh) -> Iterator[tuple[str, meshio.CellBlock, np.ndarray]]:
    """Cell sets of a file: name, block of cells, and members."""
    for name, sets in raw.cell_sets.items():
        if not name.startswith("gmsh:"):  # in format 4.1 not cells, but bounding entities
            for block, which in zip(raw.cells, sets, strict=True):
                if which is not None:
                    yield name, block, np.asarray(which, dtype=int)
    for key, values in raw.cell_data.items():
        for block, which in zip(raw.cells, values, strict=True):
            numbers = not key.startswith("gmsh:") and np.issubdtype(which.dtype, np.integer)
            if numbers and which.max(initial=-1) >= 0:
                for name, members in _sets_of_numbers(key, which):
                    yield name, block, members
    tags = raw.cell_data.get("gmsh:physical")
    for name, (tag, dimension) in raw.field_data.items() if tags is not None else ():
        for block, tagged in zip(raw.cells, tags, strict=True):
            if dimension == block.dim and name not in raw.cell_sets:
                yield name, block, tagged == tag


def _facets(mesh: Mesh, corners: np.ndarray) -> np.ndarray:
    """Indices (n,) of the facets with corners (n, k) in any order; −1 where there is none."""
    count = mesh.facets.shape[1]
    if corners.shape[1] != mesh.facets.shape[0]:
        return np.full(len(corners), -1)
    _, label = np.unique(np.sort(np.vstack([mesh.facets.T, corners]), axis=1), axis=0, return_inverse=True)
    place = np.full(label.max() + 1, -1)
    place[label.ravel()[:count]] = np.arange(count)
    return np.asarray(place[label.ravel()[count:]])


def _add_curved_sides(mesh: Mesh, raw: meshio.Mesh, new_number: np.ndarray) -> Mesh:
    """The mesh with the nodes of second-order cells between the corners, if any side is curved."""
    blocks = [(block.type, block.data) for block in raw.cells if block.type in SECOND_ORDER]
    if not blocks:
        return mesh
    curved = SECOND_ORDER[blocks[0][0]].from_mesh(mesh)
    points, straight = curved.doflocs.copy(), curved.doflocs
    for _, nodes in blocks:
        count = mesh.t.shape[0]
        for side in range(count):
            ends = nodes[:, [side, (side + 1) % count]]
            points[:, mesh.nvertices + _facets(mesh, new_number[ends])] = raw.points[nodes[:, count + side], :2].T
    offset = np.linalg.norm(points - straight, axis=0)[mesh.nvertices :][: mesh.nfacets]
    sides = np.linalg.norm(np.diff(mesh.p[:, mesh.facets], axis=1)[:, 0], axis=0)
    if not (offset > STRAIGHT_TOLERANCE * sides).any():
        return mesh
    if mesh.t.shape[0] == 4:
        # The middle node as in the eight-node element: ½ of the side nodes less ¼ of the corners.
        middles, corners = points[:, mesh.nvertices + mesh.t2f], points[:, mesh.t]
        points[:, mesh.nvertices + mesh.nfacets :] = 0.5 * middles.sum(axis=1) - 0.25 * corners.sum(axis=1)
    return type(curved)(points, curved.t)


def _sets_of_numbers(key: str, numbers: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Names and members of the sets in cell data of meshio's ``cell_sets_to_data`` for VTK: "left-right", 0 and 1."""
    names = [key] if numbers.max() == 0 else key.split("-")
    return [(name, numbers == k) for k, name in enumerate(names) if np.any(numbers == k)]


def check_nodes(raw: meshio.Mesh) -> None:
    """Refuse cells with nodes that do not exist, as in a damaged file. Raises ValueError, which names the node."""
    for block in raw.cells:
        nodes = np.asarray(block.data)
        if nodes.dtype.kind in "iu" and nodes.size and not (nodes.min() >= 0 and nodes.max() < len(raw.points)):
            wrong = int(nodes.max() if nodes.min() >= 0 else nodes.min())
            raise ValueError(f"a {block.type} has node {wrong}, of {len(raw.points)} that are numbered from 0")


def merge_nodes(raw: meshio.Mesh, distance: float) -> tuple[meshio.Mesh, int]:
    """Mesh with nodes nearer than a ``distance``, m, merged, and the number of removed nodes.

    Names and numbers of the cells stay. Raises ValueError for a distance that is not > 0.
    """
    if not (np.isfinite(distance) and distance > 0):
        raise ValueError(f"nodes are merged within a finite distance > 0 m, got {shown(distance)}")
    count = len(raw.points)
    pairs = scipy.spatial.KDTree(raw.points).query_pairs(distance, output_type="ndarray")
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    groups, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    repaired = copy.copy(raw)
    repaired.cells = [meshio.CellBlock(block.type, first[label[block.data]]) for block in raw.cells]
    return repaired, count - int(groups)


def cells_of_one_kind(raw: meshio.Mesh) -> meshio.Mesh:
    """Mesh with the quadrilaterals cut along their shorter diagonals if it has triangles, too.

    Names and numbers of the lines stay. Raises ValueError for second-order cells of both kinds.
    """
    types = {block.type for block in raw.cells if block.type in CORNER_COUNTS[2]}
    if len({kind[:4] for kind in types}) < 2:
        return raw
    if not types <= LINEAR_TYPES:
        raise ValueError(f"triangles and quadrilaterals together may have corners only, got {', '.join(sorted(types))}")
    repaired = copy.copy(raw)
    repaired.cells = [
        meshio.CellBlock("triangle", _cut_quadrilaterals(raw.points, block.data)) if block.type == "quad" else block
        for block in raw.cells
    ]
    return repaired


def _cut_quadrilaterals(points: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Triangles (2n, 3) of quadrilaterals (n, 4), one after the other."""
    a, b, c, d = quads.T
    along = np.linalg.norm(points[a] - points[c], axis=1) <= np.linalg.norm(points[b] - points[d], axis=1)
    first = np.where(along, [a, b, c], [a, b, d])
    second = np.where(along, [a, c, d], [b, c, d])
    return np.stack([first.T, second.T], axis=1).reshape(-1, 3)
