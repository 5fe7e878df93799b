"""Error-controlled steps under every scheme; failures by name; what is recorded; bad options."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from ff_examples import plate, rough, thrown
from problems import assembled, run
from single_steps import initial_state, replace_step, step

import floating_frame as ff
from cases import free_flight
from floating_frame.errors import Unsolved
from floating_frame.stepping import adaptive, trials
from floating_frame.stepping.trials import Doubled, StateInstant, doubled, missed_start_velocity, rigid_speed
from floating_frame.system.state import Counts
from friction import Foundation, Smooth

RIGID = ("radau", "linearly-implicit-trapezoidal", "backward-euler")


def problem_for(scheme):
    """A body pushed from rest, or thrown, that ends somewhere else under the scheme: (body, t_end) and what else it is given."""
    if scheme == "quasi-static":
        return (plate(), 1.0), {"foundation": rough(0.3), "loads": (ff.EdgeLoad("right", (1.5, 0.5), ff.Ramp(1.0)),)}
    law = Foundation(Smooth(1e-2), 0.3, 98.1) if scheme == "radau" else rough(0.3)
    body = ff.RigidBody.from_plate(plate()) if scheme in RIGID else plate(2, 1, E=2e5)
    load, start = ff.EdgeLoad("right", (0.0, 3.0), ff.Ramp(0.02)), ff.InitialState((0.8, 0.2), 1.0)
    return (body, 0.1), {"foundation": law, "loads": (load,), "initial": start}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ff.SCHEMES)
def test_under_every_scheme_the_error_is_below_the_tolerance_and_a_smaller_one_comes_closer(scheme):
    (body, t_end), given = problem_for(scheme)
    ends, steps, dt = {}, {}, t_end / 10
    tolerances = (1e-1, 1e-2) if scheme == "backward-euler" else (1e-2, 1e-3)
    for tolerance in tolerances:
        data = run(body, t_end, dt, scheme, output_every=5, error_tolerance=tolerance, **given)
        assert data.time.values.tolist() == [0.0, 5 * dt, t_end]
        ends[tolerance], steps[tolerance] = data.position.values[-1], int(data.steps.sum())
        assert np.all(data.steps.values[1:] >= 1)
        assert np.all((data.step_size.values[1:] > 0.0) & (data.step_size.values[1:] <= 5 * dt))
        assert data.step_size.values[0] == data.steps.values[0] == 0
    fixed = 4e-3 if scheme != "backward-euler" else 1e-3
    start, limit = run(body, t_end, t_end * fixed, scheme, output_every=10**9, **given).position.values
    assert np.abs(limit - start).max() > 1e-3
    radius = float(np.hypot(*start.T).max())
    loose, tight = (np.abs(ends[tolerance] - limit).max() / radius for tolerance in tolerances)
    assert tight < tolerances[1]
    assert loose < tolerances[0]
    assert tight <= loose + 1e-12
    # With the explicit scheme stability may ask for shorter steps than accuracy does.
    assert steps[tolerances[1]] >= steps[tolerances[0]]


def test_a_step_that_cannot_be_solved_is_shortened_and_counted(monkeypatch):
    limit = 2e-3

    def fails_if_long(sound, model, state, dt, end):
        if dt > limit:
            raise Unsolved("made to fail")
        return sound(model, state, dt, end)

    replace_step(monkeypatch, fails_if_long)
    data = ff.simulate(thrown(dt=0.01, t_end=0.02, error_tolerance=0.5))
    assert int(data.rejected_steps.sum()) >= 1
    assert float(data.step_size[1:].max()) <= limit


def unsolved(*step):
    raise Unsolved("made to fail")


def slowly_better(sound, model, state, dt, end):
    """A step whose relative error of places, 500 in one second, goes with the step to the power 1.5: microseconds are needed."""
    new, counts = sound(model, state, dt, end)
    space = new.in_space
    return replace(new, in_space=space._replace(position=space.position * (1.0 + 500.0 * dt**1.5))), counts


@pytest.mark.parametrize(
    ("other", "options", "words"),
    [
        (None, {"error_tolerance": 1e-6, "min_step": 0.01}, "error is .* times what error_tolerance = 1e-06 allows even with"),
        (unsolved, {"error_tolerance": 1e-3, "min_step": 1e-3}, r"NotConverged: made to fail \(step 0.001 s\)"),
        (slowly_better, {"error_tolerance": 1e-3}, r"the steps have collapsed: the last 100 .* for error_tolerance = 0\.001"),
    ],
    ids=["error", "not converged", "collapsed"],
)  # fmt: skip
def test_steps_that_are_too_small_end_a_run_by_name_with_time_and_advice(other, options, words, monkeypatch):
    monkeypatch.setattr(adaptive, "COLLAPSE_STEPS", 1e4)  # more than a run may take
    if other:
        replace_step(monkeypatch, other)
    with pytest.raises(ff.StepFailure, match=words) as caught:
        ff.simulate(thrown(dt=0.01, t_end=0.02, **options))
    assert caught.value.trajectory.attrs["complete"] == 0
    assert caught.value.time < 0.02
    assert other is unsolved or "a larger error_tolerance" in str(caught.value)


def test_a_tolerance_below_rounding_is_refused_by_name():
    """Differences of one step and two are rounding of places then, which no shorter step lowers."""
    load = ff.BodyForce((1.0, 0.5), ff.Function(lambda t: np.sin(9.0 * t)))
    given = {"foundation": rough(0.3), "loads": (load,), "initial": ff.InitialState((30.0, 0.2), 1.0)}
    words = r"(?s)(rounding.*error_tolerance = 1e-12|error_tolerance = 1e-12.*rounding)"
    with pytest.raises(ff.StepFailure, match=words):
        run(ff.RigidBody.from_plate(plate()), 1.0, 0.1, error_tolerance=1e-12, **given)


def test_a_run_begins_again_until_its_error_is_accepted_and_tells_how_often():
    """Shaken fast, a rigid body errs by what its velocity errs, which no single step shows."""
    load = ff.BodyForce((1.0, 0.3), ff.Function(lambda t: np.sin(60.0 * t + 0.3)))
    data = run(ff.RigidBody.from_plate(plate()), 2.0, 0.02, loads=(load,), output_every=10, error_tolerance=1e-2)
    assert data.attrs["runs"] > 1
    assert 0.0 < data.attrs["estimated_error"] <= 0.85e-2
    x = 2.0 * np.cos(0.3) / 60.0 - (np.sin(120.3) - np.sin(0.3)) / 60.0**2
    error = abs(float(data.frame_position[-1, 0]) - x) / float(np.hypot(*data.X.values.T).max())
    assert 1e-4 < error < 1e-2


def test_the_next_run_aims_at_a_third_of_the_tolerance_as_errors_grow_with_time():
    early = adaptive.RunTooInaccurate(0.5, 2e-3)
    following = adaptive.next_tolerance(early, 1, 1e-2, 1e-3, 1.0)
    assert following == pytest.approx(1e-2 * 0.35 * 0.5 * 0.5**1.5)
    with pytest.raises(ff.StepFailure, match="is out of reach"):
        adaptive.next_tolerance(early, adaptive.MAX_RUNS, 1e-2, 1e-3, 1.0)


@pytest.mark.parametrize(("order", "most"), [(2, (np.sqrt(1.0 + 4e2 * 0.85e-3) - 1.0) / 2e2), (1, 0.5e-3)])
def test_a_run_goes_on_while_its_estimate_is_below_its_share_of_the_tolerance(order, most):
    """0.85 of it for e (1 + e/0.01), the estimate of smooth motion; 0.5 of it from the first event on, however smooth the rest."""
    model = assembled(plate(2, 1), 1.0, 0.1, error_tolerance=1e-3)
    control, x = adaptive.initial_control(model, initial_state(model), 1, 1e-3), plate(2, 1).X
    control = control.with_error(model, x, x, order, 0.1)
    for share, accepted in ((0.99, True), (1.01, False)):
        own = x + np.array([share * most * model.radius * (2.0**order - 1.0), 0.0])
        with nullcontext() if accepted else pytest.raises(adaptive.RunTooInaccurate):
            assert control.with_error(model, own, x, 2, 0.2).run_error == pytest.approx(share * most)


def test_a_stiff_vibration_spends_its_tolerance_in_one_run():
    """Ten percent of stretch let go: its error is most of what is allowed, and the estimate knows it to a fifth.

    The estimate's next term is a part of it of the order of the relative error, 0.1 at this tolerance.
    """
    spun = free_flight.Parameters(nx=3, ny=2, E=1e7, t_end=0.02, dt=0.002, error_tolerance=1e-3)
    problem = free_flight.problem(spun)
    data = ff.simulate(ff.assemble(problem, free_flight.options(spun)))
    equal = ff.simulate(ff.assemble(problem, ff.Options(0.02 / 500, output_every=50)))
    swing = np.abs(equal.position - equal.position[0]).max() / np.hypot(0.5, 0.25)
    error = float(np.abs(data.position.values - equal.position.values).max()) / np.hypot(0.5, 0.25)
    assert swing > 0.1
    assert data.attrs["runs"] == 1
    assert 0.1e-3 < error < 1e-3
    assert error == pytest.approx(data.attrs["estimated_error"], rel=0.2)


def test_a_limit_load_is_not_crept_up_to():
    load = ff.EdgeLoad("right", (5.0, 0.0), ff.Ramp(1.0))
    with pytest.raises(ff.StepFailure, match="limit load"):
        run(plate(), 1.0, 0.1, "quasi-static", foundation=rough(0.3), loads=(load,), error_tolerance=1e-3)


def test_the_estimate_of_a_smooth_step_is_its_error_within_a_third():
    """A free rigid body under a body force t² m/s²: x = t⁴/12, and the two halves err by known amounts."""
    load = ff.BodyForce((1.0, 0.0), ff.Function(lambda t: t * t))
    model = assembled(ff.RigidBody.from_plate(plate()), 1.0, 0.5, loads=(load,), error_tolerance=1e-3)
    trial = doubled(model, StateInstant(model, step, initial_state(model)), 0.5, 1e-3)
    frame = trial.end.state().frame
    true = max(abs(frame.coordinates[0] - 0.5**4 / 12), 0.5 * abs(frame.rates[0] - 0.5**3 / 3)) / model.radius
    estimate = trial.error * 1e-3 * 0.5
    assert estimate == pytest.approx(trial.gap, rel=1e-12)
    assert not trial.event
    assert true > 1e-4
    assert 0.67 < estimate / true < 1.5


def test_a_node_at_rest_misses_the_velocity_of_the_force_above_its_bound_at_the_end_of_a_step():
    """Mean forces of two halves, 0.5 and 0.9 of the bound, end in 1.1 of it: half a step of the rest, but of a node that slides."""
    model = assembled(plate(2, 1), 1.0, 0.1, "moreau-theta", foundation=rough(), error_tolerance=1e-3)
    start = StateInstant(model, step, initial_state(model)).compared
    bound = 0.3 * 98.1 * plate(2, 1).nodal_area
    excess, mass = np.zeros_like(bound), np.broadcast_to(model.system.results.friction_mass, bound.shape)
    half, new = (start._replace(multiplier=np.outer(share * bound, [0.6, 0.8])) for share in (0.5, 0.9))
    excess = 0.1 * bound / mass
    assert missed_start_velocity(model, half, new, 0.1, 0.02) == pytest.approx(0.01 * excess.max(), rel=1e-7)
    sliding = np.zeros_like(start.sliding)
    sliding[np.isclose(excess, excess.max())] = 1.0
    others = excess[~np.isclose(excess, excess.max())].max(initial=0.0)
    computed = missed_start_velocity(model, half, new._replace(sliding=sliding), 0.1, 0.02)
    assert computed == pytest.approx(0.01 * others, rel=1e-7)
    assert missed_start_velocity(model, new, half, 0.1, 0.02) == 0.0


def test_a_node_is_near_rest_if_it_is_slow_at_one_end_of_a_step_that_changes_its_velocity():
    start = StateInstant(model := assembled(plate(2, 1), 1.0, 0.1), step, initial_state(model)).compared
    speeds = np.array([1e-5, 1.0, 1e-5 * 1.005, 0.0])
    slow, fast, same, none = (start._replace(sliding=np.outer(np.arange(6) == 4, [v, 0.0])) for v in speeds)
    for one, other, limit, near in (
        (slow, fast, 1e-4, True), (fast, slow, 1e-4, True), (none, fast, 1e-4, True), (slow, fast, 1e-6, False),
        (slow, same, 1e-4, False), (none, none, 1e-4, False),
    ):  # fmt: skip
        assert trials.is_near_rest(one, other, limit) == near


def test_the_rigid_speed_is_that_of_the_mean_or_of_the_turning_at_the_rms_arm():
    start = StateInstant(model := assembled(plate(), 1.0, 0.1), step, initial_state(model)).compared
    arms = start.position - start.position.mean(axis=0)
    turning, rms = arms @ np.array([[0.0, 2.0], [-2.0, 0.0]]), np.sqrt(np.mean(np.sum(arms * arms, axis=1)))
    for change, speed in (([0.3, 0.4], 0.5), (turning, 2.0 * rms), (np.add(turning, [3.0, 0.0]), 3.0), (arms, 0.0)):
        assert rigid_speed(start, start._replace(velocity=start.velocity + change)) == pytest.approx(speed, abs=1e-14)


def test_a_difference_that_shorter_steps_do_not_lower_is_rounding_and_refused():
    model = assembled(plate(2, 1), 1.0, 0.1, error_tolerance=1e-3)
    state = initial_state(model)
    trial = Doubled(StateInstant(model, step, state), 2e-10, 4.0, 0.5, False, Counts())
    control = adaptive.initial_control(model, state, 1, 1e-3)
    gaps = (2e-10, 3e-10, 1e-10), (5e-10, 4e-10, 3e-10), (1e-10,)
    stays, falls, few = (replace(control, gaps=one) for one in gaps)
    with pytest.raises(ff.StepFailure, match=r"shorter steps do not lower it .*: it is rounding"):
        adaptive.retry_length(model, 0.3, trial, 0.01, stays)
    accepted = (falls, trial), (few, trial), (stays, replace(trial, event=True)), (stays, replace(trial, gap=2e-9))
    for given, other in accepted:
        assert adaptive.retry_length(model, 0.3, other, 0.01, given) == pytest.approx(0.9 * 4.0**-0.5 * 0.01)
    with pytest.raises(ff.StepFailure, match="even with the smallest step"):
        adaptive.retry_length(model, 0.3, replace(trial, event=True), 1e-10, falls)
