"""Obstacles: the gap is a distance, the normal its gradient, the curvature its Hessian; and rigid motion moves all of it."""

import numpy as np
import pytest
from rows import rows

from fem import Plate, SmallStrain, rectangle
from floating_frame import Contact, Problem, SpaceMotion
from floating_frame.contact.obstacle_chain import ArcChain
from floating_frame.contact.obstacle_motion import RigidMotion
from floating_frame.contact.obstacles import Box, Circle, CircleInCircle, Line
from friction import NormalForce

CHAIN = ((0.6, 0.0), (0.5, 1.8), (0.4, 0.0), (0.9, -1.4), (0.3, 0.0), (0.5, 0.9))
RACETRACK = ((1.0, 0.0), (np.pi * 0.4, 2.5), (1.0, 0.0), (np.pi * 0.4, 2.5))
ISLAND = ((1.0, 0.0), (np.pi * 0.4, -2.5), (1.0, 0.0), (np.pi * 0.4, -2.5))
SHAPES = {
    "line": lambda **m: Line((0.3, -0.2), (1.0, 2.0), **m),
    "circle": lambda **m: Circle((0.3, -0.2), 0.7, **m),
    "circle in circle": lambda **m: CircleInCircle((0.3, -0.2), 1.9, **m),
    "box": lambda **m: Box((0.3, -0.2), 1.2, 0.8, 0.2, angle=0.4, **m),
    "room": lambda **m: Box((0.3, -0.2), 3.2, 2.8, 0.6, angle=0.4, inside=True, **m),
    "chain of arcs": lambda **m: ArcChain((-0.5, -0.3), 0.3, CHAIN, **m),
    "arcs at both ends": lambda **m: ArcChain((-0.5, -0.3), 0.3, CHAIN[1:], **m),
    "closed room of arcs": lambda **m: ArcChain((-0.5, -0.6), 0.2, RACETRACK, closed=True, **m),
    "closed island of arcs": lambda **m: ArcChain((-0.5, 0.2), 0.2, ISLAND, closed=True, **m),
}
MOTION = RigidMotion(velocity=(0.4, -0.3), spin=1.1, pivot=(0.5, 0.2))


def near(shape, count=400, seed=5):
    """Points within 0.15 m of the boundary (inside the arcs' radii, where distances are smooth), from its outline."""
    rng = np.random.default_rng(seed)
    line = np.vstack(shape.outline(0.0, 1.0))
    i = rng.integers(0, len(line) - 1, count)
    s = rng.random(count)[:, None]
    return line[i] * (1 - s) + line[i + 1] * s + rng.uniform(-0.1, 0.1, (count, 2))


@pytest.mark.parametrize("name", SHAPES)
def test_the_normal_is_the_gradient_of_the_gap_and_the_curvature_its_hessian(name):
    shape = SHAPES[name]()
    x, h = near(shape), 1e-5
    found = shape.gap(x, 0.0)
    assert np.ptp(found.gap) > 0.1
    np.testing.assert_allclose(np.hypot(*found.normal.T), 1.0, atol=1e-14)
    tangent = found.normal @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    smooth = np.ones(len(x), dtype=bool)  # away from where the curvature jumps
    slopes, bends = np.empty((len(x), 2)), np.empty((len(x), 2, 2))
    for axis in (0, 1):
        ahead, behind = (shape.gap(x + way * h * np.eye(2)[axis], 0.0) for way in (1, -1))
        slopes[:, axis] = (ahead.gap - behind.gap) / (2 * h)
        bends[:, :, axis] = (ahead.normal - behind.normal) / (2 * h)
        smooth &= np.isclose(ahead.curvature, behind.curvature, rtol=1e-2, atol=1e-6)
    assert smooth.mean() > 0.98
    np.testing.assert_allclose(slopes, found.normal, atol=3e-5)  # h kappa / 2 at a joint of arcs
    expected = found.curvature[:, None, None] * tangent[:, :, None] * tangent[:, None, :]
    np.testing.assert_allclose(bends[smooth], expected[smooth], atol=2e-8 * max(1, np.abs(expected).max() ** 3))


@pytest.mark.parametrize("name", SHAPES)
def test_the_gap_is_the_distance_to_the_nearest_point_of_the_boundary(name):
    shape = SHAPES[name]()
    x = near(shape)
    found = shape.gap(x, 0.0)
    (line,) = shape.outline(0.0, 3.0)
    sides = np.diff(line, axis=0)
    arms = x[:, None] - line[:-1]
    along = np.clip(np.einsum("nki,ki->nk", arms, sides) / np.einsum("ki,ki->k", sides, sides), 0.0, 1.0)
    nearest = np.linalg.norm(arms - along[..., None] * sides, axis=2).min(axis=1)
    # arcs are drawn with chords of at most 1/20 rad, which cut off R/3200 <= 6e-4 m
    np.testing.assert_allclose(np.abs(found.gap), nearest, atol=6e-4)
    foot = shape.gap(x - found.gap[:, None] * found.normal, 0.0)
    np.testing.assert_allclose(foot.gap, 0.0, atol=1e-13)


@pytest.mark.parametrize("name", SHAPES)
def test_an_obstacle_that_moves_takes_its_gap_and_normals_along(name):
    still, moving = SHAPES[name](), SHAPES[name](motion=MOTION)
    x, time = near(still, 100), 0.7
    place, angle = MOTION.pose(time)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    before, after = still.gap(x, 0.0), moving.gap(place + x @ turn.T, time)
    assert np.hypot(*place) > 0.1
    np.testing.assert_allclose(after.gap, before.gap, atol=1e-13)
    np.testing.assert_allclose(after.normal, before.normal @ turn.T, atol=1e-12)
    np.testing.assert_allclose(after.curvature, before.curvature, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", SHAPES)
def test_the_gap_of_a_resting_point_closes_at_the_obstacles_normal_velocity(name):
    shape, time, h = SHAPES[name](motion=MOTION), 0.3, 1e-6
    place, angle = MOTION.pose(time)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    x = place + near(SHAPES[name](), 200) @ turn.T
    rate = (shape.gap(x, time + h).gap - shape.gap(x, time - h).gap) / (2 * h)
    velocity = shape.velocity(x, time)
    assert np.abs(rate).max() > 0.1
    np.testing.assert_allclose(rate, -np.einsum("ia,ia->i", shape.gap(x, time).normal, velocity), atol=2e-5)


def test_a_path_without_rates_moves_as_one_with_rates():
    path = RigidMotion(path=lambda t: (0.1 * np.sin(3 * t), 0.2 * t**2, 0.5 * t**3))
    both = RigidMotion(path=path.path, rates=lambda t: (0.3 * np.cos(3 * t), 0.4 * t, 1.5 * t**2))
    for time in (0.0, 0.4, 2.0):
        for found, known in zip(path.pose_rates(time), both.pose_rates(time), strict=True):
            np.testing.assert_allclose(found, known, atol=1e-11)
    x = np.random.default_rng(1).normal(size=(5, 2))
    np.testing.assert_allclose(path.velocity_at(x, 0.4), both.velocity_at(x, 0.4), atol=1e-10)


@pytest.mark.parametrize("name", ["chain of arcs", "closed room of arcs", "closed island of arcs"])
def test_gap_and_normal_go_on_over_the_joints_of_a_chain(name):
    shape = SHAPES[name]()
    points, headings = shape._joints
    assert len(points) > 4
    for point, heading in zip(points, headings, strict=True):
        along = np.array([np.cos(heading), np.sin(heading)])
        left = np.array([-along[1], along[0]])
        for depth in (-0.1, 0.0, 0.1):
            x = point + depth * left + np.array([[-1e-9], [1e-9]]) * along
            found = shape.gap(x, 0.0)
            np.testing.assert_allclose(found.gap, depth, atol=1e-12)
            np.testing.assert_allclose(found.normal, [left, left], atol=1e-8)


def test_rates_of_paths_with_kinks_and_of_fast_ones_are_believed():
    rate = 6283.0
    for path, rates in (
        (lambda t: (abs(t - 0.5), 0.0, 0.0), lambda t: (1.0 if t >= 0.5 else -1.0, 0.0, 0.0)),
        (lambda t: (1e-3 * np.sin(rate * t), 0.0, 0.0), lambda t: (1e-3 * rate * np.cos(rate * t), 0.0, 0.0)),
    ):
        SpaceMotion(path=path, rates=rates).check(1.0)
        with pytest.raises(ValueError, match="must be the derivative"):
            SpaceMotion(path=path, rates=lambda t, rates=rates: 1.01 * np.array(rates(t))).check(1.0)


BODY = Plate.build(rectangle(0.4, 0.2, 1, 1), thickness=0.01, density=1e3, material=SmallStrain(E=1e6, nu=0.3))
BAD = {
    "line without a normal": (lambda: Line((0, 0), (0, 0)), "must not be zero"),
    "circle of no radius": (lambda: Circle((0, 0), 0.0), "radius must be a finite length > 0 m, got 0.0"),
    "sharp box": (lambda: Box((0, 0), 1, 1, 0.0), "corner radius must be > 0 and at most half"),
    "too round a box": (lambda: Box((0, 0), 1, 2, 0.6), "corner radius .*got 0.6"),
    "no centre": (lambda: Circle((0, np.nan), 1.0), "two finite numbers"),
    "open chain said to be closed": (lambda: ArcChain((0, 0), 0, ((1.0, 0.0), (1.0, 1.0)), closed=True), "misses its"),
    "piece of no length": (lambda: ArcChain((0, 0), 0, ((0.0, 1.0),)), "length > 0"),
    "arc of two turns": (lambda: ArcChain((0, 0), 0, ((13.0, 1.0),)), "whole turn"),
    "rates without a path": (lambda: RigidMotion(rates=lambda t: (0, 0, 0)), "need the path"),
    "rates of another path": (
        lambda: Problem(
            BODY,
            1.0,
            contacts=(
                Contact(
                    Line((0, 1), (0, -1), RigidMotion(path=lambda t: (t, 0, t), rates=lambda t: (1, 0, 0.9))),
                    nodes=[0],
                    normal=NormalForce(stiffness=1.0),
                ),
            ),
        ),
        "derivative of its path: .* they are .1, 0, 0.9., that is .1, 0, 1.",
    ),
    "velocity that is none": (lambda: RigidMotion(velocity=(np.inf, 0)), "finite"),
}


@rows("kind", BAD)
def test_an_obstacle_that_cannot_be_is_refused_in_one_line(kind):
    make, expected = BAD[kind]
    with pytest.raises(ValueError, match=expected) as caught:
        make()
    assert "\n" not in str(caught.value)
