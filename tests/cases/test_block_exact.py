"""The exact solution of block_on_table, checked by an integration with events that knows nothing of the closed form."""

from itertools import pairwise

import independent
import numpy as np
import pytest

from cases.block_on_table import Parameters, exact, normal_force


@pytest.mark.parametrize(
    "given",
    [{}, {"amplitude": -8.0}, {"amplitude": 20.0, "mass": 2.5}, {"amplitude": 30.0, "mu": 0.1}, {"pressure": 60.0}],
    ids=str,
)
def test_stick_and_slip_phases_and_position_agree_with_an_integration_by_events(given):
    params = Parameters(**given)
    times = np.linspace(0, 10, 4001)
    x, v, events = exact(params, times)
    bound = params.mu * normal_force(params)
    known = independent.stick_slip(params.mass, lambda t, x: params.amplitude * np.cos(t), bound, 10.0)
    place, speed = known(times)
    assert len(events) >= 3  # it slipped
    np.testing.assert_allclose(x, place, rtol=0, atol=1e-9)
    np.testing.assert_allclose(v, speed, rtol=0, atol=1e-8)
    np.testing.assert_allclose([e.x for e in events], known([e.time for e in events])[0], rtol=0, atol=1e-9)
    lasting = [e for e, following in pairwise([*events, None]) if not following or following.time > e.time]
    after = known([e.time + 1e-4 for e in lasting])[1]
    assert [e.sign for e in lasting] == np.where(np.abs(after) < 1e-9, 0.0, np.sign(after)).tolist()


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
