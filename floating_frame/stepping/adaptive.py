"""Error-controlled steps around any pure step function: step doubling, a PI controller, care at stick-slip events, and the error of
the whole run, measured while it runs.

Derived in docs/theory.md, section 8. One step of h against two of h/2, which are kept, differ by d (``trials``). With ε the
tolerance of the steps, T the end of the run, R the body's size and p the scheme's order:

*Smooth steps*: d/(2^p − 1) <= ε h/T.
*Events* (a node starts, stops, reverses; a point opens, closes, hits): d <= EVENT_SHARE ε with order one, d at least T/R times the
error of the rigid motion's velocity, and of what ``contact_event`` and ``missed_start`` find.
*Next step*: h · 0.9 e^(−0.7 k) e_before^(0.4 k), e the error over what is allowed, k = 1/p, at events 1/2, at jumps 1.
*Collapse*: where ``SUSTAINED`` steps in a row would be more than ``MOST_STEPS`` to the end of the run, and more than ``MOST_PARTS``
for each ``dt``, it ends by name. Steps that crowd at one event do so for a few, since they may grow fourfold each.
*Runge–Kutta* controls its own steps between the stored instants; the companion is the same method at ``COARSER`` times the
tolerance, and their distance is taken for the error of the run, of which it is a few times as much.
*Run*: a companion takes every step whole of which the run takes two halves. For a scheme of order p their distance, of positions
over the body's size, is 2^p − 1 times the error E of the run; from the first event on p = 1. E (1 + E/``COARSE``) is taken while
p = 2. A run whose estimate passes ``ACCEPTED`` times its tolerance (``KINKED`` at p = 1) is begun again with a smaller one for its
steps, the error reached at t taken to be (T/t)^1.5 as much at T.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.errors import LIMIT_LOAD, StepFailure
from floating_frame.frame.kinematics import Array
from floating_frame.stepping.attempts import (
    FAILURES,
    MOST_STEPS,
    SUSTAINED,
    advance,
    collapsed,
    failure,
    name_of,
    near_contact,
    reduced_step,
    stops,
)
from floating_frame.stepping.penalty_steps import longest_step
from floating_frame.stepping.trials import Doubled, doubled, farthest, instant_of
from floating_frame.system.model import RunModel
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Instant, Stepper

SAFETY, INTEGRAL, PROPORTIONAL = 0.9, 0.7, 0.4
ADVICE = "a larger error_tolerance, a smaller min_step, or a tighter solver tolerance"

MOST_PARTS = 300.0
"""Steps for each ``dt`` of a run above which, and above ``MOST_STEPS``, they have collapsed."""

NOISE = 1e-9
"""Relative difference of one step and two below which it may be rounding; it is, where shorter steps do not lower it."""

COARSER, GENEROUS = 4.0, 30.0
"""With ``radau``: tolerance of the companion over that of the run; and of its first run over ``error_tolerance``."""

ACCEPTED, KINKED = 0.85, 0.5
"""Part of the tolerance that the estimated error of a run may reach, in smooth motion and from the first event on, where the
estimate may be off by a factor of two."""

COARSE = 1e-2
"""Estimate whose next term may be as large."""

AIMED = 0.35
"""Part of the tolerance that the next run aims at."""

LEAST, MOST = 1.0 / 32.0, 1.0 / 3.0
"""Bounds of the factor on the steps' tolerance from one run to the next."""

MOST_RUNS = 16
"""Runs after which a tolerance counts as out of reach: their steps' tolerances span at least seven decades."""

FINEST = 1e-15
"""Steps' tolerance below which their errors are rounding."""


@dataclass(frozen=True)
class Companion:
    """``state`` of the companion at the last stored instant, the lowest ``order`` of the steps so far, ``error`` of the run so
    far."""

    state: State
    order: int
    error: float = 0.0

    def moved(self, model: RunModel, own: Array, position: Array, order: int, time: float) -> Companion:
        """Return the companion after a step of an ``order`` to ``time`` s, with nodes (N, d) m at its ``own`` places and at a
        ``position`` in the run. Raises RunTooInaccurate where the error that they show is not accepted."""
        wanted, lowest = model.options.error_tolerance, min(order, self.order)
        assert wanted is not None
        error = max(self.error, farthest(own, position) / model.radius / (2.0**lowest - 1.0))
        told, most = (error, KINKED) if lowest < 2 else (error * (1.0 + error / COARSE), ACCEPTED)
        if not told <= most * wanted:
            raise RunTooInaccurate(time, error)
        return replace(self, order=lowest, error=error)


class RunTooInaccurate(Exception):
    """The estimated ``error`` of a run is larger than accepted at ``time`` s: it has to be begun again."""

    def __init__(self, time: float, error: float) -> None:
        super().__init__(f"the estimated error of the run is {error:.3g} at t = {time:.9g} s")
        self.time = time
        self.error = error


@dataclass(frozen=True)
class Attempt:
    """One run of several: the ``number`` of it, from 1, and the ``tolerance`` of its steps."""

    number: int
    tolerance: float

    def next(self, failure: RunTooInaccurate, wanted: float, end: float) -> Attempt:
        """Return the run after this one, which missed ``wanted`` = error_tolerance; ``end``: T s. Raises StepFailure."""
        factor = AIMED * wanted / failure.error * (failure.time / end) ** 1.5
        tolerance = self.tolerance * float(np.clip(factor, LEAST, MOST))
        if self.number >= MOST_RUNS or tolerance < FINEST:
            raise StepFailure(
                failure.time,
                f"error_tolerance = {wanted:.3g} is out of reach: {failure} in run {self.number}, whose steps were held to "
                f"{self.tolerance:.3g}; rounding or a motion that amplifies errors allows no less",
                f"an error_tolerance above {4.0 * failure.error:.1g}, or a tighter solver tolerance",
            )
        return Attempt(self.number + 1, tolerance)


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What the controller carries from step to step.

    ``step`` s: the next to try; ``attempt``: which run of several this is; ``companion``: by which the error of the run is known;
    ``error``: the last accepted one over what was allowed; ``rejected``: whether the last step was; ``gaps``: relative differences
    of the trials rejected since; ``crowded``: steps in a row that foretell too many.
    """

    step: float
    attempt: Attempt
    companion: Companion
    error: float = 1.0
    rejected: bool = False
    gaps: tuple[float, ...] = ()
    crowded: int = 0

    def shortened(self, step: float, *gap: float) -> Pace:
        """Return the controller after a rejection, with ``step`` s to try next; ``gap``: the difference that was too large."""
        return replace(self, step=step, error=1.0, rejected=True, gaps=(*self.gaps, *gap))


def begin(model: RunModel, state: State, attempt: Attempt) -> Pace:
    """Return the controller at the start of a run."""
    unseen = replace(state, verdict=())  # the checks look at the run
    return Pace(step=model.steps.length, attempt=attempt, companion=Companion(unseen, model.steps.order))


def advance_adaptively(
    model: RunModel, one: Stepper[RunModel], state: State, end: float, pace: Pace
) -> tuple[State, Counts, Pace]:
    """Advance to ``end`` s in error-controlled steps that end on the loads' breaks and on ``end``. Pure.

    Raises StepFailure where a step would have to be below the smallest, where steps collapse, or a limit load is reached;
    RunTooInaccurate where the error of the run is no longer accepted.
    """
    if model.steps.controls_error:
        return integrated(model, one, state, end, pace)
    counts = Counts()
    interval, run, beside = (
        end - state.time,
        instant_of(model, one, state),
        instant_of(model, one, pace.companion.state),
    )
    for stop in stops(model, state.time, end):
        while run.time < stop:
            length, last = next_length(model, run, stop, pace, interval)
            target = stop if last else run.time + length
            try:
                trial = doubled(model, run, target, pace.attempt.tolerance)
            except FAILURES as error:
                if length <= smallest_step(model) or name_of(error) == LIMIT_LOAD:
                    raise failure(error, run.time, length, model) from error
                pace = pace.shortened(max(0.25 * length, smallest_step(model)))
                counts = counts.plus(Counts(rejected_steps=1))
                continue
            near = enters_buffer(model, run, trial.end, length, interval)
            if near or not (trial.error <= 1.0 or (trial.event and length <= smallest_step(model))):
                shorter = reduced_step(model, interval) if near else shortened(model, run.time, trial, length, pace)
                pace = pace.shortened(shorter, *([] if near else [trial.gap]))
                counts = counts.plus(trial.counts._replace(steps=0, smallest_step=np.inf, rejected_steps=1))
                continue
            beside, companion, more = followed(model, beside, pace.companion, trial)
            run, counts = trial.end.follows(run), counts.plus(trial.counts).plus(more)
            pace = uncrowded(model, run.time, replace(accepted(pace, trial, length), companion=companion), length)
    return run.state(), counts, replace(pace, companion=replace(pace.companion, state=beside.state()))


def shortened(model: RunModel, time: float, trial: Doubled, length: float, pace: Pace) -> float:
    """Return the step to try, s, after a ``trial`` of ``length`` s with too large an error. Raises StepFailure for none."""
    small, noisy = length <= smallest_step(model), trial.gap < NOISE and not trial.event
    stays = noisy and len(pace.gaps) >= 3 and min(pace.gaps) <= trial.gap
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


def followed(
    model: RunModel, beside: Instant, companion: Companion, trial: Doubled
) -> tuple[Instant, Companion, Counts]:
    """Return where the companion has come ``beside`` the accepted ``trial`` in one whole step. Raises RunTooInaccurate."""
    end, order = trial.end.time, 1 if trial.event else model.steps.order
    try:
        new, counts = beside.stepped(end)
    except FAILURES as error:  # the run itself could be solved: they are far apart
        raise RunTooInaccurate(end, 1.0) from error
    moved = companion.moved(model, new.compared.position, trial.end.compared.position, order, end)
    return new, moved, counts._replace(steps=0, smallest_step=np.inf)


def uncrowded(model: RunModel, time: float, pace: Pace, length: float) -> Pace:
    """Return the controller at ``time`` s, which counts steps like this one of ``length`` s if they foretell too many. Raises
    StepFailure."""
    left = (model.problem.t_end - time) / length
    bounded = length > 0.5 * model.steps.longest  # by stability, not by accuracy
    asked = length * left / model.options.dt if model.options.dt else 0.0
    pace = replace(pace, crowded=0 if left <= max(MOST_STEPS, MOST_PARTS * asked) or bounded else pace.crowded + 1)
    if pace.crowded < SUSTAINED:
        return pace
    cause = f", for error_tolerance = {model.options.error_tolerance:.3g}"
    advice = "a larger error_tolerance, a shorter t_end, softer contacts and friction laws, or a smaller dt if so many are meant"
    raise collapsed(time, length, left, SUSTAINED, cause, advice)


def integrated(
    model: RunModel, one: Stepper[RunModel], state: State, end: float, pace: Pace
) -> tuple[State, Counts, Pace]:
    """Advance by a method that controls its own steps, and the companion at ``COARSER`` times its tolerance.

    Raises StepFailure and RunTooInaccurate.
    """

    def advanced(start: State, allowed: float) -> tuple[State, Counts]:
        given = replace(model, options=replace(model.options, error_tolerance=allowed))
        return advance(model, lambda _, *step: one(given, *step), start, end)

    tolerance = min(GENEROUS * pace.attempt.tolerance, 0.1)
    new, counts = advanced(state, tolerance)
    other, _ = advanced(pace.companion.state, COARSER * tolerance)
    moved = pace.companion.moved(model, other.position, new.position, 1, end)
    return new, counts, replace(pace, companion=replace(moved, state=other))


def smallest_step(model: RunModel) -> float:
    """Return the length, s, below which no step is tried."""
    return model.options.min_step or 1e-10 * model.problem.t_end


def next_length(model: RunModel, run: Instant, stop: float, pace: Pace, interval: float) -> tuple[float, bool]:
    """Return the length of the next step, s, and whether it ends on ``stop`` s; two equal ones where less than two are left."""
    length, left = min(pace.step, model.steps.longest), stop - run.time
    if in_buffer(model, run):
        length = min(length, reduced_step(model, interval))
    if model.contacts:
        length = min(length, longest_step(model, run.state(), min(length, left), controlled=True))
    if length >= left * (1.0 - 1e-9):
        return left, True
    return (0.5 * left if 2.0 * length > left else length), False


def in_buffer(model: RunModel, run: Instant) -> bool:
    """Say whether the body is within the buffer of the step control, if there is one."""
    return model.options.step_control is not None and near_contact(model, run.state())


def enters_buffer(model: RunModel, start: Instant, end: Instant, length: float, interval: float) -> bool:
    """Say whether a step longer than near contact came near an obstacle that it was clear of: it is taken again, shorter."""
    if length <= reduced_step(model, interval) * (1.0 + 1e-9):
        return False
    return in_buffer(model, end) and not in_buffer(model, start)


def accepted(pace: Pace, trial: Doubled, length: float) -> Pace:
    """Return the controller after an accepted step of ``length`` s."""
    factor = SAFETY * trial.error ** (-INTEGRAL * trial.k) * pace.error ** (PROPORTIONAL * trial.k)
    factor = float(np.clip(factor, 0.2, 1.0 if pace.rejected else 4.0))
    longer = factor * length
    if length < pace.step and factor >= 1.0:  # cut off at a stop: its error says nothing against the step before
        longer = max(longer, pace.step)
    error = 1.0 if trial.event else max(trial.error, 1e-4)
    return replace(pace, step=longer, error=error, rejected=False, gaps=())
