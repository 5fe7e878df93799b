"""A step of a rigid body in space, divided where points land.

A step holds the points that touch as it begins and do not approach (``kernels.contact``); where another one comes to an obstacle
within it, it ends there: Newton's method on its length makes the gap zero up to rounding. At that instant all points that touch
have an impact without restitution,

    M (w⁺ − w⁻) = Hᵀ P,    u⁺ = u⁻ + H M⁻¹ Hᵀ P,    0 <= P_n ⟂ u_n⁺ >= 0,    P_t in the disc of μ P_n, against u_t⁺,

(Moreau 1988), which takes −½ Σ P·(u⁻ + u⁺) of the energy. So landings have the order of the scheme. A body that rocks lands ever
faster as it comes to rest: after ``MAX_LANDINGS`` of them a step is ended by one of backward Euler, in which points land, and those
that approach at its end stop in the next."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.protocol import Mask
from floating_frame.frame.kinematics import Array
from floating_frame.scheme.instants import released_state
from floating_frame.scheme.staged import LANDING, StepResult, one_step, split_at_event
from floating_frame.stepping.impacts import LANDING_GAP, after_impact, energy_lost, land
from floating_frame.system.model import RunModel
from floating_frame.system.space.ground import APPROACHES, LANDS, TOUCHING
from floating_frame.system.space.system import SpaceRigidSystem
from floating_frame.system.state import Counts, State
from friction.cone import SLIPS, solve_cone

MAX_LANDINGS = 12
"""Landings in a step after which its rest is one step of backward Euler."""
SAMPLES = 16
"""Instants of a step at which the cubic of a gap is evaluated to see where it closes first."""


def landing_step(model: RunModel, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body in space by ``dt`` s to ``end`` s (default time + dt). Raises what a shorter step may cure."""
    system, end = model.system, state.time + dt if end is None else end
    assert isinstance(system, SpaceRigidSystem)
    assert model.scheme is not None
    scheme, counts, landed = model.scheme._replace(lands=False), Counts(), np.zeros(len(state.friction.slip), np.bool_)
    lands = state.friction.impact is not None and bool(approaching(system, state).any())
    for number in range(MAX_LANDINGS + 1):
        if not lands:
            state, hits = impact(system, state)
            landed |= hits
        if not state.time < end:
            break
        lands = lands or number == MAX_LANDINGS or system.painleve(state) <= 0.0
        if lands:
            taken = _advance(LANDING, system, state, end)
            assert taken is not None
            assert taken[0].friction.impact is not None
            landed |= taken[0].friction.impact.points
        else:
            taken = _advance(scheme, system, state, end) or _to_touch(scheme, system, state, end)
        state, counts = taken[0], counts.plus(taken[1])
    status = np.where(landed, np.int8(LANDS), state.friction.status)
    return replace(state, friction=state.friction._replace(status=status)), counts


def _advance(scheme: Scheme, system: SpaceRigidSystem, state: State, end: float) -> tuple[State, Counts] | None:
    """Take one step to ``end`` s; None where a point lands that may not."""
    return split_at_event(partial(_one, scheme, system), state, end - state.time, end)


def _one(scheme: Scheme, system: SpaceRigidSystem, state: State, dt: float, end: float, cut: bool) -> StepResult | None:
    return one_step(scheme, system, state, dt, end, cut=cut)


def _to_touch(scheme: Scheme, system: SpaceRigidSystem, state: State, end: float) -> tuple[State, Counts]:
    """Advance to the first touch of a point that was apart, or to ``end`` s."""
    flying, apart, length = system.flying, system.apart(state, end), end - state.time

    def one(start: State, _dt: float, stop: float) -> tuple[State, Counts]:
        taken = _advance(scheme, flying, start, stop)
        assert taken is not None
        return taken

    def gaps(at: State) -> tuple[Array, Array]:
        """Gaps, m, of the points that were apart, and their rates, m/s."""
        found = system.contacts.at(at.motion.configuration, at.time)
        return found.gaps[apart], found.slip(at.motion.velocity)[apart, 2]

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


def approaching(system: SpaceRigidSystem, state: State) -> Mask:
    """Return which points (m,) touch and approach."""
    motion = state.motion
    at, speed = system.contacts.at(motion.configuration, state.time), np.linalg.norm(motion.velocity, axis=1)
    scale = float(speed @ [1.0, system.radius]) + float(np.abs(at.obstacle_velocity).max(initial=0.0))
    return np.asarray((np.abs(at.gaps) <= TOUCHING) & (state.friction.slip[:, 2] < -APPROACHES * scale))


def impact(system: SpaceRigidSystem, state: State) -> tuple[State, Mask]:
    """State after the impact of the points that touch at its instant and approach, and these points (m,)."""
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
        broke = (solved.status == SLIPS) & (mu > kinetic)
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
