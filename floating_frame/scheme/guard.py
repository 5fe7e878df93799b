"""The guard of a step with a set-valued law: cuts at jumps of friction, and arrests without backward motion.

**Cuts.** Where a whole body reverses, or breaks loose from a static bound that is larger than the kinetic one, friction jumps by j
within the step, at t_n + θ Δt. Its mean over the step would be wrong by O(j), and the velocity, permanently, by O(Δt j/m). The step
is cut there (``cut_fraction``).

A body reverses if its driving force exceeds the bound. With v_n the relative velocity at the start and M_n = ⟨v_n, M v_n⟩, the
powers of inertia and friction along it are

    I = (M_n − ⟨v, M v_n⟩)/Δt,    P = Σ b_s Σ λ_s·s_n,    W = Σ λ(s_n)·s_n,    θ = M_n/(Δt (I + W − P)),

and I − P drives the body back: by more than W where sliding friction cannot hold it. The second part decides on static friction. A
body at rest breaks loose at the end θ of the instants at which friction can hold it, by bisection.

**Arrests.** A scheme that is not algebraically stable may end an arrest of a point (or of a rigid body as a whole) with V·V_n < 0,
of size O(Δt w/m). Such a group is fixed to the ground in the last stage if friction can hold it in the mean Σ b_s λ_s over the
step; otherwise it may slide back. A group is fixed and released at most once, so the rounds end.
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
"""Halvings of a step in which a body breaks loose, for a cut within a millionth of it."""


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
    """Fraction θ of the step up to which friction holds the body, at rest at the start; 0 where it slides at once, never, or under
    a bound without a drop."""
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
    """True if friction holds the body on the ground ``lag`` s after the step's start (0: at the right limits of data), after rest
    until then."""
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
    """Last stage without reversals that friction can prevent, and True if a point is fixed; None for a landing that the scheme
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
