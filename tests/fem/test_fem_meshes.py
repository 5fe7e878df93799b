"""Named meshes: sizes, boundaries, alternating diagonals; files through meshio; and what is refused."""

import math

import meshio
import numpy as np
import pytest
from convergence import observed_orders
from fem_examples import THICKNESS, held_at, law, plate, shape_of
from rows import rows

import fem
from fem.beam import Beam
from fem.mesh_files import from_meshio


def lengths(mesh, name):
    ends = mesh.p[:, mesh.facets[:, mesh.boundaries[name]]]
    return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=0)


def areas(mesh):
    x, y = mesh.p[:, mesh.t]
    return 0.5 * np.abs((x * np.roll(y, -1, axis=0) - np.roll(x, -1, axis=0) * y).sum(axis=0))


def edges(mesh, mirror=(1, 1)):
    """The ends of all edges, mirrored, as a set of sets."""
    ends = mesh.p[:, mesh.facets].transpose(2, 1, 0) * mirror
    return {frozenset((round(float(x), 9) + 0.0, round(float(y), 9) + 0.0) for x, y in pair) for pair in ends}


@pytest.mark.parametrize("cell", ["triangle", "quadrilateral"])
def test_rectangle_has_its_sizes_counts_and_named_sides(cell):
    mesh = fem.rectangle(3.0, 2.0, 4, 6, cell=cell)
    assert mesh.t.shape[1] == 24 * (2 if cell == "triangle" else 1)
    assert areas(mesh).sum() == pytest.approx(6.0, rel=1e-14)
    sides = (("left", 0, -1.5, 2.0), ("right", 0, 1.5, 2.0), ("bottom", 1, -1.0, 3.0), ("top", 1, 1.0, 3.0))
    for name, axis, place, length in sides:
        assert mesh.p[axis, mesh.facets[:, mesh.boundaries[name]]] == pytest.approx(place, rel=1e-14)
        assert lengths(mesh, name).sum() == pytest.approx(length, rel=1e-14)


def test_diagonals_alternate_so_that_the_triangulation_is_its_own_mirror_image():
    even = fem.rectangle(3.0, 2.0, 4, 6), fem.rectangle(3.0, 2.0, 2, 2)
    for mesh in (*even, fem.disc(1.0, 3, 8), fem.annulus(0.5, 1.0, 3, 8)):
        assert edges(mesh) == edges(mesh, (-1, 1)) == edges(mesh, (1, -1))
    odd = fem.rectangle(3.0, 2.0, 3, 4)  # cannot be
    assert edges(odd) == edges(odd, (1, -1)) != edges(odd, (-1, 1))


@pytest.mark.parametrize("cell", ["triangle", "quadrilateral"])
def test_round_meshes_have_the_area_and_rims_of_their_polygons(cell):
    nt, sector = 24, 2 * math.pi / 24
    ring = fem.annulus(0.5, 2.0, 3, nt, cell=cell)
    assert areas(ring).sum() == pytest.approx(nt / 2 * math.sin(sector) * (2.0**2 - 0.5**2), rel=1e-13)
    for name, radius in (("inner", 0.5), ("outer", 2.0)):
        assert lengths(ring, name) == pytest.approx(2 * radius * math.sin(sector / 2), rel=1e-12)
        assert len(lengths(ring, name)) == nt
    if cell == "triangle":
        disc = fem.disc(2.0, 4, nt)
        assert disc.t.shape[1] == nt * (1 + 2 * 3)
        assert areas(disc).sum() == pytest.approx(nt / 2 * math.sin(sector) * 2.0**2, rel=1e-13)
        assert len(lengths(disc, "rim")) == nt
        assert plate("P1", law("small-strain"), disc).mass > 0


@pytest.mark.parametrize("cell", ["triangle", "quadrilateral"])
def test_mesh_survives_the_way_through_a_file(tmp_path, cell):
    mesh = fem.rectangle(3.0, 2.0, 4, 6, cell=cell)
    # As files have them: three coordinates, lines beside the cells, and points that no cell uses.
    points = np.pad(np.vstack([mesh.p.T, [[9.0, 9.0]]]), ((0, 0), (0, 1)))
    kind, lines = "triangle" if cell == "triangle" else "quad", mesh.facets[:, mesh.boundaries["left"]].T
    meshio.Mesh(points, [(kind, mesh.t.T), ("line", lines)]).write(tmp_path / "plate.vtk")
    back = fem.read(tmp_path / "plate.vtk")
    assert back.p.shape == mesh.p.shape
    assert areas(back).sum() == pytest.approx(6.0, rel=1e-12)
    assert len(back.boundaries["boundary"]) == 20
    direct, again = (plate("P1" if cell == "triangle" else "Q1", law("small-strain"), m) for m in (mesh, back))
    np.testing.assert_allclose(again.X, direct.X, rtol=0, atol=1e-12)
    assert abs(again.mass_matrix - direct.mass_matrix).max() < 1e-12 * direct.mass


def section(name, *lines):
    return "\n".join([f"${name}", *(line.strip() for text in lines for line in text.split("|")), f"$End{name}", ""])


PHYSICAL = section("PhysicalNames", '3|1 1 "left"|1 2 "right"|2 3 "sheet"')
PLACES = ("0 0 0", "1 0 0", "2 0 1.2e-16", "0 1 0", "1 1 -3e-17", "2 1 0", "1 5 3")
# A strip of two cells, 2 x 1 m, as Gmsh writes it: z of a rotated model has rounding, and a point that no cell uses.
GMSH_22 = (
    section("MeshFormat", "2.2 0 8")
    + PHYSICAL
    + section("Nodes", "7", *(f"{k} {place}" for k, place in enumerate(PLACES, 1)))
    + section("Elements", "4|1 1 2 2 2 3 6|2 1 2 1 4 4 1|3 3 2 3 1 1 2 5 4|4 3 2 3 1 2 3 6 5")
)
# Each curve and the surface name the entities that bound them; names are given to both ends and to the surface.
POINTS_41 = "1 0 0 0 0|2 2 0 0 0|3 2 1 0 0|4 0 1 0 0"
CURVES_41 = "1 0 0 0 2 0 0 0 2 1 -2|2 2 0 0 2 1 0 1 2 2 2 -3|3 0 1 0 2 1 0 0 2 3 -4|4 0 0 0 0 1 0 1 1 2 4 -1"
GMSH_41 = (
    section("MeshFormat", "4.1 0 8")
    + PHYSICAL
    + section("Entities", "4 4 1 0", POINTS_41, CURVES_41, "1 0 0 0 2 1 0 1 3 4 1 2 3 4")
    + section("Nodes", "1 7 1 7|2 1 0 7|1|2|3|4|5|6|7", *PLACES)
    + section("Elements", "3 4 1 4|1 2 1 1|1 3 6|1 4 1 1|2 4 1|2 1 3 2|3 1 2 5 4|4 2 3 6 5")
)


@pytest.mark.parametrize("text", [GMSH_22, GMSH_41], ids=["2.2", "4.1"])
def test_a_gmsh_file_with_physical_groups_is_read_with_its_names(tmp_path, text):
    path = tmp_path / "strip.msh"
    path.write_text(text)
    mesh = fem.read(path)
    assert mesh.p.shape == (2, 6)
    assert areas(mesh) == pytest.approx([1.0, 1.0])
    assert set(mesh.boundaries) == {"boundary", "left", "right"}
    assert mesh.p[0, mesh.facets[:, mesh.boundaries["left"]]] == pytest.approx(0.0)
    assert mesh.p[0, mesh.facets[:, mesh.boundaries["right"]]] == pytest.approx(2.0)
    assert plate("Q1", law("small-strain"), mesh).edge_shape("right").sum() == pytest.approx(1.0)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_rounding_of_z_is_plane_and_a_tilt_is_not(size):
    mesh = fem.rectangle(size, size, 2, 2)
    for spread, plane in ((1e-7, True), (1e-5, False), (math.nan, False)):
        points = np.column_stack([mesh.p.T, np.zeros(mesh.nvertices)])
        points[0, 2] = spread * size
        raw = meshio.Mesh(points, [("triangle", mesh.t.T)])
        if plane:
            assert areas(from_meshio(raw, "it")).sum() == pytest.approx(size**2)
        else:
            with pytest.raises(ValueError, match=r"must be plane \(z constant\), its z spans"):
                from_meshio(raw, "it")


def second_order(mesh, kind):
    """A curved mesh as a meshio mesh of triangle6, quad8 or quad9."""
    pairs = {frozenset(ends): facet for facet, ends in enumerate(mesh.facets.T.tolist())}
    ends = zip(mesh.t.T.tolist(), np.roll(mesh.t, -1, axis=0).T.tolist(), strict=True)
    sides = np.array([[pairs[frozenset(side)] for side in zip(*cell, strict=True)] for cell in ends]).T
    cells = np.vstack([mesh.t, mesh.nvertices + sides])
    if kind == "quad9":
        cells = np.vstack([cells, mesh.nvertices + mesh.nfacets + np.arange(mesh.nelements)])
    return meshio.Mesh(np.column_stack([mesh.doflocs.T, np.zeros(mesh.doflocs.shape[1])]), [(kind, cells.T)])


@pytest.mark.parametrize("kind", ["triangle6", "quad8", "quad9"])
def test_curved_cells_survive_the_way_through_a_file(tmp_path, kind):
    cell = "triangle" if kind == "triangle6" else "quadrilateral"
    mesh = fem.annulus(0.5, 1.0, 2, 12, cell)
    second_order(mesh, kind).write(tmp_path / "ring.vtu")
    back = fem.read(tmp_path / "ring.vtu")
    for element, curved in {"triangle": (("P1", 0), ("P2", 1)), "quadrilateral": (("Q1", 0), ("Q2", 1))}[cell]:
        direct, again = plate(element, law("small-strain"), mesh), plate(element, law("small-strain"), back)
        assert again.area == pytest.approx(direct.area, rel=1e-13)
        assert abs(direct.area / (0.75 * math.pi) - 1) < (2e-4 if curved else 0.06)
        assert (abs(direct.area / (0.75 * math.pi) - 1) > 0.04) == (not curved)
        np.testing.assert_allclose(again.X, direct.X, rtol=0, atol=1e-3 if kind == "quad8" else 1e-13)


@pytest.mark.parametrize("element", ["P1", "Q1", "P2", "Q2"])
def test_round_shapes_converge_at_the_order_of_their_sides(element):
    """Area, moment of inertia and length of the rim: of second order with straight sides, of fourth with curved ones."""
    cell, order = (shape_of(element)), (2 if element.endswith("1") else 4)
    errors = []
    for n in (1, 2, 4):
        body = plate(element, law("small-strain"), fem.annulus(0.5, 1.0, n, 8 * n, cell))
        inertia = np.einsum("ia,ia->", body.X, body.mass_matrix @ body.X) / body.mass
        rim = body.X[body.boundary("outer")]
        assert np.ptp(np.hypot(*rim.T)) < 1e-14
        errors.append([abs(body.area / (0.75 * math.pi) - 1), abs(inertia / 0.625 - 1)])
    errors = np.array(errors)
    assert errors[0].min() > 1e-5
    np.testing.assert_allclose(observed_orders(errors), order, atol=0.3)


ORDERS = [("P1", 1.7, 2.2), ("Q1", 1.9, 2.3), ("P2", 3.0, 4.2), ("Q2", 2.8, 4.2)]


@pytest.mark.parametrize(("element", "low", "high"), ORDERS)
def test_torsion_of_an_annulus_converges_at_more_than_third_order_with_curved_sides(element, low, high):
    """A torque T on the inner rim a, the outer rim b held: u = T/(4πGh) (1/r − r/b²); straight sides leave second order."""
    cell, a, b, errors = (shape_of(element)), 0.5, 1.0, []
    for n in (1, 2, 4):
        body = plate(element, law("small-strain"), fem.annulus(a, b, n, 8 * n, cell))
        tangent = np.stack([-body.X[:, 1], body.X[:, 0]], axis=1) / np.hypot(*body.X.T)[:, None]
        traction = 0.1 * body.edge_shape("inner")
        computed = fem.equilibrium(body, traction[:, None] * tangent, held_at(body, "outer"))
        inner = np.einsum("ia,ia->i", computed.displacement, tangent)[body.boundary("inner")].mean()
        G = body.material.shear_modulus
        errors.append(abs(inner / (0.1 * a / (4 * math.pi * G * THICKNESS) * (1 / a - a / b**2)) - 1))
    assert errors[0] > 1e-3
    assert errors[-1] < (3e-4 if high > 4 else 0.03)
    slopes = observed_orders(errors)
    assert np.all((low < slopes) & (slopes < high))


def test_a_uniform_traction_on_a_curved_edge_has_its_length():
    body = plate("P2", law("small-strain"), fem.disc(1.0, 2, 12))
    shape = body.edge_shape("rim")
    assert shape.sum() == pytest.approx(1, rel=1e-14)
    assert np.abs(shape @ body.X).max() < 1e-14
    # ∫ r² ds over the circle: its nodes have r = 1 and so has all of the rim, up to fourth order.
    x = body.X[body.boundary("rim")]
    assert shape[body.boundary("rim")] @ np.sum(x**2, axis=1) == pytest.approx(1, rel=1e-14)
    middles, corners = shape[body.edges["rim"][:, 2]], shape[np.unique(body.edges["rim"][:, :2])]
    assert middles == pytest.approx(2 / 3 / 12, rel=1e-2)
    assert corners == pytest.approx(1 / 3 / 12, rel=1e-2)


def test_sides_that_are_curved_too_much_are_refused_by_name():
    mesh = fem.annulus(0.5, 1.0, 1, 8)
    mesh.doflocs[:, mesh.nvertices] *= 2.0
    with pytest.raises(ValueError, match=r"cell \d+ with corners .* is folded: its sides are curved too much"):
        plate("P2", law("small-strain"), mesh)


POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.5]])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent.msh", None, "cannot read mesh file .*absent.msh.*not found"),
        ("notes.doc", "hello", "cannot read mesh file .*Could not deduce file format"),
        ("broken.msh", "hello", "cannot read mesh file .*broken.msh"),
        ("broken.vtk", "# vtk DataFile Version 5.1\nrubbish\n", "cannot read mesh file .*broken.vtk"),
        ("empty.vtu", "", "cannot read mesh file .*empty.vtu"),
        ("tets.vtk", [("tetra", [[0, 1, 2, 3]])], "must hold triangles or quadrilaterals; it holds tetra"),
        ("bent.vtk", [("quad", [[0, 1, 2, 3]])], "must be plane .* its z spans 0.5"),
    ],
)
def test_unusable_mesh_file_is_one_clear_line(tmp_path, capfd, name, content, words):
    path = tmp_path / name
    if isinstance(content, str):
        path.write_text(content)
    elif content:
        meshio.Mesh(POINTS, content).write(path)
    with pytest.raises(ValueError, match=words) as caught:
        fem.read(path)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@rows(
    ("make", "words"),
    [
        (lambda: fem.rectangle(0.0, 1.0, 2, 2), "length must be finite and > 0 m, got 0.0"),
        (lambda: fem.rectangle(1.0, math.nan, 2, 2), "width must be finite and > 0 m, got nan"),
        (lambda: fem.rectangle(1.0, 1.0, 0, 2), "nx must be an integer >= 1, got 0"),
        (lambda: fem.rectangle(1.0, 1.0, 2, 1.5), "ny must be an integer >= 1, got 1.5"),
        (lambda: fem.rectangle(1.0, 1.0, 2, 2, cell="hexagon"), "cell must be one of triangle, quadrilateral"),
        (lambda: fem.disc(-1.0, 2, 8), "radius must be finite and > 0 m, got -1.0"),
        (lambda: fem.disc(1.0, 2, 2), "nt must be an integer >= 3, got 2"),
        (lambda: fem.disc(1.0, 2, 8, cell="quadrilateral"), "cell of a disc must be one of triangle, got 'quadri"),
        (lambda: fem.annulus(1.0, 1.0, 2, 8), "inner must be smaller than outer, got inner = 1.0 and outer = 1.0"),
        (lambda: fem.annulus(0.5, 1.0, True, 8), "nr must be an integer >= 1, got True"),
        (lambda: fem.rectangle(1.0, 1.0, 10**5, 10**5), "nx = 100000 x ny = 100000 cells are too many: .* 1000000 of"),
        (lambda: fem.annulus(0.5, 1.0, 10**23, 8), "nr = 1e23 x nt = 8 cells are too many"),
        (lambda: fem.disc(1.0, 10**5000, 8), "nr = 1e5000 x nt = 8 cells are too many"),
        (
            lambda: Beam.build(length=1.0, width=0.1, thickness=0.1, E=1e6, density=1e3, ne=10**9),
            "ne = 1000000000 cells are too many",
        ),
    ],
)
def test_bad_shape_parameters_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
