"""An elastic plate and the rough plane on which it slides, of the tests of orders and of error control."""

import numpy as np

import fem
from floating_frame import EdgeLoad, Function, InitialState, Problem
from friction import Coulomb, Foundation

FOUNDATION = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)


def plate(element: str, n: int, young: float = 2e5) -> fem.Plate:
    cell = "quadrilateral" if element.startswith("Q") else "triangle"
    material = fem.StVenantKirchhoff(young, 0.3)
    mesh = fem.rectangle(0.4, 0.2, 2 * n, n, cell=cell)
    return fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=material, element=element)


def pushed_aside(body: fem.Plate, t_end: float, over: float, velocity: tuple[float, float]) -> Problem:
    """Thrown without strain, then pushed sideways at its right edge as sin⁴ for ``over`` s: no shock anywhere."""
    load = EdgeLoad("right", (0.0, 8.0), Function(lambda t: np.sin(np.pi * t / over) ** 4 if t < over else 0.0))
    return Problem(body, t_end, FOUNDATION, (load,), initial=InitialState(velocity=velocity))


def sliding(element: str, n: int) -> Problem:
    """All nodes slide."""
    return pushed_aside(plate(element, n), 0.2, 0.4, (2.5, 0.5))


def arrested(element: str, n: int) -> Problem:
    """Pushed into a turn for 0.2 s, then left to come to rest, which it does before 0.5 s."""
    return pushed_aside(plate(element, n), 0.5, 0.2, (1.2, 0.3))
