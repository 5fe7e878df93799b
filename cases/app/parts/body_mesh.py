"""Shape of a body in pictures: corners of its cells at the stored times; means over a rod's cross-sections.

The corners are the nodes of a deformable body. The nodes of a rigid body are friction points inside the cells; its corners move
with the frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


class BodyMesh(NamedTuple):
    """Corners X (n, 2) m from the centre of mass, their positions (times, n, 2) m in space, and the cells' corners (cell, corners).
    Cell k has the nodes `data.cells[k]`."""

    X: Array
    places: Array
    cells: NDArray[np.int_]


def body_mesh(data: xr.Dataset) -> BodyMesh:
    """Mesh of a trajectory's body; beams and points without cells have no two-dimensional cells."""
    cells = data.cells.values if data.sizes.get("cell", 0) else np.zeros((0, 3), int)
    if "body_X" not in data:
        return BodyMesh(data.X.values, data.position.values, cells)
    X, angle = data.body_X.values, data.frame_angle.values
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    turned = np.stack([c * X[:, 0] - s * X[:, 1], s * X[:, 0] + c * X[:, 1]], axis=-1)
    return BodyMesh(X, data.frame_position.values[:, None] + turned, data.body_cells.values)


def displacements(data: xr.Dataset) -> Array:
    """Displacements x - X of the nodes in the plane, (times, nodes, 2) m, axes of space: x0 + (Q - 1) X + Q u.

    Differences of the stored positions would lose displacements below their rounding (``archive.MANTISSA_BITS``).
    """
    X, u, angle = data.X.values, data.displacement.values, data.frame_angle.values[:, None]
    s, c, versed = np.sin(angle), np.cos(angle), 2.0 * np.sin(0.5 * angle) ** 2
    along = c * u[..., 0] - s * u[..., 1] - versed * X[:, 0] - s * X[:, 1]
    across = s * u[..., 0] + c * u[..., 1] + s * X[:, 0] - versed * X[:, 1]
    shift: Array = data.frame_position.values[:, None] + np.stack([along, across], axis=-1)
    return shift


def column_means(data: xr.Dataset, values: Array, length: float, columns: int) -> tuple[Array, Array]:
    """Middles x of so many equal columns of cells of a rod of ``length`` m from its left end, (n,) m, and the means over
    each of ``values`` (cells,): over a cross-section, as structured cells are equally large."""
    middle = data.X.values[data.cells.values, 0].mean(axis=1) + length / 2
    column = np.minimum((middle / length * columns).astype(int), columns - 1)
    return (np.arange(columns) + 0.5) * length / columns, np.bincount(column, values) / np.bincount(column)


def section_means(data: xr.Dataset, field: Array, length: float) -> tuple[Array, Array]:
    """Positions (n,) m of a rod's cross-sections from its left end (``length`` m), and means over each of the x component of
    ``field`` (times, nodes, 2): (times, n)."""
    x, member = np.unique(np.round((data.X.values[:, 0] + length / 2) / length, 9), return_inverse=True)
    return x * length, np.stack([np.bincount(member, row) / np.bincount(member) for row in field[..., 0]])
