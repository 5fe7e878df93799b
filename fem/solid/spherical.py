"""The mesh of a solid with a spherical end, fine where that touches."""

from __future__ import annotations

import numpy as np
from skfem import MeshHex1

from fem.given import check_counts, check_positive
from fem.meshes import check_cells

_CORE, _EVEN, _GROWTH = 0.5, 1.2, 1.5
"""Half width of the middle block and radius of the even rings, over the radius of the fine part; ratio of cells farther out."""


def spherical_end(radius: float, size: float, fine: float, cells: int) -> MeshHex1:
    """Return a round block of radius and height ``size`` on its spherical bottom, with the boundaries bottom and top.

    A square block within rings, mirrored about the axes x and y; cells grow by half their size from each to the next outside the
    fine part. The boundary bottom is what of it lies within twice the fine part.

    ``radius``: of the bottom, m, above ``size``. ``size``: m. ``fine``: radius of the fine part, such as the contact's, m, at most
    a quarter of ``size``. ``cells``: in half of that radius. Raises ValueError for other numbers, or too many cells.
    """
    check_positive("m", radius=radius, size=size, fine=fine)
    check_counts(1, cells=cells)
    check_cells(cells=2 * cells, around=8 * cells)
    if not 4.0 * fine <= size < radius:
        raise ValueError(
            f"a spherical end needs 4 fine <= size < radius, got fine={fine}, size={size}, radius={radius}"
        )
    first, height, R = _CORE / cells, size / fine, radius / fine
    z, side = _spaced(first, height, 0.0), np.linspace(-1.0, 1.0, 2 * cells + 1)
    core = MeshHex1.init_tensor(side, side, z)
    r = _CORE + _spaced(first, height - _CORE, _EVEN - _CORE)
    rings = MeshHex1.init_tensor(np.linspace(0.0, 2.0 * np.pi, 8 * cells + 1), r, z)
    rho, angle = _square_angle(*core.p[:2])
    r, roundness = rings.p[1], np.minimum(1.0, 0.5 * rings.p[1] / _CORE)
    middle = np.vstack([_CORE * rho * _outline(angle, 0.5 * rho), core.p[2]])
    outer = np.vstack([r * _outline(rings.p[0], roundness), rings.p[2]])
    p, t = _merged([(middle, core.t), (outer, rings.t)])
    flat = MeshHex1(p.copy(), t)
    p[2] += (R - np.sqrt(R**2 - p[0] ** 2 - p[1] ** 2)) * (1.0 - p[2] / height)
    facets = flat.boundary_facets()
    corners = flat.p[:, flat.facets[:, facets]]
    near = (corners[2] < 0.5 * z[1]) & (np.hypot(corners[0], corners[1]) < 2.0)
    names = {"top": np.all(corners[2] > height - 1e-6, axis=0), "bottom": np.all(near, axis=0)}
    return MeshHex1(fine * p, flat.t, {name: facets[on] for name, on in names.items()})


def _merged(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return points (3, N) and cells (8, C) of grids whose points may lie on each other."""
    points = np.hstack([p for p, _ in parts])
    _, first, number = np.unique(np.round(points.T, 8), axis=0, return_index=True, return_inverse=True)
    starts = np.cumsum([0, *(p.shape[1] for p, _ in parts)])
    cells = np.hstack([t + start for (_, t), start in zip(parts, starts, strict=False)])
    return np.ascontiguousarray(points[:, first]), np.ascontiguousarray(number.ravel()[cells])


def _spaced(first: float, end: float, even: float) -> np.ndarray:
    """Return places from 0 to ``end`` in steps ``first``, to ``even`` at least, that grow from there."""
    steps = [first] * int(np.ceil(even / first - 1e-9))
    fixed = len(steps)
    while sum(steps) < end:
        steps.append(first * _GROWTH ** (len(steps) - fixed + 1))
    scale = (end - sum(steps[:fixed])) / sum(steps[fixed:])
    return np.concatenate([[0.0], np.cumsum(steps[:fixed] + [scale * step for step in steps[fixed:]])])


def _square_angle(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the half width of the square through (x, y), and the angle of the circle's point that is that of the square."""
    rho, wide = np.maximum(np.abs(x), np.abs(y)), np.abs(x) >= np.abs(y)
    slope = np.divide(np.where(wide, y, -x), np.where(wide, x, y), out=np.zeros_like(x), where=rho > 0.0)
    side = np.where(wide, np.where(x < 0.0, 2.0, 0.0), np.where(y < 0.0, 3.0, 1.0))
    return rho, np.asarray(0.5 * np.pi * side + 0.25 * np.pi * slope)


def _outline(angle: np.ndarray, roundness: np.ndarray) -> np.ndarray:
    """Return points (2, n) between those of the unit square (roundness 0) and the unit circle (1) at an ``angle``."""
    quarter = np.round(angle / (0.5 * np.pi))
    c, s = np.cos(0.5 * np.pi * quarter), np.sin(0.5 * np.pi * quarter)
    along = 4.0 / np.pi * angle - 2.0 * quarter
    square, circle = np.stack([c - s * along, s + c * along]), np.stack([np.cos(angle), np.sin(angle)])
    points: np.ndarray = (1.0 - roundness) * square + roundness * circle
    return points
