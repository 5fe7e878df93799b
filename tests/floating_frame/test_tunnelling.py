"""Steps that are long against obstacles: bodies with exact contact end none behind an obstacle, nor within it."""

import numpy as np
import pytest
from ff_signorini import elastic

from floating_frame import (
    ArcChain,
    Box,
    Circle,
    CircleInCircle,
    Contact,
    InitialState,
    Line,
    Options,
    Problem,
    RigidBody,
    RigidMotion,
    Signorini,
    assemble,
    simulate,
)

NOSE = ((0.1, 0.0), (0.05 * np.pi, -10.0), (0.1, 0.0))
ISLANDS = {
    "circle": lambda motion: Circle((0.45, 0.01), 0.1, motion),
    "box": lambda motion: Box((0.45, 0.02), 0.16, 0.1, 0.02, angle=0.3, motion=motion),
    "thin box": lambda motion: Box((0.32, 0.0), 0.01, 0.6, 0.004, motion=motion),
    "line": lambda motion: Line((0.3, 0.0), (-1.0, 0.2), motion=motion),
    "island of arcs": lambda motion: ArcChain(
        (0.35, -0.05), 0.5 * np.pi, ((0.1, 0.0), (0.05 * np.pi, -20.0)) * 2, closed=True, motion=motion
    ),
    "room": lambda motion: CircleInCircle((0.0, 0.0), 0.5, motion),
    "box room": lambda motion: Box((0.0, 0.0), 1.1, 0.8, 0.1, inside=True, motion=motion),
}


def thrown(obstacle, *, rigid, speed, spin=0.0, dt=1e-2, t_end=4e-2, e=0.3, mu=0.2):
    plate = elastic(4, 3, E=2e8)
    body = RigidBody.from_plate(plate).on_nodes() if rigid else plate
    contacts = tuple(
        Contact(obstacle, edge=edge, normal=Signorini(e), mu=mu) for edge in ("right", "left", "top", "bottom")
    )
    problem = Problem(body, t_end, initial=InitialState((speed, 0.0), spin), contacts=contacts)
    return body, simulate(assemble(problem, Options(dt, "moreau-theta")))


def rim(body):
    return np.unique(np.concatenate([body.edge_segments(e).ravel() for e in ("right", "left", "top", "bottom")]))


MOTIONS = {
    "at rest": RigidMotion(),
    "coming": RigidMotion((-20.0, 0.0)),
    "turning": RigidMotion(spin=15.0, pivot=(0.45, 0.0)),
}
RUNS = [(name, rigid, motion) for name in ISLANDS for rigid in (True, False) for motion in MOTIONS]
QUICK = [run for run in RUNS if run[1] or run[0] in ("circle", "line", "room")]


@pytest.mark.parametrize(
    ("name", "rigid", "motion"),
    [
        pytest.param(*run, marks=() if run in QUICK else pytest.mark.slow)
        for run in RUNS
        if run[::2] != ("box room", "turning")
    ],
)
@pytest.mark.quick(
    "circle-True-coming",
    "box-True-at rest",
    "thin box-True-at rest",
    "line-True-at rest",
    "line-False-at rest",
    "island of arcs-True-at rest",
    "room-True-turning",
    "box room-True-at rest",
)
def test_no_step_ends_behind_an_obstacle_or_in_it(name, rigid, motion):
    """Ways of 0.3 m a step and more, obstacles of 1 cm and more."""
    obstacle = ISLANDS[name](MOTIONS[motion])
    body, run = thrown(obstacle, rigid=rigid, speed=30.0, spin=4.0)
    nodes = rim(body)
    gaps = np.array([obstacle.gap(x[nodes], t).gap for x, t in zip(run.position.values, run.time.values, strict=True)])
    assert gaps.min() > -1e-9
    pushed = np.abs(run.linear_momentum.values[-1] - run.linear_momentum.values[0]).max()
    assert pushed > 0.1 * abs(run.linear_momentum.values[0]).max(), "it has hit"
    assert "room" in name or run.frame_position.values[-1, 0] < 0.3, "and is before the obstacle"
    assert abs(run.balance_error.values).max() < 1e-8 * float(run.energy_kinetic.max())


def test_plate_that_touches_at_the_start_is_stopped_at_once_and_does_not_enter():
    wall = Line((0.2, 0.0), (-1.0, 0.0))
    for dt in (1e-3, 1e-4):
        _body, run = thrown(wall, rigid=False, speed=3.0, dt=dt, t_end=4e-3, e=0.0, mu=0.0)
        assert min(wall.gap(x, 0.0).gap.min() for x in run.position.values) > -1e-10
        assert abs(run.balance_error.values).max() < 1e-9
        assert 0.0 < run.dissipation_contact.values[1] < 0.3 * run.energy_kinetic.values[0]
    assert run.frame_velocity.values[-1, 0] < 0.0, "it comes back"


def test_steps_are_kept_where_nothing_comes_near():
    wall = Line((5.0, 0.0), (-1.0, 0.0))
    for rigid in (True, False):
        _, run = thrown(wall, rigid=rigid, speed=3.0, spin=2.0)
        assert np.all(run.steps.values[1:] == 1)
        assert np.all(run.rejected_steps.values == 0)
