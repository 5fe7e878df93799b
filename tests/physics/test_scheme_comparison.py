"""The table of schemes on the block of Potra et al. (2006): orders two-sided, errors bounded, effort counted."""

from functools import lru_cache

import numpy as np
import pytest

from cases.app.studies.scheme_comparison import COMPARED, STEPS, compare, fitted_order, table

LITM = "linearly-implicit-trapezoidal"
BOUNDS = {"sdirk2": (1.7, 2.3), "moreau-theta": (1.8, 2.2), LITM: (1.8, 2.2), "backward-euler": (0.95, 1.1)}


@lru_cache
def rows():
    return compare(steps=STEPS[:6])


def of(scheme):
    return [row for row in rows() if row.scheme == scheme]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", COMPARED)
def test_the_block_converges_at_the_order_of_each_scheme(scheme):
    """Pairs scatter with where events fall; slopes through five halvings do not, and a bound holds for each error."""
    low, high = BOUNDS[scheme]
    assert low < fitted_order(rows(), scheme) < high
    assert low - 0.1 < fitted_order(rows(), scheme, at_end=True) < high + 0.1
    second = scheme != "backward-euler"
    for row in of(scheme):
        assert row.max_error < (0.4 * row.dt**2 if second else 0.08 * row.dt)
        assert row.error <= row.max_error
    orders = [row.order for row in of(scheme)[1:]]
    if not second:
        assert np.allclose(orders, 1.0, atol=0.06)
    assert np.isnan(of(scheme)[0].order)


@pytest.mark.slow
def test_sdirk2_is_the_most_accurate_and_solves_friction_twice_a_step_the_others_once():
    last = {scheme: of(scheme)[-1] for scheme in COMPARED}
    assert last["sdirk2"].max_error < 0.7 * last["moreau-theta"].max_error
    assert last["moreau-theta"].max_error < 0.05 * last["backward-euler"].max_error
    for scheme, row in last.items():
        assert row.steps == round(10.0 / row.dt) == 3200
        assert row.solves == (2 if scheme == "sdirk2" else 1) * row.steps
        assert row.seconds > 0.0


@pytest.mark.slow
def test_potras_method_equals_moreaus_on_the_block_whose_load_does_not_depend_on_its_place():
    for ours, moreaus in zip(of(LITM), of("moreau-theta"), strict=True):
        assert ours.max_error == pytest.approx(moreaus.max_error, rel=1e-6)


def test_the_table_has_a_line_for_every_run_and_a_slope_for_every_scheme():
    few = compare(("backward-euler", LITM), (0.1, 0.05))
    text = table(few).splitlines()
    assert len(text) == 1 + 4 + 2
    assert text[3].startswith("backward-euler")
    assert "slope" in text[3]
    assert f"{few[-1].max_error:.2e}" in text[5]
