"""Static and kinetic friction of bodies in space whose normal forces are unknown, and flat bases of many points."""

from dataclasses import replace

import numpy as np
import pytest
from case_models import computed, summarised
from problems import assembled
from problems import run as run_of
from rows import rows
from scipy.spatial.transform import Rotation
from single_steps import initial_state
from space_examples import BLOCK

from cases import block_in_space, curling_disc, plate_in_space, potra_block, solid_pulled, sphere_on_plane
from floating_frame import Base, Contact, Feet, Ramp, RigidSolid, SpaceForce, assemble, run_warnings, simulate
from floating_frame.errors import StepFailure
from friction import Coulomb, StaticKinetic

G = 9.81


def pulled(law, mu=0.5, force=8.0, speed=0.0, t_end=0.2, dt=1e-3, scheme="sdirk2"):
    """The run of a block of 1 kg on four feet under a force along x that grows from 0 in time."""
    load = SpaceForce(force=(force, 0.0, 0.0), at=(0.0, 0.0, -0.03), history=Ramp(t_end))
    return run_of(BLOCK, t_end, dt, scheme, mu=mu, law=law, loads=(load,), velocity=(speed, 0.0, 0.0))


@rows("scheme", ["sdirk2", "backward-euler"])
def test_a_block_breaks_away_at_its_static_coefficient_and_slides_with_the_kinetic_one(scheme):
    mu, ratio, force, end, dt = 0.5, 0.6, 8.0, 0.2, 1e-3
    data, breaks = pulled(StaticKinetic(dynamic_ratio=ratio), scheme=scheme), mu * G / force * end
    stick, times = data.stick.values.min(axis=1), data.time.values
    assert 0.1 < breaks < 0.15
    assert breaks - 1e-12 <= times[np.flatnonzero(stick == 0)[0]] <= breaks + dt
    assert not data.velocity.values[times < breaks - dt, :, :2].any()  # it sticks exactly until then
    # from there v' = F t/end - ratio mu g; errors: a step in the instant of breaking, half a step of backward Euler's load
    after = end - breaks
    speed = 0.5 * force / end * (end**2 - breaks**2) - ratio * mu * G * after
    jump = (1.0 - ratio) * mu * G * dt + 0.5 * dt * force / end * after
    assert data.frame_velocity.values[-1, 0] == pytest.approx(speed, abs=jump)
    assert -data.contact_force.values[-1, :, 0].sum() == pytest.approx(ratio * mu * G, rel=1e-9)
    np.testing.assert_allclose(data.normal_force.values[1:].sum(axis=1), G, rtol=1e-9)


def test_an_arrest_is_held_by_static_friction_wherever_in_a_step_it_falls():
    """At the arrest the force, 3 t/0.4 N, is above what kinetic friction bears and below what the static one does."""
    mu, ratio, end, dt = 0.5, 0.4, 0.4, 1e-2
    for phase in (0.02, 0.1, 0.6):
        stops = 0.32 + phase * dt
        assert ratio * mu * G < 3.0 / end * stops < mu * G
        speed = ratio * mu * G * stops + 0.5 * 3.0 / end * stops**2
        data = pulled(StaticKinetic(dynamic_ratio=ratio), mu, 3.0, -speed, end, dt)
        assert np.all(data.frame_velocity.values[data.time.values < stops - dt, 0] < 0.0)
        assert not data.velocity.values[data.time.values > stops + dt, :, :2].any(), phase
        assert np.all(data.stick.values[-1] == 1)
        assert -data.contact_force.values[-1, :, 0].sum() == pytest.approx(3.0, rel=1e-9)
        # Coulomb's law with the kinetic coefficient lets it go
        assert pulled(Coulomb(), ratio * mu, 3.0, -speed, end, dt).frame_velocity.values[-1, 0] > 1e-3


def test_nodes_of_an_elastic_block_break_away_one_by_one_and_then_rub_with_the_kinetic_coefficient():
    pull = 0.5 * solid_pulled.weight(solid_pulled.Parameters())
    params = solid_pulled.Parameters(nx=3, ny=2, nz=2, mu=0.4, pull_x=pull, pull_y=0.0, ramp=0.05, dt=1e-3, t_end=0.05)
    problem, options = solid_pulled.problem(params), solid_pulled.options(params)
    coulomb, same, weaker = (
        simulate(assemble(replace(problem, contacts=(Contact(mu=params.mu, law=law),)), options))
        for law in (Coulomb(), StaticKinetic(dynamic_ratio=1.0), StaticKinetic(dynamic_ratio=0.5))
    )
    np.testing.assert_allclose(same.frame_position, coulomb.frame_position, atol=1e-13)
    sticks = [(run.stick.values == 1).sum(axis=1) for run in (coulomb, weaker)]
    assert sticks[0][0] == sticks[1][0] == 12
    assert sticks[1][-1] < 12
    assert weaker.frame_velocity.values[-1, 0] > 1.5 * coulomb.frame_velocity.values[-1, 0]
    force, slides, rests = weaker.contact_force.values, weaker.stick.values == 0, weaker.stick.values == 1
    drag = np.hypot(force[..., 0], force[..., 1])
    # the friction of what slides is kinetic; what rests may bear up to the static one, and does bear more than the kinetic
    np.testing.assert_allclose(drag[slides], 0.2 * force[slides, 2], rtol=1e-9)
    assert np.all(drag[rests] <= 0.4 * force[rests, 2] * (1.0 + 1e-9))
    assert np.any(drag[rests] > 0.25 * force[rests, 2])


@rows("case", [sphere_on_plane, block_in_space, potra_block, solid_pulled, plate_in_space])
def test_cases_on_the_ground_take_a_static_and_a_kinetic_coefficient(case):
    params = case.Parameters(law="static-kinetic", mu=0.25, mu_s=0.5)
    bodies = [params] if "body" not in dict(params) else [params, params.model_copy(update={"body": "elastic"})]
    for one in bodies:
        (contact,) = case.problem(one).contacts
        assert (contact.mu, contact.law) == (0.5, StaticKinetic(dynamic_ratio=0.5))
    assert not params.coulomb
    alone = case.problem(case.Parameters(law="static-kinetic", mu=0.3))
    assert alone.contacts[0].law == StaticKinetic(dynamic_ratio=1.0)
    assert any("mu_s" in note for note in case.Parameters(mu_s=0.9).notes())
    with pytest.raises(ValueError, match=r"expected a number >= mu = 0\.3, got 0\.2"):
        case.Parameters(law="static-kinetic", mu=0.3, mu_s=0.2)


def test_exact_values_of_coulombs_law_do_not_stand_beside_a_block_that_weakens():
    params = potra_block.Parameters(law="static-kinetic", mu=0.5, mu_s=0.6)
    assert not potra_block.solved(params)
    assert potra_block.solved(params.model_copy(update={"mu_s": None}))


def test_a_stage_is_told_friction_bounds_in_newton_which_are_0_before_the_normal_forces_are_known():
    friction = assembled(BLOCK, 0.1, 1e-3, mu=0.5).system.friction
    stage = friction.for_stage(0.0, None, 1e-3)
    np.testing.assert_array_equal(stage.bound, np.zeros(4))
    slip, pressing = np.tile([3.0, 4.0, 0.0], (4, 1)), np.array([0.0, 1.0, 2.0, 4.0])
    sliding = friction.sliding(stage, slip, np.outer(pressing, [0.0, 0.0, -1.0]))
    np.testing.assert_allclose(sliding, np.outer(0.5 * pressing, [0.6, 0.8, 0.0]), rtol=1e-15)


LATTICE = np.linspace(-0.1, 0.1, 5)
TILES = Base([(x, y, -0.05) for x in LATTICE for y in LATTICE], np.ones(25))
SMALL = {"nr": 5, "nt": 12, "dt": 5e-3, "t_end": 0.3}
SCHEMES = ["sdirk2", "moreau-theta", "backward-euler"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_flat_base_in_space_moves_as_the_body_in_the_plane_whose_pressure_reacts(scheme):
    """Its pressure carries the weight and the moment of friction."""
    space, plane = (computed(curling_disc, model=model, scheme=scheme, **SMALL)[1] for model in ("space", "plane"))
    assert abs(float(plane.frame_position[-1, 1])) > 1e-3  # it curls
    assert np.all(plane.stick.values[-1] == 1)
    place = space.frame_position.values
    np.testing.assert_allclose(place[:, :2], plane.frame_position.values, rtol=0, atol=1e-11)
    np.testing.assert_allclose(place[:, 2], 0.05, rtol=0, atol=1e-16)
    np.testing.assert_allclose(space.frame_spin.values[:, 2], plane.frame_spin.values, rtol=0, atol=1e-9)
    slides, (one, other) = plane.stick.values.sum(axis=1) == 0, (run.normal_force.values for run in (space, plane))
    np.testing.assert_allclose(one[slides], other[slides], rtol=0, atol=1e-9 * 9.81)
    arms, force = space.position.values - place[:, None], space.contact_force.values
    np.testing.assert_allclose(force[:, :, 2].sum(axis=1), 9.81, rtol=1e-12)
    np.testing.assert_allclose(np.cross(arms, force).sum(axis=1)[:, :2], 0.0, atol=1e-10)
    assert np.abs(force[:, :, :2].sum(axis=1)).max() > 0.1
    assert np.abs(space.balance_error.values).max() < 1e-12


@pytest.mark.parametrize(("speed", "spin"), [(0.0, 0.0), (1.0, 4.0)])
def test_the_pressure_of_a_flat_base_bears_the_moments_of_a_force_and_of_products_of_inertia(speed, spin):
    """Of a body of any inertia J under a force far off its axes, at rest and as it slides and turns: M = J α + Ω × J Ω."""
    J = np.array([[0.02, 0.001, 0.003], [0.001, 0.03, -0.002], [0.003, -0.002, 0.025]])
    force, at = np.array([0.8, 0.5, -1.0]), np.array([0.02, 0.03, 0.06])
    body, loads = RigidSolid(mass=1.0, inertia=J, shape=TILES), (SpaceForce(force=force, at=at),)
    given = {"mu": 0.3, "velocity": (speed, 0.0, 0.0), "spin": (0.0, 0.0, spin), "loads": loads}
    data, start = run_of(body, 0.05, 1e-3, **given), initial_state(assembled(body, 0.05, 1e-3, **given))
    assert np.all(data.frame_spin.values[:, 2] > 0.9 * spin) if spin else np.all(data.stick == 1)
    Q = Rotation.from_quat(np.roll(data.frame_rotation.values, -1, axis=1)).as_matrix()
    J, turning, contact = Q @ J @ Q.transpose(0, 2, 1), data.frame_spin.values, data.contact_force.values
    np.testing.assert_allclose(contact[:, :, 2].sum(axis=1), G + 1.0, rtol=1e-14)
    moment = np.cross(data.position.values - data.frame_position.values[:, None], contact).sum(axis=1)
    moment += np.cross(Q @ at, force)
    change = (moment[:, 2] / J[:, 2, 2])[:, None] * J[:, :, 2] + np.cross(turning, np.einsum("nij,nj->ni", J, turning))
    off = np.abs(moment - change).max(axis=1)
    assert off[0] < 1e-15
    pull = contact[0].sum(axis=0) + force - [0.0, 0.0, G]
    assert np.hypot(*pull[:2]) > 1.0 or not spin
    np.testing.assert_allclose(start.acceleration.mean(axis=0), pull, rtol=0, atol=1e-13)  # of 1 kg
    # the end of a step is not quite an instant
    assert off.max() < (2e-3 * np.abs(change[:, :2]).max() if spin else 1e-15)


def test_a_base_that_would_tip_fails_by_name():
    assert Feet([(0, 0, -1)]).shares.tolist() == [1.0]
    square = Base([(a, b, -0.3) for a in (-0.1, 0.0, 0.1) for b in (-0.1, 0.0, 0.1)], np.ones(9))
    with pytest.raises(StepFailure, match="the body tips"):
        run_of(RigidSolid(mass=1.0, inertia=(0.1,) * 3, shape=square), 0.1, 1e-3, mu=0.8, velocity=(1.0, 0.0, 0.0))


SHORT, STANDS = {"t_end": 0.01}, {"vx0": 0.0, "t_end": 0.01}
"""It still slides, so that the ratio is not yet the last; it spins in its place or not at all."""
ENDS = [(SHORT, None, False), (STANDS | {"spin0": 0.0}, 0.0, False), (STANDS | {"spin0": 8.0}, None, False)]


@rows("given, rest, ends", [*ENDS, ({"t_end": 0.3}, "some", True)])
def test_the_last_ratio_is_told_of_a_disc_that_comes_to_rest(given, rest, ends):
    _, _, headlines = summarised(curling_disc, **SMALL | {"model": "plane"} | given)
    stop = headlines["t_stop"]["value"]
    assert 0.0 < stop <= 0.3 if rest == "some" else stop == rest
    assert all((headlines[name]["value"] is not None) is ends for name in ("ratio_end", "side_end"))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_base_without_weight_slides_on_freely_and_says_that_mu_does_nothing(scheme):
    params, data = computed(curling_disc, **SMALL | {"model": "space", "gravity": 0.0, "t_end": 0.1, "scheme": scheme})
    ahead = [params.vx0 * params.t_end, 0.0, params.half_height]
    np.testing.assert_allclose(data.frame_position[-1], ahead, rtol=1e-12)
    np.testing.assert_allclose(data.frame_spin[-1], [0.0, 0.0, params.spin0], rtol=1e-12)
    assert not np.any(data.contact_force)
    assert [w.name for w in run_warnings(data)] == ["nothing-presses"]


def test_a_base_that_is_pulled_off_the_ground_fails_with_an_advice_that_helps():
    params = curling_disc.Parameters(**SMALL | {"model": "space", "gravity": 1.0, "t_end": 0.01})
    raised = SpaceForce(force=(0.0, 0.0, 2.0 * params.mass * params.gravity))
    problem = replace(curling_disc.problem(params), loads=(raised,))
    with pytest.raises(StepFailure, match=r"nothing presses the base.*try: a weight or a load"):
        simulate(assemble(problem, curling_disc.options(params)))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_flat_base_slides_by_mu_g_and_presses_more_ahead_by_what_friction_at_its_height_needs(scheme):
    """sum of x p_n = mu h N, so that p_n = N/25 (1 + mu h x/<x²>), <x²> = 0.005 m²; it stops after v/(mu g)."""
    body, mu, v, dt = RigidSolid(mass=1.0, inertia=(0.01, 0.01, 0.02), shape=TILES), 0.3, 0.5, 1e-3
    data, stop = run_of(body, 0.2, dt, scheme, mu=mu, velocity=(v, 0.0, 0.0)), v / (mu * G)
    slides, times = data.time.values < stop - dt, data.time.values
    assert data.execution == "compiled"
    np.testing.assert_allclose(data.frame_velocity[slides, 0], v - mu * G * times[slides], rtol=0, atol=1e-12)
    pressure = G / 25.0 * (1.0 + mu * 0.05 * TILES.reference[:, 0] / 0.005)
    np.testing.assert_allclose(data.normal_force[slides], np.tile(pressure, (slides.sum(), 1)), rtol=1e-11)
    # of the step in which it stops a part is missed, or all of it; of backward Euler half of each step
    late = 0.5 * v * dt + mu * G * dt**2 if scheme == "backward-euler" else mu * G * dt**2
    assert data.frame_position[-1, 0] == pytest.approx(0.5 * v**2 / (mu * G), abs=late)
    assert not data.velocity[times > stop + dt].values.any()
    np.testing.assert_allclose(data.normal_force[-1], G / 25.0, rtol=1e-11)
