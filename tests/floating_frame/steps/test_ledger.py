"""The energy ledger closes, friction only takes, and the scheme's own dissipation falls at its order."""

import numpy as np
import pytest
from convergence import observed_orders
from ff_examples import DENSITY, PRESSURE, assert_coulombs_graph, bent, plate, rough
from problems import run

import fem
from floating_frame import BodyForce, Cosine, EdgeLoad, InitialState, MeanAxis, Ramp, Tisserand
from friction import Coulomb, Foundation, Smooth

SCHEMES = pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
SMALL = {"material": fem.SmallStrain(2e4, 0.3)}
VARIANTS = {"coulomb": {}, "regularised friction": {"law": Smooth(1e-2)}}
VARIANTS |= {"neo-hookean": {"material": fem.NeoHookean(2e4, 0.3)}}
VARIANTS |= {"small strain": SMALL, "small strain, tisserand": SMALL | {"frame": Tisserand()}}


def pulled(scheme, *, factor=1.0, mu=0.5, law=None, material=None, frame=None, t_end=0.4):
    """A plate at rest, pulled across its right edge by a load with a ramp and a release, and shaken as a whole."""
    body = plate(material=material or fem.StVenantKirchhoff(2.0e4 * factor, 0.3), density=DENSITY * factor)
    ground = None if mu is None else Foundation(law or Coulomb(), mu, PRESSURE * factor)
    loads = (EdgeLoad("right", np.array([1.0, 10.0]) * factor, Ramp(0.05, 0.15)), BodyForce((0.5, -0.2), Cosine(5.0)))
    given = {"foundation": ground, "loads": loads, "frame": frame or MeanAxis()}
    return run(body, t_end, 4e-3, scheme, tolerance=1e-12, **given)


@pytest.mark.parametrize("variant", VARIANTS)
@SCHEMES
@pytest.mark.quick("sdirk2-small strain, tisserand", "backward-euler-neo-hookean", "moreau-theta-regularised friction")
def test_the_ledger_closes_to_solver_tolerance_and_friction_only_dissipates(scheme, variant, verification):
    data = pulled(scheme, **VARIANTS[variant])
    work, spent = data.work_external.values, data.dissipation_friction + data.dissipation_numerical
    assert work.max() > 2.0
    assert data.dissipation_friction.values[-1] > 1.5
    assert data.energy_strain.max() > 0.05
    assert abs(data.dissipation_numerical.values[-1]) > 1e-7
    stored, source = data.energy_kinetic + data.energy_strain, "work less dissipation, each summed from the stages"
    claim = f"Plate pulled and released, {scheme}, {variant}: kinetic and strain energy"
    # 1e-12 of nodal forces of 10 N, working over paths of some 0.3 m
    verification(claim, stored.values, (work - spent).values, source=source, tolerance=3e-12, unit="J")
    assert np.abs(data.balance_error).max() < 3e-12
    without = np.abs(stored - work + data.dissipation_friction).values[-1]
    assert without > 1e-9, "without the scheme's part it does not close"
    per_step = np.diff(data.friction_work.values, axis=0)  # at every node and in every step
    assert per_step.max() > 1e-4
    assert per_step.min() >= 0.0
    assert np.diff(data.slip_path.values, axis=0).min() >= 0.0
    assert np.allclose(data.friction_work.values.sum(axis=1), data.dissipation_friction, rtol=1e-13, atol=1e-15)
    power = np.einsum("tna,tna->tn", data.friction_force.values, data.velocity.values)
    assert power.min() < -1e-3
    assert power.max() <= 0.0
    if variant == "coulomb" and scheme != "moreau-theta":  # dissipating schemes take energy out
        taken = data.dissipation_numerical.values[-1]
        assert 1e-5 < taken < (0.02 if scheme == "sdirk2" else 0.4) * work.max()


@pytest.mark.parametrize(
    ("scheme", "order", "bound"),
    # Moreau's rule books friction with the velocity at the end of the step: a quadrature of first order.
    [("sdirk2", 2, 1.6e-5), ("moreau-theta", 1, 4e-3), ("backward-euler", 1, 8e-2)],
)
@pytest.mark.quick("moreau-theta-1-0.004")
def test_numerical_dissipation_of_a_smooth_slide_falls_at_its_order(scheme, order, bound):
    body = plate(E=5.0e3)
    start = InitialState((1.5, 1.0), 4.0, bent(body.X))  # fast enough for no node to stick or turn back
    taken = []
    for dt in 5e-4 / 2.0 ** np.arange(2):
        data = run(body, 0.05, dt, scheme, foundation=rough(0.2), initial=start, tolerance=1e-12)
        assert not data.stick.values.any()
        taken.append(np.abs(data.dissipation_numerical.values).max())
    orders = observed_orders(taken)
    assert np.all(np.abs(orders - order) < (0.1 if order == 2 else 0.2)), orders
    assert data.dissipation_friction.values[-1] > 0.05
    assert 1e-9 < taken[-1] < bound


@SCHEMES
def test_without_friction_coefficient_the_motion_is_the_frictionless_one_bit_for_bit(scheme):
    """Without a foundation the weights are zeros, as with mu = 0: all that follows is the same computation."""
    zero, none = (pulled(scheme, mu=mu, t_end=0.1) for mu in (0.0, None))
    assert np.abs(zero.displacement).max() > 1e-3
    for name in zero.data_vars:
        assert np.array_equal(zero[name], none[name]), name


@SCHEMES
@pytest.mark.quick("sdirk2")
def test_scaling_pressure_loads_stiffness_and_density_alike_leaves_the_motion_unchanged(scheme):
    data, scaled = pulled(scheme), pulled(scheme, factor=3.7)
    assert np.abs(data.position.values[-1] - data.position.values[0]).max() > 0.3
    assert 0.01 < data.stick.values.mean() < 0.9
    # Rounding of about 1e-15 m per step, over 200 steps.
    assert np.allclose(scaled.position, data.position, rtol=0, atol=1e-12)
    assert np.allclose(scaled.velocity, data.velocity, rtol=0, atol=1e-10)
    assert np.array_equal(scaled.stick, data.stick)
    for name in ("energy_kinetic", "energy_strain", "work_external", "dissipation_friction"):
        assert np.allclose(scaled[name], 3.7 * data[name], rtol=0, atol=1e-11 * 3.7), name
    if scheme == "sdirk2":
        assert_coulombs_graph(data)


def warming(X, t):
    """A thermal strain that is there from the start, grows unevenly and pulsates, (N,)."""
    return 0.005 * (1.0 - X[:, 0]) + 0.05 * np.sin(25.0 * t) ** 2 * (1.0 + 2.0 * X[:, 0]) + 0.04 * t * X[:, 1]


def heated(scheme="sdirk2", dt=2e-3, material=None, frame=None, mu=0.3, strain=warming):
    given = {"foundation": None if mu is None else rough(mu), "frame": frame or MeanAxis(), "thermal_strain": strain}
    given |= {"velocity": (0.6, 0.2), "spin": 6.0, "tolerance": 1e-12}
    return run(plate(material=material), 0.1, dt, scheme, **given)


HEATED = [(None, MeanAxis()), (SMALL["material"], Tisserand())]


@SCHEMES
@pytest.mark.parametrize(("material", "frame"), HEATED, ids=["svk", "small strain"])
@pytest.mark.quick("svk-sdirk2", "svk-moreau-theta", "small strain-backward-euler")
def test_the_ledger_of_a_heated_sliding_plate_closes_with_the_work_of_heating(scheme, material, frame):
    data = heated(scheme, material=material, frame=frame)
    heat = data.work_external.values  # there are no loads
    assert np.abs(heat).max() > 3e-3
    assert data.energy_strain.values.max() > 1e-3
    assert data.dissipation_friction.values[-1] > 0.1
    assert np.abs(data.balance_error.values).max() < 1e-12


@pytest.mark.slow
def test_momenta_do_not_feel_a_change_of_temperature():
    data = heated(mu=None, dt=5e-4)
    cold = heated(mu=None, dt=5e-4, strain=None)
    assert np.ptp(data.J_zz.values) > 0.03 * data.J_zz.values[0]
    assert np.ptp(data.frame_spin.values) > 0.03 * data.frame_spin.values[0]  # wider, so slower
    momentum = data.linear_momentum.values
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(momentum), 1)), rtol=0, atol=1e-13)
    turning = data.angular_momentum.values
    assert np.abs(turning / turning[0] - 1).max() < 1e-4  # the scheme's own error
    assert np.ptp(cold.frame_spin.values) < 0.5 * np.ptp(data.frame_spin.values)
