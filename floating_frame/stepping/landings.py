"""A step of a rigid body in space, divided where points land, open, stop slipping or turn their slip.

A step keeps the contacts of points that touch at its start and do not approach (``kernels.contact``). Where another point reaches
an obstacle, the step ends: Newton's method on its length makes the gap zero up to rounding. At that instant all touching points
have an impact without restitution,

    M (w⁺ − w⁻) = Hᵀ P,    u⁺ = u⁻ + H M⁻¹ Hᵀ P,    0 <= P_n ⟂ u_n⁺ >= 0,    P_t in the disc of μ P_n, against u_t⁺,

(Moreau 1988), with the energy loss −½ Σ P·(u⁻ + u⁺). So landings have the order of the scheme. A rocking body lands ever faster as
it comes to rest: after ``MAX_LANDINGS`` landings backward Euler ends the step; points land in it, and points that approach at its
end stop in the next.

Friction jumps where slip goes through zero, and turns fast where it passes close to zero; normal forces follow it. Schemes that cut
steps at events repeat the step up to the instant at which u leaves a cone about the slip u₀ at the step's start,

    u·u₀/|u₀| − cos α |u| = 0,    of the rate u'·(u₀/|u₀| − cos α u/|u|),

also at u = 0; and up to the opening of a loaded point. Friction is smooth in each part of the step."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.protocol import Mask
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.scheme.instants import released_state
from floating_frame.scheme.staged import LANDING, StepResult, one_step, split_at_event
from floating_frame.stepping.impacts import LANDING_GAP, after_impact, energy_lost, land
from floating_frame.system.model import RunModel
from floating_frame.system.space.ground import APPROACHES, LIGHT, TOUCHING, TURNS
from floating_frame.system.space.system import SpaceRigidSystem
from floating_frame.system.state import Counts, State
from friction.arrays import row_norms
from friction.cone import solve_cone
from friction.errors import Failure
from friction.status import LANDED, SLIP

MAX_LANDINGS = 12
"""Landings in a step after which its remainder is one step of backward Euler."""
RESTS, OPENS = 1e-9, 0.03
"""Tolerances, over the step, of instants of rest or turning slip, and of opening: only at the former forces jump."""
SOON = 1e-3
"""Initial part of a step in which an end of slip is no cut."""
MAX_EVENTS = 24
"""Ends of slip, turns and openings at which a step is cut."""
NEWTON = 12
"""Steps of Newton's method for such an instant, before bisection."""
SAMPLES = 16
"""Instants of a step at which the cubic of a gap is evaluated for its first zero."""


def landing_step(model: RunModel, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body in space by ``dt`` s to ``end`` s (default time + dt). Raises errors that a shorter step may avoid."""
    system, end = model.system, state.time + dt if end is None else end
    assert isinstance(system, SpaceRigidSystem)
    assert model.scheme is not None
    scheme, counts, landed = model.scheme._replace(lands=False), Counts(), np.zeros(len(state.friction.slip), np.bool_)
    lands = state.friction.impact is not None and bool(approaching(system, state).any())
    events = 0
    for number in itertools.count():
        if not lands:
            state, hits = impact(system, state)
            landed |= hits
        if not state.time < end:
            break
        lands = lands or number - events == MAX_LANDINGS or system.painleve(state) <= 0.0
        if lands:
            result = _advance(LANDING, system, state, end)
            assert result is not None
            assert result[0].friction.impact is not None
            landed |= result[0].friction.impact.points
        else:
            result = _advance(scheme, system, state, end) or _to_touch(scheme, system, state, end)
            if scheme.cuts and events < MAX_EVENTS:
                last, result = result[0].time, _to_event(scheme, system, state, *result)
                events += result[0].time < last
        state, counts = result[0], counts.plus(result[1])
    status = np.where(landed, np.int8(LANDED), state.friction.status)
    return replace(state, friction=state.friction._replace(status=status)), counts


def _advance(scheme: Scheme, system: SpaceRigidSystem, state: State, end: float) -> tuple[State, Counts] | None:
    """Take one step to ``end`` s; None for a landing that the scheme excludes."""
    return split_at_event(partial(_one, scheme, system), state, end - state.time, end)


def _one(scheme: Scheme, system: SpaceRigidSystem, state: State, dt: float, end: float, cut: bool) -> StepResult | None:
    at_rest = not state.friction.slip.any()  # ``_to_event`` treats reversals
    return one_step(scheme, system, state, dt, end, cut=cut and at_rest)


def _to_touch(scheme: Scheme, system: SpaceRigidSystem, state: State, end: float) -> tuple[State, Counts]:
    """Advance to the first touch of a point that was apart, or to ``end`` s."""
    flying, apart, length = system.flying, system.apart(state, end), end - state.time

    def one(start: State, _dt: float, stop: float) -> tuple[State, Counts]:
        result = _advance(scheme, flying, start, stop)
        assert result is not None
        return result

    def gaps(at: State) -> tuple[Array, Array]:
        """Gaps, m, of the points that were apart, and their rates, m/s."""
        contacts = system.contacts.at(at.motion.configuration, at.time)
        return contacts.gaps[apart], contacts.slip(at.motion.velocity)[apart, 2]

    def lowest(at: State) -> tuple[float, float]:
        gap, rate = gaps(at)
        least = int(np.argmin(gap))
        return float(gap[least]), float(rate[least])

    trial, counts = one(state, length, end)
    (g, u), (h, w) = gaps(state), gaps(trial)
    s = np.arange(1, SAMPLES + 1)[:, None] / SAMPLES
    cubic = g + s * (length * u + s * (3.0 * (h - g) - length * (2.0 * u + w) + s * (2.0 * (g - h) + length * (u + w))))
    tolerance = LANDING_GAP * (system.radius + float(np.abs(state.position).max()))
    closed = (cubic < -tolerance).any(axis=1)
    if not closed.any():
        return trial, counts
    touch = length * float(s[np.argmax(closed), 0])
    return land(one, lowest, (state, trial), touch, tolerance, counts)


def _to_event(
    scheme: Scheme, system: SpaceRigidSystem, state: State, trial: State, counts: Counts
) -> tuple[State, Counts]:
    """First state before ``trial`` at which a sliding point rests or turns back, or a loaded one is open; ``trial`` if there is
    none."""
    length, slip, force = trial.time - state.time, state.friction.slip[:, :2], -state.friction.multiplier[:, 2]
    speed, rates = row_norms(slip), row_norms(slip_rates(system, state)[:, :2])
    slides = (force > 0.0) & (speed > SOON * length * rates)
    along = slip[slides] / speed[slides, None]

    def slowest(at: State) -> tuple[float, float]:
        """Least margin, m/s, of slip to the cone about its start, of sliding points that press; its rate, m/s²."""
        slip, rates = at.friction.slip[slides, :2], slip_rates(system, at)[slides, :2]
        size = row_norms(slip)
        margin = np.einsum("ma,ma->m", slip, along) - TURNS * size
        margin = np.where(at.friction.multiplier[slides, 2] < 0.0, margin, np.inf)
        least = int(np.argmin(margin))
        turned = TURNS * slip[least] / size[least] if size[least] else np.zeros(2)
        return float(margin[least]), float(rates[least] @ (along[least] - turned))

    presses = force > LIGHT * force.max(initial=0.0)

    def lightest(at: State) -> tuple[float, float]:
        """Least normal force, N, of points loaded at the start; its rate is nan."""
        return float(-at.friction.multiplier[presses, 2].max()), np.nan

    for value, chosen, tolerance in ((slowest, slides, RESTS), (lightest, presses, OPENS)):
        if chosen.any():
            trial, counts = _to_zero(scheme, system, state, trial, counts, value, tolerance)
    return trial, counts


def _to_zero(
    scheme: Scheme,
    system: SpaceRigidSystem,
    state: State,
    trial: State,
    counts: Counts,
    value: Callable[[State], tuple[float, float]],
    tolerance: float,
) -> tuple[State, Counts]:
    """State within ``tolerance`` of the step after the zero of ``value``, which is positive in ``state``; ``trial`` if it is
    positive there. ``value``: a state -> a number, and its rate (nan: unknown)."""
    if value(trial)[0] > 0.0:
        return trial, counts
    (current, rate), before, after, length = value(state), 0.0, trial.time - state.time, trial.time - state.time
    for look in itertools.count():
        if after - before <= 2.0 * tolerance * length:
            break
        newton = -current / rate if rate < 0.0 else np.inf
        at = before + newton * (0.95 if newton > tolerance * length else 1.05)
        at = at if look < NEWTON and before < at < after else 0.5 * (before + after)
        try:
            result = _advance(scheme, system.flying, state, state.time + at)
        except Failure:  # keep the longer step
            break
        assert result is not None
        counts, new = counts.plus(result[1]._replace(steps=0)), value(result[0])
        if new[0] > 0.0:
            before, (current, rate) = at, new
        else:
            after, trial = at, result[0]
    return trial, counts


def slip_rates(system: SpaceRigidSystem, state: State) -> Array:
    """Rates (m, 3) m/s² of the points' slip with the accelerations of a state."""
    motion, (change, moment), spin = state.motion, state.motion.acceleration, state.motion.velocity[1]
    turning = moment - cross(spin, system.moment_of_momentum(motion.configuration[1], spin))
    rates = np.linalg.solve(system.mass_matrix(motion), np.concatenate([system.body.mass * change, turning]))
    at = system.contacts.at(motion.configuration, state.time)
    return (at.pulls.T @ rates).reshape(-1, 3) + system.contacts.convective_rates(at, motion, state.time)


def approaching(system: SpaceRigidSystem, state: State) -> Mask:
    """Mask (m,) of points that touch and approach."""
    motion = state.motion
    at, speed = system.contacts.at(motion.configuration, state.time), np.linalg.norm(motion.velocity, axis=1)
    scale = float(speed @ [1.0, system.radius]) + float(np.abs(at.obstacle_velocity).max(initial=0.0))
    return np.asarray((np.abs(at.gaps) <= TOUCHING) & (state.friction.slip[:, 2] < -APPROACHES * scale))


def impact(system: SpaceRigidSystem, state: State) -> tuple[State, Mask]:
    """State after the impact of the touching points that approach, and their mask (m,)."""
    hits, motion = approaching(system, state), state.motion
    if not hits.any():
        return state, hits
    at = system.contacts.at(motion.configuration, state.time)
    touches = np.abs(at.gaps) <= TOUCHING
    slip = at.slip(motion.velocity)
    rows = at.pulls.T.reshape(-1, 3, 6)[touches].reshape(-1, 6)
    answers, before = np.linalg.solve(system.mass_matrix(motion), rows.T), slip[touches]
    mu, kinetic = system.friction.at_rest(slip)[touches], system.friction.coefficient[touches]
    for _ in range(len(before) + 1):
        solved = solve_cone(rows @ answers, before, mu, np.zeros_like(before), 0.0)
        broke = (solved.status == SLIP) & (mu > kinetic)
        if not broke.any():
            break
        mu = np.where(broke, kinetic, mu)
    change = answers @ solved.force.ravel()
    new = motion._replace(velocity=(motion.velocity[0] + change[:3], motion.velocity[1] + change[3:]))
    after, given = at.slip(new.velocity)[touches], np.zeros_like(slip)
    given[touches] = solved.force
    work = float(np.vdot(at.in_space(given), at.obstacle_velocity))
    loss = energy_lost(solved.force, before, after)
    return released_state(system, after_impact(system, state, new, work, loss)), hits
