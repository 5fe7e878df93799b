"""Rigid bodies in space against obstacles: planes at an angle or in motion, spheres, grooves and edges, beside closed forms."""

import numpy as np
import pytest
from ff_space import BLOCK, G, R, run
from rows import rows

from floating_frame import (
    Ball,
    Base,
    Contact,
    Feet,
    HalfSpace,
    Options,
    RigidMotion,
    RigidSolid,
    RoundedEdge,
    Signorini,
    SpaceForce,
    SpaceInitial,
    SpaceProblem,
    Sphere,
    assemble,
    run_warnings,
    simulate,
)
from friction import Smooth, StaticKinetic

BALL = RigidSolid(mass=1.5, inertia=(0.4 * 1.5 * R * R,) * 3, shape=Ball(R))


def plane(angle, azimuth):
    """The normal of an inclined plane and its steepest way down."""
    c, s, way = np.cos(angle), np.sin(angle), np.array([np.cos(azimuth), np.sin(azimuth)])
    return np.array([*(s * way), c]), np.array([*(c * way), -s])


@rows("angle, azimuth, mu", [(0.4, 0.0, 0.8), (0.7, 2.1, 0.3), (0.7, -2.0, 0.1)])
def test_a_ball_rolls_down_an_inclined_plane_with_five_sevenths_or_slides_with_what_friction_leaves(angle, azimuth, mu):
    n, down = plane(angle, azimuth)
    foot = np.array([0.3, -0.2, 0.1])
    data = run(BALL, [Contact(obstacle=HalfSpace(foot, 3.0 * n), mu=mu)], 0.3, position=foot + R * n)
    rolls = mu > 2.0 / 7.0 * np.tan(angle)
    assert np.all(data.stick.values == int(rolls))
    pull = 5.0 / 7.0 * G * np.sin(angle) if rolls else G * (np.sin(angle) - mu * np.cos(angle))
    np.testing.assert_allclose(data.frame_velocity.values[-1], 0.3 * pull * down, atol=1e-11)
    np.testing.assert_allclose(data.frame_position.values[-1] - foot - R * n, 0.045 * pull * down, atol=1e-12)
    np.testing.assert_allclose(data.normal_force, 1.5 * G * np.cos(angle), rtol=1e-11)
    np.testing.assert_allclose(data.contact_force.values[-1, 0] @ n, 1.5 * G * np.cos(angle), rtol=1e-11)


def test_a_block_sticks_to_a_table_that_accelerates_up_to_mu_g_and_slips_from_there():
    mu, jerk, end = 0.3, 6.0, 0.8
    table = RigidMotion(path=lambda t: (0.0, jerk * t**3 / 6.0, 0.0), rates=lambda t: (0.0, jerk * t * t / 2.0, 0.0))
    low = RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Feet([[a, b, -1e-6] for a in (-1, 1) for b in (-1, 1)]))
    data = run(low, [Contact(obstacle=HalfSpace(motion=table), mu=mu)], end)
    breaks, time = mu * G / jerk, data.time.values
    relative = data.velocity.values[:, :, 1] - jerk * time[:, None] * time[:, None] / 2.0
    assert not relative[time < breaks - 2e-3].any()  # exactly
    assert np.all(relative[time > breaks + 2e-3] < 0.0)
    speed = 0.5 * jerk * breaks**2 + mu * G * (end - breaks)
    assert data.frame_velocity.values[-1, 1] == pytest.approx(speed, abs=jerk * 2e-3**2)
    assert data.work_external[-1] > 0.5 * speed**2


def test_a_block_that_is_weaker_once_it_slips_leaves_the_table_with_the_kinetic_coefficient():
    mu, ratio, jerk, end = 0.3, 0.5, 6.0, 0.8
    table = RigidMotion(path=lambda t: (jerk * t**3 / 6.0, 0.0, 0.0), rates=lambda t: (jerk * t * t / 2.0, 0.0, 0.0))
    low = RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Feet([[a, b, -1e-6] for a in (-1, 1) for b in (-1, 1)]))
    law = StaticKinetic(dynamic_ratio=ratio)
    data = run(low, [Contact(obstacle=HalfSpace(motion=table), mu=mu, law=law)], end)
    breaks = mu * G / jerk
    speed = 0.5 * jerk * breaks**2 + ratio * mu * G * (end - breaks)
    assert data.frame_velocity.values[-1, 0] == pytest.approx(speed, abs=(1.0 - ratio) * mu * G * 2e-3)


def test_a_belt_drags_a_block_until_it_moves_with_the_belt():
    mu, belt = 0.25, np.array([1.2, 0.5, 0.0])
    speed = np.hypot(1.2, 0.5)
    arrives = speed / (mu * G)
    contact = Contact(obstacle=HalfSpace(motion=RigidMotion(velocity=belt)), mu=mu)
    data = run(BLOCK, [contact], arrives + 0.1)
    np.testing.assert_allclose(data.frame_velocity.values[-1], belt, atol=1e-12)
    assert np.all(data.stick.values[-1] == 1)
    np.testing.assert_array_equal(data.velocity.values[-1, :, :2], np.tile(belt[:2], (4, 1)))
    way = data.frame_position.values[-1] @ belt / speed
    assert way == pytest.approx(speed * (0.5 * arrives + 0.1), abs=mu * G * 2e-3**2)
    # the belt gives twice what the block has: the rest is heat
    assert data.work_external[-1] == pytest.approx(speed**2, rel=1e-6)


@rows("scheme, order, constant", [("sdirk2", 2, 0.0404), ("moreau-theta", 2, 1.0 / 12.0), ("backward-euler", 1, 0.5)])
def test_a_ball_on_a_turntable_goes_in_circles_with_two_sevenths_of_its_spin(scheme, order, constant):
    """(7/5) v' = (2/5) W e_z x v for any rolling ball, wherever it starts (Weltner 1979)."""
    W, end, x, v = 3.0, 0.5, np.array([0.5, 0.0, R]), np.array([0.3, 0.4, 0.0])
    spin = np.cross([0.0, 0.0, 1.0], v - np.cross([0.0, 0.0, W], x)) / R
    table = Contact(obstacle=HalfSpace(motion=RigidMotion(spin=(0.0, 0.0, W))), mu=50.0)
    c, s, w = np.cos(2.0 / 7.0 * W * end), np.sin(2.0 / 7.0 * W * end), 2.0 / 7.0 * W
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    errors = []
    for dt in (1e-2, 5e-3):
        data = run(BALL, [table], end, dt=dt, scheme=scheme, position=x, velocity=v, spin_space=spin)
        assert np.all(data.stick.values == 1)
        errors.append(np.abs(data.frame_velocity.values[-1] - turn @ v).max())
    # v' = i w v: the error constants of the rules, along v for an odd order; the largest component of what is perpendicular
    error = constant * (w * 5e-3) ** order * w * end * (turn @ np.cross([0.0, 0.0, 1.0], v) if order == 2 else turn @ v)
    assert errors[1] == pytest.approx(np.abs(error).max(), rel=0.05)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.05)


def start_force(body, obstacle, place, velocity, spin=(0.0, 0.0, 0.0), mu=0.0):
    """The contact force at t = 0 over the mass, m/s²."""
    data = run(
        body,
        [Contact(obstacle=obstacle, mu=mu)],
        1e-3,
        dt=1e-3,
        position=place,
        velocity=velocity,
        spin_space=spin,
    )
    return data.contact_force.values[0].sum(axis=0) / body.mass


@rows("drift", [(0.0, 0.0, 0.0), (1.0, -0.5, 0.3)])
def test_forces_at_the_start_bear_the_curved_path_and_the_obstacles_acceleration(drift):
    """m (a + g) with the centre's acceleration along the normal of a body that stays on its obstacle; ``drift``: of both."""
    (_, side, up), drift, moves = np.eye(3), np.array(drift), RigidMotion(velocity=drift)
    way, along = np.array([0.6, 0.0, 0.8]), 1.5 * side
    ball = start_force(BALL, Sphere((0.0, 0.0, -0.5), 0.5, motion=moves), (0.5 + R) * way - 0.5 * up, along + drift)
    np.testing.assert_allclose(ball, (G * 0.8 - 1.5**2 / (0.5 + R)) * way, rtol=0, atol=1e-10)
    bowl = Sphere((0.0, 0.0, 0.5), 0.5, inside=True, motion=moves)
    inside = start_force(BALL, bowl, 0.5 * up - (0.5 - R) * way, along + drift)
    np.testing.assert_allclose(inside, (G * 0.8 + 1.5**2 / (0.5 - R)) * way, rtol=0, atol=1e-10)
    lifts = RigidMotion(path=lambda t: drift * t + 1.5 * up * t * t, rates=lambda t: drift + 3.0 * up * t)
    lifted = start_force(BALL, HalfSpace(motion=lifts), R * up, drift)
    np.testing.assert_allclose(lifted, (G + 3.0) * up, rtol=0, atol=1e-6)
    low = RigidSolid(mass=2.0, inertia=(1.0, 1.0, 1.0), shape=Feet([[a, b, -1e-6] for a in (-1, 1) for b in (-1, 1)]))
    table = HalfSpace((0.0, 0.0, -1e-6), motion=RigidMotion(velocity=drift, spin=2.0 * up))
    turned = start_force(low, table, (0.7, 0.0, 0.0), drift + 0.7 * 2.0 * side, 2.0 * up, mu=5.0)
    np.testing.assert_allclose(turned, [-4.0 * 0.7, 0.0, G], rtol=0, atol=1e-6)


@rows("mu, share", [(0.0, 2.0 / 3.0), (300.0, 10.0 / 17.0)])
def test_a_ball_leaves_a_fixed_sphere_where_its_weight_no_longer_holds_it_on_its_path(mu, share):
    """cos(theta) = 2/3 of that at the start without friction, 10/17 rolling; the gap does not drift until then."""
    big, start, dt, centre = 0.5, 0.3, 4e-3, np.array([0.2, -0.1, -0.7])
    way = np.array([np.sin(start) * np.cos(2.0), np.sin(start) * np.sin(2.0), np.cos(start)])
    data = run(BALL, [Contact(obstacle=Sphere(centre, big), mu=mu)], 0.6, dt=dt, position=centre + (big + R) * way)
    arm = data.frame_position.values - centre
    distance = np.linalg.norm(arm, axis=1)
    leaves = int(np.flatnonzero(data.stick.values[:, 0] == -1)[0])
    assert 25 < leaves < len(distance) - 10
    assert np.abs(distance[:leaves] - big - R).max() <= 1e-14
    assert distance[leaves + 10] - big - R > 1e-5
    cosine = arm[:, 2] / distance
    per_step = dt * np.linalg.norm(data.frame_velocity.values[leaves]) / (big + R)
    assert abs(cosine[leaves] - share * np.cos(start)) <= per_step  # forces are of first order: a step


def test_a_ball_rolls_to_and_fro_in_a_bowl_with_the_period_of_a_pendulum_of_seven_fifths_its_inertia():
    bowl, tilt = 0.8, 0.03
    contact = Contact(obstacle=Sphere((0.0, 0.0, bowl), bowl, inside=True), mu=5.0)
    arm = bowl - R
    place = (arm * np.sin(tilt), 0.0, bowl - arm * np.cos(tilt))
    data = run(BALL, [contact], 2.0, dt=1e-2, position=place)
    x, t = data.frame_position.values[:, 0], data.time.values
    k = np.flatnonzero(x[:-1] * x[1:] < 0.0)
    zero = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    period = 2.0 * np.pi * np.sqrt(1.4 * arm / G) * (1.0 + tilt**2 / 16.0)
    # an error of (w dt)^2/12 at most
    np.testing.assert_allclose(2.0 * np.diff(zero), period, rtol=(2.0 * np.pi / period * 1e-2) ** 2 / 12.0)
    assert np.abs(np.linalg.norm(data.frame_position.values - [0.0, 0.0, bowl], axis=1) - arm).max() <= 1e-14


def test_sliding_and_rolling_over_a_sphere_is_of_second_order():
    contact = Contact(obstacle=Sphere((0.0, 0.0, -0.5), 0.5), mu=0.3)
    start = {
        "position": (0.6 * np.sin(0.1), 0.0, -0.5 + 0.6 * np.cos(0.1)),
        "velocity": (0.0, 0.6, 0.0),
        "spin_space": (30.0, 2.0, 10.0),
    }
    ends = []
    for dt in (8e-3, 4e-3, 1e-3):
        data = run(BALL, [contact], 0.16, dt=dt, **start)
        assert np.all(data.stick.values == 0)
        ends.append(np.concatenate([data.frame_position.values[-1], data.frame_velocity.values[-1]]))
    errors = [np.abs(end - ends[-1]).max() for end in ends[:2]]
    assert errors[1] > 1e-9
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)


def test_a_ball_that_falls_into_a_groove_loses_its_speed_across_and_keeps_it_along():
    q = np.sqrt(0.5)
    sides = [Contact(obstacle=HalfSpace((0.0, 0.0, 0.0), (a * q, 0.0, q))) for a in (1.0, -1.0)]
    data = run(BALL, sides, 0.5, position=(0.03, 0.0, 0.2), velocity=(0.0, 0.6, 0.0))
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
    kerb = RoundedEdge((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), radius)
    start = (0.13, 0.0, height - radius)
    data = run(BALL, [Contact(obstacle=kerb)], 0.05, dt=dt, gravity=0.0, position=start, velocity=v)
    n = np.array([np.sqrt((R + radius) ** 2 - height**2), 0.0, height]) / (R + radius)
    after = v - (v @ n) * n
    assert np.linalg.norm(after - v) > 1.0
    # the normal is that at the end of the step in which it lands: its turn in a step times the speed
    np.testing.assert_allclose(data.frame_velocity.values[-1], after, atol=1.5 * 1.5**2 * dt / (R + radius))
    assert data.frame_velocity.values[-1, 1] == pytest.approx(0.7, abs=1e-13)


def test_a_block_slides_down_an_inclined_plane_as_it_does_on_the_level_under_turned_gravity():
    angle, mu, end = 0.5, 0.3, 0.2
    n, _ = plane(angle, 0.0)
    turn = (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)
    tilted = run(
        BLOCK, [Contact(obstacle=HalfSpace((0.0, 0.0, 0.0), n), mu=mu)], end, position=0.03 * n, rotation=turn,
        spin_space=4.0 * n,
    )  # fmt: skip
    pull = SpaceForce(force=(G * np.sin(angle), 0.0, 0.0))
    level = simulate(
        assemble(
            SpaceProblem(
                body=BLOCK, t_end=end, mu=mu, gravity=G * np.cos(angle), loads=(pull,),
                initial=SpaceInitial(spin_space=(0.0, 0.0, 4.0)),
            ),
            Options(dt=2e-3),
        )
    )  # fmt: skip
    Q = np.array([[np.cos(angle), 0.0, np.sin(angle)], [0.0, 1.0, 0.0], [-np.sin(angle), 0.0, np.cos(angle)]])
    assert np.abs(level.frame_position.values[-1, 0]) > 0.02
    np.testing.assert_allclose(tilted.frame_position.values, level.frame_position.values @ Q.T, atol=1e-9)
    np.testing.assert_allclose(tilted.frame_velocity.values[-1], Q @ level.frame_velocity.values[-1], atol=1e-8)
    np.testing.assert_allclose(tilted.normal_force, level.normal_force, atol=1e-6)


def test_a_ball_that_passes_through_the_side_of_a_small_sphere_within_a_step_warns():
    """A way on one side of the sphere is not taken for one through it, but its end is right of itself only."""
    marble = RigidSolid(mass=1.0, inertia=(4e-5,) * 3, shape=Ball(0.01))
    start = {"position": (0.0372, 0.0285, 0.0), "velocity": (-2.48, 0.0, 0.0)}
    names = []
    for dt in (1e-2, 2.5e-4):
        contact = Contact(obstacle=Sphere((0.0, 0.0, 0.0), 0.02))
        data = run(marble, [contact], 0.03, dt=dt, scheme="backward-euler", gravity=0.0, **start)
        names.append([warning.name for warning in run_warnings(data)])
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
        body = RigidSolid(mass=1.0, inertia=axes @ np.diag(moments) @ axes.T, shape=Feet(feet)) if throws % 3 else BALL
        choice = [
            HalfSpace((0.0, 0.0, -0.3), rng.normal(size=3) * 0.4 + [0.0, 0.0, 1.0]),
            Sphere((0.2, 0.1, -0.8), 0.5),
            RoundedEdge((0.1, 0.0, -0.25), ((1.0, 0.2, 0.3), (0.0, 0.1, 1.0)), 0.05),
            Sphere((0.0, 0.0, 0.0), 1.5, inside=True),
        ]
        pair, mu = [choice[k] for k in rng.choice(4, 2, replace=False)], rng.uniform(0.0, 0.8)
        contacts = [Contact(obstacle=obstacle, mu=mu) for obstacle in pair]
        place, velocity, spin = (
            rng.normal(size=3) * 0.05 + [0.0, 0.0, 0.3],
            rng.normal(size=3),
            rng.normal(size=3) * 5.0,
        )
        start = {"position": place, "velocity": velocity, "spin_space": spin}
        points = place + body.shape.centres
        if min(obstacle.gap(points, 0.0).gap.min() for obstacle in pair) < body.shape.radius:
            continue  # it would begin inside of one
        data = run(body, contacts, 0.4, dt=4e-3, **start)
        throws, count = throws + 1, len(data.node) // 2
        touched += int(((data.normal_force.values > 0.0) | (data.stick.values == 2)).any())
        for k, obstacle in enumerate(pair):
            nodes = data.position.values[:, k * count : (k + 1) * count]
            assert min(obstacle.gap(x, 0.0).gap.min() for x in nodes) >= -1e-13
        energy = data.energy_kinetic.values + body.mass * G * data.frame_position.values[:, 2]
        assert np.diff(energy).max() <= 1e-3 * np.ptp(data.energy_kinetic.values)
    assert touched >= 8


def test_the_ground_of_a_body_that_stands_is_where_its_path_has_it():
    """A path that does not begin at 0 moves the ground off z = 0, where no body can be said to stand."""
    table = HalfSpace(motion=RigidMotion(path=lambda t: (0.0, 0.0, -0.1)))
    with pytest.raises(ValueError, match="give its initial position"):
        run(BALL, [Contact(obstacle=table)], 0.1)


LATE = RigidMotion(path=lambda t: (max(0.0, t - 0.3) ** 2, 0.0, 0.0), rates=lambda t: (0.0, 0.0, 0.0))


@rows(
    "make, words",
    [
        (lambda: Contact(obstacle="ground"), "obstacle must be an obstacle such as HalfSpace"),
        (lambda: Contact(mu=-0.1), "mu of a contact must be a finite number >= 0"),
        (lambda: run(BALL, [Contact(normal=Signorini(restitution=0.5))], 0.1), "no restitution"),
        (lambda: run(BALL, [Contact(law=Smooth(v_reg=1e-3), mu=0.1)], 0.1), "exact contact takes Coulomb's law"),
        (lambda: HalfSpace(normal=(0.0, 0.0, 0.0)), "normal must not be zero"),
        (lambda: HalfSpace(motion=3.0), "motion must be RigidMotion"),
        (lambda: Sphere((0.0, 0.0, 0.0), -1.0), "radius must be a finite length > 0 m"),
        (lambda: RoundedEdge((0, 0, 0), ((0, 0, 1), (0, 0, 2))), "must not be parallel"),
        (lambda: RigidMotion(velocity=(1.0, np.nan, 0.0)), "velocity"),
        (lambda: RigidMotion(path=lambda t: (0.0,)), "path .* two or three finite numbers"),
        (
            lambda: Contact(HalfSpace(motion=RigidMotion(path=lambda t: (0.0, t)))),
            "motion of an obstacle must be in space",
        ),
        (lambda: Contact(HalfSpace(motion=RigidMotion(spin=1.0))), "motion of an obstacle must be in space"),
        (lambda: RigidMotion(path=3.0), "path must be a function, got 3.0"),
        (lambda: RigidMotion(path=lambda t: (0.0, 0.0, t), rates=1.0), "rates must be a function, got 1.0"),
        (
            lambda: run(BALL, [Contact(obstacle=HalfSpace(motion=LATE))], 2.0),
            r"rates \(m/s, rad/s\) must be the derivative of its path: .* they are \(0, 0, 0\), that is \(3.3",
        ),
        (lambda: RigidMotion(path=lambda t: (0.0, 0.0, t), velocity=(1.0, 0.0, 0.0)), "either a velocity or a path"),
        (lambda: run(BALL, [Contact(obstacle=Sphere((0.0, 0.0, 0.0), 1.0))], 0.1), "give its initial position"),
        (
            lambda: run(BALL, [Contact(obstacle=Sphere((0.0, 0.0, 0.0), 1.0))], 0.1, position=(0.0, 0.0, 1.05)),
            r"begins 0.05 m inside of Sphere.*along \[0.0, 0.0, 1.0\]",
        ),
        (lambda: SpaceProblem(body=BALL, t_end=0.1, mu=0.2, contacts=(Contact(),)), "give each its own"),
        (lambda: SpaceProblem(body=BALL, t_end=0.1, contacts=Contact()), "must be a tuple"),
        (lambda: SpaceProblem(body=BALL, t_end=0.1, contacts=(Sphere((0, 0, 0), 1.0),)), "contacts such as Contact"),
        (
            lambda: SpaceProblem(
                body=RigidSolid(
                    mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Base([[0, 0, -1], [1, 0, -1], [0, 1, -1]], [1.0] * 3)
                ),
                t_end=0.1,
                contacts=(Contact(obstacle=HalfSpace((0, 0, -2))), Contact()),
            ),
            "a flat base takes the ground z = 0 alone",
        ),
    ],
)
def test_what_is_no_obstacle_is_refused_in_words(make, words):
    with pytest.raises(ValueError, match=words):
        make()
