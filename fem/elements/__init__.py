"""Elements on a mesh: shape functions and quadrature, mesh checks and edges, sparsity of matrices, stable step."""

from fem.elements.tables import (
    ELEMENTS,
    SOLID_ELEMENTS,
    CellElement,
    check_corners,
    discretise,
    element,
    nodal_area,
)

__all__ = [
    "ELEMENTS",
    "SOLID_ELEMENTS",
    "CellElement",
    "check_corners",
    "discretise",
    "element",
    "nodal_area",
]
