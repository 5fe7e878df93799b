"""The cases with elastic solids in space: the rigid block as E grows, the plate as its height falls, weight, throw, pictures."""

import numpy as np
import pytest
from case_models import computed

from cases import plate_in_space, potra_block, solid_pulled


def test_an_elastic_block_of_potra_becomes_the_rigid_one_as_it_stiffens():
    given = {"t_end": 0.8, "dt": 0.02, "amplitude": 9.0, "mass": 1.1}
    _, rigid = computed(potra_block, **given)
    runs = [computed(potra_block, body="elastic", E=E, **given)[1] for E in (1e7, 1e8, 1e10)]
    soft, stiff, stiffest, own = (run.frame_position.values[:, 0] for run in (*runs, rigid))
    off = [np.abs(x - stiffest).max() for x in (soft, stiff)]
    assert np.ptp(own) > 1e-4  # it slides
    assert np.abs(stiffest - own).max() < 0.1 * given["dt"] ** 2  # the rigid one's steps are cut where it stops
    assert 1e-11 < off[1] < 1e-5
    assert 8.0 * off[1] < off[0] < 1e-4  # at least as 1/E


def test_solid_pulled_presses_more_ahead_by_the_couple_of_pull_and_friction():
    given = {"nx": 3, "ny": 2, "nz": 1, "ramp": 0.05, "release": 0.3, "t_end": 0.2, "dt": 4e-3, "E": 3e6, "nu": 0.2}
    params, data = computed(solid_pulled, pull_x=12.0, pull_y=0.0, mu=0.4, **given)
    weight = solid_pulled.weight(params)
    summary = solid_pulled.summary(params, data)
    assert params.mu * weight > 12.0  # it does not slide as a whole
    assert np.abs(data.frame_position.values[-1, :2]).max() < 1e-3 * params.length
    late = data.time.values > 0.1
    press, place = data.normal_force.values[late], data.position.values[late, :, 0]
    ahead = ((press * place).sum(axis=1) / press.sum(axis=1)).mean() - data.frame_position.values[late, 0].mean()
    # Friction acts at the base, the pull at half the height.
    assert ahead == pytest.approx(12.0 * 0.5 * params.height / weight, rel=0.03)
    assert abs(summary["weight_error"]["value"]) < 0.01


def test_a_thrown_plate_in_space_stops_as_a_rigid_one():
    params, data = computed(
        plate_in_space, nx=4, ny=2, pull_x=0.0, pull_y=0.0, vx0=0.5, vy0=0.2, t_end=0.18, dt=5e-3, height=0.02, E=6e4,
        density=1100.0, mu=0.4,
    )  # fmt: skip
    time, distance = plate_in_space.rigid_stop(params)
    summary = plate_in_space.summary(params, data)
    assert time == pytest.approx(np.hypot(0.5, 0.2) / (0.4 * 9.81), rel=1e-12)
    impulse = np.trapezoid(data.normal_force.values.sum(axis=1), data.time.values)
    assert impulse == pytest.approx(11.0 * 9.81 * 0.18, rel=0.01)
    assert summary["distance"]["value"] == pytest.approx(distance, rel=0.03)
    assert float(data.dissipation_friction[-1]) == pytest.approx(0.5 * 11.0 * (0.5**2 + 0.2**2), rel=0.02)
    assert summary["stop_time"]["value"] == pytest.approx(time, abs=0.02)


def test_a_block_that_cannot_bear_its_weight_is_refused_in_words():
    with pytest.raises(ValueError, match="the block does not bear its own weight"):
        solid_pulled.problem(solid_pulled.Parameters(E=50.0, nx=2, ny=1, nz=1))
