"""Exact contact that holds: pushed against a wall, breaking away and sliding along it, in rings and over hills, on rough ground."""

import numpy as np
import pytest
from contact_examples import BLOCK, MASS, NEAR, SCHEMES, gaps, point_mass, thrown, touches
from convergence import observed_orders
from ff_examples import plate
from problems import run as run_of

from floating_frame import BodyForce, CircleInCircle, EdgeLoad, Line, RigidMotion, Table
from floating_frame.stepping.impacts import ImpactSteps
from friction import Coulomb, Foundation, StaticKinetic

GROUND = Foundation(Coulomb(), 0.1, 98.1)
GROUND_LIMIT = 0.1 * 98.1 * 0.4 * 0.2
PUSH = {"loads": (BodyForce((3.0, 0.0)),), "dt": 2e-3}
BOTH = pytest.mark.parametrize("scheme", SCHEMES)


@BOTH
@pytest.mark.quick("backward-euler")
def test_block_slides_along_the_wall_at_the_deceleration_of_coulombs_law_and_stops_for_good(scheme):
    """mu p/M = 0.2 x 3: from 0.5 m/s it stops after 0.5/0.6 s, having gone 0.5^2/1.2 m."""
    run = thrown((0.0, 0.5), mu=0.2, wall=NEAR, scheme=scheme, t_end=1.2, **PUSH)
    t, velocity, path = run.time.values, run.frame_velocity.values[:, 1], run.frame_position.values[:, 1]
    assert np.allclose(velocity[t < 0.8], 0.5 - 0.6 * t[t < 0.8], rtol=0, atol=1e-11)
    stopped = t > 0.5 / 0.6 + 2e-3
    assert stopped.sum() > 150
    assert abs(velocity[stopped]).max() < 1e-12
    assert np.isclose(path[-1], 0.25 / 1.2, rtol=0, atol=0.5 * 2e-3 * 0.5 + 1e-6)
    assert np.ptp(path[stopped]) < 1e-12 * np.ptp(t[stopped]), "no creep in stick"
    assert np.abs(gaps(run, NEAR).min(axis=1)).max() < 1e-12
    assert np.allclose(run.dissipation_contact.values[-1], 0.5 * MASS * 0.25, rtol=1e-10)
    assert abs(run.balance_error.values).max() < 1e-13


@BOTH
@pytest.mark.quick("moreau-theta")
def test_steps_that_rest_on_a_wall_are_the_same_many_in_a_call_and_one_by_one(scheme, monkeypatch):
    """From the flight on: a hit, a slide along the wall that friction brakes, and rest."""
    taken, take, runs = [], ImpactSteps.take, []

    def watched(*arguments):
        batch = take(*arguments)
        taken.append(0 if batch is None else len(batch.times))
        return batch

    for replaced in (watched, lambda *_: None):
        monkeypatch.setattr(ImpactSteps, "take", replaced)
        runs.append(thrown((0.5, 0.3), mu=0.2, wall=NEAR, scheme=scheme, t_end=0.4, **PUSH))
    assert max(taken) >= 16
    for name in ("frame_position", "frame_velocity", "contact_force", "energy_kinetic", "dissipation_contact"):
        many, single = (run[name].values for run in runs)
        np.testing.assert_allclose(many, single, rtol=0, atol=1e-12 * np.abs(single).max())
    assert np.array_equal(*(run.stick.values for run in runs))


@BOTH
def test_wall_that_pushes_a_resting_block_over_rough_ground_pays_exactly_the_ground_s_friction(scheme):
    """At rest the ground holds it: its response to a push is zero up to the limit. The wall must push harder than that."""
    wall = Line((0.201, 0.0), (-1.0, 0.0), motion=RigidMotion(velocity=(-0.2, 0.0)))
    run = thrown((0.0, 0.0), foundation=GROUND, wall=wall, scheme=scheme, dt=2e-3, t_end=0.2)
    steady = run.isel(time=slice(6, None))
    assert np.allclose(steady.contact_force.values[:, 0], -GROUND_LIMIT, rtol=1e-9)
    assert np.allclose(steady.frame_velocity.values[:, 0], -0.2, rtol=0, atol=1e-11)
    assert np.allclose(np.diff(steady.work_external.values), 0.2 * GROUND_LIMIT * 2e-3, rtol=1e-9)
    assert np.abs(gaps(steady, wall).min(axis=1)).max() < 1e-12
    assert abs(run.balance_error.values).max() < 1e-12


@BOTH
@pytest.mark.quick("moreau-theta")
def test_reaction_is_the_push_while_the_ground_s_friction_acts_along_the_wall_and_open_within_its_limit_at_rest(scheme):
    run = thrown((0.0, 0.6), foundation=GROUND, mu=0.2, wall=NEAR, scheme=scheme, t_end=0.7, **PUSH)
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


@BOTH
def test_what_penetrates_at_the_start_goes_no_deeper_and_is_not_thrown_out(scheme):
    wall = Line((0.199, 0.0), (-1.0, 0.0))
    run = thrown((0.0, 0.0), wall=wall, scheme=scheme, t_end=0.1, **PUSH)
    assert touches(run)[1:].all()
    assert np.allclose(gaps(run, wall).min(axis=1), -1e-3, rtol=0, atol=1e-13)
    assert abs(run.energy_kinetic.values).max() < 1e-20


@pytest.mark.slow
@BOTH
def test_point_inside_a_ring_stays_inside_and_slows_down_by_exp_minus_mu_times_the_angle(scheme):
    """A point mass thrown along the inside of a ring of radius 1 m, from a little inside of it."""
    errors, mu = [], 0.1
    for dt in (2e-2, 1e-2):
        ring = CircleInCircle((0.0, -1.0 + (2.0 * dt) ** 2), 1.0)
        run = thrown((2.0, 0.0), point_mass(), nodes=[0], wall=ring, mu=mu, scheme=scheme, dt=dt, t_end=1.5)
        gap = gaps(run, ring, [0])
        assert gap.min() > -1e-11
        assert gap.max() < 1.1 * (2.0 * dt) ** 2
        path = np.hypot(*np.diff(run.frame_position.values, axis=0).T).sum()
        assert path > 2.5
        exact = np.log(1.0 + mu * 2.0 * 1.5) / mu  # dv/dt = -mu v^2/R
        errors.append(abs(path - exact) / exact)
    assert np.all(np.abs(observed_orders(errors) - 1.0) < 0.1)
    assert errors[-1] < 4e-2


TIMES, PULLS = (0.0, 0.5, 0.6, 0.61, 1.3, 1.31, 9.0), (0.0, 1.5, 1.5, 0.3, 0.3, 1.0, 1.0)  # s, m/s²


def pulled(body, scheme, dt, t_end, law):
    """A body pressed against a wall with 3 M, where 1.2 M makes it slide and 0.6 M keeps it sliding, is pulled along it: time, drag
    over M, speed and the run."""
    loads = (EdgeLoad("right", (3.0 * MASS, 0.0)), EdgeLoad("right", (0.0, MASS), Table(TIMES, PULLS)))
    wall = {"obstacle": NEAR, "edge": "right", "law": law, "mu": 0.4}
    data = run_of(body, t_end, dt, scheme, loads=loads, tolerance=1e-12, **wall)
    return data.time.values, -data.contact_force.values[:, 1] / MASS, data.frame_velocity.values[:, 1], data


@BOTH
def test_rigid_block_breaks_away_at_the_static_limit_slides_at_the_kinetic_one_stops_and_holds_above_it(scheme):
    dt = 5e-3
    t, drag, speed, data = pulled(BLOCK, scheme, dt, 1.5, StaticKinetic(0.5))
    mean = 0.5 * dt * 3.0 if scheme == "moreau-theta" else 0.0  # it balances the mean pull over a step
    held = (t > 0.0) & (t < 0.4 - 1e-9)
    np.testing.assert_allclose(drag[held], 3.0 * t[held], rtol=0, atol=mean + 1e-9)
    assert np.abs(speed[held]).max() < 1e-12
    slides = (t > 0.4 + 1e-9) & (t < 1.1)  # from the very step on in which it breaks away
    np.testing.assert_allclose(drag[slides], 0.6, rtol=1e-9)
    early = (t > 0.4 + dt) & (t <= 0.5)
    expected = 1.5 * t**2 - 0.6 * t  # 3 t - 0.6 from 0.4 s on
    np.testing.assert_allclose(speed[early], expected[early], rtol=0, atol=2 * dt * 0.6)
    assert speed.max() == pytest.approx(0.075 + 0.1 * 0.9 + 0.01 * 0.3, rel=0.03)
    stopped = t > 1.31 + dt
    assert np.abs(speed[stopped]).max() < 1e-12
    np.testing.assert_allclose(drag[stopped], 1.0, rtol=1e-9)  # more than the kinetic limit
    assert float(np.abs(data.balance_error).max()) < 1e-12
    assert np.abs(gaps(data, NEAR).min(axis=1)).max() < 1e-11
    np.testing.assert_allclose(data.dissipation_contact[-1], 0.6 * MASS * data.frame_position.values[-1, 1], rtol=0.02)


def test_elastic_block_holds_below_the_static_limit_and_slides_at_the_kinetic_one():
    t, drag, speed, data = pulled(plate(2, 2, E=2e7, nu=0.0), "backward-euler", 5e-3, 0.6, StaticKinetic(0.5))
    held, slides = (t > 0.1) & (t < 0.38), (t > 0.45) & (t < 0.6)
    np.testing.assert_allclose(drag[held], 3.0 * t[held], rtol=1e-3)
    assert np.abs(speed[held]).max() < 1e-3 * speed.max()
    np.testing.assert_allclose(drag[slides], 0.6, rtol=1e-3)
    assert speed[-1] == pytest.approx(0.165, rel=0.03)
    assert float(np.abs(data.balance_error).max()) < 1e-10
