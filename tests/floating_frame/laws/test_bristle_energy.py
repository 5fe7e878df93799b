"""The energy of bristles in the ledger: it is given back, and what friction dissipates is what is not stored."""

import numpy as np
import pytest
from ff_examples import plate
from problems import run

from floating_frame import BodyForce, Clamped, EdgeLoad, Ramp, RigidBody
from friction import Foundation, Limited, SlidingStiction

MU, PRESSURE, STIFF = 0.5, 98.1, 1e6
LAW = SlidingStiction(v_s=1e-2, v_d=1.5e-2, dynamic_ratio=0.8, max_stiction_deformation=1e-3)
PUSHED_AND_LET_GO = BodyForce((2.0, 0.0), Ramp(0.0, 0.3))
TURNING = EdgeLoad("right", (0.5, 0.6), Ramp(0.05))


def run_of(kind, scheme, dt, t_end, law=LAW, loads=(PUSHED_AND_LET_GO,), pressure=PRESSURE, **more):
    body = RigidBody.from_plate(plate(2, 1)) if kind == "rigid" else plate(2, 1, E=STIFF)
    frame = {"frame": Clamped("left", free=("x", "angle"))} if kind == "clamped" else {}
    return run(body, t_end, dt, scheme, foundation=Foundation(law, MU, pressure, **more), loads=loads, **frame)


def psi(data, most=1e-3):
    """Integral of 20 s^3 - 30 s^4 + 12 s^5 - ..., written out: of step5 from -1 to 1, at 2 s - 1 in [0, 1]."""
    size = np.linalg.norm(data.bristle_deformation.values, axis=2) / most
    z = 0.5 * (1.0 + size)
    integral = 2.0 * (2.0 * (2.5 * z**4 - 3.0 * z**5 + z**6)) - 2.0 * z
    start = 2.0 * (2.0 * (2.5 / 16 - 3.0 / 32 + 1.0 / 64)) - 1.0
    return (data.friction_weight.values * most * (integral - start)).sum(axis=1)


@pytest.mark.parametrize(
    ("kind", "scheme", "let_go"),
    [
        ("rigid", "sdirk2", True),
        ("elastic", "sdirk2", True),
        ("elastic", "moreau-theta", True),
        ("rigid", "linearly-implicit-trapezoidal", True),
        ("clamped", "sdirk2", False),
        ("elastic", "backward-euler", False),
        ("rigid", "moreau-theta", False),
        ("rigid", "radau", False),
    ],
)
@pytest.mark.quick(
    "rigid-linearly-implicit-trapezoidal-True",
    "clamped-sdirk2-False",
    "elastic-backward-euler-False",
    "rigid-moreau-theta-False",
)
def test_bristles_give_back_what_they_stored_and_friction_never_does(kind, scheme, let_go):
    data = run_of(kind, scheme, 4e-3, 0.4 if let_go else 0.08, loads=(PUSHED_AND_LET_GO if let_go else TURNING,))
    stored = data.energy_bristles.values
    scale = float(np.abs(data.work_external.values).max())
    np.testing.assert_allclose(stored, psi(data), rtol=1e-9, atol=1e-12 * scale)
    assert stored.max() > 0.1 * scale  # the effect: a good part of the work is in the bristles
    if let_go:
        assert stored[-1] < 0.3 * stored.max()  # and comes back
    assert np.all(np.diff(data.friction_work.values, axis=0) >= -1e-12 * scale)
    assert data.dissipation_friction.values[-1] > 1e-3 * scale
    assert np.abs(data.balance_error.values).max() < 1e-9 * scale
    total = data.friction_work.values.sum(axis=1)
    np.testing.assert_allclose(total, data.dissipation_friction.values, rtol=1e-11, atol=1e-13 * scale)


@pytest.mark.slow
def test_pressing_harder_on_bent_bristles_does_work_that_is_no_dissipation():
    """At fixed deformation psi grows with w: what presses does that work, in a ramp as in a jump."""
    law = Limited(LAW, 5.0)
    for pressure, breaks in (
        (lambda X, t: np.full(len(X), PRESSURE * (1.0 + t / 0.1)), ()),
        (lambda X, t: np.full(len(X), PRESSURE * (1.0 if t < 0.05 else 2.0)), (0.05,)),
    ):
        data = run_of("rigid", "sdirk2", 1e-3, 0.1, law, (BodyForce((2.0, 0.0)),), pressure, breaks=breaks)
        scale = float(data.work_external.values[-1])
        assert data.energy_bristles.values[-1] > 0.1 * scale
        assert np.abs(data.balance_error.values).max() < 1e-9 * scale
        assert np.all(np.diff(data.dissipation_friction.values) >= 0.0)
        assert abs(data.dissipation_numerical.values[-1]) < 2e-2 * scale  # of second order in the step
