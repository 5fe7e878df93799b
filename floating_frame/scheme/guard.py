"""The guard of a step with a set-valued law: where the step is cut, and that an arrest does not throw a body backwards.

**Cuts.** Where a whole body reverses, or breaks loose from a static bound that is larger than the kinetic one, friction jumps
within the step, at t_n + θ Δt, and no stage sees θ. Friction's mean over the step is then wrong by its jump j, and the velocity by
O(Δt j/m) for good. So the step is cut there (``cut_fraction``), and each part has one friction.

A body whose driving force exceeds the bound reverses. With v_n the velocity at the start against the ground and M_n = ⟨v_n, M v_n⟩,
the powers of inertia and friction along it are

    I = (M_n − ⟨v, M v_n⟩)/Δt,    P = Σ b_s Σ λ_s·s_n,    W = Σ λ(s_n)·s_n,    θ = M_n/(Δt (I + W − P)),

and I − P is what drives the body back, more than W where sliding friction cannot hold it. Whether static friction does, the second
part says. A body at rest breaks loose where friction cannot hold it on the ground any more: θ is the end of the instants at which
it can, found by bisection.

**Arrests.** A scheme that is not algebraically stable may leave a point (or a rigid body as a whole) that comes to rest within the
step with V·V_n < 0, of size O(Δt w/m). Such a group is held at rest on the ground in the last stage if friction can do so in the
mean Σ b_s λ_s over the step; otherwise it may slide back, as it may where no forces hold it. A group enters and leaves the held
ones at most once, so the rounds end.
"""

from __future__ import annotations

import numpy as np

from floating_frame.effect.protocol import Motion, axpy, pair, scaled
from floating_frame.frame.kinematics import Array
from floating_frame.system.pressure_iteration import consistent, solve_stage
from floating_frame.system.protocol import Guess, Partial, Stage, StageHistory, System
from friction.errors import RigidFrictionError
from friction.stick import MAX_STICK_ROUNDS, has_breakaway_drop, slip_reverses

MIN_FRACTION = 1e-9
"""Least fraction of a step that is split off."""
_BISECTIONS = 20
"""Halvings of a step in which a body breaks loose: it is cut within a millionth of it."""


def cut_fraction(system: System, partial: Partial, stage: Stage) -> float:
    """Fraction θ of the step at which friction jumps under the whole body, 0 for none."""
    if not np.any(partial.state.friction.slip[:, :2]):
        return release_fraction(system, partial, stage)
    return reversal_fraction(system, partial, stage)


def reversal_fraction(system: System, partial: Partial, stage: Stage) -> float:
    """Fraction θ of the step at which the body reverses, 0 for none: all friction points slide at its start and end at rest or
    reversed, under a driving force above sliding friction."""
    start, first = partial.state, partial.stages[0] if partial.stages else stage
    if not system.friction.translates or not slip_reverses(start.friction.slip[:, :2], stage.friction.slip[:, :2]):
        return 0.0
    ground = system.friction.ground(start.time, left=False)
    slip = system.slip(start.time, start.motion, ground)[:, :2]
    before = axpy(start.motion.velocity, -1.0, system.ground_rates(ground))
    momentum = system.apply_mass(system.momentum(start.motion._replace(velocity=before)))
    end = axpy(stage.motion.velocity, -1.0, system.ground_rates(stage.problem.ground))
    inertia, remaining = pair(before, momentum), pair(end, momentum)
    multiplier = sum(
        b * s.friction.multiplier[:, :2] for b, s in zip(partial.weights, [*partial.stages, stage], strict=True)
    )
    sliding = float(np.vdot(system.friction.sliding(first.problem, slip, first.friction.multiplier), slip))
    driving = (inertia - remaining) / partial.dt - float(np.vdot(multiplier, slip))
    if 0.0 < sliding < driving:
        fraction = inertia / (partial.dt * (driving + sliding))
        if MIN_FRACTION < fraction < 1.0:
            return fraction
    return 0.0


def release_fraction(system: System, partial: Partial, stage: Stage) -> float:
    """Fraction θ of the step up to which friction holds the body, at rest at the start, 0 where it slides at once, at no time, or
    under a bound that does not drop."""
    if not (has_breakaway_drop(stage.problem.shared) and np.any(stage.friction.slip)):
        return 0.0
    if not holds_at(system, partial, 0.0) or holds_at(system, partial, partial.dt):
        return 0.0
    resting, loose = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (resting + loose)
        resting, loose = (middle, loose) if holds_at(system, partial, middle * partial.dt) else (resting, middle)
    return resting


def holds_at(system: System, partial: Partial, lag: float) -> bool:
    """True if friction holds the body on the ground ``lag`` s after the step's start (0: at the right limit of what depends on
    time), after it rested there until then."""
    (state, *_), ground = partial, system.friction.ground
    time, left = state.time + lag, lag > 0.0
    rates = system.ground_rates(ground(time, left=left))
    mean = system.ground_rates(ground(state.time + 0.5 * lag, left=left))
    place = system.retract(state.motion.configuration, scaled(lag, mean))
    internal = [record.internal for record in state.records]
    instant = consistent(system, time, Motion(place, rates, state.motion.acceleration), internal, left=left)
    onset = instant.motion._replace(velocity=instant.motion.acceleration)
    return not np.any(system.slip(time, onset, system.friction.ground_acceleration(time, left=left)))


def without_reversal(
    system: System, history: StageHistory, partial: Partial, stage: Stage, reference: Array
) -> tuple[Stage | None, bool]:
    """Last stage without reversals that friction can prevent, and whether any point is held; None for a landing that the scheme
    excludes."""
    original, reverses = stage, system.reversing(history, partial, stage, reference)
    if not reverses.any():
        return stage, False
    b, earlier = partial.weights, np.zeros_like(reference)
    for weight, before in zip(b[:-1], partial.stages, strict=True):
        earlier = earlier + weight * before.friction.multiplier
    fixed, released = np.zeros_like(reverses), np.zeros_like(reverses)
    for _ in range(MAX_STICK_ROUNDS):
        overloaded = system.beyond_bound(history, earlier + b[-1] * stage.friction.multiplier, fixed)
        new = reverses & ~released & ~fixed
        if not (overloaded.any() or new.any()):
            break
        fixed, released = (fixed & ~overloaded) | new, released | overloaded
        motion, friction = stage.motion, stage.friction
        guess = Guess(motion.velocity, motion.acceleration, friction.multiplier)
        try:
            again = solve_stage(system, history, guess, reference, fixed)
        except RigidFrictionError:  # no forces hold the group at rest
            return original, False
        if again is None:
            return None, False
        history = history._replace(friction=again.problem)
        stage = again._replace(counts=stage.counts.plus(again.counts))
        reverses = system.reversing(history, partial, stage, reference)
    return stage, bool(fixed.any())
