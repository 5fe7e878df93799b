"""The frame condition put into row 3 of (3.4)1, and forces that are power-consistent in a moving frame."""

import numpy as np
import pytest
from ff_examples import SmoothMotion, plate, random_split, rate

import fem
from floating_frame import FRAMES, MeanAxis, Options, Problem, Tisserand, assemble
from floating_frame.effect.protocol import FrictionProblem
from floating_frame.frame import inertia
from floating_frame.frame.kinematics import Deformation, cross, deformation, motion_in_space, to_body
from floating_frame.frame.moments import MassDistribution, moments
from floating_frame.system.plate.elastic import NodalHistory, frame_moment_force


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("seed", range(4))
def test_substituted_condition_gives_the_L_and_inertia_of_the_exact_split(name, seed):
    body, frame = plate(length=2.0, width=1.0), FRAMES[name]()
    mass = MassDistribution.of(body.mass_matrix, body.X)
    motion, split = random_split(seed, len(body.X))
    space = motion_in_space(body.X, Deformation(*(0.3 * f for f in split)), motion)
    found = moments(mass, *space)
    motion = frame.decompose(found, mass, 0.7)
    values = inertia.integrals(mass.matrix, body.X, deformation(body.X, *space, motion))
    L0, J_effective = frame.substitute(found, motion.angle, motion.spin)
    size = mass.total * 10.0
    # u'' contains −ω' J r, so what is taken from L is given to the moment of inertia.
    assert pytest.approx(L0 + motion.spin_rate * (J_effective - values.J_zz), abs=1e-13 * size) == values.L
    assert found.yv == pytest.approx(values.K, abs=1e-13 * size)
    assert abs(motion.spin_rate) > 0.01
    if name == "mean-axis":
        assert abs(L0) > 1e-3 * mass.total
        assert abs(J_effective - values.J_zz) > 1e-3 * values.J_zz
    else:
        assert L0 == 0.0
        assert pytest.approx(0.0, abs=1e-13 * size) == values.L


@pytest.mark.parametrize("name", FRAMES)
def test_row_three_with_the_condition_put_in_gives_the_decomposed_spin_rate(name):
    body, frame = plate(length=2.0, width=1.0), FRAMES[name]()
    mass = MassDistribution.of(body.mass_matrix, body.X)
    motion, split = random_split(11, len(body.X))
    space = motion_in_space(body.X, Deformation(*(0.3 * f for f in split)), motion)
    found = moments(mass, *space)
    exact = frame.decompose(found, mass, 0.7)
    L0, J_effective = frame.substitute(found, exact.angle, exact.spin)
    M_z = weighted_moment(mass, space)
    spin_rate = (M_z - L0 - 2 * exact.spin * found.yv) / J_effective
    assert abs(2 * exact.spin * found.yv) > 0.01 * abs(M_z), "the term 2ωK is too small to test anything"
    assert spin_rate == pytest.approx(exact.spin_rate, rel=1e-12)


def weighted_moment(mass, space):
    return cross(mass.matrix @ (space[0] - mass.mean(space[0])), space[2]).sum()


def test_moments_seen_from_an_angle_are_moments_of_the_turned_field():
    body = plate(length=2.0, width=1.0)
    mass = MassDistribution.of(body.mass_matrix, body.X)
    field = np.random.default_rng(2).standard_normal(body.X.shape)
    turned_field = to_body(field, 0.9)
    seen, direct = mass.pairing(field).seen_from(0.9), mass.pairing(turned_field)
    assert abs(direct.dot - mass.pairing(field).dot) > 0.01 * mass.total
    assert np.allclose(seen, direct, rtol=0, atol=1e-14 * mass.total)
    assert direct.dot == pytest.approx(np.vdot(mass.matrix @ body.X, turned_field), rel=1e-13)
    assert direct.cross == pytest.approx(cross(mass.matrix @ body.X, turned_field).sum(), rel=1e-13)


@pytest.fixture(params=[MeanAxis(), Tisserand()], ids=lambda f: f.name)
def small_strain(request):
    """A small-strain plate in a finite motion, its stage at one instant and the force in question."""
    body = plate(material=fem.SmallStrain(2.0e4, 0.3), length=2.0, width=1.0)
    model = assemble(Problem(body, 1.0, frame=request.param), Options(1e-3))
    smooth = SmoothMotion(body.X)
    t = 0.83
    rough = 0.1 * np.random.default_rng(6).standard_normal((2, *body.X.shape))
    x, v = smooth.position(t) + rough[0], smooth.velocity(t) + 10.0 * rough[1]
    motion = model.frame.decompose(moments(model.mass, x, v, np.zeros_like(x)), model.mass, smooth.coordinates(t)[2])
    zero = np.zeros_like(x)
    # τ_x = 0: the stage's position is x itself, whatever its velocity.
    history = NodalHistory(
        time=t,
        position=x,
        velocity=v,
        coordinates=motion.coordinates,
        rates=motion.rates,
        load=zero,
        tau_x=0.0,
        tau_v=1.0,
        force_weight=1.0,
        friction=FrictionProblem(model.law, model.law, np.zeros(len(x)), np.zeros(2)),
    )
    return model, motion, x, v, frame_moment_force(model, history, motion, v)


def test_small_strain_force_with_the_frame_moment_has_no_resultant_moment(small_strain):
    model, motion, x, _, extra = small_strain
    r = to_body(x - motion.coordinates[:2], motion.angle)
    internal = model.body.internal_force(r - model.body.X)
    bare = cross(r, internal).sum()
    scale = (np.linalg.norm(r, axis=1) * np.linalg.norm(internal, axis=1)).sum()
    assert abs(bare) > 1e-3 * scale, "small strain is not objective: its force has a moment"
    assert abs(cross(r, internal + extra).sum()) < 1e-13 * scale
    assert np.abs((internal + extra).sum(0)).max() < 1e-12 * np.abs(internal).sum()


def test_small_strain_force_with_the_frame_moment_does_the_power_of_the_strain_energy(small_strain):
    model, motion, x, v, extra = small_strain
    mass, body = model.mass, model.body
    r = to_body(x - motion.coordinates[:2], motion.angle)
    internal = body.internal_force(r - body.X)

    def energy(t):
        """U along x + t v, in the frame that follows: by its condition, or turned at its spin."""
        position = x + t * v
        found = moments(mass, position, v, np.zeros_like(v))
        turned_angle = motion.angle + t * motion.spin
        frame = model.frame.decompose(found, mass, turned_angle)
        return body.strain_energy(to_body(position - frame.coordinates[:2], frame.angle) - body.X)

    h = 1e-4
    slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    power = np.vdot(internal + extra, to_body(v, motion.angle))
    without = np.vdot(internal, to_body(v, motion.angle))
    assert abs(without + slope) > 1e-3 * abs(slope), "the bare force does another power"
    # Fourth-order difference: h^4/30 of the fifth derivative, and rounding 1e-16/h.
    assert power == pytest.approx(-slope, rel=1e-9)


def test_objective_materials_need_no_frame_moment():
    for material in (fem.StVenantKirchhoff(2e4, 0.3), fem.NeoHookean(2e4, 0.3)):
        body = plate(material=material, length=2.0, width=1.0)
        assert assemble(Problem(body, 1.0), Options(1e-3)).objective
        u = SmoothMotion(body.X).displacement(0.83)
        force = body.internal_force(u)
        assert np.abs(force).max() > 1.0
        moment = cross(body.X + u, force).sum()
        assert abs(moment) < 1e-13 * np.abs(force).sum()
    assert np.abs(rate(SmoothMotion(body.X).displacement, 0.83)).max() > 0.1
