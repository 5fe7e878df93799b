"""Bristles' deformations as part of the state: advanced as positions are, never written by an evaluation, saved."""

from dataclasses import replace

import numpy as np
import pytest
from ff_examples import plate, thrown
from ff_records import record
from single_steps import initial_state

from floating_frame import Clamped, EdgeLoad, Options, Problem, Ramp, RigidBody, assemble, simulate
from friction import Coulomb, Elliptic, Foundation, SlidingStiction

MU, PRESSURE = 0.3, 98.1
STIFF = 2e5
LAW = SlidingStiction(v_s=0.05, v_d=0.08, dynamic_ratio=0.8, max_stiction_deformation=2e-2)
PULL = EdgeLoad("right", (0.5, 0.6), Ramp(0.05))  # of 2.35 N of friction: it bends and turns on its bristles


def problem(body, *, belt=(0.0, 0.0), frame=None, t_end=0.2, loads=(PULL,)):
    ground = Foundation(LAW, MU, PRESSURE, ground_velocity=belt)
    more = {} if frame is None else {"frame": frame}
    return Problem(body, t_end, ground, loads, **more)


@pytest.mark.parametrize("kind", ["rigid", "elastic", "clamped"])
@pytest.mark.parametrize(
    "scheme", ["sdirk2", "backward-euler", "moreau-theta", pytest.param("radau", marks=pytest.mark.slow)]
)
@pytest.mark.quick("sdirk2-rigid", "backward-euler-rigid", "moreau-theta-elastic", "moreau-theta-clamped")
def test_while_nothing_slides_fast_the_deformation_is_the_displacement_over_the_ground(scheme, kind):
    if scheme == "radau" and kind != "rigid":
        pytest.skip("radau takes rigid bodies")
    body = plate(4, 2, E=STIFF)
    body = RigidBody.from_plate(body) if kind == "rigid" else body
    frame = Clamped("left", free=("x", "angle")) if kind == "clamped" else None
    data = simulate(assemble(problem(body, belt=(0.004, 0.002), frame=frame), Options(0.01, scheme)))
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
    body = RigidBody.from_plate(plate(3, 2))
    law = replace(LAW, max_stiction_deformation=1e-3)
    model = thrown(body=body, scheme="sdirk2", dt=2e-3)
    start = replace(model.problem.initial, displacement=None, rate=None)
    foundation = Foundation(law, MU, PRESSURE)
    data = simulate(assemble(replace(model.problem, foundation=foundation, initial=start), Options(2e-3)))
    size = np.linalg.norm(data.bristle_deformation.values, axis=2)
    assert size.max() == pytest.approx(1e-3, rel=1e-12)
    assert float(data.slip_path.max()) > 20e-3
    late = data.bristle_deformation.values[-1]
    slip = data.velocity.values[-1]
    assert np.all(np.einsum("na,na->n", late, slip) > 0.0)


def test_a_clamp_on_a_guide_takes_an_ellipse_along_it_and_refuses_a_turned_one():
    body = plate(4, 2, E=STIFF)

    def clamped(angle):
        ground = Foundation(Elliptic(2.0, angle), MU, PRESSURE)
        pull = EdgeLoad("right", (3.0, 0.2), Ramp(0.05))
        return assemble(Problem(body, 0.1, ground, (pull,), Clamped("left", free=("x",))), Options(0.01))

    data = simulate(clamped(0.0))
    assert data.frame_position.values[-1, 0] > 1e-4
    slides = ~data.stick.values[-1].astype(bool)
    assert slides.sum() > 5
    v, w = data.velocity.values[-1], data.friction_weight.values
    np.testing.assert_allclose(
        -data.friction_force.values[-1][slides], Elliptic(2.0).force(v, w)[slides], rtol=0, atol=1e-6 * w.max()
    )
    with pytest.raises(ValueError, match=r"elliptic law with its axis along x, got 0\.3 rad$"):
        clamped(0.3)


def test_a_law_without_memory_leaves_none_in_the_state_nor_in_the_results():
    body = plate(2, 1, E=STIFF)
    data = simulate(assemble(Problem(body, 0.02, Foundation(Coulomb(), MU, PRESSURE), (PULL,)), Options(0.01)))
    assert "bristle_deformation" not in data
    model = assemble(problem(body), Options(0.01))
    assert record(model, initial_state(model), "friction").internal.shape == (len(body.X), 2)
