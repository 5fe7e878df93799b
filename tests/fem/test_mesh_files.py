"""Mesh files of many makers: both kinds of cells, nodes on each other, names in VTK; and bodies of doubtful size."""

import meshio
import numpy as np
import pytest
from rows import rows

from fem import Plate, StVenantKirchhoff, read
from fem.mesh_files import from_meshio
from floating_frame import Options, Problem, assemble, run_warnings, simulate

CORNERS = np.array([[0, 0], [0.2, 0], [0.4, 0], [0, 0.2], [0.2, 0.2], [0.4, 0.25]])
RIGHT, LEFT = np.array([[2, 5]]), np.array([[3, 0]])


def write(path, points, blocks, **sets):
    """A file whose last block is of lines, with sets of them."""
    points = np.column_stack([points, np.zeros(len(points))])
    none = [np.array([], int)] * (len(blocks) - 1)
    named = {name: [*none, np.array(members)] for name, members in sets.items()}
    mesh = meshio.Mesh(points, blocks, cell_sets=named)
    if path.suffix in (".vtk", ".vtu"):
        mesh.cell_sets_to_data()
    mesh.write(path)
    return path


def plate(mesh, element="P1"):
    return Plate.build(mesh, thickness=1.0, density=1.0, material=StVenantKirchhoff(E=1.0, nu=0.3), element=element)


def test_quadrilaterals_among_triangles_are_cut_along_the_shorter_diagonal(tmp_path):
    blocks = [("triangle", [[0, 1, 4], [0, 4, 3]]), ("quad", [[1, 2, 5, 4]]), ("line", RIGHT)]
    mesh = read(write(tmp_path / "mixed.inp", CORNERS, blocks, right=[0]))
    assert mesh.t.shape == (3, 4)
    body = plate(mesh)
    assert body.area == pytest.approx(0.04 + 0.2 * 0.225)
    assert len(body.boundary("right")) == 2
    edges = mesh.p[:, mesh.facets].transpose(2, 1, 0)
    shorter = [edge for edge in edges if np.allclose(sorted(edge.tolist()), [[0.2, 0.2], [0.4, 0.0]])]
    assert len(shorter) == 1


def test_second_order_cells_of_both_kinds_are_refused(tmp_path):
    points = np.vstack([CORNERS, [[0.1, 0.0], [0.2, 0.1], [0.1, 0.1]]])
    blocks = [("triangle6", [[0, 1, 4, 6, 7, 8]]), ("quad", [[1, 2, 5, 4]])]
    with pytest.raises(ValueError, match="together may have corners only"):
        read(write(tmp_path / "mixed.vtu", points, blocks))


@rows("kind, wrong", [(kind, wrong) for kind in ("triangle", "quad", "line") for wrong in (99, -1)])
def test_a_node_that_is_not_there_is_named(kind, wrong):
    cells = {"triangle": [[0, 1, 4], [0, 4, 3]], "quad": [[1, 2, 5, 4]], "line": [[2, 5]]}
    cells[kind] = [[wrong, *cells[kind][0][1:]]]
    raw = meshio.Mesh(CORNERS, [("triangle", [[0, 1, 4]]), *cells.items()])
    with pytest.raises(ValueError, match=f"'a file': a {kind} has node {wrong}, of 6 that are numbered from 0"):
        from_meshio(raw, "a file")
    solid = meshio.Mesh(np.eye(4, 3), [("tetra", [[0, 1, 2, wrong]])])
    with pytest.raises(ValueError, match=f"'a file': a tetra has node {wrong}, of 4"):
        from_meshio(solid, "a file", d=3)


def test_nodes_on_each_other_are_merged_on_request_only_and_it_is_said(tmp_path):
    double = np.vstack([CORNERS[[0, 1, 4, 3]], CORNERS[[1, 2, 5, 4]] + [1e-9, 0.0]])
    blocks = [("quad", [[0, 1, 2, 3], [4, 5, 6, 7]]), ("line", [[5, 6]])]
    path = write(tmp_path / "double.inp", double, blocks, right=[0])
    with pytest.raises(ValueError, match=r"2 unconnected parts.*--merge_nodes"):
        plate(read(path), "Q1")
    with pytest.warns(UserWarning, match="2 nodes were merged with others within 1e-06 m"):
        mesh = read(path, merge=1e-6)
    assert mesh.nvertices == 6
    assert len(mesh.boundaries["right"]) == 1
    assert mesh.boundary_facets().size == 6
    for wrong in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="finite distance > 0 m"):
            read(path, merge=wrong)


@pytest.mark.parametrize("suffix", ["vtk", "vtu"])
def test_names_survive_vtk(tmp_path, suffix):
    blocks = [("quad", [[0, 1, 4, 3], [1, 2, 5, 4]]), ("line", np.vstack([LEFT, RIGHT]))]
    both = read(write(tmp_path / f"both.{suffix}", CORNERS, blocks, left=[0], right=[1]))
    for name, x in (("left", 0.0), ("right", 0.4)):
        (facet,) = both.boundaries[name]
        np.testing.assert_allclose(both.p[0, both.facets[:, facet]], x)
    one = read(write(tmp_path / f"one.{suffix}", CORNERS, blocks, **{"slanted-side": [1]}))
    assert set(one.boundaries) == {"boundary", "slanted-side"}


@pytest.mark.parametrize(("size", "warned"), [(1.0, False), (1000.0, True), (1e-6, True)])
def test_a_body_of_doubtful_size_is_asked_for_its_units(tmp_path, size, warned):
    blocks = [("quad", [[0, 1, 4, 3], [1, 2, 5, 4]]), ("line", RIGHT)]
    mesh = read(write(tmp_path / "plate.vtk", CORNERS, blocks, right=[0])).scaled((size, size))
    run = simulate(assemble(Problem(body=plate(mesh, "Q1"), t_end=1e-3), Options(dt=1e-3)))
    computed = [warning for warning in run_warnings(run) if warning.name == "units"]
    assert bool(computed) == warned
    if warned:
        assert "are all lengths in metres?" in computed[0].advice
        assert computed[0].limit == (100.0 if size > 1 else 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("version", [2.2, 4.1])
@pytest.mark.parametrize("cells", ["triangles", "quadrilaterals", "both"])
def test_what_gmsh_itself_writes_is_read_with_its_names(tmp_path, version, cells):
    gmsh = pytest.importorskip("gmsh", reason="the gmsh wheel is not installed", exc_type=(ImportError, OSError))
    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("Mesh.MshFileVersion", version)
        occ, model = gmsh.model.occ, gmsh.model
        halves = [occ.addRectangle(0.2 * k, 0.0, 0.0, 0.2, 0.1) for k in range(2)]
        occ.fragment([(2, halves[0])], [(2, halves[1])])
        occ.synchronize()
        for name, at in (("left", 0.0), ("right", 0.4)):
            box = (at - 1e-6, -1.0, -1.0, at + 1e-6, 1.0, 1.0)
            model.addPhysicalGroup(1, [tag for _, tag in model.getEntitiesInBoundingBox(*box, dim=1)], name=name)
        model.addPhysicalGroup(2, halves, name="body")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.05)
        for half in halves[: {"triangles": 0, "both": 1, "quadrilaterals": 2}[cells]]:
            model.mesh.setTransfiniteSurface(half)
            model.mesh.setRecombine(2, half)
        model.mesh.generate(2)
        gmsh.write(str(tmp_path / "strip.msh"))
    finally:
        gmsh.finalize()
    mesh = read(tmp_path / "strip.msh")
    assert mesh.nelements > 8
    assert mesh.t.shape[0] == (4 if cells == "quadrilaterals" else 3)
    body = plate(mesh, "Q1" if cells == "quadrilaterals" else "P1")
    assert body.area == pytest.approx(0.04, rel=1e-12)
    for name, at in (("left", 0.0), ("right", 0.4)):
        assert mesh.p[0, mesh.facets[:, mesh.boundaries[name]]] == pytest.approx(at, abs=1e-12)
        assert body.edge_shape(name).sum() == pytest.approx(1.0, rel=1e-12)  # shares of the force
