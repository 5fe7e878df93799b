"""Ground that moves: friction acts on the slip velocity, sticking nodes move with the belt, and the belt does work."""

import numpy as np
import problems
import pytest
from ff_examples import DENSITY, PRESSURE, THICKNESS, bent, plate, wobble

from floating_frame import BodyForce, InitialState, MeanAxis, RigidBody, Tisserand
from friction import Coulomb, Foundation, Smooth

MASS = 0.8
MU = 0.3
GRIP = MU * PRESSURE / (DENSITY * THICKNESS)
"""Acceleration that full friction gives, m/s²."""
SCHEMES = ("sdirk2", "backward-euler", "moreau-theta", "explicit")


def on_belt(body, belt, scheme="sdirk2", dt=1e-3, t_end=0.1, *, law=None, breaks=(), **given):
    ground = Foundation(law or Coulomb(), MU, PRESSURE, belt, breaks)
    return problems.run(body, t_end, dt, scheme, foundation=ground, **given)


def balanced(run):
    """The balance closes at rounding, and friction dissipates at every node.

    What the explicit scheme stores ends with half a kick, which the next whole kick replaces: a node that comes to rest in between
    may have lost less, by O(Δt) of its work in a step.
    """
    size = float((run.energy_kinetic + abs(run.work_external)).max())
    assert float(abs(run.balance_error).max()) < 1e-10 * size
    assert float(run.friction_work.diff("time").min()) > (-1e-5 if "explicit_step" in run.attrs else -1e-12) * size
    return True


def body_of(kind, **more):
    return plate(**more) if kind == "plate" else RigidBody.from_plate(plate(**more))


KINDS = pytest.mark.parametrize("kind", ["plate", "rigid"])


@pytest.mark.parametrize(
    ("kind", "scheme"), [(k, s) for s in (*SCHEMES, "smooth") for k in ("plate", "rigid")] + [("rigid", "radau")]
)
@pytest.mark.quick("rigid-sdirk2", "rigid-backward-euler", "rigid-moreau-theta", "plate-explicit", "rigid-smooth")
def test_a_body_thrown_on_a_belt_moves_as_on_fixed_ground_seen_from_the_belt(scheme, kind):
    law = Smooth(0.05) if scheme in ("smooth", "radau") else Coulomb()
    body, scheme = body_of(kind), "sdirk2" if scheme == "smooth" else scheme
    shape, rate = (bent(body.X), wobble(body.X)) if kind == "plate" else (None, None)
    belt, v = np.array([0.9, -0.4]), np.array([0.6, 0.1])
    given = {"scheme": scheme, "law": law, "t_end": 0.5, "dt": 4e-3, "output_every": 5}
    moving = on_belt(body, belt, initial=InitialState(v, 4.0, shape, rate), **given)
    fixed = on_belt(body, (0.0, 0.0), initial=InitialState(v - belt, 4.0, shape, rate), **given)
    t = fixed.time.values
    seen = moving.position.values - t[:, None, None] * belt
    assert np.abs(fixed.position.values[-1] - fixed.position.values[0]).max() > 0.05
    assert 0.0 < float(fixed.stick.mean()) < 1.0 or not law.set_valued  # it comes to rest
    np.testing.assert_allclose(seen, fixed.position.values, atol=2e-8)
    np.testing.assert_allclose(moving.velocity.values - belt, fixed.velocity.values, atol=2e-7)
    np.testing.assert_allclose(moving.dissipation_friction.values, fixed.dissipation_friction.values, atol=1e-8)
    if law.set_valued:
        assert balanced(moving)


@pytest.mark.parametrize("scheme", SCHEMES)
@KINDS
@pytest.mark.quick("plate-explicit", "rigid-sdirk2", "rigid-backward-euler", "rigid-moreau-theta")
def test_a_body_put_on_a_belt_is_taken_up_to_its_velocity_and_then_has_it_to_the_last_bit(scheme, kind):
    belt, pull = np.array([0.6, 0.8]), 0.3 * GRIP  # |v_g| = 1 m/s; pulled back along the belt
    run = on_belt(body_of(kind, E=2e5), belt, scheme, 5e-3, 0.8, loads=(BodyForce(tuple(-pull * belt)),))
    taken_up = 1.0 / (GRIP - pull)
    sliding, rest = run.time.values < taken_up - 0.02, run.time.values > taken_up + 0.02
    assert sliding.sum() > 20
    assert rest.sum() > 20
    expected = (GRIP - pull) * run.time.values[sliding, None] * belt
    np.testing.assert_allclose(run.frame_velocity.values[sliding], expected, atol=1e-9)
    assert not run.stick.values[sliding].any()
    assert run.stick.values[rest].all()
    np.testing.assert_array_equal(run.velocity.values[rest], np.broadcast_to(belt, run.velocity.values[rest].shape))
    # static friction balances the pull, nodal friction works against the slip only
    force = run.friction_force.sum("node").values[rest]
    np.testing.assert_allclose(force, np.tile(MASS * pull * belt, (len(force), 1)), rtol=1e-8)
    assert balanced(run)
    lost = MASS * GRIP * 0.5 * taken_up  # μ N times the slip path ½ v_g t*
    assert float(run.dissipation_friction[-1]) == pytest.approx(lost, rel=2e-2)
    path = float((run.frame_position.values[-1] * belt).sum())
    work = MASS * GRIP * taken_up + MASS * pull * (0.8 - taken_up) - MASS * pull * path  # belt's less load's
    assert float(run.work_external[-1]) == pytest.approx(work, rel=2e-2)


@pytest.mark.parametrize("scheme", SCHEMES)
@KINDS
def test_a_body_rides_on_a_belt_that_gathers_speed_slower_than_friction_can(scheme, kind):
    course, start = lambda t: (0.5 * GRIP * t, 0.2), InitialState((0.0, 0.2))
    run = on_belt(body_of(kind, E=2e5), course, scheme, 5e-3, 0.2, initial=start)
    assert run.stick.values.all()
    t = run.time.values
    expected = np.stack([0.5 * GRIP * t, np.full_like(t, 0.2)], 1)
    np.testing.assert_array_equal(run.velocity.values, np.broadcast_to(expected[:, None], run.velocity.shape))
    friction = run.friction_force.sum("node").values
    np.testing.assert_allclose(friction[:, 0], 0.5 * MASS * GRIP, rtol=1e-6)  # at t = 0 from a difference quotient
    assert float(run.dissipation_friction[-1]) == pytest.approx(0.0, abs=1e-15)
    assert float(run.work_external[-1]) == pytest.approx(0.5 * MASS * (0.5 * GRIP * 0.2) ** 2, rel=6e-2)
    assert balanced(run)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "order"), [("sdirk2", 2.0), ("backward-euler", 1.0), ("explicit", 1.0)])
def test_a_block_over_a_belt_that_turns_around_converges_at_the_order_of_the_scheme(scheme, order):
    # explicit: the direction of friction is that at the end of the kick, so where it turns the order is one
    body = RigidBody.from_plate(plate())

    def end(scheme, dt):
        turning, start = lambda t: (2.0 * np.cos(3.0 * t), 2.0 * np.sin(3.0 * t)), InitialState((0.5, 0.0), 2.0)
        return on_belt(body, turning, scheme, dt, 0.32, initial=start).frame_position[-1].values

    fine = end("sdirk2", 5e-4)
    errors = [np.abs(end(scheme, dt) - fine).max() for dt in (0.02, 0.01)]
    assert errors[1] < (1e-2 if order == 1.0 else 2e-4)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=["mean-axis", "tisserand"])
def test_an_elastic_plate_on_a_belt_that_stops_at_a_break_closes_its_balance(frame):
    body = plate()
    given = {"initial": InitialState((0.0, 0.3), 3.0, bent(body.X)), "frame": frame, "breaks": (0.105,)}
    run = on_belt(body, lambda t: (1.2 * (t < 0.105), 0.0), dt=1e-2, t_end=0.2, **given)
    assert balanced(run)
    assert float(run.frame_velocity[:, 0].max()) > 0.2
    late = run.frame_velocity.values[run.time.values > 0.12, 0]
    assert np.all(np.diff(late) < 0.0)  # braked by ground that stands still
    assert float(run.rigid_residual.max()) < 1e-8
