"""Named meshes: sizes, boundaries, alternating diagonals; files through meshio; and what is refused."""

import math

import meshio
import numpy as np
import pytest
from fem_examples import law, plate

import fem


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
    for name, axis, place, length in (
        ("left", 0, -1.5, 2.0),
        ("right", 0, 1.5, 2.0),
        ("bottom", 1, -1.0, 3.0),
        ("top", 1, 1.0, 3.0),
    ):
        assert mesh.p[axis, mesh.facets[:, mesh.boundaries[name]]] == pytest.approx(place, rel=1e-14)
        assert lengths(mesh, name).sum() == pytest.approx(length, rel=1e-14)


@pytest.mark.parametrize(
    "mesh",
    [fem.rectangle(3.0, 2.0, 4, 6), fem.rectangle(3.0, 2.0, 2, 2), fem.disc(1.0, 3, 8), fem.annulus(0.5, 1.0, 3, 8)],
)
def test_diagonals_alternate_so_that_the_triangulation_is_its_own_mirror_image(mesh):
    assert edges(mesh) == edges(mesh, (-1, 1)) == edges(mesh, (1, -1))


def test_odd_counts_cannot_be_mirror_symmetric_with_two_triangles_per_cell():
    mesh = fem.rectangle(3.0, 2.0, 3, 4)
    assert edges(mesh) != edges(mesh, (-1, 1))
    assert edges(mesh) == edges(mesh, (1, -1))


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
@pytest.mark.parametrize("suffix", [".vtk", ".msh"])
@pytest.mark.parametrize("element", ["first", "second"])
def test_mesh_survives_the_way_through_a_file(tmp_path, cell, suffix, element):
    mesh = fem.rectangle(3.0, 2.0, 4, 6, cell=cell)
    kind = {"triangle": "triangle", "quadrilateral": "quad"}[cell]
    # As files have them: three coordinates, lines beside the cells, and points that no cell uses.
    points = np.column_stack([mesh.p.T, np.zeros(mesh.p.shape[1])])
    if element == "second":
        kind = {"triangle": "triangle6", "quad": "quad8"}[kind]
    cells = mesh.t.T
    if element == "second":
        points = np.vstack([points, np.column_stack([mesh.p[:, mesh.facets].mean(axis=1).T, np.zeros(mesh.nfacets)])])
        order = [0, 1, 2] if cell == "triangle" else [0, 1, 2, 3]
        cells = np.column_stack([cells, mesh.p.shape[1] + mesh.t2f.T[:, order]])
    points = np.vstack([points, [[9.0, 9.0, 0.0]]])
    sides = {name: mesh.facets[:, mesh.boundaries[name]].T for name in ("left", "top")}
    blocks = [(kind, cells), ("line", sides["left"]), ("line", sides["top"])]
    tags = [np.full(len(block), tag) for tag, (_, block) in enumerate(blocks, start=1)]
    data = {"gmsh:physical": tags, "gmsh:geometrical": tags} if suffix == ".msh" else {}
    fields = {"left": np.array([2, 1]), "top": np.array([3, 1]), "sheet": np.array([1, 2])}
    raw = meshio.Mesh(points, blocks, cell_data=data, field_data=fields if suffix == ".msh" else {})
    path = tmp_path / ("plate" + suffix)
    raw.write(path, **({"file_format": "gmsh22", "binary": False} if suffix == ".msh" else {}))

    back = fem.read(path)
    assert back.p.shape == mesh.p.shape
    assert areas(back).sum() == pytest.approx(6.0, rel=1e-12)
    assert len(back.boundaries["boundary"]) == 20
    if suffix == ".msh":
        assert set(back.boundaries) == {"boundary", "left", "top"}
        assert lengths(back, "left").sum() == pytest.approx(2.0, rel=1e-12)
        assert back.p[1, back.facets[:, back.boundaries["top"]]] == pytest.approx(1.0)
    direct = plate("P1" if cell == "triangle" else "Q1", law("st-venant-kirchhoff"), mesh)
    again = plate("P1" if cell == "triangle" else "Q1", law("st-venant-kirchhoff"), back)
    np.testing.assert_allclose(again.X, direct.X, rtol=0, atol=1e-12)
    assert abs(again.mass_matrix - direct.mass_matrix).max() < 1e-12 * direct.mass


def test_named_sets_of_lines_become_boundaries():
    mesh = fem.rectangle(1.0, 1.0, 2, 2)
    lines = mesh.facets[:, mesh.boundary_facets()].T
    right = np.flatnonzero((mesh.p[0, lines] > 0.49).all(axis=1))
    raw = meshio.Mesh(mesh.p.T, [("triangle", mesh.t.T), ("line", lines)], cell_sets={"grip": [[], right]})
    back = fem.meshes.from_meshio(raw, "in memory")
    assert lengths(back, "grip").sum() == pytest.approx(1.0)
    assert back.p[0, back.facets[:, back.boundaries["grip"]]] == pytest.approx(0.5)


def _file(tmp_path, name, text=None, raw=None):
    path = tmp_path / name
    if raw is not None:
        raw.write(path)
    elif text is not None:
        path.write_text(text)
    return path


POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.5]])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent.msh", {}, "cannot read mesh file .*absent.msh.*not found"),
        ("notes.doc", {"text": "hello"}, "cannot read mesh file .*Could not deduce file format"),
        ("broken.msh", {"text": "hello"}, "cannot read mesh file .*broken.msh"),
        ("broken.vtk", {"text": "# vtk DataFile Version 5.1\nrubbish\n"}, "cannot read mesh file .*broken.vtk"),
        ("empty.vtu", {"text": ""}, "cannot read mesh file .*empty.vtu"),
        (
            "tets.vtk",
            {"raw": meshio.Mesh(POINTS, [("tetra", [[0, 1, 2, 3]])])},
            "must hold triangles or quadrilaterals, and not both; it holds tetra",
        ),
        (
            "mixed.vtk",
            {"raw": meshio.Mesh(POINTS, [("triangle", [[0, 1, 2]]), ("quad", [[0, 1, 2, 3]])])},
            "and not both; it holds quad, triangle",
        ),
        ("bent.vtk", {"raw": meshio.Mesh(POINTS, [("quad", [[0, 1, 2, 3]])])}, "must be plane .* its z spans 0.5"),
    ],
)
def test_unusable_mesh_file_is_one_clear_line(tmp_path, capfd, name, content, words):
    path = _file(tmp_path, name, **content)
    with pytest.raises(fem.MeshError, match=words) as caught:
        fem.read(path)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fem.rectangle(0.0, 1.0, 2, 2), "length must be finite and > 0 m, got 0.0"),
        (lambda: fem.rectangle(1.0, math.nan, 2, 2), "width must be finite and > 0 m, got nan"),
        (lambda: fem.rectangle(1.0, 1.0, 0, 2), "nx must be an integer >= 1, got 0"),
        (lambda: fem.rectangle(1.0, 1.0, 2, 1.5), "ny must be an integer >= 1, got 1.5"),
        (lambda: fem.rectangle(1.0, 1.0, 2, 2, cell="hexagon"), "cell must be one of triangle, quadrilateral"),
        (lambda: fem.disc(-1.0, 2, 8), "radius must be finite and > 0 m, got -1.0"),
        (lambda: fem.disc(1.0, 2, 2), "nt must be an integer >= 3, got 2"),
        (lambda: fem.disc(1.0, 2, 8, cell="quadrilateral"), "cell 'triangle' only, got 'quadrilateral'"),
        (lambda: fem.annulus(1.0, 1.0, 2, 8), "inner must be smaller than outer, got inner = 1.0 and outer = 1.0"),
        (lambda: fem.annulus(0.5, 1.0, True, 8), "nr must be an integer >= 1, got True"),
    ],
)
def test_bad_shape_parameters_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
