"""Exports of saved runs: what ParaView's files, the table and the page's data hold, and what is refused."""

import base64
import csv
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import meshio
import numpy as np
import pytest
import xarray as xr
from case_runs import SMALL, page_of, run_without_picture, stored, unpacked
from rows import rows

from cases.app.command import cli
from cases.app.export.page_data import STEPS, quantised
from cases.app.export.series import headline_series
from floating_frame import load_trajectory

RUNS = {
    "plate_sliding": {"t_end": 0.1, "dt": 0.02, "spin0": 3.0},
    "free_flight": {"elements": "Q2", "plane": "strain", "material": "neo-hookean", "nx": 2, "ny": 2, "spin0": 0.0}
    | {"dt": 0.005},
    "beam_bending": {"dt": 0.02},
    "spinning_disc": {"dt": 0.1, "shape": "rectangle", "nx": 2, "ny": 2},
    "wall_impact": {"t_end": 0.004, "dt": 0.001},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    for name, values in RUNS.items():
        known = {key: value for key, value in SMALL[name].items() if key not in ("nr", "nt")}
        assert run_without_picture(name, known | values, folder / name) == 0
    return folder


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not list open files")
def test_a_saved_run_that_was_read_is_closed(results):
    path = results / "spinning_disc" / "trajectory.nc"

    def handles():
        links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        return [link for link in links if link.resolve() == path.resolve()]

    with load_trajectory(path) as data:
        assert float(data.frame_spin[0]) != 0
        assert handles()
    assert not handles()


def series(results, name, capsys):
    """Times, and names with meshes of the parts at each, of an exported run."""
    assert cli.main(["export", str(results / name), "--to", "vtk"]) == 0
    index = results / name / "vtk" / f"{name}.pvd"
    assert capsys.readouterr().out == f"{index}\n"
    computed = {}
    for entry in ElementTree.parse(index).getroot().iter("DataSet"):
        parts = computed.setdefault(float(entry.get("timestep")), {})
        parts[entry.get("name")] = meshio.read(index.parent / entry.get("file"))
    return computed


@pytest.mark.parametrize(
    ("name", "cells", "further"),
    [
        ("plate_sliding", "quad", set()),
        ("free_flight", "quad9", set()),
        ("beam_bending", "line", set()),
        ("spinning_disc", "quad", {"friction_points"}),
        ("wall_impact", "quad", {"obstacles"}),
    ],
)
def test_every_stored_instant_is_a_deformed_body_with_its_fields_for_paraview(results, capsys, name, cells, further):
    data, computed = stored(results / name), series(results, name, capsys)
    assert list(computed) == data.time.values.tolist()
    shown = computed[float(data.time[1])]
    assert (set(shown), shown["body"].cells[0].type) == ({"body", *further}, cells)
    nodes = shown.get("friction_points", shown["body"])
    fields = [(nodes.points, data.position)]
    fields += [(nodes.point_data[field], data[field]) for field in ("displacement", "velocity", "friction_force")]
    for computed, field in fields:
        np.testing.assert_array_equal(computed[:, :2], field.values[1])
        assert not computed[:, 2].any()
    np.testing.assert_array_equal(nodes.point_data["stick"], data.stick.values[1])
    assert np.abs(nodes.point_data["velocity"]).max() > 0


def test_a_body_in_space_has_its_points_and_its_frame(tmp_path, capsys):
    assert run_without_picture("block_in_space", {"t_end": 0.1, "dt": 0.02}, tmp_path / "block_in_space") == 0
    computed, data = series(tmp_path, "block_in_space", capsys), stored(tmp_path / "block_in_space")
    assert list(computed) == data.time.values.tolist()
    last = computed[float(data.time[-1])]
    np.testing.assert_array_equal(last["points"].points, data.position.values[-1])
    np.testing.assert_array_equal(last["points"].point_data["contact_force"], data.contact_force.values[-1])
    axes = np.stack([last["frame"].point_data[f"e{k}"][0] for k in (1, 2, 3)], axis=1)
    X = data.frame_position.values[-1] + data.X.values @ axes.T
    assert np.abs(X - data.X.values).max() > 1e-3
    np.testing.assert_allclose(X, data.position.values[-1], atol=1e-12)


def test_a_rigid_body_is_drawn_by_its_cells_which_move_with_the_frame(results, capsys):
    data, computed = stored(results / "spinning_disc"), series(results, "spinning_disc", capsys)
    times = list(computed)
    body = [computed[t]["body"] for t in times[:2]]
    angle, start = data.frame_angle.values[1], data.body_X.values
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    assert angle > 0.1
    np.testing.assert_allclose(body[1].points[:, :2], data.frame_position.values[1] + start @ turn.T, atol=1e-14)
    arm = body[1].points[:, :2] - data.frame_position.values[1]
    wanted = data.frame_velocity.values[1] + data.frame_spin.values[1] * np.stack([-arm[:, 1], arm[:, 0]], axis=1)
    np.testing.assert_allclose(body[1].point_data["velocity"][:, :2], wanted, atol=1e-14)


def test_stresses_come_from_the_stored_displacement(results, capsys):
    """Stretched uniformly without spin in plane strain, neo-Hookean: sigma in closed form at t = 0, in every cell."""
    parameters = json.loads(stored(results / "free_flight").attrs["parameters"])
    E, nu, stretch = parameters["E"], parameters["nu"], parameters["stretch"]
    lam, mu = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
    J = 1 + stretch
    along, across = (mu * (J**2 - 1) + lam * np.log(J)) / J, lam * np.log(J) / J
    energy = mu / 2 * (J**2 - 1) - mu * np.log(J) + lam / 2 * np.log(J) ** 2
    cells = series(results, "free_flight", capsys)[0.0]["body"].cell_data
    wanted = {
        "cauchy_stress": np.diag([along, across, across]).ravel(),
        "von_mises": along - across,
        "principal_stress": [along, across, across],
        "second_piola_kirchhoff": [along * J / J**2, across * J, 0.0],
        "strain_energy_density": energy,
    }
    assert along > 1e3
    for name, value in wanted.items():
        np.testing.assert_allclose(cells[name][0], np.broadcast_to(value, cells[name][0].shape), rtol=0, atol=1e-9 * E)


def test_the_cauchy_stress_is_that_in_space_and_fits_what_a_run_stores_in_the_frame(results, capsys, tmp_path):
    data, computed = stored(results / "plate_sliding"), series(results, "plate_sliding", capsys)
    values = SMALL["plate_sliding"] | RUNS["plate_sliding"]
    assert run_without_picture("plate_sliding", values, tmp_path, "--stress") == 0
    frame = stored(tmp_path).cauchy_stress.values[-1]
    angle = float(data.frame_angle[-1])
    assert angle > 0.1
    Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    tensor = np.stack([frame[:, [0, 2]], frame[:, [2, 1]]], axis=1)
    space = computed[float(data.time[-1])]["body"].cell_data["cauchy_stress"][0].reshape(-1, 3, 3)
    size = np.abs(tensor).max()
    assert np.abs(space[:, :2, :2] - tensor).max() > 0.01 * size
    np.testing.assert_allclose(space[:, :2, :2], Q @ tensor @ Q.T, atol=1e-9 * size)


def test_paraviews_own_library_reads_the_series(results, capsys):
    pyvista = pytest.importorskip("pyvista", reason="pip install '.[vtk]' reads the series back by ParaView's library")
    series(results, "plate_sliding", capsys)
    reader = pyvista.get_reader(str(results / "plate_sliding" / "vtk" / "plate_sliding.pvd"))
    data = stored(results / "plate_sliding")
    assert reader.time_values == data.time.values.tolist()
    reader.set_active_time_value(reader.time_values[-1])
    (block,) = reader.read()
    np.testing.assert_array_equal(block.points[:, :2], data.position.values[-1])
    assert block.cell_data["cauchy_stress"].shape == (block.n_cells, 9)


def test_the_table_has_a_row_for_each_instant_and_units_in_its_header(results, capsys):
    assert cli.main(["export", str(results / "plate_sliding"), "--to", "csv"]) == 0
    path = results / "plate_sliding" / "plate_sliding.csv"
    assert capsys.readouterr().out == f"{path}\n"
    data = stored(results / "plate_sliding")
    with path.open(newline="") as file:
        header, *lines = csv.reader(file)
    assert header[0] == "time [s]"
    table = dict(zip(header, np.array(lines, float).T, strict=True))
    wanted = {"time [s]": data.time, "frame_position_y [m]": data.frame_position[:, 1]}
    wanted |= {"energy_kinetic [J]": data.energy_kinetic, "stick_share [1]": data.stick.mean("node")}
    for name, values in wanted.items():
        np.testing.assert_array_equal(table[name], values)
    assert all(re.fullmatch(r"\w+ \[.+\]", name) for name in header)


def test_the_share_of_stick_is_that_of_points_on_the_ground_and_none_without_points(tmp_path, capsys):
    data = xr.Dataset({"stick": (("time", "node"), np.int8([[1, 0, -1, -1]]))}, coords={"time": [0.0]})
    assert headline_series(data)["stick_share [1]"] == [0.25]
    assert run_without_picture("free_top", {"t_end": 0.1, "dt": 0.05}, tmp_path) == 0
    assert cli.main(["export", str(tmp_path), "--to", "csv"]) == 0
    assert "Warning" not in capsys.readouterr().err
    assert "stick_share" not in (tmp_path / "free_top.csv").read_text()


def page(results, name):
    assert cli.main(["export", str(results / name), "--to", "html"]) == 0
    return page_of(results / name, name)


@rows("name", RUNS)
def test_a_page_needs_nothing_but_itself_and_holds_the_motion_to_the_digits_of_a_picture(results, name):
    text, computed = page(results, name)
    assert len(text) < 10_000_000
    assert not re.search(r"https?://|\bsrc=|@import|@[A-Z]+@", text)
    data = stored(results / name)
    assert computed["times"] == data.time.values.tolist()
    X = np.frombuffer(base64.b64decode(computed["body"]["X"]), "<f4").reshape(-1, 2)
    moved = unpacked(computed["moved"], len(data.time), len(X), 2) if computed["moved"] else 0.0
    angle = np.array(computed["frame"]["angle"])
    Q = np.moveaxis(np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]), 2, 0)
    places = np.stack([computed["frame"]["x"], computed["frame"]["y"]], axis=1)[:, None] + (X + moved) @ np.swapaxes(
        Q, 1, 2
    )
    if "body_X" not in data:
        step = computed["moved"]["step"] if computed["moved"] else 0.0
        np.testing.assert_allclose(places, data.position.values, rtol=0, atol=step + 1e-7 * np.abs(X).max())
    keys = {field["key"] for field in computed["fields"]}
    assert "speed" in keys
    assert ("stress" in keys) == (name in ("plate_sliding", "free_flight", "beam_bending"))
    assert {"friction", "stick"} <= keys or not data.friction_weight.values.any()
    speed = next(field for field in computed["fields"] if field["key"] == "speed")
    wanted = np.linalg.norm(data.velocity.values, axis=2)
    np.testing.assert_allclose(unpacked(speed, *wanted.shape), wanted, atol=0.51 * speed["step"] + 1e-15)
    energies = {line["label"] for line in computed["curves"][0]["lines"]}
    assert "kinetic" in energies
    assert len(computed["obstacles"]) == (len(data.time) if name == "wall_impact" else 0)


class Elements(HTMLParser):
    """Counts the elements of a page, and keeps its title."""

    def __init__(self, text):
        super().__init__()
        self.found, self.title, self._within = Counter(), "", ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found[tag] += 1
        self._within = tag

    def handle_data(self, data):
        if self._within == "title":
            self.title += data
            self._within = ""


HARM = "</title></script><!--<script>alert(1)</script> @DATA@ @SCRIPT@ --><img src=x onerror=alert(2)>"


@pytest.mark.parametrize("name", ["plate_sliding", "spinning_disc"])
def test_texts_of_a_run_are_texts_in_its_page(results, tmp_path, name):
    """Whatever a file says of itself: case, parameters, verdict."""
    data = stored(results / name)
    plain = Elements(data.fff.to_html(tmp_path / "plain.html").read_text())
    assert plain.title == name
    parameters = json.dumps(json.loads(data.attrs["parameters"]) | {HARM: HARM})
    warnings = json.dumps([{"name": HARM, "value": 1.0, "limit": 0.5, "advice": HARM}])
    hostile = data.assign_attrs(case=HARM, parameters=parameters, warnings=warnings)
    text = hostile.fff.to_html(tmp_path / "page.html").read_text()
    computed = Elements(text)
    assert computed.title == HARM
    assert computed.found == plain.found
    content = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert content["title"] == HARM
    assert content["parameters"][HARM] == HARM


def test_units_in_a_series_for_paraview_do_not_end_the_comment_that_names_them(results, tmp_path):
    data = stored(results / "plate_sliding")
    data["velocity"].attrs["units"] = "m/s --><DataSet file='x'/><!--"
    index = data.fff.to_vtk(tmp_path / "a.pvd")
    root = ElementTree.parse(index).getroot()
    assert [entry.get("file") for entry in root.iter("DataSet") if entry.get("file") == "x"] == []
    assert "--&gt;" not in index.read_text().partition("<Collection")[0].replace("-->", "", 1)


def test_quantised_fields_keep_their_extremes_and_tell_what_is_no_number():
    values = np.array([[0.1, -3.0, np.nan], [7.0, np.inf, 2.0]])
    field = quantised(values)
    integers = np.frombuffer(base64.b64decode(field["values"]), "<u2").reshape(2, 3)
    np.testing.assert_array_equal(integers == STEPS + 1, ~np.isfinite(values))
    known = np.isfinite(values)
    np.testing.assert_allclose((field["low"] + field["step"] * integers)[known], values[known], atol=field["step"])
    constant = quantised(np.full((2, 2), 4.0))
    assert (constant["low"], constant["step"]) == (4.0, 0.0)


def test_a_run_exports_itself_at_its_end(tmp_path, capsys):
    values = SMALL["plate_sliding"] | {"t_end": 0.02}
    assert run_without_picture("plate_sliding", values, tmp_path, "--vtk", "--html") == 0
    assert capsys.readouterr() == ("", "")
    assert (tmp_path / "vtk" / "plate_sliding.pvd").is_file()
    assert (tmp_path / "plate_sliding.html").is_file()


def test_an_export_replaces_the_one_before_it_whole(results, tmp_path, capsys, monkeypatch):
    where = ["export", str(results / "plate_sliding"), "--to", "vtk", "--out", str(tmp_path / "a.pvd")]
    assert cli.main(where) == 0
    (tmp_path / "a_vtu" / "body_999999.vtu").write_text("of a longer run")
    sound, calls = meshio.Mesh.write, []

    def interrupted(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return sound(*arguments, **options)

    monkeypatch.setattr(meshio.Mesh, "write", interrupted)
    assert cli.main(where) == 130
    assert (tmp_path / "a_vtu" / "body_999999.vtu").exists()
    monkeypatch.setattr(meshio.Mesh, "write", sound)
    assert cli.main(where) == 0
    assert not (tmp_path / "a_vtu" / "body_999999.vtu").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.pvd", "a_vtu"]
