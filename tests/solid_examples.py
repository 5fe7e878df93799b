"""Small solids that the tests of fem/ and of bodies in space share."""

import numpy as np
from scipy.spatial.transform import Rotation

import fem

CELL = {"P1": "tetrahedron", "P2": "tetrahedron", "Q1": "hexahedron"}
YOUNG, DENSITY = 2.0e6, 1200.0


def law(name="st-venant-kirchhoff", nu=0.3, young=YOUNG):
    return fem.MATERIALS[name](young, nu)


def solid(element="Q1", material=None, sizes=(1.0, 0.7, 0.5), counts=(3, 2, 2), distort=0.0, seed=1):
    """A box, its points moved at random by up to `distort` of the smallest cell."""
    mesh = fem.box(*sizes, *counts, CELL[element])
    if distort:
        amount = distort * np.min(np.divide(sizes, counts))
        points = mesh.p + amount * np.random.default_rng(seed).uniform(-1, 1, mesh.p.shape)
        mesh = type(mesh)(points, mesh.t, mesh.boundaries)
    return fem.Solid.build(
        mesh, density=DENSITY, material=law() if material is None else material, element=element, viscosity=0.0
    )


def finite_state(body, turn=(0.5, -0.8, 0.3), seed=2, size=0.1):
    """A smooth displacement with strains of about `size` and a large rotation, (N, 3)."""
    rng = np.random.default_rng(seed)
    wave = np.sin(body.X @ rng.uniform(0.5, 2.0, (3, 3)) + rng.uniform(0, 6, 3))
    return (body.X + size * wave) @ Rotation.from_rotvec(turn).as_matrix().T - body.X
