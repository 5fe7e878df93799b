"""What the pictures take from a trajectory; that every case is drawn again from its results is in test_runs.py."""

import json

import numpy as np
import pytest
import xarray as xr

from cases import free_flight, registry
from cases.drawing import plotting
from cases.drawing.style import spans, thinned
from cases.plots.plate_sliding import chosen_instants, node_state
from cases.run.results import attributes
from floating_frame import assemble, simulate


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


def test_every_case_has_a_picture_and_every_subject_holds_cases():
    assert {name for names in registry.SUBJECTS.values() for name in names} < set(registry.CASES)
    assert all(registry.drawing(name).__name__ == "draw" for name in registry.CASES)


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
