"""Laws of friction under bodies in space whose normal forces are unknown."""

from dataclasses import replace

import numpy as np
import pytest
from rows import rows

from cases import block_in_space, plate_in_space, potra_block, solid_pulled, sphere_on_plane
from floating_frame import (
    Base,
    Contact,
    Feet,
    Options,
    Ramp,
    RigidSolid,
    SpaceForce,
    SpaceInitial,
    SpaceProblem,
    assemble,
    simulate,
)
from friction import Coulomb, Elliptic, Limited, Sliding, Smooth, StaticKinetic, Stribeck

G = 9.81
POINTS = [[a * 0.15, b * 0.1, -0.03] for a in (-1, 1) for b in (-1, 1)]
INERTIA = (0.0043, 0.0085, 0.012)


def pulled(law, *, mu=0.5, force=8.0, velocity=(0.0, 0.0, 0.0), t_end=0.2, dt=1e-3, scheme="sdirk2"):
    """The run of a block of 1 kg on four feet under a force along x that grows from 0 in time."""
    load = SpaceForce(force=(force, 0.0, 0.0), at=(0.0, 0.0, -0.03), history=Ramp(t_end))
    body = RigidSolid(mass=1.0, inertia=INERTIA, shape=Feet(POINTS))
    start = SpaceInitial(velocity=velocity)
    return simulate(
        assemble(
            SpaceProblem(body=body, t_end=t_end, mu=mu, loads=(load,), initial=start, law=law),
            Options(dt=dt, scheme=scheme),
        )
    )


@rows("scheme", ["sdirk2", "backward-euler"])
def test_a_block_breaks_away_at_its_static_coefficient_and_slides_with_the_kinetic_one(scheme):
    mu, ratio, force, end, dt = 0.5, 0.6, 8.0, 0.2, 1e-3
    data = pulled(StaticKinetic(dynamic_ratio=ratio), scheme=scheme)
    breaks = mu * G / force * end
    stick, times = data.stick.values.min(axis=1), data.time.values
    assert 0.1 < breaks < 0.15
    first = times[np.flatnonzero(stick == 0)[0]]
    assert breaks - 1e-12 <= first <= breaks + dt
    assert not data.velocity.values[times < breaks - dt, :, :2].any()  # it sticks exactly until then
    # from there v' = F t/end - ratio mu g; errors: a step in the instant of breaking, half a step of backward Euler's load
    after = end - breaks
    speed = 0.5 * force / end * (end**2 - breaks**2) - ratio * mu * G * after
    jump = (1.0 - ratio) * mu * G * dt + 0.5 * dt * force / end * after
    assert data.frame_velocity.values[-1, 0] == pytest.approx(speed, abs=jump)
    assert -data.contact_force.values[-1, :, 0].sum() == pytest.approx(ratio * mu * G, rel=1e-9)
    np.testing.assert_allclose(data.normal_force.values[1:].sum(axis=1), G, rtol=1e-9)


def test_a_block_that_comes_to_rest_stays_under_a_force_that_kinetic_friction_alone_would_not_bear():
    mu, ratio = 0.5, 0.4
    data = pulled(StaticKinetic(dynamic_ratio=ratio), force=3.0, velocity=(-0.1, 0.0, 0.0), t_end=0.4)
    kinetic = ratio * mu * G
    assert kinetic < 3.0
    assert np.all(data.stick.values[-1] == 1)
    assert not data.velocity.values[-1, :, :2].any()
    assert -data.contact_force.values[-1, :, 0].sum() == pytest.approx(3.0, rel=1e-9)
    # Coulomb's law with the kinetic coefficient lets it go
    loose = pulled(Coulomb(), mu=ratio * mu, force=3.0, velocity=(-0.1, 0.0, 0.0), t_end=0.4)
    assert loose.frame_velocity.values[-1, 0] > 1e-3


def test_an_arrest_is_held_by_static_friction_wherever_in_a_step_it_falls():
    """At the arrest the force, 3 t/0.4 N, is above what kinetic friction bears and below what the static one does."""
    mu, ratio, end, dt = 0.5, 0.4, 0.4, 1e-2
    for phase in (0.02, 0.1, 0.6):
        stops = 0.32 + phase * dt
        speed = ratio * mu * G * stops + 0.5 * 3.0 / end * stops**2
        assert ratio * mu * G < 3.0 / end * stops < mu * G
        data = pulled(
            StaticKinetic(dynamic_ratio=ratio), mu=mu, force=3.0, velocity=(-speed, 0.0, 0.0), t_end=end, dt=dt
        )
        moving = data.time.values < stops - dt
        assert np.all(data.frame_velocity.values[moving, 0] < 0.0)
        rests = data.time.values > stops + dt
        assert not data.velocity.values[rests, :, :2].any(), phase


def test_equal_coefficients_are_coulombs_law():
    one, other = pulled(StaticKinetic(dynamic_ratio=1.0)), pulled(Coulomb())
    assert np.abs(other.frame_position.values[-1, 0]) > 1e-3
    np.testing.assert_allclose(one.frame_position, other.frame_position, atol=1e-14)
    np.testing.assert_allclose(one.contact_force, other.contact_force, atol=1e-12 * G)


@rows(
    "law",
    [
        Sliding(v_s=1e-3, v_d=1e-2, dynamic_ratio=0.8),
        Smooth(v_reg=1e-3),
        Stribeck(dynamic_ratio=0.7, stribeck_speed=0.1),
        Elliptic(ratio=2.0, angle=0.0),
        Limited(Coulomb(), 1.0),
    ],
)
def test_laws_that_are_not_derived_for_an_unknown_normal_force_are_refused_by_name(law):
    body = RigidSolid(mass=1.0, inertia=INERTIA, shape=Feet(POINTS))
    problem = SpaceProblem(body=body, t_end=0.1, mu=0.3, law=law)
    with pytest.raises(
        ValueError, match=rf"takes Coulomb's law of friction or StaticKinetic, got {type(law).__name__}"
    ):
        assemble(problem, Options(dt=1e-3))


def test_nodes_of_an_elastic_block_break_away_one_by_one_and_then_rub_with_the_kinetic_coefficient():
    pull = 0.5 * solid_pulled.weight(solid_pulled.Parameters())
    params = solid_pulled.Parameters(nx=3, ny=2, nz=2, mu=0.4, pull_x=pull, pull_y=0.0, ramp=0.05, dt=1e-3, t_end=0.05)
    runs = [
        simulate(
            assemble(
                replace(solid_pulled.problem(params), contacts=(Contact(mu=params.mu, law=law),)),
                solid_pulled.options(params),
            )
        )
        for law in (Coulomb(), StaticKinetic(dynamic_ratio=1.0), StaticKinetic(dynamic_ratio=0.5))
    ]
    coulomb, same, weaker = runs
    np.testing.assert_allclose(same.frame_position, coulomb.frame_position, atol=1e-13)
    sticks = [(run.stick.values == 1).sum(axis=1) for run in (coulomb, weaker)]
    assert sticks[0][0] == sticks[1][0] == 12
    assert sticks[1][-1] < 12
    assert weaker.frame_velocity.values[-1, 0] > 1.5 * coulomb.frame_velocity.values[-1, 0]
    force, stick = weaker.contact_force.values, weaker.stick.values
    drag = np.hypot(force[..., 0], force[..., 1])
    slides, rests = stick == 0, stick == 1
    # the friction of what slides is kinetic; what rests may bear up to the static one, and does bear more than the kinetic
    np.testing.assert_allclose(drag[slides], 0.2 * force[slides, 2], rtol=1e-9)
    assert np.all(drag[rests] <= 0.4 * force[rests, 2] * (1.0 + 1e-9))
    assert np.any(drag[rests] > 0.25 * force[rests, 2])


@rows("case", [sphere_on_plane, block_in_space, potra_block, solid_pulled, plate_in_space])
def test_cases_on_the_ground_take_a_static_and_a_kinetic_coefficient(case):
    params = case.Parameters(law="static-kinetic", mu=0.25, mu_s=0.5)
    bodies = [params] if "body" not in dict(params) else [params, params.model_copy(update={"body": "elastic"})]
    for one in bodies:
        problem = case.problem(one)
        assert (problem.contacts[0].mu, problem.contacts[0].law) == (0.5, StaticKinetic(dynamic_ratio=0.5))
    assert not params.coulomb
    assert case.problem(case.Parameters(law="static-kinetic", mu=0.3)).contacts[0].law == StaticKinetic(
        dynamic_ratio=1.0
    )
    assert any("mu_s" in note for note in case.Parameters(mu_s=0.9).notes())
    with pytest.raises(ValueError, match=r"expected a number >= mu = 0\.3, got 0\.2"):
        case.Parameters(law="static-kinetic", mu=0.3, mu_s=0.2)


def test_exact_values_of_coulombs_law_do_not_stand_beside_a_block_that_weakens():
    params = potra_block.Parameters(law="static-kinetic", mu=0.5, mu_s=0.6)
    assert not potra_block.solved(params)
    assert potra_block.solved(params.model_copy(update={"mu_s": None}))


def test_a_flat_base_takes_coulombs_law_alone():
    body = RigidSolid(mass=1.0, inertia=INERTIA, shape=Base(POINTS, [1e-3] * 4))
    problem = SpaceProblem(body=body, t_end=0.1, mu=0.3, law=StaticKinetic(dynamic_ratio=0.5))
    with pytest.raises(ValueError, match="a flat base takes Coulomb's law of friction, got StaticKinetic"):
        assemble(problem, Options(dt=1e-3))


def test_a_stage_is_told_friction_bounds_in_newton_which_are_0_before_the_normal_forces_are_known():
    body = RigidSolid(mass=1.0, inertia=INERTIA, shape=Feet(POINTS))
    system = assemble(SpaceProblem(body=body, t_end=0.1, mu=0.5), Options(dt=1e-3)).system
    told = system.friction.for_stage(0.0, None, 1e-3)
    np.testing.assert_array_equal(told.bound, np.zeros(4))
    slip, pressing = np.tile([3.0, 4.0, 0.0], (4, 1)), np.array([0.0, 1.0, 2.0, 4.0])
    sliding = system.friction.sliding(told, slip, np.outer(pressing, [0.0, 0.0, -1.0]))
    np.testing.assert_allclose(sliding, np.outer(0.5 * pressing, [0.6, 0.8, 0.0]), rtol=1e-15)
