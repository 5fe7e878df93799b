"""Sliding & stiction along a line: its force has a potential there, the integral of the force to rounding, cut or not."""

import numpy as np
import pytest
import scipy.integrate

from friction import SlidingStiction

LAW = SlidingStiction(0.02, 0.03, 0.6, max_stiction_deformation=1e-3)


@pytest.mark.parametrize("cap", [np.inf, 0.7, 0.3])
@pytest.mark.parametrize("tau", [0.0, 0.01, 0.2])
@pytest.mark.quick("0.0-inf", "0.0-0.7", "0.0-0.3", "0.01-inf", "0.2-inf")
def test_potential_along_an_axis_is_the_integral_of_the_force(cap, tau):
    rng = np.random.default_rng(3)
    start = np.column_stack([rng.uniform(-1e-3, 1e-3, 12), np.zeros(12)])
    speed, w = rng.uniform(-0.05, 0.05, 12), rng.uniform(0.5, 2.0, 12)
    stage = LAW.capped(cap).for_stage(start, tau)
    found = stage.potential_along(speed, w)
    for i in range(12):
        ends = np.linspace(0.0, speed[i], 801)
        one = LAW.capped(cap).for_stage(np.repeat(start[i : i + 1], 801, axis=0), tau)
        values = one.force(np.column_stack([ends, 0 * ends]), np.full(801, w[i]))[:, 0]
        expected = scipy.integrate.simpson(values, x=ends)
        # Simpson's rule at a kink errs by at most the squared interval times the jump of the slope, about w/1e-3 tau + w/v_s
        kink = (speed[i] / 800) ** 2 * w[i] * (2000.0 * tau + 200.0)
        assert found[i] == pytest.approx(expected, abs=4 * kink)
        assert kink < 1e-3 * w[i] * abs(speed[i])
    h = 1e-7
    slope = (stage.potential_along(speed + h, w) - stage.potential_along(speed - h, w)) / (2 * h)
    np.testing.assert_allclose(slope, stage.force(np.column_stack([speed, 0 * speed]), w)[:, 0], rtol=0, atol=1e-5)


def test_line_searches_may_rely_on_it_beside_a_kink_of_the_cut():
    """Differences of the potential over small steps are the work to rounding: one Gauss rule across a kink would miss this."""
    stage = LAW.capped(0.5).for_stage(np.zeros((200, 2)), 0.05)
    speed, one = np.linspace(-0.04, 0.04, 200), np.ones(200)
    h = 1e-5
    change = stage.potential_along(speed + h, one) - stage.potential_along(speed, one)
    ends = [stage.force(np.column_stack([s, 0 * s]), one)[:, 0] for s in (speed, speed + 0.5 * h, speed + h)]
    work = h * (ends[0] + 4 * ends[1] + ends[2]) / 6
    np.testing.assert_allclose(change, work, rtol=0, atol=2e-7 * h + 1e-16)
    assert np.abs(ends[0]).max() == pytest.approx(0.5, rel=1e-12)
