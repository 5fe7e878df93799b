"""Runs of every case at small size through the command line: results as the interface states them, pictures, and failures."""

import functools
import json
import math

import numpy as np
import pytest
from case_models import computed
from case_runs import PLANE, SMALL, SOLIDS, SPACE, run, run_without_picture, stored, summary_of
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image

from cases.app.command import cli
from cases.app.drawing import plotting
from cases.app.drawing.style import COLUMN, PAGE
from cases.app.registry import CASES, load


def table(*lines):
    """By variable its dimensions and unit."""
    return {name: (tuple(dims.split()), unit) for names, dims, unit in lines for name in names.split()}


IN_PLANE_AND_SPACE = table(
    ("time step_size", "time", "s"),
    ("X", "node axis", "m"),
    ("frame_position", "time axis", "m"),
    ("frame_velocity", "time axis", "m/s"),
    ("position", "time node axis", "m"),
    ("velocity", "time node axis", "m/s"),
    ("friction_force", "time node axis", "N"),
    ("stick", "time node", "1"),
    ("rigid_residual", "time", "1"),
    ("frame_drift", "time", "rad"),
    ("energy_kinetic energy_strain work_external dissipation_friction balance_error", "time", "J"),
    ("dissipation_viscous dissipation_numerical", "time", "J"),
    ("slip_path", "time node", "m"),
    ("friction_work", "time node", "J"),
    ("linear_momentum", "time axis", "kg m/s"),
    ("passes newton_iterations fallbacks factorisations halvings steps rejected_steps", "time", "1"),
)
IN_PLANE = IN_PLANE_AND_SPACE | table(
    ("cells", "cell corner", "1"),
    ("frame_angle", "time", "rad"),
    ("frame_spin", "time", "rad/s"),
    ("displacement", "time node axis", "m"),
    ("A", "time axis", "kg m"),
    ("P", "time axis", "kg m/s"),
    ("B", "time axis", "N"),
    ("L", "time", "N m"),
    ("J_zz", "time", "kg m2"),
    ("friction_weight", "node", "N"),
    ("angular_momentum", "time", "kg m2/s"),
)
IN_SPACE = IN_PLANE_AND_SPACE | table(
    ("frame_rotation", "time quaternion", "1"),
    ("frame_spin", "time axis", "rad/s"),
    ("contact_force", "time node axis", "N"),
    ("normal_force", "time node", "N"),
    ("J", "time axis axis2", "kg m2"),
    ("angular_momentum", "time axis", "kg m2/s"),
)
CLAMPED = table(("clamp_reaction", "time axis", "N"), ("clamp_moment", "time", "N m"))
BENT = table(
    ("rotation", "time node", "rad"), ("bending_moment", "time node", "N m"), ("foreshortening", "time node", "m")
)
WALL = table(
    ("contact_force", "time axis", "N"),
    ("contact_moment", "time", "N m"),
    ("contact_energy dissipation_contact", "time", "J"),
)
OF_A_CASE = {
    "plate_clamped": CLAMPED,
    "beam_bending": CLAMPED | BENT,
    "beam_on_rough_foundation": BENT,
    "rod_cycle": table(("stress cauchy_stress", "time cell component", "Pa")),
    "wall_impact": WALL,
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Directory of a case's small run, which is made when it is first asked for."""
    root = tmp_path_factory.mktemp("results")

    @functools.cache
    def made(name):
        assert run_without_picture(name, SMALL[name], root / name) == 0
        return root / name

    return made


@pytest.mark.parametrize("name", CASES)
def test_a_trajectory_holds_the_variables_of_the_contract_with_dimensions_units_and_names(runs, name):
    data = stored(runs(name))
    wanted = IN_SPACE if name in SPACE else IN_PLANE | OF_A_CASE.get(name, {})
    for variable, (dims, unit) in wanted.items():
        if name == "free_top" and "node" in dims:
            continue  # it touches nothing
        computed = data[variable]
        assert (computed.dims, computed.attrs["units"].replace("**", "").replace("^", "")) == (dims, unit), variable
        assert computed.attrs["long_name"], variable
        assert np.all(np.isfinite(computed.values)), variable
    assert list(data.axis.values) == ["x", "y", "z"][: 3 if name in SPACE else 2]
    assert (float(data.time[0]), float(data.time[-1])) == (0, SMALL[name]["t_end"])


@pytest.mark.parametrize("name", SPACE)
def test_a_body_in_space_turns_by_unit_quaternions_and_says_whether_its_forces_are_unique(runs, name):
    data = stored(runs(name))
    deformed = {"A", "P", "B", "L", "displacement"}
    assert deformed & set(data.variables) == (deformed if name in SOLIDS else set())
    assert not {"frame_angle", "J_zz"} & set(data.variables)
    assert list(data["quaternion"].values) == ["w", "x", "y", "z"]
    np.testing.assert_allclose(np.linalg.norm(data.frame_rotation.values, axis=1), 1.0, rtol=1e-14)
    if name != "free_top":
        assert set(np.unique(data.stick)) <= {-1, 0, 1}
        kind = "unique" if name in ("sphere_on_plane", *SOLIDS) else "equal-compliance"
        assert data.contact_force.attrs["resolution"] == kind


@pytest.mark.parametrize("name", PLANE)
def test_a_run_in_the_plane_stores_every_step_from_a_frame_at_rest_at_the_origin_and_moves(runs, name):
    data = stored(runs(name))
    assert data.sizes["time"] == round(SMALL[name]["t_end"] / SMALL[name]["dt"]) + 1
    assert np.abs(data.frame_position.values[0]).max() < 1e-15  # round-off of the mass centre
    assert abs(float(data.frame_angle[0])) < 1e-15
    assert np.abs(data.position.values[-1] - data.position.values[0]).max() > 1e-4


@pytest.mark.parametrize("name", CASES)
def test_a_run_says_its_case_parameters_and_versions_and_each_number_its_unit_and_the_known_value(runs, name):
    attrs, summary = stored(runs(name)).attrs, summary_of(runs(name))
    parameters = json.loads(load(name).Parameters(**SMALL[name]).model_dump_json())
    assert (attrs["case"], attrs["complete"], json.loads(attrs["parameters"])) == (name, 1, parameters)
    assert (summary["case"], summary["complete"], summary["parameters"]) == (name, True, parameters)
    versions = json.loads(attrs["versions"])
    assert {"python", "numpy", "scipy", "scikit-fem", "numba", "xarray", "floating-frame-friction"} <= set(versions)
    assert all(text[0].isdigit() for text in versions.values())
    assert attrs["git_commit"]
    entries = summary["results"].values()
    assert len(entries) >= 4
    for entry in entries:
        assert set(entry) <= {"value", "unit", "description", "error", "exact", "reference"}
        assert entry["unit"]
        assert entry["description"]
        assert entry["value"] is None or math.isfinite(entry["value"])
        assert set(entry.get("reference", ("value", "source"))) == {"value", "source"}
    assert any("exact" in entry or "reference" in entry for entry in entries)


def value(directory, key):
    entry = summary_of(directory)["results"][key]
    return entry["value"], entry.get("exact", entry.get("reference", {}).get("value"))


def test_headline_numbers_of_the_disc_lie_near_the_quadratures(runs):
    # The disc's few sample points make errors of tenths of a per cent; the stop time is not rounded to a step of 0.02 s.
    for key, bound in (("stop_time", 2e-4), ("distance", 5e-3), ("angle", 5e-3)):
        computed, known = value(runs("spinning_disc"), key)
        assert 0 < abs(computed / known - 1) < bound, key


def pixels(path):
    """Levels from 0 to 255 (rows, columns, 3)."""
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), int)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.quick("block_on_table", "beam_bending")
def test_a_picture_is_drawn_again_from_the_results_without_a_run(tmp_path, name, capsys, monkeypatch):
    assert run(name, SMALL[name], tmp_path, "--quiet", "--no-estimate") == 0
    picture = tmp_path / f"{name}.png"
    first = pixels(picture)
    picture.unlink()
    monkeypatch.setattr("floating_frame.simulate", None)
    assert cli.main(["plot", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(picture)
    # Sums over arrays at another place in memory may differ in the last bit, and so may the shade of a few pixels: fewer than one
    # letter has.
    assert np.count_nonzero(np.abs(pixels(picture) - first).max(axis=2) > 16) <= 6
    with Image.open(picture) as image:
        width = image.size[0] / image.info["dpi"][0]
        assert min(abs(width - COLUMN), abs(width - PAGE)) < 0.02
        assert len(image.convert("L").histogram()) > 2
        assert np.ptp(np.asarray(image.convert("L"))) > 200
    assert sorted(p.suffix for p in picture.parent.iterdir()) == [".json", ".nc", ".png"]


@pytest.mark.parametrize("name", CASES)
def test_every_panel_has_labels_with_units(runs, name, monkeypatch):
    """Drawn where the panels stand at first: to lay them out takes longest."""
    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda *_: None)
    figure = plotting.draw(stored(runs(name)))
    labels = [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel()) if text]
    assert len(labels) >= 4
    unitless = [text for text in labels if "[" not in text]
    assert all("share" in text or "relative" in text for text in unitless)


def test_an_incomplete_trajectory_is_drawn_and_marked_and_one_of_no_known_case_refused(runs, tmp_path, capsys):
    data = stored(runs("block_on_table"))
    figure = plotting.draw(data.isel(time=slice(0, 5)).assign_attrs(complete=0))
    assert figure.get_suptitle().startswith("incomplete: stopped at t = 0.04 s")
    assert not plotting.draw(data).get_suptitle()
    data.assign_attrs(case="unknown").to_netcdf(tmp_path / "trajectory.nc")
    assert cli.main(["plot", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert ("block_on_table" in err, "'unknown'" in err, err.count("\n")) == (True, True, 1)


def test_a_thrown_plate_that_is_not_pulled_stops_as_a_rigid_body(tmp_path):
    thrown = {"pull_x": 0.0, "pull_y": 0.0, "vx0": 0.6, "vy0": -0.8, "mu": 0.5, "nx": 3, "ny": 2}
    assert run_without_picture("plate_sliding", thrown | {"t_end": 0.25, "dt": 0.01}, tmp_path) == 0
    stop, stop_exact = value(tmp_path, "stop_time")
    assert stop_exact == pytest.approx(1 / (0.5 * 9.81), rel=1e-12)
    assert 0 <= stop - stop_exact < 0.01  # the end of the step in which it stops
    distance, distance_exact = value(tmp_path, "distance")
    assert distance_exact == pytest.approx(0.5 / (0.5 * 9.81), rel=1e-12)
    # 0.04 dt^2 a, the arrest's error of SDIRK2
    assert abs(distance - distance_exact) < 0.2 * 0.01**2 * 0.5 * 9.81


def test_a_run_prints_the_numbers_and_where_they_are(tmp_path, capsys, no_picture):
    assert run("block_on_table", SMALL["block_on_table"], tmp_path) == 0
    out, err = capsys.readouterr()
    assert (err, "exact 0.0043" in out, str(tmp_path) in out.splitlines()[-1]) == ("", True, True)


DISC = {"t_end": 0.02, "dt": 0.01, "nr": 2, "nt": 8, "body": "elastic", "shape": "disc"}
BLOCK = SMALL["block_on_table"] | {"body": "elastic", "t_end": 0.02}
VARIANTS = {
    "elastic disc": ("spinning_disc", DISC),
    "rectangle": ("spinning_disc", SMALL["spinning_disc"] | {"shape": "rectangle", "nx": 4, "ny": 2}),
    "elastic rectangle Q2": ("spinning_disc", DISC | {"shape": "rectangle", "nx": 3, "ny": 2, "elements": "Q2"}),
    "elastic block": ("block_on_table", BLOCK),
    "block loaded at its edge": ("block_on_table", BLOCK | {"loaded": "edge"}),
    "P2 tisserand": ("plate_sliding", {"elements": "P2", "frame": "tisserand", "law": "smooth"}),
    "Q1 neo-hookean": ("plate_sliding", {"material": "neo-hookean", "plane": "strain", "elements": "Q1"}),
    "explicit": ("plate_sliding", {"scheme": "explicit", "dt": 0, "t_end": 0.02}),
    "moreau-theta": ("plate_sliding", {"scheme": "moreau-theta", "pressure": 100.0, "release": "inf"}),
    "flight over ground": ("free_flight", {"mu": 0.2, "scheme": "backward-euler", "output_every": 3}),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.quick("elastic rectangle Q2", "flight over ground")
def test_the_variants_of_a_case_run_and_are_drawn(tmp_path, variant):
    name, values = VARIANTS[variant]
    small = SMALL[name] if name in ("plate_sliding", "free_flight") else {}
    assert run(name, small | values, tmp_path, "--quiet", "--no-estimate") == 0
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    assert np.abs(stored(tmp_path).velocity.values).max() > 1e-3


@pytest.mark.parametrize("name", PLANE)
@pytest.mark.quick("plate_sliding", "belt_oscillator", "wall_impact", "beam_bending", "rod_cycle")
def test_every_case_can_be_run_with_an_error_tolerance(runs, name):
    equal, (_, controlled) = stored(runs(name)), computed(load(name), **SMALL[name], error_tolerance=0.5)
    assert np.array_equal(equal.time, controlled.time)
    assert (controlled.steps[1:] >= 1).all()
    assert controlled.steps.values.sum() > equal.steps.values.sum(), "halves of steps no longer than dt"
    assert (controlled.step_size.values[1:] > 0.0).all()
    size = float(np.abs(equal.X.values).max())
    moved = np.abs(equal.position.values[-1] - equal.position.values[0]).max()
    apart = np.abs(equal.position.values[-1] - controlled.position.values[-1]).max()
    assert apart < 0.1 * size + 0.2 * moved
    assert apart < 0.5 * moved
