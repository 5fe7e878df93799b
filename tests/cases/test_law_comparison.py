"""One problem under every law: only laws with stick rest, and what the others need to come as close."""

import numpy as np
import pytest

from cases.app.studies import law_comparison
from cases.app.studies.law_comparison import ALL_LAWS, REGULARISED, SET_VALUED, cheapest_run, compare, numbers
from friction import LAWS


def test_the_comparison_covers_the_laws_that_act_on_a_coefficient():
    assert set(ALL_LAWS) == set(LAWS) - {"force-spline"}  # which has no coefficient to share


def test_on_an_incline_below_the_friction_angle_laws_with_stick_rest_exactly_and_others_creep_or_settle():
    table = numbers(compare(["incline"]))
    creep, error = (dict(zip(table["law"], table[key], strict=True)) for key in ("creep_velocity", "error"))
    assert {(creep[law], error[law]) for law in SET_VALUED} == {(0.0, 0.0)}
    ratio = np.tan(np.radians(15.0)) / 0.5
    assert creep["smooth"] == pytest.approx(1e-3 * ratio / np.sqrt(1 - ratio**2), rel=1e-6)
    assert 2e-4 < creep["sliding"] < 4e-4
    assert creep["coefficient-spline"] > 2e-4
    assert creep["sliding-stiction"] < 1e-12 < 1e-6 < error["sliding-stiction"] < 1e-5
    for law in ("smooth", "sliding", "coefficient-spline"):
        assert error[law] == pytest.approx(creep[law] * 1.0, rel=1e-2)  # it creeps for the whole second
    assert set(table) == set(law_comparison.Row.__dataclass_fields__)
    assert all(isinstance(v, (str, bool, int, float)) for values in table.values() for v in values)


@pytest.mark.parametrize("law", ["coulomb", *REGULARISED])
def test_the_creep_of_a_regularised_law_falls_with_its_speed_until_it_is_as_near_as_asked(law):
    tolerance = law_comparison.PROBLEMS["incline"].tolerance
    found = cheapest_run("incline", law)
    assert found.reached
    assert found.error <= tolerance
    assert found.steps >= 10
    if law in REGULARISED:
        coarser = law_comparison.row("incline", law, 10.0 * found.speed, found.dt)
        assert not coarser.reached
        assert 5.0 < coarser.error / found.error < 20.0
    else:
        assert (found.error, found.iterations) == (0.0, 0)


@pytest.mark.slow
def test_a_tolerance_out_of_reach_gives_the_best_run_and_says_so():
    found = cheapest_run("incline", "smooth", speeds=(1e-2, 1e-3))
    assert not found.reached
    assert found.speed == 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["block on table", "plate held"])
def test_in_stick_the_sliding_type_creeps_where_coulombs_law_rests(problem):
    coulomb, sliding = compare([problem], ["coulomb", "sliding"])
    assert coulomb.creep_velocity == 0.0
    assert coulomb.reached
    assert sliding.creep_velocity > 1e-5
    assert sliding.error > 5.0 * coulomb.error
