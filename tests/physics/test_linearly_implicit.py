"""The linearly implicit trapezoidal step of a rigid body: order, one solve a step, any step solvable, ledger, true stick."""

import itertools
from functools import lru_cache

import numpy as np
import pytest
from block_exact import plate
from convergence import observed_orders

from floating_frame import EdgeLoad, FollowerTraction, InitialState, Options, Problem, RigidBody, assemble, simulate
from friction import Coulomb, Foundation

LITM = "linearly-implicit-trapezoidal"
BODY = RigidBody.from_plate(plate(n=2))


def swinging(force=30.0):
    """Pulled at its right edge by a dead load: it swings as a pendulum about that direction while it is carried away."""
    return EdgeLoad("right", (force, 0.0)), InitialState((0.0, 0.0), 12.0)


def pushed_along():
    """A follower traction on the right edge, inwards and along, turns with the body: K is not symmetric."""
    return FollowerTraction("right", -20.0, 8.0), InitialState((0.5, 0.0), 4.0)


@lru_cache
def run(which, steps, scheme=LITM, mu=0.0, t_end=0.6, theta=0.5, force=30.0):
    load, initial = swinging(force) if which == "swing" else pushed_along()
    foundation = Foundation(Coulomb(), mu, 100.0) if mu else None
    problem = Problem(BODY, t_end, foundation, (load,), initial=initial)
    return simulate(assemble(problem, Options(t_end / steps, scheme, theta=theta)))


def gaps(which, counts, **how):
    ends = [run(which, n, **how).position.values[-1] for n in counts]
    return np.array([np.abs(a - b).max() for a, b in itertools.pairwise(ends)])


@pytest.mark.parametrize("which", ["swing", "follower"])
@pytest.mark.quick("swing")
def test_a_body_turned_by_its_load_is_followed_at_second_order_with_one_solve_a_step(which):
    counts = (80, 160, 320)
    computed = gaps(which, counts)
    orders = observed_orders(computed)
    assert np.all((orders > 1.85) & (orders < 2.15)), orders
    last = run(which, counts[-1])
    assert np.ptp(last.frame_angle.values) > 0.8
    assert computed[-1] < 8e-4
    assert np.all(last.passes.values[1:] == 1)
    # and it tends to the motion that the iterated scheme finds
    other = run(which, 320, scheme="sdirk2").position.values[-1]
    assert np.abs(other - last.position.values[-1]).max() < 3.0 * computed[-1]


def test_while_the_direction_of_slip_turns_it_is_of_first_order():
    counts = (40, 80, 160, 320)
    computed = gaps("swing", counts, mu=0.3, t_end=0.2)
    orders = observed_orders(computed)
    assert np.all((orders > 0.8) & (orders < 1.3)), orders
    assert float(run("swing", 320, mu=0.3, t_end=0.2).stick.values[1:].max()) == 0
    assert float(run("swing", 320, mu=0.3, t_end=0.2).dissipation_friction[-1]) > 0.1


def test_the_step_can_be_a_hundred_times_longer_than_the_load_is_stiff_and_theta_one_damps_the_swing():
    """Frequency √(F ℓ/J) = 5e3/s from F = 2.5e6 N; h = 0.02 s is 100 radians of it."""
    force = 2.5e6
    stiff = np.sqrt(force * 0.15 / (1.0 * 0.3**2 / 6.0)) * 0.02
    assert stiff > 90.0
    trapezoidal, damped = (run("swing", 50, t_end=1.0, theta=theta, force=force) for theta in (0.5, 1.0))
    assert np.all(np.isfinite(trapezoidal.position))
    assert np.abs(trapezoidal.frame_angle.values).max() < 0.5
    spins = np.abs(trapezoidal.frame_spin.values)
    assert spins[-1] > 1.0  # the trapezoidal rule keeps it ringing
    assert np.abs(damped.frame_spin.values[5:]).max() < 1e-2 * spins[0]


@pytest.mark.parametrize("theta", [0.5, 0.75])
def test_the_energy_balance_of_the_linearised_step_closes_to_rounding(theta):
    computed = run("swing", 50, mu=0.3, theta=theta)
    assert float(computed.dissipation_friction[-1]) > 0.3
    assert float(np.abs(computed.dissipation_numerical[-1])) > 1e-6
    assert np.abs(computed.balance_error.values).max() < 1e-11 * float(computed.work_external.max())
    assert np.abs(computed.rigid_residual.values[1:]).max() < 1e-9
