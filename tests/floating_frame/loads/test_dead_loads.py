"""Dead loads and histories: limits at jumps, profiles along edges, body forces in place and time."""

import numpy as np
import pytest
from ff_examples import LENGTH, WIDTH, plate
from problems import assembled, run

import floating_frame as ff
from floating_frame.loads.histories import values_at
from friction import Foundation, Smooth

STEPPED = ff.Table((0.0, 1.0, 1.0, 3.0), (2.0, 4.0, -1.0, 3.0))


@pytest.mark.parametrize(
    ("history", "time", "left", "right"),
    [
        (STEPPED, 1.0, 4.0, -1.0),
        (STEPPED, 2.0, 1.0, 1.0),
        (STEPPED, -1.0, 2.0, 2.0),
        (STEPPED, 9.0, 3.0, 3.0),
        (ff.Table((1.0, 1.0), (0.0, 5.0)), 1.0, 0.0, 5.0),
        (ff.Ramp(0.0), 0.0, 0.0, 1.0),
        (ff.Ramp(0.5, release=2.0), 2.0, 1.0, 0.0),
        (ff.Function(lambda t: float(t > 1.0), (1.0,)), 1.0, 0.0, 1.0),
        (ff.Constant(), 1.0, 1.0, 1.0),
    ],
)
def test_a_history_has_its_left_and_its_right_limit_at_a_jump(history, time, left, right):
    assert history.value(time) == pytest.approx(left, abs=1e-15)
    assert history.value(time, left=False) == pytest.approx(right, abs=1e-15)


HISTORIES = [ff.Constant(), ff.Ramp(0.0), ff.Ramp(0.5, 2.0), ff.Ramp(0.5, 0.25), ff.Cosine(3.0, 0.2), STEPPED]


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("history", HISTORIES)
def test_a_history_has_the_same_values_at_many_times_as_at_each_of_them(history, left):
    times = np.array([-1.0, 0.0, 0.1, 0.25, 0.4, 0.5, 0.7, 1.0, 2.0, 2.1])
    each = [history.value(float(t), left=left) for t in times]
    assert max(map(abs, each)) > 0.1
    np.testing.assert_allclose(values_at(history, times, left), each, rtol=1e-15)


def force_of(body, load, time=0.0):
    return assembled(body, 1.0, 0.1, loads=(load,)).loads.nodal_force(time)


@pytest.mark.parametrize("element", ["P1", "P2", "Q1", "Q2"])
def test_a_profile_along_an_edge_has_the_resultant_and_the_moment_of_its_integral(element):
    """And a uniform one is the uniform edge load."""
    body = plate(element=element)
    uniform = force_of(body, ff.EdgeTraction("right", lambda X: np.tile([3.0, -2.0], (len(X), 1)) / WIDTH))
    by_total = force_of(body, ff.EdgeLoad("right", (3.0, -2.0)))
    assert np.abs(by_total).max() > 0.1
    np.testing.assert_allclose(uniform, by_total, atol=1e-14)
    force = force_of(body, ff.EdgeTraction("right", lambda X: np.stack([7.0 * X[:, 1], 1.0 + 0.0 * X[:, 0]], 1)))
    np.testing.assert_allclose(force.sum(axis=0), [0.0, WIDTH], atol=1e-15)
    moment = np.sum(body.X[:, 0] * force[:, 1] - body.X[:, 1] * force[:, 0])
    # ∫ (x t_y − y t_x) dy over the right edge: W L/2 − 7 W³/12
    np.testing.assert_allclose(moment, WIDTH * LENGTH / 2 - 7.0 * WIDTH**3 / 12, rtol=1e-13)


def test_work_of_a_quadratic_profile_on_nodal_motions_is_that_of_the_interpolated_motion():
    body, a = plate(element="P2", ny=3), LENGTH / 2
    force = force_of(body, ff.EdgeTraction("top", lambda X: np.stack([X[:, 0] ** 3, 1.0 + X[:, 0] ** 2], 1)))
    # ∫ x³ x + (1 + x²) x² dx from −a to a
    work = np.vdot(force, np.stack([body.X[:, 0], body.X[:, 0] ** 2], 1))
    assert work == pytest.approx(4 * a**5 / 5 + 2 * a**3 / 3, rel=1e-13)


@pytest.mark.parametrize("scheme", ["sdirk2", "explicit"])
def test_a_linear_body_force_field_spins_a_plate_up_without_deforming_it(scheme):
    """b = ω' J X with ω' = 3 t: ω = 1.5 t², α = t³/2; X instead of r and ω²r deform a little, O(α²)."""
    spin_up = ff.BodyForceField(lambda X, t: 3.0 * t * np.stack([-X[:, 1], X[:, 0]], 1))
    data = run(plate(), 0.2, 1e-3, scheme, loads=(spin_up,))
    assert float(data.frame_spin[-1]) == pytest.approx(1.5 * 0.2**2, rel=2e-4)
    assert float(data.frame_angle[-1]) == pytest.approx(0.5 * 0.2**3, rel=2e-4)
    assert float(abs(data.displacement[-1]).max()) < 2e-4 * LENGTH
    assert float(abs(data.balance_error).max()) < 1e-12


def test_a_smooth_law_on_a_pressure_in_time_slows_a_rigid_body_by_its_integral():
    given = {"foundation": Foundation(Smooth(1e-6), 0.3, "98.1*t"), "initial": ff.InitialState((2.0, 0.0))}
    data = run(ff.RigidBody.from_plate(plate()), 0.5, 0.1, "radau", **given)
    left, energy = 2.0 - 0.3 * 9.81 * 0.125, float(data.energy_kinetic[0])
    assert float(data.frame_velocity[-1, 0]) == pytest.approx(left, rel=1e-9)
    assert float(data.dissipation_friction[-1]) == pytest.approx(energy * (1.0 - 0.25 * left**2), rel=1e-8)
    assert float(np.abs(data.balance_error).max()) < 1e-8 * energy
    assert float(data.rigid_residual.max()) < 1e-12
