"""The pictures: drawn from the saved trajectory alone, at a column's width; and what they take from it."""

import json

import numpy as np
import pytest
import xarray as xr
from PIL import Image

from cases import free_flight
from cases.command import cli
from cases.drawing import plotting
from cases.drawing.style import COLUMN, PAGE, spans, thinned
from cases.plots.plate_sliding import chosen_instants, node_state
from cases.registry import CASES
from cases.run.results import attributes
from floating_frame import assemble, load_trajectory, simulate

SMALL = {
    "block_on_table": ["--t_end=1", "--dt=0.02", "--nx=2", "--ny=2"],
    "inclined_plane": ["--t_end=0.02", "--dt=0.002", "--law=sliding"],
    "plate_sliding": ["--t_end=0.06", "--dt=0.02", "--nx=4", "--ny=2"],
    "plate_clamped": ["--t_end=0.06", "--dt=0.02", "--nx=4", "--ny=2"],
    "spinning_disc": ["--t_end=0.7", "--dt=0.05", "--nr=3", "--nt=6"],
    "free_flight": ["--t_end=0.02", "--dt=0.01", "--nx=4", "--ny=2"],
    "rod_wave": ["--nx=25"],
    "rod_cycle": ["--t_end=2", "--dt=0.25", "--nx=10"],
    "annulus_torsion": ["--t_end=1", "--dt=0.5", "--nr=4", "--nt=12"],
    "wall_impact": ["--t_end=0.03", "--dt=5e-4", "--nx=4", "--ny=2", "--mu_wall=0.3", "--vy0=0.5"],
    "beam_bending": ["--t_end=0.1", "--dt=0.01", "--ne=6"],
    "beam_on_rough_foundation": ["--steps=5", "--ne=20"],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("pictures")
    for name, options in SMALL.items():
        assert cli.main(["run", name, *options, "--quiet", "--out", str(root / name)]) == 0
    return root


def pixels(path):
    """Levels from 0 to 255 (rows, columns, 3)."""
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), int)


@pytest.mark.parametrize("name", CASES)
def test_a_picture_is_drawn_again_from_the_results_without_a_run(results, name, capsys, monkeypatch):
    picture = results / name / f"{name}.png"
    first = pixels(picture)
    picture.unlink()
    monkeypatch.setattr("floating_frame.simulate", None)
    assert cli.main(["plot", str(results / name)]) == 0
    assert capsys.readouterr().out.strip() == str(picture)
    # Sums over arrays at another place in memory may differ in the last bit, and so may the shade of a few pixels.
    assert np.abs(pixels(picture) - first).max() <= 16
    with Image.open(picture) as image:
        width = image.size[0] / image.info["dpi"][0]
        assert min(abs(width - COLUMN), abs(width - PAGE)) < 0.02
        assert len(image.convert("L").histogram()) > 2
        assert np.ptp(np.asarray(image.convert("L"))) > 200
    assert sorted(p.suffix for p in picture.parent.iterdir()) == [".json", ".nc", ".png"]


@pytest.mark.parametrize("name", CASES)
def test_every_panel_has_labels_with_units(results, name):
    with load_trajectory(results / name / "trajectory.nc") as data:
        figure = plotting.draw(data)
    labels = [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel()) if text]
    assert len(labels) >= 4
    unitless = [text for text in labels if "[" not in text]
    assert all("share" in text or "relative" in text for text in unitless)


def test_an_incomplete_trajectory_is_drawn_and_marked(results):
    with load_trajectory(results / "block_on_table" / "trajectory.nc") as data:
        figure = plotting.draw(data.isel(time=slice(0, 5)).assign_attrs(complete=0))
        whole = plotting.draw(data)
    assert figure.get_suptitle().startswith("incomplete: stopped at t = 0.08 s")
    assert not whole.get_suptitle()


def test_a_trajectory_of_no_known_case_is_refused(results, tmp_path, capsys):
    with load_trajectory(results / "block_on_table" / "trajectory.nc") as data:
        data.assign_attrs(case="unknown").to_netcdf(tmp_path / "trajectory.nc")
    assert cli.main(["plot", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "block_on_table" in err
    assert "'unknown'" in err
    assert err.count("\n") == 1


def synthetic(share, moved):
    """A plate of ten nodes of which `share` stick, its frame `moved` along x; both (times,)."""
    count = len(share)
    stick = np.arange(10)[None] < np.round(10 * np.array(share))[:, None]
    position = np.stack([moved, np.zeros(count)], axis=1)
    velocity = np.where(stick[..., None], 0.0, [1.0, 0.0])
    return xr.Dataset(
        {
            "stick": (("time", "node"), stick.astype(np.int8)),
            "frame_position": (("time", "axis"), position),
            "frame_velocity": (("time", "axis"), np.tile([1.0, 0.0], (count, 1))),
            "frame_angle": ("time", np.zeros(count)),
            "velocity": (("time", "node", "axis"), velocity),
            "X": (("node", "axis"), np.stack([np.arange(10.0), np.zeros(10)], axis=1)),
        },
        {"time": np.arange(count) * 0.1},
        {"parameters": json.dumps({})},
    )


def test_the_snapshots_show_the_half_slipped_the_half_arrested_and_the_stopped_plate():
    share = [1, 1, 0.8, 0.5, 0.2, *[0] * 20, 0.2, 0.6, 1, 1, 1]
    moved = [0, 0, 0, 0.001, 0.002, *np.linspace(0.1, 5, 20), 5.05, 5.06, 5.07, 5.07, 5.07]
    instants = chosen_instants(synthetic(share, moved))
    assert share[instants[0]] == 0.5
    assert share[instants[4]] == 0.6
    assert instants[5] == 27  # the first instant of rest
    assert np.all(np.diff(instants) > 0)
    still = chosen_instants(synthetic([1] * 11, [0.0] * 11))
    np.testing.assert_array_equal(still, [0, 2, 4, 6, 8, 10])


def test_a_node_sticks_slips_or_slips_against_the_motion():
    data = synthetic([0.3], [0.0])
    velocity = data.velocity.values.copy()
    velocity[0, 8:] = [-1.0, 0.5]
    states = node_state(data.assign(velocity=(data.velocity.dims, velocity)), 0)
    np.testing.assert_array_equal(states, [0, 0, 0, 1, 1, 1, 1, 1, 2, 2])


def test_stick_intervals_and_thinned_nodes():
    times = np.arange(7.0)
    assert spans(times, np.array([1, 1, 0, 1, 0, 1, 1], bool)) == [(0, 1), (5, 6)]
    points = np.random.default_rng(3).uniform(0, 1, (500, 2))
    kept = thinned(points, 0.2)
    assert 25 <= len(kept) <= 36
    assert len(np.unique(kept)) == len(kept)
    np.testing.assert_array_equal(thinned(points[kept], 1e-6), np.arange(len(kept)))


@pytest.mark.parametrize("stretch", [0.0, 0.1])
def test_a_flight_without_spin_is_drawn_though_its_angular_momentum_is_rounding(stretch):
    params = free_flight.Parameters(nx=4, ny=2, t_end=0.02, dt=1e-3, spin0=0.0, stretch=stretch)
    model = assemble(free_flight.problem(params), free_flight.options(params))
    data = simulate(model, attributes=attributes("free_flight", params))
    assert np.abs(data.angular_momentum.values).max() < 1e-9
    drift = plotting.draw(data).axes[-1]
    assert all(np.isfinite(text.get_position()).all() for text in drift.texts)
