"""Error-controlled steps: the error follows the tolerance, steps crowd at events, loads' jumps are hit, fewer steps are needed."""

from functools import lru_cache

import numpy as np
import pytest
from block_exact import FORCE, FRICTION, SIDE, SLIDES, T_END, exact, run_block
from block_exact import plate as block
from test_time_order import FOUNDATION
from test_time_order import plate as elastic

from floating_frame import (
    BodyForce,
    Cosine,
    EdgeLoad,
    Function,
    InitialState,
    Options,
    Problem,
    RigidBody,
    Table,
    adaptive,
    assemble,
    simulate,
)
from friction import Coulomb, Foundation

SIZE = SIDE / np.sqrt(2.0)  # radius of the block


def block_problem(load=None, t_end=T_END):
    foundation = Foundation(law=Coulomb(), mu=0.8, pressure=9.81 / SIDE**2)
    loads = (load or BodyForce((FORCE, 0.0), Cosine()),)
    return Problem(RigidBody.from_plate(block(n=1)), t_end, foundation, loads)


@lru_cache
def controlled(tolerance, scheme="sdirk2"):
    return simulate(assemble(block_problem(), Options(1e-3, scheme, output_every=500, error_tolerance=tolerance)))


def worst(run):
    return float(np.abs(run.frame_position.values[:, 0] - exact(run.time.values)[0]).max())


def steps_of(run):
    return int(run.steps.sum())


TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)


@pytest.mark.slow
def test_the_error_of_the_block_is_proportional_to_the_tolerance_over_four_decades():
    """Errors scatter with where events fall; their slope over four decades does not. The tolerance bounds them all."""
    runs = [controlled(tolerance) for tolerance in TOLERANCES]
    errors = np.array([worst(run) for run in runs])
    slope = np.polyfit(np.log(TOLERANCES), np.log(errors), 1)[0]
    assert 0.5 < slope < 1.1  # measured 0.68: ε from the slides, less where the output interval limits steps
    assert np.all(errors < 0.05 * SIZE * np.array(TOLERANCES))
    assert errors[-1] < 1e-7
    # Smooth slides of a second-order scheme: steps as ε^(-1/2).
    growth = np.diff(np.log([steps_of(run) for run in runs[1:]])) / np.log(10.0)
    assert np.all((growth > 0.3) & (growth < 0.6)), growth


@pytest.mark.slow
def test_the_error_of_a_sliding_turning_plate_is_proportional_to_the_tolerance_and_below_it():
    load = EdgeLoad("right", (0.0, 8.0), Function(lambda t: np.sin(np.pi * t / 0.4) ** 4))
    problem = Problem(elastic("Q1", 3), 0.2, FOUNDATION, (load,), initial=InitialState(velocity=(2.5, 0.5)))
    exact_enough = simulate(assemble(problem, Options(0.2 / 640, "sdirk2", output_every=10**9))).position.values[-1]
    tolerances = np.array([1e-2, 1e-3, 1e-4, 1e-5])
    errors = []
    for tolerance in tolerances:
        run = simulate(assemble(problem, Options(0.01, output_every=20, error_tolerance=tolerance)))
        assert float(run.frame_angle[-1]) > 0.1
        errors.append(np.abs(run.position.values[-1] - exact_enough).max() / np.hypot(0.2, 0.1))
    ratios = np.array(errors) / tolerances
    assert np.all((ratios > 0.03) & (ratios < 1.0)), ratios  # measured 0.12, 0.56, 0.33, 0.13
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert 0.8 < slope < 1.2


@pytest.mark.slow
def test_through_the_arrest_of_a_turning_plate_the_error_follows_the_tolerance_and_steps_do_not_shrink_for_ever():
    """Where a node stops while its slip turns, the turning rate grows as 1/(time left); then comes the jump of its friction."""
    history = Function(lambda t: np.sin(np.pi * t / 0.2) ** 4 if t < 0.2 else 0.0)
    load = EdgeLoad("right", (0.0, 8.0), history)
    problem = Problem(elastic("Q1", 1), 0.5, FOUNDATION, (load,), initial=InitialState(velocity=(1.2, 0.3)))
    last = simulate(assemble(problem, Options(0.5 / 1600, output_every=10**9)))
    assert float(last.stick[-1].min()) == 1
    assert float(last.frame_angle[-1]) > 0.5
    tolerances = (1e-2, 1e-3, 1e-4)
    for tolerance in tolerances:
        run = simulate(assemble(problem, Options(0.01, output_every=10**9, error_tolerance=tolerance)))
        error = np.abs(run.position.values[-1] - last.position.values[-1]).max() / np.hypot(0.2, 0.1)
        assert 0.01 < error / tolerance < 0.2  # measured 0.048, 0.044, 0.039
        assert float(run.step_size[-1]) > 1e-8  # not 1e-10 t_end, where the controller would give up
        assert int(run.rejected_steps.sum()) < 0.05 * steps_of(run)


def test_at_equal_error_the_block_takes_fewer_controlled_steps_than_equal_ones():
    run = controlled(1e-5)
    error, taken = worst(run), steps_of(run)
    fixed = run_block(T_END / (2 * taken), every=100)  # twice as many
    assert worst(fixed) > error
    assert 1000 < taken < 10000


class Steps:
    """Collects (start, length, event) of every accepted doubled step."""

    def __init__(self, monkeypatch):
        self.rows = []
        sound = adaptive.doubled

        def recorded(model, one, state, end):
            trial = sound(model, one, state, end)
            if trial.error <= 1.0:
                self.rows.append((state.time, end - state.time, trial.event))
            return trial

        monkeypatch.setattr(adaptive, "doubled", recorded)


def test_steps_are_short_where_the_block_starts_and_stops_and_long_where_it_sticks(monkeypatch):
    recorder = Steps(monkeypatch)
    run = simulate(assemble(block_problem(t_end=3.5), Options(1e-3, output_every=500, error_tolerance=1e-4)))
    starts, lengths, events = map(np.array, zip(*recorder.rows, strict=True))
    edges = np.array([t for s in SLIDES[:2] for t in (s.start, s.stop) if 0.0 < t < 3.5])
    assert len(edges) >= 2
    flagged = starts[events]
    for edge in edges:  # each start and stop lies in a step that was taken for an event
        inside = (starts <= edge) & (edge <= starts + lengths)
        assert np.any(events[inside]), edge
    assert all(np.abs(edges - t).min() < 0.02 or t == 0.0 for t in flagged), "and nothing else is an event"
    stuck = [(t, h) for t, h in zip(starts, lengths, strict=True) if SLIDES[0].stop + 0.3 < t < SLIDES[1].start - 0.6]
    near = lengths[events & (starts > 0.0)]
    assert max(h for _, h in stuck) == pytest.approx(0.5)  # as long as the output interval
    assert near.max() < 0.05
    assert int(run.rejected_steps.sum()) < 0.1 * steps_of(run)  # it does not thrash


JUMP = float(np.sqrt(2.0) / 10.0)


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta", "explicit"])
def test_a_step_ends_on_a_load_jump_at_an_irrational_time_to_the_last_bit(scheme, monkeypatch):
    """Pushed with half of the friction, then at √2/10 s with twice: x = ½ a (t − √2/10)² from there on."""
    recorder = Steps(monkeypatch)
    load = BodyForce((FRICTION, 0.0), Table([0.0, JUMP, JUMP, 1.0], [0.5, 0.5, 2.0, 2.0]))
    model = assemble(block_problem(load, 0.3), Options(0.01, scheme, output_every=10, error_tolerance=1e-4))
    run = simulate(model)
    ends = [start + length for start, length, _ in recorder.rows]
    starts = [start for start, _, _ in recorder.rows]
    assert JUMP in starts
    assert min(abs(end - JUMP) for end in ends) < 1e-15
    assert JUMP not in run.time.values  # a step ends there, nothing is stored
    x = 0.5 * FRICTION * (0.3 - JUMP) ** 2
    # All these schemes integrate a constant acceleration exactly, so only the jump could spoil it; explicit
    # central differences start with half a kick.
    assert float(run.frame_position[-1, 0]) == pytest.approx(x, rel=1e-12 if scheme != "explicit" else 0.05)
    assert x > 0.09
    assert np.all(run.velocity.values[run.time.values <= JUMP] == 0.0)


def test_a_controlled_run_repeated_on_one_model_gives_the_same_bits():
    model = assemble(block_problem(t_end=2.0), Options(1e-2, output_every=20, error_tolerance=1e-4))
    one, two = simulate(model), simulate(model)
    assert steps_of(one) > 20
    for name in one.variables:
        assert np.array_equal(one[name], two[name]), name
