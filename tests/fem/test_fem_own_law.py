"""A law from outside the package: Taylor's test, equality with the library's where it is the same law, its limits, and refusals."""

import pickle
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from fem_examples import E, finite_state, gradients, plate, prove_response, rectangle
from numba import njit
from rows import rows
from solid_examples import CELL

import fem
from fem.kernels import elements
from fem.kernels.law_blocks import ENERGY
from fem.materials import Response, material_of

W = fem.LANES
LAM, MU = E * 0.3 / (1.3 * 0.4), E / 2.6
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "material.md"
CODE = {"__name__": __name__}
exec(PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0], CODE)
Rubber, rubber_force, rubber_tangent = (CODE[name] for name in ("Rubber", "force", "tangent"))
"""The compressible neo-Hookean law by its Lamé constants, as the page on materials has it."""


class Stiffening(NamedTuple):
    """Small strains whose bulk modulus grows with the square of the change of volume, by ``more``, Pa."""

    lam: float
    mu: float
    more: float


@njit(error_model="numpy")
def trace(dims, H, k):
    total = 0.0
    for i in range(len(dims)):
        total += H[(len(dims) * i + i) * W + k]
    return total


@njit(error_model="numpy")
def stiffening_force(law, dims, H, P, k):
    d, t = len(dims), trace(dims, H, k)
    for i, j in np.ndindex(d, d):
        both = law.mu * (H[(d * i + j) * W + k] + H[(d * j + i) * W + k])
        P[(d * i + j) * W + k] = both + (law.lam * t + law.more * t**3 if i == j else 0.0)


@njit(error_model="numpy")
def stiffening_tangent(law, dims, H, A, k):
    d, bulk = len(dims), law.lam + 3.0 * law.more * trace(dims, H, k) ** 2
    for i, j, m, n in np.ndindex(d, d, d, d):
        value = (bulk if i == j and m == n else 0.0) + (law.mu if i == m and j == n else 0.0)
        A[(((i * d + j) * d + m) * d + n) * W + k] = value + (law.mu if i == n and j == m else 0.0)


@njit(error_model="numpy")
def stiffening_energy(law, dims, H, k):
    d, t, squares = len(dims), trace(dims, H, k), 0.0
    for i, j in np.ndindex(d, d):
        squares += (H[(d * i + j) * W + k] + H[(d * j + i) * W + k]) ** 2
    return 0.5 * law.lam * t**2 + 0.25 * law.mu * squares + 0.25 * law.more * t**4


fem.register_material(Rubber, rubber_force, rubber_tangent, softens_in_compression=True)
fem.register_material(Stiffening, stiffening_force, stiffening_tangent, energy=stiffening_energy)
OWN, STIFFENING = Rubber(LAM, MU), Stiffening(LAM, MU, 3.0 * E)


@pytest.mark.parametrize("law", [OWN, STIFFENING], ids=["Rubber", "Stiffening"])
@pytest.mark.parametrize(("d", "plane"), [(2, "stress"), (2, "strain"), (3, "strain")])
@pytest.mark.quick("2-strain-Rubber", "2-stress-Stiffening")
def test_a_law_from_outside_has_one_energy_whose_derivatives_are_stress_and_moduli(law, d, plane):
    """In plane stress, condensed, where the thickness grows under a pull."""
    own = law._replace(lam=-0.2 / (0.8 * 1.4), mu=1.0 / 1.6)  # E = 1, ν = −0.2
    prove_response(material_of(own if law is OWN else own._replace(more=10.0), d, plane), d)


@pytest.mark.parametrize("element", ["P1", "Q1"])
@pytest.mark.parametrize("plane", ["stress", "strain", "space"])
@pytest.mark.quick("strain-Q1", "space-P1")
def test_a_body_of_the_same_law_from_outside_is_the_librarys(element, plane):
    known, size = fem.NeoHookean(E, 0.3, "strain" if plane == "space" else plane), {"density": 1e3, "element": element}
    if plane == "space":
        mesh = fem.box(1.0, 0.7, 0.5, 2, 2, 1, CELL[element])
        own, ours = (fem.Solid.build(mesh, material=law, viscosity=1e-3, **size) for law in (OWN, known))
    else:
        mesh, size = rectangle(element), size | {"thickness": 0.02}
        own, ours = (fem.Plate.build(mesh, material=law, plane=plane, **size) for law in (OWN, known))
    if plane == "strain":
        assert fem.Plate.build(mesh, material=OWN, **size).material == own.material
    u = finite_state(own)
    assert np.abs(ours.cauchy_stress(u)).max() > 0.1 * E
    calls = [(name, (u,)) for name in ("internal_force", "tangent", "strain_energy", "stress", "cauchy_stress")]
    if plane == "space":
        calls.append(("viscous_force", (u, np.sin(3.0 * own.X))))
    for name, given in calls:
        computed, expected = getattr(own, name)(*given), getattr(ours, name)(*given)
        np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-12 * np.abs(expected).max(), err_msg=name)


@pytest.mark.parametrize(("d", "plane"), [(2, "stress"), (2, "strain"), (3, "strain")])
@pytest.mark.quick("2-strain")
def test_the_work_along_a_path_is_the_energy_down_to_great_compression(d, plane):
    own, ours = material_of(OWN, d, plane), fem.NeoHookean(E, 0.3, plane)
    states = np.concatenate([gradients(d, 5), -0.8 * np.eye(d)[None], np.diag([3.0, -0.6, 0.1])[None, :d, :d]])
    computed, expected = own.response(states).energy, ours.response(states).energy
    assert np.ptp(expected) > E
    np.testing.assert_allclose(computed, expected, rtol=1e-10)
    assert own.functions.energy is None
    assert own.block(ENERGY, d).address


def test_limits_of_strain_are_those_that_registration_and_the_law_say():
    bodies = [plate("P1", law) for law in (OWN, STIFFENING, fem.NeoHookean(E, 0.3))]
    assert [body.objective for body in bodies] == [True, False, True]
    u = bodies[0].X @ np.diag([-0.2, 0.1])
    stretch, small, none = (body.strains(u) for body in bodies)
    assert stretch == {"stretch": pytest.approx(0.8)}
    assert small == {"strain": pytest.approx(0.2), "rotation": pytest.approx(0.0, abs=1e-12)}
    assert none == {}


def test_a_body_of_a_law_from_outside_is_pickled_and_its_twin_is_the_same():
    body = plate("P1", OWN)
    u = finite_state(body)
    twin = pickle.loads(pickle.dumps(body))
    assert twin.material == body.material
    np.testing.assert_array_equal(twin.internal_force(u), body.internal_force(u))


class Unknown(NamedTuple):
    lam: float


class Derived(Rubber):
    pass


class OfItsOwn(fem.StVenantKirchhoff):
    pass


PARTS = [*Stiffening.__annotations__.items()]
Wrong, Strained, Lossy = (NamedTuple(name, PARTS) for name in ("Wrong", "Strained", "Lossy"))


@njit
def strained_force(law, dims, H, P, k):
    stiffening_force(law, dims, H, P, k)
    P[k] += 0.01 * law.mu


@njit
def lossy_tangent(law, dims, H, A, k):
    stiffening_tangent(law, dims, H, A, k)
    A[W + k] += law.mu


@njit
def wrong_tangent(law, dims, H, A, k):
    stiffening_tangent(law, dims, H, A, k)
    A[k] *= 1.01


def plate_of(law):
    return plate("P1", law)


def solid_of(law):
    return fem.Solid.build(fem.box(1, 1, 1, 1, 1, 1), density=1.0, material=law)


fem.register_material(Wrong, stiffening_force, wrong_tangent)
fem.register_material(Strained, strained_force, stiffening_tangent)
fem.register_material(Lossy, stiffening_force, lossy_tangent)
REFUSED = [
    ((Unknown(1.0),), "the law of Unknown is not registered .*StVenantKirchhoff"),
    ((Derived(1.0, 1.0),), "the law of Derived is not registered"),
    ((OfItsOwn(E, 0.3),), "the law of OfItsOwn is not registered"),
    ((Rubber(1.0, "stiff"),), "mu of Rubber must be a finite number, got 'stiff'"),
    ((Rubber,), "material must be one such as"),
    (((1.0, 2.0),), "material must be one such as"),
    # compiled, in the plane, which takes less long
    ((Wrong(*STIFFENING), plate_of), "the law Wrong of . axes has a tangent that is not the derivative"),
    ((Strained(*STIFFENING), plate_of), "the law Strained of . axes has a stress at rest"),
    ((Lossy(*STIFFENING), plate_of), "the law Lossy of . axes has moduli that are not symmetric"),
    ((OWN, lambda law: fem.heated_plate(plate_of(law), 1e-3)), "thermal strain takes the material .*; got Rubber"),
    ((float, fem.register_material, rubber_force, rubber_tangent), "a law must be a class of named tuples"),
    ((OWN, fem.register_material, rubber_force, rubber_tangent), "a law must be a class of named tuples"),
    (
        (Rubber, fem.register_material, None, rubber_tangent),
        "force must be a function compiled by numba.njit, got None",
    ),
    ((Rubber, fem.register_material, rubber_force, "tangent"), "tangent must be a function"),
]


@rows("given, words", REFUSED)
def test_what_is_no_registered_elastic_law_is_refused_in_one_line(given, words):
    law, *rest = given
    for make in rest[:1] or (plate_of, solid_of):
        with pytest.raises(ValueError, match=words) as computed:
            make(law, *rest[1:])
        assert "\n" not in str(computed.value)


def test_the_element_loops_are_compiled_once_whatever_the_law():
    def compiled(law):
        body = plate("P1", law)
        assert np.abs(body.internal_force(0.01 * body.X)).max() > 0
        return elements.internal_force.signatures

    first = compiled(fem.NeoHookean(E, 0.3, "strain"))
    assert first
    assert compiled(OWN) == compiled(STIFFENING) == first


def test_no_cache_of_the_package_holds_a_law_from_outside():
    """A class that is renamed, or of a script, would make the whole index unreadable."""
    plate("P1", OWN).internal_force(np.zeros((15, 2)))
    files = list((Path(fem.__file__).parent / "kernels").rglob("*.nb[ic]"))
    assert files
    assert not any(b"Rubber" in path.read_bytes() for path in files)


def test_a_response_of_many_points_is_that_of_each():
    material = material_of(OWN, 3)
    states = gradients(3, 9).reshape(2, 5, 3, 3)
    computed = material.response(states)
    assert isinstance(computed, Response)
    np.testing.assert_array_equal(computed.stress[1, 2], material.response(states[1, 2]).stress)
