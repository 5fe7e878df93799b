"""Rigid bodies in space against obstacles: planes at an angle or in motion, spheres, grooves and edges, beside closed forms."""

import numpy as np
import pytest
from rows import rows
from space_examples import BALL, BLOCK, LOW, G, R, run

import floating_frame as ff
from floating_frame import HalfSpace, RigidMotion, Sphere
from floating_frame.system.space.contacts import Contacts
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.stage import linearise
from floating_frame.system.space.stage import CompiledSpaceBody
from friction import Coulomb, StaticKinetic

UP = np.array([0.0, 0.0, 1.0])


def plane(angle, azimuth):
    """The normal of an inclined plane and its line of steepest descent."""
    c, s, horizontal = np.cos(angle), np.sin(angle), np.array([np.cos(azimuth), np.sin(azimuth)])
    return np.array([*(s * horizontal), c]), np.array([*(c * horizontal), -s])


@rows("angle, azimuth, mu", [(0.4, 0.0, 0.8), (0.7, 2.1, 0.3), (0.7, -2.0, 0.1)])
def test_a_ball_rolls_down_an_inclined_plane_with_five_sevenths_or_slides_with_what_friction_leaves(angle, azimuth, mu):
    (n, down), foot = plane(angle, azimuth), np.array([0.3, -0.2, 0.1])
    data = run(BALL, 0.3, obstacle=HalfSpace(foot, 3.0 * n), mu=mu, position=foot + R * n)
    rolls = mu > 2.0 / 7.0 * np.tan(angle)
    assert np.all(data.stick.values == int(rolls))
    pull = 5.0 / 7.0 * G * np.sin(angle) if rolls else G * (np.sin(angle) - mu * np.cos(angle))
    np.testing.assert_allclose(data.frame_velocity.values[-1], 0.3 * pull * down, atol=1e-11)
    np.testing.assert_allclose(data.frame_position.values[-1] - foot - R * n, 0.045 * pull * down, atol=1e-12)
    np.testing.assert_allclose(data.normal_force, 1.5 * G * np.cos(angle), rtol=1e-11)
    np.testing.assert_allclose(data.contact_force.values[-1, 0] @ n, 1.5 * G * np.cos(angle), rtol=1e-11)


@rows("law, ratio", [(Coulomb(), 1.0), (StaticKinetic(dynamic_ratio=0.5), 0.5)])
def test_a_block_sticks_to_a_table_that_accelerates_up_to_mu_g_and_slips_from_there_by_the_kinetic_coefficient(
    law, ratio
):
    mu, jerk, end = 0.3, 6.0, 0.8
    table = RigidMotion(path=lambda t: (0.0, jerk * t**3 / 6.0, 0.0), rates=lambda t: (0.0, jerk * t * t / 2.0, 0.0))
    data = run(LOW, end, obstacle=HalfSpace(motion=table), mu=mu, law=law)
    breaks, time = mu * G / jerk, data.time.values
    relative = data.velocity.values[:, :, 1] - jerk * time[:, None] * time[:, None] / 2.0
    assert not relative[time < breaks - 2e-3].any()  # exactly
    assert np.all(relative[time > breaks + 2e-3] < 0.0)
    speed = 0.5 * jerk * breaks**2 + ratio * mu * G * (end - breaks)
    missed = jerk * 2e-3**2 + (1.0 - ratio) * mu * G * 2e-3
    assert data.frame_velocity.values[-1, 1] == pytest.approx(speed, abs=missed)
    assert data.work_external[-1] > 0.5 * speed**2


@rows("scheme, order, constant", [("sdirk2", 2, 0.0404), ("moreau-theta", 2, 1.0 / 12.0), ("backward-euler", 1, 0.5)])
def test_a_ball_on_a_turntable_goes_in_circles_with_two_sevenths_of_its_spin(scheme, order, constant):
    """(7/5) v' = (2/5) W e_z x v for any rolling ball, wherever it starts (Weltner 1979)."""
    W, end, x, v = 3.0, 0.5, np.array([0.5, 0.0, R]), np.array([0.3, 0.4, 0.0])
    start = {"position": x, "velocity": v, "spin": np.cross(UP, v - np.cross(W * UP, x)) / R}
    w = 2.0 / 7.0 * W
    turned = np.cos(w * end) * v + np.sin(w * end) * np.cross(UP, v)
    errors = []
    for dt in (1e-2, 5e-3):
        data = run(BALL, end, dt, scheme, obstacle=HalfSpace(motion=RigidMotion(spin=(0.0, 0.0, W))), mu=50.0, **start)
        assert np.all(data.stick.values == 1)
        errors.append(np.abs(data.frame_velocity.values[-1] - turned).max())
    # v' = i w v: the error constants of the rules, along v for an odd order; the largest component of what is perpendicular
    error = constant * (w * 5e-3) ** order * w * end * (np.cross(UP, turned) if order == 2 else turned)
    assert errors[1] == pytest.approx(np.abs(error).max(), rel=0.05)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.05)


def start_force(body, obstacle, place, velocity, spin=(0.0, 0.0, 0.0), mu=0.0):
    """The contact force at t = 0 over the mass, m/s²."""
    data = run(body, 1e-3, 1e-3, obstacle=obstacle, mu=mu, position=place, velocity=velocity, spin=spin)
    return data.contact_force.values[0].sum(axis=0) / body.mass


@rows("drift", [(0.0, 0.0, 0.0), (1.0, -0.5, 0.3)])
def test_forces_at_the_start_bear_the_curved_path_and_the_obstacles_acceleration(drift):
    """m (a + g) with the centre's acceleration along the normal of a body that stays on its obstacle; ``drift``: of both. The pivot
    of a motion that does not turn has no effect."""
    (_, side, up), drift = np.eye(3), np.array(drift)
    moves = RigidMotion(velocity=drift, pivot=(0.1, 0.2, 0.3) if drift.any() else 0.0)
    normal, along = np.array([0.6, 0.0, 0.8]), 1.5 * side
    ball = start_force(BALL, Sphere((0.0, 0.0, -0.5), 0.5, motion=moves), (0.5 + R) * normal - 0.5 * up, along + drift)
    np.testing.assert_allclose(ball, (G * 0.8 - 1.5**2 / (0.5 + R)) * normal, rtol=0, atol=1e-10)
    bowl = Sphere((0.0, 0.0, 0.5), 0.5, inside=True, motion=moves)
    inside = start_force(BALL, bowl, 0.5 * up - (0.5 - R) * normal, along + drift)
    np.testing.assert_allclose(inside, (G * 0.8 + 1.5**2 / (0.5 - R)) * normal, rtol=0, atol=1e-10)
    lifts = RigidMotion(path=lambda t: drift * t + 1.5 * up * t * t, rates=lambda t: drift + 3.0 * up * t)
    lifted = start_force(BALL, HalfSpace(motion=lifts), R * up, drift)
    np.testing.assert_allclose(lifted, (G + 3.0) * up, rtol=0, atol=1e-6)
    table = HalfSpace((0.0, 0.0, -1e-6), motion=RigidMotion(velocity=drift, spin=2.0 * up))
    turned = start_force(LOW, table, (0.7, 0.0, 0.0), drift + 0.7 * 2.0 * side, 2.0 * up, mu=5.0)
    np.testing.assert_allclose(turned, [-4.0 * 0.7, 0.0, G], rtol=0, atol=1e-6)


@rows("mu, share", [(0.0, 2.0 / 3.0), (300.0, 10.0 / 17.0)])
def test_a_ball_leaves_a_fixed_sphere_where_its_weight_no_longer_holds_it_on_its_path(mu, share):
    """cos(theta) = 2/3 of that at the start without friction, 10/17 rolling; the gap does not drift until then."""
    big, start, dt, centre = 0.5, 0.3, 4e-3, np.array([0.2, -0.1, -0.7])
    direction = np.array([np.sin(start) * np.cos(2.0), np.sin(start) * np.sin(2.0), np.cos(start)])
    data = run(BALL, 0.6, dt, obstacle=Sphere(centre, big), mu=mu, position=centre + (big + R) * direction)
    arm = data.frame_position.values - centre
    distance = np.linalg.norm(arm, axis=1)
    leaves = int(np.flatnonzero(data.stick.values[:, 0] == -1)[0])
    assert 25 < leaves < len(distance) - 10
    assert np.abs(distance[:leaves] - big - R).max() <= 1e-14
    assert distance[leaves + 10] - big - R > 1e-5
    per_step = dt * np.linalg.norm(data.frame_velocity.values[leaves]) / (big + R)  # forces are of first order: a step
    assert abs(arm[leaves, 2] / distance[leaves] - share * np.cos(start)) <= per_step


def test_a_ball_rolls_to_and_fro_in_a_bowl_with_the_period_of_a_pendulum_of_seven_fifths_its_inertia():
    bowl, tilt = 0.8, 0.03
    arm = bowl - R
    place = (arm * np.sin(tilt), 0.0, bowl - arm * np.cos(tilt))
    data = run(BALL, 2.0, 1e-2, obstacle=Sphere((0.0, 0.0, bowl), bowl, inside=True), mu=5.0, position=place)
    x, t = data.frame_position.values[:, 0], data.time.values
    k = np.flatnonzero(x[:-1] * x[1:] < 0.0)
    zero = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    period = 2.0 * np.pi * np.sqrt(1.4 * arm / G) * (1.0 + tilt**2 / 16.0)
    # an error of (w dt)^2/12 at most
    np.testing.assert_allclose(2.0 * np.diff(zero), period, rtol=(2.0 * np.pi / period * 1e-2) ** 2 / 12.0)
    assert np.abs(np.linalg.norm(data.frame_position.values - [0.0, 0.0, bowl], axis=1) - arm).max() <= 1e-14


def test_a_ball_that_falls_into_a_groove_loses_its_speed_across_and_keeps_it_along():
    q = np.sqrt(0.5)
    sides = tuple(ff.Contact(obstacle=HalfSpace((0.0, 0.0, 0.0), (a * q, 0.0, q))) for a in (1.0, -1.0))
    data = run(BALL, 0.5, contacts=sides, position=(0.03, 0.0, 0.2), velocity=(0.0, 0.6, 0.0))
    assert data.normal_force[0].max() == 0.0
    np.testing.assert_allclose(data.frame_position.values[-1], [0.0, 0.3, R / q], atol=1e-12)
    np.testing.assert_allclose(data.frame_velocity.values[-1], [0.0, 0.6, 0.0], atol=1e-12)
    # each side bears the weight over 2 cos 45 degrees
    np.testing.assert_allclose(data.normal_force.values[-1], 1.5 * G * q, rtol=1e-10)
    np.testing.assert_allclose(data.contact_force.values[-1].sum(axis=0), [0.0, 0.0, 1.5 * G], atol=1e-10)


@rows("radius", [0.0, 0.02])
def test_a_ball_that_hits_an_edge_keeps_what_is_along_it_and_across_the_line_to_its_centre(radius):
    """Without friction or restitution the impulse is along n: v' = v - (v·n) n, n from the edge's axis to the centre."""
    v, height, dt = np.array([-1.5, 0.7, 0.0]), 0.03, 5e-4
    kerb = ff.RoundedEdge((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), radius)
    data = run(BALL, 0.05, dt, obstacle=kerb, gravity=0.0, position=(0.13, 0.0, height - radius), velocity=v)
    n = np.array([np.sqrt((R + radius) ** 2 - height**2), 0.0, height]) / (R + radius)
    after = v - (v @ n) * n
    assert np.linalg.norm(after - v) > 1.0
    # the normal is that at the end of the step in which it lands: its turn in a step times the speed
    np.testing.assert_allclose(data.frame_velocity.values[-1], after, atol=1.5 * 1.5**2 * dt / (R + radius))
    assert data.frame_velocity.values[-1, 1] == pytest.approx(0.7, abs=1e-13)


def test_a_ball_that_passes_through_the_side_of_a_small_sphere_within_a_step_warns():
    """A path on one side of the sphere is not taken for one through it, but its end is right of itself only."""
    marble, names = ff.RigidSolid(mass=1.0, inertia=(4e-5,) * 3, shape=ff.Ball(0.01)), []
    start = {"position": (0.0372, 0.0285, 0.0), "velocity": (-2.48, 0.0, 0.0), "gravity": 0.0}
    for dt in (1e-2, 2.5e-4):
        data = run(marble, 0.03, dt, "backward-euler", obstacle=Sphere((0.0, 0.0, 0.0), 0.02), **start)
        names.append([warning.name for warning in ff.run_warnings(data)])
    assert "penetration" in names[0]
    assert (data.stick == 2).any()
    assert "penetration" not in names[1]


@pytest.mark.slow
def test_random_bodies_thrown_among_random_obstacles_neither_sink_in_nor_gain_energy():
    rng, touched, throws = np.random.default_rng(7), 0, 0
    while throws < 12:
        feet, moments = rng.normal(size=(rng.integers(1, 6), 3)) * 0.1, np.sort(rng.uniform(0.005, 0.015, 3))
        moments[2] = min(moments[2], 0.99 * (moments[0] + moments[1]))
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        stands = ff.RigidSolid(mass=1.0, inertia=axes @ np.diag(moments) @ axes.T, shape=ff.Feet(feet))
        body = stands if throws % 3 else BALL
        choice = [
            HalfSpace((0.0, 0.0, -0.3), rng.normal(size=3) * 0.4 + [0.0, 0.0, 1.0]),
            Sphere((0.2, 0.1, -0.8), 0.5),
            ff.RoundedEdge((0.1, 0.0, -0.25), ((1.0, 0.2, 0.3), (0.0, 0.1, 1.0)), 0.05),
            Sphere((0.0, 0.0, 0.0), 1.5, inside=True),
        ]
        pair, mu = [choice[k] for k in rng.choice(4, 2, replace=False)], rng.uniform(0.0, 0.8)
        contacts = tuple(ff.Contact(obstacle=one, mu=mu) for one in pair)
        place = rng.normal(size=3) * 0.05 + [0.0, 0.0, 0.3]
        start = {"position": place, "velocity": rng.normal(size=3), "spin": rng.normal(size=3) * 5.0}
        if min(obstacle.gap(place + body.shape.centres, 0.0).gap.min() for obstacle in pair) < body.shape.radius:
            continue  # it would begin inside of one
        data = run(body, 0.4, 4e-3, contacts=contacts, **start)
        throws, count = throws + 1, len(data.node) // 2
        touched += int(((data.normal_force.values > 0.0) | (data.stick.values == 2)).any())
        for k, obstacle in enumerate(pair):
            nodes = data.position.values[:, k * count : (k + 1) * count]
            assert min(obstacle.gap(x, 0.0).gap.min() for x in nodes) >= -1e-13
        energy = data.energy_kinetic.values + body.mass * G * data.frame_position.values[:, 2]
        assert np.diff(energy).max() <= 1e-3 * np.ptp(data.energy_kinetic.values)
    assert touched >= 8


CURVED = [
    Sphere((0.1, 0.2, -1.0), 0.7),
    Sphere((0.0, 0.1, 0.3), 2.0, inside=True),
    ff.RoundedEdge((0.0, 0.0, -0.4), ((1.0, 0.2, 0.3), (-1.0, 0.1, 1.0)), 0.1),
]


@rows("obstacle", CURVED)
def test_the_tangent_of_a_stage_has_all_that_moves_with_the_body_on_curved_obstacles(obstacle):
    """The derivatives of the balance and of the points' velocities and gaps by (v, Ω), against differences, in two schemes."""
    motion = RigidMotion(velocity=(0.3, 0.2, -0.1), spin=(0.5, -1.0, 0.7), pivot=(0.1, 0.2, 0.3))
    moved = type(obstacle)(**{n: getattr(obstacle, n) for n in obstacle.__dataclass_fields__} | {"motion": motion})
    rng, small = np.random.default_rng(5), 1e-6
    for body, tau, tau_v, theta in ((BALL, 0.05, 0.05, 1.0), (BLOCK, 0.05, 0.05, 1.0), (BLOCK, 0.05, 0.1, 0.6)):
        m, w, late = len(body.shape.reference), rng.normal(size=6), 0.4 + tau_v - tau
        acting, P = CompiledSpaceBody(body, Contacts(body.shape, [moved]), ()), np.zeros((m, rec.POINT))
        P[:, rec.REFERENCE : rec.KINETIC], P[: m // 2, rec.PERSISTS] = body.shape.centres, 1.0
        stage, linear = np.zeros(1, rec.STAGE)[0], acting.linear[0]
        for name, value in {"tau": tau, "tau_v": tau_v, "theta": theta, "time": 0.4, "time_ahead": late}.items():
            stage[name] = value
        stage["place"], stage["increment"][3:], stage["rotation"] = (0.0, 0.0, 0.2), (0.2, -0.1, 0.3), np.eye(3)
        force, ahead = rng.normal(size=(m, 3)), acting.ground(late)

        def linearised(w, P=P, force=force, stage=stage, ahead=ahead, acting=acting, linear=linear):
            P[:, rec.FORCE : rec.SLIP] = force
            ground, effects = (acting.ground(0.4), ahead), (acting.table, np.zeros(0), acting.blocks)
            given = acting.body[0], stage, acting.load[0], *ground, *effects, acting.python[0]
            assert linearise(*given, acting.surface, acting.effects, w, linear, P) > 0.0
            return np.concatenate([linear["rest"], P[:, rec.VELOCITY : rec.BEFORE].ravel()])

        linearised(w)
        rates = [P[:, c : c + 9].reshape(m, 3, 3) for c in (rec.BY_VELOCITY, rec.BY_SPIN)]
        exact = np.concatenate([linear["stiffness"], np.concatenate(rates, axis=2).reshape(-1, 6)])
        columns = [(linearised(w + d) - linearised(w - d)) / (2.0 * small) for d in small * np.eye(6)]
        for computed, known in zip(np.split(exact, [6]), np.split(np.stack(columns, axis=-1), [6]), strict=True):
            np.testing.assert_allclose(computed, known, rtol=0, atol=1e-8 * np.abs(known).max() + 1e-8)
        assert np.abs(acting.surface[:-1, rec.AS_CURVATURE :]).max() > 0.1
