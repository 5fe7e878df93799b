"""RecurDyn, Figures 6.291 to 6.293 and Table 6.24: the types' curves are the printed ones, and a block creeps or holds."""

import numpy as np
import pytest
from figure_runs import quick_numbers

from paper_figures.parts.recurdyn_laws import LOAD, PARAMETERS, STICTION, carrying

pytestmark = pytest.mark.slow  # together they are a fifth of the suite: `make test-slow`

MU_S, V_S = PARAMETERS["mu_s"], PARAMETERS["v_s"]
MOST = STICTION["max_stiction_deformation"]


@pytest.mark.parametrize("name", ["recurdyn_fig6_291", "recurdyn_fig6_292", "recurdyn_fig6_293"])
def test_the_computed_curves_are_the_printed_formulas(name):
    numbers = quick_numbers(name)
    assert np.ptp(numbers["coefficient"]) == pytest.approx(2 * MU_S, rel=1e-3)
    assert numbers["deviation"] < 1e-14


def test_a_maximum_force_cuts_the_peak_and_nothing_else():
    numbers = quick_numbers("recurdyn_fig6_293")
    cut = np.abs(numbers["coefficient"]) > 0.75 * MU_S
    assert 0.1 < cut.mean() < 0.5
    assert np.abs(numbers["limited"][cut]) == pytest.approx(0.75 * MU_S, rel=1e-14)
    np.testing.assert_allclose(numbers["limited"][~cut], numbers["coefficient"][~cut], atol=1e-16)


def test_under_the_sliding_type_a_block_below_its_bound_creeps_at_the_speed_that_carries_the_force():
    numbers = quick_numbers("recurdyn_fig6_291")
    block, still = numbers["block"], numbers["coulomb"]
    assert np.ptp(still["x"]) == 0.0
    assert np.ptp(block["x"]) > 5e-3
    # The block's inertia, m v' <= 1 kg 0.005 m/s 1/s, is 0.2 % of the force: the speed is that of equilibrium.
    load = LOAD * np.cos(block["times"])
    balance = np.array([np.sign(f) * carrying(abs(f)) for f in load]) * V_S
    after = block["times"] > 0.2  # a block that starts from rest takes some m v_s/(mu_s m g 15/8) = 1.4 ms
    assert np.max(np.abs(block["v"] - balance)[after]) < 0.004 * V_S
    assert np.max(np.abs(balance)) == pytest.approx(0.42 * V_S, rel=0.01)


def test_under_sliding_and_stiction_the_block_follows_the_force_within_the_bristles_reach():
    numbers = quick_numbers("recurdyn_fig6_292")
    block = numbers["block"]
    after = block["times"] > 0.4
    load = LOAD * np.cos(block["times"])
    balance = np.array([np.sign(f) * carrying(abs(f)) for f in load]) * MOST
    assert np.ptp(block["x"][after]) > 0.8 * MOST
    # At 0.1 mm/s, a hundredth of v_s, the law adds about 15/8 of a hundredth mu_s |f_n| of its own.
    assert np.max(np.abs(block["x"] - balance)[after]) < 0.02 * MOST
    assert np.max(np.abs(block["x"])) < MOST


def test_on_the_gentle_incline_the_sliding_type_slips_steadily_and_the_bristles_hold():
    numbers = quick_numbers("recurdyn_table6_24")
    table, expected = numbers["table"], numbers["expected"]
    assert expected["sliding"]["steady_speed"] == pytest.approx(4.2016e-3, rel=1e-4)
    assert table["sliding"]["steady_speed"] == pytest.approx(expected["sliding"]["steady_speed"], rel=1e-9)
    assert table["sliding"]["steady_slip"] == pytest.approx(0.3 * 4.2016e-3, rel=0.02)
    # Creep of an overdamped bristle decays by exp(-42 t/s): 3e-6 of the sliding speed after 0.3 s.
    assert abs(table["stiction"]["steady_speed"]) < 1e-5 * table["sliding"]["steady_speed"]
    assert table["stiction"]["steady_slip"] == pytest.approx(expected["stiction"]["steady_slip"], rel=1e-4)


def test_on_the_steep_incline_both_types_slide_with_the_dynamic_coefficient():
    numbers = quick_numbers("recurdyn_table6_24")
    assert numbers["expected"]["acceleration"] == pytest.approx(2.034, rel=1e-3)
    for name in ("sliding", "stiction"):
        assert numbers["table"][name]["acceleration"] == pytest.approx(numbers["expected"]["acceleration"], rel=1e-9)
