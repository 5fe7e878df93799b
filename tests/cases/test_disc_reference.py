"""The rigid disc's reference: friction by brute force over the area, the stop by the suite's own reference."""

import numpy as np
import pytest
from rows import rows

from cases.app.suite.references import discs
from cases.references.spinning_disc import friction_force, friction_torque, stop, terminal_ratio
from floating_frame import RigidBody


@pytest.mark.parametrize("ratio", [1e-3, 0.3, 0.65, 0.97])
def test_force_and_torque_are_the_integrals_about_the_centre_of_rotation_to_rounding(ratio):
    """By the trapezoidal rule in the angle about it, spectrally accurate while it lies in the disc."""
    angle = 2.0 * np.pi * (np.arange(2000) + 0.5) / 2000
    reach = -ratio * np.cos(angle) + np.sqrt(1.0 - (ratio * np.sin(angle)) ** 2)
    force = abs(np.mean(reach**2 * np.cos(angle)))
    assert friction_force(ratio) == pytest.approx(force, rel=1e-11)
    assert friction_torque(ratio) == pytest.approx(np.mean(2.0 * reach**3 / 3.0) - ratio * force, rel=1e-11)


@pytest.mark.parametrize(("ratio", "tolerance"), [(1.05, 4e-6), (1.5, 1e-9), (3.3, 1e-9), (3.4, 1e-9), (20.0, 1e-9)])
def test_force_and_torque_are_the_gaussian_sums_of_a_disc_that_turns_about_a_point_beside_it(ratio, tolerance):
    body = RigidBody.disc(1.0, 1.0, 60, 120)
    x, y = body.X.T
    weight = body.nodal_area / (np.pi * np.hypot(ratio - y, x))
    computed = weight @ (ratio - y), weight @ (x * x - y * (ratio - y))
    np.testing.assert_allclose(computed, (friction_force(ratio), friction_torque(ratio)), rtol=tolerance)


def test_force_and_torque_have_their_known_limits():
    assert friction_force(0.0) == 0
    assert friction_torque(0.0) == pytest.approx(2 / 3, rel=1e-15)  # mean radius of a disc
    assert friction_force(1e9) == pytest.approx(1, rel=1e-15)
    assert friction_torque(1e9) * 1e9 == pytest.approx(0.25, rel=1e-12)
    assert friction_force(1e-9) == pytest.approx(1e-9, rel=1e-12)
    assert friction_force(1.0) == pytest.approx(8 / (3 * np.pi), rel=1e-15)


def test_force_and_torque_are_continuous_where_their_branches_meet():
    # At 1 both have a logarithmic slope: 1e-9 ln 1e-9 = 2e-8.
    for function, edge in ((friction_force, 1.0), (friction_torque, 1.0), (friction_torque, 1 / 0.3)):
        below, above = function(edge * (1 - 1e-9)), function(edge * (1 + 1e-9))
        assert 0 < abs(above - below) < 3e-8


@rows("speed, spin", [(1.0, 20.0), (1.0, -3.0), (0.1, 30.0), (2.0, 0.5)])
def test_the_stop_is_that_of_an_annulus_without_a_hole(speed, spin):
    """Which is set beside an integration in time: tests/suite/test_suite_references.py."""
    known, other = stop(0.1, 3.0, speed, spin), discs.stop(discs.Throw(0.1, 0.0, 0.5, 3.0, speed, abs(spin)), 0.0)
    assert (known.time, known.distance) == pytest.approx((other.time, other.distance), rel=1e-8)
    assert np.sign(spin) * known.angle == pytest.approx(other.angle, rel=1e-8)
    assert known.ratio == pytest.approx(terminal_ratio(), rel=1e-6)


@pytest.mark.parametrize(("speed", "spin"), [(0.05, 40.0), (3.0, 0.1)])
def test_the_reference_is_accurate_to_1e_10(speed, spin):
    coarse, fine = (stop(0.1, 3.0, speed, spin, decades=d) for d in (13.0, 17.0))
    for name in ("time", "distance", "angle"):
        assert getattr(coarse, name) == pytest.approx(getattr(fine, name), rel=1e-10)
    # Units: speeds twice as high stop after twice the time and four times the distance.
    twice = stop(0.1, 3.0, 2 * speed, 2 * spin)
    assert twice.time == pytest.approx(2 * fine.time, rel=1e-12)
    assert twice.distance == pytest.approx(4 * fine.distance, rel=1e-12)


def test_pure_sliding_and_pure_spinning_stop_as_points_and_rings_do():
    slid = stop(0.1, 3.0, 1.5, 0.0)
    assert (slid.time, slid.distance, slid.angle) == pytest.approx((0.5, 0.375, 0.0), rel=1e-14)
    spun = stop(0.1, 3.0, 0.0, 20.0)
    # I dw/dt = -mu N R 2/3, I = m R^2/2
    rate = 4 / 3 * 3.0 / 0.1
    assert spun.time == pytest.approx(20 / rate, rel=1e-11)
    assert spun.angle == pytest.approx(400 / (2 * rate), rel=1e-11)
    assert spun.distance == 0
    assert stop(0.1, 3.0, 0.0, 0.0).time == 0
