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
HEATED = [(*one[:2], f"{one[2]}, heated") for one in EVERY if one[1] != "neo-hookean" and one[2] != "space"]


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


def warm(X: np.ndarray) -> np.ndarray:
    """A smooth, unsymmetric nodal thermal strain, (N,)."""
    x, y = X.T
    return 0.05 * (1.0 + 0.5 * np.sin(1.3 * x + 0.4) + 0.7 * y)


def body_of(element: str, name: str, plane: str, young: float = E) -> fem.Plate | fem.Solid:
    """A plate, heated where its ``plane`` says so, or a solid; of distorted cells."""
    if plane == "space":
        return solid_examples.solid(element, solid_examples.law(name, young=young), distort=0.2)
    cold = plate(element, law(name, plane.removesuffix(", heated"), young=young), distorted(rectangle(element)))
    return fem.heated_plate(cold, warm(cold.X)) if "heated" in plane else cold


def finite_state(body: fem.Plate | fem.Solid, seed: int = 1, size: float = 0.15) -> np.ndarray:
    """A smooth, invertible displacement with strains of about `size` and a large rotation, (N, d)."""
    if body.X.shape[1] == 3:
        return solid_examples.finite_state(body)
    rng = np.random.default_rng(seed)
    wave = np.sin(body.X @ rng.uniform(0.5, 2.0, (2, 2)) + rng.uniform(0, 6, 2))
    return (body.X + size * wave) @ rotation(rng.uniform(0.5, 2.5)).T - body.X


def affine(body: fem.Plate, H: np.ndarray) -> np.ndarray:
    """The displacement H X, (N, 2)."""
    return body.X @ np.asarray(H).T


def energy_in_space(name: str, F: np.ndarray, young: float = E, nu: float = 0.3) -> np.ndarray:
    """Strain energy per reference volume (...) of the laws in space as printed in textbooks, at F (..., 3, 3)."""
    lam, mu = young * nu / ((1 + nu) * (1 - 2 * nu)), young / (2 * (1 + nu))
    H, squares = F - np.eye(3), np.sum(F * F, axis=(-2, -1))
    if name == "neo-hookean":
        log_J = np.log(np.linalg.det(F))
        return mu / 2 * (squares - 3) - mu * log_J + lam / 2 * log_J**2
    strain = 0.5 * (H + np.swapaxes(H, -1, -2))
    if name == "st-venant-kirchhoff":
        strain = strain + 0.5 * np.swapaxes(H, -1, -2) @ H
    return lam / 2 * np.trace(strain, axis1=-2, axis2=-1) ** 2 + mu * np.sum(strain * strain, axis=(-2, -1))


def stress_and_moduli_in_space(name: str, F: np.ndarray, young: float, nu: float) -> tuple[np.ndarray, np.ndarray]:
    """P (..., 3, 3) and A = ∂P/∂F (..., 3, 3, 3, 3) of the laws in space as printed in textbooks, at F (..., 3, 3)."""
    lam, mu, one = young * nu / ((1 + nu) * (1 - 2 * nu)), young / (2 * (1 + nu)), np.eye(3)
    same, crossed = np.einsum("ik,jl->ijkl", one, one), np.einsum("il,kj->ijkl", one, one)
    elasticity = lam * np.einsum("ij,kl->ijkl", one, one) + mu * (same + crossed)
    if name == "small-strain":
        P = np.einsum("ijkl,...kl->...ij", elasticity, F - one)
        return P, np.broadcast_to(elasticity, (*P.shape, 3, 3))
    if name == "st-venant-kirchhoff":
        S = np.einsum("abcd,...cd->...ab", elasticity, 0.5 * (np.einsum("...ka,...kb->...ab", F, F) - one))
        A = np.einsum("ik,...jl->...ijkl", one, S) + np.einsum("...ia,ajlb,...kb->...ijkl", F, elasticity, F)
        return F @ S, A
    log_J, Y = np.log(np.linalg.det(F))[..., None, None], np.swapaxes(np.linalg.inv(F), -1, -2)
    A = mu * same + lam * np.einsum("...ij,...kl->...ijkl", Y, Y)
    A += (mu - lam * log_J)[..., None, None] * np.einsum("...il,...kj->...ijkl", Y, Y)
    return mu * (F - Y) + lam * log_J * Y, A


def gradients(d: int, seed: int, count: int = 10, size: float = 0.5) -> np.ndarray:
    """Random displacement gradients (count, d, d) with 0.4 < det F < 2.5."""
    H = np.random.default_rng(seed).uniform(-size, size, (40 * count, d, d))
    det = np.linalg.det(np.eye(d) + H)
    return H[(det > 0.4) & (det < 2.5)][:count]


def prove_response(material: fem.Material, d: int, seed: int = 3) -> None:
    """Stress is the gradient of the energy, the moduli are that of the stress, and they have a second derivative's symmetry."""
    states, directions = gradients(d, seed), np.random.default_rng(seed).standard_normal((10, d, d))
    assert len(states) == 10
    for H, D in zip(states, directions, strict=True):
        at = material.response(H)
        assert np.isfinite(at.energy)
        size = 10 * np.abs(at.tangent).max()
        along, turned = np.einsum("ij,ij", at.stress, D), np.einsum("ijkl,kl", at.tangent, D)
        prove_derivative(lambda e, H=H, D=D: material.response(H + e * D).energy, along, size)
        prove_derivative(lambda e, H=H, D=D: material.response(H + e * D).stress, turned, size)
        np.testing.assert_allclose(at.tangent, np.einsum("ijkl->klij", at.tangent), rtol=0, atol=1e-13 * size)


def held_at(body: fem.Plate, *names: str, axes: tuple[int, ...] = (0, 1)) -> np.ndarray:
    """Degrees of freedom (N, 2) that are held at the named edges."""
    held = np.zeros(body.X.shape, dtype=bool)
    for name in names:
        held[np.ix_(body.boundary(name), axes)] = True
    return held


def held_rigidly(body: fem.Plate) -> np.ndarray:
    """Degrees of freedom that stop rigid motion and no strain: a corner, and the y of the other lower corner."""
    held = np.zeros(body.X.shape, dtype=bool)
    low = np.flatnonzero(body.X[:, 1] < body.X[:, 1].min() + 1e-9)
    held[low[body.X[low, 0].argmin()]] = True
    held[low[body.X[low, 0].argmax()], 1] = True
    return held


def rotation(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


STEP, WEIGHTS = 2.0**-9, (4 / 5, -1 / 5, 4 / 105, -1 / 280)
"""Step and weights of the central difference of order eight."""


def prove_derivative(value, derivative, size):
    """f'(0) is the central difference of f, to 1e-9 of it or to rounding.

    value(ε) and derivative are arrays; size is the rounding scale of value.
    """
    derivative = np.asarray(derivative)
    largest = np.abs(derivative).max()
    assert largest > 0
    slope = sum(w * (value(k * STEP) - value(-k * STEP)) for k, w in enumerate(WEIGHTS, start=1)) / STEP
    np.testing.assert_allclose(slope, derivative, rtol=0, atol=1e-9 * largest + 4 * np.finfo(float).eps * size / STEP)
