"""Exact contact that holds: pushed against a wall, sliding along it, round obstacles, and with friction under the body as well."""

import numpy as np
import pytest
from convergence import observed_orders
from ff_signorini import MASS, SCHEMES, block, gaps, point_mass, thrown, touches

from floating_frame import BodyForce
from floating_frame.contact.motion import RigidMotion
from floating_frame.contact.shapes import Circle, CircleInCircle, Line
from floating_frame.stepping.impacts import ImpactSteps
from friction import Coulomb, Foundation

GROUND = Foundation(Coulomb(), 0.1, 98.1)
GROUND_LIMIT = 0.1 * 98.1 * 0.4 * 0.2


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.quick("moreau-theta")
def test_pushed_block_is_held_by_the_push_itself_and_does_not_drift_in_a_thousand_steps(scheme):
    run = thrown((0.5, 0.0), loads=(BodyForce((3.0, 0.0)),), scheme=scheme, dt=2e-3, t_end=2.0)
    late = run.isel(time=slice(-900, None))
    assert touches(run).sum() > 900
    assert np.allclose(late.contact_force.values, [-3.0 * MASS, 0.0], rtol=0, atol=1e-9)
    assert np.all(np.abs(gaps(late).min(axis=1)) < 1e-12)
    assert abs(late.frame_velocity.values).max() < 1e-12


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.quick("backward-euler")
def test_block_slides_along_the_wall_at_the_deceleration_of_coulombs_law_and_stops_for_good(scheme):
    """mu p/M = 0.2 x 3: from 0.5 m/s it stops after 0.5/0.6 s, having gone 0.5^2/1.2 m."""
    wall, dt = Line((0.2, 0.0), (-1.0, 0.0)), 2e-3
    run = thrown((0.0, 0.5), loads=(BodyForce((3.0, 0.0)),), mu=0.2, wall=wall, scheme=scheme, dt=dt, t_end=1.2)
    t, velocity = run.time.values, run.frame_velocity.values[:, 1]
    sliding = t < 0.8
    assert np.allclose(velocity[sliding], 0.5 - 0.6 * t[sliding], rtol=0, atol=1e-11)
    stopped = t > 0.5 / 0.6 + dt
    assert stopped.sum() > 150
    assert abs(velocity[stopped]).max() < 1e-12
    way = run.frame_position.values[-1, 1]
    assert np.isclose(way, 0.25 / 1.2, rtol=0, atol=0.5 * dt * 0.5 + 1e-6)
    assert np.ptp(run.frame_position.values[stopped, 1]) < 1e-12 * np.ptp(t[stopped]), "no creep in stick"
    assert np.abs(gaps(run, wall).min(axis=1)).max() < 1e-12
    assert np.allclose(run.dissipation_contact.values[-1], 0.5 * MASS * 0.25, rtol=1e-10)
    assert abs(run.balance_error.values).max() < 1e-13


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.quick("moreau-theta")
def test_steps_that_rest_on_a_wall_are_the_same_many_in_a_call_and_one_by_one(scheme, monkeypatch):
    """From the flight on: a hit, a slide along the wall that friction brakes, and rest."""
    wall, taken, take = Line((0.2, 0.0), (-1.0, 0.0)), [], ImpactSteps.take

    def watched(*arguments):
        batch = take(*arguments)
        taken.append(0 if batch is None else len(batch.times))
        return batch

    def run():
        loads = (BodyForce((3.0, 0.0)),)
        return thrown((0.5, 0.3), loads=loads, mu=0.2, wall=wall, scheme=scheme, dt=2e-3, t_end=0.8)

    monkeypatch.setattr(ImpactSteps, "take", watched)
    many = run()
    monkeypatch.setattr(ImpactSteps, "take", lambda *_: None)
    single = run()
    assert max(taken) >= 16
    for name in ("frame_position", "frame_velocity", "contact_force", "energy_kinetic", "dissipation_contact"):
        expected = single[name].values
        np.testing.assert_allclose(many[name].values, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    assert np.array_equal(many.stick.values, single.stick.values)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_wall_that_pushes_a_resting_block_over_rough_ground_pays_exactly_the_ground_s_friction(scheme):
    """At rest the ground holds it: its response to a push is zero up to the limit. The wall must push harder than that."""
    wall = Line((0.201, 0.0), (-1.0, 0.0), motion=RigidMotion(velocity=(-0.2, 0.0)))
    run = thrown((0.0, 0.0), foundation=GROUND, wall=wall, scheme=scheme, dt=2e-3, t_end=0.2)
    steady = run.isel(time=slice(6, None))
    assert np.allclose(steady.contact_force.values[:, 0], -GROUND_LIMIT, rtol=1e-9)
    assert np.allclose(steady.frame_velocity.values[:, 0], -0.2, rtol=0, atol=1e-11)
    assert np.abs(gaps(steady, wall).min(axis=1)).max() < 1e-12
    assert abs(run.balance_error.values).max() < 1e-12


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.quick("moreau-theta")
def test_reaction_is_the_push_while_the_ground_s_friction_acts_along_the_wall_and_open_within_its_limit_at_rest(scheme):
    wall = Line((0.2, 0.0), (-1.0, 0.0))
    loads = (BodyForce((3.0, 0.0)),)
    run = thrown((0.0, 0.6), foundation=GROUND, mu=0.2, loads=loads, wall=wall, scheme=scheme, dt=2e-3, t_end=0.7)
    t, force = run.time.values, run.contact_force.values
    decelerated = (0.2 * 3.0 * MASS + GROUND_LIMIT) / MASS  # both frictions are along the wall: determinate
    sliding = (t > 0.0) & (t < 0.6 / decelerated - 4e-3)
    assert sliding.sum() > 100
    assert np.allclose(force[sliding], [-3.0 * MASS, -0.2 * 3.0 * MASS], rtol=1e-9)
    assert np.allclose(run.frame_velocity.values[sliding, 1], 0.6 - decelerated * t[sliding], rtol=0, atol=1e-9)
    rest = t > 0.6 / decelerated + 4e-3
    assert rest.sum() > 50
    assert np.all(run.frame_velocity.values[rest] == 0.0), "true stick on the ground"
    ground = run.friction_force.values[rest].sum(axis=1)
    assert np.allclose(force[rest] + ground + [3.0 * MASS, 0.0], 0.0, atol=1e-9)
    assert np.all(np.linalg.norm(ground, axis=1) <= GROUND_LIMIT * (1.0 + 1e-9))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_penetrates_at_the_start_goes_no_deeper_and_is_not_thrown_out(scheme):
    wall = Line((0.199, 0.0), (-1.0, 0.0))
    run = thrown((0.0, 0.0), loads=(BodyForce((3.0, 0.0)),), wall=wall, scheme=scheme, dt=2e-3, t_end=0.1)
    assert touches(run)[1:].all()
    assert np.allclose(gaps(run, wall).min(axis=1), -1e-3, rtol=0, atol=1e-13)
    assert abs(run.energy_kinetic.values).max() < 1e-20


def ring_run(mu, dt, scheme):
    """A point mass thrown along the inside of a ring of radius 1 m, from a little inside of it."""
    ring = CircleInCircle((0.0, -1.0 + (2.0 * dt) ** 2), 1.0)
    return ring, thrown((2.0, 0.0), body=point_mass(), nodes=[0], wall=ring, mu=mu, scheme=scheme, dt=dt, t_end=1.5)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_point_inside_a_ring_stays_inside_and_slows_down_by_exp_minus_mu_times_the_angle(scheme):
    errors, mu = [], 0.1
    for dt in (2e-2, 1e-2, 5e-3):
        ring, run = ring_run(mu, dt, scheme)
        gap = gaps(run, ring, [0])
        assert gap.min() > -1e-11
        assert gap.max() < 1.1 * (2.0 * dt) ** 2
        path = np.cumsum(np.hypot(*np.diff(run.frame_position.values, axis=0).T))
        assert path[-1] > 2.5
        exact = np.log(1.0 + mu * 2.0 * 1.5) / mu  # dv/dt = -mu v^2/R
        errors.append(abs(path[-1] - exact) / exact)
    orders = observed_orders(errors)
    assert np.all(np.abs(orders - 1.0) < 0.1)
    assert errors[-1] < 2e-2


@pytest.mark.slow
@pytest.mark.parametrize("e", [0.0, 0.7, 1.0])
def test_block_tumbling_in_a_ring_stays_inside_and_gains_no_energy(e):
    ring = CircleInCircle((0.05, 0.02), 0.4)
    body = block()
    corners = [int(np.argmax(body.X @ [x, y])) for x in (1, -1) for y in (1, -1)]
    run = thrown((1.0, 0.4), spin=3.0, body=body, nodes=corners, wall=ring, e=e, mu=0.0, dt=4e-3, t_end=2.0)
    assert touches(run).sum() >= 3
    energy = run.energy_kinetic.values
    assert np.diff(energy).max() < 1e-10 * energy[0]
    turned = 0.125 * (4e-3 * abs(run.frame_spin.values).max()) ** 2 * np.hypot(0.2, 0.1)
    assert gaps(run, ring, corners).min() > -turned - 1e-12
    assert abs(run.balance_error.values).max() < 1e-12 * energy[0]
    if e == 1.0:
        assert np.isclose(energy[-1], energy[0], rtol=1e-10)
    else:
        assert energy[-1] < 0.9 * energy[0]


def test_point_leaves_a_round_hill_where_two_thirds_of_its_height_are_left():
    """Without friction and from rest it leaves where cos = 2/3; pushed with v0, where cos = 2/3 + v0^2/(3 g R)."""
    hill, g, v0 = Circle((0.0, -1.0), 1.0), 9.81, 0.5
    errors = []
    for dt in (8e-3, 4e-3):
        run = thrown(
            (v0, 0.0), body=point_mass(), nodes=[0], wall=hill, loads=(BodyForce((0.0, -g)),), dt=dt, t_end=1.2
        )
        touching = np.flatnonzero(touches(run))
        assert len(touching) > 0.3 / dt
        gap = gaps(run, hill, [0])[:, 0]
        assert gap[touching].min() > -((dt * 4.0) ** 2) / 8.0
        assert gap[-1] > 0.01
        last = run.frame_position.values[touching[-1]] - [0.0, -1.0]
        errors.append(last[1] / np.hypot(*last) - (2.0 / 3.0 + v0**2 / (3.0 * g)))
    assert max(map(abs, errors)) < 5e-3, "v0 alone makes 8.5e-3"
