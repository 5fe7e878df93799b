"""Meshes by name: rectangle, disc and annulus with named boundaries, and files read through meshio.

Triangle meshes alternate their diagonals (union jack), so a problem that is symmetric about an axis stays
symmetric. Round meshes carry the nodes between their corners on the circles (scikit-fem's MeshTri2 and MeshQuad2): P2 and
Q2 take the shape from them (isoparametric), P1 and Q1 have straight sides.
"""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from skfem import Mesh as Mesh
from skfem import MeshQuad1, MeshQuad2, MeshTri1, MeshTri2

from fem.input_checks import check_choice, check_counts, check_positive

if TYPE_CHECKING:  # meshio, and what repairs its meshes, is imported for a file
    import meshio

CELLS = ("triangle", "quadrilateral")
MAX_CELLS = 1_000_000
"""Largest number of cells of a grid, two triangles counted as one; checked before memory is allocated."""

PLANE_TOLERANCE = 1e-6
"""Largest spread of z in a mesh file, relative to its size in the plane: rounding of single precision."""

PLANE_CORNERS = {"triangle": 3, "triangle6": 3, "quad": 4, "quad8": 4, "quad9": 4}
"""Corners of meshio's cells in the plane."""
SECOND_ORDER = {"triangle6": MeshTri2, "quad8": MeshQuad2, "quad9": MeshQuad2}
STRAIGHT_TOLERANCE = 1e-9
"""Largest distance of a node from the middle of a straight side, relative to the side."""


class MeshError(ValueError):
    """Unusable mesh file, with the reason in one line."""


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
    MeshError
        With the defect of the file in one line.
    """
    return from_meshio(raw_mesh(path), str(path), merge=merge)


def raw_mesh(path: str | PathLike[str]) -> meshio.Mesh:
    """Mesh of a file as meshio reads it, without its output and calls of sys.exit. Raises MeshError."""
    import meshio

    try:
        if Path(path).exists() and not Path(path).is_file():  # a device may never end
            raise OSError("no regular file")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return meshio.read(path)
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split()) if isinstance(error, Exception) else "not a valid file of its type"
        raise MeshError(f"cannot read mesh file {str(path)!r}: {reason}") from error


def from_meshio(raw: meshio.Mesh, source: str, *, merge: float | None = None) -> Mesh:
    """Mesh of scikit-fem from one of meshio; ``source``: its name in errors; see ``read``. Raises MeshError."""
    from fem.elements.mesh_repair import cells_of_one_kind, check_nodes, merge_nodes

    try:
        check_nodes(raw)
        if merge is not None:
            raw, removed = merge_nodes(raw, merge)
            warnings.warn(
                f"mesh file {source!r}: {removed} nodes were merged with others within {merge:g} m", stacklevel=3
            )
        raw = cells_of_one_kind(raw)
    except ValueError as error:
        raise MeshError(f"mesh file {source!r}: {error}") from error
    needs = "must hold triangles or quadrilaterals; it holds"
    cells, used, new_number = corner_cells(raw, source, PLANE_CORNERS, needs)
    if raw.points.shape[1] > 2:
        spread = np.ptp(raw.points[used], axis=0)
        if not spread[2] <= PLANE_TOLERANCE * spread[:2].max():
            raise MeshError(f"mesh file {source!r} must be plane (z constant), its z spans {spread[2]:g}")
    cls = MeshTri1 if cells.shape[1] == 3 else MeshQuad1
    mesh = cls(np.ascontiguousarray(raw.points[used, :2].T), cells.T)
    named = {"boundary": mesh.boundary_facets(), **named_facets(mesh, raw, new_number, {"line": 2, "line3": 2})}
    return _add_curved_sides(mesh, raw, new_number).with_boundaries(named)


def corner_cells(
    raw: meshio.Mesh, source: str, kinds: dict[str, int], needs: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners (C, n) of the cells of these ``kinds`` in the numbering of the used points, the used points, and the new number of
    each point of the file, −1 if not used. Raises MeshError for no such cells, and for different numbers of corners."""
    blocks = [block for block in raw.cells if block.type in kinds]
    corners = {kinds[block.type] for block in blocks}
    if len(corners) != 1:
        have = ", ".join(sorted({block.type for block in raw.cells})) or "no cells"
        raise MeshError(f"mesh file {source!r} {needs} {have}")
    cells = np.vstack([block.data[:, : kinds[block.type]] for block in blocks])
    used, renumbered = np.unique(cells, return_inverse=True)
    new_number = np.full(len(raw.points), -1)
    new_number[used] = np.arange(used.size)
    return renumbered.reshape(cells.shape), used, new_number


def named_facets(mesh: Mesh, raw: meshio.Mesh, new_number: np.ndarray, kinds: dict[str, int]) -> dict[str, np.ndarray]:
    """Facets of the ``mesh`` in each named set of the file's cells of these ``kinds`` (type: number of corners)."""
    named: dict[str, list[np.ndarray]] = {}
    for name, block, members in _cell_sets(raw):
        if block.type in kinds:
            facets = _facets(mesh, new_number[block.data[members, : kinds[block.type]]])
            named.setdefault(name, []).append(facets[facets >= 0])
    return {name: found for name, facets in named.items() if (found := np.unique(np.concatenate(facets))).size}


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
