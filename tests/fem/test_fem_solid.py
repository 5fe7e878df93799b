"""Elastic solids: kernels against scikit-fem's assembly, tangent, rigid motions, patches, the plane, beams, modes, bad input."""

import meshio
import numpy as np
import pytest
from rows import rows
from scipy.linalg import polar
from scipy.spatial import cKDTree
from solid_examples import CELL, DENSITY, YOUNG, finite_state, law, solid

import fem
from fem.elements.tables import SOLID_ELEMENTS

ELEMENTS = tuple(CELL)
LAWS = tuple(fem.MATERIALS)
NO_ENDS = [(1.0, 2.0, 0.1, 2), (5.0, 1.0, 0.3, 2), (5.0, 1.0, 0.1, 0), (np.nan, 1.0, 0.1, 2)]


@pytest.mark.parametrize("element", ELEMENTS)
def test_the_smallest_stretch_of_a_solid_is_the_smallest_singular_value_of_all_points(element):
    """Of strongly and differently strained cells, so that which one has it is decided by the third root of each."""
    body, rng = solid(element, law("st-venant-kirchhoff"), distort=0.2), np.random.default_rng(3)
    wheres = set()
    for size in (0.02, 0.1, 0.3) * 8:
        u = size * rng.standard_normal(body.X.shape)
        F = np.eye(3) + np.einsum("cai,cqaj->cqij", u[body.nodes], body.jacobian_gradients)
        stretches = np.linalg.svd(F, compute_uv=False)[..., -1]
        wheres.add(int(np.argmin(stretches)))
        assert body.strains(u)["stretch"] == pytest.approx(stretches.min(), rel=1e-12, abs=1e-14)
    assert len(wheres) > 5


def hexahedron_energy(body, u):
    """V W(F̄) + ½ ĝ·K̂ ĝ, the rotation by SciPy's polar decomposition."""
    total = 0.0
    for c, nodes in enumerate(body.nodes):
        H = u[nodes].T @ body.gradients[c, 0]
        turn = polar(np.eye(3) + H)[0] if body.objective else np.eye(3)
        seen = (body.hourglass.vectors[c] @ u[nodes] @ turn).ravel()
        total += body.volumes[c, 0] * body.material.response(H).energy + 0.5 * seen @ body.hourglass.stiffness[c] @ seen
    return total


@pytest.mark.parametrize("name", LAWS)
def test_the_energy_of_hexahedra_is_that_of_mean_strain_and_hourglass_modes(name):
    body = solid("Q1", law(name), distort=0.2)
    u = finite_state(body)
    straight = body.X @ (0.1 * np.arange(9.0).reshape(3, 3))
    assert body.strain_energy(u) == pytest.approx(hexahedron_energy(body, u), rel=1e-12)
    amplitudes = np.einsum("cmb,cbi->cmi", body.hourglass.vectors, straight[body.nodes])
    assert np.abs(amplitudes).max() < 1e-14 < 1e-3 < np.abs(body.hourglass.vectors).max()
    assert np.linalg.eigvalsh(body.hourglass.stiffness).min() > 0.0


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", LAWS)
def test_uniform_strain_is_exact_on_any_mesh(element, name):
    body = solid(element, law(name), counts=(3, 3, 3), distort=0.25)
    H = np.array([[0.08, -0.03, 0.05], [0.10, -0.06, 0.02], [-0.04, 0.07, 0.05]])
    force, inner = body.internal_force(body.X @ H.T), np.setdiff1d(np.arange(len(body.X)), body.boundary("boundary"))
    response = body.material.response(H)
    assert len(inner) >= 8
    assert np.abs(force[inner]).max() < 1e-13 * np.abs(force).max()
    assert body.strain_energy(body.X @ H.T) == pytest.approx(body.size * float(response.energy), rel=1e-12)
    virial = np.einsum("ni,nj->ij", force, body.X)
    np.testing.assert_allclose(-virial, body.size * response.stress, rtol=0, atol=1e-12 * body.size * YOUNG)
    F = np.eye(3) + H
    # At small strains all stresses are one, as on plates.
    cauchy = response.stress @ F.T / np.linalg.det(F) if body.objective else response.stress
    np.testing.assert_allclose(body.cauchy_stress(body.X @ H.T), np.tile(cauchy, (len(body.cells), 1, 1)), rtol=1e-9)


def cantilever(element, counts, nu, length=1.0, height=0.1):
    """Tip deflection of a cantilever over Timoshenko's P L³/(3 E I) + P L/(k G A), k = 5/6; its held end is free to narrow."""
    body = solid(element, law(nu=nu), (length, height, height), counts)
    held = np.zeros(body.X.shape, bool)
    left = body.boundary("left")
    held[left, 0] = True
    near = np.argsort(np.linalg.norm(body.X[left, 1:], axis=1), kind="stable")
    held[left[near[0]], 1:], held[left[near[1]], 1:] = True, body.X[left[near[1]], 1:][::-1] != 0.0
    inertia, shear = height**4 / 12, YOUNG / (2 * (1 + nu))
    force = 1e-3 * 3 * YOUNG * inertia / length**2
    computed = fem.equilibrium(body, np.outer(body.edge_shape("right"), [0.0, 0.0, force]), held)
    exact = force * length**3 / (3 * YOUNG * inertia) + force * length / (5 / 6 * shear * height**2)
    return float(body.edge_shape("right") @ computed.displacement[:, 2]) / exact


def test_hexahedra_bend_as_a_beam_and_lock_neither_in_shear_nor_in_volume():
    for n in (4, 16):  # linear curvature in cells of constant one misses 1/(4 n²) of the energy
        assert cantilever("Q1", (n, 2, 2), nu=0.0) == pytest.approx(1 - 1 / (4 * n**2), abs=1e-3)
    for nu in (0.3, 0.499, 0.4999):
        assert 0.995 < cantilever("Q1", (16, 2, 2), nu) < 1.0
    assert 0.995 < cantilever("P2", (8, 2, 2), nu=0.3) < 1.0
    assert cantilever("P1", (16, 2, 2), nu=0.3) < 0.7  # linear tetrahedra lock


def test_a_spherical_end_is_a_round_block_on_a_sphere():
    """Its outline has 8 × 4 sides: the area of a polygon of 32."""
    size, radius, fine = 3.0, 10.0, 0.4
    body = build(fem.spherical_end(radius, size, fine, 4))
    polygon = 16.0 * np.sin(2.0 * np.pi / 32) * size**2
    assert body.face_area("top").sum() == pytest.approx(polygon, rel=1e-12)
    # π ∫ r² dz under the sphere
    cap = np.pi * (radius * size**2 - 2.0 / 3.0 * (radius**3 - (radius**2 - size**2) ** 1.5))
    gone = np.pi * size**2 * (radius - np.sqrt(radius**2 - size**2)) - cap
    assert body.mass == pytest.approx(polygon * size - gone, rel=0.02)
    assert body.smallest_jacobian(np.zeros_like(body.X))[0] > 0.0
    points = (body.X + body.offset)[body.boundary("bottom")]
    np.testing.assert_allclose(np.linalg.norm(points - [0.0, 0.0, radius], axis=1), radius, rtol=1e-9)
    r = np.hypot(*points[:, :2].T)
    assert fine < r.max() <= 2.0 * fine
    at = np.sort(np.unique(r.round(9)))
    assert np.diff(at[at <= fine]).max() < fine / 4
    turned = points @ [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert np.abs(turned[:, None] - points).max(axis=2).min(axis=1).max() < 1e-8


def test_mass_and_faces_are_those_of_the_box():
    for element in ELEMENTS:
        body = solid(element)
        assert body.mass == pytest.approx(DENSITY * 0.35, rel=1e-13)
        assert np.abs(body.mass_matrix.sum(axis=1).A1 @ body.X).max() < 1e-13 * body.mass
        inertia = body.X.T @ body.mass_matrix @ body.X
        np.testing.assert_allclose(inertia, body.mass * np.diag([1.0, 0.49, 0.25]) / 12, rtol=0, atol=2e-2 * body.mass)
        for name, area in (("left", 0.35), ("back", 0.5), ("bottom", 0.7)):
            assert body.face_area(name).sum() == pytest.approx(area, rel=1e-13)
        assert np.ptp(body.X[body.boundary("top"), 2]) < 1e-14
        positive = body.face_area("bottom")[body.boundary("bottom")].min() > 1e-9
        assert positive == (element != "P2")


@pytest.mark.parametrize(("cell", "element"), [("tetrahedron", "P1"), ("hexahedron", "Q1")])
def test_a_file_gives_the_solid_that_it_was_written_from(tmp_path, cell, element):
    mesh = fem.box(1.0, 0.7, 0.5, 2, 2, 2, cell)
    vtk = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
    corners = {tuple(c): k for k, c in enumerate(SOLID_ELEMENTS["Q1"].shape.doflocs.astype(int).tolist())}
    order = [corners[tuple(c)] for c in vtk.tolist()] if cell == "hexahedron" else [0, 1, 2, 3]
    left = mesh.facets[:, mesh.boundaries["left"]].T
    name, face = ("hexahedron", "quad") if cell == "hexahedron" else ("tetra", "triangle")
    blocks = [(name, mesh.t[order].T), (face, left)]
    sets = {"left": [np.array([], int), np.arange(len(left))]}
    meshio.Mesh(mesh.p.T, blocks, cell_sets=sets).write(tmp_path / "body.inp")
    read = fem.Solid.build(fem.read_solid(tmp_path / "body.inp"), density=DENSITY, material=law(), element=element)
    made = fem.Solid.build(mesh, density=DENSITY, material=law(), element=element)
    assert read.size == pytest.approx(made.size, rel=1e-12)
    assert read.face_area("left").sum() == pytest.approx(0.35, rel=1e-12)
    u = finite_state(made)
    _, at = cKDTree(read.X).query(made.X)
    v = np.empty_like(u)
    v[at] = u
    assert read.strain_energy(v) == pytest.approx(made.strain_energy(u), rel=1e-9)


BOX = fem.box(1, 1, 1, 2, 1, 1)


def build(mesh=BOX, **change):
    return fem.Solid.build(mesh, **({"density": 1.0, "material": law(), "element": "Q1"} | change))


def moved(x):
    """The box with its middle points at x."""
    points = BOX.p.copy()
    points[0, np.isclose(points[0], 0.0)] = x
    return type(BOX)(points, BOX.t)


def apart():
    return type(BOX)(np.hstack([BOX.p, BOX.p + 5.0]), np.hstack([BOX.t, BOX.t + BOX.p.shape[1]]))


@rows(
    ("make", "message"),
    [
        (lambda: build(density=0.0), "density must be finite and > 0"),
        (lambda: build(material=fem.StVenantKirchhoff(1e6, 0.5)), "nu of a solid must lie in -1 < nu < 0.5"),
        (lambda: build(element="Q2"), "element of a solid must be one of P1, P2, Q1"),
        (lambda: build(element="P1"), "element P1 needs a mesh of tetrahedra, got hexahedra"),
        (lambda: build(fem.rectangle(1, 1, 2, 2)), "got a plane mesh"),
        (lambda: build("box"), "mesh must be one of scikit-fem"),
        (lambda: build(moved(-0.5)), "is flat, or inside out|is inverted"),
        (lambda: build(moved(0.6)), "is flat, or inside out|is inverted"),
        (lambda: build(apart()), "2 unconnected parts"),
        *((lambda given=given: fem.spherical_end(*given), r"^[^\n]+$") for given in NO_ENDS),
    ],
)
def test_what_is_no_solid_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
