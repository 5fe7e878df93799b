"""Bristles' deformations as part of the state: advanced as positions are, never written by an evaluation, saved."""

from dataclasses import replace

import numpy as np
import pytest
from ff_examples import plate, rough
from ff_records import record
from problems import assembled, run
from single_steps import initial_state

from floating_frame import Clamped, EdgeLoad, InitialState, Ramp, RigidBody
from friction import Elliptic, Foundation, SlidingStiction

MU, PRESSURE = 0.3, 98.1
STIFF = 2e5
LAW = SlidingStiction(v_s=0.05, v_d=0.08, dynamic_ratio=0.8, max_stiction_deformation=2e-2)
PULL = EdgeLoad("right", (0.5, 0.6), Ramp(0.05))  # of 2.35 N of friction: it bends and turns on its bristles


@pytest.mark.parametrize(
    ("scheme", "kind"),
    [(s, k) for s in ("sdirk2", "backward-euler", "moreau-theta") for k in ("rigid", "elastic", "clamped")]
    + [("radau", "rigid")],
)
@pytest.mark.quick("sdirk2-rigid", "backward-euler-rigid", "moreau-theta-elastic", "moreau-theta-clamped")
def test_while_nothing_slides_fast_the_deformation_is_the_displacement_over_the_ground(scheme, kind):
    body = RigidBody.from_plate(plate(4, 2)) if kind == "rigid" else plate(4, 2, E=STIFF)
    frame = {"frame": Clamped("left", free=("x", "angle"))} if kind == "clamped" else {}
    belt = Foundation(LAW, MU, PRESSURE, ground_velocity=(0.004, 0.002))
    data = run(body, 0.2, 0.01, scheme, foundation=belt, loads=(PULL,), **frame)
    moved = data.position.values - data.X.values - data.time.values[:, None, None] * np.array([0.004, 0.002])
    error = 1e-8 * np.abs(moved).max()
    if scheme != "radau":  # nodes on circles, of whose chords a scheme knows the ends' tangents
        error += 0.23 * float(np.sum(np.diff(data.frame_angle.values) ** 2))
    np.testing.assert_allclose(data.bristle_deformation.values, moved, rtol=0, atol=error)
    assert error < 1e-3 * np.abs(moved).max()
    slip = np.linalg.norm(data.velocity.values - [0.004, 0.002], axis=2)
    assert 1e-3 < slip.max() < LAW.v_s
    assert abs(data.frame_angle.values[-1]) > 1e-4  # it turns: the deformation is seen in fixed axes
    assert float(np.abs(data.balance_error).max()) < 1e-8 * float(data.work_external.max())


def test_bristles_of_a_body_that_slides_fast_stay_within_their_limit_and_lag_behind_the_slip():
    ground = Foundation(replace(LAW, max_stiction_deformation=1e-3), MU, PRESSURE)
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
    model = assembled(body, 0.2, 0.01, foundation=Foundation(LAW, MU, PRESSURE), loads=(PULL,))
    assert record(model, initial_state(model), "friction").internal.shape == (len(body.X), 2)
