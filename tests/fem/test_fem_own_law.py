"""A law from outside the package: Taylor's test, equality with the library's where it is the same law, its limits, and refusals."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from fem_examples import E, finite_state, plate, prove_derivative
from numba import njit

import fem
from fem.kernels import elements
from fem.materials import has_law, register


@njit(error_model="numpy")
def cofactor(F, i, j):
    a, b, c, d = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
    return F[a, c] * F[b, d] - F[a, d] * F[b, c]


@njit(error_model="numpy")
def deformation(H):
    F = np.eye(3) + H
    return F, F[0, 0] * cofactor(F, 0, 0) + F[0, 1] * cofactor(F, 0, 1) + F[0, 2] * cofactor(F, 0, 2)


@njit(error_model="numpy")
def own_energy(p, dims, H):
    F, J = deformation(H)
    return 0.5 * p[1] * (np.sum(F * F) - 3.0) - p[1] * math.log(J) + 0.5 * p[0] * math.log(J) ** 2


@njit(error_model="numpy")
def own_stress(p, dims, H, P):
    F, J = deformation(H)
    for i in range(3):
        for j in range(3):
            P[i, j] = p[1] * F[i, j] + (p[0] * math.log(J) - p[1]) / J * cofactor(F, i, j)


@njit(error_model="numpy")
def own_moduli(p, dims, H, A):
    F, J = deformation(H)
    for i in range(3):
        for j in range(3):
            for k in range(3):
                for m in range(3):
                    away = (p[1] - p[0] * math.log(J)) * cofactor(F, i, m) * cofactor(F, k, j)
                    total = (p[0] * cofactor(F, i, j) * cofactor(F, k, m) + away) / J**2
                    A[i, j, k, m] = total + (p[1] if i == k and j == m else 0.0)


@dataclass(frozen=True)
class Own(fem.Material):
    name: ClassVar[str] = "own neo-Hookean"
    softens_in_compression: ClassVar[bool] = True


register(Own, energy=own_energy, stress=own_stress, moduli=own_moduli)


@njit(error_model="numpy")
def stiffening_energy(p, dims, H):
    trace, squares = H[0, 0] + H[1, 1] + H[2, 2], np.sum((H + H.T) ** 2)
    return 0.5 * p[0] * trace**2 + 0.25 * p[1] * squares + 0.25 * p[2] * trace**4


@njit(error_model="numpy")
def stiffening_stress(p, dims, H, P):
    trace = H[0, 0] + H[1, 1] + H[2, 2]
    for i in range(3):
        for j in range(3):
            P[i, j] = p[1] * (H[i, j] + H[j, i]) + (p[0] * trace + p[2] * trace**3 if i == j else 0.0)


@njit(error_model="numpy")
def stiffening_moduli(p, dims, H, A):
    trace = H[0, 0] + H[1, 1] + H[2, 2]
    A[:] = 0.0
    for i in range(3):
        for j in range(3):
            A[i, i, j, j] += p[0] + 3.0 * p[2] * trace**2
            A[i, j, i, j] += p[1]
            A[i, j, j, i] += p[1]


@dataclass(frozen=True)
class Stiffening(fem.Material):
    """Small strains whose bulk modulus grows with the square of the change of volume; ``more``, Pa: a parameter of its own."""

    more: float = 3.0 * E
    name: ClassVar[str] = "stiffening"
    finite_strain: ClassVar[bool] = False

    @property
    def parameters(self):
        return np.array([self.lame, self.shear_modulus, self.more])


register(Stiffening, energy=stiffening_energy, stress=stiffening_stress, moduli=stiffening_moduli)
CLASSES = [*fem.MATERIALS.values(), Own, Stiffening]


def gradients(d, seed):
    rng = np.random.default_rng(seed)
    H = rng.uniform(-0.5, 0.5, (400, d, d))
    det = np.linalg.det(np.eye(d) + H)
    return H[(det > 0.4) & (det < 2.5)][:10], rng.standard_normal((10, d, d))


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(("d", "plane"), [(2, "stress"), (2, "strain"), (3, "strain")])
def test_every_law_has_one_energy_whose_derivatives_are_stress_and_moduli(kind, d, plane):
    material = kind(1.0, -0.2, plane) if kind is not Stiffening else kind(1.0, -0.2, plane, 10.0)
    states, directions = gradients(d, seed=3)
    assert len(states) == 10
    for H, D in zip(states, directions, strict=True):
        at = material.response(H)
        assert np.isfinite(at.energy)
        size = 10 * np.abs(at.tangent).max()
        along, turned = np.einsum("ij,ij", at.stress, D), np.einsum("ijkl,kl", at.tangent, D)
        prove_derivative(lambda e, H=H, D=D: material.response(H + e * D).energy, along, size)
        prove_derivative(lambda e, H=H, D=D: material.response(H + e * D).stress, turned, size)


@pytest.mark.parametrize("element", ["P1", "Q1"])
@pytest.mark.parametrize("plane", ["stress", "strain"])
def test_a_plate_of_the_same_law_from_outside_is_the_librarys(element, plane):
    own, ours = (plate(element, kind(E, 0.3, plane)) for kind in (Own, fem.NeoHookean))
    u = finite_state(own)
    assert np.abs(ours.internal_force(u)).max() > 1e-3 * E * own.thickness
    for name in ("internal_force", "tangent", "strain_energy", "stress", "cauchy_stress"):
        found, expected = getattr(own, name)(u), getattr(ours, name)(u)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max(), err_msg=name)


@pytest.mark.parametrize(("element", "cells"), [("P1", "tetrahedron"), ("Q1", "hexahedron")])
def test_a_solid_of_the_same_law_from_outside_is_the_librarys(element, cells):
    mesh = fem.box(0.3, 0.2, 0.1, 2, 2, 1, cells)
    own, ours = (
        fem.Solid.build(mesh, density=1e3, material=kind(E, 0.3), element=element) for kind in (Own, fem.NeoHookean)
    )
    u = 0.1 * np.sin(7.0 * own.X) @ np.array([[0.1, 0.3, 0.0], [-0.2, 0.1, 0.1], [0.0, 0.1, 0.2]])
    assert own.smallest_jacobian(u)[0] > 0.3
    assert np.abs(ours.cauchy_stress(u)).max() > 0.1 * E
    for name in ("internal_force", "tangent", "strain_energy", "stress", "cauchy_stress"):
        found, expected = getattr(own, name)(u), getattr(ours, name)(u)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max(), err_msg=name)


def test_limits_of_strain_are_those_that_the_class_of_a_law_says():
    bodies = [plate("P1", kind(E, 0.3)) for kind in (Own, Stiffening, fem.NeoHookean)]
    u = bodies[0].X @ np.diag([-0.2, 0.1])
    stretch, small, none = (body.strains(u) for body in bodies)
    assert stretch == {"stretch": pytest.approx(0.8)}
    assert small == {"strain": pytest.approx(0.2), "rotation": pytest.approx(0.0, abs=1e-12)}
    assert none == {}


def test_a_law_that_is_not_registered_is_refused_in_one_line():
    @dataclass(frozen=True)
    class Unknown(fem.StVenantKirchhoff):
        pass

    message = "the law of Unknown is not registered .*StVenantKirchhoff"
    with pytest.raises(ValueError, match=message) as found:
        plate("P1", Unknown(E, 0.3))
    assert "\n" not in str(found.value)
    with pytest.raises(ValueError, match=message):
        fem.Solid.build(fem.box(1, 1, 1, 1, 1, 1), density=1.0, material=Unknown(E, 0.3))
    assert not has_law(Unknown)
    assert has_law(Own)


def test_the_element_loops_are_compiled_once_whatever_the_law():
    def compiled(law):
        body = plate("P1", law(E, 0.3, "strain"))
        assert np.abs(body.internal_force(0.01 * body.X)).max() > 0
        return elements.internal_force.signatures

    first = compiled(fem.NeoHookean)
    assert first
    assert compiled(Own) == compiled(Stiffening) == first
