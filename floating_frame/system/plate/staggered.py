"""The staggered stage: the one file where the rigid pass and the elastic pass exchange (docs/theory.md, section 6).

1. Predict the frame at the end of the stage from (3.4)1 with the accelerations at hand.
2. Elastic pass in that frame: nodal equilibrium and friction for the sliding velocity V; unknowns and tangent live in
   the frame, inertia comes from the inertial nodal history.
3. Rigid pass: with the friction just found and the frame condition put in, solve (3.4)1 for q'' and advance q', q.
4. Repeat in the corrected frame until the elastic residual holds there without a correction and q stands still.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.signorini_elastic import PlateContact
from floating_frame.errors import NotConverged, in_pass
from floating_frame.frame import inertia
from floating_frame.frame.kinematics import Array, FrameMotion, to_body, to_inertial
from floating_frame.frame.moments import Moments, moments
from floating_frame.frame.rigid_modes import resultant
from floating_frame.model import Model
from floating_frame.system.plate.elastic import NodalHistory, StageEquilibrium
from floating_frame.system.plate.pass_forces import ActingEffects
from floating_frame.system.state import Counts
from friction import TrescaOptions
from friction import solve as solve_friction
from friction.stick import incoming_slip

MAX_PASSES = 30
MAX_SWEEPS = 60
CONTACT_FALLBACK = 60
"""Iterations of the globally convergent method that a pass with penalty contacts may take."""
FRAME_TOLERANCE = 1e-10


@dataclass(frozen=True, kw_only=True)
class NodalStage:
    """A solved stage of nodes and frame, inertial components: x, v, a, λ and slip (N, 2); ``status`` codes of ``friction``;
    ``motion``: the frame as (3.4)1 advanced it; ``internal`` (N, 2) N: the body's own force (not weighted); ``found``: moments
    of (x, v, a); ``contact``: exact contacts."""

    position: Array
    velocity: Array
    acceleration: Array
    multiplier: Array
    slip: Array
    status: NDArray[np.int8]
    motion: FrameMotion
    internal: Array
    found: Moments
    counts: Counts
    contact: PlateContact | None = None


@dataclass(frozen=True, kw_only=True)
class NodalGuess:
    """Where a stage starts: inertial nodal velocity and multiplier (N, 2), frame accelerations (3,); ``touch`` (m, 2) N of exact
    contacts."""

    velocity: Array
    multiplier: Array
    accelerations: Array
    touch: Array | None = None


def solve_staggered(
    model: Model,
    history: NodalHistory,
    guess: NodalGuess,
    acting: ActingEffects,
    *,
    reference: Array,
    held: NDArray[np.bool_] | None = None,
) -> NodalStage:
    """Solve one stage under the smooth effects ``acting``. ``reference`` (N, 2): inertial slip velocity against which nodes
    count as reversed; ``held`` (N,): nodes kept at rest (reversal guard). Raises friction.FrictionSolveError,
    NotPositiveDefinite, FrameUndefined, NotConverged."""
    options = TrescaOptions(rtol=model.options.tolerance)
    if (
        acting.may_jump
    ):  # a damper that jumps at first touch may leave a stage without solution: a shorter step is the cure
        options = replace(options, max_fallback_iterations=CONTACT_FALLBACK)
    velocity, multiplier, weights = guess.velocity, guess.multiplier, history.friction_weights
    motion = advance_frame(history, guess.accelerations)
    touch = None if model.exact is None else PlateContact(model, model.exact, history, guess.touch)
    if touch is not None:
        touch.settled(velocity)
    counts = Counts()
    for _ in range(MAX_PASSES):
        part = StageEquilibrium(model, history, motion, velocity, acting.in_pass(motion.angle, velocity))
        inner = partial(
            solve_friction,
            part,
            weights,
            law=history.friction.law.rotated(motion.angle),
            reference=to_body(reference, motion.angle),
            fixed=held,
            cache=model.cache,
            key=(history.tau_x, history.tau_v, history.force_weight),
            options=options,
        )
        start, last = to_body(velocity - history.ground, motion.angle), to_body(multiplier, motion.angle)
        with in_pass(counts.passes + 1, history.time):
            if touch is None:
                result = inner(velocity=start, multiplier=last)
            else:
                result = touch.solve(part, motion.angle, inner, start, last)
        sliding = to_inertial(result.velocity, motion.angle)
        reference = incoming_slip(model.law, reference, sliding)
        velocity = sliding + history.ground
        multiplier = to_inertial(result.multiplier, motion.angle)
        position = history.position + history.tau_x * velocity
        acceleration = (velocity - history.velocity) / history.tau_v
        settled = touch is None or touch.settled(velocity)
        found = moments(model.mass, position, velocity, acceleration)
        applied = history.load + acting.force(position, velocity) - multiplier
        if touch is not None:
            applied = applied + touch.force
        advanced, sweeps = rigid_pass(model, history, found, resultant(applied, position, found.centre), motion)
        counts = counts.plus(
            Counts(
                passes=1,
                newton=result.iterations + result.fallback_iterations,
                factorisations=result.factorisations,
                fallbacks=int(result.fallback_iterations > 0),
                sweeps=sweeps,
            )
        )
        moved = frame_change(model, history, advanced, motion)
        solved_in_this_frame = result.iterations + result.fallback_iterations == 0
        internal = to_inertial(part.internal_force(result.velocity), motion.angle)
        motion = advanced
        if counts.passes > 1 and solved_in_this_frame and settled and moved <= FRAME_TOLERANCE:
            break
    else:
        raise NotConverged(
            f"the staggered passes of the stage ending at t = {history.time:.9g} s did not settle in {MAX_PASSES} "
            f"passes (the frame still moves by {moved:.3g} of its scale)"
        )
    return NodalStage(
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        multiplier=multiplier,
        slip=sliding,
        status=result.state,
        motion=motion,
        internal=internal,
        found=found,
        counts=counts,
        contact=touch,
    )


def advance_frame(history: NodalHistory, accelerations: Array) -> FrameMotion:
    """The stage formula for the frame: q' = q'* + τ_v q'', q = q* + τ_x q'."""
    if not np.isfinite(history.tau_v):  # no inertia, no accelerations
        return FrameMotion(history.coordinates + history.tau_x * history.rates, history.rates, np.zeros(3))
    rates = history.rates + history.tau_v * accelerations
    return FrameMotion(history.coordinates + history.tau_x * rates, rates, accelerations)


def rigid_pass(
    model: Model, history: NodalHistory, found: Moments, forces: Array, start: FrameMotion
) -> tuple[FrameMotion, int]:
    """Solve (3.4)1 for q'' with the frame condition put in, and advance q', q by the stage formula.

    L, K and J_zz follow the frame, hence a few sweeps of a fixed point with a factor of order Δt. ``forces`` (F_x, F_y,
    M_z). Returns the frame motion and the number of sweeps; raises NotConverged.
    """
    if not np.isfinite(history.tau_v):
        return model.frame.decompose(found, model.mass, start.angle), 0  # no inertia: (3.4)1 is the balance of forces
    zero = np.zeros(2)
    motion = start
    for sweep in range(1, MAX_SWEEPS + 1):
        moment, moment_of_inertia = model.frame.substitute(found, motion.angle, motion.spin)
        values = inertia.Integrals(model.mass.total, zero, zero, zero, L=moment, J_zz=moment_of_inertia, K=found.yv)
        known = (
            inertia.coriolis(values, motion.angle, motion.spin)
            + inertia.centrifugal(values, motion.angle, motion.spin)
            + inertia.relative(values, motion.angle)
        )
        accelerations = np.asarray(np.linalg.solve(inertia.mass_matrix(values, motion.angle), forces - known), float)
        advanced = advance_frame(history, accelerations)
        moved = frame_change(model, history, advanced, motion)
        motion = advanced
        if moved <= 1e-3 * FRAME_TOLERANCE:
            return motion, sweep
        if not abs(motion.spin) < 1e100:  # diverges; the next sweep's squares would overflow
            break
    raise NotConverged(
        f"the rigid pass of the stage ending at t = {history.time:.9g} s did not settle in {sweep} sweeps "
        f"(the frame still moves by {moved:.3g} of its scale)"
    )


def frame_change(model: Model, history: NodalHistory, new: FrameMotion, old: FrameMotion) -> float:
    """Largest change of the frame between two passes: positions over the body's radius of gyration, angles over 1 rad,
    rates over the same per τ_x."""
    radius = np.sqrt(model.mass.second_moment / model.mass.total)
    scale = np.array([radius, radius, 1.0]) + np.abs(new.coordinates)
    rate_scale = scale / history.tau_x + np.abs(new.rates)
    return float(
        max(
            (np.abs(new.coordinates - old.coordinates) / scale).max(),
            (np.abs(new.rates - old.rates) / rate_scale).max(),
        )
    )
