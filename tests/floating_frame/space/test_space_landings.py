"""Landings in space, without restitution: steps end where points land, stop slipping or turn, and no path leads through."""

import itertools

import numpy as np
import pytest
from problems import assembled, run
from rows import rows
from scipy.optimize import brentq
from solid_examples import law, solid

import floating_frame as ff
from floating_frame import Ball, Contact, Feet, HalfSpace, RigidMotion, RigidSolid, Sphere, run_warnings, simulate
from floating_frame.frame.rotations import exponential, matrix_of, quaternion
from friction import NormalForce

G = 9.81
UNIT = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
ROUGH = {"mu": 0.4}


def cube(half, mass, inertia):
    return RigidSolid(mass=mass, inertia=inertia, shape=Feet(half * UNIT))


BLOCK, MASS, SPEED, FALL = cube(0.1, 2.0, (0.01, 0.012, 0.014)), 2.0, 2.0, 0.1503
TABLES = {"on the ground": 0.0, "on a table that rises": 0.5}  # m/s


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
def test_a_block_that_falls_flat_loses_its_kinetic_energy_against_the_ground_in_the_impact(name, scheme):
    """With the speed at the ground, √(v² + 2 g h) + what the table has: the step ends where it lands, so at any step."""
    motion, rate = RigidMotion(velocity=(0.0, 0.0, TABLES[name])), SPEED + TABLES[name]
    met = (np.sqrt(rate**2 + 2.0 * G * FALL) - rate) / G
    exact, off = 0.5 * MASS * (rate + G * met) ** 2, []
    start = {"position": (0.0, 0.0, 0.1 + FALL), "velocity": (0.0, 0.0, -SPEED)} | ROUGH
    for dt in (2e-3, 5e-4):
        data = run(BLOCK, 0.15, dt, scheme, obstacle=HalfSpace(motion=motion), **start)
        off.append(float(data.dissipation_impact[-1]) - exact)
        lands = np.flatnonzero((data.stick.values == 2).any(axis=1))
        assert lands.tolist() == [int(np.ceil(met / dt))]  # in one step, and it says so
        assert float(data.normal_force[-1].sum()) == pytest.approx(MASS * G)  # it has landed
        assert abs(float(data.dissipation_friction[-1])) < 1e-12 * exact
        assert np.abs(data.balance_error.values).max() < 1e-10 * exact
        assert not run_warnings(data)
    if scheme == "backward-euler":  # which has fallen ½ g Δt t too far after t, and lands too early
        assert 0.0 < -off[0] < 1.5 * 2e-3 * MASS * G * (rate + G * met)
        assert off[1] == pytest.approx(0.25 * off[0], rel=0.05)
    else:
        assert np.abs(off).max() < 1e-10 * exact


def test_nodes_of_a_solid_that_land_lose_the_energy_of_their_mass():
    """½ v 1ᵀS1 v, S the mass of the face's nodes all others free, in two steps that are short against the elastic periods."""
    body, dt = solid("Q1", law(young=1e5), (0.2, 0.2, 0.2), (2, 2, 2)), 1e-4
    start = {"position": (0.0, 0.0, 0.1 + 2.5 * SPEED * dt), "velocity": (0.0, 0.0, -SPEED)}
    data = run(body, 5 * dt, dt, face="bottom", mu=0.0, gravity=0.0, **start)
    lost, M, face = data.dissipation_impact.values, body.mass_matrix.toarray(), body.boundary("bottom")
    others = np.setdiff1d(np.arange(len(M)), face)
    coupling = M[np.ix_(face, others)]
    S = M[np.ix_(face, face)] - coupling @ np.linalg.solve(M[np.ix_(others, others)], coupling.T)
    exact = 0.5 * S.sum() * SPEED**2
    assert exact > 0.1 * 0.5 * body.mass * SPEED**2
    assert not lost[2].any()
    assert lost[4] == pytest.approx(exact, rel=0.02)
    assert abs(float(data.dissipation_numerical[-1])) < 0.02 * exact
    assert np.abs(data.balance_error.values).max() < 1e-9 * exact


def test_all_that_a_ball_loses_on_another_one_is_the_impacts_though_the_normal_turns_on_its_way():
    """In steps of 2 cm: along the normal where the last one begins the loss would be off by some per cent."""
    ball = RigidSolid(mass=1.0, inertia=(0.004,) * 3, shape=Ball(0.1))
    start = {"position": (-0.5, 0.0, 0.15), "velocity": (2.0, 0.0, 0.0), "gravity": 0.0}
    data = run(ball, 0.2, 1e-2, obstacle=Sphere((0.0, 0.0, 0.0), 0.2), **start)
    lost = 2.0 - float(data.energy_kinetic[-1])
    assert lost > 1.0
    assert abs(float(data.dissipation_impact[-1]) - lost) <= 1e-9 * lost


@pytest.mark.parametrize(("scheme", "deforms"), [("sdirk2", False), ("moreau-theta", False), ("sdirk2", True)])
def test_what_rises_and_lands_in_one_step_loses_nothing_to_the_impact_rather_than_gain_by_it(scheme, deforms):
    """At a speed that gravity turns round in a third of the step: the velocity at its start is not that before the impact."""
    dt, face = 5e-3, {"face": "bottom"} if deforms else {}
    body = solid("Q1", law(young=2e5), (0.2, 0.2, 0.2), (2, 2, 2)) if deforms else BLOCK
    start = {"position": (0.0, 0.0, 0.1 + 1e-5), "velocity": (0.0, 0.0, 0.34 * G * dt)}
    data = run(body, 4 * dt, dt, scheme, **start, **face, **ROUGH)
    assert float(data.velocity[0, :, 2].min()) > 0.0
    assert float(data.normal_force[1].sum()) > 0.0
    assert np.diff(data.dissipation_impact.values).min() >= 0.0
    assert np.abs(data.balance_error.values).max() < 1e-9 * float(data.energy_kinetic.max())


HALF, WEIGHED, END = 0.08, 1.7, 0.096
INERTIA = 2.0 / 3.0 * WEIGHED * HALF**2
CORNERS = HALF * UNIT
TURN = exponential(np.array([0.5, -0.35, 0.2]))
VELOCITY, SPIN, PLACE = np.array([0.4, -0.3, -0.6]), np.array([4.6, -3.4, -2.5]), np.array([0.0, 0.0, 0.21])


def flight(place, velocity, spin, turn, time):
    """Place and attitude of a cube in free flight: its spin is constant."""
    fall = np.array([0.0, 0.0, -0.5 * G * time**2])
    return place + velocity * time + fall, exponential(spin * time) @ turn


def lowest(*motion):
    x, Q = flight(*motion)
    return float((x[2] + CORNERS @ Q[2]).min())


def thrown(dt, mu, scheme="sdirk2"):
    start = {"position": tuple(PLACE), "rotation": quaternion(TURN), "velocity": tuple(VELOCITY), "spin": tuple(SPIN)}
    return run(cube(HALF, WEIGHED, (INERTIA,) * 3), END, dt, scheme, mu=mu, **start)


def landing(mu):
    """Time of the landing of the first corner, and velocity and spin after its impact, which sticks or has no friction."""
    start = PLACE, VELOCITY, SPIN, TURN
    met = brentq(lambda t: lowest(*start, t), 1e-3, 0.09, xtol=1e-15)
    x, Q = flight(*start, met)
    arm, velocity = Q @ CORNERS[np.argmin(CORNERS @ Q[2])], VELOCITY - [0.0, 0.0, G * met]
    cross = np.cross(np.eye(3), arm)  # rows e × a
    response = np.eye(3) / WEIGHED + cross @ cross.T / INERTIA
    u = velocity + np.cross(SPIN, arm)
    if mu == 0.0:
        impulse = np.array([0.0, 0.0, -u[2] / response[2, 2]])
    else:
        impulse = -np.linalg.solve(response, u)
        assert np.hypot(*impulse[:2]) < 0.9 * mu * impulse[2]
    lost = -0.5 * float(impulse @ (2.0 * u + response @ impulse))
    return met, x, Q, velocity + impulse / WEIGHED, SPIN + np.cross(arm, impulse) / INERTIA, lost


@rows("scheme, mu", list(itertools.product(["sdirk2", "moreau-theta"], [0.0, 3.0])))
def test_a_cube_flies_on_from_its_landing_as_its_impulse_says_at_any_step(scheme, mu):
    """Free flight at constant spin is exact for both schemes, so all of the landing is; across it a step would be off by its length
    times the change of velocity, 3 mm of 4 ms."""
    met, x, Q, velocity, spin, lost = landing(mu)
    assert 0.02 < met < 0.08
    if mu == 0.0:  # none lands again
        assert min(lowest(x, velocity, spin, Q, t) for t in np.linspace(1e-4, END - met, 200)) > 0.0
        place, turn = flight(x, velocity, spin, Q, END - met)
    for dt in (4e-3, 1e-3):
        data = thrown(dt, mu, scheme)
        lands = np.argwhere(data.stick.values == 2)
        assert lands[0, 0] == int(np.ceil(met / dt))
        assert float(data.dissipation_impact[lands[0, 0]]) == pytest.approx(lost, rel=1e-9)
        assert not run_warnings(data)
        if mu == 0.0:
            np.testing.assert_allclose(data.frame_position[-1], place, atol=1e-9)
            np.testing.assert_allclose(matrix_of(data.frame_rotation.values[-1]), turn, atol=1e-9)
            np.testing.assert_allclose(data.frame_spin[-1], spin, atol=1e-9)


def test_what_rolls_over_its_corners_and_lands_on_others_has_the_order_of_its_scheme_and_small_errors():
    """Landings in a row: at 4 ms the error is less than a hundredth of the distance, and a tenth of that at 1 ms."""
    rough, fine, finest = (thrown(4e-3 / n, 0.8).frame_position.values for n in (1, 4, 64))
    distance = np.linalg.norm(finest - finest[0], axis=1).max()
    errors = [np.linalg.norm(one - finest[::n], axis=1).max() / distance for one, n in ((rough, 64), (fine, 16))]
    assert 1e-8 < errors[0] < 0.01
    assert errors[1] < 0.1 * errors[0]


def test_a_block_that_twists_and_tips_is_off_by_less_than_a_thousandth_of_the_way_at_four_milliseconds():
    """Feet open, come to rest and turn their slip within these steps; in whole ones the place would be off by half a hundredth."""
    size, mass, dt = np.array([0.182, 0.295, 0.31]), 1.83, 4e-3
    feet = [0.5 * size * corner for corner in UNIT if corner[2] < 0.0]
    body = RigidSolid(mass=mass, inertia=tuple(mass / 12.0 * (size @ size - size**2)), shape=Feet(feet))
    start = {"velocity": (0.493, 0.408, 0.0), "spin": (0.0, 0.0, 4.5), "mu": 0.897}
    rough, fine = (run(body, 0.232, dt / n, **start).frame_position.values[::n] for n in (1, 16))
    distance = np.linalg.norm(fine - fine[0], axis=1).max()
    assert np.ptp(fine[:, 2]) > 5e-4  # it tips
    assert 1e-7 < np.linalg.norm(rough - fine, axis=1).max() / distance < 1e-3


BALL = RigidSolid(mass=1.5, inertia=(0.4 * 1.5 * 0.01,) * 3, shape=Ball(0.1))
SMALL = {
    "sphere": (Sphere((3.0, 0.0, 0.0), 0.2), 10.0, 0.0),
    "moving sphere": (Sphere((3.0, 0.0, 0.0), 0.2, motion=RigidMotion(velocity=(-10.0, 0.0, 0.0))), 0.0, -10.0),
    "edge": (ff.RoundedEdge((3.0, 0.0, 3.0), ((1.0, 0.0, 0.05), (-1.0, 0.0, 0.05)), 0.01), 10.0, 0.0),
}


@pytest.mark.parametrize("obstacle", SMALL)
@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
def test_a_step_longer_than_an_obstacle_does_not_lead_through_it(obstacle, scheme):
    """A ball flies centrally at a sphere, or an edge, smaller than its displacement in a step: it does not come behind it."""
    thing, speed, along = SMALL[obstacle]
    start = {"position": (0.0, 0.0, 0.0), "velocity": (speed, 0.0, 0.0), "gravity": 0.0}
    for dt in (0.2, 0.05):  # the first leaps over it, the second ends in it
        data = run(BALL, 1.0, dt, scheme, obstacle=thing, **start)
        assert abs(data.frame_velocity.values[-1, 0] - speed) > 9.0  # it has been caught
        assert data.frame_position.values[-1, 0] - along < 3.0
        assert np.abs(data.frame_velocity.values[-1, 0] - along) < 0.01 * 10.0


@pytest.mark.parametrize("flies", [False, True])
def test_many_steps_in_a_call_do_not_lead_through_a_penalty(flies):
    """A foot at 10 m/s passes within a step of 0.2 s, 2 m long, a sphere of 0.4 m whose penalty would throw it back: its step is
    halved until it meets the sphere, from which it flies back as from a wall. Beside the sphere it flies on."""
    sphere = {"obstacle": Sphere((3.2, 2.0 if flies else 0.0, 0.0), 0.2), "normal": NormalForce(1e6)}
    body = RigidSolid(mass=1.5, inertia=(0.01,) * 3, shape=Feet([(0.0, 0.0, 0.0)]))
    start = {"position": (0.0, 0.0, 0.0), "velocity": (10.0, 0.0, 0.0), "gravity": 0.0}
    model = assembled(body, 1.0, 0.2, "backward-euler", **sphere, **start)
    batch = model.integrator.compiled.take(model.integrator.initial(model), 0.2 * np.arange(1, 6), np.arange(5))
    assert len(batch.times) == (5 if flies else 1)
    data = simulate(model)
    assert (data.frame_position.values[-1, 0] > 9.9) == flies
    assert float(data.halvings.sum()) == 0.0 if flies else float(data.halvings.sum()) > 0.0


@pytest.mark.parametrize("dt", [0.05, 0.02])
def test_a_rolling_ball_is_not_put_over_a_bump_without_a_force(dt):
    """A bump that lifts a ball takes its energy: steps are shorter than the bump, however long the given ones."""
    contacts = Contact(mu=0.3), Contact(obstacle=Sphere((3.0, 0.0, 0.0), 0.05), mu=0.3)
    data = run(BALL, 0.6, dt, contacts=contacts, velocity=(10.0, 0.0, 0.0), spin=(0.0, 100.0, 0.0))
    assert data.frame_velocity.values[-1, 0] < 9.5  # an impact without a rebound has stopped what went into the bump
    drop = data.frame_position.values[:, 2] - data.frame_position.values[0, 2]
    np.testing.assert_allclose(data.work_external, -BALL.mass * G * drop, rtol=0, atol=0.05 * BALL.mass * G * 0.1)
