"""Frame conditions in the plane and in space: decompositions meet them, invert the composition, differentiate, know their limits;
and (2.3)2 with a condition put in, against vectors of space."""

import frame_examples
import numpy as np
import pytest
from ff_examples import central_difference, plate, rate
from frame_examples import SmoothMotion, body_of, in_space, mass_of, of_plane, plain, random_frame, spins_of, turn_of
from problems import assembled
from scipy.optimize import brentq

import fem
from floating_frame import FRAMES, InitialState, MeanAxis, Tisserand
from floating_frame.errors import Unsolved
from floating_frame.frame.inertia import integrals
from floating_frame.frame.kinematics import FloatingFrame, deformation, motion_in_space, rotation, skew_of, turned
from floating_frame.frame.moments import moments
from floating_frame.frame.rigid_pass import FrameHistory
from floating_frame.frame.turning import exponential, polar, turn_after

T = 0.83
NAMES = pytest.mark.parametrize("name", FRAMES)


@pytest.fixture(scope="module", params=[2, 3], ids=["plane", "space"])
def body(request):
    return body_of(request.param)


@pytest.fixture(scope="module")
def mass(body):
    return mass_of(body)


def random_motion(body, seed):
    """Nodal (x, v, a) in finite deformation, far from any frame condition."""
    return motion_in_space(body.X, frame_examples.random_split(seed, body.X, 0.3), random_frame(seed, body.X.shape[1]))


def decomposed(frame, mass, space, last=None):
    return frame.decompose(moments(mass, *space), mass, np.eye(space[0].shape[1]) if last is None else last)


def weighted(mass, a, b):
    """⟨a × b⟩ (3,)."""
    return np.cross(in_space(mass.matrix @ a), in_space(b)).sum(axis=0)


@pytest.mark.parametrize("d", [2, 3])
def test_exponential_and_turn_are_those_of_the_matrices(d):
    rng = np.random.default_rng(d)
    for size in (1e-6, 0.3, 2.0):
        spin = size * rng.standard_normal(spins_of(d))
        W, increment = skew_of(spin, d), skew_of(size * rng.standard_normal(spins_of(d)), d)
        assert np.allclose(exponential(W), turn_of(spin), rtol=0, atol=1e-15 * (1 + size))
        turn = turn_after(increment, W, 0.7)
        assert np.allclose(turn, increment + 0.7 * (W - 0.5 * (turn @ W - W @ turn)), rtol=0, atol=1e-15 * (1 + size))
        assert (np.abs(turn - increment - 0.7 * W).max() > 1e-3 * size**2) == (d == 3)
        assert np.array_equal(turn, -turn.T)


@pytest.mark.parametrize("d", [2, 3])
def test_the_polar_factor_leaves_a_symmetric_matrix_of_the_largest_trace(d):
    """Also of matrices with det < 0, as a coiled strip has: tr S 1 − S is positive definite, and no rotation has a larger trace."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        A = rng.standard_normal((d, d))
        A[-1] *= 1e-3 ** (seed % 2)
        computed = polar(A)
        S = computed.T @ A
        assert np.allclose(computed.T @ computed, np.eye(d), rtol=0, atol=2e-15)
        assert np.linalg.det(computed) == pytest.approx(1.0, rel=1e-14)
        assert np.allclose(S, S.T, rtol=0, atol=1e-14 * np.abs(A).max())
        for _ in range(20):
            assert np.trace(turn_of(rng.uniform(-3.0, 3.0, spins_of(d))).T @ A) < np.trace(S)
    assert np.isnan(polar(np.full((d, d), np.inf))).all()


@NAMES
@pytest.mark.parametrize("seed", range(3))
def test_each_frame_meets_its_condition_and_not_that_of_the_other(body, mass, name, seed):
    """A = P = B = 0 in both; mean axes leave ⟨X × u⟩ = 0 and its rates, Tisserand's ⟨r × u'⟩ = 0, so k = L = 0, and its rate."""
    space, d = random_motion(body, seed), body.X.shape[1]
    frame = decomposed(FRAMES[name](), mass, space, turn_of(0.4 * np.ones(spins_of(d))))
    assert np.linalg.norm(frame.origin) > 0.1
    split = deformation(body.X, *space, frame)
    for field in split:
        assert np.abs(field).max() > 0.1
        assert np.allclose(mass.nodal @ field, 0.0, rtol=0, atol=1e-13 * mass.total * np.abs(field).max())
    r = body.X + split.displacement
    arm, fields, other = (body.X, split, r) if name == "mean-axis" else (r, split[1:], body.X)
    for field in fields:
        assert np.abs(weighted(mass, arm, field)).max() < 1e-13 * mass.total * np.abs(field).max()
    assert np.abs(weighted(mass, other, split.acceleration)).max() > 1e-5 * mass.total
    values = integrals(mass.matrix, body.X, split)
    for value in (values.L, values.k):
        assert (np.abs(value).max() < 1e-12 * mass.total) == (name == "tisserand")


@NAMES
def test_decomposition_inverts_a_composition_that_meets_the_condition(body, mass, name):
    frame, space, d = FRAMES[name](), random_motion(body, 7), body.X.shape[1]
    bent = deformation(body.X, *space, decomposed(frame, mass, space, turn_of(1.1 * np.ones(spins_of(d)))))
    given = random_frame(8, d)  # any other frame motion with the same deformation, or with none
    for split in (bent, frame_examples.random_split(0, body.X, 0.0)):
        computed = decomposed(frame, mass, motion_in_space(body.X, split, given), given.rotation)
        for part, expected in zip(computed, given, strict=True):
            assert np.abs(expected).max() > 0.1
            assert np.allclose(part, expected, rtol=0, atol=5e-14)


@NAMES
def test_spin_and_spin_rate_are_derivatives_along_a_motion(body, mass, name):
    frame, motion = FRAMES[name](), SmoothMotion(body.X)

    def at(t):
        return decomposed(frame, mass, motion.space(t), motion.rotation(t))

    computed = at(T)
    assert np.abs(computed.spin).max() > 1.0
    assert np.abs(computed.spin_rate).max() > 0.1
    assert np.abs(computed.spin - motion.spin(T)).max() > 1e-3, "the body's own frame is not this frame"
    size = np.abs(computed.spin_rate).max()
    if frame.holonomic:
        turning = central_difference(lambda t: at(t).rotation, T)
        assert np.allclose(skew_of(computed.spin, len(turning)) @ computed.rotation, turning, rtol=0, atol=1e-10)
    assert np.allclose(computed.spin_rate, central_difference(lambda t: at(t).spin, T), rtol=0, atol=1e-9 * size)
    assert np.allclose(computed.velocity, central_difference(lambda t: at(t).origin, T), rtol=0, atol=1e-11)


def stage_of(d, seed, tau=0.01):
    """A stage's history and a frame to begin with, far from any condition."""
    begun, start, rng = random_frame(seed + 20, d), random_frame(seed + 30, d), np.random.default_rng(seed)
    turn = 0.1 * rng.standard_normal(spins_of(d))
    history = FrameHistory(0.0, begun.origin, begun.velocity, begun.rotation, turn, begun.spin, tau, tau)
    return history, start, 30.0 * rng.standard_normal(d + spins_of(d))


@NAMES
@pytest.mark.parametrize("seed", range(4))
def test_the_rigid_pass_solves_2_3_in_vectors_where_the_frame_does_not_meet_its_condition(body, mass, name, seed):
    space, (history, start, net), d = random_motion(body, seed), stage_of(body.X.shape[1], seed), body.X.shape[1]
    of = moments(mass, *space)
    computed, sweeps = FRAMES[name]().solve(of, mass, history, net, start)
    assert 2 < sweeps < 60
    assert np.abs(computed.rotation - decomposed(MeanAxis(), mass, space).rotation).max() > 0.1
    same, _ = plain(name).solve(of, mass, history, net, start)
    for part, expected in zip(computed, same, strict=True):
        assert np.allclose(part, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    assert np.allclose(computed.acceleration, net[:d] / mass.total, rtol=1e-14)
    assert np.allclose(computed.spin, history.spin + history.tau_v * computed.spin_rate, rtol=1e-12)
    if seed == 3:  # each of the terms counts
        terms = {"growth", "moment", "inertia"} | ({"relative"} if name == "mean-axis" else set())
        for term in terms | ({"gyroscopic", "carried"} if d == 3 else set()):
            other, _ = plain(name, **{term: 0.9}).solve(of, mass, history, net, start)
            assert np.abs(other.spin_rate - computed.spin_rate).max() > 1e-4 * np.abs(computed.spin_rate).max(), term


@NAMES
def test_the_equation_with_the_condition_put_in_gives_the_decomposed_spin_rate(body, mass, name):
    """Nodes in equilibrium: M0 is the moment of M a."""
    space, d = random_motion(body, 11), body.X.shape[1]
    exact = decomposed(FRAMES[name](), mass, space)
    moment = of_plane(weighted(mass, space[0] - mass.mean(space[0]), space[2]), d)
    history = FrameHistory(0.0, exact.origin, exact.velocity, exact.rotation, 0 * exact.spin, exact.spin, 1e-9, 1e-9)
    net = np.concatenate([mass.nodal @ space[2], moment])
    computed, _ = FRAMES[name]().solve(moments(mass, *space), mass, history, net, exact)
    # τ = 1e-9 s changes spin and attitude, and so the terms, by some 1e-8 of them.
    assert np.allclose(computed.spin_rate, exact.spin_rate, rtol=0, atol=1e-6 * np.abs(exact.spin_rate).max())
    assert np.allclose(computed.acceleration, exact.acceleration, rtol=1e-13)


@NAMES
def test_a_couple_on_the_frames_spin_has_its_power_for_any_motion_and_its_moment(body, mass, name):
    space, d = random_motion(body, 2), body.X.shape[1]
    frame = decomposed(FRAMES[name](), mass, space)
    r, moment = (space[0] - frame.origin) @ frame.rotation, np.random.default_rng(1).standard_normal(spins_of(d))
    force = FRAMES[name]().couple(mass, r, skew_of(moment, d))
    spin = frame.rotation.T @ skew_of(frame.spin, d) @ frame.rotation
    power = 0.5 * np.sum(skew_of(moment, d) * spin)
    assert abs(power) > 0.1
    assert np.vdot(force, space[1] @ frame.rotation) == pytest.approx(power, rel=1e-11)
    assert np.allclose(force.sum(axis=0), 0.0, rtol=0, atol=1e-13 * np.abs(force).sum())
    arm = np.cross(in_space(r), in_space(force)).sum(axis=0)
    assert np.allclose(of_plane(arm, d), moment, rtol=0, atol=1e-12 * np.abs(moment).max())


@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda f: f.name)
def test_small_strain_force_less_the_couple_of_its_moment_does_the_power_of_the_strain_energy(frame):
    body = plate(material=fem.SmallStrain(2.0e4, 0.3), length=2.0, width=1.0)
    mass, smooth = mass_of(body), SmoothMotion(body.X)
    rough = 0.1 * np.random.default_rng(6).standard_normal((2, *body.X.shape))
    x, v = smooth.position(T) + rough[0], rate(smooth.position, T) + 10.0 * rough[1]
    still = np.zeros_like(x)
    motion = decomposed(frame, mass, (x, v, still), smooth.rotation(T))
    r = (x - motion.origin) @ motion.rotation
    internal = body.internal_force(r - body.X)
    bare = np.cross(in_space(r), in_space(internal)).sum(axis=0)[2:]
    assert abs(bare[0]) > 1e-3 * np.abs(internal).sum(), "small strain is not objective: its force has a moment"
    whole = internal - frame.couple(mass, r, skew_of(bare, 2))

    def energy(t):
        """U along x + t v, in the frame that follows: by its condition, or turned at its spin."""
        last = rotation(float(t * motion.spin[0])) @ motion.rotation
        at = decomposed(frame, mass, (x + t * v, v, still), last)
        return body.strain_energy((x + t * v - at.origin) @ at.rotation - body.X)

    h = 1e-4
    slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    assert abs(np.vdot(internal, v @ motion.rotation) + slope) > 1e-3 * abs(slope), "the bare force does another power"
    # Fourth-order difference: h^4/30 of the fifth derivative, and rounding 1e-16/h.
    assert np.vdot(whole, v @ motion.rotation) == pytest.approx(-slope, rel=1e-9)


def coiled(X, angle):
    """A strip of unit length rolled up to an arc of ``angle`` rad, unstretched at its centreline."""
    s, y = X.T
    radius = 1.0 / angle - y
    return np.stack([radius * np.sin(angle * s), 1.0 / angle - radius * np.cos(angle * s)], axis=1)


def test_mean_axes_are_undefined_for_a_beam_coiled_by_8_99_rad_and_refused_at_the_start_and_tisserands_are_not():
    strip = plate(60, 1, length=1.0, width=1e-3)
    mass = mass_of(strip)

    def alignment(angle):
        x = coiled(strip.X, angle)
        return np.trace((x - mass.mean(x)).T @ mass.weighted) / mass.second_moment

    critical = brentq(alignment, 8.0, 10.0, xtol=1e-14)
    # The root of tan(θ/2) = θ/2 for a line, within what 60 straight segments make of an arc.
    assert critical == pytest.approx(8.98682, abs=0.02)
    x = coiled(strip.X, critical)
    spun = (x, 3.0 * turned(x - mass.mean(x)), np.zeros_like(x))
    with pytest.raises(Unsolved, match="coiled or folded") as caught:
        decomposed(MeanAxis(), mass, spun)
    assert caught.value.code == "FrameUndefined"
    assert decomposed(Tisserand(), mass, spun).spin[0] == pytest.approx(3.0, rel=1e-12)
    less = decomposed(MeanAxis(), mass, (coiled(strip.X, 6.0), *spun[1:]))
    assert np.allclose(less.rotation, np.eye(2), rtol=0, atol=1e-12)
    start = InitialState(displacement=x - strip.X)
    with pytest.raises(ValueError, match="leaves the frame's rotation free"):
        assembled(strip, 1.0, 1e-3, initial=start)
    assembled(strip, 1.0, 1e-3, frame=Tisserand(), initial=start)


@NAMES
@pytest.mark.parametrize(
    ("d", "scale"), [(2, 1e-9), (3, 1e-9), (3, [1.0, 0.0, 0.0])], ids=["dot", "speck", "rod in space"]
)
def test_a_body_shrunk_to_a_point_or_a_rod_in_space_has_no_frame(name, d, scale):
    body = body_of(d)
    still = np.zeros_like(body.X)
    with pytest.raises(Unsolved, match="undefined"):
        decomposed(FRAMES[name](), mass_of(body), (body.X * scale, still, still))


def test_the_frame_of_a_body_turned_by_half_a_turn_about_any_axis_is_found():
    body, axis = body_of(3), np.array([0.48, -0.6, 0.64])
    half, still = 2.0 * np.outer(axis, axis) - np.eye(3), np.zeros_like(body.X)
    computed = decomposed(MeanAxis(), mass_of(body), (body.X @ half.T, still, still))
    assert isinstance(computed, FloatingFrame)
    assert np.allclose(computed.rotation, half, rtol=0, atol=1e-13)
