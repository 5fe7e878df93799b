"""Steps that are longer than an obstacle in space: they lead neither through it nor over it without a force."""

import numpy as np
import pytest

from floating_frame import (
    Ball,
    Contact,
    Feet,
    Options,
    RigidMotion,
    RigidSolid,
    RoundedEdge,
    SpaceInitial,
    SpaceProblem,
    Sphere,
    assemble,
    simulate,
)
from friction import NormalForce

G, R = 9.81, 0.1
BALL = RigidSolid(mass=1.5, inertia=(0.4 * 1.5 * R * R,) * 3, shape=Ball(R))


@pytest.mark.parametrize("obstacle", ["sphere", "edge", "moving sphere"])
@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
def test_a_step_longer_than_an_obstacle_does_not_lead_through_it(obstacle, scheme):
    """A ball flies centrally at a sphere, or an edge, smaller than its way in a step: it does not come behind it."""
    thing, speed, along = {
        "sphere": (Sphere((3.0, 0.0, 0.0), 0.2), 10.0, 0.0),
        "moving sphere": (Sphere((3.0, 0.0, 0.0), 0.2, motion=RigidMotion(velocity=(-10.0, 0.0, 0.0))), 0.0, -10.0),
        "edge": (RoundedEdge((3.0, 0.0, 3.0), ((1.0, 0.0, 0.05), (-1.0, 0.0, 0.05)), 0.01), 10.0, 0.0),
    }[obstacle]
    for dt in (0.2, 0.05):  # the first leaps over it, the second ends in it
        start = SpaceInitial(position=(0.0, 0.0, 0.0), velocity=(speed, 0.0, 0.0))
        problem = SpaceProblem(body=BALL, t_end=1.0, gravity=0.0, contacts=(Contact(obstacle=thing),), initial=start)
        data = simulate(assemble(problem, Options(dt=dt, scheme=scheme)))
        assert abs(data.frame_velocity.values[-1, 0] - speed) > 9.0  # it has been caught
        assert data.frame_position.values[-1, 0] - along < 3.0
        assert np.abs(data.frame_velocity.values[-1, 0] - along) < 0.01 * 10.0


@pytest.mark.parametrize("flies", [False, True])
def test_many_steps_in_a_call_do_not_lead_through_a_penalty(flies):
    """A foot at 10 m/s passes within a step of 0.2 s, 2 m long, a sphere of 0.4 m whose penalty would throw it back: its step is
    halved until it meets the sphere, from which it flies back as from a wall. Beside the sphere it flies on."""
    sphere = Contact(obstacle=Sphere((3.2, 2.0 if flies else 0.0, 0.0), 0.2), normal=NormalForce(1e6))
    body = RigidSolid(mass=1.5, inertia=(0.01,) * 3, shape=Feet([(0.0, 0.0, 0.0)]))
    start = SpaceInitial(position=(0.0, 0.0, 0.0), velocity=(10.0, 0.0, 0.0))
    problem = SpaceProblem(body=body, t_end=1.0, gravity=0.0, contacts=(sphere,), initial=start)
    model = assemble(problem, Options(dt=0.2, scheme="backward-euler"))
    batch = model.integrator.compiled.take(model.integrator.initial(model), 0.2 * np.arange(1, 6), np.arange(5))
    assert len(batch.times) == (5 if flies else 1)
    data = simulate(model)
    assert (data.frame_position.values[-1, 0] > 9.9) == flies
    assert float(data.halvings.sum()) == 0.0 if flies else float(data.halvings.sum()) > 0.0


@pytest.mark.parametrize("dt", [0.05, 0.02])
def test_a_rolling_ball_is_not_put_over_a_bump_without_a_force(dt):
    """What lifts a ball over a bump takes its energy: the steps are shorter than the bump, however long they were asked to be."""
    bump = Contact(obstacle=Sphere((3.0, 0.0, 0.0), 0.05), mu=0.3)
    start = SpaceInitial(velocity=(10.0, 0.0, 0.0), spin_space=(0.0, 100.0, 0.0))
    problem = SpaceProblem(body=BALL, t_end=0.6, contacts=(Contact(mu=0.3), bump), initial=start)
    data = simulate(assemble(problem, Options(dt=dt)))
    assert data.frame_velocity.values[-1, 0] < 9.5  # an impact without a rebound has stopped what went into the bump
    drop = data.frame_position.values[:, 2] - data.frame_position.values[0, 2]
    np.testing.assert_allclose(data.work_external, -BALL.mass * G * drop, rtol=0, atol=0.05 * BALL.mass * G * R)
