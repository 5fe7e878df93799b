"""The self-similar solution of the pushed beam: its own conditions, pointwise, and what the sequence of zones tends to."""

import numpy as np
import pytest

from cases.references.beams.self_similar import RATIO, single_step_ratio, solve

SLOW, SINGLE = solve(), solve(single_step=True)


def starts(computed):
    return computed.ends - computed.lengths


@pytest.mark.parametrize("computed", [SLOW, SINGLE], ids=["slow", "single-step"])
def test_the_profile_carries_the_end_force_without_a_moment_and_vanishes_beyond_the_zones(computed):
    end = np.zeros(1)
    assert computed.profile(end, 2)[0] == pytest.approx(0.0, abs=1e-12)
    assert computed.profile(end, 3)[0] == pytest.approx(1.0, abs=1e-12)
    beyond = np.linspace(computed.reach, 5.0, 7)
    for order in range(4):
        assert np.all(computed.profile(beyond, order) == 0.0)


def test_under_slow_loading_the_rate_V_opposes_the_friction_and_vanishes_at_every_zone_end():
    for number, (start, end) in enumerate(zip(starts(SLOW)[:6], SLOW.ends[:6], strict=True)):
        xi = np.linspace(start, end, 41)
        V = 4 * SLOW.profile(xi) - xi * SLOW.profile(xi, 1)
        size = np.abs(V).max()
        assert size > 1e-9
        assert abs(V[-1]) < 1e-9 * size
        assert np.all(V[1:-1] * (-1) ** number > 0.0)
        third = np.diff(V, 3) / (xi[1] - xi[0]) ** 3  # V is a cubic in each zone
        assert np.ptp(third) < 1e-6 * np.abs(third).max() + 1e-9 / (xi[1] - xi[0]) ** 3 * 1e-6


def test_neighbouring_zones_approach_the_ratio_of_stupkiewicz_and_mroz_each_from_its_own_first_zones(verification):
    assert pytest.approx((3 - np.sqrt(5)) / 2, rel=1e-15) == RATIO
    ratios = SLOW.lengths[1:11] / SLOW.lengths[:10]
    assert abs(ratios[0] - RATIO) > 0.1
    gaps = np.abs(ratios[1:9] - RATIO)
    assert np.all(gaps[1:] < 0.45 * gaps[:-1])  # geometrically, and about as fast as the zones shrink
    claim = "Beam pushed across at its end: length of the tenth slip zone over that of the ninth"
    verification(claim, ratios[8], (3 - np.sqrt(5)) / 2, source="Stupkiewicz and Mróz (1994)", tolerance=1e-4)
    assert pytest.approx(0.2421213735, rel=1e-9) == single_step_ratio()


def test_the_constants_do_not_depend_on_where_the_sequence_is_closed_geometrically():
    values = [(s.deflection, s.slope, s.reach) for s in (solve(5), solve(7), solve(9))]
    best = np.array([SLOW.deflection, SLOW.slope, SLOW.reach])
    errors = np.abs(np.array(values) - best)
    assert errors[0].max() > 1e-4
    assert np.all(errors[1:] < 0.2 * errors[:-1])
    assert errors[-1, 0] < 1e-12
    np.testing.assert_allclose(best, [0.638522577711, -0.657363236485, 3.2310197], rtol=1e-8)


def test_the_work_of_the_end_force_exceeds_the_bending_energy_by_the_slip_against_friction():
    """dD/dP = q int |dw/dP| dx, so D = (1/5) int |V| dxi in units of P^5/(EJ q^3)."""
    points, weights = np.polynomial.legendre.leggauss(4)
    lost = 0.0
    for start, end in zip(starts(SLOW), SLOW.ends, strict=True):
        xi = start + 0.5 * (end - start) * (1 + points)
        V = 4 * SLOW.profile(xi) - xi * SLOW.profile(xi, 1)
        lost += 0.5 * (end - start) * float(weights @ np.abs(V))
    assert SLOW.work - SLOW.energy == pytest.approx(lost / 5, rel=1e-10)
    assert SLOW.energy == pytest.approx(0.134334364241, rel=1e-9)
