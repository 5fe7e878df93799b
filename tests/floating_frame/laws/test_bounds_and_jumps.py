"""Bounds are cut; bristles follow a ground that jumps; a residual of rounding is none."""

import numpy as np
import pytest
from ff_examples import plate
from problems import run

from floating_frame import Contact, Line, RigidBody
from floating_frame.contact.contact import Signorini
from friction import Coulomb, Foundation, Limited, NormalForce, SlidingStiction

MU, PRESSURE = 0.5, 98.1
SOFT = plate(2, 1, E=1e5)
RIGID = RigidBody.from_plate(SOFT)


@pytest.mark.parametrize("body", [RIGID, SOFT], ids=["rigid", "elastic"])
def test_a_bound_cut_in_half_halves_the_deceleration(body):
    data = run(body, 0.1, 1e-2, foundation=Foundation(Coulomb(cap=0.5), MU, PRESSURE), velocity=(1.0, 0.0))
    pressed = PRESSURE * SOFT.area / SOFT.mass
    assert (1.0 - data.frame_velocity.values[-1, 0]) / 0.1 == pytest.approx(0.5 * MU * pressed, rel=1e-9)


@pytest.mark.parametrize("body", [RIGID, SOFT], ids=["rigid", "elastic"])
def test_a_limit_on_the_body_holds_from_when_a_growing_pressure_reaches_it(body):
    """F = min(μ N(t), limit) at every instant of a slide, in compiled steps."""
    weight, limit = PRESSURE * SOFT.area, 1.3 * MU * PRESSURE * SOFT.area
    growing = Foundation(Limited(Coulomb(), limit), MU, lambda X, t: PRESSURE * (1.0 + 10.0 * t))
    data = run(body, 0.06, 4e-3, foundation=growing, velocity=(2.0, 0.0))
    expected = np.minimum(MU * weight * (1.0 + 10.0 * data.time.values), limit)
    assert 3 < np.count_nonzero(expected == limit) < 12
    assert data.execution == "compiled"
    np.testing.assert_allclose(-data.friction_force.values[1:].sum(axis=1)[:, 0], expected[1:], rtol=1e-9)


@pytest.mark.parametrize("scheme", ["moreau-theta", "backward-euler", "sdirk2"])
def test_bristles_bend_by_the_way_over_a_ground_that_stops_at_once(scheme):
    """While |v| <= v_s, Delta is x - x_g at every step, also over the one that begins with the jump."""
    speed, stop = 5e-4, 0.05
    law = SlidingStiction(1e-2, 1.5e-2, 0.8, 1e-3)
    ground = Foundation(law, MU, PRESSURE, ground_velocity=lambda t: (speed if t < stop else 0.0, 0.0), breaks=(stop,))
    data = run(RIGID, 0.06, 5e-3, scheme, foundation=ground)
    went = speed * np.minimum(data.time.values, stop)
    assert data.frame_position.values[-1, 0] == pytest.approx(went[-1], rel=5e-2)  # the belt has taken it along
    bent = data.bristle_deformation.values[..., 0]
    assert np.abs(bent[-3:]).max() > 1e-8
    over = np.broadcast_to((data.frame_position.values[:, 0] - went)[:, None], bent.shape)
    np.testing.assert_allclose(bent, over, rtol=0, atol=1e-12)  # of steps of 2.5e-6 m of the belt


def test_a_body_that_glides_along_a_wall_and_runs_into_a_spring_leaves_no_residual_but_rounding():
    """Backward Euler closes the gap to the rounding of places, which over a step is a force of eps M L/dt^2."""
    floor = Contact(Line((0.0, -0.101), (0.0, 1.0)), edge="bottom", normal=Signorini(0.0))
    spring = Contact(Line((0.21, 0.0), (-1.0, 0.0)), edge="right", normal=NormalForce(1e5))
    data = run(RIGID, 0.05, 2.5e-4, "backward-euler", velocity=(1.0, -0.2), contacts=(spring, floor))
    lost = 0.5 * SOFT.mass * 0.2**2
    assert float(data.dissipation_contact[-1]) == pytest.approx(lost, rel=1e-9)  # it has hit the floor
    assert abs(float(data.frame_velocity[-1, 1])) < 1e-9  # and stays
    assert float(data.frame_velocity[-1, 0]) < -0.8  # the spring has thrown it back
    assert float(data.rigid_residual.max()) < 1e-9
