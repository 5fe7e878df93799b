"""Contents of the pictures; test_runs.py draws every case again from its results."""

import numpy as np
import pytest
import xarray as xr
from case_models import computed, model_of
from matplotlib.figure import Figure

from cases import free_flight
from cases.app import registry
from cases.app.drawing import plotting, solid, space
from cases.app.drawing.panels import chosen_instants, node_state
from cases.app.drawing.style import spans, thinned
from cases.app.run.results import attributes
from floating_frame import simulate


def synthetic(share, moved):
    """A plate of ten nodes of which `share` stick, its frame `moved` along x; both (times,)."""
    count = len(share)
    stick = np.arange(10)[None] < np.round(10 * np.array(share))[:, None]
    position = np.stack([moved, np.zeros(count)], axis=1)
    velocity = np.where(stick[..., None], 0.0, [1.0, 0.0])
    fields = {
        "stick": (("time", "node"), stick.astype(np.int8)),
        "frame_position": (("time", "axis"), position),
        "frame_velocity": (("time", "axis"), np.tile([1.0, 0.0], (count, 1))),
        "frame_angle": ("time", np.zeros(count)),
        "velocity": (("time", "node", "axis"), velocity),
        "X": (("node", "axis"), np.stack([np.arange(10.0), np.zeros(10)], axis=1)),
    }
    return xr.Dataset(fields, {"time": np.arange(count) * 0.1}, {"parameters": "{}"})


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
    places = thinned(points, 0.2)
    assert 25 <= len(places) <= 36
    assert len(np.unique(places)) == len(places)
    np.testing.assert_array_equal(thinned(points[places], 1e-6), np.arange(len(places)))


@pytest.mark.parametrize("stretch", [0.0, 0.1])
def test_a_flight_without_spin_is_drawn_though_its_angular_momentum_is_rounding(stretch):
    params, model = model_of(free_flight, nx=4, ny=2, t_end=0.02, dt=1e-3, spin0=0.0, stretch=stretch)
    data = simulate(model, attributes=attributes("free_flight", params))
    assert np.abs(data.angular_momentum.values).max() < 1e-9
    drift = plotting.draw(data).axes[-1]
    assert all(np.isfinite(text.get_position()).all() for text in drift.texts)


def test_the_view_of_space_is_seen_from_the_front_the_left_and_above_and_keeps_lengths_across_it():
    np.testing.assert_allclose(space.VIEW @ space.VIEW.T, np.eye(2), atol=1e-15)
    assert space.VIEW[1, 2] > 0.8  # up is up
    assert space.VIEW[0, 0] > 0.8
    assert np.all(space.TOWARDS * [-1.0, -1.0, 1.0] > 0.1)


def test_the_picture_of_a_block_on_its_feet_shows_their_forces_and_only_states_that_occur():
    case = registry.load("block_in_space")
    params, data = computed(case, dt=0.02, t_end=0.2)
    figure = plotting.draw(data.assign_attrs(attributes("block_in_space", params)))
    views = figure.axes[:3]
    assert [text.get_text() for text in views[2].get_legend().get_texts()] == ["slips", "sticks"]
    arrows = [arrows_of(view) for view in views]
    assert [len(found) for found in arrows] == [4, 4, 4]  # its feet
    # the foot at the rear on the left stands behind the block
    assert [sorted({note.get_zorder() for note in found}) for found in arrows] == 3 * [[0.5, 4.0]]
    assert [sum(note.get_zorder() < 1.0 for note in found) for found in arrows] == [1, 1, 1]
    pushed = [note.xy[0] - note.xyann[0] for note in arrows[0]]
    assert np.all(np.array(pushed) < -1e-3)  # friction points back


def arrows_of(axes):
    return [note for note in axes.texts if getattr(note, "arrow_patch", None) is not None]


CUBE = np.array([[x, y, z] for z in (-0.5, 0.5) for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))])


def cube_pulled(places, stick, press):
    """A cube of one cell, moved to ``places`` (times, 3) m; its base has states ``stick`` and normal forces ``press`` (4,) N."""
    count, still = len(places), np.zeros(4)
    by_node = {"stick": [*stick, *still.astype(int)], "normal_force": [*press, *still]}
    fields = {name: (("time", "node"), np.tile(values, (count, 1))) for name, values in by_node.items()} | {
        "X": (("node", "axis"), CUBE),
        "cells": (("cell", "corner"), np.arange(8)[None]),
        "position": (("time", "node", "axis"), places[:, None] + CUBE),
        "frame_position": (("time", "axis"), places),
        "frame_rotation": (("time", "quaternion"), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))),
        "displacement": (("time", "node", "axis"), np.zeros((count, 8, 3))),
        "friction_force": (("time", "node", "axis"), np.tile([-1.0, 0.0, 0.0], (count, 8, 1))),
    }
    return xr.Dataset(fields, {"time": 0.1 * np.arange(count)})


def test_a_solid_is_drawn_at_its_place_with_its_pull_as_long_as_that_acts():
    places = np.array([[0.0, 0.0, 0.5], [0.2, 0.1, 0.5], [0.3, 0.4, 0.5]])
    data = cube_pulled(places, [1, 0, 0, -1], [1.0, 2.0, 4.0, 0.0])
    pull = np.array([[10.0, 0, 0], [5.0, 0, 0], [0, 0, 0]])
    panels = Figure().subplots(1, 3)
    solid.solid_snapshots(list(panels), data, [0, 1, 2], pull)
    corners = [np.concatenate([path.vertices for path in axes.collections[-1].get_paths()]) for axes in panels]
    for k in (1, 2):  # in one window the faces moved as the body did
        moved = space.VIEW @ (places[k] - places[0])
        np.testing.assert_allclose(corners[k] - corners[0], np.broadcast_to(moved, corners[k].shape), atol=1e-12)
        assert (panels[k].get_xlim(), panels[k].get_ylim()) == (panels[0].get_xlim(), panels[0].get_ylim())
    shown = [[np.subtract(note.xy, note.xyann) for note in arrows_of(axes)] for axes in panels]
    assert [len(computed) for computed in shown] == [1, 1, 0]
    np.testing.assert_allclose(shown[0][0], 2.0 * shown[1][0])
    tail = space.VIEW @ (places[1] + [0.5, 0.0, 0.0])  # the middle of the pulled face
    np.testing.assert_allclose(arrows_of(panels[1])[0].xyann, tail, atol=1e-12)


def test_the_base_of_a_solid_has_areas_by_normal_force_and_a_key():
    data = cube_pulled(np.array([[0.0, 0.0, 0.5]]), [1, 0, 0, -1], [1.0, 2.0, 4.0, 0.0])
    axes = Figure().subplots()
    solid.base_forces(axes, data, 0)
    sticking, slipping = (np.asarray(computed.get_sizes()) for computed in axes.collections[:2])
    np.testing.assert_allclose([sticking[0] / slipping[1], slipping[0] / slipping[1]], [0.25, 0.5])
    key = axes.get_legend()
    said = ["sticks", "slips", "off the ground", "friction, at most 1 N"]
    assert [text.get_text() for text in key.get_texts()] == said
    assert "at most 4 N" in key.get_title().get_text()


def test_the_instants_of_a_way_are_its_ends_and_lie_apart():
    place = np.column_stack([np.linspace(0.0, 1.0, 101) ** 2, np.zeros((101, 2))])
    data = xr.Dataset({"frame_position": (("time", "axis"), place)}, {"time": np.arange(101.0)})
    shown = space.instants(data, 0.3)
    assert (shown[0], shown[-1]) == (0, 100)
    assert np.diff(place[shown, 0]).min() > 0.29
    assert space.instants(data, 0.3, most=2).tolist() == [0, 100]
    assert space.instants(data.assign(frame_position=0.0 * data.frame_position), 0.3).tolist() == [0]
