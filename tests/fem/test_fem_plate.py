"""Mass, weights, edges, symmetry and stable step of a plate; and what it refuses."""

import numpy as np
import pytest
import scipy.linalg
from fem_examples import DENSITY, ELEMENT_NAMES, THICKNESS, distorted, law, plate, rectangle
from rows import rows
from skfem import FacetBasis, LinearForm, MeshQuad1, MeshTri1

import fem
from fem.beam import Beam
from fem.elements.tables import ELEMENTS

SVK = law("st-venant-kirchhoff")
SURFACE = DENSITY * THICKNESS


@pytest.mark.parametrize("element", ELEMENT_NAMES)
def test_mass_centre_and_second_moments_of_a_rectangle_are_exact_and_friction_weights_integrate_linear_fields(element):
    a, b = 2.0, 1.0
    mesh = distorted(rectangle(element, a, b, 5, 4)).translated((3.0, -7.0))
    body = plate(element, SVK, mesh)
    mass = SURFACE * a * b
    assert body.area == pytest.approx(a * b, rel=1e-14)
    assert body.mass == pytest.approx(mass, rel=1e-14)
    assert body.offset == pytest.approx([3.0, -7.0], rel=1e-14)
    assert np.abs((body.mass_matrix @ body.X).sum(axis=0)).max() < 1e-14 * mass
    moments = body.X.T @ (body.mass_matrix @ body.X)
    np.testing.assert_allclose(moments, mass / 12 * np.diag([a**2, b**2]), rtol=0, atol=1e-13 * mass)
    if element in ("P1", "Q1"):
        assert body.lumped_mass.sum() == pytest.approx(mass, rel=1e-14)
        assert body.lumped_mass.min() > 0
        np.testing.assert_allclose(body.lumped_mass, SURFACE * body.nodal_area, rtol=1e-13)
    else:
        with pytest.raises(ValueError, match="needs element P1 or Q1, got " + element):
            _ = body.lumped_mass
    assert body.nodal_area.min() > 0
    assert body.nodal_area.sum() == pytest.approx(body.area, rel=1e-14)
    assert np.abs(body.nodal_area @ body.X).max() < 1e-14 * body.area
    if element == "P2":
        # ∫φ_i dA vanishes at corners, which is why P2 has another rule: corner A/12 per cell, midpoint A/4.
        row_sums = body.mass_matrix.sum(axis=1).A1 / SURFACE
        corners = np.unique(body.cells)
        assert np.abs(row_sums[corners]).max() < 1e-15
        assert body.nodal_area[corners].sum() == pytest.approx(body.area / 4, rel=1e-13)


@pytest.mark.parametrize("element", ELEMENT_NAMES)
def test_edge_shape_is_the_uniform_traction_of_scikit_fem(element):
    mesh = rectangle(element, 2.0, 1.0, 5, 4)
    # Uneven spacing, so that the shares differ from node to node.
    mesh = type(mesh)(np.sign(mesh.p) * np.abs(mesh.p) ** 1.3, mesh.t, mesh.boundaries)
    body = plate(element, SVK, mesh)
    length = np.ptp(mesh.p[1])
    for name, place in (("left", mesh.p[0].min()), ("right", mesh.p[0].max())):
        share = body.edge_shape(name)
        assert share.sum() == pytest.approx(1, rel=1e-14)
        assert share @ body.X == pytest.approx(np.array([place, 0.0]) - body.offset, abs=1e-14)
        basis = FacetBasis(mesh, ELEMENTS[element].shape(), facets=mesh.boundaries[name])
        twin = LinearForm(lambda v, w: v).assemble(basis)
        np.testing.assert_allclose(share, twin / length, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(np.flatnonzero(share), body.boundary(name))
    load = np.outer(body.edge_shape("right"), (5.0, -2.0))
    assert load.sum(axis=0) == pytest.approx([5.0, -2.0], rel=1e-14)
    assert len(body.boundary("boundary")) == (18 if element in ("P1", "Q1") else 36)


def true_step(body):
    """2/ω of the highest frequency, s."""
    K, M = body.tangent_matrix(np.zeros_like(body.X)).toarray(), np.diag(np.repeat(body.lumped_mass, 2))
    return 2 / np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True)[-1])


@pytest.mark.parametrize("element", ["P1", "Q1"])
@pytest.mark.parametrize("nu", [0.0, 0.3])
def test_stable_step_is_two_over_the_highest_frequency_and_the_bound_of_cells_half_of_it_at_least(element, nu):
    body = plate(element, law("small-strain", nu=nu), distorted(rectangle(element, nx=5, ny=4)))
    true, dt = true_step(body), body.stable_time_step()
    assert (1 - 2e-4) * true < dt < true
    assert 0.5 * true < body.stable_step_of_cells() < true

    def largest_after(step):
        u = 1e-6 * np.random.default_rng(0).standard_normal(body.X.shape)
        before = u.copy()
        for _ in range(2000):
            u, before = 2 * u - before + step**2 * body.internal_force(u) / body.lumped_mass[:, None], u
        return np.abs(u).max()

    assert largest_after(dt) < 1
    assert largest_after(1.01 * dt) > 1e3


def test_a_row_of_q1_cells_no_longer_than_wide_has_the_step_of_a_bar():
    row = fem.rectangle(1.0, 0.05, 20, 1, "quadrilateral")
    body = fem.Plate.build(row, thickness=0.02, density=1e3, material=fem.SmallStrain(1e5, 0.0), element="Q1")
    for step in (true_step(body), body.stable_step_of_cells(), body.stable_time_step()):
        assert step == pytest.approx(0.05 / 10.0, rel=1e-12)


def test_cells_turn_counter_clockwise_and_arrays_are_read_only():
    for element in ELEMENT_NAMES:
        body = plate(element, SVK)
        corner = body.X[body.cells]
        assert (np.linalg.det(corner[:, 1:3] - corner[:, :1]) > 0).all()
        for array in (body.X, body.nodal_area, body.mass_data, body.indices, body.gradients):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


@rows("kind", ["plate", "axis", "heated plate", "heated axis"])
def test_every_body_offers_what_the_equations_of_motion_ask_for(kind):
    cold = plate("Q1", law("small-strain"))
    if "axis" in kind:
        cold = fem.BeamAxis.build(Beam.build(length=1.0, width=0.1, thickness=0.02, E=1e9, density=1e3, ne=4))
    body = cold if "heated" not in kind else (fem.heated_axis if "axis" in kind else fem.heated_plate)(cold, 1e-3)
    assert isinstance(body, fem.DeformableBody)
    members = [v for name, v in vars(fem.DeformableBody).items() if not name.startswith("_") and not callable(v)]
    assert len(members) > 10
    assert all(isinstance(member, property) for member in members), "a frozen body would be none to a type checker"
    mass, still = body.mass_matrix.sum(axis=1).A1, np.zeros_like(body.X)
    assert mass.sum() == pytest.approx(body.mass, rel=1e-12)
    np.testing.assert_allclose(mass @ body.X, 0.0, atol=1e-13 * body.mass)
    assert body.nodal_area.sum() == pytest.approx(body.area, rel=1e-12)
    assert body.internal_force(still).shape == body.X.shape
    assert body.tangent(still).shape == body.mass_data.shape == body.indices.shape
    assert body.smallest_jacobian(still)[0] == pytest.approx(1.0, rel=1e-12)
    assert body.edge_shape("left").sum() == pytest.approx(1.0, rel=1e-12)
    assert np.all(body.edge_shape("left")[body.boundary("left")[:1]] > 0.0)


def _bent(t, points):
    return lambda: plate("P1" if len(t) == 3 else "Q1", SVK, (MeshTri1 if len(t) == 3 else MeshQuad1)(points, t))


def build(**change):
    good = {"thickness": 0.1, "density": 10.0, "material": SVK, "plane": "stress"}
    return fem.Plate.build(rectangle("P1"), **(good | change))


def _square(**moved):
    points = np.array([[0, 1, 2, 0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 1, 2, 2, 2.0]])
    for node, place in moved.items():
        points[:, int(node[1:])] = place
    return points


NO_SIZES = (0.0, -1.0, np.nan, np.inf)
QUADS = np.array([[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7]]).T
FAN = np.array([[0, 1, 4], [1, 2, 4], [2, 5, 4], [5, 8, 4], [8, 7, 4], [7, 6, 4], [6, 3, 4], [3, 0, 4]]).T


@rows(
    ("make", "words"),
    [
        (_bent(FAN, _square(n4=(1.0, np.nan))), "cell 0 with corners .* has a corner that is not finite"),
        (_bent(FAN, _square(n4=(0.5, 0.0))), "cell 0 with corners .* is degenerate"),
        (_bent(FAN, _square(n4=(1.0, -0.5))), "cell [01] with corners .* is inverted: it is folded"),
        (_bent(QUADS, _square(n4=(2.5, 2.5))), "cell [0-3] with corners .* is inverted at a corner"),
        (_bent(FAN[:, [0, 3]], _square()[:, :9]), "2 unconnected parts; cell 1"),
        (_bent(FAN[:, :4], _square()), "node 3 at .* belongs to no cell"),
        (lambda: plate("Q1", SVK, rectangle("P1")), "element Q1 needs a mesh of quadrilaterals, got triangles"),
        (lambda: plate("P2", SVK).stable_time_step(), "needs element P1 or Q1, got P2"),
        (lambda: plate("P3", SVK), "element must be one of P1, P2, Q1, Q2, got 'P3'"),
        (lambda: plate("P1", SVK).boundary("lid"), "edge must be one of boundary, left, right, .* got 'lid'"),
        (lambda: plate("P1", SVK).edge_shape("lid"), "edge must be one of"),
        *((lambda bad=bad: build(thickness=bad), "thickness must be finite and > 0, got") for bad in NO_SIZES),
        *((lambda bad=bad: build(density=bad), "density must be finite and > 0, got") for bad in NO_SIZES),
        (lambda: build(plane="strain"), "plane is 'strain' but the material was made for plane 'stress'"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, words):
    with pytest.raises(ValueError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
