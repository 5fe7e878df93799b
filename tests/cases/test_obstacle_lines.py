"""Lines on obstacles in exports of runs in space: they lie on the surfaces, near the motion, and move with them."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import CELLS_IN_A_PIXEL, MOST_CELLS, mesh
from cases.app.export.obstacles import wires
from floating_frame import HalfSpace, RigidMotion, RoundedBox, Sphere

SPEED = np.array([0.05, -0.02, 0.01])


def motion_of_a_ball(radius=0.1):
    """A ball that runs 1 m along x at 0.1 m above the ground."""
    times = np.linspace(0.0, 2.0, 21)
    place = np.column_stack([0.5 * times, np.zeros(21), np.full(21, radius)])
    return xr.Dataset(
        {"X": (("node", "axis"), [[0.0, 0.0, -radius]]), "frame_position": (("time", "axis"), place)}, {"time": times}
    )


def lines_of(*obstacles):
    """Wires of obstacles, each of a contact, the first of two."""
    problem = SimpleNamespace(contacts=[SimpleNamespace(obstacle=obstacle) for obstacle in (obstacles[0], *obstacles)])
    return wires(motion_of_a_ball(), problem)


@pytest.mark.parametrize("motion", [RigidMotion(), RigidMotion(velocity=SPEED, spin=(0.0, 0.0, 0.2))])
def test_lines_lie_on_the_surface_at_any_time(motion):
    obstacles = (
        HalfSpace(motion=motion),
        Sphere((1.0, 0.2, 0.2), 0.2, motion=motion),
        RoundedBox((0.3, -0.3, 0.1), (0.3, 0.2, 0.2), 0.02, motion=motion),
    )
    computed = lines_of(*obstacles)
    assert [wire.obstacle for wire in computed] == list(obstacles), "each once"
    for wire in computed:
        assert len(wire.lines) > 5
        for time in (0.0, 1.3):
            points = np.vstack(wire.at(time))
            assert np.abs(wire.obstacle.gap(points, time).gap).max() < 1e-9
            origin, *units = wire.axes_at(time)
            placed = origin + np.vstack(wire.lines) @ (np.array(units) - origin)
            np.testing.assert_allclose(placed, points, atol=1e-12)


def test_lines_of_the_ground_surround_the_motion_and_are_straight():
    (ground,) = lines_of(HalfSpace())
    assert ground.ground
    assert not ground.moves
    points = np.vstack(ground.lines)
    assert all(len(line) == 2 for line in ground.lines)
    assert points[:, 0].min() < -0.1
    assert points[:, 0].max() > 1.1
    np.testing.assert_allclose(points[:, 2], 0.0, atol=1e-12)
    assert not lines_of(HalfSpace(motion=RigidMotion(velocity=SPEED)))[0].ground


def test_many_cells_are_an_image_of_the_colours_that_most_have():
    n = int(np.ceil(np.sqrt(MOST_CELLS))) + 1
    x, y = (part.ravel() for part in np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0)))
    corner = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    cells = np.stack([corner, corner + 1, corner + n + 2, corner + n + 1], axis=1)
    position = np.column_stack([x, y]) / n
    left = position[cells].mean(axis=1)[:, 0] < 0.5
    axes = Figure().subplots()
    mesh(axes, position, cells, np.where(left, "#ff0000", "#0000ff").tolist())
    (image,) = axes.images
    pixels = np.asarray(image.get_array())
    assert not axes.collections
    assert pixels.shape[0] * pixels.shape[1] == pytest.approx(n * n / CELLS_IN_A_PIXEL, rel=0.1)
    assert np.all(pixels[..., 3] == 1.0), "no holes"
    middle = pixels.shape[1] // 2
    assert np.all(pixels[:, : middle - 1, 0] == 1.0)
    assert np.all(pixels[:, middle + 2 :, 2] == 1.0)
    np.testing.assert_allclose(image.get_extent(), [0.0, 1.0, 0.0, 1.0], atol=0.02)
