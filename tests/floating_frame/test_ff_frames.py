"""Frame conditions: the decompositions meet them, invert the composition, unwrap, differentiate, and know their limits."""

import numpy as np
import pytest
from ff_examples import SmoothMotion, central_difference, plate, random_split
from scipy.optimize import brentq

from floating_frame import FRAMES, InitialState, MeanAxis, Options, Problem, Tisserand, assemble
from floating_frame.errors import FrameUndefined
from floating_frame.frame.kinematics import Deformation, cross, deformation, motion_in_space, turned
from floating_frame.frame.moments import MassDistribution, moments

T = 0.83


@pytest.fixture(scope="module")
def body():
    return plate(length=2.0, width=1.0)


@pytest.fixture(scope="module")
def mass(body):
    return MassDistribution.of(body.mass_matrix, body.X)


def random_motion(body, seed):
    """Nodal (x, v, a) in finite deformation, far from any frame condition."""
    motion, split = random_split(seed, len(body.X))
    return motion_in_space(body.X, Deformation(*(0.3 * f for f in split)), motion)


def decomposed(frame, mass, space, angle=0.0):
    return frame.decompose(moments(mass, *space), mass, angle)


def weighted(mass, a, b):
    """[a, b], the mass-weighted cross product."""
    return cross(mass.matrix @ a, b).sum()


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("seed", range(3))
def test_origin_is_the_centre_of_mass_and_A_P_B_vanish(body, mass, name, seed):
    space = random_motion(body, seed)
    motion = decomposed(FRAMES[name](), mass, space)
    assert np.linalg.norm(motion.coordinates[:2]) > 0.1
    split = deformation(body.X, *space, motion)
    for field in split:
        assert np.abs(field).max() > 0.1
        assert np.allclose(mass.nodal @ field, 0.0, rtol=0, atol=1e-13 * mass.total * np.abs(field).max())


@pytest.mark.parametrize("seed", range(3))
def test_mean_axes_leave_no_mean_rotation_in_u_nor_in_its_rates(body, mass, seed):
    space = random_motion(body, seed)
    split = deformation(body.X, *space, decomposed(MeanAxis(), mass, space))
    for field in split:
        assert abs(weighted(mass, body.X, field)) < 1e-13 * mass.total * np.abs(field).max()
    r = body.X + split.displacement
    assert abs(weighted(mass, r, split.acceleration)) > 1e-4 * mass.total, "L does not vanish in this frame"


@pytest.mark.parametrize("seed", range(3))
def test_tisserand_axes_leave_no_relative_angular_momentum_nor_its_rate(body, mass, seed):
    space = random_motion(body, seed)
    split = deformation(body.X, *space, decomposed(Tisserand(), mass, space, angle=0.4))
    r = body.X + split.displacement
    for field in split[1:]:
        assert abs(weighted(mass, r, field)) < 1e-13 * mass.total * np.abs(field).max()
    assert abs(weighted(mass, body.X, split.acceleration)) > 1e-3 * mass.total, "not the mean axes"


@pytest.mark.parametrize("name", FRAMES)
def test_decomposition_inverts_a_composition_that_meets_the_condition(body, mass, name):
    frame = FRAMES[name]()
    space = random_motion(body, 7)
    motion = decomposed(frame, mass, space, angle=1.1)
    split = deformation(body.X, *space, motion)
    given, _ = random_split(8, 1)  # any other frame motion with the same deformation
    found = decomposed(frame, mass, motion_in_space(body.X, split, given), angle=given.angle)
    for part, expected in zip(
        (found.coordinates, found.rates, found.accelerations),
        (given.coordinates, given.rates, given.accelerations),
        strict=True,
    ):
        assert np.abs(expected).min() > 0.1
        assert np.allclose(part, expected, rtol=0, atol=2e-14 * 10)


@pytest.mark.parametrize("name", FRAMES)
def test_frame_turns_with_a_body_that_is_turned_rigidly(body, mass, name):
    still = np.zeros_like(body.X)
    Q = np.array([[np.cos(2.0), -np.sin(2.0)], [np.sin(2.0), np.cos(2.0)]])
    x = body.X @ Q.T + [3.0, -1.0]
    found = decomposed(FRAMES[name](), mass, (x, 5.0 * turned(x - [3.0, -1.0]), still), angle=2.0)
    assert np.allclose(found.coordinates, [3.0, -1.0, 2.0], rtol=0, atol=1e-14)
    assert np.allclose(found.rates, [0.0, 0.0, 5.0], rtol=0, atol=1e-14)


@pytest.mark.parametrize("direction", [1, -1])
def test_mean_axis_angle_unwraps_over_several_turns(body, mass, direction):
    still = np.zeros_like(body.X)
    known, angles = 0.0, direction * np.arange(0.0, 40.0, 0.7)
    for angle in angles:
        c, s = np.cos(angle), np.sin(angle)
        x = body.X @ np.array([[c, s], [-s, c]])
        known = decomposed(MeanAxis(), mass, (x, still, still), known).angle
        assert known == pytest.approx(angle, abs=2e-14)
    assert abs(known) > 12 * np.pi


@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda f: f.name)
def test_spin_and_spin_rate_are_derivatives_along_a_motion(body, mass, frame):
    motion = SmoothMotion(body.X)

    def at(t):
        space = motion.position(t), motion.velocity(t), motion.acceleration(t)
        return decomposed(frame, mass, space, motion.coordinates(t)[2])

    found = at(T)
    assert abs(found.spin) > 1.0
    assert abs(found.spin_rate) > 0.1
    assert abs(found.spin - motion.frame_motion(T).spin) > 1e-3, "the body's own frame is not this frame"
    if frame.holonomic:
        assert found.spin == pytest.approx(central_difference(lambda t: at(t).angle, T), rel=1e-11)
    assert found.spin_rate == pytest.approx(central_difference(lambda t: at(t).spin, T), rel=1e-10)
    assert np.allclose(found.rates[:2], central_difference(lambda t: at(t).coordinates[:2], T), rtol=0, atol=1e-11)


@pytest.fixture(scope="module")
def strip():
    return plate(60, 1, length=1.0, width=1e-3)


def coiled(X, angle):
    """A strip of unit length rolled up to an arc of ``angle`` rad, unstretched at its centreline."""
    s, y = X.T
    radius = 1.0 / angle - y
    x = np.stack([radius * np.sin(angle * s), 1.0 / angle - radius * np.cos(angle * s)], axis=1)
    return x


def alignment(mass, x):
    found = moments(mass, x, x, x)
    return found.position.dot / mass.second_moment


def test_mean_axes_are_undefined_for_a_beam_coiled_by_8_99_rad_and_tisserands_are_not(strip):
    mass = MassDistribution.of(strip.mass_matrix, strip.X)
    critical = brentq(lambda angle: alignment(mass, coiled(strip.X, angle)), 8.0, 10.0, xtol=1e-14)
    # The root of tan(θ/2) = θ/2 for a line, within what 60 straight segments make of an arc.
    assert critical == pytest.approx(8.98682, abs=0.02)
    x = coiled(strip.X, critical)
    spun = (x, 3.0 * turned(x - mass.mean(x)), np.zeros_like(x))
    with pytest.raises(FrameUndefined, match="coiled or folded"):
        decomposed(MeanAxis(), mass, spun)
    assert decomposed(Tisserand(), mass, spun).spin == pytest.approx(3.0, rel=1e-12)
    assert decomposed(MeanAxis(), mass, (coiled(strip.X, 6.0), *spun[1:])).angle == pytest.approx(0.0, abs=1e-12)


def test_a_start_that_leaves_the_mean_axes_undefined_is_refused(strip):
    mass = MassDistribution.of(strip.mass_matrix, strip.X)
    critical = brentq(lambda angle: alignment(mass, coiled(strip.X, angle)), 8.0, 10.0, xtol=1e-14)
    start = InitialState(displacement=coiled(strip.X, critical) - strip.X)
    with pytest.raises(ValueError, match="leaves the frame's rotation free"):
        assemble(Problem(strip, 1.0, initial=start), Options(1e-3))
    assemble(Problem(strip, 1.0, frame=Tisserand(), initial=start), Options(1e-3))


@pytest.mark.parametrize("name", FRAMES)
def test_a_body_shrunk_to_a_point_has_no_frame(body, mass, name):
    x = 1e-9 * body.X
    with pytest.raises(FrameUndefined):
        decomposed(FRAMES[name](), mass, (x, np.zeros_like(x), np.zeros_like(x)))
