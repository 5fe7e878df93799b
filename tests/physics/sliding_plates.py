"""An elastic plate and the rough plane on which it slides, of the tests of orders and of error control."""

import fem
from friction import Coulomb, Foundation

FOUNDATION = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)


def plate(element: str, n: int) -> fem.Plate:
    cell = "quadrilateral" if element.startswith("Q") else "triangle"
    material = fem.StVenantKirchhoff(2e5, 0.3)
    mesh = fem.rectangle(0.4, 0.2, 2 * n, n, cell=cell)
    return fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=material, element=element)
