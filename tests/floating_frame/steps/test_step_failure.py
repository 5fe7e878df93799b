"""Steps that cannot be solved: halving, failure by name, the trajectory so far, and the fallback."""

from dataclasses import replace

import numpy as np
import pytest
from ff_examples import plate, rough
from problems import assembled, run
from single_steps import initial_state, replace_step

from floating_frame import EdgeLoad, InitialState, Ramp, RigidBody, StepFailure, load_trajectory, simulate
from floating_frame.errors import Unsolved
from floating_frame.stepping.substeps import advance
from floating_frame.system.state import Counts


def crushed(**options):
    """A soft plate pressed together by an edge load that grows until an element turns inside out."""
    load = EdgeLoad("right", (-400.0, 0.0), Ramp(0.1))
    return assembled(plate(), 0.1, 2e-3, foundation=rough(0.3), loads=(load,), **options)


def test_an_inverted_element_fails_by_name_and_what_was_computed_before_is_kept_and_marked_incomplete(tmp_path):
    path = tmp_path / "run.nc"
    with pytest.raises(StepFailure) as caught:
        simulate(crushed(max_halvings=4), path=path, attributes={"case": "crushed"})
    failure, message = caught.value, str(caught.value)
    assert 0.0 < failure.time < 0.1
    assert f"t = {failure.time:.9g} s" in message
    assert "inverted" in message or "not positive definite" in message
    assert failure.advice in message
    assert "try: " in message
    assert len(message.splitlines()) == 1
    partial = failure.trajectory
    assert (partial.attrs["complete"], partial.attrs["case"]) == (0, "crushed")
    times = partial.time.values
    assert len(times) >= 3
    assert times[-1] <= failure.time < times[-1] + 2e-3
    assert np.abs(partial.displacement.values[-1]).max() > 0.005
    with load_trajectory(path) as read:
        assert read.attrs["complete"] == 0
        assert np.array_equal(read.position, partial.position)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


@pytest.mark.parametrize("halvings", [3, 0])
def test_the_step_was_halved_as_often_as_allowed_before_giving_up(monkeypatch, halvings):
    tried = []

    def recorded(sound, model, state, dt, end):
        tried.append(dt)
        return sound(model, state, dt, end)

    replace_step(monkeypatch, recorded)
    with pytest.raises(StepFailure):
        simulate(crushed(max_halvings=halvings))
    assert min(tried) == pytest.approx(2e-3 / 2**halvings, rel=1e-9)


@pytest.mark.parametrize("error", [Unsolved("made to fail"), Unsolved("element 0", "InvertedElement")])
def test_a_step_that_fails_is_halved_and_the_halvings_are_counted(monkeypatch, error):
    def fails_if_long(sound, model, state, dt, end):
        if dt > 0.7e-3 and 0.0015 < state.time < 0.0055:
            raise error
        return sound(model, state, dt, end)

    replace_step(monkeypatch, fails_if_long)
    data = run(plate(), 0.01, 2e-3, foundation=rough(0.3), loads=(EdgeLoad("right", (2.0, 1.0)),))
    # Steps of 2 ms from 2 and 4 ms: into four of 0.5 ms each, three halvings.
    assert data.halvings.values.tolist() == [0, 0, 3, 3, 0, 0]
    assert np.allclose(data.time, np.arange(6) * 2e-3, rtol=0, atol=1e-18)
    assert np.abs(data.balance_error).max() < 1e-9


def test_an_error_of_the_program_is_not_taken_for_a_step_to_be_halved(monkeypatch):
    def broken(*step):
        raise ZeroDivisionError

    replace_step(monkeypatch, broken)
    with pytest.raises(ZeroDivisionError):
        simulate(crushed())


HELD = 0.5 * 98.1 * 0.4 * 0.2
"""Σ w = μ p A, N: the load that the whole plate can hold."""


def stiff(force, dt, **options):
    """Five steps of a plate of steel's stiffness, pulled from rest by a load that is there at once: a cold start."""
    load = EdgeLoad("right", force)
    return run(plate(16, 8, E=1e11), 5 * dt, dt, foundation=rough(0.5), loads=(load,), **options)


def test_a_stiff_cold_started_large_step_run_succeeds_with_the_fallback_and_counts_it():
    force = (2.0, 1.0)
    assert np.linalg.norm(force) < HELD
    data = stiff(force, 0.05, max_halvings=0)
    # A step is some thousand times the time a wave takes through the plate: nearly quasi-static.
    assert 0.05 * np.sqrt(1e11 / 1000.0) / 0.4 > 1000
    assert data.fallbacks.values[1] >= 1, "semismooth Newton alone does not solve the cold start"
    assert data.halvings.values.sum() == 0
    stick = data.stick.values.mean(axis=1)
    assert 0.0 < stick[1] < 1.0, "it micro-slips"
    assert stick[-1] > 0.9
    assert np.linalg.norm(data.frame_position.values[-1]) < 1e-8
    assert np.all(np.linalg.norm(data.friction_force.values, axis=2) <= data.friction_weight.values * (1.0 + 1e-7))
    # In balance with the load, to solver tolerance, once it is at rest.
    assert np.allclose(data.friction_force.values[-1].sum(axis=0), [-2.0, -1.0], rtol=0, atol=1e-5)


@pytest.mark.parametrize(("force", "dt"), [((4.0, 3.0), 0.05), ((50.0, 30.0), 0.05), ((50.0, 30.0), 0.2)])
def test_a_stiff_plate_that_slides_off_in_large_steps_gets_through(force, dt):
    data = stiff(force, dt)
    assert np.linalg.norm(force) > HELD
    assert data.fallbacks.values.sum() >= 1
    assert data.attrs["complete"] == 1
    # Friction takes at most its bound off the load, and the plate turns meanwhile.
    speed = np.linalg.norm(data.frame_velocity.values[-1])
    assert speed > 0.9 * (np.hypot(*force) - HELD) / 0.8 * data.time.values[-1]
    assert np.all(np.diff(data.dissipation_friction.values) >= 0.0)
    assert np.abs(data.balance_error).max() < 1e-6 * data.work_external.values[-1]


@pytest.mark.parametrize(("t_end", "ends"), [(10.0, False), (0.1, True)])
def test_steps_that_are_halved_all_the_way_collapse_by_name_where_too_many_are_left(t_end, ends):
    """256 parts of each of 1000 steps are more than 1e5; of 10 steps they are not. An event halves the steps about it alone."""
    model = assembled(RigidBody.disc(0.1, 1.0, 4, 12), t_end, 0.01, initial=InitialState(velocity=(1.0, 0.0)))
    calls = []

    def solvable(everywhere):
        def one(model, state, dt, end=None):
            calls.append(dt)
            if dt > 1.001 * 0.01 / 256 and (everywhere or state.time < 0.0037 < end):
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
