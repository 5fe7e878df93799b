"""Error-controlled steps around any pure step function: step doubling, a PI controller, and care at stick-slip events.

One step of h against two of h/2, which are kept: they end on Coulomb's law exactly, which an extrapolation would not. A scheme
of order p errs by C h^(p+1) in the first and by 2 C (h/2)^(p+1) in the others, so their difference d estimates the latter as
d/(2^p − 1). p is the scheme's ``order``, that which it has whichever way the slip turns. d is relative: see ``error_norm``.

*Smooth steps* spend error at a constant rate, d/(2^p − 1) ≤ ε h/T, so that the error of the run is proportional to ε =
``error_tolerance`` (control per step would make it ε^(p/(p+1))) and the step to ε^(1/p). How the motion itself amplifies
errors is not controlled.

*Events*: where a node starts, stops or reverses within the step, p does not hold; velocities kink, and err at reversals by O(h)
of the friction. There order one is taken: d ≤ EVENT_SHARE ε, a fixed part of the tolerance for every event and not a rate, as a
rate could be met by steps of O(ε) only, or by none at all. The step is adapted as ε^(1/2), and the controller's memory is
cleared, so that it grows again at once. At the smallest step an event is accepted, for a jump is a jump at any step.
A node that comes to rest while its slip turns does so at a rate that grows as 1/(time left): smooth steps would follow it for
ever, as parts of the time left. Once slower than EVENT_SHARE ε of the velocity scale, and changing, it counts as an event.

*Contacts*: a point that opens or closes is an event too, and so is an impact of exact contact, whose d is that of positions, or
(h/2) J/R with the velocity's jump J if that is larger. Where an acceleration jumps by A, d is at least (h/2) A/V (see
``contact_events``). With both, errors go with h, and the exponent is 1 instead of 1/2.

*Overlooked starts*: a scheme that takes forces in the mean over the step (Moreau θ) lets friction hold a body whose load has passed
the bound within the step, in one step as in two, and d is zero. So for nodes at rest λ is extrapolated from the two halves to the
end, λ₂ + (λ₂ − λ₁)/2; what exceeds w, times h/2 over the node's mass, is a velocity that was missed, and judged as an event.

Controller (Söderlind's PI form; e: the error over what is allowed, k = 1/p or 1/2): h ← h · 0.9 e^(−0.7 k) e_before^(0.4 k) within
[0.2, 4], not growing right after a rejection; h ← h · 0.9 e^(−k) within [0.1, 0.9] where e > 1; h/4 where a step cannot be
solved. A step ends exactly on every break of the loads and on every output time; a step cut off there does not shorten the next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from floating_frame.attempts import FAILURES, Stepper, failure, stops
from floating_frame.beam_model import BeamModel
from floating_frame.contact_events import contact_event
from floating_frame.error_norm import distance, speed_scale
from floating_frame.errors import LimitLoad, StepFailure
from floating_frame.model import Model
from floating_frame.rigid import RigidBody
from floating_frame.state import Counts, State
from friction.stick import against_bound

EVENT_SHARE = 0.1
"""Part of the tolerance that one stick-slip event may spend."""

SAFETY, INTEGRAL, PROPORTIONAL = 0.9, 0.7, 0.4
ADVICE = "a larger error_tolerance, a smaller min_step, or a tighter solver tolerance"


@dataclass(frozen=True)
class Pace:
    """What the controller carries: the next ``step`` s to try, the last accepted relative ``error``, whether the last was
    ``rejected``."""

    step: float
    error: float = 1.0
    rejected: bool = False


@dataclass(frozen=True)
class Doubled:
    """One step of h taken twice: ``end``, that of the two halves, ``error`` over what is allowed, exponent ``k`` of h, and whether
    an ``event`` lies within."""

    end: State
    error: float
    k: float
    event: bool
    counts: Counts


def advance_adaptively(model: Model, one: Stepper, state: State, end: float, pace: Pace) -> tuple[State, Counts, Pace]:
    """Advance to ``end`` s in error-controlled steps that end on the loads' breaks and on ``end``. Pure.

    Raises StepFailure where a step would have to be below the smallest, or a limit load is reached.
    """
    counts, smallest = Counts(), smallest_step(model)
    interval = end - state.time
    for stop in stops(model, state.time, end):
        while state.time < stop:
            length, last = next_length(model, state, stop, pace, interval)
            target = stop if last else state.time + length
            try:
                trial = doubled(model, one, state, target)
            except FAILURES as error:
                if isinstance(error, LimitLoad) or length <= smallest:
                    raise failure(error, state.time, length) from error
                pace = Pace(max(0.25 * length, smallest), rejected=True)
                counts = counts.plus(Counts(rejected_steps=1))
                continue
            if enters_buffer(model, state, trial.end, length, interval):
                pace = Pace(reduced_step(model, interval), rejected=True)
                counts = counts.plus(replace(trial.counts, steps=0, smallest_step=np.inf, rejected_steps=1))
                continue
            if trial.error <= 1.0 or (trial.event and length <= smallest):
                state, pace = trial.end, accepted(pace, trial, length)
                counts = counts.plus(trial.counts)
                continue
            if length <= smallest:
                raise StepFailure(
                    state.time,
                    f"the estimated error is {trial.error:.3g} times what error_tolerance = "
                    f"{model.options.error_tolerance:.3g} allows even with the smallest step, {smallest:.3g} s",
                    ADVICE,
                )
            shrink = float(np.clip(SAFETY * trial.error**-trial.k, 0.1, SAFETY))
            pace = Pace(max(shrink * length, smallest), rejected=True)
            counts = counts.plus(replace(trial.counts, steps=0, smallest_step=np.inf, rejected_steps=1))
    return state, counts, pace


def smallest_step(model: Model) -> float:
    """Length below which no step is tried, s."""
    return model.options.min_step or 1e-10 * model.problem.t_end


def next_length(model: Model, state: State, stop: float, pace: Pace, interval: float) -> tuple[float, bool]:
    """Length of the next step, s, and whether it ends on ``stop`` s; two equal ones where less than two are left."""
    length, left = pace.step, stop - state.time
    if model.explicit is not None:
        length = min(length, model.explicit.step)
    control = model.options.step_control
    if control is not None and control.near(model, state):
        length = min(length, reduced_step(model, interval))
    if length >= left * (1.0 - 1e-9):
        return left, True
    return (0.5 * left if 2.0 * length > left else length), False


def reduced_step(model: Model, interval: float) -> float:
    """Largest step near contact, s, where ``interval`` s is the largest elsewhere; infinite without step control."""
    control = model.options.step_control
    return np.inf if control is None else control.reduced(interval)


def enters_buffer(model: Model, start: State, end: State, length: float, interval: float) -> bool:
    """Whether a step longer than near contact came near an obstacle that it was clear of: it is taken again, shorter."""
    control = model.options.step_control
    if control is None or length <= reduced_step(model, interval) * (1.0 + 1e-9):
        return False
    return control.near(model, end) and not control.near(model, start)


def doubled(model: Model, one: Stepper, state: State, end: float) -> Doubled:
    """Take one step to ``end`` s and two halves, compare. Raises what the step function raises."""
    length = end - state.time
    middle = state.time + 0.5 * length
    whole, spent = one(of_step(model, length), state, length, end)
    halved = of_step(model, 0.5 * length)
    half, first = one(halved, state, middle - state.time, middle)
    new, second = one(halved, half, end - middle, end)
    kinks = model.law.set_valued and model.problem.foundation is not None
    event = kinks and any(changes(a, b) for a, b in ((state, half), (half, new), (new, whole)))
    tolerance = model.options.error_tolerance
    assert tolerance is not None
    speed = speed_scale(model, state, new)
    slow = EVENT_SHARE * tolerance * speed
    missed = missed_start(model, half, new, length)
    touch = contact_event(model, state, half, new, whole, slow)
    event = event or missed > 0.0 or touch.happens
    if kinks and not (event or model.quasi_static):
        event = arrives(state, new, slow)
    order = 1 if event else scheme_order(model)
    apart = distance(model, state, new, whole, velocities=not touch.hits) / (2.0**order - 1.0)
    gap = max(apart, missed / speed, 0.5 * length * max(touch.jump / model.radius, touch.kick / speed))
    allowed = tolerance * (EVENT_SHARE if event else length / model.problem.t_end)
    counts = replace(spent, steps=0).plus(first).plus(second)
    counts = replace(counts, smallest_step=0.5 * length / max(first.steps, 1))
    return Doubled(new, max(gap / allowed, 1e-12), 0.5 if event and not touch.steep else 1.0 / order, event, counts)


def of_step(model: Model, length: float) -> Model:
    """The model whose compiled explicit loop takes ``length`` s in one step, if it is stable; any other model as it is."""
    return model if model.explicit is None else replace(model, explicit=replace(model.explicit, step=length))


def scheme_order(model: Model) -> int:
    """Order of convergence that error control counts on; 1 for the explicit scheme, whose friction takes the direction at the
    end of each kick."""
    return 1 if model.scheme is None else model.scheme.order


def missed_start(model: Model, half: State, new: State, length: float) -> float:
    """Velocity, m/s, that nodes at rest have missed by a step of ``length`` s with forces in the mean over it."""
    scheme = model.scheme
    if scheme is None or not (scheme.needs_start_force and model.law.set_valued):
        return 0.0
    matrix: Any = getattr(model.mass, "matrix", model.mass)
    ahead = _rows(1.5 * new.multiplier - 0.5 * half.multiplier)
    law = model.law_at(new.time) if isinstance(model, BeamModel) else model.law
    size, bound = against_bound(law, ahead, model.friction_weights(new.time))
    rests = ~np.any(_rows(half.sliding), axis=1) & ~np.any(_rows(new.sliding), axis=1)
    excess = np.where(rests, size - bound * (1.0 + 1e-9), 0.0)
    mass = matrix.diagonal()
    if isinstance(model.body, RigidBody):  # whose friction points have no mass of their own, but a share of the area
        mass = model.mass.total * model.body.friction.weights / model.body.friction.weights.sum()
    return float(np.max(np.maximum(excess, 0.0) * 0.5 * length / mass))


def changes(a: State, b: State) -> bool:
    """Whether a node rests in one state and slides in the other, or slides against its direction in the other."""
    one, two = _rows(a.sliding), _rows(b.sliding)
    rests = np.any(one, axis=1) != np.any(two, axis=1)
    return bool(np.any(rests | (np.einsum("ia,ia->i", one, two) < 0.0)))


def arrives(start: State, end: State, slow: float) -> bool:
    """Whether a node slides slower than ``slow`` m/s at the start or the end, its velocity changing by a percent or more."""
    one, two = _rows(start.sliding), _rows(end.sliding)
    sizes = np.linalg.norm(one, axis=1), np.linalg.norm(two, axis=1)
    least, most = np.minimum(*sizes), np.maximum(*sizes)
    return bool(np.any((most > 0.0) & (least <= slow) & (np.linalg.norm(two - one, axis=1) > 0.01 * most)))


def _rows(field: Any) -> Any:
    return field.reshape(len(field), -1)


def accepted(pace: Pace, trial: Doubled, length: float) -> Pace:
    """The controller after an accepted step of ``length`` s."""
    factor = SAFETY * trial.error ** (-INTEGRAL * trial.k) * pace.error ** (PROPORTIONAL * trial.k)
    factor = float(np.clip(factor, 0.2, 1.0 if pace.rejected else 4.0))
    longer = factor * length
    if length < pace.step and factor >= 1.0:  # cut off at a stop: its error says nothing against the step before
        longer = max(longer, pace.step)
    return Pace(longer, 1.0 if trial.event else max(trial.error, 1e-4))
