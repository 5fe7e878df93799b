"""The body of a case: sizes, mass, mesh."""

from __future__ import annotations

from typing import Annotated

from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import choice, quantity

Density = Annotated[float, quantity("kg/m3", "mass density", gt=0)]
Mass = Annotated[float, quantity("kg", "mass", gt=0)]
Length = Annotated[float, quantity("m", "size along x", gt=0)]
Width = Annotated[float, quantity("m", "size along y", gt=0)]
Height = Annotated[float, quantity("m", "size along z", gt=0)]
Thickness = Annotated[float, quantity("m", "thickness, normal to the plane", gt=0)]
CellsX = Annotated[int, quantity("1", "cells along x", ge=1)]
CellsY = Annotated[int, quantity("1", "cells along y", ge=1)]
CellsZ = Annotated[int, quantity("1", "cells along z", ge=1)]
MeshFile = Annotated[
    str | None,
    quantity(
        "",
        "mesh file instead of the rectangle: gmsh, vtk, vtu, abaqus and others that meshio reads without HDF5 (not xdmf, med); "
        "its cells set the default of elements, P1 or Q1",
    ),
]
MergeNodes = Annotated[
    float | None,
    quantity("m", "nodes of the mesh file nearer to each other than this are merged; left out: none", gt=0),
]
RigidOrElastic = Annotated[str, choice("model of the body", ("rigid", "elastic"))]
Radius = Annotated[float, quantity("m", "radius", gt=0)]


class Box(Group):
    """A block of cells, its density."""

    length: Length
    width: Width
    height: Height
    density: Density
    nx: CellsX
    ny: CellsY
    nz: CellsZ
