"""Elastic solids in space on inclined, moving and curved obstacles: the same motion as where gravity or the body moves instead."""

import numpy as np
import pytest
from rows import rows
from single_steps import initial_state

from fem import Solid, StVenantKirchhoff, box
from floating_frame import (
    Contact,
    Cosine,
    Feet,
    HalfSpace,
    Options,
    RigidMotion,
    RigidSolid,
    SolidForce,
    SolidInitial,
    SolidProblem,
    SpaceForce,
    SpaceInitial,
    SpaceProblem,
    Sphere,
    assemble,
    simulate,
)
from friction import Coulomb, Foundation, StaticKinetic

G = 9.81


def solid(E=1e6, cells=(2, 2, 1)):
    return Solid.build(box(0.3, 0.2, 0.1, *cells), density=1000.0, material=StVenantKirchhoff(E, 0.3), viscosity=0.0)


def run(body, t_end, *, dt=2e-3, scheme="sdirk2", initial=None, **given):
    problem = SolidProblem(body=body, t_end=t_end, contact="bottom", initial=initial or SolidInitial(), **given)
    data = simulate(assemble(problem, Options(dt=dt, scheme=scheme)))
    assert np.abs(data.balance_error).max() <= 1e-10
    return data


@rows("law", [Coulomb(), StaticKinetic(dynamic_ratio=0.6)])
def test_a_solid_slides_down_an_inclined_plane_as_it_does_on_the_level_under_turned_gravity(law):
    angle, mu, body = 0.5, 0.3, solid()
    n = np.array([np.sin(angle), 0.0, np.cos(angle)])
    Q = np.array([[np.cos(angle), 0.0, np.sin(angle)], [0.0, 1.0, 0.0], [-np.sin(angle), 0.0, np.cos(angle)]])
    up, turn = (
        np.array([-0.1, 0.0, 0.0]),
        (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0),
    )  # thrown up, it turns round
    stands = SolidInitial(position=0.05 * n, rotation=turn, velocity=Q @ up)
    tilted = run(body, 0.04, mu=mu, law=law, obstacle=HalfSpace((0.0, 0.0, 0.0), n), initial=stands)
    pull = SolidForce(force=(body.mass * G * np.sin(angle), 0.0, 0.0))
    thrown = SolidInitial(velocity=up)
    level = run(body, 0.04, mu=mu, law=law, gravity=G * np.cos(angle), loads=(pull,), initial=thrown)
    assert level.frame_velocity.values[-1, 0] > 0.02
    np.testing.assert_allclose(tilted.position.values, level.position.values @ Q.T, atol=1e-12)
    np.testing.assert_allclose(tilted.normal_force, level.normal_force, atol=3e-8 * body.mass * G)
    np.testing.assert_allclose(tilted.contact_force.values, level.contact_force.values @ Q.T, atol=3e-8 * body.mass * G)
    np.testing.assert_array_equal(tilted.stick, level.stick)


def test_a_belt_drags_a_solid_as_the_ground_brakes_it_where_the_solid_is_thrown_back():
    belt, body = np.array([0.5, 0.2, 0.0]), solid()
    dragged = run(body, 0.16, mu=0.4, obstacle=HalfSpace(motion=RigidMotion(velocity=belt)))
    braked = run(body, 0.16, mu=0.4, initial=SolidInitial(velocity=-belt))
    assert np.all(dragged.stick.values[-1][dragged.normal_force.values[-1] > 0.0] == 1)
    way = belt * dragged.time.values[:, None]
    np.testing.assert_allclose(dragged.frame_position.values, braked.frame_position.values + way, atol=1e-11)
    np.testing.assert_allclose(dragged.normal_force, braked.normal_force, atol=1e-7 * body.mass * G)
    rests = (dragged.stick.values[-1] == 1)[:, None] & [True, True, False]
    np.testing.assert_array_equal(dragged.velocity.values[-1][rests], np.broadcast_to(belt, (len(rests), 3))[rests])
    # what the belt gave beyond the ground's heat is the change of energy and momentum between the two views
    given = dragged.work_external.values[-1] - braked.work_external.values[-1]
    change = (dragged.linear_momentum.values[-1] - dragged.linear_momentum.values[0]) @ belt
    assert given == pytest.approx(change, rel=1e-9)
    assert change > 1.0


def test_a_stiff_solid_slides_in_a_bowl_as_the_rigid_block_does():
    """Both with backward Euler; the solid's one cell of 1e9 Pa is stiff, what is left is gap against velocity level."""
    bowl, body, end, dt = 1.2, solid(1e9, (1, 1, 1)), 0.3, 2.5e-3
    corners = body.X[body.boundary("bottom")]
    depth = bowl - np.sqrt(bowl**2 - 0.15**2 - 0.1**2)
    obstacle, place, velocity = Sphere((0.0, 0.0, bowl), bowl, inside=True), (0.0, 0.0, 0.05 + depth), (0.3, 0.2, 0.0)
    soft = run(
        body, end, dt=dt, scheme="backward-euler", mu=0.1, obstacle=obstacle,
        initial=SolidInitial(position=place, velocity=velocity),
    )  # fmt: skip
    touching = soft.normal_force.values > 0.0
    gaps = np.array([obstacle.gap(x, 0.0).gap for x in soft.position.values[:, body.boundary("bottom")]])
    assert touching[1:].any(axis=1).all()
    assert gaps.min() >= -1e-15
    assert np.abs(gaps[touching[:, body.boundary("bottom")]]).max() <= 1e-15
    moments = soft.J.values[0]
    rigid = RigidSolid(mass=body.mass, inertia=0.5 * (moments + moments.T), shape=Feet(corners))
    block = simulate(
        assemble(
            SpaceProblem(
                body=rigid, t_end=end, contacts=(Contact(obstacle=obstacle, mu=0.1),),
                initial=SpaceInitial(position=place, velocity=velocity),
            ),
            Options(dt=dt, scheme="backward-euler"),
        )
    )  # fmt: skip
    way = np.linalg.norm(block.frame_position.values[-1] - place)
    assert way > 0.03
    assert np.linalg.norm(soft.frame_position.values[-1] - block.frame_position.values[-1]) < 0.02 * way


@pytest.mark.parametrize("kind", ["rigid", pytest.param("elastic", marks=pytest.mark.slow)])
def test_a_block_turns_round_on_a_shaken_table_at_second_order_as_on_the_ground_under_its_inertia(kind):
    """Without the cut where it turns round each turning costs a step's way at friction's acceleration, of first order."""
    amplitude, rate, mu, end, body = 12.0, 10.0, 0.4, 0.3, solid(1e7, (1, 1, 1))
    table = RigidMotion(
        path=lambda t: (amplitude / rate**2 * (1.0 - np.cos(rate * t)), 0.0, 0.0),
        rates=lambda t: (amplitude / rate * np.sin(rate * t), 0.0, 0.0),
    )
    off, course = [], Cosine(rate)
    low = RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Feet([[a, b, -1e-6] for a in (-1, 1) for b in (-1, 1)]))
    for dt in (1e-2, 5e-3):
        if kind == "rigid":
            push = (SpaceForce(force=(-amplitude, 0.0, 0.0), history=course),)
            shaken = SpaceProblem(body=low, t_end=end, contacts=(Contact(obstacle=HalfSpace(motion=table), mu=mu),))
            driven = SpaceProblem(body=low, t_end=end, mu=mu, loads=push)
        else:
            load, given = (
                (-amplitude * body.mass, 0.0, 0.0),
                {"body": body, "t_end": end, "contact": "bottom", "mu": mu},
            )
            shaken = SolidProblem(**given, obstacle=HalfSpace(motion=table))
            driven = SolidProblem(**given, loads=(SolidForce(force=load, history=course),))
        one, other = (simulate(assemble(problem, Options(dt=dt))) for problem in (shaken, driven))
        way = one.frame_position.values[:, 0] - [table.path(t)[0] for t in one.time.values]
        off.append(np.abs(way - other.frame_position.values[:, 0]).max())
    assert way.argmin() not in (0, len(way) - 1)  # it has turned round
    assert off[0] < amplitude * 1e-2**2
    assert np.log2(off[0] / off[1]) == pytest.approx(2.0, abs=0.3)


def test_nodes_that_press_at_the_start_go_on_along_a_bowl_that_moves():
    """The second difference of their gaps along their accelerations vanishes: all turn about the bowl's centre, which drifts."""
    bowl, body, spin, drift = 1.2, solid(1e6, (1, 1, 1)), np.array([0.5, -1.0, 0.3]), np.array([0.2, 0.1, 0.0])
    depth = bowl - np.sqrt(bowl**2 - 0.15**2 - 0.1**2)
    place, centre = np.array([0.0, 0.0, 0.05 + depth]), np.array([0.0, 0.0, bowl])
    obstacle = Sphere(tuple(centre), bowl, inside=True, motion=RigidMotion(velocity=tuple(drift)))
    start = SolidInitial(position=place, velocity=drift + np.cross(spin, place - centre), spin_space=spin)
    problem = SolidProblem(body=body, t_end=0.1, contact="bottom", obstacle=obstacle, mu=0.1, initial=start)
    state = initial_state(assemble(problem, Options(dt=1e-3, scheme="backward-euler")))
    nodes, h = body.boundary("bottom"), 1e-4
    assert np.all(state.multiplier[:, 2] < 0.0)
    x, v, a = (field[nodes] for field in (state.position, state.velocity, state.acceleration))
    before, now, after = (obstacle.gap(x + t * v + 0.5 * t * t * a, t).gap for t in (-h, 0.0, h))
    assert np.abs(a).max() > 0.5
    np.testing.assert_allclose((before - 2.0 * now + after) / h**2, 0.0, atol=1e-6 * np.abs(a).max() + 1e-7)


def off_circle(dt):
    """How far the centre of a stiff cube, which sticks 0.3 m from the axis of a turning table, is off its circle."""
    rate, end, body = (
        3.0,
        0.25,
        Solid.build(box(0.1, 0.1, 0.1, 1, 1, 1), density=1000.0, material=StVenantKirchhoff(1e8, 0.3), viscosity=0.0),
    )
    start = SolidInitial(position=(0.3, 0.0, 0.05), velocity=(0.0, 0.9, 0.0), spin_space=(0.0, 0.0, rate))
    table = HalfSpace(motion=RigidMotion(spin=(0.0, 0.0, rate)))
    data = run(body, end, dt=dt, mu=1.5, obstacle=table, initial=start)
    angle = rate * end
    return np.linalg.norm(data.frame_position.values[-1, :2] - 0.3 * np.array([np.cos(angle), np.sin(angle)]))


def test_a_solid_that_sticks_to_a_turntable_goes_in_a_circle_to_second_order():
    """With the table's velocity where a stage begins, not where it leads, each one was explicit: 4 mm off, of first order."""
    off = [off_circle(dt) for dt in (0.025, 0.0125)]
    assert 1e-7 < off[1] < 1e-4
    assert off[0] / off[1] > 3.0


UNEVEN = {
    "bowl": Sphere((0.0, 0.0, 1.2), 1.2, inside=True),
    "sphere": Sphere((0.0, 0.0, -2.0), 2.0),
    "accelerated bowl": Sphere(
        (0.0, 0.0, 1.2),
        1.2,
        inside=True,
        motion=RigidMotion(path=lambda t: (0.0, 0.1 * t, 0.2 * t * t), rates=lambda t: (0.0, 0.1, 0.4 * t)),
    ),
    "tilting table": HalfSpace(motion=RigidMotion(spin=(0.3, 0.4, 1.0))),
}


@pytest.mark.parametrize(
    "name",
    ["bowl", "tilting table", *(pytest.param(n, marks=pytest.mark.slow) for n in ("sphere", "accelerated bowl"))],
)
def test_sliding_along_what_is_curved_or_turns_is_of_second_order(name):
    """One cell that begins as its weight has it and keeps all its nodes on the obstacle; steps resolve its vibrations."""
    obstacle, gravity = UNEVEN[name], 9.81
    body = Solid.build(
        box(0.3, 0.2, 0.1, 1, 1, 1), density=1000.0, material=StVenantKirchhoff(2e5, 0.3), viscosity=2e-3
    )
    nodes, corner = body.boundary("bottom"), np.array([[0.15, 0.1, 0.0]])
    level = obstacle.gap(corner, 0.0).gap[0] * np.array([0.0, 0.0, 1.0])
    for _ in range(20):  # up or down to the obstacle
        level = level - obstacle.gap(corner + level, 0.0).gap[0] * np.array([0.0, 0.0, 1.0])
    pressed = np.where(body.X[:, 2:] > 0.0, [0.0, 0.0, -0.5 * 1000.0 * gravity * 0.1**2 / 2e5], 0.0)
    start = SolidInitial(position=(0.0, 0.0, 0.05 + level[2]), velocity=(0.3, 0.2, 0.0), displacement=pressed)
    ends = []
    for dt in (4e-3, 2e-3, 1e-3):
        data = run(body, 0.04, dt=dt, mu=0.1, obstacle=obstacle, initial=start)
        gap = obstacle.gap(data.position.values[-1][nodes], 0.04).gap
        assert data.normal_force.values[1:, nodes].min() > 0.0
        assert np.abs(gap).max() < 1e-14
        ends.append((data.position.values[-1], data.velocity.values[-1]))
    for coarse, fine, finest in zip(*ends, strict=True):
        first, second = np.abs(fine - coarse).max(), np.abs(finest - fine).max()
        assert first > 1e-6
        assert np.log2(first / second) == pytest.approx(2.0, abs=0.3)


BALL = Sphere((0.0, 0.0, -1.0), 1.0)


@rows(
    "given, words",
    [
        ({"obstacle": BALL}, "give its initial position"),
        ({"obstacle": BALL, "initial": SolidInitial(position=(0.0, 0.0, 0.02))}, "0.03 m inside of Sphere"),
        ({"obstacle": "ground"}, r"obstacle must be an obstacle such as HalfSpace\(\)"),
        (
            {"obstacle": HalfSpace(), "foundation": Foundation(Coulomb(), 0.3, 10.0), "gravity": 0.0},
            "leave out obstacle",
        ),
        ({"obstacle": HalfSpace(), "contact": None}, "obstacle needs the face"),
    ],
)
def test_obstacles_that_a_solid_or_its_scheme_does_not_take_are_refused_in_words(given, words):
    with pytest.raises(ValueError, match=words):
        assemble(
            SolidProblem(**{"body": solid(), "t_end": 0.1, "contact": "bottom"} | given),
            Options(dt=1e-2, scheme="sdirk2"),
        )
