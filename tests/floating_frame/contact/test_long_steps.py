"""Steps that are long against obstacles: none ends behind one or in it, impacts keep their energy, weak springs end the run."""

import numpy as np
import pytest
from case_models import model_of
from contact_examples import NEAR, thrown
from ff_examples import plate
from problems import run
from single_steps import initial_state

import floating_frame as ff
from cases import wall_impact
from floating_frame import ArcChain, Box, Circle, CircleInCircle, Line, RigidBody, RigidMotion, Signorini, StepFailure
from floating_frame.stepping.penalty_steps import PER_HALF, longest_step
from friction import NormalForce

ARCS = ((0.1, 0.0), (0.05 * np.pi, -20.0)) * 2
ISLANDS = {
    "circle": lambda motion: Circle((0.45, 0.01), 0.1, motion),
    "box": lambda motion: Box((0.45, 0.02), 0.16, 0.1, 0.02, angle=0.3, motion=motion),
    "thin box": lambda motion: Box((0.32, 0.0), 0.01, 0.6, 0.004, motion=motion),
    "line": lambda motion: Line((0.3, 0.0), (-1.0, 0.2), motion=motion),
    "island of arcs": lambda motion: ArcChain((0.35, -0.05), 0.5 * np.pi, ARCS, closed=True, motion=motion),
    "room": lambda motion: CircleInCircle((0.0, 0.0), 0.5, motion),
    "box room": lambda motion: Box((0.0, 0.0), 1.1, 0.8, 0.1, inside=True, motion=motion),
}
EDGES = ("right", "left", "top", "bottom")


def flung(obstacle, rigid, **given):
    """A plate in long steps at an obstacle that any of its edges may touch."""
    soft = plate(4, 3, E=2e8)
    on = RigidBody.from_plate(soft).on_nodes() if rigid else soft
    contacts = tuple(ff.Contact(obstacle, edge=edge, normal=Signorini(0.3), mu=0.2) for edge in EDGES)
    return on, run(on, 4e-2, 1e-2, "moreau-theta", contacts=contacts, **given)


MOTIONS = {"at rest": RigidMotion(), "coming": RigidMotion((-20.0, 0.0))}
MOTIONS["turning"] = RigidMotion(spin=15.0, pivot=(0.45, 0.0))
RUNS = [(name, rigid, motion) for name in ISLANDS for rigid in (True, False) for motion in MOTIONS]


@pytest.mark.parametrize(("name", "rigid", "motion"), [run for run in RUNS if run[::2] != ("box room", "turning")])
@pytest.mark.quick(
    "circle-True-coming", "box-True-at rest", "thin box-True-at rest", "line-True-at rest", "circle-False-at rest",
    "island of arcs-True-at rest", "room-True-turning", "box room-True-at rest",
)  # fmt: skip
def test_no_step_ends_behind_an_obstacle_or_in_it(name, rigid, motion):
    """Ways of 0.3 m a step and more, obstacles of 1 cm and more."""
    obstacle = ISLANDS[name](MOTIONS[motion])
    on, run = flung(obstacle, rigid, velocity=(30.0, 0.0), spin=4.0)
    nodes = np.unique(np.concatenate([on.edge_segments(edge).ravel() for edge in EDGES]))
    gaps = np.array([obstacle.gap(x[nodes], t).gap for x, t in zip(run.position.values, run.time.values, strict=True)])
    assert gaps.min() > -1e-9
    pushed = np.abs(run.linear_momentum.values[-1] - run.linear_momentum.values[0]).max()
    assert pushed > 0.1 * abs(run.linear_momentum.values[0]).max(), "it has hit"
    assert "room" in name or run.frame_position.values[-1, 0] < 0.3, "and is before the obstacle"
    assert abs(run.balance_error.values).max() < 1e-8 * float(run.energy_kinetic.max())


def test_plate_that_touches_at_the_start_is_stopped_at_once_and_does_not_enter():
    for dt in (1e-3, 1e-4):
        run = thrown((3.0, 0.0), plate(4, 3, E=2e8), wall=NEAR, dt=dt, t_end=4e-3)
        assert min(NEAR.gap(x, 0.0).gap.min() for x in run.position.values) > -1e-10
        assert abs(run.balance_error.values).max() < 1e-9
        assert 0.0 < run.dissipation_contact.values[1] < 0.3 * run.energy_kinetic.values[0]
    assert run.frame_velocity.values[-1, 0] < 0.0, "it comes back"


def test_steps_are_kept_where_nothing_comes_near():
    for rigid in (True, False):
        _, run = flung(Line((5.0, 0.0), (-1.0, 0.0)), rigid, velocity=(3.0, 0.0), spin=2.0)
        assert np.all(run.steps.values[1:] == 1)
        assert np.all(run.rejected_steps.values == 0)


def hit(**given):
    params, model = model_of(wall_impact, **({"nx": 4, "ny": 2, "dt": 1e-3, "t_end": 0.02} | given))
    return params, ff.simulate(model)


@pytest.mark.parametrize("m1", [1.0, 1.5])
@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
@pytest.mark.parametrize(("speed", "stiffness"), [(37.0, 3e6), (3.0, 4e7)])
@pytest.mark.quick("37.0-3000000.0-moreau-theta-1.0", "3.0-40000000.0-sdirk2-1.5")
def test_rebound_keeps_its_energy_where_a_step_is_as_long_as_the_impact(scheme, speed, stiffness, m1):
    """Equal steps of that length rebound with 1.2 to 1.5 of the speed. A force taken along chords errs by (π/N)² of the energy."""
    params, run = hit(vx0=speed, stiffness=stiffness * 10.0 ** (2.0 * (m1 - 1.0)), m1=m1, scheme=scheme)
    assert wall_impact.exact(params).duration < 2.0 * params.dt
    rebound = -float(run.frame_velocity.values[-1, 0]) / speed
    assert rebound == pytest.approx(1.0, abs=(np.pi / PER_HALF) ** 2)
    assert int(run.steps.max()) > PER_HALF / 2
    assert np.count_nonzero(run.steps.values[1:] > 2) <= 4, "steps are shorter in the impact alone"


def test_step_that_is_allowed_ends_at_first_touch_and_in_contact_is_a_share_of_the_half_period():
    given = {"nx": 4, "ny": 2, "dt": 1e-3, "t_end": 0.02, "vx0": 2.0, "stiffness": 5e4}
    before, near = (model_of(wall_impact, **given, distance=distance)[1] for distance in (0.013, 0.0))
    assert longest_step(before, initial_state(before), 6e-3) == np.inf
    assert longest_step(before, initial_state(before), 2e-2) == pytest.approx(0.013 / 2.0, rel=1e-6)
    allowed, half = longest_step(near, initial_state(near), 2e-2), np.pi * np.sqrt(0.22 / 5e4)
    # m of a corner over M, which a hit by an edge does not have
    corner = 1.0 / (1.0 + 12.0 * 0.05**2 / (0.2**2 + 0.1**2))
    assert half * np.sqrt(corner) / PER_HALF * 0.99 < allowed < half / PER_HALF * 1.01


ROUND = {"obstacle": "circle", "radius": 0.08}
SQUARE = {"obstacle": "box", "radius": 0.06, "wall_y": 0.02, "edge": "boundary"}


@pytest.mark.parametrize(
    ("given", "dt", "tolerance"),
    [(ROUND, 1e-4, None), (ROUND, 2e-2, None), (ROUND, 2e-3, 1e-2), (SQUARE, 2e-4, None), (SQUARE, 2e-2, None)],
    ids=["circle", "circle in long steps", "circle under error control", "box", "box in long steps"],
)
@pytest.mark.quick("circle in long steps", "circle under error control", "box in long steps")
def test_spring_too_weak_for_the_impact_ends_the_run_and_the_stiffness_that_is_advised_holds(given, tolerance, dt):
    given = given | {"vx0": 45.0, "error_tolerance": tolerance, "t_end": 0.02, "dt": dt, "nx": 4, "ny": 4}
    with pytest.raises(StepFailure, match="driven past the middle of an obstacle") as caught:
        hit(stiffness=2e4, **given)
    message = str(caught.value)
    factor = float(message.split("at least ")[1].split(" times")[0])
    assert 1.0 < factor < 30.0
    if "edge" not in given:
        assert float(message.split("(stiffness ")[1].split(" N/m")[0]) == pytest.approx(factor * 2e4, rel=2e-2)
    _, run = hit(stiffness=factor * 2e4, **given)
    assert float(run.frame_velocity.values[-1, 0]) < 0.0, "it comes back"


def test_a_finger_of_an_open_chain_is_driven_through_by_name():
    """It has no size of its own; a square of 0.1 m flies at 20 m/s against its flank, 0.04 m thick."""
    nose = 0.02
    finger = ArcChain((0.1, -1.0), 0.5 * np.pi, ((1.5, 0.0), (nose * np.pi, -1.0 / nose), (1.5, 0.0)))
    square = RigidBody.from_plate(plate(2, 2, length=0.1, width=0.1))
    given = {"obstacle": finger, "edge": "right", "velocity": (20.0, 0.0)}
    stiff = run(square, 0.01, 1e-3, normal=NormalForce(2e7), **given)
    assert float(stiff.frame_velocity[-1, 0]) == pytest.approx(-20.0, rel=1e-2)
    with pytest.raises(StepFailure, match="driven past the middle of an obstacle") as caught:
        run(square, 0.01, 1e-3, normal=NormalForce(2e4), **given)
    assert 0.05 < 20.0 * caught.value.time < 0.05 + 2.0 * nose  # on its way through


def test_a_body_may_go_around_an_obstacle_in_touch_with_it():
    """A hoop's inside: the normal at a point turns by more than a right angle in shallow contact, which is no overrun."""
    hoop = {"obstacle": "circle", "radius": 0.05, "edge": "boundary", "wall_y": 0.03}
    _, run = hit(**hoop, vx0=0.2, stiffness=5e4, dt=5e-3, t_end=0.3)
    assert float(run.complete) == 1
    assert np.any(run.contact_force.values)
