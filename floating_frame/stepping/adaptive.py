"""Error-controlled steps around any pure step function: step doubling, a PI controller, and care at stick-slip events.

Derived in docs/theory.md, section 8. One step of h against two of h/2, which are kept, differ by d (``error_norm``). With ε the
tolerance that ``global_error`` gives to the steps, T the end of the run, R the body's size and p the scheme's order:

*Smooth steps*: d/(2^p − 1) <= ε h/T.
*Events* (a node starts, stops, reverses; a point opens, closes, hits): d <= EVENT_SHARE ε with order one, d at least T/R times the
error of the rigid motion's velocity, and of what ``contact_events`` and ``missed_start`` find.
*Next step*: h · 0.9 e^(−0.7 k) e_before^(0.4 k), e the error over what is allowed, k = 1/p, at events 1/2, at jumps 1.
*Collapse*: where ``SUSTAINED`` steps in a row would be more than ``MOST_STEPS`` to the end of the run, and more than ``MOST_PARTS``
for each ``dt``, it ends by name. Steps that crowd at one event do so for a few, since they may grow fourfold each.
*Runge–Kutta* controls its own steps between the stored instants; the companion is the same method at ``COARSER`` times the
tolerance, and their distance is taken for the error of the run, of which it is a few times as much.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.errors import LimitLoad, StepFailure
from floating_frame.frame.kinematics import Array
from floating_frame.stepping.attempts import (
    FAILURES,
    MOST_STEPS,
    SUSTAINED,
    beyond_friction,
    collapsed,
    failure,
    near_contact,
    reduced_step,
    stops,
)
from floating_frame.stepping.contact_events import ContactEvent, contact_event
from floating_frame.stepping.error_norm import distance, farthest, rigid_speed, speed_scale
from floating_frame.stepping.global_error import Companion, RunTooInaccurate
from floating_frame.stepping.overrun import with_entries
from floating_frame.stepping.penalty_steps import longest_step
from floating_frame.stepping.trials import instant_of
from floating_frame.system.model import RunModel
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Instant, Stepper
from friction.arrays import lengths, moving
from friction.stick import against_bound

EVENT_SHARE = 0.1
"""Part of the tolerance that one stick-slip event may spend."""

SAFETY, INTEGRAL, PROPORTIONAL = 0.9, 0.7, 0.4
ADVICE = "a larger error_tolerance, a smaller min_step, or a tighter solver tolerance"


MOST_PARTS = 300.0
"""Steps for each ``dt`` of a run above which, and above ``MOST_STEPS``, they have collapsed."""

NOISE = 1e-9
"""Relative difference of one step and two below which it may be rounding; it is, where shorter steps do not lower it."""

COARSER, GENEROUS = 4.0, 30.0
"""With ``radau``: tolerance of the companion over that of the run; and of its first run over ``error_tolerance``."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What the controller carries from step to step.

    ``step`` s: the next to try; ``tolerance`` ε of the steps; ``companion``: by which the error of the run is known; ``error``:
    the last accepted one over what was allowed; ``rejected``: whether the last step was; ``gaps``: relative differences of the
    trials rejected since; ``crowded``: steps in a row that foretell too many.
    """

    step: float
    tolerance: float
    companion: Companion
    error: float = 1.0
    rejected: bool = False
    gaps: tuple[float, ...] = ()
    crowded: int = 0

    def shortened(self, step: float, *gap: float) -> Pace:
        """Return the controller after a rejection, with ``step`` s to try next; ``gap``: the difference that was too large."""
        return replace(self, step=step, error=1.0, rejected=True, gaps=(*self.gaps, *gap))


def begin(model: RunModel, state: State, tolerance: float) -> Pace:
    """Return the controller at the start of a run with the ``tolerance`` of its steps."""
    unseen = replace(state, verdict=())  # the checks look at the run
    return Pace(step=model.steps.length, tolerance=tolerance, companion=Companion(unseen, model.steps.order))


@dataclass(frozen=True)
class Doubled:
    """One step of h taken twice: ``end``, that of the two halves, relative difference ``gap``, ``error``: the same over what is
    allowed, exponent ``k`` of h, and whether an ``event`` lies within."""

    end: Instant
    gap: float
    error: float
    k: float
    event: bool
    counts: Counts


def advance_adaptively(
    model: RunModel, one: Stepper[RunModel], state: State, end: float, pace: Pace
) -> tuple[State, Counts, Pace]:
    """Advance to ``end`` s in error-controlled steps that end on the loads' breaks and on ``end``. Pure.

    Raises StepFailure where a step would have to be below the smallest, where steps collapse, or a limit load is reached;
    RunTooInaccurate where the error of the run is no longer accepted.
    """
    counts, breaks = Counts(), stops(model, state.time, end)
    if model.steps.controls_error:
        for stop in breaks:
            while state.time < stop:
                new, more, pace = integrated(model, one, state, seen_stop(model, state, stop), pace)
                state, counts = with_entries(model, new, state), counts.plus(more)
        return state, counts, pace
    interval, run, beside = (
        end - state.time,
        instant_of(model, one, state),
        instant_of(model, one, pace.companion.state),
    )
    for stop in breaks:
        while run.time < stop:
            length, last = next_length(model, run, stop, pace, interval)
            target = stop if last else run.time + length
            try:
                trial = doubled(model, run, target, pace.tolerance)
            except LimitLoad as error:
                raise beyond_friction(error, run.time) from error
            except FAILURES as error:
                if length <= smallest_step(model):
                    raise failure(error, run.time, length, model) from error
                pace = pace.shortened(max(0.25 * length, smallest_step(model)))
                counts = counts.plus(Counts(rejected_steps=1))
                continue
            near = enters_buffer(model, run, trial.end, length, interval)
            if near or not (trial.error <= 1.0 or (trial.event and length <= smallest_step(model))):
                shorter = reduced_step(model, interval) if near else shortened(model, run.time, trial, length, pace)
                pace = pace.shortened(shorter, *([] if near else [trial.gap]))
                counts = counts.plus(replace(trial.counts, steps=0, smallest_step=np.inf, rejected_steps=1))
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
    moved = checked(model, companion.moved(farthest(new.position, trial.end.position) / model.radius, order), end)
    return new, moved, replace(counts, steps=0, smallest_step=np.inf)


def checked(model: RunModel, companion: Companion, time: float) -> Companion:
    """Return the ``companion`` at ``time`` s, if the error that it shows is accepted. Raises RunTooInaccurate."""
    tolerance = model.options.error_tolerance
    assert tolerance is not None
    if not companion.within(tolerance):
        raise RunTooInaccurate(time, companion.error)
    return companion


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
    length, tolerance = end - state.time, min(GENEROUS * pace.tolerance, 0.1)
    runs = []
    for start, allowed in ((state, tolerance), (pace.companion.state, COARSER * tolerance)):
        given = replace(model, options=replace(model.options, error_tolerance=allowed))
        try:
            runs.append(one(given, start, length, end))
        except FAILURES as error:
            raise failure(error, state.time, length, model) from error
    (new, counts), (other, _) = runs
    moved = pace.companion.moved(farthest(other.position, new.position) / model.radius, 1)
    companion = replace(checked(model, moved, new.time), state=other)
    return new, counts, replace(pace, companion=companion)


def seen_stop(model: RunModel, state: State, stop: float) -> float:
    """Return when a method that controls its own steps is looked at next, s: ``stop``, or near contact as equal steps would end, so
    that an impact between stored instants is seen."""
    left = stop - state.time
    length = longest_step(model, state, left)
    return state.time + length if length < 0.99 * left else stop


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


def doubled(model: RunModel, run: Instant, end: float, tolerance: float) -> Doubled:
    """Take one step to ``end`` s and two halves, compare at the steps' ``tolerance``. Raises what the step function raises."""
    length = end - run.time
    whole, half, new, (spent, first, second) = run.tried(run.time + 0.5 * length, end)
    kinks = model.law.set_valued and model.problem.foundation is not None
    event = kinks and any(changes(a, b) for a, b in ((run, half), (half, new), (new, whole)))
    speed = speed_scale(model, run, new)
    slow = EVENT_SHARE * tolerance * speed
    missed, contact = missed_start(model, half, new, length), ContactEvent()
    if model.contacts or model.exact is not None:
        contact = contact_event(model, run.state(), half.state(), new.state(), whole.state(), slow)
    event = event or missed > 0.0 or contact.happens
    if kinks and not event and model.steps.inertia:
        event = arrives(run, new, slow)
    order = 1 if event else model.steps.order
    apart = distance(model, new, whole, 0.0 if contact.hits else length) / (2.0**order - 1.0)
    lasting = model.problem.t_end / model.radius  # relative place that a velocity of 1 m/s makes until the end
    if event and not contact.hits and model.steps.inertia:
        apart = max(apart, lasting * rigid_speed(new, whole))
    gap = max(apart, lasting * missed, 0.5 * length * max(contact.jump / model.radius, lasting * contact.kick))
    allowed = tolerance * (EVENT_SHARE if event else length / model.problem.t_end)
    counts = replace(spent, steps=0).plus(first).plus(second)
    counts = replace(counts, smallest_step=0.5 * length / max(first.steps, 1))
    return Doubled(
        new, gap, max(gap / allowed, 1e-12), 0.5 if event and not contact.steep else 1.0 / order, event, counts
    )


def missed_start(model: RunModel, half: Instant, new: Instant, length: float) -> float:
    """Return the velocity, m/s, that nodes at rest have missed by a step of ``length`` s with forces in the mean over it."""
    if not (model.steps.mean_forces and model.law.set_valued):
        return 0.0
    ahead = _rows(1.5 * new.multiplier - 0.5 * half.multiplier)
    problem = model.system.friction.for_stage(new.time, None, 0.0)
    size, bound = against_bound(problem.law, ahead, problem.bound)
    rests = ~(moving(_rows(half.sliding)) | moving(_rows(new.sliding)))
    excess = np.where(rests, size - bound * (1.0 + 1e-9), 0.0)
    return float(np.max(np.maximum(excess, 0.0) * 0.5 * length / model.system.results.friction_mass))


def changes(a: Instant, b: Instant) -> bool:
    """Say whether a node rests in one state and slides in the other, or slides against its direction in the other."""
    one, two = _rows(a.sliding), _rows(b.sliding)
    return bool(np.any((moving(one) != moving(two)) | (np.einsum("ia,ia->i", one, two) < 0.0)))


def arrives(start: Instant, end: Instant, slow: float) -> bool:
    """Say whether a node slides slower than ``slow`` m/s at the start or the end, its velocity changing by a percent or more."""
    one, two = _rows(start.sliding), _rows(end.sliding)
    sizes = lengths(one), lengths(two)
    least, most = np.minimum(*sizes), np.maximum(*sizes)
    return bool(np.any((most > 0.0) & (least <= slow) & (lengths(two - one) > 0.01 * most)))


def _rows(field: Array) -> Array:
    return field.reshape(len(field), -1)


def accepted(pace: Pace, trial: Doubled, length: float) -> Pace:
    """Return the controller after an accepted step of ``length`` s."""
    factor = SAFETY * trial.error ** (-INTEGRAL * trial.k) * pace.error ** (PROPORTIONAL * trial.k)
    factor = float(np.clip(factor, 0.2, 1.0 if pace.rejected else 4.0))
    longer = factor * length
    if length < pace.step and factor >= 1.0:  # cut off at a stop: its error says nothing against the step before
        longer = max(longer, pace.step)
    error = 1.0 if trial.event else max(trial.error, 1e-4)
    return replace(pace, step=longer, error=error, rejected=False, gaps=())
