"""Nodal forces of loads that follow the body, and their tangent: tractions that turn with the deformed edge, couples."""

import numpy as np
import pytest
from convergence import observed_orders
from ff_examples import LENGTH, WIDTH, bent, plate, wobble
from problems import assembled
from scipy.sparse import csr_matrix

from floating_frame import Couple, FollowerTraction
from floating_frame.frame.kinematics import rotation, turned
from floating_frame.system.elastic.points import PlateAnchors

SEED = 11
MEASURES = ("reference", "current")


def follower(body, load):
    return assembled(body, 1.0, 0.1, loads=(load,)).loads.followers[0][1]


def area(x, segments):
    """Area inside a closed outline of straight segments, the inside to their left."""
    a, b = x[segments[:, 0]], x[segments[:, 1]]
    return 0.5 * np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


@pytest.mark.parametrize("element", ["P1", "P2", "Q1", "Q2"])
@pytest.mark.parametrize("measure", MEASURES)
def test_a_follower_traction_on_the_straight_body_is_normal_and_tangential_as_it_says(element, measure):
    body = plate(element=element)
    for edge, outward in (("right", (1, 0)), ("left", (-1, 0)), ("top", (0, 1)), ("bottom", (0, -1))):
        n = np.array(outward, float)
        force = follower(body, FollowerTraction(edge, 3.0, 0.5, measure=measure)).force(body.X)
        np.testing.assert_allclose(force.sum(axis=0), 3.0 * n + 0.5 * turned(n), atol=1e-14)
        np.testing.assert_allclose(force, body.edge_shape(edge)[:, None] * force.sum(axis=0), atol=1e-14)


@pytest.mark.parametrize(
    "load", [FollowerTraction("right", 3.0, 0.5, measure=m) for m in MEASURES] + [Couple(2.0), Couple(2.0, edge="top")]
)
@pytest.mark.parametrize("element", ["P1", "Q2"])
def test_a_following_load_turns_with_a_body_that_is_moved_and_turned_as_a_whole(load, element):
    body = plate(element=element)
    on, r, Q = follower(body, load), body.X + bent(body.X), rotation(2.3)
    force = on.force(r)
    assert np.abs(force - on.force(body.X)).max() > 1e-3  # the bending alone changes it
    np.testing.assert_allclose(on.force(r @ Q.T + [0.7, -3.0]), force @ Q.T, atol=2e-14)


def add_tangent(body, on, x, data):
    """Add the symmetric part of the follower's tangent to the body's sparsity, as an elastic pass does."""
    blocks = on.local_tangent(x[on.nodes].reshape(-1, 2))
    points = PlateAnchors(body).segments(on.nodes)
    points.add_tangent(0.5 * (blocks + blocks.transpose(0, 3, 4, 1, 2)), np.eye(2), data)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("element", ["P1", "P2", "Q1", "Q2"])
def test_the_newton_matrix_has_the_symmetric_part_of_a_followers_tangent_at_second_order(element, measure):
    body = plate(element=element)
    on, x = follower(body, FollowerTraction("boundary", 3.0, 0.7, measure=measure)), body.X + bent(body.X)
    data = np.zeros(len(body.indices))
    add_tangent(body, on, x, data)
    T = csr_matrix((data, body.indices, body.indptr), shape=(body.X.size, body.X.size)).toarray()
    np.testing.assert_array_equal(T, T.T)
    assert np.abs(T).max() > 1.0
    size = body.X.size
    steps = 1e-5 * np.eye(size).reshape(size, *x.shape)
    full = np.stack([(on.force(x + step) - on.force(x - step)).ravel() / 2e-5 for step in steps], axis=1)
    skew = 0.5 * (full - full.T)
    np.testing.assert_allclose(T, 0.5 * (full + full.T), atol=3e-7 * np.abs(T).max())
    # Taylor, with the antisymmetric part by differences: the remainder falls with the square of the step.
    d = np.random.default_rng(SEED).standard_normal(x.shape) * 2e-3
    rests = []
    for h in (1.0, 0.5, 0.25):
        rest = on.force(x + h * d) - on.force(x) - h * ((T + skew) @ d.ravel()).reshape(x.shape)
        rests.append(np.linalg.norm(rest))
    if measure == "current":  # linear in x
        assert max(rests) < 1e-8
    else:
        assert rests[0] > 1e-5
        orders = observed_orders(rests)
        assert np.all(np.abs(orders - 2.0) < 0.1)


def test_a_pressure_all_around_is_the_gradient_of_pressure_times_area_and_its_tangent_is_symmetric():
    body = plate(6, 3)
    segments, x = body.edge_segments("boundary"), body.X + bent(body.X)
    length = 2 * (LENGTH + WIDTH)
    on = follower(body, FollowerTraction("boundary", -5.0 * length, measure="current"))
    force = on.force(x)
    d = np.random.default_rng(SEED).standard_normal(x.shape)
    slope = (area(x + 1e-4 * d, segments) - area(x - 1e-4 * d, segments)) / 2e-4  # the area is quadratic in x: exact
    assert abs(slope) > 0.05
    assert np.vdot(force, d) == pytest.approx(-5.0 * slope, rel=1e-9)
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-13)
    data = np.zeros(len(body.indices))
    add_tangent(body, on, x, data)
    y = x + 1e-2 * d  # linear in x, so the symmetric tangent gives the whole change
    change = csr_matrix((data, body.indices, body.indptr)) @ (y - x).ravel()
    np.testing.assert_allclose(on.force(y) - force, change.reshape(x.shape), atol=1e-13)


@pytest.mark.parametrize("edge", [None, "right", "boundary"])
def test_a_couple_has_no_resultant_its_moment_about_any_point_and_the_power_of_its_spin(edge):
    body = plate(element="P2")
    on, x, v = follower(body, Couple(2.0, edge=edge)), body.X + bent(body.X), wobble(body.X)
    force = on.force(x)
    assert np.abs(force).max() > 0.1
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-13)
    for about in ((0.0, 0.0), (3.0, -7.0)):
        arms = x - about
        assert np.sum(arms[:, 0] * force[:, 1] - arms[:, 1] * force[:, 0]) == pytest.approx(2.0, rel=1e-13)
    _, weighted, polar = on.arms(x)

    def spin(v):
        return np.sum(weighted[:, 0] * v[:, 1] - weighted[:, 1] * v[:, 0]) / polar

    assert np.vdot(force, v) == pytest.approx(2.0 * spin(v), rel=1e-13)
    assert spin(1.3 * turned(x) + 5.0) == pytest.approx(1.3, rel=1e-13)
