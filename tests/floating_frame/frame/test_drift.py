"""The drift of one step: (3.4)1, rightly written and really integrated, misses the frame condition by O(Δt³) only."""

import numpy as np
import pytest
from convergence import observed_orders
from ff_examples import DENSITY, LENGTH, thrown
from frame_examples import plain
from single_steps import initial_state, step

from floating_frame import EdgeLoad, MeanAxis, Tisserand
from floating_frame.frame.moments import moments
from floating_frame.system.elastic.blocks import frame_of
from floating_frame.system.elastic.system import ElasticSystem

STEPS = 4e-4 / 2.0 ** np.arange(4)
FRAMES = pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda f: f.name)
# The rate at which a stretch wave crosses half the plate: what Δt is small against.
RATE = np.sqrt(2.0e4 / DENSITY) / (LENGTH / 2)


def drifts(frame):
    """|drift| in α (rad), in ω (rad/s), in x0 (m) and x0' (m/s) of single steps from one state, (steps, 4)."""
    model = thrown(frame, loads=(EdgeLoad("right", (4.0, 3.0)),), tolerance=1e-13)
    start = initial_state(model)
    assert start.frame.spin > 5.0
    assert np.abs(start.frame.accelerations).min() > 0.1
    last, sound, rows = [], ElasticSystem.resplit, []

    def resplit(self, partial):
        """Keep the last stage of a step as it was before the re-split."""
        last[:] = [partial.stages[-1]]
        return sound(self, partial)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ElasticSystem, "resplit", resplit)
        for dt in STEPS:
            _, counts = step(model, start, dt)
            predicted = frame_of(last[0].motion)
            computed = moments(model.mass, *(blocks[0] for blocks in last[0].motion))
            origin, origin_rate = predicted.origin - computed.centre[0], predicted.velocity - computed.centre[1]
            rows.append([counts.drift, counts.spin_drift, np.abs(origin).max(), np.abs(origin_rate).max()])
    return np.abs(rows)


@FRAMES
def test_drift_of_a_step_falls_as_the_cube_of_its_length_in_angle_and_in_spin(frame, verification):
    """And the origin that is integrated from (3.4)1 is the centre of mass."""
    angle, spin, origin, origin_rate = drifts(frame).T
    for what, drift in (("angle", angle), ("spin", spin)):
        claim = f"Drift of a step against the {frame.name} condition: order of the {what} in the step"
        source = "local error of SDIRK2, with (3.4)1 as corrected"
        verification(claim, observed_orders(drift), 3.0, source=source, tolerance=0.2)
    # Not zero: q is integrated from (3.4)1 and not read off the nodes; and no larger than truncation.
    assert np.all((angle > 1e-3 * (RATE * STEPS) ** 3) & (angle < 0.1 * (RATE * STEPS) ** 3))
    assert np.all((spin > 1e-3 * RATE * (RATE * STEPS) ** 3) & (spin < 0.1 * RATE * (RATE * STEPS) ** 3))
    # A = P = B = 0: rows 1 and 2 are linear, so nothing but solver tolerance (1e-13 of nodal forces) is left.
    assert origin.max() < 1e-14
    assert origin_rate.max() < 1e-12


ANGULAR = {
    "2ωK left out, as printed": {"growth": 0.0},
    "2ωK halved, as J_zz'ω/2": {"growth": 0.5},
    "L left out": {"relative": 0.0},
    "L with the sign of f × r": {"relative": -1.0},
    "J_zz 5 % too large": {"inertia": 1.05},
    "M_z 5 % too large": {"moment": 1.05},
    "M_z as f × r": {"moment": -1.0},
}
"""Factors of the terms of (3.4)1 in a plain rigid pass (``frame_examples.spin_rate``)."""


@FRAMES
def test_a_corrupted_moment_equation_drifts_at_a_lower_order(frame):
    """And the library's pass as the plain one but for rounding. Tisserand's axes have L = 0: nothing is done to it there."""
    sound = drifts(frame)
    np.testing.assert_allclose(drifts(plain(frame.name))[:, :2], sound[:, :2], rtol=1e-2)
    for name, factors in ANGULAR.items():
        if frame.name == "mean-axis" or "relative" not in factors:
            angle, spin, *_ = drifts(plain(frame.name, **factors)).T
            np.testing.assert_allclose(observed_orders(angle), 2.0, atol=0.3, err_msg=name)
            np.testing.assert_allclose(observed_orders(spin), 1.0, atol=0.1, err_msg=name)
            assert np.all(spin > 100 * sound[:, 1]), name


@FRAMES
def test_a_corrupted_force_equation_moves_the_frame_off_the_centre_of_mass(frame):
    """F 5 % too large."""
    origin, origin_rate = drifts(plain(frame.name, force=1.05)).T[2:]
    np.testing.assert_allclose(observed_orders(origin), 2.0, atol=0.1)
    np.testing.assert_allclose(observed_orders(origin_rate), 1.0, atol=0.1)
    # 5 % of accelerations of some m/s², over one step.
    assert np.all((origin_rate > 0.01 * STEPS) & (origin_rate < 1.0 * STEPS))
