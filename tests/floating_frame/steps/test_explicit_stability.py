"""Explicit steps at finite strain: the automatic one is safe, one that resonates is ended by name, and what is produced is known.

A plate that is stretched and let go keeps its energy. With steps at 0.95 of the linear limit it gains many times of it, because
in discrete time modes resonate whose angles per step add up to 2 pi (see explicit_stability); the automatic step excludes that.
"""

from dataclasses import replace

import numpy as np
import pytest
from problems import assembled

import fem
from floating_frame import BodyForce, InitialState, Ramp, StepFailure, simulate
from floating_frame.leapfrog.bodies import ExplicitPlate
from floating_frame.leapfrog.stability import FINITE_SHARE, GROWTH_SHARE
from floating_frame.leapfrog.step import explicit_step
from friction import Coulomb, Foundation

E, NU = 2e5, 0.3
SVK, NEO, LINEAR = fem.StVenantKirchhoff(E, NU), fem.NeoHookean(E, NU), fem.SmallStrain(E, NU)


def built(mesh, material, element="Q1"):
    return fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=material, element=element)


def strip(nx, ny, material=SVK, element="Q1", *, length=0.2, width=0.1, skew=0.0):
    mesh = fem.rectangle(length, width, nx, ny, "quadrilateral" if element == "Q1" else "triangle")
    moved = mesh.p + skew * np.random.default_rng(2).uniform(-1, 1, mesh.p.shape)
    return built(type(mesh)(moved, mesh.t) if skew else mesh, material, element)


def let_go(body, gradient, spin=0.0, *, t_end=3.0, dt=0.0, every=50):
    """The model of a free plate let go at the displacement u = gradient X."""
    start = InitialState((0.0, 0.0), spin, body.X @ np.asarray(gradient, float).T)
    return assembled(body, t_end, dt, "explicit", initial=start, output_every=every)


def unwatched(model, share):
    """The model with steps of ``share`` of its stable one, whatever its strain."""
    step = share * model.steps.stable
    return replace(model, steps=replace(model.steps, length=step, longest=step, linear=True))


def highest(body, displacement):
    """ω_max in rad/s at u (N, 2) m."""
    scale = np.repeat(body.lumped_mass**-0.5, 2)
    return float(np.sqrt(np.linalg.eigvalsh(scale[:, None] * body.tangent_matrix(displacement).toarray() * scale)[-1]))


STRETCH = [[0.02, 0.0], [0.0, 0.0]]
BODIES = {
    "8 x 4 svk": strip(8, 4),
    "16 x 8 svk": strip(16, 8),
    "4 x 2 neo-hookean": strip(4, 2, NEO),
    "P1 neo-hookean": strip(6, 3, NEO, "P1"),
    "slender": strip(12, 1, NEO, length=0.4, width=0.02),
    "distorted": strip(6, 3, NEO, skew=0.008),
    "plane strain": strip(6, 3, fem.NeoHookean(E, 0.4, plane="strain")),
    "disc": built(fem.disc(0.1, 2, 12, "triangle"), NEO, "P1"),
}
MOTIONS = {
    "stretched by 2 %": (STRETCH, 0.0),
    "stretched by 10 % and spun": ([[0.1, 0.0], [0.0, 0.03]], 30.0),
    "stretched by 30 %": ([[0.3, 0.0], [0.0, -0.05]], 0.0),
    "sheared": ([[0.0, 0.25], [0.0, 0.0]], 5.0),
}
# St. Venant-Kirchhoff swings back from 30 % past the compression at which it inverts, at any step.
BOUNDED = [(name, motion) for name in BODIES for motion in MOTIONS if not ("svk" in name and "30 %" in motion)]


@pytest.mark.parametrize(("name", "motion"), BOUNDED)
@pytest.mark.quick(
    "16 x 8 svk-stretched by 2 %", "4 x 2 neo-hookean-stretched by 30 %", "4 x 2 neo-hookean-sheared",
    "distorted-stretched by 2 %", "plane strain-stretched by 2 %",
    *(f"{name}-stretched by 10 % and spun" for name in ("8 x 4 svk", "P1 neo-hookean", "slender", "disc")),
)  # fmt: skip
def test_the_automatic_step_keeps_the_energy_at_finite_strain(name, motion):
    gradient, spin = MOTIONS[motion]
    model = let_go(BODIES[name], gradient, spin)
    assert model.steps.longest == FINITE_SHARE * model.steps.stable
    run = simulate(model)
    energy = run.energy_kinetic.values + run.energy_strain.values
    assert run.steps.values.sum() > 1500
    # the body has swung: strain energy has gone to motion that is not the spin
    assert run.energy_strain.values.min() < 0.6 * run.energy_strain.values[0] or spin
    # T + U differs from what is conserved by (h omega)^2/4 < 1/4 of what the highest modes hold, downwards
    assert energy.max() < (1.0 + 0.5 * GROWTH_SHARE) * energy[0]
    assert energy.min() > 0.75 * energy[0]


@pytest.mark.parametrize("element", ["P1", "Q1"])
@pytest.mark.parametrize("cells", [8, 16])
@pytest.mark.quick("8-P1", "8-Q1", "16-P1")
def test_steps_that_are_stable_at_every_strain_still_feed_the_highest_modes_and_the_run_ends_by_name(cells, element):
    body, share = strip(cells, cells // 2, SVK, element), 0.92
    model = unwatched(let_go(body, [[0.05, 0.0], [0.0, 0.0]], t_end=6.0), share)
    with pytest.raises(StepFailure, match=r"EnergyGrowth: up to t = .* produced .* % of the largest energy") as caught:
        simulate(model)
    failure = caught.value
    assert failure.__cause__.code == "EnergyGrowth"
    assert "automatic step" in failure.advice
    partial = failure.trajectory
    assert partial.attrs["complete"] == 0
    still, swung = highest(body, np.zeros_like(body.X)), [highest(body, u) for u in partial.displacement.values[:10]]
    assert share * max(swung) / still < 1.0, "linear vibrations about every one of its shapes are stable"
    assert share > 0.866, "three modes can resonate"
    # T + U exceeds what is conserved by up to 1/(1 - 0.97^2) = 17 of what the highest modes hold: here the share that ends a run
    energy = partial.energy_kinetic.values + partial.energy_strain.values
    assert energy.max() < (1.0 + 17.0 * GROWTH_SHARE) * energy[0] * 1.1, "ended before it has exploded"
    # A material that couples no modes keeps its energy at the same step.
    calm = unwatched(let_go(strip(cells, cells // 2, LINEAR, element), [[0.05, 0.0], [0.0, 0.0]], t_end=6.0), share)
    final = simulate(calm)
    assert float((final.energy_kinetic + final.energy_strain).max()) < 1.1 * float(final.energy_strain[0])


def test_a_step_that_was_asked_for_is_kept_while_waves_are_linear_and_cut_at_finite_strain():
    body = strip(8, 4)
    stable = body.stable_time_step()
    small = simulate(let_go(body, [[1e-5, 0.0], [0.0, 0.0]], dt=0.9 * stable, t_end=0.2, every=1))
    assert float(small.step_size[1:-1].min()) == pytest.approx(0.9 * stable, rel=1e-9)
    large = simulate(let_go(body, STRETCH, dt=0.9 * stable, every=20))
    assert float(large.step_size[1:].max()) < 0.51 * stable
    energy = large.energy_kinetic.values + large.energy_strain.values
    assert energy.max() < (1.0 + 0.5 * GROWTH_SHARE) * energy[0]


def modified_energy(model, state):
    """½ v_{n-½} · M v_{n+½} + U(x_n), with v_{n+½} from a further step of the same length."""
    after, _ = explicit_step(ExplicitPlate(model), state, state.leapfrog.step)
    m = model.mass.nodal[:, None]
    return 0.5 * float(np.sum(state.leapfrog.velocity[0] * m * after.leapfrog.velocity[0])) + state.stored_energy


@pytest.mark.parametrize("material", [SVK, NEO, LINEAR], ids=lambda m: m.name)
def test_what_the_steps_produce_is_the_change_of_the_energy_that_linear_steps_conserve(material):
    model = let_go(strip(4, 2, material), [[0.15, 0.0], [0.0, 0.0]])
    state = ExplicitPlate(model).initial_state()
    computed = []
    for _ in range(40):
        state, counts = explicit_step(ExplicitPlate(model), state, 0.6 * model.steps.longest)
        assert counts.steps == 1
        computed.append((state.leapfrog.produced, modified_energy(model, state)))
    produced, energy = np.array(computed[2:]).T
    scale = energy[0]
    if material is LINEAR:
        assert np.abs(produced).max() < 1e-13 * scale
    else:
        assert np.ptp(produced) > 1e-5 * scale
    np.testing.assert_allclose(produced - produced[0], energy - energy[0], rtol=0, atol=1e-13 * scale)


def test_loads_and_friction_and_the_speed_of_the_body_do_not_count_as_produced():
    body = strip(8, 4, LINEAR)
    ground = Foundation(Coulomb(), 0.3, lambda X, t: 98.1 * (1.0 + 5.0 * X[:, 0]))
    given = {"loads": (BodyForce((30.0, 5.0), Ramp(0.05, 0.1)),), "initial": InitialState((50.0, 0.0), 3.0)}
    model = assembled(body, 0.2, 0.0, "explicit", foundation=ground, **given)
    state = ExplicitPlate(model).initial_state()
    state, counts = explicit_step(ExplicitPlate(model), state, 0.2)
    assert counts.steps > 100
    external, dissipated, _ = state.work.sum(axis=0)
    assert abs(external) > 1.0
    assert dissipated > 1.0
    assert abs(state.leapfrog.produced) < 1e-3 * state.leapfrog.largest
    assert state.leapfrog.largest < 0.1 * state.kinetic_energy
