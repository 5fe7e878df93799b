"""Error-controlled steps: the error follows the tolerance, steps crowd at events, loads' jumps are hit, fewer steps are needed."""

from functools import cache

import numpy as np
import pytest
from block_exact import FORCE, SIDE, SLIDES, T_END, exact
from block_exact import plate as block
from sliding_plates import arrested
from sliding_plates import plate as elastic

import floating_frame as ff
from floating_frame.stepping import adaptive
from friction import Coulomb, Foundation

SIZE = SIDE / np.sqrt(2.0)  # radius of the block


def block_problem(load=None, t_end=T_END):
    ground, load = (
        Foundation(law=Coulomb(), mu=0.8, pressure=9.81 / SIDE**2),
        load or ff.BodyForce((FORCE, 0.0), ff.Cosine()),
    )
    return ff.Problem(ff.RigidBody.from_plate(block(n=1)), t_end, ground, (load,))


def run_of(problem, dt, tolerance=None):
    """A run of which the ends alone are stored."""
    return ff.simulate(ff.assemble(problem, ff.Options(dt, output_every=10**9, error_tolerance=tolerance)))


@cache
def controlled(tolerance):
    return ff.simulate(ff.assemble(block_problem(), ff.Options(1e-3, output_every=500, error_tolerance=tolerance)))


def worst(run):
    return float(np.abs(run.frame_position.values[:, 0] - exact(run.time.values)[0]).max())


def steps_of(run):
    return int(run.steps.sum())


TOLERANCES = np.array([1e-1, 1e-2, 1e-3, 1e-4])


def shaken_body(frequency):
    load = ff.BodyForce((1.0, 0.3), ff.Function(lambda t: np.sin(frequency * t + 0.3)))
    return ff.Problem(ff.RigidBody.from_plate(elastic("Q1", 1)), 2.0, None, (load,))


def vibrating_plate():
    body = elastic("Q1", 1)
    stretch = np.zeros_like(body.X)
    stretch[:, 0] = 0.1 * body.X[:, 0]
    return ff.Problem(body, 0.2, None, initial=ff.InitialState(velocity=(0.3, 0.0), spin=3.0, displacement=stretch))


SMOOTH = {
    "a plate that spins and vibrates": (vibrating_plate, (1e-1, 1e-2, 1e-3)),
    "a rigid body shaken slowly": (lambda: shaken_body(9.0), (1e-2, 1e-3, 1e-4, 1e-5)),
    "a rigid body shaken fast": (lambda: shaken_body(60.0), (1e-2, 1e-3, 1e-4, 1e-5)),
}


def test_the_error_of_the_block_is_below_the_tolerance_through_all_its_slides_and_stops():
    """And, where the output interval no longer sets the steps, these go as ε^(−1/2), by a scheme of second order.

    Two errors within fifty of each other as parts of their tolerances turn that by log10(50)/4 over two decades.
    """
    runs = [controlled(tolerance) for tolerance in TOLERANCES]
    errors = np.array([worst(run) for run in runs]) / SIZE
    assert np.all(errors < TOLERANCES), errors / TOLERANCES
    assert np.all([run.attrs["estimated_error"] < 0.5 * t for run, t in zip(runs, TOLERANCES, strict=True)])
    assert errors[-1] < 0.1 * errors[0]
    growth = np.log10(steps_of(runs[-1]) / steps_of(runs[-3])) / 2.0
    assert abs(growth - 0.5) < np.log10(50.0) / 4.0, growth


@pytest.mark.slow
@pytest.mark.parametrize("name", SMOOTH)
def test_the_error_of_a_smooth_motion_lies_between_a_hundredth_of_the_tolerance_and_the_tolerance(name):
    """The promise. An error anywhere in these two decades turns the slope over three by 2/3 at most."""
    make, tolerances = SMOOTH[name]
    problem = make()
    equal = run_of(problem, problem.t_end / 2000)
    start, limit = equal.position.values
    assert np.abs(limit - start).max() > 0.02
    size = float(np.hypot(*equal.X.values.T).max())
    errors, estimates = [], []
    for tolerance in tolerances:
        run = run_of(problem, problem.t_end / 200, tolerance)
        errors.append(np.abs(run.position.values[-1] - limit).max() / size)
        estimates.append(run.attrs["estimated_error"])
    ratios = np.array(errors) / tolerances
    assert np.all((ratios > 0.01) & (ratios < 1.0)), ratios
    # The estimate is the largest error in the run; order one, where it is taken, makes it three times too large.
    assert np.all(np.array(errors) < 2.0 * np.array(estimates)), (errors, estimates)
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert 1.0 / 3.0 < slope < 5.0 / 3.0, slope


@pytest.mark.slow
def test_through_the_arrest_of_a_turning_plate_the_error_is_below_the_tolerance_and_steps_do_not_shrink_for_ever():
    """Where a node stops while its slip turns, the turning rate grows as 1/(time left); then comes the jump of its friction."""
    problem = arrested("Q1", 1)
    last = run_of(problem, 0.5 / 1600)
    assert float(last.stick[-1].min()) == 1
    assert float(last.frame_angle[-1]) > 0.5
    errors = []
    for tolerance in (1e-2, 1e-3, 1e-4):
        run = run_of(problem, 0.01, tolerance)
        errors.append(np.abs(run.position.values[-1] - last.position.values[-1]).max() / np.hypot(0.2, 0.1))
        assert errors[-1] < tolerance
        assert float(run.step_size[-1]) > 1e-8  # not 1e-10 t_end, where the controller would give up
        assert int(run.rejected_steps.sum()) < 0.5 * steps_of(run)
    assert errors[-1] < errors[0]


class Steps:
    """Collects (start, length, event) of every accepted doubled step."""

    def __init__(self, monkeypatch):
        self.rows = []
        sound = adaptive.doubled

        def recorded(model, state, end, tolerance):
            if state.time == 0.0:  # the run begins, or begins again
                self.rows.clear()
            trial = sound(model, state, end, tolerance)
            if trial.error <= 1.0:
                self.rows.append((state.time, end - state.time, trial.event))
            return trial

        monkeypatch.setattr(adaptive, "doubled", recorded)


def test_steps_are_short_where_the_block_starts_and_stops_and_long_where_it_sticks(monkeypatch):
    recorder = Steps(monkeypatch)
    run = ff.simulate(ff.assemble(block_problem(t_end=3.5), ff.Options(1e-3, output_every=500, error_tolerance=1e-4)))
    starts, lengths, events = map(np.array, zip(*recorder.rows, strict=True))
    edges = np.array([t for t in np.ravel(SLIDES[:2]) if 0.0 < t < 3.5])
    assert len(edges) >= 2
    flagged = starts[events]
    for edge in edges:  # each start and stop lies in a step that was taken for an event
        inside = (starts <= edge) & (edge <= starts + lengths)
        assert np.any(events[inside]), edge
    assert all(np.abs(edges - t).min() < 0.02 or t == 0.0 for t in flagged), "and nothing else is an event"
    stuck = [(t, h) for t, h in zip(starts, lengths, strict=True) if SLIDES[0][1] + 0.3 < t < SLIDES[1][0] - 0.6]
    near = lengths[events & (starts > 0.0)]
    assert max(h for _, h in stuck) == pytest.approx(0.5)  # as long as the output interval
    assert near.max() < 0.05
    assert int(run.rejected_steps.sum()) < 0.1 * steps_of(run)  # it does not thrash


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta", "explicit"])
def test_a_step_ends_on_a_load_jump_at_an_irrational_time_to_the_last_bit(scheme):
    """Pushed with half of the friction, then at √2/10 s with twice: x = ½ a (t − √2/10)², exact in all these schemes."""
    jump, friction = float(np.sqrt(2.0) / 10.0), 0.8 * 9.81
    load = ff.BodyForce((friction, 0.0), ff.Table([0.0, jump, jump, 1.0], [0.5, 0.5, 2.0, 2.0]))
    run = ff.simulate(
        ff.assemble(block_problem(load, 0.3), ff.Options(0.01, scheme, output_every=10, error_tolerance=1e-4))
    )
    assert float(run.frame_position[-1, 0]) == pytest.approx(0.5 * friction * (0.3 - jump) ** 2, rel=1e-12)
    assert np.all(run.velocity.values[run.time.values <= jump] == 0.0)


def test_a_controlled_run_repeated_on_one_model_gives_the_same_bits():
    model = ff.assemble(block_problem(t_end=2.0), ff.Options(1e-2, output_every=20, error_tolerance=1e-4))
    one, two = ff.simulate(model), ff.simulate(model)
    assert steps_of(one) > 20
    for name in one.variables:
        assert np.array_equal(one[name], two[name]), name
