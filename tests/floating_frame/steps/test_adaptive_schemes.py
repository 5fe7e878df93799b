"""Error-controlled steps under every scheme; failures by name; what is recorded; bad options."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from ff_examples import plate, rough, thrown
from rows import rows
from single_steps import initial_state, step

from cases import free_flight
from floating_frame import (
    SCHEMES,
    BodyForce,
    EdgeLoad,
    Function,
    InitialState,
    Options,
    Problem,
    Ramp,
    RigidBody,
    StepFailure,
    assemble,
    simulate,
)
from floating_frame.errors import Unsolved
from floating_frame.stepping import adaptive
from floating_frame.stepping.trials import StateInstant, doubled
from friction import Foundation, Smooth

# The package shows the function of that name; this is the module.
looping = import_module("floating_frame.assemble")

ERROR = 500.0
"""Relative error of places in a step of one second, in a run whose steps collapse; it goes with the step to the power 1.5."""

RIGID = ("radau", "linearly-implicit-trapezoidal", "backward-euler")


def problem_for(scheme):
    """A body pushed from rest, or thrown, that ends somewhere else under the scheme."""
    if scheme == "quasi-static":
        return Problem(plate(), 1.0, rough(0.3), (EdgeLoad("right", (1.5, 0.5), Ramp(1.0)),))
    law = Foundation(Smooth(1e-2), 0.3, 98.1) if scheme == "radau" else rough(0.3)
    body = RigidBody.from_plate(plate()) if scheme in RIGID else plate(2, 1, E=2e5)
    load = EdgeLoad("right", (0.0, 3.0), Ramp(0.02))
    return Problem(body, 0.1, law, (load,), initial=InitialState((0.8, 0.2), 1.0))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_under_every_scheme_the_error_is_below_the_tolerance_and_a_smaller_one_comes_closer(scheme):
    problem = problem_for(scheme)
    ends, steps = {}, {}
    tolerances = (1e-1, 1e-2) if scheme == "backward-euler" else (1e-2, 1e-3)
    dt = problem.t_end / 10
    for tolerance in tolerances:
        run = simulate(assemble(problem, Options(dt, scheme, output_every=5, error_tolerance=tolerance)))
        assert run.time.values.tolist() == [0.0, 5 * dt, problem.t_end]
        ends[tolerance], steps[tolerance] = run.position.values[-1], int(run.steps.sum())
        assert np.all(run.steps.values[1:] >= 1)
        assert np.all((run.step_size.values[1:] > 0.0) & (run.step_size.values[1:] <= 5 * dt))
        assert run.step_size.values[0] == run.steps.values[0] == 0
    fixed = 4e-3 if scheme != "backward-euler" else 1e-3
    equal = Options(problem.t_end * fixed, scheme, output_every=10**9)
    start, limit = simulate(assemble(problem, equal)).position.values
    moved = np.abs(limit - start).max()
    assert moved > 1e-3
    radius = float(np.hypot(*start.T).max())
    loose, tight = (np.abs(ends[tolerance] - limit).max() / radius for tolerance in tolerances)
    assert tight < tolerances[1]
    assert loose < tolerances[0]
    assert tight <= loose + 1e-12
    # With the explicit scheme stability may ask for shorter steps than accuracy does.
    assert steps[tolerances[1]] >= steps[tolerances[0]]


def test_a_step_that_cannot_be_solved_is_shortened_and_counted(monkeypatch):
    sound, limit = looping.STAGED.step, 2e-3

    def fails_if_long(model, state, dt, end_time=None):
        if dt > limit:
            raise Unsolved("made to fail")
        return sound(model, state, dt, end_time)

    monkeypatch.setattr(looping, "STAGED", looping.STAGED._replace(step=fails_if_long))
    run = simulate(thrown(dt=0.01, t_end=0.02, error_tolerance=0.5))
    assert int(run.rejected_steps.sum()) >= 1
    assert float(run.step_size[1:].max()) <= limit


def test_a_step_below_the_smallest_fails_by_name_with_its_error_or_with_what_did_not_converge(monkeypatch):
    with pytest.raises(StepFailure, match=r"error is .* times what error_tolerance = 1e-06 allows even with") as caught:
        simulate(thrown(dt=0.01, t_end=0.02, error_tolerance=1e-6, min_step=0.01))
    assert "a larger error_tolerance" in str(caught.value)
    assert caught.value.trajectory.attrs["complete"] == 0

    def never(*arguments):
        raise Unsolved("made to fail")

    monkeypatch.setattr(looping, "STAGED", looping.STAGED._replace(step=never))
    with pytest.raises(StepFailure, match=r"NotConverged: made to fail \(step 0.001 s\)"):
        simulate(thrown(dt=0.01, t_end=0.02, error_tolerance=1e-3, min_step=1e-3))


def test_steps_that_collapse_end_a_run_by_name_with_time_step_and_advice(monkeypatch):
    """A step function whose error falls so slowly that steps of a microsecond are needed: more of them than a run may take."""
    sound = looping.STAGED.step

    def rough_step(model, state, dt, end_time=None):
        new, counts = sound(model, state, dt, end_time)
        space = new.in_space
        moved = space._replace(position=space.position * (1.0 + ERROR * dt**1.5))
        return replace(new, in_space=moved), counts

    monkeypatch.setattr(looping, "STAGED", looping.STAGED._replace(step=rough_step))
    monkeypatch.setattr(adaptive, "COLLAPSE_STEPS", 1e4)
    with pytest.raises(
        StepFailure, match=r"the steps have collapsed: the last 100 .* for error_tolerance = 0\.001"
    ) as caught:
        simulate(thrown(dt=0.01, t_end=0.02, error_tolerance=1e-3))
    assert caught.value.trajectory.attrs["complete"] == 0
    assert caught.value.time < 0.02
    assert "a larger error_tolerance" in str(caught.value)


def test_a_tolerance_below_rounding_is_refused_by_name():
    """Differences of one step and two are rounding of places then, which no shorter step lowers."""
    body = RigidBody.from_plate(plate())
    load = BodyForce((1.0, 0.5), Function(lambda t: np.sin(9.0 * t)))
    problem = Problem(body, 1.0, rough(0.3), (load,), initial=InitialState((30.0, 0.2), 1.0))
    with pytest.raises(StepFailure, match="rounding") as caught:
        simulate(assemble(problem, Options(0.1, error_tolerance=1e-12)))
    assert "error_tolerance = 1e-12" in str(caught.value)


def test_a_run_begins_again_until_its_error_is_accepted_and_tells_how_often():
    """Shaken fast, a rigid body errs by what its velocity errs, which no single step shows."""
    load = BodyForce((1.0, 0.3), Function(lambda t: np.sin(60.0 * t + 0.3)))
    problem = Problem(RigidBody.from_plate(plate()), 2.0, None, (load,))
    run = simulate(assemble(problem, Options(0.02, output_every=10, error_tolerance=1e-2)))
    assert run.attrs["runs"] > 1
    assert 0.0 < run.attrs["estimated_error"] <= 0.85e-2
    x = 2.0 * np.cos(0.3) / 60.0 - (np.sin(120.3) - np.sin(0.3)) / 60.0**2
    error = abs(float(run.frame_position[-1, 0]) - x) / float(np.hypot(*run.X.values.T).max())
    assert 1e-4 < error < 1e-2


def test_the_next_run_aims_at_a_third_of_the_tolerance_as_errors_grow_with_time():
    early = adaptive.RunTooInaccurate(0.5, 2e-3)
    following = adaptive.next_tolerance(early, 1, 1e-2, 1e-3, 1.0)
    assert following == pytest.approx(1e-2 * 0.35 * 0.5 * 0.5**1.5)
    with pytest.raises(StepFailure, match="is out of reach"):
        adaptive.next_tolerance(early, adaptive.MAX_RUNS, 1e-2, 1e-3, 1.0)


def test_a_stiff_vibration_spends_its_tolerance_in_one_run():
    """Ten percent of stretch let go: its error is most of what is allowed, and the estimate knows it to a fifth.

    The estimate's next term is a part of it of the order of the relative error, 0.1 at this tolerance.
    """
    spun = free_flight.Parameters(nx=3, ny=2, E=1e7, t_end=0.02, dt=0.002, error_tolerance=1e-3)
    problem = free_flight.problem(spun)
    run = simulate(assemble(problem, free_flight.options(spun)))
    equal = simulate(assemble(problem, Options(0.02 / 500, output_every=50)))
    swing = np.abs(equal.position - equal.position[0]).max() / np.hypot(0.5, 0.25)
    error = float(np.abs(run.position.values - equal.position.values).max()) / np.hypot(0.5, 0.25)
    assert swing > 0.1
    assert run.attrs["runs"] == 1
    assert 0.1e-3 < error < 1e-3
    assert error == pytest.approx(run.attrs["estimated_error"], rel=0.2)


def test_a_limit_load_is_not_crept_up_to():
    problem = Problem(plate(), 1.0, rough(0.3), (EdgeLoad("right", (5.0, 0.0), Ramp(1.0)),))
    with pytest.raises(StepFailure, match="limit load"):
        simulate(assemble(problem, Options(0.1, "quasi-static", error_tolerance=1e-3)))


def test_the_estimate_of_a_smooth_step_is_its_error_within_a_third():
    """A free rigid body under a body force t² m/s²: x = t⁴/12, and the two halves err by known amounts."""
    body = RigidBody.from_plate(plate())
    load = BodyForce((1.0, 0.0), Function(lambda t: t * t))
    model = assemble(Problem(body, 1.0, None, (load,)), Options(0.5, error_tolerance=1e-3))
    start = initial_state(model)
    trial = doubled(model, StateInstant(model, step, start), 0.5, 1e-3)
    true = max(
        abs(trial.end.state().frame.coordinates[0] - 0.5**4 / 12) / model.radius,
        0.5 * abs(trial.end.state().frame.rates[0] - 0.5**3 / 3) / model.radius,
    )
    estimate = trial.error * 1e-3 * 0.5
    assert estimate == pytest.approx(trial.gap, rel=1e-12)
    assert not trial.event
    assert true > 1e-4
    assert 0.67 < estimate / true < 1.5


@rows(
    ("options", "words"),
    [
        ({"error_tolerance": 0.0}, "error_tolerance must be none or lie in"),
        ({"error_tolerance": 1.0}, "error_tolerance must be none or lie in"),
        ({"error_tolerance": float("nan")}, "error_tolerance must be a number, got nan"),
        ({"min_step": -1.0}, "min_step must be a finite time >= 0 s"),
    ],
)
def test_unfit_options_of_error_control_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        Options(1e-3, **options)
