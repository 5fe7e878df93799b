"""Kinematics (2.1), (2.2), (3.2) in the plane and in space: nodal velocities and accelerations against differences."""

import numpy as np
import pytest
from frame_examples import SmoothMotion, body_of, random_frame, random_split

from floating_frame.frame import kinematics
from floating_frame.frame.kinematics import cross, deformation, motion_in_space, rotation, to_inertial, turned

T = 0.83
EX, EY = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
# Differencing a complex-step velocity over h = 0.01: rounding 1e-15/h, and h^8/630 = 2e-19 of the ninth derivative.
DIFFERENCED = 1e-11


@pytest.fixture(scope="module", params=[2, 3], ids=["plane", "space"])
def motion(request):
    return SmoothMotion(body_of(request.param).X)


def test_turning_crossing_and_rotations_in_the_plane_are_counter_clockwise_and_inverse():
    assert np.array_equal(turned(EX), EY)
    assert np.array_equal(turned(EY), -EX)
    assert cross(EX, EY) == 1.0
    assert cross(EY, EX) == -1.0
    assert np.allclose(to_inertial(EX, 0.3), [[np.cos(0.3), np.sin(0.3)]], rtol=0, atol=1e-16)
    assert np.allclose(to_inertial(EX, 0.3), EX @ rotation(0.3).T, rtol=0, atol=1e-16)
    field = np.random.default_rng(1).standard_normal((40, 2))
    assert np.allclose(to_inertial(to_inertial(field, 1.1), -1.1), field, rtol=0, atol=1e-15 * np.abs(field).max())
    assert np.allclose(cross(field, turned(field)), (field**2).sum(1), rtol=1e-15)


@pytest.mark.parametrize("turns", [-12.0, -0.4, 0.0, 0.6, 12.0])
def test_the_angle_of_a_rotation_is_the_one_nearest_to_that_known_before(turns):
    angle = 2.0 * np.pi * turns + 0.3
    frame = kinematics.FloatingFrame(*np.zeros((3, 2)), rotation(angle), np.array([1.5]), np.array([-2.5]))
    for known in (angle, angle + 3.0, angle - 3.0):
        computed = kinematics.FrameMotion.near(frame, known)
        assert computed.angle == pytest.approx(angle, abs=2e-14 * (1.0 + abs(angle)))
        assert (computed.spin, computed.accelerations[2]) == (1.5, -2.5)


def test_composed_motion_has_the_derivatives_of_the_position(motion):
    frame, split = motion.frame(T), motion.split(T)
    r, spin, rate = motion.X + split.displacement, np.abs(frame.spin).max(), np.abs(frame.spin_rate).max()
    terms = [frame.acceleration, rate * r, spin**2 * r, 2 * spin * split.rate, split.acceleration]
    sizes = [np.abs(term).max() for term in terms]
    assert min(sizes) > 0.02 * max(sizes), "every term of the acceleration is large"
    x, v, a = motion_in_space(motion.X, split, frame)
    place, velocity, acceleration = motion.space(T)
    assert min(np.abs(velocity).max(), np.abs(acceleration).max()) > 1.0
    assert np.allclose(x, place, rtol=0, atol=1e-15)
    assert np.allclose(v, velocity, rtol=0, atol=2e-15 * np.abs(velocity).max())
    assert np.allclose(a, acceleration, rtol=0, atol=DIFFERENCED * np.abs(acceleration).max())


@pytest.mark.parametrize("seed", range(4))
def test_split_and_composition_are_inverse_for_any_frame_motion(motion, seed):
    frame, split = random_frame(seed, motion.d), random_split(seed, motion.X)
    space = motion_in_space(motion.X, split, frame)
    again, size = deformation(motion.X, *space, frame), max(np.abs(f).max() for f in space)
    for part, expected in zip(again, split, strict=True):
        assert np.allclose(part, expected, rtol=0, atol=4e-15 * size)
    other = deformation(motion.X, *motion.space(T), frame)  # another split of one motion than its own
    assert np.abs(other.displacement - motion.displacement(T)).max() > 0.5
    for field, expected in zip(motion_in_space(motion.X, other, frame), motion.space(T), strict=True):
        assert np.allclose(field, expected, rtol=0, atol=1e-14 * np.abs(expected).max())
