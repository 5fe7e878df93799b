"""The cells of a mesh of a solid: what they must not be."""

from __future__ import annotations

import numpy as np
from skfem import Mesh

from fem.elements import check_corners
from fem.elements.hourglass import CORNERS, slopes


def check_cells(mesh: Mesh, name: str) -> None:
    """Refuse a mesh of other cells than an element's, or with one that is not finite, has no volume, is inside out or folded:
    ValueError."""
    check_corners(mesh, name, 3)
    if not np.all(np.isfinite(mesh.p)):
        raise ValueError("the mesh has points that are not finite")
    corners = mesh.p[:, mesh.t].transpose(2, 1, 0)
    if corners.shape[1] == 4:
        sides = (corners[:, 1:] - corners[:, :1])[:, None]
    else:
        sides = np.einsum("cbi,qbk->cqik", corners, slopes(CORNERS[3]))
    volumes, size = np.linalg.det(sides), np.ptp(corners, axis=1).max(axis=1) ** 3
    bad = np.flatnonzero(np.abs(np.sign(volumes).sum(axis=1)) < volumes.shape[1])
    bad = np.union1d(bad, np.flatnonzero(np.abs(volumes).min(axis=1) <= 1e-12 * size))
    if bad.size:
        raise ValueError(
            f"cell {bad[0]} with corners {corners[bad[0]].round(12).tolist()} is flat, or inside out at a corner"
        )
    _check_neighbours(mesh, corners.mean(axis=1))
    loose = np.setdiff1d(np.arange(mesh.p.shape[1]), mesh.t)
    if loose.size:
        raise ValueError(f"node {loose[0]} at {mesh.p[:, loose[0]].tolist()} belongs to no cell")


def _check_neighbours(mesh: Mesh, middles: np.ndarray) -> None:
    """Refuse cells on one side of the facet that they share."""
    shared = np.flatnonzero(mesh.f2t[1] >= 0)
    if np.bincount(mesh.t2f.ravel()).max() > 2:
        raise ValueError("a face of the mesh is shared by more than two cells")
    start, second, third = mesh.p[:, mesh.facets[:3, shared]].transpose(1, 2, 0)
    normal = np.cross(second - start, third - start)
    side = [np.einsum("fi,fi->f", normal, middles[cells] - start) for cells in mesh.f2t[:, shared]]
    folded = np.flatnonzero(side[0] * side[1] >= 0)
    if folded.size:
        pair = mesh.f2t[:, shared[folded[0]]].tolist()
        raise ValueError(f"one of the cells {pair} is inverted: it is folded over its neighbour")
