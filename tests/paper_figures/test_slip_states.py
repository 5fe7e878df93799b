"""Stick, slip and slip back of points, and the measure of how well Coulomb's law holds: each sees what it must see."""

import numpy as np
import pytest
import xarray as xr

from paper_figures.ink.body_marks import nodal_patches
from paper_figures.ink.pairs import pair_numbers, power_above, share_text
from paper_figures.parts.slip_states import BACK, SLIPS, STICKS, coulomb_errors, slip_states


def test_a_point_slips_back_where_its_slip_takes_it_towards_its_start():
    moved = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    velocity = np.array([[2.0, 0.0], [-0.1, 0.0], [0.0, 0.0], [-1e-9, 5.0], [-3.0, 1.0]])
    stick = np.array([0, 0, 1, 0, 0])
    assert slip_states(stick, velocity, moved).tolist() == [SLIPS, BACK, STICKS, BACK, SLIPS]
    assert slip_states(stick[None], -velocity[None], moved[None])[0].tolist() == [BACK, SLIPS, STICKS, SLIPS, SLIPS]


def sliding(intensity=1.0, turned=0.0, held=0.7):
    """A dataset of three points: two slip, the third sticks; friction of given size, and turned from -V."""
    v = np.array([[[3.0, 4.0], [-1e-6, 0.0], [0.0, 0.0]]] * 2)
    weight = np.array([2.0, 0.5, 1.0])
    c, s = np.cos(turned), np.sin(turned)
    direction = -v / np.where(np.linalg.norm(v, axis=2) > 0, np.linalg.norm(v, axis=2), 1.0)[..., None]
    friction = intensity * weight[:, None] * direction @ np.array([[c, s], [-s, c]])
    friction[:, 2] = (0.0, held)
    return xr.Dataset(
        {
            "friction_weight": ("node", weight),
            "friction_force": (("time", "node", "axis"), friction),
            "velocity": (("time", "node", "axis"), v),
        }
    )


def test_friction_of_the_wrong_size_direction_or_beyond_its_bound_is_seen_as_such():
    right = coulomb_errors(sliding())
    assert right["intensity"] < 1e-15
    assert right["direction"] < 1e-15
    assert right["bound"] == pytest.approx(0.7)
    assert coulomb_errors(sliding(intensity=1.1))["intensity"] == pytest.approx(0.1)
    turned = coulomb_errors(sliding(turned=0.02))
    assert turned["intensity"] < 1e-15
    assert turned["direction"] == pytest.approx(0.02, rel=1e-3)
    assert coulomb_errors(sliding(held=1.3))["bound"] == pytest.approx(1.3)


@pytest.mark.parametrize("cells", [[[0, 1, 2], [0, 2, 3]], [[0, 1, 2, 3]]], ids=["triangles", "quadrilateral"])
def test_the_patches_of_the_nodes_fill_the_body_once(cells):
    place = np.array([[0.0, 0.0], [2.0, 0.1], [2.2, 1.0], [0.1, 1.3]])
    patches = nodal_patches(place, np.array(cells))
    x, y = np.moveaxis(patches, 2, 0)
    areas = 0.5 * np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1), axis=1)
    x, y = place.T
    assert areas.min() > 0.1
    assert areas.sum() == pytest.approx(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)), rel=1e-14)
    assert np.allclose(patches[:, 0], place[np.array(cells).ravel()])


def test_a_difference_of_two_runs_is_relative_to_the_largest_displacement_of_the_first():
    u = np.array([[[0.0, 0.0], [0.0, 0.0]], [[0.3, 0.4], [0.1, 0.0]]])

    def run(displacement):
        return xr.Dataset(
            {
                "displacement": (("time", "node", "axis"), displacement),
                "X": (("node", "axis"), np.eye(2)),
                "cells": (("cell", "corner"), np.array([[0, 1]])),
            },
            {"time": [0.0, 1.0]},
        )

    computed = pair_numbers(run(u), run(u + np.array([0.0, 0.05]) * (u[..., :1] > 0.2)))
    assert computed["largest"] == pytest.approx(0.5)
    assert computed["difference"] == pytest.approx([0.0, 0.1])
    assert computed["worst"] == pytest.approx(0.1)
    assert computed["at"] == 1.0
    assert pair_numbers(run(u), run(u))["worst"] == 0.0


def test_numbers_are_written_as_what_they_are():
    assert share_text(0.178) == r"18\,\%"
    assert share_text(0.0678) == r"6.8\,\%"
    assert share_text(1.78) == r"178\,\%"
    assert share_text(3e-14) == "< 10^{-13}"
    assert power_above(9.9e-14) == "10^{-13}"
    assert power_above(0.0) == "0"
