"""A step of a deformable body with exact contacts, divided at landings and where a node would pass through an obstacle.

A stage begins with x* = x_n + (1 − θ) Δt v_n. It lies outside the obstacles if the step before had the same length. A first step,
or one after a shorter step, is shortened so that the first node lands at x*. A step in which a node passes through an obstacle, or
around a corner (``tunnelling``), is repeated with half its length.

Nodes that touch at t = 0 and approach have an impact at once, M (v⁺ − v⁻) = Gᵀ P with the algebraic law of ``impacts`` in P,
u_n⁺ >= −e u_n⁻.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse.linalg import splu

from floating_frame.contact.axes import to_axes
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_stage import CLOSED_GAP
from floating_frame.contact.tunnelling import straight_paths
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array
from floating_frame.scheme.staged import step
from floating_frame.stepping.impacts import after_impact, energy_lost, simultaneous_impact
from floating_frame.system.elastic.blocks import plane_motion
from floating_frame.system.model import Model
from floating_frame.system.state import Counts, State

SHORTEST = 1e-7
"""Shortest substep, over the step."""


def plate_contact_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a plate with exact contacts by ``dt`` s to ``end_time``. Raises the errors of ``step``, and Unsolved
    (NotConverged)."""
    exact = model.exact
    assert exact is not None
    assert model.scheme is not None
    end, start = state.time + dt if end_time is None else end_time, state.time
    later = 1.0 - float(model.scheme.position[-1][-1])  # 1 - theta
    counts, impulse, cuts = Counts(), np.zeros_like(state.position), 0
    longest = end - start
    if state.records[-1].multiplier is None:
        state, impulse = initial_impact(model, exact, state)
    while state.time < end:
        remaining = end - state.time
        length = min(remaining, longest, max(_landing(exact, state, remaining, later, model.radius), SHORTEST * dt))
        target = end if length >= remaining * (1.0 - 1e-9) else state.time + length
        new, more = step(model.scheme, model.system, state, target - state.time, target)
        if _goes_through(exact, state, new, later):
            longest, cuts = 0.5 * (target - state.time), cuts + 1
            if longest < SHORTEST * dt:
                raise Unsolved(f"the body goes through an obstacle at t = {state.time:.9g} s however short the step")
            counts = counts.plus(more._replace(steps=0, smallest_step=np.inf, rejected_steps=1))
            continue
        impulse = impulse + (target - state.time) * new.records[-1].force[0]
        counts = counts.plus(more._replace(smallest_step=target - state.time))
        state, longest = new, 2.0 * longest
    *others, last = state.records
    mean = last._replace(force=(impulse / (end - start), *last.force[1:]))
    return replace(state, records=(*others, mean)), counts


def _landing(exact: ExactContacts, state: State, remaining: float, later: float, radius: float) -> float:
    """Length of the step at whose x* the first node lands, s; infinite for no landing within ``remaining`` s."""
    if later <= 0.0:
        return np.inf
    place, velocity = state.position[exact.nodes], state.velocity[exact.nodes]
    reach = later * remaining
    paths = straight_paths(exact, place, reach * velocity, state.time, reach, _tolerance(place))
    touching = exact.gap(place, state.time).gap <= max(paths.tolerance, CLOSED_GAP * radius)
    time = paths.touch(~touching)
    return np.inf if time is None else time / later


def _goes_through(exact: ExactContacts, state: State, new: State, later: float) -> bool:
    """True if a contact node passes through an obstacle between x* and x̂."""
    length = new.time - state.time
    start, end = (s.position[exact.nodes] + later * length * s.velocity[exact.nodes] for s in (state, new))
    paths = straight_paths(exact, start, end - start, state.time + later * length, length, _tolerance(start))
    return paths.goes_through(np.ones(len(start), dtype=np.bool_))


def _tolerance(place: Array) -> float:
    """Rounding of penetrations, m, at ``place`` (m, 2) m."""
    return CLOSED_GAP * float(np.abs(place).max() + np.ptp(place, axis=0).max())


def initial_impact(model: Model, exact: ExactContacts, state: State) -> tuple[State, Array]:
    """State after the impact of the nodes that touch and approach, and the nodal impulses (N, 2) N s, inertial."""
    impulse = np.zeros_like(state.position)
    place = state.position[exact.nodes]
    gap, obstacle = exact.gap(place, state.time), exact.velocity(place, state.time)
    u = to_axes(gap.axes, state.velocity[exact.nodes] - obstacle)
    touching = gap.gap <= CLOSED_GAP * (model.radius + float(np.abs(place).max()))
    if not np.any(touching & (u[:, 0] < 0.0)):
        return state, impulse
    which = np.flatnonzero(touching)
    nodes, axes = exact.nodes[which], gap.axes[which]
    unit = np.zeros((len(state.position), len(which)))
    unit[nodes, np.arange(len(which))] = 1.0
    answers = splu(model.mass.matrix.tocsc()).solve(unit)
    w = np.einsum("ij,iax,jbx->iajb", answers[nodes], axes, axes).reshape(2 * len(which), -1)
    p, after = simultaneous_impact(w, u[which], exact.mu[which], exact.restitution[which])
    given = np.einsum("ka,kax->kx", p, axes)
    velocity = state.velocity + answers @ given
    np.add.at(impulse, nodes, given)
    driven = float(np.einsum("ka,ka->", given, obstacle[which]))
    frame = model.frame_of(state.position, velocity, state.acceleration, state.frame.angle)
    motion = plane_motion(state.position, velocity, state.acceleration, frame)
    motion = motion._replace(configuration=state.motion.configuration)
    return after_impact(model.system, state, motion, driven, energy_lost(p, u[which], after)), impulse
