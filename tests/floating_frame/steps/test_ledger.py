"""The energy ledger closes, friction only takes, and the scheme's own dissipation falls at its order."""

from dataclasses import replace

import numpy as np
import pytest
from convergence import observed_orders
from ff_examples import DENSITY, PRESSURE, bent, plate, rough

import fem
from floating_frame import (
    BodyForce,
    Cosine,
    EdgeLoad,
    InitialState,
    MeanAxis,
    Options,
    Problem,
    Ramp,
    Tisserand,
    assemble,
    simulate,
)
from friction import Coulomb, FactorCache, Foundation, Smooth

SCHEME_NAMES = ["sdirk2", "backward-euler", "moreau-theta"]
VARIANTS = {
    "coulomb": {},
    "regularised friction": {"law": Smooth(1e-2)},
    "neo-hookean": {"material": fem.NeoHookean(2e4, 0.3)},
    "small strain": {"material": fem.SmallStrain(2e4, 0.3)},
    "small strain, tisserand": {"material": fem.SmallStrain(2e4, 0.3), "frame": Tisserand()},
}


def pulled(scheme, *, dt=4e-3, factor=1.0, mu=0.5, law=None, material=None, frame=None, t_end=0.4, backend="auto"):
    """A plate at rest, pulled across its right edge by a load with a ramp and a release, and shaken as a whole."""
    body = plate(material=material or fem.StVenantKirchhoff(2.0e4 * factor, 0.3), density=DENSITY * factor)
    foundation = None if mu is None else Foundation(law or Coulomb(), mu, PRESSURE * factor)
    edge = EdgeLoad("right", np.array([1.0, 10.0]) * factor, Ramp(0.05, 0.15))
    loads = (edge, BodyForce((0.5, -0.2), Cosine(5.0)))
    problem = Problem(body, t_end, foundation, loads, frame=frame or MeanAxis())
    model = assemble(problem, Options(dt, scheme, tolerance=1e-12))
    factor_of = fem.factor(body.indptr, body.indices, backend=backend)
    return simulate(replace(model, cache=FactorCache(body.indptr, body.indices, factor_of)))


@pytest.fixture(scope="module")
def runs():
    return {(s, v): pulled(s, **VARIANTS[v]) for s in SCHEME_NAMES for v in VARIANTS}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("scheme", SCHEME_NAMES)
@pytest.mark.quick(
    "sdirk2-small strain",
    "backward-euler-neo-hookean",
    "backward-euler-small strain, tisserand",
    "moreau-theta-coulomb",
    "moreau-theta-regularised friction",
)
def test_ledger_closes_to_solver_tolerance(runs, scheme, variant, verification):
    run = runs[scheme, variant]
    work = run.work_external.values
    assert work.max() > 2.0
    assert run.dissipation_friction.values[-1] > 1.5
    assert run.energy_strain.max() > 0.05
    assert abs(run.dissipation_numerical.values[-1]) > 1e-7
    spent = run.dissipation_friction + run.dissipation_numerical
    verification(
        f"Plate pulled and released, {scheme}, {variant}: kinetic and strain energy",
        (run.energy_kinetic + run.energy_strain).values,
        (work - spent).values,
        source="work less dissipation, each summed from the stages",
        tolerance=3e-12,  # 1e-12 of nodal forces of 10 N, working over paths of some 0.3 m
        unit="J",
    )
    assert np.abs(run.balance_error).max() < 3e-12
    stored = run.energy_kinetic + run.energy_strain
    assert np.abs(stored - work + run.dissipation_friction).values[-1] > 1e-9, (
        "without the scheme's part it does not close"
    )


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_friction_only_dissipates_at_every_node_and_in_every_step(runs, scheme, variant):
    run = runs[scheme, variant]
    per_step = np.diff(run.friction_work.values, axis=0)
    assert per_step.max() > 1e-4
    assert per_step.min() >= 0.0
    assert np.diff(run.slip_path.values, axis=0).min() >= 0.0
    total = run.friction_work.values.sum(axis=1)
    assert np.allclose(total, run.dissipation_friction, rtol=1e-13, atol=1e-15)
    power = np.einsum("tna,tna->tn", run.friction_force.values, run.velocity.values)
    assert power.min() < -1e-3
    assert power.max() <= 0.0


def test_friction_work_is_the_weight_along_the_slip_path_for_coulombs_law(runs):
    run = runs["sdirk2", "coulomb"]
    assert run.slip_path.values[-1].min() > 0.01
    expected = run.friction_weight.values * run.slip_path.values[-1]
    assert np.allclose(run.friction_work.values[-1], expected, rtol=1e-12, atol=0)


def test_friction_force_never_exceeds_its_bound_and_reaches_it_where_the_node_slides(runs):
    run = runs["sdirk2", "coulomb"]
    size = np.linalg.norm(run.friction_force.values, axis=2)
    slides = run.stick.values == 0
    bound = np.broadcast_to(run.friction_weight.values, size.shape)
    assert 0.1 < slides.mean() < 0.99
    assert np.all(size <= bound * (1.0 + 1e-9))
    assert np.allclose(size[slides], bound[slides], rtol=1e-9, atol=0)
    assert np.all(run.velocity.values[~slides] == 0.0)


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler"])
def test_dissipating_schemes_take_energy_out(runs, scheme):
    taken = runs[scheme, "coulomb"].dissipation_numerical.values[-1]
    assert taken > 1e-5
    assert taken < (0.02 if scheme == "sdirk2" else 0.4) * runs[scheme, "coulomb"].work_external.values.max()


@pytest.mark.parametrize(
    ("scheme", "order", "bound"),
    # Moreau's rule books friction with the velocity at the end of the step: a quadrature of first order.
    [("sdirk2", 2, 4e-6), ("moreau-theta", 1, 2e-3), ("backward-euler", 1, 4e-2)],
)
@pytest.mark.quick("moreau-theta-1-0.002")
def test_numerical_dissipation_of_a_smooth_slide_falls_at_its_order(scheme, order, bound):
    body = plate(E=5.0e3)
    start = InitialState((1.5, 1.0), 4.0, bent(body.X))  # fast enough for no node to stick or turn back
    taken = []
    for dt in 5e-4 / 2.0 ** np.arange(3):
        problem = Problem(body, 0.05, rough(0.2), initial=start)
        run = simulate(assemble(problem, Options(dt, scheme, tolerance=1e-12)))
        assert not run.stick.values.any()
        taken.append(np.abs(run.dissipation_numerical.values).max())
    orders = observed_orders(taken)
    assert np.all(np.abs(orders - order) < (0.1 if order == 2 else 0.2)), orders
    assert run.dissipation_friction.values[-1] > 0.05
    assert 1e-9 < taken[-1] < bound


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_without_friction_coefficient_the_motion_is_the_frictionless_one_bit_for_bit(scheme):
    # Without a foundation the weights are zeros, as with mu = 0: all that follows is the same computation.
    zero, none = (pulled(scheme, mu=mu, t_end=0.1) for mu in (0.0, None))
    assert np.abs(zero.displacement).max() > 1e-3
    for name in zero.data_vars:
        assert np.array_equal(zero[name], none[name]), name


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
@pytest.mark.parametrize("factor", [8.0, 3.7])
@pytest.mark.quick("8.0-sdirk2", "8.0-backward-euler", "3.7-moreau-theta")
def test_scaling_pressure_loads_stiffness_and_density_alike_leaves_the_motion_unchanged(scheme, factor, runs):
    run = runs[scheme, "coulomb"]
    scaled = pulled(scheme, factor=factor)
    assert np.abs(run.position.values[-1] - run.position.values[0]).max() > 0.3
    assert 0.01 < run.stick.values.mean() < 0.9
    # Rounding of about 1e-15 m per step, over 200 steps.
    assert np.allclose(scaled.position, run.position, rtol=0, atol=1e-12)
    assert np.allclose(scaled.velocity, run.velocity, rtol=0, atol=1e-10)
    assert np.array_equal(scaled.stick, run.stick)
    for name in ("energy_kinetic", "energy_strain", "work_external", "dissipation_friction"):
        assert np.allclose(scaled[name], factor * run[name], rtol=0, atol=1e-11 * factor), name


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_scaling_by_a_power_of_two_leaves_the_motion_unchanged_bit_for_bit(scheme):
    # Every operation rounds alike when its numbers are multiplied by a power of two.
    # With SuperLU, since PARDISO equilibrates its matrix by square roots, which a factor of eight does not scale exactly.
    one, eight = (pulled(scheme, factor=factor, t_end=0.1, backend="superlu") for factor in (1.0, 8.0))
    assert np.abs(one.position.values[-1] - one.position.values[0]).max() > 0.01
    assert 0.05 < one.stick.values.mean() < 0.95
    for name in ("position", "velocity", "stick", "displacement", "frame_angle", "newton_iterations"):
        assert np.array_equal(one[name], eight[name]), name
    assert np.array_equal(8.0 * one.friction_force, eight.friction_force)
