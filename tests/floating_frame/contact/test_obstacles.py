"""Obstacles: the gap is a distance, the normal its gradient, the curvature its Hessian; and rigid motion moves all of it."""

from functools import partial

import numpy as np
import pytest
from rows import rows

import floating_frame as ff

CHAIN = ((0.6, 0.0), (0.5, 1.8), (0.4, 0.0), (0.9, -1.4), (0.3, 0.0), (0.5, 0.9))
RACETRACK = ((1.0, 0.0), (np.pi * 0.4, 2.5), (1.0, 0.0), (np.pi * 0.4, 2.5))
ISLAND = ((1.0, 0.0), (np.pi * 0.4, -2.5), (1.0, 0.0), (np.pi * 0.4, -2.5))
SHAPES = {
    "line": lambda **m: ff.Line((0.3, -0.2), (1.0, 2.0), **m),
    "circle": lambda **m: ff.Circle((0.3, -0.2), 0.7, **m),
    "circle in circle": lambda **m: ff.CircleInCircle((0.3, -0.2), 1.9, **m),
    "box": lambda **m: ff.Box((0.3, -0.2), 1.2, 0.8, 0.2, angle=0.4, **m),
    "room": lambda **m: ff.Box((0.3, -0.2), 3.2, 2.8, 0.6, angle=0.4, inside=True, **m),
    "kerb": lambda **m: ff.RoundedEdge((0.3, -0.2), ((1.0, 0.2), (-0.4, 1.0)), 0.2, **m),
    "chain of arcs": lambda **m: ff.ArcChain((-0.5, -0.3), 0.3, CHAIN, **m),
    "arcs at both ends": lambda **m: ff.ArcChain((-0.5, -0.3), 0.3, CHAIN[1:], **m),
    "closed room of arcs": lambda **m: ff.ArcChain((-0.5, -0.6), 0.2, RACETRACK, closed=True, **m),
    "closed island of arcs": lambda **m: ff.ArcChain((-0.5, 0.2), 0.2, ISLAND, closed=True, **m),
    "half-space": lambda **m: ff.HalfSpace((0.3, -0.2, 0.1), (1.0, 2.0, -0.5), **m),
    "sphere": lambda **m: ff.Sphere((0.3, -0.2, 0.1), 0.7, **m),
    "bowl": lambda **m: ff.Sphere((0.3, -0.2, 0.1), 1.9, inside=True, **m),
    "cylinder": lambda **m: ff.Cylinder((0.3, -0.2, 0.1), (1.0, 0.5, 0.2), 0.7, **m),
    "pipe": lambda **m: ff.Cylinder((0.3, -0.2, 0.1), (1.0, 0.5, 0.2), 1.2, inside=True, **m),
    "edge": lambda **m: ff.RoundedEdge((0.3, -0.2, 0.1), ((1.0, 0.2, 0.3), (-1.0, 0.1, 1.0)), 0.2, **m),
    "box in space": lambda **m: ff.RoundedBox((0.3, -0.2, 0.1), (1.2, 0.8, 1.0), 0.2, (0.4, -0.3, 0.2), **m),
    "room in space": partial(ff.RoundedBox, (0.3, -0.2, 0.1), (2.4, 2.0, 2.2), 0.6, (0.4, -0.3, 0.2), inside=True),
}
IN_PLANE = [name for name, make in SHAPES.items() if make().outline(0.0, 1.0)]
MOTION = {
    2: ff.RigidMotion(velocity=(0.4, -0.3), spin=1.1, pivot=(0.5, 0.2)),
    3: ff.RigidMotion(velocity=(0.4, -0.3, 0.2), spin=(0.5, -1.0, 0.7), pivot=(0.5, 0.2, -0.1)),
}


def near(shape, count=400, seed=5):
    """Points within 0.15 m of the boundary (inside the arcs' radii, where distances are smooth)."""
    rng = np.random.default_rng(seed)
    if not (outline := shape.outline(0.0, 1.0)):
        x = rng.uniform(-2.0, 2.0, (40 * count, shape.dimension))
        return x[np.abs(shape.gap(x, 0.0).gap) < 0.15][:count]
    line = np.vstack(outline)
    i = rng.integers(0, len(line) - 1, count)
    s = rng.random(count)[:, None]
    return line[i] * (1 - s) + line[i + 1] * s + rng.uniform(-0.1, 0.1, (count, 2))


@pytest.mark.parametrize("name", SHAPES)
def test_the_normal_is_the_gradient_of_the_gap_and_the_curvature_its_hessian(name):
    shape = SHAPES[name]()
    x, h = near(shape), 1e-5
    computed, d = shape.gap(x, 0.0), shape.dimension
    assert len(x) > 100
    assert np.ptp(computed.gap) > 0.1
    np.testing.assert_allclose(np.linalg.norm(computed.normal, axis=1), 1.0, atol=1e-14)
    smooth = np.ones(len(x), dtype=bool)  # away from where the curvature jumps
    slopes, bends = np.empty((len(x), d)), np.empty((len(x), d, d))
    for axis in range(d):
        ahead, behind = (shape.gap(x + sign * h * np.eye(d)[axis], 0.0) for sign in (1, -1))
        slopes[:, axis] = (ahead.gap - behind.gap) / (2 * h)
        bends[:, :, axis] = (ahead.normal - behind.normal) / (2 * h)
        smooth &= np.isclose(ahead.curvature_trace, behind.curvature_trace, rtol=1e-2, atol=1e-6)
    assert smooth.mean() > 0.98
    np.testing.assert_allclose(slopes, computed.normal, atol=3e-5)  # h kappa / 2 at a joint of arcs
    most = np.abs(computed.curvature).max()
    np.testing.assert_allclose(bends[smooth], computed.curvature[smooth], atol=2e-8 * max(1, most**3))
    across = np.einsum("mab,mb->ma", computed.curvature, computed.normal)
    np.testing.assert_allclose(across, 0.0, atol=1e-13 * max(1, most))


@pytest.mark.parametrize("name", SHAPES)
def test_the_gap_is_the_distance_to_the_nearest_point_of_the_boundary(name):
    shape = SHAPES[name]()
    x = near(shape)
    computed = shape.gap(x, 0.0)
    foot = shape.gap(x - computed.gap[:, None] * computed.normal, 0.0)
    np.testing.assert_allclose(foot.gap, 0.0, atol=1e-13)
    if name not in IN_PLANE:  # with the foot on the boundary and a normal of length one it is the distance
        return
    (line,) = shape.outline(0.0, 3.0)
    sides = np.diff(line, axis=0)
    arms = x[:, None] - line[:-1]
    along = np.clip(np.einsum("nki,ki->nk", arms, sides) / np.einsum("ki,ki->k", sides, sides), 0.0, 1.0)
    nearest = np.linalg.norm(arms - along[..., None] * sides, axis=2).min(axis=1)
    # arcs are drawn with chords of at most 1/20 rad, which cut off R/3200 <= 6e-4 m
    np.testing.assert_allclose(np.abs(computed.gap), nearest, atol=6e-4)


@pytest.mark.parametrize("name", SHAPES)
def test_an_obstacle_that_moves_takes_its_gap_and_normals_along_and_closes_gaps_at_its_normal_velocity(name):
    still, motion = SHAPES[name](), MOTION[SHAPES[name]().dimension]
    x, time, h, moving = near(still, 100), 0.7, 1e-6, SHAPES[name](motion=motion)
    turn, place = motion.turn(time, still.dimension), motion.to_space(np.zeros((1, still.dimension)), time)
    np.testing.assert_allclose(turn @ turn.T, np.eye(still.dimension), atol=1e-15)
    before, after = still.gap(x, 0.0), moving.gap(place + x @ turn.T, time)
    assert np.linalg.norm(place) > 0.1
    np.testing.assert_allclose(after.gap, before.gap, atol=1e-13)
    np.testing.assert_allclose(after.normal, before.normal @ turn.T, atol=1e-12)
    np.testing.assert_allclose(after.curvature, turn @ before.curvature @ turn.T, rtol=1e-10, atol=1e-10)
    rests = motion.to_space(x, time)
    rate = (moving.gap(rests, time + h).gap - moving.gap(rests, time - h).gap) / (2 * h)
    assert np.abs(rate).max() > 0.1
    np.testing.assert_allclose(rate, -np.einsum("ia,ia->i", after.normal, moving.velocity(rests, time)), atol=2e-5)


@pytest.mark.parametrize("d", [2, 3])
def test_the_velocity_of_a_moving_obstacle_is_the_rate_of_its_material_points_and_changes_by_its_spin(d):
    motion, y, time, h = MOTION[d], np.random.default_rng(3).normal(size=(5, d)), 0.4, 1e-5
    x = motion.to_space(y, time)
    np.testing.assert_allclose(motion.to_own_axes(x, time), y, atol=1e-14)
    rate = (motion.to_space(y, time + h) - motion.to_space(y, time - h)) / (2.0 * h)
    np.testing.assert_allclose(motion.velocity_at(x, time), rate, atol=1e-9)
    apart = motion.velocity_at(x[1:], time) - motion.velocity_at(x[:1], time)
    offset = np.pad(x[1:] - x[0], ((0, 0), (0, 3 - d)))
    np.testing.assert_allclose(apart, np.cross(motion.spin_at(time, d), offset)[:, :d], atol=1e-14)


def test_a_path_without_rates_moves_as_one_with_rates():
    path = ff.RigidMotion(path=lambda t: (0.1 * np.sin(3 * t), 0.2 * t**2, 0.5 * t**3))
    both = ff.RigidMotion(path=path.path, rates=lambda t: (0.3 * np.cos(3 * t), 0.4 * t, 1.5 * t**2))
    for d in (2, 3):  # with an angle in the plane, a path along z in space
        x = np.random.default_rng(1).normal(size=(5, d))
        for time in (0.0, 0.4, 2.0):
            np.testing.assert_allclose(path.velocity_at(x, time), both.velocity_at(x, time), atol=1e-10)


def test_rates_of_paths_with_kinks_and_of_fast_ones_are_believed():
    rate = 6283.0
    for path, rates in (
        (lambda t: (abs(t - 0.5), 0.0, 0.0), lambda t: (1.0 if t >= 0.5 else -1.0, 0.0, 0.0)),
        (lambda t: (1e-3 * np.sin(rate * t), 0.0, 0.0), lambda t: (1e-3 * rate * np.cos(rate * t), 0.0, 0.0)),
    ):
        ff.RigidMotion(path=path, rates=rates).check(1.0)
        with pytest.raises(ValueError, match="must be the derivative"):
            ff.RigidMotion(path=path, rates=lambda t, rates=rates: 1.01 * np.array(rates(t))).check(1.0)


COURSES = {
    "at constant velocity": (2, {"velocity": (0.4, -0.3)}),
    "turning": (2, MOTION[2]),
    "on a path, turning": (2, {"path": lambda t: (np.sin(t), t * t), "spin": 0.7}),
    "turned on a path": (2, {"path": lambda t: (np.sin(t), t * t, 0.3 * t), "pivot": (0.1, 0.2)}),
    "at constant velocity in space": (3, {"velocity": (0.4, -0.3, 0.2)}),
    "turning in space": (3, MOTION[3]),
    "shaken in space": (3, {"path": lambda t: (np.sin(t), t * t, 0.1), "rates": lambda t: (np.cos(t), 2.0 * t, 0.0)}),
    "shaken and turning in space": (3, {"path": lambda t: (np.sin(t), t * t, 0.1), "spin": (0.1, 0.5, -1.0)}),
}


@rows("d,motion", COURSES.values(), ids=list(COURSES))
def test_motions_and_normals_at_many_instants_are_those_of_each(d, motion):
    motion = motion if isinstance(motion, ff.RigidMotion) else ff.RigidMotion(**motion)
    times, x = np.linspace(0.0, 2.0, 5), np.random.default_rng(1).normal(size=(5, 4, d))
    obstacle = (ff.Circle((0.3, -0.2), 0.7, motion=motion), ff.Sphere((0.3, -0.2, 0.1), 0.7, motion=motion))[d - 2]
    table, normals, none = motion.table(times, d), obstacle.normals_at(x, times), np.zeros(3 - d)
    for k, time in enumerate(times.tolist()):
        turn = np.eye(3)
        turn[:d, :d] = motion.turn(time, d)
        place, rate = (part(time, d) for part in (motion.pivot_position, motion.pivot_velocity))
        known = np.concatenate([place, none, rate, none, turn.ravel(), motion.spin_at(time, d)])
        np.testing.assert_allclose(table[k], known, rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(normals[k], obstacle.gap(x[k], time).normal, rtol=0, atol=1e-14)
        if d == 3:
            speeds = motion.velocities_at(x, times)[k]
            np.testing.assert_allclose(speeds, motion.velocity_at(x[k], time), rtol=0, atol=1e-14)
    assert np.ptp(table, axis=0).max() > 0.5, "it moves"
