"""Small bodies and meshes that the tests of fem/ share."""

import numpy as np
import solid_examples
from skfem import Mesh

import fem

ELEMENT_NAMES = ("P1", "P2", "Q1", "Q2")
E, DENSITY, THICKNESS = 2.0e6, 1200.0, 0.02
LAWS = [(name, plane) for name in fem.MATERIALS for plane in ("stress", "strain")]
EVERY = [(element, *pair) for element in ELEMENT_NAMES for pair in LAWS]
EVERY += [(element, name, "space") for element in solid_examples.CELL for name in fem.MATERIALS]
"""Element, law, and its plane or space, of plates and solids."""


def law(name: str, plane: str = "stress", nu: float = 0.3, young: float = E) -> fem.Material:
    return fem.MATERIALS[name](young, nu, plane)


def shape_of(element: str) -> str:
    return "triangle" if element.startswith("P") else "quadrilateral"


def rectangle(element: str, length=2.0, width=1.0, nx=4, ny=2) -> Mesh:
    return fem.rectangle(length, width, nx, ny, cell=shape_of(element))


def distorted(mesh: Mesh, amount: float = 0.2, seed: int = 5) -> Mesh:
    """The mesh with its inner nodes moved at random by up to `amount` of the shortest side."""
    inner = np.setdiff1d(np.arange(mesh.p.shape[1]), mesh.boundary_nodes())
    shortest = np.linalg.norm(mesh.p[:, mesh.facets[1]] - mesh.p[:, mesh.facets[0]], axis=0).min()
    points = mesh.p.copy()
    points[:, inner] += amount * shortest * np.random.default_rng(seed).uniform(-1, 1, (2, inner.size))
    return type(mesh)(points, mesh.t, mesh.boundaries)


def plate(element: str, material: fem.Material, mesh: Mesh | None = None) -> fem.Plate:
    mesh = rectangle(element) if mesh is None else mesh
    return fem.Plate.build(mesh, thickness=THICKNESS, density=DENSITY, material=material, element=element)


def body_of(element: str, name: str, plane: str, young: float = E) -> fem.Plate | fem.Solid:
    """A plate, or a solid of distorted cells."""
    if plane == "space":
        return solid_examples.solid(element, solid_examples.law(name, young=young), distort=0.2)
    return plate(element, law(name, plane, young=young))


def finite_state(body: fem.Plate | fem.Solid, seed: int = 1, size: float = 0.15) -> np.ndarray:
    """A smooth, invertible displacement with strains of about `size` and a large rotation, (N, d)."""
    if body.X.shape[1] == 3:
        return solid_examples.finite_state(body)
    rng = np.random.default_rng(seed)
    wave = np.sin(body.X @ rng.uniform(0.5, 2.0, (2, 2)) + rng.uniform(0, 6, 2))
    turn = rng.uniform(0.5, 2.5)
    Q = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return (body.X + size * wave) @ Q.T - body.X


def affine(body: fem.Plate, H: np.ndarray) -> np.ndarray:
    """The displacement H X, (N, 2)."""
    return body.X @ np.asarray(H).T


STEPS = 2.0 ** -np.arange(11, 15)


def prove_derivative(value, derivative, size):
    """f(ε) − f(0) − ε f'(0) must vanish like ε², its ratio on consecutive halvings within 5 % of 4.

    value(ε) and derivative are arrays; size is the rounding scale of value. Where f is linear (small strain) the
    remainder is rounding and nothing else.
    """
    derivative = np.asarray(derivative)
    assert np.abs(derivative).max() > 0
    start = value(0.0)
    remainders = np.array([np.abs(value(e) - start - e * derivative).max() for e in STEPS])
    rounding = 64 * np.finfo(float).eps * size
    if remainders[0] > 1e3 * rounding:
        assert remainders[-1] > rounding
        np.testing.assert_allclose(remainders[:-1] / remainders[1:], 4.0, rtol=0.05)
        # The remainder is ε²/2 times a second derivative of about the first's size.
        assert remainders[0] < 100 * STEPS[0] ** 2 * max(np.abs(derivative).max(), size)
    else:
        assert remainders.max() < rounding
