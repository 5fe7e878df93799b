"""The exact solution of block_on_table, checked by an integration with events that knows nothing of the closed form."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from cases.block_on_table import Parameters, exact, normal_force


def integrated(params, t_end):
    """Integrate stick and slip phases event by event, the force and the friction as they stand."""
    force, mass = params.amplitude, params.mass
    bound = params.mu * normal_force(params)
    t, x, events = 0.0, 0.0, []

    def exceeds(t, y):
        return abs(force * np.cos(t)) - bound

    exceeds.terminal, exceeds.direction = True, 1
    while t < t_end:
        if abs(force * np.cos(t)) <= bound * (1 + 1e-12):
            done = solve_ivp(lambda t, y: [0.0], (t, t_end), [0.0], events=exceeds, max_step=0.05, rtol=1e-12)
            t = done.t[-1]
            if done.status != 1:
                break
        # The force may have just reached the bound: its sign is the direction of slip.
        sign = np.sign(force * np.cos(t))

        def returns(t, y, sign=sign):
            return sign * y[1]

        returns.terminal, returns.direction = True, -1
        events.append((t, x, int(sign)))
        slide = solve_ivp(
            lambda t, y, sign=sign: [y[1], (force * np.cos(t) - sign * bound) / mass],
            *((t, t_end), [x, sign * 1e-300]),
            events=returns,
            max_step=0.02,
            rtol=1e-12,
            atol=1e-14,
        )
        t, x = slide.t[-1], slide.y[0, -1]
        if slide.status == 1:
            events.append((t, x, 0))
    return x, events


@pytest.mark.parametrize(
    "given",
    [{}, {"amplitude": -8.0}, {"amplitude": 20.0, "mass": 2.5}, {"amplitude": 30.0, "mu": 0.1}, {"pressure": 60.0}],
    ids=str,
)
def test_stick_and_slip_phases_and_position_agree_with_an_integration_by_events(given):
    params = Parameters(**given)
    times = np.linspace(0, 10, 4001)
    x, v, events = exact(params, times)
    final, found = integrated(params, 10.0)
    assert len(found) >= 3  # it slipped
    assert [e.sign for e in events] == [sign for _, _, sign in found]
    np.testing.assert_allclose([e.time for e in events], [t for t, _, _ in found], atol=2e-7)
    np.testing.assert_allclose([e.x for e in events], [p for _, p, _ in found], atol=1e-9)
    assert abs(x[-1] - final) < 1e-9
    # v is dx/dt: trapezoidal, error h^2/12 of the jumps of acceleration
    steps = np.diff(x) - np.diff(times) * (v[1:] + v[:-1]) / 2
    assert np.max(np.abs(steps)) < 0.5 * abs(params.amplitude) / params.mass * 0.0025**2


def test_the_block_of_the_benchmark_ends_at_its_published_place():
    x, _, events = exact(Parameters(), np.array([0.0, 10.0]))
    assert abs(x[-1] - -0.00869716688) < 1e-11
    assert len([e for e in events if e.sign]) == 4


def test_a_block_within_the_friction_bound_never_moves_and_a_frictionless_one_follows_the_force():
    times = np.linspace(0, 10, 101)
    x, v, events = exact(Parameters(amplitude=7.8), times)
    assert not x.any()
    assert not v.any()
    assert events == ()
    x, v, _ = exact(Parameters(mu=0.0, mass=2.0), times)
    np.testing.assert_allclose(x, 4 * (1 - np.cos(times)), atol=1e-12)
    np.testing.assert_allclose(v, 4 * np.sin(times), atol=1e-12)


def test_the_weight_does_not_depend_on_the_density_but_a_given_pressure_replaces_it():
    assert normal_force(Parameters(mass=3.0)) == pytest.approx(3 * 9.81, rel=1e-14)
    assert normal_force(Parameters(mass=3.0, pressure=100.0)) == pytest.approx(9.0, rel=1e-14)
