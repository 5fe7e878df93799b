"""Repair of meshes from files: coincident nodes, and quadrilaterals among triangles."""

from __future__ import annotations

import copy

import meshio
import numpy as np
import scipy
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fem.input_checks import shown

LINEAR_TYPES = {"triangle", "quad"}
PLANE_TYPES = LINEAR_TYPES | {"triangle6", "quad8", "quad9"}


def check_nodes(raw: meshio.Mesh) -> None:
    """Refuse cells with nodes that do not exist, as in a damaged file. Raises ValueError, which names the node."""
    for block in raw.cells:
        nodes = np.asarray(block.data)
        if nodes.dtype.kind in "iu" and nodes.size and not (nodes.min() >= 0 and nodes.max() < len(raw.points)):
            wrong = int(nodes.max() if nodes.min() >= 0 else nodes.min())
            raise ValueError(f"a {block.type} has node {wrong}, of {len(raw.points)} that are numbered from 0")


def merge_nodes(raw: meshio.Mesh, distance: float) -> tuple[meshio.Mesh, int]:
    """Mesh with the nodes merged that are nearer to each other than a ``distance``, m, and the number of removed nodes.

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
    types = {block.type for block in raw.cells if block.type in PLANE_TYPES}
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
