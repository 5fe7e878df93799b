"""The whole step of a rigid body in space, compiled: stages, impacts, projection, ledger and densities of many steps in one call.

The twin of ``scheme.landing`` with ``SpaceRigidSystem`` under loads that are known beforehand: what depends on time is tabulated
for the stages of all steps, Σ f, Σ X ⊗ f and Σ |f| of the loads, of which a body turned by Q feels Σ f and the moment of Q Σ X ⊗ f.
A step that the guard against reversals would look at, or that ``stage`` does not solve, is left to the twin: the call ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array
from floating_frame.system.space.kernels.algebra import (
    INLINED,
    arms_of,
    attitude,
    couple_of,
    cross3,
    dot,
    row,
    triple,
    turned_tensor,
)
from floating_frame.system.space.kernels.cone import Linear
from floating_frame.system.space.kernels.projection import project
from floating_frame.system.space.kernels.stage import Given, solve_stage
from floating_frame.system.space.painleve import least_response
from friction.cone import OPEN, SLIPS, STICKS

TAKEN, LANDS, LEFT = range(3)


class Tables(NamedTuple):
    """A scheme: position, velocity, force and work (S, S + 1), weights (S,); whether points may ``land`` in it, and whether it
    ``guards`` against reversals."""

    position: Array
    velocity: Array
    force: Array
    work: Array
    weights: Array
    lands: bool
    guards: bool


class Loads(NamedTuple):
    """Of K steps at their starts (right limits, column 0) and stages, (K, S + 1, …): Σ f (3), Σ X ⊗ f (3, 3), Σ |f| (1)."""

    lengths: Array
    force: Array
    couple: Array
    size: Array


class Moving(NamedTuple):
    """What a step starts from and is advanced in place: x (3,), Q (3, 3), (v, Ω) and the rates of both momenta (6,); slip and λ
    (m, 3), statuses (m,); slip path and friction work (m,); works (3, 3); T J and Painlevé's number (2,)."""

    place: Array
    rotation: Array
    velocity: Array
    acceleration: Array
    slip: Array
    multiplier: Array
    status: NDArray[np.int8]
    path: Array
    heat: Array
    work: Array
    numbers: Array


class Course(NamedTuple):
    """What K steps end with, (K, …): the fields of ``Moving``; wrenches of the loads, of the contact and of all in the balance
    (3, 6); the turn of the projection, rad; turns and systems solved (2)."""

    place: Array
    rotation: Array
    velocity: Array
    acceleration: Array
    slip: Array
    multiplier: Array
    status: NDArray[np.int8]
    path: Array
    heat: Array
    work: Array
    numbers: Array
    force: Array
    drift: Array
    spent: NDArray[np.int64]


class Stages(NamedTuple):
    """Of a step's start and its stages, (S + 1, …): (v, Ω), rates of the momenta and of the way, wrenches of loads and contact (6);
    slip and contact forces (m, 3); statuses (m); path, power (m, 2); of the step: which points would land (m,), x (3,), Q (3, 3),
    works (3, 3), the projection's turn (1,), turns and systems solved (2,)."""

    velocity: Array
    gained: Array
    rate: Array
    loads: Array
    contact: Array
    slip: Array
    force: Array
    status: NDArray[np.int8]
    density: Array
    landing: NDArray[np.bool_]
    place: Array
    rotation: Array
    entries: Array
    drift: Array
    spent: NDArray[np.int64]


@njit(**INLINED)
def momentum(plan, Q, spin, linear):  # type: ignore[no-untyped-def]
    """Return h = QJQᵀΩ."""
    J = linear.frames[4]
    turned_tensor(Q, plan.inertia, linear.frames[5], J)
    return dot(row(J, 0), spin), dot(row(J, 1), spin), dot(row(J, 2), spin)


@njit(**INLINED)
def speed_of(plan, w):  # type: ignore[no-untyped-def]
    """Return the size of the points' velocities, m/s."""
    v, spin = triple(w, 0), triple(w, 3)
    return np.sqrt(dot(v, v)) + plan.radius * np.sqrt(dot(spin, spin))


@njit(**INLINED)
def number_of(plan, rotation, slip, multiplier, linear):  # type: ignore[no-untyped-def]
    """Return Painlevé's number of points that slide and press: see ``painleve``."""
    slides = False
    for i in range(slip.shape[0]):
        slides = slides or ((slip[i, 0] != 0.0 or slip[i, 1] != 0.0) and multiplier[i, 2] < 0.0)
    if not slides:
        return np.inf
    arms_of(plan, rotation, linear.arms)
    turned_tensor(rotation, plan.inverse, linear.frames[5], linear.frames[6])
    return least_response(1.0 / plan.mass, linear.frames[6], linear.arms, slip, multiplier, plan.kinetic)


@njit(**INLINED)
def begin(plan, lands, start, given, stages, linear):  # type: ignore[no-untyped-def]
    """See which points press, touch and approach: the twin of ``SpaceRigidSystem.begin_step``."""
    arms_of(plan, start.rotation, linear.arms)
    still = -plan.approaches * speed_of(plan, start.velocity)
    for i in range(plan.feet.shape[0]):
        given.gaps[i] = start.place[2] + linear.arms[i, 2]
        touches, rests = abs(given.gaps[i]) <= plan.touching, start.slip[i, 2] >= still
        given.persists[i] = touches and rests and start.multiplier[i, 2] < 0.0 and not lands
        for a in range(3):
            given.arms[i, a] = linear.arms[i, a]
        stages.landing[i] = not touches or not rests


@njit(**INLINED)
def inherit(scheme, s, dt, momenta, stages, given, loads, k, column):  # type: ignore[no-untyped-def]
    """Write what stage ``s`` inherits, with the loads of a column: see ``scheme.history``; ``momenta`` v, h (6,) at the start."""
    given.size[0] = loads.size[k, column]
    for a in range(3):
        given.load[a] = loads.force[k, column, a]
        for b in range(3):
            given.couple[a, b] = loads.couple[k, column, a, b]
    for a in range(6):
        given.way[a], given.before[a] = 0.0, momenta[a]
        for j in range(s + 1):
            given.way[a] += dt * scheme.position[s, j] * stages.rate[j, a]
            given.before[a] += dt * scheme.velocity[s, j] * stages.gained[j, a]
        given.first[a] = scheme.force[s, 0] * stages.loads[0, a]
        stages.velocity[s + 1, a] = stages.velocity[s, a]


@njit(**INLINED)
def came_in(stages, s, i):  # type: ignore[no-untyped-def]
    """Return the slip along the ground with which a point comes into stage ``s``: see ``scheme.history.incoming_slip``."""
    first = stages.slip[0, i]
    if first[0] != 0.0 or first[1] != 0.0 or first[2] != 0.0:
        return first[0], first[1]
    return stages.slip[s, i, 0], stages.slip[s, i, 1]


@njit(**INLINED)
def stage(plan, scheme, s, dt, given, stages, linear):  # type: ignore[no-untyped-def]
    """Solve a stage: the twin of ``SpaceRigidSystem.solve_stage``; return TAKEN, LANDS or LEFT."""
    tau, tau_v = dt * scheme.position[s, s + 1], dt * scheme.velocity[s, s + 1]
    w, slip, force, status = stages.velocity[s + 1], stages.slip[s + 1], stages.force[s + 1], stages.status[s + 1]
    m, again = plan.feet.shape[0], True
    for i in range(m):
        x, y = came_in(stages, s, i)
        given.friction[i] = plan.kinetic[i] if x != 0.0 or y != 0.0 else plan.static[i]
        for a in range(3):
            force[i, a] = stages.force[s, i, a]
    for _ in range(2 * m + 1):
        if not solve_stage(
            plan, given, tau, tau_v, scheme.force[s, s + 1], w, force, slip, status, linear, stages.spent
        ):
            return LEFT
        most, again = plan.pushes * plan.mass * speed_of(plan, w) ** 2 / tau_v, False
        for i in range(m):
            if force[i, 2] * slip[i, 2] > most and not given.persists[i]:
                given.persists[i] = again = True
            # static friction is lost once it is overcome
            if status[i] == SLIPS and given.friction[i] > plan.kinetic[i]:
                given.friction[i], again = plan.kinetic[i], True
        if not again:
            break
    return finish_stage(plan, scheme, s, tau, tau_v, given, stages, linear)


@njit(**INLINED)
def finish_stage(plan, scheme, s, tau, tau_v, given, stages, linear):  # type: ignore[no-untyped-def]
    """Write what a solved stage leaves; return TAKEN, LANDS, or LEFT where the guard against reversals has to look at it."""
    w, slip, force, status = stages.velocity[s + 1], stages.slip[s + 1], stages.force[s + 1], stages.status[s + 1]
    contact, spin, rounds = stages.contact[s + 1], triple(w, 3), plan.feet.shape[0] > 0
    guards = scheme.guards and s == scheme.weights.shape[0] - 1
    for a in range(6):
        contact[a] = 0.0
    for i in range(plan.feet.shape[0]):
        presses = force[i, 2] > 0.0
        if presses and stages.landing[i] and not scheme.lands:
            return LANDS
        moment = cross3(row(linear.levers, i), row(force, i))
        if status[i] == STICKS:
            slip[i, 0] = slip[i, 1] = 0.0
        if given.persists[i] and status[i] != OPEN:
            slip[i, 2] = 0.0
        x, y = came_in(stages, s, i)
        if guards and presses and slip[i, 0] * x + slip[i, 1] * y < 0.0:
            return LEFT
        x, y = stages.slip[0, i, 0], stages.slip[0, i, 1]
        rounds = rounds and (x != 0.0 or y != 0.0) and slip[i, 0] * x + slip[i, 1] * y <= 0.0
        for a in range(3):
            contact[a] += force[i, a]
            contact[3 + a] += moment[a]
        path = np.sqrt(slip[i, 0] ** 2 + slip[i, 1] ** 2) if presses else 0.0
        stages.density[s, i, 0], stages.density[s, i, 1] = path, -dot(row(force, i), row(slip, i))
    if guards and rounds:
        return LEFT
    turn = attitude(given.rotation, triple(given.way, 3), spin, tau, linear.frames, 0)
    h = momentum(plan, linear.frames[0], spin, linear)
    moment = couple_of(given.couple, linear.frames[0], linear.frames[6])
    turning = cross3(turn, spin)
    for a in range(3):
        stages.gained[s + 1, a] = (w[a] - given.before[a]) / tau_v
        stages.gained[s + 1, 3 + a] = (h[a] - given.before[3 + a]) / tau_v
        stages.rate[s + 1, a], stages.rate[s + 1, 3 + a] = w[a], w[3 + a] - 0.5 * turning[a]
        stages.loads[s + 1, a], stages.loads[s + 1, 3 + a] = given.load[a], moment[a]
        stages.place[a] = given.place[a] + given.way[a] + tau * w[a]
        for b in range(3):
            stages.rotation[a, b] = linear.frames[0, a, b]
    return TAKEN


@njit(**INLINED)
def step(plan, scheme, k, loads, start, given, stages, linear):  # type: ignore[no-untyped-def]
    """Take one step with a scheme: stages, projection and ledger; return TAKEN, LANDS or LEFT."""
    dt, count, last = loads.lengths[k], scheme.weights.shape[0], loads.force.shape[1] - 1
    if not scheme.lands and start.numbers[1] <= 0.0:
        return LANDS
    begin(plan, scheme.lands, start, given, stages, linear)
    h = momentum(plan, start.rotation, triple(start.velocity, 3), linear)
    momenta = (start.velocity[0], start.velocity[1], start.velocity[2], h[0], h[1], h[2])
    stages.spent[0] = stages.spent[1] = 0
    for s in range(count):
        inherit(scheme, s, dt, momenta, stages, given, loads, k, s + 1 if count == last else last)
        told = stage(plan, scheme, s, dt, given, stages, linear)
        if told != TAKEN:
            return told
    if not project(plan, given, stages.slip[count], stages.force[count], stages, linear):
        return LEFT
    return ledger(plan, scheme, dt, start, stages, linear)


@njit(**INLINED)
def pair(a, b):  # type: ignore[no-untyped-def]
    """Return Σ a b of six numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@njit(**INLINED)
def ledger(plan, scheme, dt, start, stages, linear):  # type: ignore[no-untyped-def]
    """Write the step's works (3, 3) J, as ``scheme.ledger``, and advance T; return TAKEN, or LEFT where it is not finite."""
    entries, count, working = stages.entries, scheme.weights.shape[0], stages.rate[0]
    w = stages.velocity[count]
    v, spin, inertial = triple(w, 0), triple(w, 3), 0.0
    for source in range(3):
        entries[source, 0] = entries[source, 1] = entries[source, 2] = 0.0
    for s in range(count):
        for a in range(6):
            working[a] = 0.0
            for j in range(count + 1):
                working[a] += scheme.work[s, j] * stages.velocity[j, a]
        share, lost = dt * scheme.weights[s], 0.0
        for i in range(plan.feet.shape[0]):
            lost += stages.density[s, i, 1]
        entries[0, 0] += share * scheme.force[s, 0] * pair(stages.loads[0], working)
        entries[0, 0] += share * scheme.force[s, s + 1] * pair(stages.loads[s + 1], working)
        entries[1, 1] += share * lost
        entries[1, 2] -= share * (pair(stages.contact[s + 1], working) + lost)
        gained = stages.gained[s + 1]
        inertial += share * (plan.mass * dot(triple(gained, 0), triple(working, 0)))
        inertial += share * dot(triple(gained, 3), triple(working, 3))
    kinetic = 0.5 * (plan.mass * dot(v, v) + dot(spin, momentum(plan, stages.rotation, spin, linear)))
    entries[2, 2] = inertial - (kinetic - start.numbers[0])
    start.numbers[0] = kinetic
    return TAKEN if np.isfinite(entries[0, 0] + entries[1, 1] + entries[1, 2] + entries[2, 2]) else LEFT


@njit(**INLINED)
def keep(plan, scheme, k, dt, start, stages, linear, course):  # type: ignore[no-untyped-def]
    """Advance what moves, and write it into row ``k``."""
    count, m = scheme.weights.shape[0], plan.feet.shape[0]
    for a in range(6):
        start.velocity[a], start.acceleration[a] = stages.velocity[count, a], stages.gained[count, a]
        loads, contact = stages.loads[count, a], stages.contact[count, a]
        course.force[k, 0, a], course.force[k, 1, a] = loads, contact
        course.force[k, 2, a] = (
            scheme.force[count - 1, 0] * stages.loads[0, a] + scheme.force[count - 1, count] * loads + contact
        )
        course.velocity[k, a], course.acceleration[k, a] = start.velocity[a], start.acceleration[a]
    for a in range(3):
        start.place[a] = course.place[k, a] = stages.place[a]
        for b in range(3):
            start.rotation[a, b] = course.rotation[k, a, b] = stages.rotation[a, b]
            start.work[a, b] += stages.entries[a, b]
            course.work[k, a, b] = start.work[a, b]
    for i in range(m):
        for s in range(count):
            start.path[i] += dt * scheme.weights[s] * stages.density[s, i, 0]
            start.heat[i] += dt * scheme.weights[s] * stages.density[s, i, 1]
        start.status[i] = course.status[k, i] = stages.status[count, i]
        course.path[k, i], course.heat[k, i] = start.path[i], start.heat[i]
        for a in range(3):
            start.slip[i, a] = course.slip[k, i, a] = stages.slip[count, i, a]
            start.multiplier[i, a] = course.multiplier[k, i, a] = -stages.force[count, i, a]
    start.numbers[1] = number_of(plan, start.rotation, start.slip, start.multiplier, linear)
    course.numbers[k, 0], course.numbers[k, 1] = start.numbers[0], start.numbers[1]
    course.drift[k], course.spent[k, 0], course.spent[k, 1] = stages.drift[0], stages.spent[0], stages.spent[1]


@njit(cache=True, error_model="numpy")
def advance(plan, scheme, landing, loads, start, course):  # type: ignore[no-untyped-def]
    """Take the steps of the tables from ``start``, whose arrays are advanced, and write what they end with; return how many were
    taken. ``landing``: the scheme of steps in which a point lands."""
    m, count = plan.feet.shape[0], scheme.weights.shape[0]
    stages = Stages(
        np.zeros((count + 1, 6)), np.zeros((count + 1, 6)), np.zeros((count + 1, 6)), np.zeros((count + 1, 6)),
        np.zeros((count + 1, 6)), np.zeros((count + 1, m, 3)), np.zeros((count + 1, m, 3)), np.zeros((count + 1, m), np.int8),
        np.zeros((count, m, 2)), np.zeros(m, np.bool_), np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(1),
        np.zeros(2, np.int64),
    )  # fmt: skip
    given = Given(
        np.zeros(6), np.zeros(6), np.zeros(6), start.place, start.rotation, np.zeros(m), np.zeros((m, 3)),
        np.zeros(m, np.bool_), np.zeros(m), np.zeros(3), np.zeros((3, 3)), np.zeros(1),
    )  # fmt: skip
    linear = Linear(
        np.zeros((7, 3, 3)), np.zeros(6), np.zeros((3, 3)), np.zeros((m, 3, 6)), np.zeros((m, 3)), np.zeros((m, 3)),
        np.zeros((m, 3)), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros((m, 3, 3)), np.zeros((6, 6)),
        np.zeros(6), np.zeros(6),
    )  # fmt: skip
    start.numbers[1] = number_of(plan, start.rotation, start.slip, start.multiplier, linear)
    for k in range(loads.lengths.shape[0]):
        moment = couple_of(loads.couple[k, 0], start.rotation, linear.frames[6])
        for a in range(6):
            stages.velocity[0, a] = stages.rate[0, a] = start.velocity[a]
            stages.loads[0, a] = loads.force[k, 0, a] if a < 3 else moment[a - 3]
        for i in range(m):
            for a in range(3):
                stages.slip[0, i, a], stages.force[0, i, a] = start.slip[i, a], -start.multiplier[i, a]
        taking = scheme
        told = step(plan, scheme, k, loads, start, given, stages, linear)
        if told == LANDS:
            taking = landing
            told = step(plan, landing, k, loads, start, given, stages, linear)
        if told != TAKEN:
            return k
        keep(plan, taking, k, loads.lengths[k], start, stages, linear, course)
    return loads.lengths.shape[0]
