"""Meshes of solids: the box with named faces, and files of tetrahedra or hexahedra read through meshio."""

from __future__ import annotations

from os import PathLike

import meshio
import numpy as np
from skfem import MeshHex1, MeshTet1

from fem.elements.hourglass import CORNERS
from fem.elements.mesh_repair import check_nodes
from fem.given import check_counts, check_positive, one_of
from fem.meshes import PLANE, MeshError, check_cells, corner_cells, named_facets, raw_mesh

SOLID_CELLS = ("hexahedron", "tetrahedron")
_CORNERS = {"tetra": 4, "tetra10": 4, "hexahedron": 8, "hexahedron20": 8, "hexahedron27": 8}
_SIX = np.array([[0, 1, 3, 7], [0, 1, 7, 5], [0, 5, 7, 4], [0, 3, 2, 7], [0, 2, 6, 7], [0, 4, 7, 6]])


def box(
    length: float, width: float, height: float, nx: int, ny: int, nz: int, cell: str = "hexahedron"
) -> MeshHex1 | MeshTet1:
    """Return a box about the origin with the boundaries left, right (x), front, back (y), bottom, top (z).

    ``length``, ``width``, ``height``: along x, y, z, m. ``nx``, ``ny``, ``nz``: cells along them; six tetrahedra make a cell,
    mirrored from cell to cell. ``cell``: in ``SOLID_CELLS``. Raises ValueError for sizes that are not positive, counts below 1, an
    unknown cell, too many cells.
    """
    check_positive("m", length=length, width=width, height=height)
    check_counts(1, nx=nx, ny=ny, nz=nz)
    check_cells(nx=nx, ny=ny, nz=nz)
    one_of(SOLID_CELLS, "cell of a solid", cell)
    sizes, counts = np.array([length, width, height]), (nx, ny, nz)
    axes = [size * (np.arange(n + 1) / n - 0.5) for size, n in zip(sizes, counts, strict=True)]
    points = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")])
    mesh = MeshHex1(points, _hexahedra(counts)) if cell == "hexahedron" else MeshTet1(points, _tetrahedra(counts))
    near = 0.25 * sizes / counts
    names = (("left", 0, -1), ("right", 0, 1), ("front", 1, -1), ("back", 1, 1), ("bottom", 2, -1), ("top", 2, 1))
    return mesh.with_boundaries(
        {n: lambda p, a=a, s=s: np.abs(p[a] - 0.5 * s * sizes[a]) < near[a] for n, a, s in names}
    )


def _corners(counts: tuple[int, int, int]) -> np.ndarray:
    """The nodes of the cells (C, 2, 2, 2) of a grid."""
    index = np.arange(np.prod(np.add(counts, 1))).reshape(np.add(counts, 1))
    parts = [
        index[i : i + counts[0], j : j + counts[1], k : k + counts[2]].ravel()
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
    ]
    return np.stack(parts, axis=1).reshape(-1, 2, 2, 2)


def _hexahedra(counts: tuple[int, int, int]) -> np.ndarray:
    at = ((CORNERS[3] + 1) / 2).astype(int)
    return np.ascontiguousarray(_corners(counts)[:, at[:, 0], at[:, 1], at[:, 2]].T)


def _tetrahedra(counts: tuple[int, int, int]) -> np.ndarray:
    """Kuhn's six tetrahedra of every cell, mirrored in every second one along each axis, so that faces match."""
    corners, place = _corners(counts), np.indices(counts).reshape(3, -1).T
    for axis in range(3):
        odd = place[:, axis] % 2 == 1
        corners[odd] = np.flip(corners[odd], axis=axis + 1)
    return np.ascontiguousarray(corners.reshape(-1, 8)[:, _SIX].reshape(-1, 4).T)


def read_solid(path: str | PathLike[str]) -> MeshHex1 | MeshTet1:
    """Read a mesh of tetrahedra or of hexahedra through meshio, by their corners.

    Sets of triangles or quadrilaterals, or gmsh's physical surfaces, become named boundaries; "boundary" is the whole outline.

    ``path``: the file, coordinates in m. Raises MeshError, which says in one line what is wrong with the file.
    """
    return solid_from_meshio(raw_mesh(path), str(path))


def solid_from_meshio(raw: meshio.Mesh, source: str) -> MeshHex1 | MeshTet1:
    """Convert a mesh of meshio, which an error calls by its ``source``; see ``read_solid``. Raises MeshError for other cells,
    or both kinds."""
    try:
        check_nodes(raw)
    except ValueError as error:
        raise MeshError(f"mesh file {source!r}: {error}") from error
    cells, used, new = corner_cells(
        raw, source, _CORNERS, "needs cells that are all tetrahedra or all hexahedra, it has:"
    )
    if cells.shape[1] == 8:  # meshio (VTK) goes round the bottom and round the top
        cells = cells[:, np.argsort(to_vtk())]
    kind = MeshTet1 if cells.shape[1] == 4 else MeshHex1
    mesh = kind(np.ascontiguousarray(np.asarray(raw.points, float)[used].T), np.ascontiguousarray(cells.T))
    return mesh.with_boundaries(named_facets(mesh, raw, new, PLANE))


_VTK = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])


def to_vtk() -> np.ndarray:
    """Return which nodes (8,) of a hexahedron come one after the other in VTK's order: round the bottom, then round the top."""
    own = (CORNERS[3] + 1) / 2
    return np.array([int(np.flatnonzero((own == corner).all(axis=1))[0]) for corner in _VTK])
