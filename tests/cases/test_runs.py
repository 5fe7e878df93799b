"""Runs of every case at small size through the command line: results as the interface states them, pictures, and failures."""

import json
import math

import numpy as np
import pytest
import xarray as xr
from case_runs import PLANE, SMALL, SOLIDS, SPACE, run
from PIL import Image

from cases.app.command import cli
from cases.app.drawing import plotting
from cases.app.drawing.style import COLUMN, PAGE
from cases.app.registry import CASES, load
from floating_frame import load_trajectory

ELASTIC_DISC = {"t_end": 0.02, "dt": 0.01, "nr": 2, "nt": 8, "body": "elastic", "shape": "disc"}
T, A, N = "time", "axis", "node"
PLANAR = ("frame_angle", "displacement")
CONTRACT = {
    "time": ((T,), "s"),
    "X": ((N, A), "m"),
    "cells": (("cell", "corner"), "1"),
    **dict.fromkeys(("frame_position",), ((T, A), "m")),
    "frame_velocity": ((T, A), "m/s"),
    "frame_angle": ((T,), "rad"),
    "frame_spin": ((T,), "rad/s"),
    **dict.fromkeys(("displacement", "position"), ((T, N, A), "m")),
    "velocity": ((T, N, A), "m/s"),
    "friction_force": ((T, N, A), "N"),
    "stick": ((T, N), "1"),
    "A": ((T, A), "kg m"),
    "P": ((T, A), "kg m/s"),
    "B": ((T, A), "N"),
    "L": ((T,), "N m"),
    "J_zz": ((T,), "kg m2"),
    "rigid_residual": ((T,), "1"),
    "frame_drift": ((T,), "rad"),
    **dict.fromkeys(
        ("energy_kinetic", "energy_strain", "work_external", "dissipation_friction", "balance_error"), ((T,), "J")
    ),
    **dict.fromkeys(("dissipation_viscous", "dissipation_numerical"), ((T,), "J")),
    "friction_weight": ((N,), "N"),
    "slip_path": ((T, N), "m"),
    "friction_work": ((T, N), "J"),
    "linear_momentum": ((T, A), "kg m/s"),
    "angular_momentum": ((T,), "kg m2/s"),
    **dict.fromkeys(("passes", "newton_iterations", "fallbacks", "factorisations", "halvings"), ((T,), "1")),
    **dict.fromkeys(("steps", "rejected_steps"), ((T,), "1")),
    "step_size": ((T,), "s"),
}
CLAMPED = {"clamp_reaction": ((T, A), "N"), "clamp_moment": ((T,), "N m")}
BENT = {"rotation": ((T, N), "rad"), "bending_moment": ((T, N), "N m"), "foreshortening": ((T, N), "m")}
OF_A_CASE = {
    "plate_clamped": CLAMPED,
    "beam_bending": CLAMPED | BENT,
    "beam_on_rough_foundation": BENT,
    "rod_cycle": dict.fromkeys(("stress", "cauchy_stress"), ((T, "cell", "component"), "Pa")),
    "wall_impact": {
        "contact_force": ((T, A), "N"),
        "contact_moment": ((T,), "N m"),
        **dict.fromkeys(("contact_energy", "dissipation_contact"), ((T,), "J")),
    },
}


class Runs(dict):
    """By case (directory, figure that was drawn) of its small run, which is made when it is first asked for."""

    def __init__(self, root):
        self.root = root

    def __missing__(self, name):
        figures = []

        def kept(data, draw=plotting.draw):
            figures.append(draw(data))
            return figures[-1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plotting, "draw", kept)
            assert run(name, SMALL[name], self.root / name, "--quiet") == 0
        self[name] = self.root / name, figures[0]
        return self[name]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return Runs(tmp_path_factory.mktemp("results"))


IN_SPACE = {
    **{
        name: entry
        for name, entry in CONTRACT.items()
        if name not in ("cells", "friction_weight", *"APBL", "J_zz", *PLANAR)
    },
    "frame_rotation": ((T, "quaternion"), "1"),
    "frame_spin": ((T, A), "rad/s"),
    "contact_force": ((T, N, A), "N"),
    "normal_force": ((T, N), "N"),
    "J": ((T, A, "axis2"), "kg m2"),
    "angular_momentum": ((T, A), "kg m2/s"),
}


@pytest.mark.parametrize("name", SPACE)
def test_a_trajectory_in_space_holds_the_variables_of_the_contract(runs, name):
    with xr.open_dataset(runs[name][0] / "trajectory.nc") as data:
        for variable, (dims, unit) in IN_SPACE.items():
            if name == "free_top" and N in dims:
                continue  # it touches nothing
            assert data[variable].dims == dims, variable
            assert data[variable].attrs["units"] == unit, variable
            assert data[variable].attrs["long_name"], variable
            assert np.all(np.isfinite(data[variable].values)), variable
        deformed = {"A", "P", "B", "L", "displacement"}
        assert deformed & set(data.variables) == (deformed if name in SOLIDS else set())
        assert not {"frame_angle", "J_zz"} & set(data.variables)
        assert list(data.axis.values) == ["x", "y", "z"]
        assert list(data["quaternion"].values) == ["w", "x", "y", "z"]
        assert float(data.time[-1]) == SMALL[name]["t_end"]
        np.testing.assert_allclose(np.linalg.norm(data.frame_rotation.values, axis=1), 1.0, rtol=1e-14)
        if name != "free_top":
            assert set(np.unique(data.stick)) <= {-1, 0, 1}
            kind = "unique" if name in ("sphere_on_plane", *SOLIDS) else "equal-compliance"
            assert data.contact_force.attrs["resolution"] == kind


@pytest.mark.parametrize("name", PLANE)
def test_a_trajectory_holds_the_variables_of_the_contract_with_dimensions_units_and_names(runs, name):
    with xr.open_dataset(runs[name][0] / "trajectory.nc") as data:
        for variable, (dims, unit) in (CONTRACT | OF_A_CASE.get(name, {})).items():
            assert data[variable].dims == dims, variable
            assert data[variable].attrs["units"].replace("**", "").replace("^", "") == unit, variable
            assert data[variable].attrs["long_name"], variable
            assert np.all(np.isfinite(data[variable].values)), variable
        assert list(data.axis.values) == ["x", "y"]
        assert float(data.time[0]) == 0
        assert float(data.time[-1]) == SMALL[name]["t_end"]
        assert data.sizes["time"] == round(SMALL[name]["t_end"] / SMALL[name]["dt"]) + 1
        assert np.abs(data.frame_position.values[0]).max() < 1e-15  # round-off of the mass centre
        assert abs(float(data.frame_angle[0])) < 1e-15
        moved = np.abs(data.position.values[-1] - data.position.values[0]).max()
        assert moved > 1e-4  # something happened


@pytest.mark.parametrize("name", CASES)
def test_a_trajectory_says_its_case_parameters_versions_and_commit(runs, name):
    with xr.open_dataset(runs[name][0] / "trajectory.nc") as data:
        assert data.attrs["case"] == name
        assert int(data.attrs["complete"]) == 1
        parameters = json.loads(data.attrs["parameters"])
        assert set(parameters) == set(load(name).Parameters.model_fields)
        assert SMALL[name].items() <= parameters.items()
        versions = json.loads(data.attrs["versions"])
        assert {"python", "numpy", "scipy", "scikit-fem", "numba", "xarray", "floating-frame-friction"} <= set(versions)
        assert all(text[0].isdigit() for text in versions.values())
        assert data.attrs["git_commit"]


@pytest.mark.parametrize("name", CASES)
def test_a_summary_gives_each_number_its_unit_and_the_known_value_beside_it(runs, name):
    summary = json.loads((runs[name][0] / "summary.json").read_text())
    assert summary["case"] == name
    assert summary["complete"] is True
    assert summary["parameters"] == json.loads(load(name).Parameters(**SMALL[name]).model_dump_json())
    assert len(summary["results"]) >= 4
    for entry in summary["results"].values():
        assert set(entry) <= {"value", "unit", "description", "error", "exact", "reference"}
        assert entry["unit"]
        assert entry["description"]
        assert entry["value"] is None or math.isfinite(entry["value"])
        if "reference" in entry:
            assert set(entry["reference"]) == {"value", "source"}
    known = [e for e in summary["results"].values() if "exact" in e or "reference" in e]
    assert known


def value(directory, key):
    entry = json.loads((directory / "summary.json").read_text())["results"][key]
    return entry["value"], entry.get("exact", entry.get("reference", {}).get("value") if "reference" in entry else None)


def test_headline_numbers_lie_near_the_exact_ones(runs):
    # Second order: about 1e-8 m at dt = 1e-3 grows to 1e-6 m at 1e-2.
    x, x_exact = value(runs["block_on_table"][0], "x_end")
    assert x_exact == pytest.approx(4.3484e-3, abs=1e-6)
    assert 0 < abs(x - x_exact) < 1e-5
    assert value(runs["block_on_table"][0], "slip_phases") == (1.0, 1.0)
    # The disc's few sample points make errors of tenths of a per cent; the stop time is not rounded to a step of 0.02 s.
    for key, bound in (("stop_time", 2e-4), ("distance", 5e-3), ("angle", 5e-3)):
        computed, known = value(runs["spinning_disc"][0], key)
        assert 0 < abs(computed / known - 1) < bound, key
    momentum, momentum_exact = value(runs["free_flight"][0], "angular_momentum_end")
    assert 0 < abs(momentum / momentum_exact - 1) < 1e-2
    assert value(runs["free_flight"][0], "linear_momentum_max")[0] < 1e-12


def pixels(path):
    """Levels from 0 to 255 (rows, columns, 3)."""
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), int)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.quick("block_on_table", "spinning_disc", "annulus_torsion", "beam_bending")
def test_a_picture_is_drawn_again_from_the_results_without_a_run(runs, name, capsys, monkeypatch):
    picture = runs[name][0] / f"{name}.png"
    first = pixels(picture)
    picture.unlink()
    monkeypatch.setattr("floating_frame.simulate", None)
    assert cli.main(["plot", str(runs[name][0])]) == 0
    assert capsys.readouterr().out.strip() == str(picture)
    # Sums over arrays at another place in memory may differ in the last bit, and so may the shade of a few pixels: fewer than one
    # letter has.
    assert np.count_nonzero(np.abs(pixels(picture) - first).max(axis=2) > 16) <= 50
    with Image.open(picture) as image:
        width = image.size[0] / image.info["dpi"][0]
        assert min(abs(width - COLUMN), abs(width - PAGE)) < 0.02
        assert len(image.convert("L").histogram()) > 2
        assert np.ptp(np.asarray(image.convert("L"))) > 200
    assert sorted(p.suffix for p in picture.parent.iterdir()) == [".json", ".nc", ".png"]


@pytest.mark.parametrize("name", CASES)
def test_every_panel_has_labels_with_units(runs, name):
    figure = runs[name][1]
    labels = [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel()) if text]
    assert len(labels) >= 4
    unitless = [text for text in labels if "[" not in text]
    assert all("share" in text or "relative" in text for text in unitless)


def test_an_incomplete_trajectory_is_drawn_and_marked(runs):
    with load_trajectory(runs["block_on_table"][0] / "trajectory.nc") as data:
        figure = plotting.draw(data.isel(time=slice(0, 5)).assign_attrs(complete=0))
        whole = plotting.draw(data)
    assert figure.get_suptitle().startswith("incomplete: stopped at t = 0.04 s")
    assert not whole.get_suptitle()


def test_a_trajectory_of_no_known_case_is_refused(runs, tmp_path, capsys):
    with load_trajectory(runs["block_on_table"][0] / "trajectory.nc") as data:
        data.assign_attrs(case="unknown").to_netcdf(tmp_path / "trajectory.nc")
    assert cli.main(["plot", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "block_on_table" in err
    assert "'unknown'" in err
    assert err.count("\n") == 1


def test_a_thrown_plate_that_is_not_pulled_stops_as_a_rigid_body(tmp_path):
    thrown = {"pull_x": 0.0, "pull_y": 0.0, "vx0": 0.6, "vy0": -0.8, "mu": 0.5, "nx": 3, "ny": 2}
    assert run("plate_sliding", thrown | {"t_end": 0.25, "dt": 0.01}, tmp_path, "--quiet") == 0
    stop, stop_exact = value(tmp_path, "stop_time")
    assert stop_exact == pytest.approx(1 / (0.5 * 9.81), rel=1e-12)
    assert 0 <= stop - stop_exact < 0.01  # the end of the step in which it stops
    distance, distance_exact = value(tmp_path, "distance")
    assert distance_exact == pytest.approx(0.5 / (0.5 * 9.81), rel=1e-12)
    # 0.04 dt^2 a, the arrest's error of SDIRK2
    assert abs(distance - distance_exact) < 0.2 * 0.01**2 * 0.5 * 9.81


def test_the_command_line_beats_the_file_and_the_file_the_default(tmp_path):
    config = tmp_path / "run.toml"
    config.write_text("mu = 0.4\nt_end = 1\nnx = 2\nny = 2\n")
    assert run("block_on_table", {"t-end": 0.02, "dt": 0.01}, tmp_path / "out", f"--config={config}", "--quiet") == 0
    parameters = json.loads((tmp_path / "out" / "summary.json").read_text())["parameters"]
    assert (parameters["t_end"], parameters["mu"], parameters["gravity"]) == (0.02, 0.4, 9.81)


def test_quiet_prints_nothing_and_otherwise_the_numbers_and_where_they_are(tmp_path, capsys):
    assert run("block_on_table", SMALL["block_on_table"], tmp_path, "--quiet") == 0
    assert capsys.readouterr() == ("", "")
    assert run("block_on_table", SMALL["block_on_table"], tmp_path) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "exact 0.0043" in out
    assert str(tmp_path) in out.splitlines()[-1]


@pytest.mark.parametrize(
    "given",
    [
        ("spinning_disc", ELASTIC_DISC),
        ("spinning_disc", SMALL["spinning_disc"] | {"shape": "rectangle", "nx": 4, "ny": 2}),
        ("spinning_disc", ELASTIC_DISC | {"shape": "rectangle", "nx": 3, "ny": 2, "elements": "Q2"}),
        ("block_on_table", SMALL["block_on_table"] | {"body": "elastic", "t_end": 0.02}),
        ("block_on_table", SMALL["block_on_table"] | {"body": "elastic", "loaded": "edge", "t_end": 0.02}),
        ("plate_sliding", SMALL["plate_sliding"] | {"elements": "P2", "frame": "tisserand", "law": "smooth"}),
        ("plate_sliding", SMALL["plate_sliding"] | {"material": "neo-hookean", "plane": "strain", "elements": "Q1"}),
        ("plate_sliding", SMALL["plate_sliding"] | {"scheme": "explicit", "dt": 0, "t_end": 0.02}),
        ("plate_sliding", SMALL["plate_sliding"] | {"scheme": "moreau-theta", "pressure": 100.0, "release": "inf"}),
        ("free_flight", SMALL["free_flight"] | {"mu": 0.2, "scheme": "backward-euler", "output_every": 3}),
    ],
    ids=lambda given: f"{given[0]}-{'-'.join(str(v) for v in given[1].values())}",
)
@pytest.mark.quick(
    "spinning_disc-0.02-0.01-2-8-elastic-rectangle-3-2-Q2",
    "block_on_table-0.02-0.01-2-2-elastic-edge",
    "plate_sliding-0.05-0.01-4-2-60.0-0.0-P2-tisserand-smooth",
    "free_flight-0.02-0.002-4-2-0.2-backward-euler-3",
)
def test_the_variants_of_a_case_run_and_are_drawn(tmp_path, given):
    name, values = given
    assert run(name, values, tmp_path, "--quiet") == 0
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    with load_trajectory(tmp_path / "trajectory.nc") as data:
        assert np.abs(data.velocity.values).max() > 1e-3


def test_a_plate_read_from_a_mesh_file_is_pulled_at_its_named_edge(tmp_path):
    import meshio

    points = np.array([(x, y, 0.0) for y in (0.0, 0.2, 0.4) for x in (0.0, 0.3, 0.6)])
    triangles = [(a, a + 1, a + 4) for a in (0, 1, 3, 4)] + [(a, a + 4, a + 3) for a in (0, 1, 3, 4)]
    mesh = meshio.Mesh(
        points,
        [("triangle", triangles), ("line", [(2, 5), (5, 8)])],
        cell_sets={"pulled": [np.array([], int), np.array([0, 1])]},
    )
    path = tmp_path / "plate.inp"
    mesh.write(path)
    values = {"mesh": path, "edge": "pulled", "pull_x": 60.0, "ramp": 0.0, "t_end": 0.02, "dt": 0.01}
    assert run("plate_sliding", values, tmp_path / "out", "--quiet") == 0
    with load_trajectory(tmp_path / "out" / "trajectory.nc") as data:
        assert data.sizes["node"] == 9
        assert json.loads(data.attrs["parameters"])["elements"] == "P1"  # the cells of the file decide
        moved = np.linalg.norm(data.displacement.values[-1], axis=1)
        assert moved[data.X.values[:, 0].argmax()] > 1e-4


def test_stress_is_stored_on_request(tmp_path):
    assert run("free_flight", SMALL["free_flight"], tmp_path, "--stress", "--quiet") == 0
    with load_trajectory(tmp_path / "trajectory.nc") as data:
        names = [name for name in data if "stress" in str(name)]
        assert names
        assert np.abs(data[names[0]].values).max() > 1e3
