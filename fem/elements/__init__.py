"""Elements on a mesh: shape functions and quadrature, the mesh's outline, the sparsity of its matrices, the stable step."""

from fem.elements.tables import ELEMENTS, Discretisation, PlateElement, discretise, element, energy_basis, nodal_area

__all__ = ["ELEMENTS", "Discretisation", "PlateElement", "discretise", "element", "energy_basis", "nodal_area"]
