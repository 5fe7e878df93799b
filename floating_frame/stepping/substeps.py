"""Substeps of a given step: they end on load breaks, are reduced near contact, and are halved where a solver fails."""

from __future__ import annotations

import numpy as np

from fem import FactorError
from floating_frame.errors import ADVICE, LIMIT_LOAD, RigidFrictionError, StepFailure, Unsolved
from floating_frame.stepping.penalty_steps import longest_step, with_entry_normals
from floating_frame.system.model import RunModel
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Stepper
from friction import FrictionSolveError, NotPositiveDefinite
from friction.errors import FoundationError, UnilateralError

FAILURES = (
    FrictionSolveError,
    FactorError,
    NotPositiveDefinite,
    np.linalg.LinAlgError,
    OverflowError,
    FloatingPointError,
    Unsolved,
    RigidFrictionError,
    UnilateralError,
    FoundationError,
)
"""Errors that a smaller step may cure."""

COLLAPSE_STEPS, COLLAPSE_COUNT = 1e5, 100
"""Steps to the end of a run, predicted by this number of successive steps, at which the steps have collapsed. 1e5 steps of the
smallest plates take ten minutes; ``dt`` allows for longer runs."""

OVERLOAD = 1e3
"""Linear elastic strain under the loads above which they are named as the cause of a failure."""


def stops(model: RunModel, start: float, end: float) -> list[float]:
    """Times in (``start``, ``end``] s at which a step must end: the breaks of the loads, and ``end``."""
    return [*model.loads.breaks.between(start, end), end]


def advance(model: RunModel, one: Stepper[RunModel], state: State, end: float) -> tuple[State, Counts]:
    """Advance to ``end`` by substeps that end on the breaks of the loads. Raises StepFailure."""
    counts = Counts()
    halvings = 0 if model.steps.many or model.steps.controls_error else model.options.max_halvings
    for target in stops(model, state.time, end):
        state, more = advance_to(model, one, state, target, halvings)
        counts = counts.plus(more)
    return state, counts


def attempt(
    model: RunModel, one: Stepper[RunModel], state: State, end: float, halvings_left: int
) -> tuple[State, Counts]:
    """Take one step to ``end``, or two halves if it cannot be solved. Raises StepFailure."""
    length = end - state.time
    try:
        new, counts = one(model, state, length, end)
        return new, counts._replace(smallest_step=min(counts.smallest_step, length / max(counts.steps, 1)))
    except FAILURES as error:
        if halvings_left == 0 or failure_name(error) == LIMIT_LOAD:
            raise step_failure(error, state.time, length, model) from error
    middle, first = attempt(model, one, state, 0.5 * (state.time + end), halvings_left - 1)
    check_collapse(model, middle.time, 0.5 * length, first)
    last, second = attempt(model, one, middle, end, halvings_left - 1)
    return last, first.plus(second).plus(Counts(halvings=1))


def check_collapse(model: RunModel, time: float, length: float, counts: Counts) -> None:
    """Refuse collapsed steps: StepFailure.

    The last ``length`` s before ``time`` took ``counts``. A single event halves only the steps around it; the steps have collapsed
    where at least ``COLLAPSE_COUNT`` of the smallest length cover half of ``length``.
    """
    everywhere = counts.steps >= COLLAPSE_COUNT and counts.steps * counts.smallest_step >= 0.5 * length
    remaining = (model.problem.t_end - time) * counts.steps / length
    if everywhere and remaining > COLLAPSE_STEPS:
        raise collapse_failure(
            time,
            length / counts.steps,
            remaining,
            counts.steps,
            "",
            "a smaller dt, or softer contacts and friction laws",
        )


def collapse_failure(time: float, length: float, remaining: float, count: int, cause: str, advice: str) -> StepFailure:
    """Failure of a run whose last ``count`` steps, of ``length`` s, predict ``remaining`` more."""
    reason = f"the last {count} were so short, now {length:.3g} s, that the run would take {remaining:.1e} more to its end{cause}"
    return StepFailure(time, f"the steps have collapsed: {reason}", advice)


def advance_to(
    model: RunModel, one: Stepper[RunModel], state: State, end: float, halvings_left: int
) -> tuple[State, Counts]:
    """Advance to ``end`` in one step, or in steps limited by penalty contact (``penalty_steps``) and by ``step_control``.

    A step that starts outside the buffer and ends inside it is repeated with reduced steps. Raises StepFailure.
    """
    reduced, counts, careful = reduced_step(model, end - state.time), Counts(), False
    while state.time < end:
        near = careful or near_contact(model, state)
        length = remaining = end - state.time
        if near:  # as few equal parts as are not too long
            length = remaining / max(1, int(np.ceil(remaining / reduced * (1.0 - 1e-9))))
        allowed = longest_step(model, state, length)
        if allowed < length:  # without a tiny last step
            length = allowed if allowed < 0.99 * length else 0.5 * length
        new, more = attempt(model, one, state, end if length == remaining else state.time + length, halvings_left)
        careful = near or near_contact(model, new)
        if careful and not near:  # it came near within the step
            counts = counts.plus(more._replace(steps=0, halvings=0, smallest_step=Counts().smallest_step))
            counts = counts.plus(Counts(rejected_steps=1))
            continue
        state, counts = with_entry_normals(model, new, state), counts.plus(more)
    return state, counts


def reduced_step(model: RunModel, interval: float) -> float:
    """Largest step near contact, s, if ``interval`` s is the largest elsewhere; infinite without step control."""
    control = model.options.step_control
    return np.inf if control is None else interval / control.max_step_size_factor


def near_contact(model: RunModel, state: State) -> bool:
    """True if an obstacle is within the buffer of the step control."""
    control = model.options.step_control
    return control is not None and model.clearance(state) < control.buffer_radius_factor * model.radius


def failure_name(error: Exception) -> str:
    """Name of a failure, as in ``ADVICE``."""
    return error.code if isinstance(error, Unsolved) else type(error).__name__


def step_failure(error: Exception, time: float, length: float, model: RunModel | None = None) -> StepFailure:
    """Failure of a step of ``length`` s from ``time`` s: name of the ``error``, advice, and an excessive load of the ``model``."""
    name = failure_name(error)
    if name == LIMIT_LOAD:
        return StepFailure(time, str(error), ADVICE[name])
    where = "".join(f", {note}" for note in getattr(error, "__notes__", ()))
    reason = f"{name}: {error}{where} (step {length:.3g} s)"
    equal = model is not None and model.takes_tolerance and model.options.error_tolerance is None
    chosen = ", steps chosen by their error (error_tolerance)" if equal else ""
    advice = ADVICE.get(name, f"a smaller dt{chosen}, or more halvings (max_halvings, from Python)")
    load = 0.0 if model is None else load_ratio(model, time + length)
    if load > OVERLOAD:
        return StepFailure(
            time, f"the loads are {load:.2g} times what would stretch the body by its size; {reason}", "a smaller load"
        )
    return StepFailure(time, reason, advice)


def load_ratio(model: RunModel, time: float) -> float:
    """Largest nodal force at ``time`` s over largest stiffness × body size; 0 for a rigid body."""
    stiffness, *_ = model.system.results.scales
    scale = stiffness * model.radius
    return float(np.abs(model.loads.nodal_force(time)).max(initial=0.0)) / scale if scale > 0.0 else 0.0
