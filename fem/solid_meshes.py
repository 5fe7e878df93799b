"""Meshes of solids: box, block with a spherical end refined at the contact, and files."""

from __future__ import annotations

from os import PathLike

import meshio
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from skfem import MeshHex1, MeshTet1

from fem.elements.hourglass import CORNERS
from fem.elements.mesh_repair import check_nodes
from fem.input_checks import check_choice, check_counts, check_positive
from fem.meshes import PLANE_CORNERS, MeshError, check_cells, corner_cells, name_sides, named_facets, raw_mesh

SOLID_CELLS = ("hexahedron", "tetrahedron")
_CORNERS = {"tetra": 4, "tetra10": 4, "hexahedron": 8, "hexahedron20": 8, "hexahedron27": 8}
TO_VTK = np.array([7, 4, 1, 5, 6, 2, 0, 3])
"""Nodes of a hexahedron of scikit-fem in the order of VTK: around the bottom, then around the top."""
_KUHN = np.array([[0, 1, 3, 7], [0, 1, 7, 5], [0, 5, 7, 4], [0, 3, 2, 7], [0, 2, 6, 7], [0, 4, 7, 6]])
_CORE, _EVEN, _GROWTH = 0.5, 1.2, 1.5
"""Half width of the middle block and radius of the uniform rings, over the radius of the fine part; growth of cells outside."""


def box(
    length: float, width: float, height: float, nx: int, ny: int, nz: int, cell: str = "hexahedron"
) -> MeshHex1 | MeshTet1:
    """Mesh of a box about the origin with the boundaries left, right (x), front, back (y), bottom, top (z).

    Parameters
    ----------
    length, width, height : float
        Sizes along x, y, z, m.
    nx, ny, nz : int
        Numbers of cells along x, y, z; six tetrahedra make a cell, mirrored from cell to cell.
    cell : str
        Name in ``SOLID_CELLS``.

    Raises
    ------
    ValueError
        For sizes that are not positive, counts below 1, an unknown cell, too many cells.
    """
    check_positive("m", length=length, width=width, height=height)
    check_counts(1, nx=nx, ny=ny, nz=nz)
    check_cells(nx=nx, ny=ny, nz=nz)
    check_choice(SOLID_CELLS, "cell of a solid", cell)
    counts = (nx, ny, nz)
    axes = [size * (np.arange(n + 1) / n - 0.5) for size, n in zip((length, width, height), counts, strict=True)]
    points = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")])
    mesh = MeshHex1(points, _hexahedra(counts)) if cell == "hexahedron" else MeshTet1(points, _tetrahedra(counts))
    return name_sides(mesh, ("left", "right", "front", "back", "bottom", "top"), (length, width, height), counts)


def _corners(counts: tuple[int, int, int]) -> np.ndarray:
    """Nodes of the cells (C, 2, 2, 2) of a grid."""
    index = np.arange(np.prod(np.add(counts, 1))).reshape(np.add(counts, 1))
    return sliding_window_view(index, (2, 2, 2)).reshape(-1, 2, 2, 2).copy()


def _hexahedra(counts: tuple[int, int, int]) -> np.ndarray:
    at = ((CORNERS[3] + 1) / 2).astype(int)
    return np.ascontiguousarray(_corners(counts)[:, at[:, 0], at[:, 1], at[:, 2]].T)


def _tetrahedra(counts: tuple[int, int, int]) -> np.ndarray:
    """Kuhn's six tetrahedra of each cell, mirrored in every second cell along each axis for matching faces."""
    corners, place = _corners(counts), np.indices(counts).reshape(3, -1).T
    for axis in range(3):
        odd = place[:, axis] % 2 == 1
        corners[odd] = np.flip(corners[odd], axis=axis + 1)
    return np.ascontiguousarray(corners.reshape(-1, 8)[:, _KUHN].reshape(-1, 4).T)


def spherical_end(radius: float, size: float, fine: float, cells: int) -> MeshHex1:
    """Mesh of a round block of radius and height ``size`` with a spherical bottom, and the boundaries bottom and top.

    A square block within rings, symmetric about the axes x and y; outside the fine part each cell is half as large again as the
    one before. The boundary bottom is the part within twice the radius of the fine part.

    Parameters
    ----------
    radius : float
        Radius of the sphere, m, above ``size``.
    size : float
        Radius and height of the block, m.
    fine : float
        Radius of the fine part, such as that of the contact, m, at most a quarter of ``size``.
    cells : int
        Number of cells in half of the fine part's radius.

    Raises
    ------
    ValueError
        For other numbers, or too many cells.
    """
    check_positive("m", radius=radius, size=size, fine=fine)
    check_counts(1, cells=cells)
    check_cells(cells=2 * cells, around=8 * cells)
    if not 4.0 * fine <= size < radius:
        raise ValueError(
            f"a spherical end needs 4 fine <= size < radius, got fine={fine}, size={size}, radius={radius}"
        )
    first, height, R = _CORE / cells, size / fine, radius / fine
    z, side = _graded(first, height, 0.0), np.linspace(-1.0, 1.0, 2 * cells + 1)
    core = MeshHex1.init_tensor(side, side, z)
    r = _CORE + _graded(first, height - _CORE, _EVEN - _CORE)
    rings = MeshHex1.init_tensor(np.linspace(0.0, 2.0 * np.pi, 8 * cells + 1), r, z)
    rho, angle = _square_angle(*core.p[:2])
    r, roundness = rings.p[1], np.minimum(1.0, 0.5 * rings.p[1] / _CORE)
    middle = np.vstack([_CORE * rho * _outline(angle, 0.5 * rho), core.p[2]])
    outer = np.vstack([r * _outline(rings.p[0], roundness), rings.p[2]])
    p, t = _join_grids([(middle, core.t), (outer, rings.t)])
    flat = MeshHex1(p.copy(), t)
    p[2] += (R - np.sqrt(R**2 - p[0] ** 2 - p[1] ** 2)) * (1.0 - p[2] / height)
    facets = flat.boundary_facets()
    corners = flat.p[:, flat.facets[:, facets]]
    near = (corners[2] < 0.5 * z[1]) & (np.hypot(corners[0], corners[1]) < 2.0)
    names = {"top": np.all(corners[2] > height - 1e-6, axis=0), "bottom": np.all(near, axis=0)}
    return MeshHex1(fine * p, flat.t, {name: facets[on] for name, on in names.items()})


def _join_grids(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Points (3, N) and cells (8, C) of joined grids; coincident points become one."""
    points = np.hstack([p for p, _ in parts])
    _, first, number = np.unique(np.round(points.T, 8), axis=0, return_index=True, return_inverse=True)
    starts = np.cumsum([0, *(p.shape[1] for p, _ in parts)])
    cells = np.hstack([t + start for (_, t), start in zip(parts, starts, strict=False)])
    return np.ascontiguousarray(points[:, first]), np.ascontiguousarray(number.ravel()[cells])


def _graded(first: float, end: float, even: float) -> np.ndarray:
    """Grid coordinates from 0 to ``end`` in equal steps ``first`` up to ``even`` at least, then in growing ones."""
    steps = [first] * int(np.ceil(even / first - 1e-9))
    fixed = len(steps)
    while sum(steps) < end:
        steps.append(first * _GROWTH ** (len(steps) - fixed + 1))
    scale = (end - sum(steps[:fixed])) / sum(steps[fixed:])
    return np.concatenate([[0.0], np.cumsum(steps[:fixed] + [scale * step for step in steps[fixed:]])])


def _square_angle(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Half width of the square through (x, y), and angle of the corresponding point of the circle."""
    rho, wide = np.maximum(np.abs(x), np.abs(y)), np.abs(x) >= np.abs(y)
    slope = np.divide(np.where(wide, y, -x), np.where(wide, x, y), out=np.zeros_like(x), where=rho > 0.0)
    side = np.where(wide, np.where(x < 0.0, 2.0, 0.0), np.where(y < 0.0, 3.0, 1.0))
    return rho, np.asarray(0.5 * np.pi * side + 0.25 * np.pi * slope)


def _outline(angle: np.ndarray, roundness: np.ndarray) -> np.ndarray:
    """Points (2, n) at an ``angle`` between the unit square (roundness 0) and the unit circle (1)."""
    quarter = np.round(angle / (0.5 * np.pi))
    c, s = np.cos(0.5 * np.pi * quarter), np.sin(0.5 * np.pi * quarter)
    along = 4.0 / np.pi * angle - 2.0 * quarter
    square, circle = np.stack([c - s * along, s + c * along]), np.stack([np.cos(angle), np.sin(angle)])
    points: np.ndarray = (1.0 - roundness) * square + roundness * circle
    return points


def read_solid(path: str | PathLike[str]) -> MeshHex1 | MeshTet1:
    """Read a mesh of tetrahedra or of hexahedra through meshio, by their corners.

    Sets of triangles or quadrilaterals, or gmsh's physical surfaces, become named boundaries; "boundary" is the whole outline.

    Parameters
    ----------
    path : str or PathLike[str]
        The file, coordinates in m.

    Raises
    ------
    MeshError
        With the defect of the file in one line.
    """
    return solid_from_meshio(raw_mesh(path), str(path))


def solid_from_meshio(raw: meshio.Mesh, source: str) -> MeshHex1 | MeshTet1:
    """Mesh of scikit-fem from one of meshio; ``source``: its name in errors; see ``read_solid``. Raises MeshError for other cells,
    or both kinds."""
    try:
        check_nodes(raw)
    except ValueError as error:
        raise MeshError(f"mesh file {source!r}: {error}") from error
    cells, used, new_number = corner_cells(
        raw, source, _CORNERS, "needs cells that are all tetrahedra or all hexahedra, it has:"
    )
    if cells.shape[1] == 8:  # meshio numbers as VTK: around the bottom, then around the top
        cells = cells[:, np.argsort(TO_VTK)]
    kind = MeshTet1 if cells.shape[1] == 4 else MeshHex1
    mesh = kind(np.ascontiguousarray(np.asarray(raw.points, float)[used].T), np.ascontiguousarray(cells.T))
    return mesh.with_boundaries(named_facets(mesh, raw, new_number, PLANE_CORNERS))
