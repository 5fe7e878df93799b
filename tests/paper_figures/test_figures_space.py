"""Figures of rigid bodies in space: what each claims, on its numbers at the tests' cost."""

import numpy as np
import pytest
from figure_runs import quick_numbers

pytestmark = pytest.mark.slow  # with the other figures a fifth of the suite: `make test-slow`

DT = 8e-3  # s, of Potra's block at the tests' cost


def test_the_feet_of_figure_1_in_space_share_load_and_friction_as_the_couple_and_coulomb_say():
    computed = quick_numbers("potra2006_fig1")
    normal, friction, force = computed["normal_space"], computed["friction_space"], computed["force"]
    assert sorted(map(tuple, np.abs(computed["feet"]))) == [pytest.approx((0.15, 0.15))] * 4
    assert normal[0].max() == pytest.approx(9.81 / 4 * (1 + 0.8 / 3), rel=1e-9)  # mu h/a = 0.8/3
    assert normal[0].min() == pytest.approx(9.81 / 4 * (1 - 0.8 / 3), rel=1e-9)
    np.testing.assert_allclose(normal.sum(axis=1), 9.81, rtol=1e-11)
    assert computed["couple_residual"] < 1e-11
    assert (
        computed["stick_residual_space"] < 1e-5 * 9.81 / 4
    )  # feet behind their bound share a load in more than one way
    assert computed["slip_residual_space"] < 1e-11
    # in stick two feet are at their bound while the force is above mu m g/(1 + mu h/a) = 6.196 N, and none below
    stuck = ~computed["slip"]
    quarter = np.abs(np.abs(friction) - np.abs(force)[:, None] / 4).max(axis=1)
    assert np.all(quarter[stuck & (np.abs(force) < 6.19)][1:] < 1e-8)
    assert np.all(quarter[stuck & (np.abs(force) > 6.5) & (np.abs(force) < 7.8)][1:-1] > 1e-2)


@pytest.mark.parametrize("name", ["potra2006_fig2", "potra2006_fig3"])
def test_the_block_in_space_moves_as_the_one_in_the_plane(name):
    computed = quick_numbers(name)
    motion = "v" if name.endswith("2") else "x"
    scale = np.abs(computed[f"{motion}_exact"]).max()
    assert scale > 4e-3
    close = 1e-8 if motion == "v" else 1e-3  # in space a step is cut where slip stops: an error of its order less
    np.testing.assert_allclose(computed[f"{motion}_space"], computed[motion], rtol=0, atol=close * scale)
    assert 0.5 < computed["error_max_space"] / computed["error_max"] < 2.0
    np.testing.assert_array_equal(computed["stuck_space"][1:], computed["stuck"][1:])  # at t = 0 it does not yet move
    if motion == "v":
        assert computed["stick_speed_space"] <= 1e-15
    else:
        assert computed["creep_space"] <= 1e-15


def test_orders_in_space_are_two_while_contact_persists_where_sliding_ends_and_at_a_landing():
    computed = quick_numbers("orders_in_space")
    for name, low, high in (
        ("place_tipping_sdirk2", 1.9, 2.1),
        ("place_tipping_backward-euler", 0.9, 1.1),
        ("place_tipping_moreau-theta", 1.9, 2.1),
        ("force_tipping_sdirk2", 0.8, 1.1),
        ("place_rolling_backward-euler", 0.85, 1.2),
        ("place_landing_sdirk2", 1.8, 2.1),
        ("place_landing_moreau-theta", 1.8, 2.1),
        ("place_landing_backward-euler", 0.95, 1.05),
    ):
        assert low < computed[f"slope_{name}"] < high, name
    for scheme in ("sdirk2", "moreau-theta"):  # a step ends where the ball rolls; whole ones leave 0.04 and 0.12
        assert np.all(computed[f"place_rolling_{scheme}"] / computed["dt_rolling"] ** 2 < 1e-9)
    assert 1e-8 < computed["place_tipping_sdirk2"][-1] < 1e-6
    assert 1e-9 < computed["place_landing_sdirk2"][-1] < 1e-6


def test_the_plane_misses_space_by_the_order_of_the_height_and_reacting_pressure_by_nothing():
    """The curl is of first order in the height; the distance and the turn do not know its sign, and are of second."""
    computed = quick_numbers("space_against_plane")
    assert computed["across"][0] > 0.05  # the highest disc curls by a tenth of its distance
    assert 0.9 < computed["slope_across"] < 1.1
    for name in ("along", "angle"):
        assert 1.8 < computed[f"slope_{name}"] < 2.2
        assert 1e-6 < computed[name][-1] < 1e-3
    assert computed["reacting"].max() < 1e-9


def test_a_pulled_solid_presses_ahead_as_its_moment_says_and_lifts_from_the_rear():
    computed = quick_numbers("solid_lifting")
    lifted, pull = computed["lifted"], computed["pull"]
    assert lifted[-1] > 0.3
    assert np.all(np.diff(lifted) >= 0.0)
    np.testing.assert_allclose(computed["ahead"], computed["moment"], rtol=0.03, atol=2e-3)
    assert not lifted[pull < 0.15].any()
    rows = computed["pressure"] > 0.0
    assert np.all(np.diff(rows.astype(int), axis=1) >= 0)  # what is off the ground is behind what presses
    share = np.gradient(computed["place"])
    share[[0, -1]] *= 0.5
    np.testing.assert_allclose(computed["pressure"] @ share / share.sum(), 1.0, atol=0.02)  # the weight


def test_the_plate_in_space_differs_from_the_planes_by_a_part_of_its_height():
    computed = quick_numbers("plate_height")
    assert computed["place"][0] > 0.02
    assert 0.7 < computed["slope_place"] < 1.3
    assert computed["share"] == pytest.approx(0.16, rel=0.15)  # of h/L; of the path to its end 0.21


def test_an_elastic_block_that_slides_on_all_of_its_base_has_order_two_in_places_and_forces():
    computed = quick_numbers("solid_orders")
    assert computed["least"] > 0.1
    assert computed["stuck"] == 0
    for what in ("place", "force"):
        assert 1.5 < computed[f"slope_{what}_sdirk2"] < 2.4
        assert computed[f"{what}_sdirk2"][-1] < 0.2 * computed[f"{what}_backward-euler"][-1]
