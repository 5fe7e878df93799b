"""The named edges and the points of a plate, and the nodal forces of loads on its edges and on its area."""

from collections.abc import Mapping

import numpy as np
from scipy.sparse import csr_matrix

from fem.elements.location import at_point
from fem.elements.outline import oriented, segment_shares
from fem.elements.tables import element
from fem.given import as_numbers, part_of


class EdgeLoads:
    """Give nodes, shapes and loads of edges and points to a body that has the attributes below (see ``Plate``)."""

    X: np.ndarray
    element: str
    cells: np.ndarray
    nodes: np.ndarray
    edges: Mapping[str, np.ndarray]
    mass_matrix: csr_matrix

    def at_point(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes (B,) and shape functions φ (B,), sum 1, that interpolate at a place (2,), m, of the reference
        shape, between nodes too; a node itself where the place is one. Raises ValueError outside the plate."""
        kind = element(self.element)
        return at_point(kind.shape(), self.X, self.nodes, place, curved=kind.curved)

    def boundary(self, name: str) -> np.ndarray:
        """Return the nodes (n,), sorted, of one of the ``edges``. ValueError lists these for another name."""
        return np.unique(self._edge(name))

    def edge_shape(self, name: str) -> np.ndarray:
        """Return ∫φ_i ds / length (N,), -, sum 1, over one of the ``edges``: times a total force, a uniform dead load there."""
        edge = self._edge(name)
        shares = segment_shares(self.X[edge])
        return np.bincount(edge.ravel(), (shares / shares.sum()).ravel(), minlength=len(self.X))

    def edge_segments(self, name: str) -> np.ndarray:
        """Return the nodes of an edge's segments, (n, 2) ends or (n, 3) with midpoints last; the plate lies to their left."""
        return oriented(self._edge(name), self.cells)

    def edge_load(self, name: str, force: tuple[float, float] | np.ndarray) -> np.ndarray:
        """Return the nodal forces (N, 2), N, of a dead load uniform over one of the ``edges``, of the total ``force`` (2,), N."""
        return np.outer(self.edge_shape(name), _vector("force", force))

    def body_load(self, acceleration: tuple[float, float] | np.ndarray) -> np.ndarray:
        """Return the nodal forces ∫ρ φ_i dV b (N, 2), N, of a uniform body force b (2,), m/s², per unit mass."""
        return np.outer(self.mass_matrix.sum(axis=1).A1, _vector("acceleration", acceleration))

    def _edge(self, name: str) -> np.ndarray:
        return part_of(self.edges, "edge", name)


def _vector(name: str, value: tuple[float, float] | np.ndarray) -> np.ndarray:
    vector = as_numbers(value, name)
    if vector.shape != (2,) or not np.isfinite(vector).all():
        raise ValueError(f"{name} must be two finite components (x, y), got {value}")
    return vector
