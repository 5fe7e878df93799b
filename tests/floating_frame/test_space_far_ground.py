"""Solids far above the ground in steps so short that the speed at which they would reach it is beyond the digits of their own."""

import numpy as np
import pytest
from solid_examples import law, solid

from floating_frame import Options, SolidInitial, SolidProblem, assemble, simulate


@pytest.mark.parametrize("dt", [1.3e-5, 6e-7])
def test_a_solid_in_free_flight_takes_the_shortest_steps(dt):
    """The gap over the stage is 1e4 to 1e6 m/s, and its last digit times M/dt more than what rounding leaves of the inertia."""
    body = solid("Q1", law("neo-hookean", young=7e4), (0.4, 0.25, 0.1), (3, 2, 1))
    start = SolidInitial(position=(0.0, 0.0, 0.43), velocity=(0.8, 0.2, -0.5), spin_space=(2.0, -3.0, 7.0))
    problem = SolidProblem(body=body, t_end=3 * dt, contact="bottom", mu=0.4, gravity=9.81, initial=start)
    run = simulate(assemble(problem, Options(dt=dt)))
    assert int(run.halvings.sum()) == 0
    assert not run.normal_force.values.any()
    fall = run.linear_momentum.values[-1] - run.linear_momentum.values[0]
    np.testing.assert_allclose(fall, [0.0, 0.0, -body.mass * 9.81 * 3 * dt], rtol=0, atol=1e-7 * body.mass)
