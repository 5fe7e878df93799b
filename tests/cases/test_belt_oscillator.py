"""A block on a belt against the exact phases of stick and slip: limit cycle, decaying swings, damper, ledger, orders."""

from functools import partial

import numpy as np
import pytest
from case_models import computed
from scipy.integrate import solve_ivp

from cases import belt_oscillator
from cases.belt_oscillator import summary
from cases.references.belt_oscillator import Oscillator, Phase, limit_cycle, motion

STICK_SLIP = Oscillator(mass=1.0, stiffness=100.0, damping=0.0, belt_speed=0.2, static=0.5 * 9.81, kinetic=0.3 * 9.81)
SWINGING = {"law": "coulomb", "mu": 0.1, "mu_s": None, "belt_speed": 0.0, "stretch0": 0.105}

run = partial(computed, belt_oscillator, nx=1, ny=1)


def test_the_limit_cycle_is_that_of_the_closed_form_and_of_the_phases():
    q, omega = 0.2 * 9.81 / 100.0, 10.0
    period, amplitude = limit_cycle(STICK_SLIP)
    assert period == pytest.approx((np.pi + 2 * np.arctan(0.2 / (omega * q))) / omega + 2 * q / 0.2, rel=1e-13)
    assert amplitude == pytest.approx(np.hypot(q, 0.2 / omega), rel=1e-13)
    phases = motion(STICK_SLIP, 0.0, 0.2, np.linspace(0.0, 5.0, 11))[2]
    sticks = [phase.start for phase in phases if phase.sign == 0]
    assert len(sticks) > 5
    np.testing.assert_allclose(np.diff(sticks[1:]), period, rtol=1e-12)


@pytest.mark.parametrize("damping", [1.0, 20.0, 60.0])
def test_a_damped_slip_is_the_solution_of_its_equation(damping):
    """Weakly, critically and strongly damped, against an integration that knows nothing of the closed form."""
    own = Oscillator(mass=1.0, stiffness=100.0, damping=damping, belt_speed=0.5, static=5.0, kinetic=2.0)
    slip = Phase(own, 0.3, 0.04, -0.7, -1)
    times = np.linspace(0.0, 0.25, 6)

    def rates(t, y):
        return [y[1], -100.0 * y[0] - damping * y[1] + 2.0]

    known = solve_ivp(rates, (0.0, 0.25), [0.04, -0.7], "DOP853", times, rtol=1e-12, atol=1e-14)
    assert np.ptp(known.y[0]) > 1e-2
    np.testing.assert_allclose(slip.at(times + 0.3), known.y, rtol=0, atol=1e-10)


def test_the_block_sticks_and_slips_with_the_exact_period_and_amplitude():
    """The step is cut at a release: second order in the drop of friction; the period is read off stored instants."""
    dt = 2e-3
    params, data = run(t_end=1.7, dt=dt)
    headlines = summary(params, data)
    assert 0.2 < float(data.stick.values.all(axis=1).mean()) < 0.8
    assert 0.0 <= abs(headlines["period"]["value"] - headlines["period"]["exact"]) < 1.5 * dt
    drop = 0.2 * 9.81 * dt**2  # m
    assert abs(headlines["amplitude"]["value"] - headlines["amplitude"]["exact"]) < 0.5 * drop
    assert 0.1 * drop < headlines["x_error_max"]["value"] < 2.0 * drop
    assert np.abs(data.balance_error.values).max() < 1e-12


@pytest.mark.parametrize("scheme", ["sdirk2", "explicit"])
def test_the_swinging_block_stops_after_the_exact_number_of_half_swings_where_it_should(scheme):
    """Each half swing loses 2 F/k; the place of rest is known to the error of an arrest, a share of F dt²/m each."""
    dt = 4e-3
    params, data = run(**SWINGING, t_end=1.8, dt=dt, scheme=scheme)
    headlines = summary(params, data)
    assert headlines["half_cycles"]["value"] == headlines["half_cycles"]["exact"] == 5
    assert data.frame_velocity.values[-1, 0] == 0.0
    assert abs(headlines["x_end"]["value"] - headlines["x_end"]["exact"]) < 5 * 0.2 * 0.981 * dt**2
    assert abs(headlines["x_end"]["exact"] + 0.105) > 5e-3


def test_the_damper_dissipates_what_the_ledger_says_and_no_more():
    _, data = run(damping=1.0, t_end=1.4, dt=2e-3)
    v = data.frame_velocity.values[:, 0]
    power = np.trapezoid(v**2, data.time.values)  # c = 1 N s/m
    assert power > 0.01
    assert float(data.dissipation_viscous[-1]) == pytest.approx(power, rel=0.02)  # kinks at release and sticking
    assert np.all(np.diff(data.dissipation_viscous.values) >= 0.0)
    assert np.abs(data.balance_error.values).max() < 1e-12
