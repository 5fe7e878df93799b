"""Error-controlled steps with any one-step method: step doubling, a PI controller, events, and an estimate of the global error.

Derived in docs/theory.md, section 8. One step of h and two of h/2 differ by d (``trials``); the run continues from the two. With ε
the tolerance of the steps, T the end of the run, R the body's size and p the scheme's order:

*Smooth steps*: d/(2^p − 1) <= ε h/T. *Events* (a node starts, stops, reverses; a point opens, closes, hits): d <= EVENT_SHARE ε
with order one, d at least T/R times the velocity errors of the rigid motion, of ``contact_event`` and of ``missed_start_velocity``.
*Next step*: h · 0.9 e^(−0.7 k) e_before^(0.4 k), e the error over the allowed one, k = 1/p, at events 1/2, at jumps 1. *Collapse*:
a run fails when for ``COLLAPSE_COUNT`` steps in a row more than ``COLLAPSE_STEPS`` would remain, and more than ``MAX_STEPS_PER_DT``
for each ``dt``. At one event short steps are few, since each may be four times its predecessor. *Runge–Kutta* controls its own
steps between the stored instants. The companion is the same method at ``COARSER`` times the tolerance; their distance, a few times
the error of the run, is the estimate. *Run*: a companion takes every step whole, the run in two halves. For a scheme of order p
their distance, of positions over the body's size, is 2^p − 1 times the error E of the run; from the first event on p = 1. While p =
2 the estimate is E (1 + E/``LARGE_ESTIMATE``). Beyond ``ACCEPTED`` times the tolerance (``EVENT_ACCEPTED`` at p = 1) the run starts
again with a smaller tolerance of its steps; errors are extrapolated from t to T as (T/t)^1.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.errors import LIMIT_LOAD, StepFailure
from floating_frame.frame.kinematics import Array
from floating_frame.stepping.penalty_steps import longest_step
from floating_frame.stepping.substeps import (
    COLLAPSE_COUNT,
    COLLAPSE_STEPS,
    FAILURES,
    advance,
    collapse_failure,
    failure_name,
    near_contact,
    reduced_step,
    step_failure,
    stops,
)
from floating_frame.stepping.trials import Doubled, doubled, instant_of, largest_difference
from floating_frame.system.model import RunModel
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Instant, Stepper

SAFETY, INTEGRAL, PROPORTIONAL = 0.9, 0.7, 0.4
ADVICE = "a larger error_tolerance, a smaller min_step, or a tighter solver tolerance"

MAX_STEPS_PER_DT = 300.0
"""Steps for each ``dt`` of a run above which, beside ``COLLAPSE_STEPS``, they have collapsed."""

NOISE = 1e-9
"""Relative difference of one step and two that may be rounding: it is, if shorter steps do not lower it."""

COARSER, GENEROUS = 4.0, 30.0
"""With ``radau``: tolerance of the companion over the run's; tolerance of the first run over ``error_tolerance``."""

ACCEPTED, EVENT_ACCEPTED = 0.85, 0.5
"""Limits of the estimated error over the tolerance, in smooth motion and from the first event on (known to a factor of 2)."""

LARGE_ESTIMATE = 1e-2
"""Estimate at which the next term of its expansion is as large."""

TARGET_SHARE = 0.35
"""Target of the next run's error over the tolerance."""

MIN_FACTOR, MAX_FACTOR = 1.0 / 32.0, 1.0 / 3.0
"""Bounds of the factor on the steps' tolerance from one run to the next."""

MAX_RUNS = 16
"""Runs after which a tolerance is out of reach: their steps' tolerances span at least seven decades."""

MIN_TOLERANCE = 1e-15
"""Steps' tolerance below which their errors are rounding."""


class RunTooInaccurate(Exception):
    """The estimated ``error`` of a run exceeds its limit at ``time`` s: the run starts again."""

    def __init__(self, time: float, error: float) -> None:
        super().__init__(f"the estimated error of the run is {error:.3g} at t = {time:.9g} s")
        self.time = time
        self.error = error


@dataclass(frozen=True, kw_only=True)
class ControllerState:
    """State of the step-size controller.

    ``step`` s: next trial step; ``number`` of the run from 1, with the ``tolerance`` of its steps; ``companion``: state of the
    companion at the last stored instant; ``order``: lowest order of the steps so far; ``run_error``: error of the run so far;
    ``error``: last accepted error over the allowed one; ``rejected``: the last step was rejected; ``gaps``: relative differences of
    the trials rejected since; ``crowded``: number of successive steps that are too short for the rest of the run.
    """

    step: float
    number: int
    tolerance: float
    companion: State
    order: int
    run_error: float = 0.0
    error: float = 1.0
    rejected: bool = False
    gaps: tuple[float, ...] = ()
    crowded: int = 0

    def after_rejection(self, step: float, *gap: float) -> ControllerState:
        """Controller after a rejection, with the next trial ``step`` s and the rejected difference ``gap``."""
        return replace(self, step=step, error=1.0, rejected=True, gaps=(*self.gaps, *gap))

    def with_error(self, model: RunModel, own: Array, position: Array, order: int, time: float) -> ControllerState:
        """Add the error at ``time`` s from positions of the nodes (N, d) m, the companion's ``own`` and the run's. Raises
        RunTooInaccurate."""
        error_tolerance, lowest = model.options.error_tolerance, min(order, self.order)
        assert error_tolerance is not None
        error = max(self.run_error, largest_difference(own, position) / model.radius / (2.0**lowest - 1.0))
        estimate, most = (error, EVENT_ACCEPTED) if lowest < 2 else (error * (1.0 + error / LARGE_ESTIMATE), ACCEPTED)
        if not estimate <= most * error_tolerance:
            raise RunTooInaccurate(time, error)
        return replace(self, order=lowest, run_error=error)


def initial_control(model: RunModel, state: State, number: int, tolerance: float) -> ControllerState:
    """Controller at the start of the run with this ``number`` and ``tolerance`` of its steps."""
    unseen, steps = replace(state, verdict=()), model.steps  # the checks look at the run
    return ControllerState(step=steps.length, number=number, tolerance=tolerance, companion=unseen, order=steps.order)


def next_tolerance(
    failure: RunTooInaccurate, number: int, tolerance: float, error_tolerance: float, end: float
) -> float:
    """Tolerance of the steps of the next run, after the ``failure`` of run ``number`` with ``tolerance``; ``end``: T s. Raises
    StepFailure."""
    factor = TARGET_SHARE * error_tolerance / failure.error * (failure.time / end) ** 1.5
    smaller = tolerance * float(np.clip(factor, MIN_FACTOR, MAX_FACTOR))
    if number >= MAX_RUNS or smaller < MIN_TOLERANCE:
        raise StepFailure(
            failure.time,
            f"error_tolerance = {error_tolerance:.3g} is out of reach: {failure} in run {number}, whose steps were held to "
            f"{tolerance:.3g}; rounding or a motion that amplifies errors allows no less",
            f"an error_tolerance above {4.0 * failure.error:.1g}, or a tighter solver tolerance",
        )
    return smaller


def advance_adaptively(
    model: RunModel, one: Stepper[RunModel], state: State, end: float, control: ControllerState
) -> tuple[State, Counts, ControllerState]:
    """Advance to ``end`` s in error-controlled steps that end on the loads' breaks and on ``end``. Pure.

    Raises StepFailure for a step below the smallest, collapsed steps and a limit load; RunTooInaccurate for an estimated error of
    the run beyond its limit.
    """
    if model.steps.controls_error:
        return advance_with_own_control(model, one, state, end, control)
    counts = Counts()
    interval, run = end - state.time, instant_of(model, one, state)
    other = instant_of(model, one, control.companion)
    for stop in stops(model, state.time, end):
        while run.time < stop:
            length, last = next_length(model, run, stop, control, interval)
            target = stop if last else run.time + length
            try:
                trial = doubled(model, run, target, control.tolerance)
            except FAILURES as error:
                if length <= smallest_step(model) or failure_name(error) == LIMIT_LOAD:
                    raise step_failure(error, run.time, length, model) from error
                control = control.after_rejection(max(0.25 * length, smallest_step(model)))
                counts = counts.plus(Counts(rejected_steps=1))
                continue
            near = enters_buffer(model, run, trial.end, length, interval)
            if near or not (trial.error <= 1.0 or (trial.event and length <= smallest_step(model))):
                shorter = (
                    reduced_step(model, interval) if near else retry_length(model, run.time, trial, length, control)
                )
                control = control.after_rejection(shorter, *([] if near else [trial.gap]))
                counts = counts.plus(trial.counts._replace(steps=0, smallest_step=np.inf, rejected_steps=1))
                continue
            other, control, more = advance_companion(model, other, control, trial)
            run, counts = trial.end.follows(run), counts.plus(trial.counts).plus(more)
            control = check_crowding(model, run.time, after_acceptance(control, trial, length), length)
    return run.state(), counts, replace(control, companion=other.state())


def retry_length(model: RunModel, time: float, trial: Doubled, length: float, control: ControllerState) -> float:
    """Next step, s, after a rejected ``trial`` of ``length`` s. Raises StepFailure where shorter steps do not help."""
    small, noisy = length <= smallest_step(model), trial.gap < NOISE and not trial.event
    stays = noisy and len(control.gaps) >= 3 and min(control.gaps) <= trial.gap
    if small or stays:
        reason = (
            f" even with the smallest step, {length:.3g} s"
            if small
            else f"; shorter steps do not lower it (now {length:.3g} s)"
        )
        reason += ": it is rounding and the solver's tolerance" if noisy else ""
        raise StepFailure(
            time,
            f"the estimated error is {trial.error:.3g} times what error_tolerance = "
            f"{model.options.error_tolerance:.3g} allows{reason}",
            ADVICE,
        )
    return max(float(np.clip(SAFETY * trial.error**-trial.k, 0.1, SAFETY)) * length, smallest_step(model))


def advance_companion(
    model: RunModel, other: Instant, control: ControllerState, trial: Doubled
) -> tuple[Instant, ControllerState, Counts]:
    """Advance the companion from ``other`` over the accepted ``trial`` in one whole step. Raises RunTooInaccurate."""
    end, order = trial.end.time, 1 if trial.event else model.steps.order
    try:
        new, counts = other.stepped(end)
    except FAILURES as error:  # the run itself could be solved: they are far apart
        raise RunTooInaccurate(end, 1.0) from error
    updated = control.with_error(model, new.compared.position, trial.end.compared.position, order, end)
    return new, updated, counts._replace(steps=0, smallest_step=np.inf)


def check_crowding(model: RunModel, time: float, control: ControllerState, length: float) -> ControllerState:
    """Count successive steps of ``length`` s that are too short for the rest of the run. Raises StepFailure."""
    remaining = (model.problem.t_end - time) / length
    bounded = length > 0.5 * model.steps.longest  # by stability, not by accuracy
    intended = length * remaining / model.options.dt if model.options.dt else 0.0
    few = bounded or remaining <= max(COLLAPSE_STEPS, MAX_STEPS_PER_DT * intended)
    control = replace(control, crowded=0 if few else control.crowded + 1)
    if control.crowded < COLLAPSE_COUNT:
        return control
    cause = f", for error_tolerance = {model.options.error_tolerance:.3g}"
    advice = "a larger error_tolerance, a shorter t_end, softer contacts and friction laws, or a smaller dt if so many are meant"
    raise collapse_failure(time, length, remaining, COLLAPSE_COUNT, cause, advice)


def advance_with_own_control(
    model: RunModel, one: Stepper[RunModel], state: State, end: float, control: ControllerState
) -> tuple[State, Counts, ControllerState]:
    """Advance by a method that controls its own steps, and the companion at ``COARSER`` times its tolerance.

    Raises StepFailure and RunTooInaccurate.
    """

    def advanced(start: State, allowed: float) -> tuple[State, Counts]:
        given = replace(model, options=replace(model.options, error_tolerance=allowed))
        return advance(model, lambda _, *step: one(given, *step), start, end)

    tolerance = min(GENEROUS * control.tolerance, 0.1)
    new, counts = advanced(state, tolerance)
    try:
        beside, _ = advanced(control.companion, COARSER * tolerance)
    except StepFailure as error:  # the run itself could be solved: they are far apart
        raise RunTooInaccurate(end, 1.0) from error
    updated = control.with_error(model, beside.position, new.position, 1, end)
    return new, counts, replace(updated, companion=beside)


def smallest_step(model: RunModel) -> float:
    """Smallest step, s."""
    return model.options.min_step or 1e-10 * model.problem.t_end


def next_length(
    model: RunModel, run: Instant, stop: float, control: ControllerState, interval: float
) -> tuple[float, bool]:
    """Length of the next step, s, and True if it ends at ``stop`` s; the last two steps before ``stop`` are equal."""
    length, remaining = min(control.step, model.steps.longest), stop - run.time
    if in_buffer(model, run):
        length = min(length, reduced_step(model, interval))
    if model.contacts:
        length = min(length, longest_step(model, run.state(), min(length, remaining), controlled=True))
    if length >= remaining * (1.0 - 1e-9):
        return remaining, True
    return (0.5 * remaining if 2.0 * length > remaining else length), False


def in_buffer(model: RunModel, run: Instant) -> bool:
    """True if the body is within the buffer of the step control."""
    return model.options.step_control is not None and near_contact(model, run.state())


def enters_buffer(model: RunModel, start: Instant, end: Instant, length: float, interval: float) -> bool:
    """True if a step longer than the reduced one enters the buffer; it is repeated with a shorter one."""
    if length <= reduced_step(model, interval) * (1.0 + 1e-9):
        return False
    return in_buffer(model, end) and not in_buffer(model, start)


def after_acceptance(control: ControllerState, trial: Doubled, length: float) -> ControllerState:
    """Controller after an accepted step of ``length`` s."""
    factor = SAFETY * trial.error ** (-INTEGRAL * trial.k) * control.error ** (PROPORTIONAL * trial.k)
    factor = float(np.clip(factor, 0.2, 1.0 if control.rejected else 4.0))
    longer = factor * length
    if length < control.step and factor >= 1.0:  # cut off at a stop: no reason for a smaller step
        longer = max(longer, control.step)
    error = 1.0 if trial.event else max(trial.error, 1e-4)
    return replace(control, step=longer, error=error, rejected=False, gaps=())
