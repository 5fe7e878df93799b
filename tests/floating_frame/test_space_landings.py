"""Steps of a rigid body in space end where points land, open, stop slipping or turn it: landing and rolling in closed form."""

import itertools

import numpy as np
import pytest
from rows import rows
from scipy.optimize import brentq

from floating_frame import (
    Ball,
    Contact,
    Feet,
    InitialState,
    Options,
    Problem,
    RigidSolid,
    assemble,
    run_warnings,
    simulate,
)
from floating_frame.frame.rotations import exponential, matrix_of, quaternion

HALF, MASS, GRAVITY = 0.08, 1.7, 9.81
INERTIA = 2.0 / 3.0 * MASS * HALF**2
CORNERS = HALF * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
TURN = exponential(np.array([0.5, -0.35, 0.2]))
VELOCITY, SPIN, PLACE = np.array([0.4, -0.3, -0.6]), np.array([4.6, -3.4, -2.5]), np.array([0.0, 0.0, 0.21])
END = 0.096


def flight(place, velocity, spin, turn, time):
    """Place and attitude of a cube in free flight: its spin is constant."""
    fall = np.array([0.0, 0.0, -0.5 * GRAVITY * time**2])
    return place + velocity * time + fall, exponential(spin * time) @ turn


def lowest(*motion):
    x, Q = flight(*motion)
    return float((x[2] + CORNERS @ Q[2]).min())


def thrown(dt, mu, scheme="sdirk2"):
    body = RigidSolid(mass=MASS, inertia=(INERTIA,) * 3, shape=Feet(CORNERS))
    start = InitialState(position=tuple(PLACE), rotation=quaternion(TURN), velocity=tuple(VELOCITY), spin=tuple(SPIN))
    problem = Problem(body=body, t_end=END, contacts=(Contact(mu=mu),), initial=start, gravity=GRAVITY)
    return simulate(assemble(problem, Options(dt=dt, scheme=scheme)))


def landing(mu):
    """Time of the landing of the first corner, and velocity and spin after its impact, which sticks or has no friction."""
    start = PLACE, VELOCITY, SPIN, TURN
    met = brentq(lambda t: lowest(*start, t), 1e-3, 0.09, xtol=1e-15)
    x, Q = flight(*start, met)
    arm = Q @ CORNERS[np.argmin(CORNERS @ Q[2])]
    velocity = VELOCITY - [0.0, 0.0, GRAVITY * met]
    cross = np.cross(np.eye(3), arm)  # rows e × a
    response = np.eye(3) / MASS + cross @ cross.T / INERTIA
    u = velocity + np.cross(SPIN, arm)
    if mu == 0.0:
        impulse = np.array([0.0, 0.0, -u[2] / response[2, 2]])
    else:
        impulse = -np.linalg.solve(response, u)
        assert np.hypot(*impulse[:2]) < 0.9 * mu * impulse[2]
    lost = -0.5 * float(impulse @ (2.0 * u + response @ impulse))
    return met, x, Q, velocity + impulse / MASS, SPIN + np.cross(arm, impulse) / INERTIA, lost


@rows("scheme, mu", list(itertools.product(["sdirk2", "moreau-theta"], [0.0, 3.0])))
def test_a_cube_flies_on_from_its_landing_as_its_impulse_says_at_any_step(scheme, mu):
    """Free flight at constant spin is exact for both schemes, so all of the landing is; across it a step would be off by its length
    times the change of velocity, 3 mm of 4 ms."""
    met, x, Q, velocity, spin, lost = landing(mu)
    assert 0.02 < met < 0.08
    if mu == 0.0:
        later = np.linspace(1e-4, END - met, 200)
        assert min(lowest(x, velocity, spin, Q, t) for t in later) > 0.0  # none lands again
        place, turn = flight(x, velocity, spin, Q, END - met)
    for dt in (4e-3, 1e-3):
        run = thrown(dt, mu, scheme)
        lands = np.argwhere(run.stick.values == 2)
        assert lands[0, 0] == int(np.ceil(met / dt))
        assert float(run.dissipation_impact[lands[0, 0]]) == pytest.approx(lost, rel=1e-9)
        assert not run_warnings(run)
        if mu == 0.0:
            np.testing.assert_allclose(run.frame_position[-1], place, atol=1e-9)
            np.testing.assert_allclose(matrix_of(run.frame_rotation.values[-1]), turn, atol=1e-9)
            np.testing.assert_allclose(run.frame_spin[-1], spin, atol=1e-9)


def test_what_rolls_over_its_corners_and_lands_on_others_has_the_order_of_its_scheme_and_small_errors():
    """Landings in a row: at 4 ms the place is off by less than a hundredth of the way, by less than a tenth of that at 1 ms."""
    finest = thrown(4e-3 / 64, 0.8).frame_position.values
    way = np.linalg.norm(finest - finest[0], axis=1).max()
    errors = [
        np.linalg.norm(thrown(dt, 0.8).frame_position.values - finest[:: round(64 * dt / 4e-3)], axis=1).max() / way
        for dt in (4e-3, 1e-3)
    ]
    assert 1e-8 < errors[0] < 0.01
    assert errors[1] < 0.1 * errors[0]


def rolling(time, mu, speed):
    """Way and speed of a homogeneous ball that begins with a speed and no spin: it slides until t = 2 v/(7 μ g), then rolls."""
    slides = min(time, 2.0 * speed / (7.0 * mu * GRAVITY))
    left = speed - mu * GRAVITY * slides
    return speed * slides - 0.5 * mu * GRAVITY * slides**2 + left * (time - slides), left


@rows("scheme", ["sdirk2", "moreau-theta"])
def test_a_step_ends_where_a_point_stops_slipping_so_that_the_place_of_a_ball_that_begins_to_roll_is_exact(scheme):
    """Both schemes are exact while all forces are constant. Slip that ends in the midst of a step throws the place off by some
    hundredths of μ g Δt² or more; in a step that is cut there, what is left is the time in which the instant is found."""
    mu, speed, radius, dt = 0.43, 1.3, 0.07, 5e-3
    share = (2.0 * speed / (7.0 * mu * GRAVITY) / dt) % 1.0
    assert 0.2 < share < 0.8
    moment = 0.4 * 0.9 * radius**2
    body = RigidSolid(mass=0.9, inertia=(moment,) * 3, shape=Ball(radius))
    start = InitialState(velocity=(0.6 * speed, -0.8 * speed, 0.0))
    problem = Problem(body=body, t_end=0.15, contacts=(Contact(mu=mu),), initial=start, gravity=GRAVITY)
    run = simulate(assemble(problem, Options(dt=dt, scheme=scheme)))
    way = run.frame_position.values[-1, :2] @ [0.6, -0.8]
    expected, left = rolling(0.15, mu, speed)
    assert run.stick.values[-1, 0] == 1
    assert run.frame_velocity.values[-1, :2] @ [0.6, -0.8] == pytest.approx(left, rel=1e-9)
    assert abs(way - expected) < 1e-9 * mu * GRAVITY * dt**2


def test_a_block_that_twists_and_tips_is_off_by_less_than_a_thousandth_of_the_way_at_four_milliseconds():
    """Feet open, come to rest and turn their slip within these steps; in whole ones the place would be off by half a hundredth."""
    size, mass, dt = np.array([0.182, 0.295, 0.31]), 1.83, 4e-3
    feet = [0.5 * size * [x, y, -1.0] for x, y in itertools.product((-1.0, 1.0), repeat=2)]
    body = RigidSolid(mass=mass, inertia=tuple(mass / 12.0 * (size @ size - size**2)), shape=Feet(feet))
    start = InitialState(velocity=(0.493, 0.408, 0.0), spin=(0.0, 0.0, 4.5))
    problem = Problem(body=body, t_end=0.232, contacts=(Contact(mu=0.897),), initial=start, gravity=GRAVITY)
    rough, fine = (simulate(assemble(problem, Options(dt=dt / n))).frame_position.values[::n] for n in (1, 32))
    way = np.linalg.norm(fine - fine[0], axis=1).max()
    assert np.ptp(fine[:, 2]) > 5e-4  # it tips
    assert 1e-7 < np.linalg.norm(rough - fine, axis=1).max() / way < 1e-3
