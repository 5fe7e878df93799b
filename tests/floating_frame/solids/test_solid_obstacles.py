"""Elastic solids on inclined, moving and curved obstacles, in grooves and corners, beside rigid bodies and closed forms."""

import numpy as np
import pytest
from ff_examples import pulled
from problems import assembled
from problems import run as run_problem
from rows import rows
from single_steps import initial_state
from space_examples import BLOCK, LOW

import floating_frame as ff
from fem import Solid, StVenantKirchhoff, box
from floating_frame import Contact, Cosine, Feet, HalfSpace, RigidMotion, RigidSolid, RoundedEdge, Sphere
from floating_frame.contact.tunnelling import face_penetration, nearest
from floating_frame.system.solid.contact_geometry import ObstacleNodes
from friction import Coulomb, StaticKinetic

G, EDGES = 9.81, (0.2, 0.1, 0.1)


def solid(E=1e6, cells=(2, 2, 1), sizes=(0.3, 0.2, 0.1), viscosity=0.0):
    material = StVenantKirchhoff(E, 0.3)
    return Solid.build(box(*sizes, *cells), density=1000.0, material=material, viscosity=viscosity)


def run(body, t_end, dt=2e-3, scheme="sdirk2", **given):
    data = run_problem(body, t_end, dt, scheme, **{"face": "bottom"} | given)
    assert np.abs(data.balance_error).max() <= 1e-10
    return data


@rows(
    "body, law, turns", [(None, Coulomb(), 0.0), (None, StaticKinetic(dynamic_ratio=0.6), 0.0), (BLOCK, Coulomb(), 4.0)]
)
def test_a_body_slides_down_an_inclined_plane_as_it_does_on_the_level_under_turned_gravity(body, law, turns):
    """Thrown up, it turns round; a rigid block spins, too."""
    body, rubs, rigid = body or solid(), {"mu": 0.3, "law": law}, body is not None
    angle, up, spin = 0.5, np.array([-0.1, 0.0, 0.0]), np.array([0.0, 0.0, turns])
    c, s = np.cos(angle), np.sin(angle)
    n, Q = np.array([s, 0.0, c]), np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    turn = {"position": (0.03 if rigid else 0.05) * n, "rotation": (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)}
    turn |= {"velocity": Q @ up, "spin": Q @ spin}
    force = (body.mass * G * s, 0.0, 0.0)
    rubs |= {"face": None} if rigid else {}
    loads = {"loads": (ff.SpaceForce(force=force),)} if rigid else pulled(force, on="body")
    tilted = run(body, 0.04, obstacle=HalfSpace((0.0, 0.0, 0.0), n), **rubs, **turn)
    level = run(body, 0.04, gravity=G * c, velocity=up, spin=spin, **rubs, **loads)
    assert level.frame_velocity.values[-1, 0] > 0.02
    np.testing.assert_allclose(tilted.position.values, level.position.values @ Q.T, atol=1e-12)
    np.testing.assert_allclose(tilted.normal_force, level.normal_force, atol=3e-8 * body.mass * G)
    np.testing.assert_allclose(tilted.contact_force.values, level.contact_force.values @ Q.T, atol=3e-8 * body.mass * G)
    np.testing.assert_array_equal(tilted.stick, level.stick)


def test_a_belt_drags_a_solid_as_the_ground_brakes_it_where_the_solid_is_thrown_back():
    belt, body = np.array([0.5, 0.2, 0.0]), solid()
    dragged = run(body, 0.16, 4e-3, mu=0.4, obstacle=HalfSpace(motion=RigidMotion(velocity=belt)))
    braked = run(body, 0.16, 4e-3, mu=0.4, velocity=-belt)
    assert np.all(dragged.stick.values[-1][dragged.normal_force.values[-1] > 0.0] == 1)
    displacement = belt * dragged.time.values[:, None]
    np.testing.assert_allclose(dragged.frame_position.values, braked.frame_position.values + displacement, atol=1e-11)
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
    radius, body = 1.2, solid(1e9, (1, 1, 1))
    base = body.boundary("bottom")
    depth = radius - np.sqrt(radius**2 - 0.15**2 - 0.1**2)
    bowl, place = Sphere((0.0, 0.0, radius), radius, inside=True), (0.0, 0.0, 0.05 + depth)
    given = {"t_end": 0.15, "dt": 2.5e-3, "scheme": "backward-euler", "obstacle": bowl, "mu": 0.1}
    given |= {"position": place, "velocity": (0.3, 0.2, 0.0)}
    soft = run(body, **given)
    touching = soft.normal_force.values[:, base] > 0.0
    gaps = np.array([bowl.gap(x, 0.0).gap for x in soft.position.values[:, base]])
    assert touching[1:].any(axis=1).all()
    assert gaps.min() >= -1e-15
    assert np.abs(gaps[touching]).max() <= 1e-15
    J = soft.J.values[0]
    rigid = RigidSolid(mass=body.mass, inertia=0.5 * (J + J.T), shape=Feet(body.X[base]))
    block = run_problem(rigid, **given)
    distance = np.linalg.norm(block.frame_position.values[-1] - place)
    assert distance > 0.03
    assert np.linalg.norm(soft.frame_position.values[-1] - block.frame_position.values[-1]) < 0.02 * distance


@pytest.mark.parametrize("kind", ["rigid", pytest.param("elastic", marks=pytest.mark.slow)])
def test_a_block_turns_round_on_a_shaken_table_at_second_order_as_on_the_ground_under_its_inertia(kind):
    """Without the cut where it turns round each turning costs a step's displacement at friction's acceleration, of first order."""
    amplitude, rate, end, off, rubs = 12.0, 10.0, 0.3, [], {"mu": 0.4}
    table = RigidMotion(
        path=lambda t: (amplitude / rate**2 * (1.0 - np.cos(rate * t)), 0.0, 0.0),
        rates=lambda t: (amplitude / rate * np.sin(rate * t), 0.0, 0.0),
    )
    body = LOW if kind == "rigid" else solid(1e7, (1, 1, 1))
    rubs |= {} if kind == "rigid" else {"face": "bottom"}
    load = (-amplitude * body.mass, 0.0, 0.0)
    space = {"loads": (ff.SpaceForce(force=load, history=Cosine(rate)),)}
    driven = space if kind == "rigid" else pulled(load, Cosine(rate), on="body")
    for dt in (1e-2, 5e-3):
        one = run_problem(body, end, dt, obstacle=HalfSpace(motion=table), **rubs)
        other = run_problem(body, end, dt, **driven, **rubs)
        path = one.frame_position.values[:, 0] - [table.path(t)[0] for t in one.time.values]
        off.append(np.abs(path - other.frame_position.values[:, 0]).max())
    assert path.argmin() not in (0, len(path) - 1)  # it has turned round
    assert off[0] < amplitude * 1e-2**2
    assert np.log2(off[0] / off[1]) == pytest.approx(2.0, abs=0.3)


def test_nodes_that_press_at_the_start_go_on_along_a_bowl_that_moves():
    """The second difference of their gaps along their accelerations vanishes: all turn about the bowl's centre, which drifts."""
    radius, body, spin, drift = 1.2, solid(1e6, (1, 1, 1)), np.array([0.5, -1.0, 0.3]), np.array([0.2, 0.1, 0.0])
    depth = radius - np.sqrt(radius**2 - 0.15**2 - 0.1**2)
    place, centre = np.array([0.0, 0.0, 0.05 + depth]), np.array([0.0, 0.0, radius])
    bowl = Sphere(tuple(centre), radius, inside=True, motion=RigidMotion(velocity=tuple(drift)))
    start = {"position": place, "velocity": drift + np.cross(spin, place - centre), "spin": spin}
    state = initial_state(assembled(body, 0.1, 1e-3, "backward-euler", face="bottom", obstacle=bowl, mu=0.1, **start))
    nodes, h = body.boundary("bottom"), 1e-4
    assert np.all(state.multiplier[:, 2] < 0.0)
    x, v, a = (field[nodes] for field in (state.position, state.velocity, state.acceleration))
    before, now, after = (bowl.gap(x + t * v + 0.5 * t * t * a, t).gap for t in (-h, 0.0, h))
    assert np.abs(a).max() > 0.5
    np.testing.assert_allclose((before - 2.0 * now + after) / h**2, 0.0, atol=1e-6 * np.abs(a).max() + 1e-7)


def test_a_solid_that_sticks_to_a_turntable_goes_in_a_circle_to_second_order():
    """With the table's velocity where a stage begins, not where it leads, each one was explicit: 4 mm off, of first order."""
    rate, end, body, off = 3.0, 0.25, solid(1e8, (1, 1, 1), (0.1, 0.1, 0.1)), []
    start = {"position": (0.3, 0.0, 0.05), "velocity": (0.0, 0.9, 0.0), "spin": (0.0, 0.0, rate)}
    table = HalfSpace(motion=RigidMotion(spin=(0.0, 0.0, rate)))
    for dt in (0.025, 0.0125):
        place = run(body, end, dt, mu=1.5, obstacle=table, **start).frame_position.values[-1, :2]
        off.append(np.linalg.norm(place - 0.3 * np.array([np.cos(rate * end), np.sin(rate * end)])))
    assert 1e-7 < off[1] < 1e-4
    assert off[0] / off[1] > 3.0


RISING = RigidMotion(path=lambda t: (0.0, 0.1 * t, 0.2 * t * t), rates=lambda t: (0.0, 0.1, 0.4 * t))
UNEVEN = {
    "bowl": Sphere((0.0, 0.0, 1.2), 1.2, inside=True),
    "sphere": Sphere((0.0, 0.0, -2.0), 2.0),
    "accelerated bowl": Sphere((0.0, 0.0, 1.2), 1.2, inside=True, motion=RISING),
    "tilting table": HalfSpace(motion=RigidMotion(spin=(0.3, 0.4, 1.0))),
}


@pytest.mark.parametrize("name", UNEVEN)
@pytest.mark.quick("tilting table")
def test_sliding_along_what_is_curved_or_turns_is_of_second_order(name):
    """One cell that begins as its weight has it and keeps all its nodes on the obstacle; steps resolve its vibrations."""
    obstacle, body = UNEVEN[name], solid(2e5, (1, 1, 1), viscosity=2e-3)
    nodes, corner = body.boundary("bottom"), np.array([[0.15, 0.1, 0.0]])
    level = obstacle.gap(corner, 0.0).gap[0] * np.array([0.0, 0.0, 1.0])
    for _ in range(20):  # up or down to the obstacle
        level = level - obstacle.gap(corner + level, 0.0).gap[0] * np.array([0.0, 0.0, 1.0])
    pressed = np.where(body.X[:, 2:] > 0.0, [0.0, 0.0, -0.5 * 1000.0 * G * 0.1**2 / 2e5], 0.0)
    start = {"position": (0.0, 0.0, 0.05 + level[2]), "velocity": (0.3, 0.2, 0.0), "displacement": pressed}
    ends = []
    for dt in (4e-3, 2e-3, 1e-3):
        data = run(body, 0.04, dt, mu=0.1, obstacle=obstacle, **start)
        assert data.normal_force.values[1:, nodes].min() > 0.0
        assert np.abs(obstacle.gap(data.position.values[-1][nodes], 0.04).gap).max() < 1e-14
        ends.append((data.position.values[-1], data.velocity.values[-1]))
    for coarse, fine, finest in zip(*ends, strict=True):
        first, second = np.abs(fine - coarse).max(), np.abs(finest - fine).max()
        assert first > 1e-6
        assert np.log2(first / second) == pytest.approx(2.0, abs=0.3)


def within(body, t_end, contacts, dt=2e-3, **given):
    data = run(body, t_end, dt, face="boundary", contacts=contacts, **given)
    gaps = [c.obstacle.gap(data.position.values.reshape(-1, 3), 0.0).gap.min() for c in contacts]
    assert min(gaps) >= -1e-14
    return data


IN_GROOVE = {"position": (0.0, 0.0, 0.05 * np.sqrt(2.0)), "rotation": (np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0)}
STIFF = solid(1e9, (1, 1, 1), EDGES)


def test_a_block_slides_along_a_groove_under_twice_what_its_walls_press():
    """N = W/(2 sin(θ/2)) at each wall; the nodes of its lower edge touch both. Rigid but for 1e-7."""
    mu, t_end = 0.2, 0.06
    walls = tuple(Contact(obstacle=HalfSpace(normal=(0.0, side, 1.0)), mu=mu) for side in (1.0, -1.0))
    data = within(STIFF, t_end, walls, velocity=(1.0, 0.0, 0.0), **IN_GROOVE)
    slowed = mu * G / np.sin(0.25 * np.pi)
    np.testing.assert_allclose(data.frame_velocity.values[-1], [1.0 - slowed * t_end, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(data.frame_position.values[-1, 0], t_end - 0.5 * slowed * t_end**2, atol=1e-6)
    pressing = STIFF.mass * G / np.sin(0.25 * np.pi)
    # vibrations have died down
    np.testing.assert_allclose(data.normal_force.sum("node").values[10:], pressing, rtol=1e-5)


def test_a_projection_puts_pressed_nodes_on_their_obstacles_and_others_back_to_their_lowest_gap():
    """A sphere of radius 1 beside the wall y = 0: one node on each, one that is pressed on both, two in the air, two too deep."""
    sphere, wall = Sphere((0.0, 0.0, 0.0), 1.0), HalfSpace(normal=(0.0, 1.0, 0.0))
    x = np.array([[0, 0, 1.01], [2, -0.02, 0.3], [0, 0.01, 1.02], [0, 3, 0], [0.98, 1, 1], [0, 1, 0.99], [3, -0.03, 0]])
    pressed = np.zeros((2, 7), bool)
    pressed[[0, 1, 0, 1], [0, 1, 2, 2]] = True
    floor = np.zeros((2, 7))
    x[5] *= 0.97 / np.linalg.norm(x[5])
    floor[0, 5], floor[1, 6] = -0.02, -0.04
    nodes = ObstacleNodes(np.arange(7), (sphere, wall))
    computed = nodes.project(x, 0.0, pressed.ravel(), floor.ravel(), 1e-14)
    expected = x.copy()
    expected[0], expected[1, 1], expected[2] = [0, 0, 1], 0.0, [0, 0, 1]
    expected[5] *= 0.98 / 0.97
    np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-13)


def test_a_block_pushed_into_a_corner_rests_on_three_walls_that_each_bear_their_part():
    """Long steps damp all vibrations."""
    body = solid(1e7, (2, 1, 1), EDGES)
    walls = tuple(Contact(obstacle=HalfSpace(normal=tuple(n))) for n in np.eye(3))
    data = within(body, 0.2, walls, 0.02, position=tuple(0.5 * np.array(EDGES)), **pulled((-3.0, -5.0, 0.0), on="body"))
    np.testing.assert_allclose(data.contact_force.sum("node").values[-1], [3.0, 5.0, body.mass * G], rtol=1e-3)
    corner = np.argmin(np.linalg.norm(data.position.values[-1], axis=1))
    assert np.all(data.contact_force.values[-1][corner] > 0.0)
    assert np.abs(data.position.values[-1][corner]).max() < 1e-15


def test_the_nearest_point_of_a_triangle_is_that_of_a_search_over_it():
    rng = np.random.default_rng(2)
    corners, points = rng.normal(size=(50, 3, 3)), 2.0 * rng.normal(size=(50, 3))
    shares = np.concatenate([np.eye(3), rng.dirichlet(np.full(3, 0.7), 4000)])
    for triangle, point, place in zip(corners, points, nearest(corners, points), strict=True):
        best = np.linalg.norm(shares @ triangle - point, axis=1).min()
        assert best - 0.15 <= np.linalg.norm(place - point) <= best + 1e-12
        assert np.linalg.norm(shares @ triangle - place, axis=1).min() < 0.15  # it is one of the triangle


DEEP = [
    (Sphere((0.25, 0.25, -0.05), 0.06), 0.01),  # under the middle, much smaller
    (Sphere((0.9, 0.9, -0.05), 0.06), 0.0),  # beside
    (Sphere((0.5, -0.03, 0.0), 0.05), 0.02),  # at a side
    (Sphere((0.0, 0.0, -0.05), 0.06), 0.0),  # at a node, which is as deep
    (RoundedEdge((0.0, 0.2, -0.1), [(0.0, 1.0, 1.0), (0.0, -1.0, 1.0)], 0.0), 0.0),  # below
    (RoundedEdge((0.3, 0.2, 0.1), [(0.0, 1.0, 1.0), (0.0, -1.0, 1.0)], 0.0), 0.1 * np.sqrt(0.5)),
    (HalfSpace((0.0, 0.0, 0.5)), 0.0),  # nodes see it
]


@rows("obstacle, depth", DEEP)
def test_the_depth_between_the_corners_of_a_face_is_that_of_the_deepest_point(obstacle, depth):
    triangle = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    assert face_penetration(obstacle, triangle, 0.0) == pytest.approx(depth, abs=2e-3 if depth > 0.05 else 1e-12)


@pytest.mark.parametrize("cells", [1, 2])
def test_a_sphere_that_is_smaller_than_the_faces_is_told_and_one_that_meets_nodes_is_not(cells):
    body, sphere = solid(1e6, (cells, cells, 1), (0.2, 0.2, 0.1)), Sphere((0.0, 0.0, 0.0), 0.03)
    data = run(body, 0.06, 0.01, "backward-euler", obstacle=sphere, position=(0.0, 0.0, 0.081))
    assert ("in a face of the body between its nodes" in str(data.attrs["warnings"])) == (cells == 1)
    assert (data.normal_force.values.max() > 0.0) == (cells == 2)
