"""Bristles' deformations as part of the state: advanced as positions are, never written by an evaluation, saved; their energy is
given back, and what friction dissipates is what is not stored."""

from dataclasses import replace

import numpy as np
import pytest
from ff_examples import plate, rough
from ff_records import record
from problems import assembled, run
from single_steps import initial_state

from floating_frame import BodyForce, Clamped, EdgeLoad, InitialState, Ramp, RigidBody
from friction import Elliptic, Foundation, Limited, SlidingStiction

MU, PRESSURE, STIFF = 0.3, 98.1, 2e5
SOFT = SlidingStiction(v_s=0.05, v_d=0.08, dynamic_ratio=0.8, max_stiction_deformation=2e-2)
SHORT = SlidingStiction(v_s=1e-2, v_d=1.5e-2, dynamic_ratio=0.8, max_stiction_deformation=1e-3)
PULL = EdgeLoad("right", (0.5, 0.6), Ramp(0.05))  # of 2.35 N of friction: it bends and turns on its bristles
PUSHED_AND_LET_GO = BodyForce((2.0, 0.0), Ramp(0.0, 0.3))


def run_of(kind, scheme, dt, t_end, law, load, mu=MU, pressure=PRESSURE, young=STIFF, **ground):
    body = RigidBody.from_plate(plate(4, 2)) if kind == "rigid" else plate(4, 2, E=young)
    frame = {"frame": Clamped("left", free=("x", "angle"))} if kind == "clamped" else {}
    return run(body, t_end, dt, scheme, foundation=Foundation(law, mu, pressure, **ground), loads=(load,), **frame)


def psi(data, most):
    """Integral of 20 s^3 - 30 s^4 + 12 s^5 - ..., written out: of step5 from -1 to 1, at 2 s - 1 in [0, 1]."""
    size = np.linalg.norm(data.bristle_deformation.values, axis=2) / most
    z = 0.5 * (1.0 + size)
    integral = 2.0 * (2.0 * (2.5 * z**4 - 3.0 * z**5 + z**6)) - 2.0 * z
    start = 2.0 * (2.0 * (2.5 / 16 - 3.0 / 32 + 1.0 / 64)) - 1.0
    return (data.friction_weight.values * most * (integral - start)).sum(axis=1)


def assert_stored_and_lost(data, most):
    """A good part of the work is in the bristles, friction only takes, and the balance closes; return the energy stored."""
    stored, scale = data.energy_bristles.values, float(np.abs(data.work_external.values).max())
    np.testing.assert_allclose(stored, psi(data, most), rtol=1e-9, atol=1e-12 * scale)
    assert stored.max() > 0.1 * scale
    assert np.all(np.diff(data.friction_work.values, axis=0) >= -1e-12 * scale)
    assert data.dissipation_friction.values[-1] > 1e-3 * scale
    total = data.friction_work.values.sum(axis=1)
    np.testing.assert_allclose(total, data.dissipation_friction.values, rtol=1e-11, atol=1e-13 * scale)
    assert np.abs(data.balance_error.values).max() < 1e-8 * scale
    return stored


@pytest.mark.parametrize(
    ("scheme", "kind"),
    [(s, k) for s in ("sdirk2", "backward-euler", "moreau-theta") for k in ("rigid", "elastic", "clamped")]
    + [("radau", "rigid")],
)
@pytest.mark.quick("sdirk2-rigid", "backward-euler-rigid", "moreau-theta-elastic", "moreau-theta-clamped")
def test_while_nothing_slides_fast_the_deformation_is_the_displacement_over_the_ground(scheme, kind):
    data = run_of(kind, scheme, 0.01, 0.2, SOFT, PULL, ground_velocity=(0.004, 0.002))
    moved = data.position.values - data.X.values - data.time.values[:, None, None] * np.array([0.004, 0.002])
    error = 1e-8 * np.abs(moved).max()
    if scheme != "radau":  # nodes on circles, of whose chords a scheme knows the ends' tangents
        error += 0.23 * float(np.sum(np.diff(data.frame_angle.values) ** 2))
    np.testing.assert_allclose(data.bristle_deformation.values, moved, rtol=0, atol=error)
    assert error < 1e-3 * np.abs(moved).max()
    slip = np.linalg.norm(data.velocity.values - [0.004, 0.002], axis=2)
    assert 1e-3 < slip.max() < SOFT.v_s
    assert abs(data.frame_angle.values[-1]) > 1e-4  # it turns: the deformation is seen in fixed axes
    assert_stored_and_lost(data, 2e-2)


LET_GO = [(kind, "sdirk2") for kind in ("rigid", "elastic")]
LET_GO += [("elastic", "moreau-theta"), ("rigid", "linearly-implicit-trapezoidal")]


@pytest.mark.parametrize(("kind", "scheme"), LET_GO)
@pytest.mark.quick("rigid-linearly-implicit-trapezoidal")
def test_bristles_give_back_what_they_stored_and_friction_never_does(kind, scheme):
    data = run_of(kind, scheme, 4e-3, 0.4, SHORT, PUSHED_AND_LET_GO, 0.5, young=1e6)
    stored = assert_stored_and_lost(data, 1e-3)
    assert stored[-1] < 0.3 * stored.max()


@pytest.mark.slow
def test_pressing_harder_on_bent_bristles_does_work_that_is_no_dissipation():
    """At fixed deformation psi grows with w: what presses does that work, in a ramp as in a jump."""
    for pressure, breaks in (
        (lambda X, t: np.full(len(X), PRESSURE * (1.0 + t / 0.1)), ()),
        (lambda X, t: np.full(len(X), PRESSURE * (1.0 if t < 0.05 else 2.0)), (0.05,)),
    ):
        given = {"pressure": pressure, "breaks": breaks}
        data = run_of("rigid", "sdirk2", 1e-3, 0.1, Limited(SHORT, 5.0), BodyForce((2.0, 0.0)), 0.5, **given)
        scale = float(data.work_external.values[-1])
        assert data.energy_bristles.values[-1] > 0.1 * scale
        assert np.abs(data.balance_error.values).max() < 1e-9 * scale
        assert np.all(np.diff(data.dissipation_friction.values) >= 0.0)
        assert abs(data.dissipation_numerical.values[-1]) < 2e-2 * scale  # of second order in the step


def test_bristles_of_a_body_that_slides_fast_stay_within_their_limit_and_lag_behind_the_slip():
    ground = Foundation(replace(SOFT, max_stiction_deformation=1e-3), MU, PRESSURE)
    start = InitialState((1.0, 0.3), 8.0)
    data = run(RigidBody.from_plate(plate(3, 2)), 0.1, 2e-3, foundation=ground, initial=start)
    size = np.linalg.norm(data.bristle_deformation.values, axis=2)
    assert size.max() == pytest.approx(1e-3, rel=1e-12)
    assert float(data.slip_path.max()) > 20e-3
    assert np.all(np.einsum("na,na->n", data.bristle_deformation.values[-1], data.velocity.values[-1]) > 0.0)


def test_a_clamp_on_a_guide_takes_an_ellipse_along_it_and_refuses_a_turned_one():
    def clamped(angle):
        ground, pull = Foundation(Elliptic(2.0, angle), MU, PRESSURE), EdgeLoad("right", (3.0, 0.2), Ramp(0.05))
        given = {"foundation": ground, "loads": (pull,), "frame": Clamped("left", free=("x",))}
        return run(plate(4, 2, E=STIFF), 0.1, 0.01, **given)

    data = clamped(0.0)
    assert data.frame_position.values[-1, 0] > 1e-4
    slides = ~data.stick.values[-1].astype(bool)
    assert slides.sum() > 5
    v, w = data.velocity.values[-1], data.friction_weight.values
    expected = Elliptic(2.0).force(v, w)[slides]
    np.testing.assert_allclose(-data.friction_force.values[-1][slides], expected, rtol=0, atol=1e-6 * w.max())
    with pytest.raises(ValueError, match=r"elliptic law with its axis along x, got 0\.3 rad$"):
        clamped(0.3)


def test_a_law_without_memory_leaves_none_in_the_state_nor_in_the_results():
    body = plate(2, 1, E=STIFF)
    assert "bristle_deformation" not in run(body, 0.02, 0.01, foundation=rough(MU), loads=(PULL,))
    model = assembled(body, 0.2, 0.01, foundation=Foundation(SOFT, MU, PRESSURE), loads=(PULL,))
    assert record(model, initial_state(model), "friction").internal.shape == (len(body.X), 2)
