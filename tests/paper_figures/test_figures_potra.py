"""Potra et al. (2006): the block's velocity, coordinate and contact forces in Figures 1 to 3, against the exact solution."""

import numpy as np
import pytest
from figure_runs import quick_data, quick_figure, quick_numbers

from cases.references.block_on_table import Event
from paper_figures.figures.potra2006_fig1 import four_point_block
from paper_figures.parts.potra_block import exact_sticks

pytestmark = pytest.mark.slow  # together they are a fifth of the suite: `make test-slow`

DT = 8e-3
# Steps end neither on the start nor on the end of slip. At the start the net force grows as |f'| (t - t1), |f'| = 8 sin(0.195) N/s;
# what a step that begins late misses is at most half |f'| dt^2 in momentum. The stages meet the start inside the step, which
# leaves a small part of it.
SPEED_BOUND = 0.5 * 8 * np.sin(0.195) * DT**2
SPEED_LEAST = 0.01 * SPEED_BOUND
# The speed's error over the longest slip, 0.6 s; the last step, cut by the stop, adds (mu m g - f) dt^2/2 with 0.43 N at most.
REST_BOUND = 0.6 * SPEED_BOUND + 0.5 * 0.43 * DT**2
REST_LEAST = 0.01 * REST_BOUND


def test_the_velocity_in_figure_2_is_the_exact_one_and_exactly_zero_in_stick():
    numbers = quick_numbers("potra2006_fig2")
    assert numbers["v_exact"].max() == pytest.approx(0.03954, rel=1e-3)  # it slips both ways
    assert numbers["v_exact"].min() == pytest.approx(-0.03954, rel=1e-3)
    assert SPEED_LEAST < numbers["error_max"] < SPEED_BOUND
    assert numbers["stick_speed"] == 0.0
    assert 0.7 < numbers["stuck"].mean() < 0.85


@pytest.mark.parametrize("name", ["potra2006_fig2", "potra2006_fig3"])
def test_the_stick_intervals_are_the_exact_ones_to_a_step(name):
    numbers = quick_numbers(name)
    assert len(numbers["sticks_exact"]) == 4
    assert np.ptp(numbers["sticks_exact"], axis=1)[:3] == pytest.approx([2.608, 2.555, 2.555], abs=1e-3)
    # The first stored instant of stick is the end of the step in which the block stopped, the last that before it started.
    late = numbers["sticks"] - numbers["sticks_exact"]
    assert np.all(late[:, 0] >= 0)
    assert np.all(late[:, 0] <= DT)
    assert np.all(late[:, 1] <= 1e-12)
    assert np.all(late[:, 1] >= -DT)


def test_the_coordinate_in_figure_3_is_the_exact_one_and_does_not_creep():
    numbers = quick_numbers("potra2006_fig3")
    assert numbers["rests_exact"] == pytest.approx([4.348570e-3, -8.697167e-3, 4.348570e-3, -8.697167e-3], abs=1e-9)
    assert REST_LEAST < numbers["error_max"] < REST_BOUND
    assert np.max(np.abs(numbers["rests"] - numbers["rests_exact"])) < REST_BOUND
    assert numbers["creep"] < 1e-15


def test_the_contact_points_of_figure_1_carry_a_quarter_each_and_stick_or_slip_as_coulomb_says():
    numbers = quick_numbers("potra2006_fig1")
    a, b, h = numbers["size"]
    assert numbers["mass"] / (a * b * h) == pytest.approx(1000 / 9)  # Potra et al.'s 111.1(1) kg/m3
    assert sorted(map(tuple, np.abs(numbers["points"]))) == [pytest.approx((a / 4, b / 4))] * 4
    assert numbers["normal"] == pytest.approx(numbers["weight"] / 4 * np.ones(4), rel=1e-14)
    assert 0.1 < numbers["slip"].mean() < 0.4
    assert numbers["stick_residual"] < 1e-12
    assert numbers["slip_residual"] < 1e-12
    assert np.max(np.abs(numbers["friction"])) == pytest.approx(0.8 * 9.81 / 4, rel=1e-12)


def test_four_contact_points_carry_mass_and_moment_of_inertia_of_the_block():
    problem, _ = four_point_block(dt=0.1, t_end=1.0)
    body = problem.body
    assert body.mass_matrix.sum() == pytest.approx(1.0, rel=1e-14)
    assert np.abs(body.mass_matrix.sum(axis=0) @ body.X).max() < 1e-16  # the centre of mass
    products = body.X.T @ (body.mass_matrix @ body.X)
    assert products == pytest.approx(np.diag([0.3**2 / 12, 0.3**2 / 12]), abs=1e-16)


def test_stick_intervals_lie_between_the_slips():
    events = (Event(1.0, 0.0, 1), Event(2.0, 0.1, 0), Event(4.0, 0.1, -1), Event(5.0, 0.0, 0))
    np.testing.assert_array_equal(exact_sticks(events, 7.0), [[0, 1], [2, 4], [5, 7]])
    np.testing.assert_array_equal(exact_sticks(events[:3], 4.5), [[0, 1], [2, 4]])
    np.testing.assert_array_equal(exact_sticks((Event(0.0, 0.0, 1), *events[1:]), 7.0), [[2, 4], [5, 7]])
    np.testing.assert_array_equal(exact_sticks((), 3.0), [[0, 3]])


def test_four_contact_points_move_as_the_cases_block_does():
    four, many = quick_data("potra2006_fig1")["block"], quick_data("potra2006_fig2")["block"]
    assert four.sizes["node"] == 4 < many.sizes["node"]
    np.testing.assert_allclose(four.frame_position, many.frame_position, atol=1e-14)


def test_the_figures_insets_show_a_stop_with_instants_of_slip_and_of_stick():
    for name in ("potra2006_fig2", "potra2006_fig3"):
        (inset,) = quick_figure(name).axes[0].child_axes
        exact, slip, stick = inset.lines
        assert len(slip.get_xdata()) >= 5
        assert len(stick.get_xdata()) >= 5
        assert slip.get_xdata().max() < stick.get_xdata().min()
        assert exact.get_xdata().min() == slip.get_xdata().min()
