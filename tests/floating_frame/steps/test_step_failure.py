"""What happens when a step cannot be solved: halving, failure by name, the trajectory so far, and the fallback."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from ff_examples import plate, rough
from single_steps import initial_state

from floating_frame import (
    EdgeLoad,
    InitialState,
    Options,
    Problem,
    Ramp,
    RigidBody,
    StepFailure,
    assemble,
    load_trajectory,
    simulate,
)
from floating_frame.errors import Unsolved
from floating_frame.stepping.substeps import advance
from floating_frame.system.state import Counts

# The package shows the function of that name; this is the module.
looping = import_module("floating_frame.assemble")


def crushed(**options):
    """A soft plate pressed together by an edge load that grows until an element turns inside out."""
    load = EdgeLoad("right", (-400.0, 0.0), Ramp(0.1))
    return assemble(Problem(plate(), 0.1, rough(0.3), (load,)), Options(2e-3, **options))


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    path = tmp_path_factory.mktemp("crushed") / "run.nc"
    with pytest.raises(StepFailure) as caught:
        simulate(crushed(max_halvings=4), path=path, attributes={"case": "crushed"})
    return caught.value, path


def test_an_inverted_element_fails_by_name_with_time_place_and_advice(failed):
    failure, _ = failed
    assert 0.0 < failure.time < 0.1
    message = str(failure)
    assert f"t = {failure.time:.9g} s" in message
    assert "inverted" in message or "not positive definite" in message
    assert failure.advice in message
    assert "try: " in message
    assert len(message.splitlines()) == 1


def test_what_was_computed_before_a_failure_is_kept_and_marked_incomplete(failed):
    failure, path = failed
    run = failure.trajectory
    assert run.attrs["complete"] == 0
    assert run.attrs["case"] == "crushed"
    times = run.time.values
    assert len(times) >= 3
    assert times[-1] <= failure.time < times[-1] + 2e-3
    assert np.abs(run.displacement.values[-1]).max() > 0.005
    with load_trajectory(path) as read:
        assert read.attrs["complete"] == 0
        assert np.array_equal(read.position, run.position)
    assert [p.name for p in path.parent.iterdir()] == ["run.nc"]


def test_the_step_was_halved_as_often_as_allowed_before_giving_up(monkeypatch):
    tried = []
    sound = looping.STAGED.step

    def recorded(model, state, dt, end_time=None):
        tried.append(dt)
        return sound(model, state, dt, end_time)

    monkeypatch.setattr(looping, "STAGED", looping.STAGED._replace(step=recorded))
    with pytest.raises(StepFailure):
        simulate(crushed(max_halvings=3))
    assert min(tried) == pytest.approx(2e-3 / 8, rel=1e-9)
    tried.clear()
    with pytest.raises(StepFailure):
        simulate(crushed(max_halvings=0))
    assert min(tried) == pytest.approx(2e-3, rel=1e-9)


@pytest.mark.parametrize(
    "error", [Unsolved("made to fail"), Unsolved("element 0", "InvertedElement")], ids=["pass", "element"]
)
def test_a_step_that_fails_is_halved_and_the_halvings_are_counted(monkeypatch, error):
    sound, limit = looping.STAGED.step, 0.7e-3

    def fails_if_long(model, state, dt, end_time=None):
        if dt > limit and 0.0015 < state.time < 0.0055:
            raise error
        return sound(model, state, dt, end_time)

    monkeypatch.setattr(looping, "STAGED", looping.STAGED._replace(step=fails_if_long))
    load = EdgeLoad("right", (2.0, 1.0))
    run = simulate(assemble(Problem(plate(), 0.01, rough(0.3), (load,)), Options(2e-3)))
    # Steps of 2 ms from 2 and 4 ms: into four of 0.5 ms each, three halvings.
    assert run.halvings.values.tolist() == [0, 0, 3, 3, 0, 0]
    assert np.allclose(run.time, np.arange(6) * 2e-3, rtol=0, atol=1e-18)
    assert np.abs(run.balance_error).max() < 1e-9


def test_an_error_of_the_program_is_not_taken_for_a_step_to_be_halved(monkeypatch):
    def broken(*arguments):
        raise ZeroDivisionError

    monkeypatch.setattr(looping, "STAGED", looping.STAGED._replace(step=broken))
    with pytest.raises(ZeroDivisionError):
        simulate(crushed())


def stiff(force, dt, *, E=1e11, steps=5, **options):
    """A plate of steel's stiffness, pulled from rest by a load that is there at once: a cold start."""
    problem = Problem(plate(16, 8, E=E), steps * dt, rough(0.5), (EdgeLoad("right", force),))
    return simulate(assemble(problem, Options(dt, **options)))


def static_bound():
    """Σ w = μ p A, the load that the whole plate can hold."""
    return 0.5 * 98.1 * 0.4 * 0.2


def test_a_stiff_cold_started_large_step_run_succeeds_with_the_fallback_and_counts_it():
    force = (2.0, 1.0)
    assert np.linalg.norm(force) < static_bound()
    run = stiff(force, 0.05, max_halvings=0)
    # A step is some thousand times the time a wave takes through the plate: nearly quasi-static.
    assert 0.05 * np.sqrt(1e11 / 1000.0) / 0.4 > 1000
    assert run.fallbacks.values[1] >= 1, "semismooth Newton alone does not solve the cold start"
    assert run.halvings.values.sum() == 0
    stick = run.stick.values.mean(axis=1)
    assert 0.0 < stick[1] < 1.0, "it micro-slips"
    assert stick[-1] > 0.9
    assert np.linalg.norm(run.frame_position.values[-1]) < 1e-8
    bound = run.friction_weight.values
    assert np.all(np.linalg.norm(run.friction_force.values, axis=2) <= bound * (1.0 + 1e-7))
    # In balance with the load, to solver tolerance, once it is at rest.
    total = run.friction_force.values[-1].sum(axis=0)
    assert np.allclose(total, [-2.0, -1.0], rtol=0, atol=1e-5)


@pytest.mark.parametrize(("force", "dt"), [((4.0, 3.0), 0.05), ((50.0, 30.0), 0.05), ((50.0, 30.0), 0.2)])
def test_a_stiff_plate_that_slides_off_in_large_steps_gets_through(force, dt):
    run = stiff(force, dt)
    assert np.linalg.norm(force) > static_bound()
    assert run.fallbacks.values.sum() >= 1
    assert run.attrs["complete"] == 1
    expected = np.hypot(*force) - static_bound()
    speed = np.linalg.norm(run.frame_velocity.values[-1])
    # Friction takes at most its bound off the load, and the plate turns meanwhile.
    assert speed > 0.9 * expected / 0.8 * run.time.values[-1]
    assert np.all(np.diff(run.dissipation_friction.values) >= 0.0)
    assert np.abs(run.balance_error).max() < 1e-6 * run.work_external.values[-1]


@pytest.mark.parametrize(("t_end", "ends"), [(10.0, False), (0.1, True)])
def test_steps_that_are_halved_all_the_way_collapse_by_name_where_too_many_are_left(t_end, ends):
    """256 parts of each of 1000 steps are more than 1e5; of 10 steps they are not. An event halves the steps about it alone."""
    start = InitialState(velocity=(1.0, 0.0))
    model = assemble(Problem(RigidBody.disc(0.1, 1.0, 4, 12), t_end, initial=start), Options(0.01))
    smallest, calls = 0.01 / 256, []

    def solvable(everywhere):
        def one(model, state, dt, end=None):
            calls.append(dt)
            if dt > 1.001 * smallest and (everywhere or state.time < 0.0037 < end):
                raise Unsolved("too long")
            return replace(state, time=end), Counts(steps=1)

        return one

    state = initial_state(model)
    assert advance(model, solvable(False), state, 0.01)[1].halvings == 8
    calls.clear()
    if ends:
        assert advance(model, solvable(True), state, 0.01)[1].steps == 256
        return
    with pytest.raises(StepFailure, match=r"steps have collapsed: the last 128 .* so short, now 3.91e-05 s"):
        advance(model, solvable(True), state, 0.01)
    assert 128 < len(calls) < 300
