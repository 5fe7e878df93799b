"""Penalty contact of rigid bodies in space: static penetration, restitution, creep, and the same motion in the plane."""

import ff_space
import numpy as np
import pytest
from ff_contacts import body
from ff_space import BLOCK, G, R
from rows import rows
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from floating_frame import (
    Ball,
    Contact,
    Feet,
    HalfSpace,
    InitialState,
    Line,
    Options,
    Problem,
    RigidMotion,
    RigidSolid,
    Sphere,
    assemble,
    run_warnings,
    simulate,
)
from floating_frame.effect.penalty import PenaltyContact
from friction import Coulomb, NormalForce, Sliding, SlidingStiction, Smooth, UserForce

BALL = RigidSolid(mass=1.0, inertia=(0.004,) * 3, shape=Ball(R))
MEMORY = SlidingStiction(v_s=2e-2, v_d=6e-2, dynamic_ratio=0.8, max_stiction_deformation=1e-4)


def run(solid, contact, t_end, *, dt=1e-3, **given):
    return ff_space.run(solid, [contact], t_end, dt=dt, **given)


@rows("m1, stiffness", [(1.0, 1e5), (1.5, 1e6), (2.2, 1e9)])
def test_a_body_at_rest_has_sunk_in_by_what_bears_its_weight(m1, stiffness):
    deep = (G / stiffness) ** (1.0 / m1)
    damping = 2.0 * np.sqrt(stiffness * m1 * deep ** (m1 - 1.0))  # critical
    settles = {"t_end": 0.3, "dt": 5e-3, "scheme": "backward-euler"}
    data = run(BALL, Contact(normal=NormalForce(stiffness, damping, m1=m1)), **settles)
    assert R - data.frame_position.values[-1, 2] == pytest.approx(deep, rel=1e-9)
    assert data.normal_force.values[-1, 0] == pytest.approx(G, rel=1e-9)
    assert data.contact_energy.values[-1] == pytest.approx(G * deep / (m1 + 1.0), rel=1e-8)
    four = run(BLOCK, Contact(normal=NormalForce(stiffness, damping, m1=m1)), **settles)
    assert 0.03 - four.frame_position.values[-1, 2] == pytest.approx((0.25 * G / stiffness) ** (1.0 / m1), rel=1e-6)


@pytest.mark.parametrize(("deep", "warns"), [(0.9, False), (1.1, True)])
def test_a_soft_penalty_warns_where_it_lets_a_tenth_of_the_body_in(deep, warns):
    """A ball that falls from a height h without damping goes d deep: k d²/2 = m g (h + d)."""
    deepest, height = 0.1 * deep * R, 0.02
    stiffness = 2.0 * G * (height + deepest) / deepest**2
    data = run(BALL, Contact(normal=NormalForce(stiffness)), 0.12, position=(0.0, 0.0, R + height))
    assert R - data.frame_position.values[:, 2].min() == pytest.approx(deepest, rel=0.02)
    assert ("penetration" in [warning.name for warning in run_warnings(data)]) == warns


@rows(
    "law",
    [
        NormalForce(2e4, 15.0, m1=1.4, m3=0.5),
        UserForce(lambda d, rate, t: 2e4 * d * (1.0 + 0.3 * rate)),
    ],
)
def test_a_ball_bounces_off_a_penalty_as_the_equation_of_its_one_degree_of_freedom_says(law):
    speed, left = 1.0, []

    def rate(t, y):
        depth = -y[0]
        push = law.force(np.array([depth]), np.array([-y[1]]))[0] if depth > 0.0 else 0.0
        return [y[1], push - G]

    def surface(t, y):
        return y[0]

    exact = solve_ivp(rate, (0.0, 0.1), [0.0, -speed], method="DOP853", rtol=1e-12, atol=1e-14, events=surface)
    k = int(np.flatnonzero(exact.t_events[0] > 1e-6)[0])
    leaves, up = exact.t_events[0][k], exact.y_events[0][k][1]
    assert 0.3 < up / speed <= 1.0 + 1e-9
    for dt in (4e-4, 2e-4):
        data = run(BALL, Contact(normal=law), leaves + 2e-3, dt=dt, position=(0.0, 0.0, R), velocity=(0.0, 0.0, -speed))
        left.append(data.frame_velocity.values[-1, 2] + G * 2e-3)
    # the force has a kink at the surface, where a step may lie anywhere: second order up to a factor
    error = up * (np.pi / leaves * 2e-4) ** 2
    assert left[1] == pytest.approx(up, abs=error)
    assert abs(left[1] - up) < abs(left[0] - up) + 0.1 * error
    lost = 0.5 * (speed**2 - up**2)
    assert data.dissipation_contact.values[-1] == pytest.approx(lost, abs=speed * 4.0 * error)


@rows(
    "law",
    [
        Smooth(v_reg=2e-3),
        Sliding(v_s=2e-3, v_d=6e-3, dynamic_ratio=0.8),
    ],
)
def test_a_block_creeps_down_an_incline_at_the_speed_at_which_the_law_bears_its_weight(law):
    angle, mu = 0.2, 0.35
    share = np.tan(angle) / mu
    assert share < 0.7
    creep = brentq(lambda s: law.force(np.array([[s, 0.0]]), np.ones(1))[0, 0] - share, 0.0, 2e-3, xtol=1e-16)
    if isinstance(law, Smooth):
        assert creep == pytest.approx(law.v_reg * share / np.sqrt(1.0 - share**2), rel=1e-9)
    n, down = np.array([np.sin(angle), 0.0, np.cos(angle)]), np.array([np.cos(angle), 0.0, -np.sin(angle)])
    contact = Contact(obstacle=HalfSpace((0.0, 0.0, 0.0), n), normal=NormalForce(1e5, 300.0), law=law, mu=mu)
    turn = (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)
    data = run(BLOCK, contact, 0.4, position=0.03 * n, rotation=turn, scheme="backward-euler", dt=4e-3)
    assert creep > 1e-4
    np.testing.assert_allclose(data.frame_velocity.values[-1], creep * down, atol=1e-7 * creep + 1e-9)
    assert data.friction_work.values[-1].sum() == pytest.approx(mu * share * G * np.cos(angle) * creep * 0.4, rel=0.1)


def test_a_block_hangs_on_its_bristles_where_an_incline_is_less_steep_than_friction():
    """They bend until they bear the weight's part along the plane, and the block comes to rest; without memory it would creep."""
    angle, mu, most = 0.15, 0.4, 5e-4
    law = SlidingStiction(v_s=2e-2, v_d=6e-2, dynamic_ratio=0.8, max_stiction_deformation=most)
    n, down = np.array([np.sin(angle), 0.0, np.cos(angle)]), np.array([np.cos(angle), 0.0, -np.sin(angle)])
    contact = Contact(obstacle=HalfSpace((0.0, 0.0, 0.0), n), normal=NormalForce(1e5, 300.0), law=law, mu=mu)
    turn = (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)
    data = run(BLOCK, contact, 1.0, position=0.03 * n, rotation=turn, scheme="backward-euler", dt=1e-2)
    way = (data.frame_position.values[-1] - 0.03 * n) @ down
    assert 1e-6 < way < most
    assert np.abs(data.frame_velocity.values[-1]).max() < 1e-3 * np.sqrt(G * most)
    drag = -data.friction_force.values[-1].sum(axis=0) @ down
    assert drag == pytest.approx(G * np.sin(angle), rel=1e-3)


def test_bristles_turn_with_a_table_on_which_a_block_stands():
    """They bear the centripetal force, which turns with the table. In axes at rest the block would have to slide by ω z for them to
    follow: 0.6 mm in half a turn."""
    rate, place, end = 2.0 * np.pi, 0.05, 0.5
    law = SlidingStiction(v_s=2e-2, v_d=6e-2, dynamic_ratio=0.8, max_stiction_deformation=1e-3)
    table = HalfSpace(motion=RigidMotion(spin=(0.0, 0.0, rate)))
    contact = Contact(obstacle=table, normal=NormalForce(1e5, 600.0), law=law, mu=1.0)
    start = {"position": (place, 0.0, 0.03), "velocity": (0.0, rate * place, 0.0), "spin_space": (0.0, 0.0, rate)}
    data = run(BLOCK, contact, end, dt=1e-3, **start)
    (x, y), force = data.frame_position.values[-1, :2], data.friction_force.values[-1].sum(axis=0)
    turned = np.arctan2(y, x) % (2.0 * np.pi) - rate * end
    assert 1e-5 < np.hypot(x, y) - place < 1e-3  # they have bent
    assert abs(turned) * place < 1e-4
    inward = -np.array([x, y, 0.0]) / np.hypot(x, y)
    assert force @ inward == pytest.approx(rate**2 * place, rel=0.1)


def test_bristles_of_a_point_that_opens_are_released_at_the_end_of_its_stage_and_bend_no_more():
    contact = Contact(normal=NormalForce(1e5, 300.0), law=MEMORY, mu=0.3)
    effect = PenaltyContact(contact, None, np.ones(2))
    bent, x, v = np.full((2, 2), 5e-5), np.array([[0.0, 0.0, -1e-4], [1.0, 0.0, 1e-4]]), np.full((2, 3), 1e-2)
    stage = effect.for_stage(0.0, bent, 1e-3)
    record = stage.record(x, v, (stage.at(x, v).force,))
    assert record.force[0][0, 2] > 1.0
    assert not record.force[0][1].any()
    assert np.all(record.internal[0] > bent[0])
    np.testing.assert_array_equal(record.internal[1], 0.0)
    np.testing.assert_allclose(effect.inherited(bent + 1e-5, [record]), [bent[0] + 1e-5, [0.0, 0.0]], rtol=0, atol=0)
    rate = effect.rate(0.0, bent, x, v)
    assert np.all(rate[0] > 0.0)
    np.testing.assert_array_equal(rate[1], 0.0)


def test_a_belt_drags_a_ball_whose_penalty_contact_rubs_by_a_smooth_law():
    belt = RigidMotion(velocity=(0.0, 0.8, 0.0))
    contact = Contact(obstacle=HalfSpace(motion=belt), normal=NormalForce(1e5, 500.0), law=Smooth(1e-3), mu=0.3)
    data = run(BALL, contact, 0.4, dt=2e-3)
    # it ends rolling: v + Ω × a = belt, angular momentum about the point of contact: v = 2/7 of the belt
    np.testing.assert_allclose(data.frame_velocity.values[-1], [0.0, 0.8 * 2.0 / 7.0, 0.0], atol=1e-9)
    assert data.work_external.values[-1] > 0.5 * (0.8 * 2.0 / 7.0) ** 2


@rows("law", [Smooth(2e-2), MEMORY])
def test_a_body_that_hits_a_wall_in_the_plane_moves_in_space_as_it_does_there(law):
    """Three corners of a plate against a wall with friction; the plane cuts its steps at first touch, space does not."""
    normal, mu, end, dt = NormalForce(4e4, 300.0, m1=1.5), 0.3, 0.03, 2e-4
    plate, wall, velocity, spin = body(), ((0.234, 0.0), (-1.0, 0.3)), (1.0, 0.4), 3.0
    corners = [
        int(np.argmin(np.abs(plate.X - corner).sum(axis=1))) for corner in ((0.2, -0.1), (0.2, 0.1), (-0.2, 0.1))
    ]
    contact = Contact(Line(*wall), nodes=corners, normal=normal, law=law, mu=mu)
    start = InitialState(velocity, spin)
    plane = simulate(assemble(Problem(plate, end, None, initial=start, contacts=(contact,)), Options(dt, "sdirk2")))
    assert plane.contact_force.values[:, 0].min() < -10.0
    moment = float(plane.angular_momentum[0]) / spin
    solid = RigidSolid(
        mass=float(plane.linear_momentum[0, 0]),
        inertia=(moment, moment, moment),
        shape=Feet([[*plate.X[node], 0.0] for node in corners]),
    )
    obstacle = HalfSpace(*((*pair, 0.0) for pair in wall))
    space = run(
        solid,
        Contact(obstacle=obstacle, normal=normal, law=law, mu=mu),
        end,
        dt=dt,
        gravity=0.0,
        position=(0.0, 0.0, 0.0),
        velocity=(*velocity, 0.0),
        spin_space=(0.0, 0.0, spin),
    )
    np.testing.assert_allclose(space.frame_velocity.values[-1, :2], plane.frame_velocity.values[-1], atol=1e-4)
    assert float(space.frame_spin[-1, 2]) == pytest.approx(float(plane.frame_spin[-1]), abs=1e-3)
    np.testing.assert_allclose(space.frame_position.values[-1, :2], plane.frame_position.values[-1], atol=2e-6)


@rows(
    "obstacle",
    [Sphere((0.1, 0.2, -0.3), 1.2), Sphere((0.0, 0.0, 0.0), 2.0, inside=True), HalfSpace((0, 0, -1), (0.3, 0.2, 1.0))],
)
def test_forces_have_their_exact_derivatives_of_points_and_of_balls_on_moving_obstacles(obstacle):
    rng, step = np.random.default_rng(3), 1e-6
    moving = RigidMotion(velocity=(0.3, 0.2, -0.1), spin=(0.5, -1.0, 0.7), pivot=(0.1, 0.2, 0.3))
    moved = type(obstacle)(**{**vars_of(obstacle), "motion": moving})
    law = NormalForce(1e4, 30.0, m1=1.5, m2=1.2, m3=0.3)
    for radius in (0.0, 0.3):
        contact = Contact(obstacle=moved, normal=law, law=Smooth(v_reg=0.5), mu=0.3)
        acting = PenaltyContact(contact, None, np.array([2.5]), radius).for_stage(0.4, None, 0.0)
        x, v = np.array([[0.3, 0.1, 0.9]]), rng.normal(size=(1, 6 if radius else 3))
        for _ in range(20):
            gap = moved.gap(x, 0.4)
            x = x - (gap.gap - radius + 0.05)[:, None] * gap.normal
        exact = acting.at(x, v)
        assert exact.force[0, :3] @ gap.normal[0] > 50.0
        for derivative, size, change in (
            (exact.by_place, 3, lambda d, x=x, v=v: (x + d, v)),
            (exact.by_velocity, v.shape[1], lambda d, x=x, v=v: (x, v + d)),
        ):
            ways = step * np.eye(size)
            columns = [(acting.at(*change(d)).force - acting.at(*change(-d)).force)[0] / (2.0 * step) for d in ways]
            np.testing.assert_allclose(derivative[0], np.transpose(columns), atol=1e-7 * np.abs(columns).max())


def vars_of(obstacle):
    return {name: getattr(obstacle, name) for name in obstacle.__dataclass_fields__}


@rows(
    "make, words",
    [
        (
            lambda: run(BALL, Contact(normal=NormalForce(1e5), law=Coulomb(), mu=0.2), 0.1),
            "function of the slip velocity",
        ),
        (lambda: Contact(normal=3.0), "normal must be a NormalForce, a UserForce or Signorini"),
    ],
)
def test_what_a_penalty_contact_does_not_take_is_refused_by_name(make, words):
    with pytest.raises(ValueError, match=words):
        make()
