"""Bodies whose temperature changes in time: the ledger closes with the work of heating, and free ones just expand."""

import numpy as np
import pytest
from ff_examples import plate, rough
from problems import run

import fem
from floating_frame import InitialState, MeanAxis, Tisserand

MATERIALS = {"svk": fem.StVenantKirchhoff(2e4, 0.3), "small strain": fem.SmallStrain(2e4, 0.3)}


def warming(X, t):
    """A thermal strain that is there from the start, grows unevenly and pulsates, (N,)."""
    return 0.005 * (1.0 - X[:, 0]) + 0.05 * np.sin(25.0 * t) ** 2 * (1.0 + 2.0 * X[:, 0]) + 0.04 * t * X[:, 1]


def heated(scheme="sdirk2", dt=2e-3, material="svk", frame=None, mu=0.3, t_end=0.1, spin=6.0, strain=warming):
    given = {"foundation": None if mu is None else rough(mu), "frame": frame or MeanAxis(), "thermal_strain": strain}
    start = InitialState((0.6, 0.2), spin)
    return run(plate(material=MATERIALS[material]), t_end, dt, scheme, initial=start, tolerance=1e-12, **given)


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
@pytest.mark.parametrize(("material", "frame"), [("svk", MeanAxis()), ("small strain", Tisserand())])
@pytest.mark.quick("svk-frame0-sdirk2", "svk-frame0-moreau-theta", "small strain-frame1-backward-euler")
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


@pytest.mark.parametrize(("material", "stretch"), [("svk", np.sqrt(1.2)), ("small strain", 1.1)])
def test_a_plate_heated_on_nearly_smooth_ground_expands_without_energy(material, stretch):
    body = plate(material=MATERIALS[material])
    given = {"foundation": rough(1e-7), "thermal_strain": lambda X, t: 0.1 * t}
    data = run(body, 1.0, 0.1, "quasi-static", **given)
    sides = np.ptp(data.position.values[-1], axis=0) / np.ptp(body.X, axis=0)
    np.testing.assert_allclose(sides, stretch, rtol=1e-6)
    held = 0.1**2 * 2e4 / 0.7 * body.area * body.thickness  # the energy of the plate that may not expand
    assert held > 1e-3
    assert data.energy_strain.values.max() < 1e-10 * held
