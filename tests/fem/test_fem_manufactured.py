"""A manufactured solution with finite strains: orders of convergence of every element in L² and H¹."""

import numpy as np
import pytest
from convergence import observed_orders
from fem_examples import ELEMENT_NAMES, held_at, law, shape_of
from skfem import CellBasis, LinearForm

import fem
from fem.elements.tables import ELEMENTS

AMPLITUDE = np.array([0.08, -0.06])
LEVELS = {"P1": (16, 32, 64), "Q1": (12, 24, 48), "P2": (8, 16, 32), "Q2": (6, 12, 24)}


def exact(x):
    """Displacement (2, ...), its gradient (2, 2, ...) and second derivatives (2, 2, 2, ...) at x (2, ...)."""
    k = np.array([[2.0, 1.0], [1.5, -2.0]])
    phase = np.einsum("ij,j...->i...", k, x) + np.array([0.3, 1.0]).reshape(2, *[1] * (x.ndim - 1))
    wave, slope = (np.einsum("i,i...->i...", AMPLITUDE, field) for field in (np.sin(phase), np.cos(phase)))
    return wave, np.einsum("i...,ij->ij...", slope, k), -np.einsum("i...,ij,il->ijl...", wave, k, k)


def domain(element, n):
    """A unit square whose inner points are moved smoothly, so that cells are neither equal nor right-angled."""
    mesh = fem.rectangle(1.0, 1.0, n, n, cell=shape_of(element))
    x, y = mesh.p
    bump = 0.06 * np.cos(np.pi * x) * np.cos(np.pi * y)
    return type(mesh)(np.stack([x + bump, y - bump]), mesh.t, mesh.boundaries)


def errors(element, material, n):
    """Errors in L² and H¹ (seminorm) of the solution, and of the nodal interpolant of the exact one, (2,) each."""
    mesh = domain(element, n)
    body = fem.Plate.build(mesh, thickness=1.0, density=1.0, material=material, element=element)
    basis = CellBasis(mesh, ELEMENTS[element].shape(), intorder=8)
    x = np.asarray(basis.global_coordinates())
    u, H, second = exact(x)
    A = material.response(np.moveaxis(H, (0, 1), (2, 3))).tangent
    force = -np.einsum("cqijkl,kljcq->icq", A, second)
    load = np.stack([LinearForm(lambda v, w: w["f"] * v).assemble(basis, f=f) for f in force], axis=1)
    nodal, held = exact((body.X + body.offset).T)[0].T, held_at(body, "boundary")
    computed = fem.equilibrium(body, load, held, prescribed=nodal, options=fem.NewtonOptions(tolerance=1e-11))
    strain = np.linalg.norm(np.einsum("ki...,kj...->ij...", H, H) + H + np.swapaxes(H, 0, 1), axis=(0, 1)) / 2
    assert strain.max() > 0.2

    def norms(nodal_values):
        fields = [basis.interpolate(np.ascontiguousarray(component)) for component in nodal_values.T]
        value = sum((np.asarray(f) - u[i]) ** 2 for i, f in enumerate(fields))
        slope = sum(((f.grad - H[i]) ** 2).sum(axis=0) for i, f in enumerate(fields))
        return np.sqrt([(value * basis.dx).sum(), (slope * basis.dx).sum()])

    return norms(computed.displacement), norms(nodal)


@pytest.mark.parametrize("element", ELEMENT_NAMES)
@pytest.mark.parametrize(
    ("name", "plane"), [("st-venant-kirchhoff", "stress"), ("neo-hookean", "stress"), ("neo-hookean", "strain")]
)
@pytest.mark.quick(
    "st-venant-kirchhoff-stress-P2", "neo-hookean-strain-P1", "neo-hookean-strain-Q1", "neo-hookean-strain-Q2"
)
def test_error_falls_at_the_elements_order_and_is_that_of_interpolation(element, name, plane, verification):
    degree = int(element[1])
    both = [errors(element, law(name, plane, young=1.0), n) for n in LEVELS[element]]
    computed, interpolant = np.transpose(both, (1, 0, 2))
    orders, how = observed_orders(computed), {"source": "order of interpolation", "tolerance": 0.05}
    for k, norm in enumerate(("L²", "H¹")):
        claim = f"Manufactured solution, {name}, plane {plane}, {element}: order in {norm}"
        verification(claim, orders[:, k], degree + 1 - k, **how)
    # Absolute: as good as the nodal interpolant of the exact solution, within Céa's constant.
    assert (computed < 1.5 * interpolant).all()
