"""Meshes by name with named boundaries: rectangle, disc and annulus; box, and block with a spherical end refined at the contact.

Triangle meshes alternate their diagonals (union jack), so a problem that is symmetric about an axis stays
symmetric. Round meshes carry the nodes between their corners on the circles (scikit-fem's MeshTri2 and MeshQuad2): P2 and
Q2 take the shape from them (isoparametric), P1 and Q1 have straight sides.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from skfem import ElementHex1, MeshHex1, MeshQuad1, MeshQuad2, MeshTet1, MeshTri1, MeshTri2
from skfem import Mesh as Mesh

from fem.input_checks import check_choice, check_counts, check_positive

CELLS = ("triangle", "quadrilateral")
MAX_CELLS = 1_000_000
"""Largest number of cells of a grid, two triangles counted as one; checked before memory is allocated."""

SOLID_CELLS = ("hexahedron", "tetrahedron")
_KUHN = np.array([[0, 1, 3, 7], [0, 1, 7, 5], [0, 5, 7, 4], [0, 3, 2, 7], [0, 2, 6, 7], [0, 4, 7, 6]])
_CORE, _EVEN, _GROWTH = 0.5, 1.2, 1.5
"""Half width of the middle block and radius of the uniform rings, over the radius of the fine part; growth of cells outside."""


def check_cells(**counts: int) -> None:
    """Refuse a grid of more than ``MAX_CELLS`` cells, the product of named counts >= 1. Raises ValueError."""
    if math.prod(int(count) for count in counts.values()) > MAX_CELLS:
        given = " x ".join(f"{name} = {_count_text(int(count))}" for name, count in counts.items())
        raise ValueError(f"{given} cells are too many: a mesh may have {MAX_CELLS} of them")


def _count_text(count: int) -> str:
    # Integers of the command line can be too large for a float, and for decimal digits.
    return str(count) if count < 10**15 else f"1e{math.log10(count):.0f}"


def rectangle(length: float, width: float, nx: int, ny: int, cell: str = "triangle") -> Mesh:
    """Mesh of a rectangle about the origin with the boundaries left, right, bottom, top.

    Parameters
    ----------
    length, width : float
        Sizes along x and y, m.
    nx, ny : int
        Numbers of cells along x and y; triangle meshes are symmetric about an axis only with even numbers across it.
    cell : str
        "triangle" or "quadrilateral".

    Returns
    -------
    MeshTri1 or MeshQuad1
        Coordinates in m.

    Raises
    ------
    ValueError
        For sizes that are not positive, counts below 1, an unknown cell, more than ``MAX_CELLS`` cells.
    """
    check_positive("m", length=length, width=width)
    check_counts(1, nx=nx, ny=ny)
    check_cells(nx=nx, ny=ny)
    x = length * (np.arange(nx + 1) / nx - 0.5)
    y = width * (np.arange(ny + 1) / ny - 0.5)
    points = np.stack([np.repeat(x, ny + 1), np.tile(y, nx + 1)])
    index = np.arange((nx + 1) * (ny + 1)).reshape(nx + 1, ny + 1)
    mesh = _grid(points, index, cell)
    return name_sides(mesh, ("left", "right", "bottom", "top"), (length, width), (nx, ny))


def name_sides(mesh: Mesh, names: tuple[str, ...], sizes: tuple[float, ...], counts: tuple[int, ...]) -> Mesh:
    """The mesh of a box about the origin with named sides, low and high along each axis; ``sizes``, m, ``counts`` of cells."""
    sides = zip(names, [(a, s) for a in range(len(sizes)) for s in (-0.5, 0.5)], strict=True)
    near = [0.25 * size / count for size, count in zip(sizes, counts, strict=True)]
    return mesh.with_boundaries({n: lambda p, a=a, s=s: np.abs(p[a] - s * sizes[a]) < near[a] for n, (a, s) in sides})


def annulus(inner: float, outer: float, nr: int, nt: int, cell: str = "triangle") -> Mesh:
    """Mesh of a ring about the origin with the boundaries inner, outer; round for P2 and Q2, a polygon for P1 and Q1.

    Parameters
    ----------
    inner, outer : float
        Radii, m.
    nr, nt : int
        Numbers of cells across and around; for triangles an even nt makes the diagonals alternate all around.
    cell : str
        "triangle" or "quadrilateral".

    Returns
    -------
    MeshTri2 or MeshQuad2
        Coordinates in m.

    Raises
    ------
    ValueError
        For bad radii, nr < 1, nt < 3, more than ``MAX_CELLS`` cells.
    """
    check_positive("m", inner=inner, outer=outer)
    if not inner < outer:
        raise ValueError(f"inner must be smaller than outer, got inner = {inner} and outer = {outer}")
    check_counts(1, nr=nr)
    check_counts(3, nt=nt)
    check_cells(nr=nr, nt=nt)
    radii = inner + float(outer - inner) * np.arange(nr + 1) / nr
    mesh = _with_circular_sides(_grid(_polar(radii, nt), _ring_grid(nr, nt), cell))
    middle = 0.5 * (inner + outer)
    return mesh.with_boundaries({"inner": lambda p: np.hypot(*p) < middle, "outer": lambda p: np.hypot(*p) > middle})


def disc(radius: float, nr: int, nt: int, cell: str = "triangle") -> Mesh:
    """Mesh of a disc about the origin with the boundary rim; triangles only, round for P2.

    Parameters
    ----------
    radius : float
        Radius, m.
    nr, nt : int
        Numbers of rings, and of cells around; the innermost ring is a fan of nt triangles.
    cell : str
        "triangle".

    Returns
    -------
    MeshTri2
        Coordinates in m.

    Raises
    ------
    ValueError
        For a bad radius, nr < 1, nt < 3, more than ``MAX_CELLS`` cells.
    """
    check_positive("m", radius=radius)
    check_counts(1, nr=nr)
    check_counts(3, nt=nt)
    check_cells(nr=nr, nt=nt)
    check_choice(("triangle",), "cell of a disc", cell)
    radii = float(radius) * np.arange(1, nr + 1) / nr
    points = np.hstack([np.zeros((2, 1)), _polar(radii, nt)])
    ring = 1 + np.arange(nt)
    fan = np.stack([np.zeros(nt, dtype=int), ring, np.roll(ring, -1)])
    cells = np.hstack([fan, _triangles(1 + _ring_grid(nr - 1, nt))]) if nr > 1 else fan
    mesh = _with_circular_sides(MeshTri1(points, cells))
    return mesh.with_boundaries({"rim": mesh.boundary_facets()})


MESHES = {"rectangle": rectangle, "disc": disc, "annulus": annulus}


def _with_circular_sides(mesh: Mesh) -> Mesh:
    """Second-order mesh with circular sides from a mesh of cells between circles about the origin.

    Radius and angle of a node between corners are the means over these corners; the origin has the angle of the others.
    """
    curved = (MeshTri2 if mesh.t.shape[0] == 3 else MeshQuad2).from_mesh(mesh)
    groups = [mesh.facets] if mesh.t.shape[0] == 3 else [mesh.facets, mesh.t]
    points = [mesh.p]
    for group in groups:
        x, y = mesh.p[:, group]
        radius = np.hypot(x, y)
        first = np.where(radius[0] > 0, 0, 1)
        direction = (x + 1j * y)[first, np.arange(group.shape[1])]
        relative_angle = np.where(radius > 0, np.angle((x + 1j * y) * direction.conj()), 0.0)
        angle = np.angle(direction) + relative_angle.sum(axis=0) / (radius > 0).sum(axis=0)
        points.append(radius.mean(axis=0) * np.stack([np.cos(angle), np.sin(angle)]))
    return type(curved)(np.hstack(points), curved.t)


def _polar(radii: np.ndarray, nt: int) -> np.ndarray:
    angle = 2 * np.pi * np.arange(nt) / nt
    return np.stack([np.outer(radii, np.cos(angle)).ravel(), np.outer(radii, np.sin(angle)).ravel()])


def _ring_grid(nr: int, nt: int) -> np.ndarray:
    index = np.arange((nr + 1) * nt).reshape(nr + 1, nt)
    return np.column_stack([index, index[:, 0]])


def _grid(points: np.ndarray, index: np.ndarray, cell: str) -> Mesh:
    if check_choice(CELLS, "cell", cell) == "triangle":
        return MeshTri1(points, _triangles(index))
    corners = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    return MeshQuad1(points, np.stack([corner.ravel() for corner in corners]))


def _triangles(index: np.ndarray) -> np.ndarray:
    """Two triangles per cell of a grid of node numbers (n + 1, m + 1), diagonals alternating like a chessboard."""
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    rows, columns = index.shape[0] - 1, index.shape[1] - 1
    even = np.indices((rows, columns)).sum(axis=0).ravel() % 2 == 0
    first, second = np.where(even, [a, b, c], [a, b, d]), np.where(even, [a, c, d], [b, c, d])
    return np.stack([first, second], axis=2).reshape(3, -1)


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
    at = tuple(ElementHex1.doflocs.astype(int).T)
    hexahedron = cell == "hexahedron"
    cells = _corners(counts)[:, *at] if hexahedron else _tetrahedra(counts)
    mesh = (MeshHex1 if hexahedron else MeshTet1)(points, np.ascontiguousarray(cells.T))
    return name_sides(mesh, ("left", "right", "front", "back", "bottom", "top"), (length, width, height), counts)


def _corners(counts: tuple[int, int, int]) -> np.ndarray:
    """Nodes of the cells (C, 2, 2, 2) of a grid."""
    index = np.arange(np.prod(np.add(counts, 1))).reshape(np.add(counts, 1))
    return sliding_window_view(index, (2, 2, 2)).reshape(-1, 2, 2, 2).copy()


def _tetrahedra(counts: tuple[int, int, int]) -> np.ndarray:
    """Kuhn's six tetrahedra of each cell, mirrored in every second cell along each axis for matching faces."""
    corners, place = _corners(counts), np.indices(counts).reshape(3, -1).T
    for axis in range(3):
        odd = place[:, axis] % 2 == 1
        corners[odd] = np.flip(corners[odd], axis=axis + 1)
    return corners.reshape(-1, 8)[:, _KUHN].reshape(-1, 4)


def spherical_end(radius: float, size: float, fine: float, cells: int) -> MeshHex1:
    """Mesh of a round block of radius and height ``size`` with a spherical bottom, and the boundaries bottom and top.

    A square block within rings, symmetric about the axes x and y; outside the fine part each cell is 1.5 times as large as its
    inner neighbour. The boundary bottom is the part within twice the radius of the fine part.

    Parameters
    ----------
    radius : float
        Radius of the sphere, m, above ``size``.
    size : float
        Radius and height of the block, m.
    fine : float
        Radius of the fine part, such as the contact radius, m, at most a quarter of ``size``.
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
    return np.asarray((1.0 - roundness) * square + roundness * circle)
