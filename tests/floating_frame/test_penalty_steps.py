"""Steps near penalty contact: their impacts neither gain energy nor are passed over, and a spring that is too weak ends the run."""

import numpy as np
import pytest
from case_models import model_of
from single_steps import initial_state

from cases import wall_impact
from cases.app.command.cli import main
from fem import NeoHookean, Plate, rectangle
from floating_frame import (
    ArcChain,
    Contact,
    InitialState,
    Options,
    Problem,
    RigidBody,
    StepFailure,
    assemble,
    simulate,
)
from floating_frame.stepping.penalty_steps import PER_HALF, longest_step
from friction import NormalForce


def hit(**given):
    params, model = model_of(wall_impact, **({"nx": 4, "ny": 2, "dt": 1e-3, "t_end": 0.02} | given))
    return params, model, simulate(model)


@pytest.mark.parametrize("m1", [1.0, 1.5])
@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
@pytest.mark.parametrize(("speed", "stiffness"), [(37.0, 3e6), (3.0, 4e7)])
@pytest.mark.quick("37.0-3000000.0-moreau-theta-1.0", "3.0-40000000.0-sdirk2-1.5")
def test_rebound_keeps_its_energy_where_a_step_is_as_long_as_the_impact(scheme, speed, stiffness, m1):
    """Equal steps of that length rebound with 1.2 to 1.5 of the speed. A force that is taken along chords errs by (π/N)² of the
    energy."""
    params, _, run = hit(vx0=speed, stiffness=stiffness * 10.0 ** (2.0 * (m1 - 1.0)), m1=m1, scheme=scheme)
    known = wall_impact.exact(params)
    assert known.duration < 2.0 * params.dt
    rebound = -float(run.frame_velocity.values[-1, 0]) / speed
    assert rebound == pytest.approx(1.0, abs=(np.pi / PER_HALF) ** 2)
    assert int(run.steps.max()) > PER_HALF / 2
    assert np.count_nonzero(run.steps.values[1:] > 2) <= 4, "steps are shorter in the impact alone"


def test_step_that_is_allowed_ends_at_first_touch_and_in_contact_is_a_share_of_the_half_period():
    params, model, _ = hit(vx0=2.0, stiffness=5e4, distance=0.013)
    state = initial_state(model)
    assert longest_step(model, state, 6e-3) == np.inf
    assert longest_step(model, state, 2e-2) == pytest.approx(0.013 / 2.0, rel=1e-6)
    near = assemble(wall_impact.problem(params.model_copy(update={"distance": 0.0})), wall_impact.options(params))
    allowed = longest_step(near, initial_state(near), 2e-2)
    corner = 1.0 / (
        1.0 + 12.0 * 0.05**2 / (0.2**2 + 0.1**2)
    )  # m of a corner over M, which a hit by an edge does not have
    half = np.pi * np.sqrt(0.22 / 5e4)
    assert half * np.sqrt(corner) / PER_HALF * 0.99 < allowed < half / PER_HALF * 1.01


ROUND = {"obstacle": "circle", "radius": 0.08}
SQUARE = {"obstacle": "box", "radius": 0.06, "wall_y": 0.02, "edge": "boundary"}


@pytest.mark.parametrize(
    ("given", "dt", "tolerance"),
    [(ROUND, 1e-4, None), (ROUND, 2e-2, None), (ROUND, 2e-3, 1e-2), (SQUARE, 2e-4, None), (SQUARE, 2e-2, None)],
    ids=["circle", "circle in long steps", "circle under error control", "box", "box in long steps"],
)
def test_spring_too_weak_for_the_impact_ends_the_run_and_the_stiffness_that_is_advised_holds(given, tolerance, dt):
    given = given | {"vx0": 45.0, "error_tolerance": tolerance, "t_end": 0.02, "dt": dt, "nx": 4, "ny": 4}
    with pytest.raises(StepFailure, match="driven past the middle of an obstacle") as caught:
        hit(stiffness=2e4, **given)
    told = str(caught.value)
    factor = float(told.split("at least ")[1].split(" times")[0])
    assert 1.0 < factor < 30.0
    if "edge" not in given:
        assert float(told.split("(stiffness ")[1].split(" N/m")[0]) == pytest.approx(factor * 2e4, rel=2e-2)
    _, _, run = hit(stiffness=factor * 2e4, **given)
    assert float(run.frame_velocity.values[-1, 0]) < 0.0, "it comes back"


@pytest.mark.parametrize(("stiffness", "holds"), [(2e4, False), (2e7, True)])
def test_a_finger_of_an_open_chain_is_driven_through_by_name(stiffness, holds):
    """It has no size of its own; a square of 0.1 m flies at 20 m/s against its flank, 0.04 m thick."""
    flank, nose = 1.5, 0.02
    pieces = ((flank, 0.0), (nose * np.pi, -1.0 / nose), (flank, 0.0))
    finger = ArcChain((0.1, -1.0), 0.5 * np.pi, pieces)
    mesh = rectangle(0.1, 0.1, 2, 2)
    body = RigidBody.from_plate(Plate.build(mesh, thickness=0.01, density=1000.0, material=NeoHookean(1e6, 0.3)))
    wall = Contact(finger, edge="right", normal=NormalForce(stiffness=stiffness))
    model = assemble(Problem(body, 0.01, initial=InitialState(velocity=(20.0, 0.0)), contacts=(wall,)), Options(1e-3))
    if holds:
        assert float(simulate(model).frame_velocity[-1, 0]) == pytest.approx(-20.0, rel=1e-2)
        return
    with pytest.raises(StepFailure, match="driven past the middle of an obstacle") as caught:
        simulate(model)
    assert 0.05 < 20.0 * caught.value.time < 0.05 + 2.0 * nose  # on its way through


def test_a_body_may_go_around_an_obstacle_in_touch_with_it():
    """A hoop's inside: the normal at a point turns by more than a right angle in shallow contact, which is no overrun."""
    _, _, run = hit(
        obstacle="circle",
        radius=0.05,
        vx0=0.2,
        stiffness=5e4,
        edge="boundary",
        spin0=0.0,
        wall_y=0.03,
        dt=5e-3,
        t_end=0.3,
    )
    assert float(run.complete) == 1
    assert np.any(run.contact_force.values)


def test_command_line_ends_with_status_3_and_one_line(tmp_path, capsys):
    given = ["--obstacle", "circle", "--vx0", "40", "--dt", "1e-3", "--nx", "4", "--ny", "4", "--quiet"]
    assert main(["run", "wall_impact", *given, "--out", str(tmp_path / "run")]) == 3
    told = capsys.readouterr().err
    assert "driven past the middle of an obstacle" in told
    assert "times as stiff (stiffness " in told
    assert "Traceback" not in told
