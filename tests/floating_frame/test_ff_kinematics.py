"""Kinematics (2.1), (3.2): conventions, and nodal velocities and accelerations against numerical differentiation."""

import numpy as np
import pytest
from ff_examples import SmoothMotion, plate, random_split

from floating_frame.frame.kinematics import (
    FrameMotion,
    cross,
    deformation,
    motion_in_space,
    rotation,
    to_body,
    to_inertial,
    turned,
)

T = 0.83
EX, EY = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
# Differencing a complex-step velocity over h = 0.01: rounding 1e-15/h, and h^8/630 = 2e-19 of the ninth derivative.
DIFFERENCED = 1e-11


@pytest.fixture(scope="module")
def motion():
    return SmoothMotion(plate(length=2.0, width=1.0).X)


def test_turning_and_crossing_are_counter_clockwise():
    assert np.array_equal(turned(EX), EY)
    assert np.array_equal(turned(EY), -EX)
    assert cross(EX, EY) == 1.0
    assert cross(EY, EX) == -1.0
    quarter = to_inertial(EX, np.pi / 2)
    assert np.allclose(quarter, EY, rtol=0, atol=1e-16)
    assert np.allclose(rotation(0.3), [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]], rtol=0, atol=0)


def test_body_and_inertial_components_are_inverse_and_turned_is_the_derivative_of_a_rotation():
    field = np.random.default_rng(1).standard_normal((40, 2))
    assert np.abs(to_inertial(field, 1.1) - field).max() > 1.0
    assert np.allclose(to_body(to_inertial(field, 1.1), 1.1), field, rtol=0, atol=4e-16 * np.abs(field).max() * 2)
    slope = (to_inertial(field, 1.1 + 1e-5) - to_inertial(field, 1.1 - 1e-5)) / 2e-5
    # Central difference: h^2/6 = 2e-11, rounding 1e-11.
    assert np.allclose(slope, to_inertial(turned(field), 1.1), rtol=0, atol=3e-10)
    assert np.allclose(cross(field, turned(field)), (field**2).sum(1), rtol=1e-15)


def test_every_term_of_the_acceleration_is_large_in_the_test_motion(motion):
    frame, split = motion.frame_motion(T), motion.split(T)
    r = motion.X + split.displacement
    spin, spin_rate = frame.spin, frame.spin_rate
    terms = [frame.accelerations[:2], spin_rate * r, spin**2 * r, 2 * spin * split.rate, split.acceleration]
    sizes = [np.abs(term).max() for term in terms]
    assert min(sizes) > 0.03 * max(sizes)


def test_composed_velocity_is_the_derivative_of_the_position(motion):
    x, v, _ = motion_in_space(motion.X, motion.split(T), motion.frame_motion(T))
    expected = motion.velocity(T)
    assert np.abs(expected).max() > 1.0
    assert np.allclose(x, motion.position(T), rtol=0, atol=1e-15)
    assert np.allclose(v, expected, rtol=0, atol=2e-15 * np.abs(expected).max())


def test_composed_acceleration_is_the_derivative_of_the_velocity(motion):
    a = motion_in_space(motion.X, motion.split(T), motion.frame_motion(T))[2]
    expected = motion.acceleration(T)
    assert np.abs(expected).max() > 1.0
    assert np.allclose(a, expected, rtol=0, atol=DIFFERENCED * np.abs(expected).max())


def test_split_of_a_motion_gives_the_derivatives_of_its_displacement(motion):
    found = deformation(
        motion.X, motion.position(T), motion.velocity(T), motion.acceleration(T), motion.frame_motion(T)
    )
    for part, expected in zip(found, motion.split(T), strict=True):
        assert np.abs(expected).max() > 0.1
        assert np.allclose(part, expected, rtol=0, atol=DIFFERENCED)


@pytest.mark.parametrize("seed", range(5))
def test_split_and_composition_are_inverse_for_any_frame_motion(seed):
    X = plate(length=2.0, width=1.0).X
    frame, split = random_split(seed, len(X))
    again = deformation(X, *motion_in_space(X, split, frame), frame)
    size = max(np.abs(f).max() for f in motion_in_space(X, split, frame))
    for part, expected in zip(again, split, strict=True):
        assert np.allclose(part, expected, rtol=0, atol=2e-15 * size)


def test_another_split_of_one_motion_composes_to_the_same_motion(motion):
    space = motion.position(T), motion.velocity(T), motion.acceleration(T)
    frame = random_split(3, 1)[0]
    split = deformation(motion.X, *space, frame)
    assert np.abs(split.displacement - motion.displacement(T)).max() > 0.5
    for field, expected in zip(motion_in_space(motion.X, split, frame), space, strict=True):
        assert np.allclose(field, expected, rtol=0, atol=1e-14 * np.abs(expected).max())


def test_a_plain_rotation_has_centripetal_acceleration_towards_the_centre():
    X = np.array([[1.0, 0.0], [0.0, 2.0]])
    frame = FrameMotion(np.zeros(3), np.array([0.0, 0.0, 3.0]), np.zeros(3))
    still = tuple(np.zeros_like(X) for _ in range(3))
    _, v, a = motion_in_space(X, type(random_split(0, 1)[1])(*still), frame)
    assert np.array_equal(v, [[0.0, 3.0], [-6.0, 0.0]])
    assert np.array_equal(a, -9.0 * X)
