"""Elements on a mesh: shape functions and quadrature, the mesh's outline, the sparsity of its matrices, the stable step."""

from fem.elements.tables import (
    ELEMENTS,
    SOLID_ELEMENTS,
    CellElement,
    Discretisation,
    check_corners,
    discretise,
    element,
    nodal_area,
)

__all__ = [
    "ELEMENTS",
    "SOLID_ELEMENTS",
    "CellElement",
    "Discretisation",
    "check_corners",
    "discretise",
    "element",
    "nodal_area",
]
