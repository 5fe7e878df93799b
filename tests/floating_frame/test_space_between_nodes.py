"""Obstacles that enter a solid's faces between its nodes: how deep, and that the run says so."""

import itertools

import numpy as np
import pytest

from fem import Solid, StVenantKirchhoff, box
from floating_frame import HalfSpace, Options, RoundedEdge, SolidInitial, SolidProblem, Sphere, assemble, simulate
from floating_frame.contact.tunnelling import face_penetration, nearest

TRIANGLE = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])


def fan(triangle, count=60):
    """Points of a triangle, close together."""
    shares = [(a / count, b / count) for a, b in itertools.product(range(count + 1), repeat=2) if a + b <= count]
    a, b = np.array(shares).T
    return np.outer(1.0 - a - b, triangle[0]) + np.outer(a, triangle[1]) + np.outer(b, triangle[2])


def test_the_nearest_point_of_a_triangle_is_that_of_a_search_over_it():
    rng = np.random.default_rng(2)
    corners, points = rng.normal(size=(50, 3, 3)), 2.0 * rng.normal(size=(50, 3))
    found = nearest(corners, points)
    for triangle, point, place in zip(corners, points, found, strict=True):
        best = np.linalg.norm(fan(triangle) - point, axis=1).min()
        assert best - 0.15 <= np.linalg.norm(place - point) <= best + 1e-12
        assert np.linalg.norm(fan(triangle) - place, axis=1).min() < 0.15  # it is one of the triangle


@pytest.mark.parametrize(
    ("obstacle", "depth"),
    [
        (Sphere((0.25, 0.25, -0.05), 0.06), 0.01),  # under the middle, much smaller
        (Sphere((0.9, 0.9, -0.05), 0.06), 0.0),  # beside
        (Sphere((0.5, -0.03, 0.0), 0.05), 0.02),  # at a side
        (Sphere((0.0, 0.0, -0.05), 0.06), 0.0),  # at a node, which is as deep
        (RoundedEdge((0.0, 0.2, -0.1), [(0.0, 1.0, 1.0), (0.0, -1.0, 1.0)], 0.0), 0.0),  # below
        (RoundedEdge((0.3, 0.2, 0.1), [(0.0, 1.0, 1.0), (0.0, -1.0, 1.0)], 0.0), 0.1 * np.sqrt(0.5)),
        (HalfSpace((0.0, 0.0, 0.5)), 0.0),  # nodes see it
    ],
)
def test_the_depth_between_the_corners_is_that_of_the_deepest_point(obstacle, depth):
    assert face_penetration(obstacle, TRIANGLE, 0.0) == pytest.approx(depth, abs=2e-3 if depth > 0.05 else 1e-12)


@pytest.mark.parametrize("cells", [1, 2])
def test_a_sphere_that_is_smaller_than_the_faces_is_told_and_one_that_meets_nodes_is_not(cells):
    body = Solid.build(
        box(0.2, 0.2, 0.1, cells, cells, 1), density=1000.0, material=StVenantKirchhoff(1e6, 0.3), viscosity=0.0
    )
    problem = SolidProblem(
        body=body, t_end=0.06, contact="bottom", obstacle=Sphere((0.0, 0.0, 0.0), 0.03),
        initial=SolidInitial(position=(0.0, 0.0, 0.081)),
    )  # fmt: skip
    data = simulate(assemble(problem, Options(dt=0.01, scheme="backward-euler")))
    said = "in a face of the body between its nodes" in str(data.attrs["warnings"])
    assert said == (cells == 1)
    if cells == 1:
        assert data.normal_force.values.max() == 0.0  # no node touches
    else:
        assert data.normal_force.values.max() > 0.0
