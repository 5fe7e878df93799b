"""The whole step of a rigid body in space, compiled: stages, impacts, projection, ledger and densities of many steps in one call.

The twin of ``scheme.step`` with ``SpaceRigidSystem`` under loads that are known beforehand: what depends on time is tabulated
for the stages of all steps, Σ f, Σ X ⊗ f and Σ |f| of the loads, of which a body turned by Q feels Σ f and the moment of Q Σ X ⊗ f.
A step in which the guard against reversals would do something, or that ``stage`` does not solve, is left to the twin: the call
ends."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.system.space.kernels.algebra import (
    arms_of,
    couple_of,
    cross3,
    dot,
    momentum,
    plus,
    row,
    triple,
    turned_tensor,
    write,
)
from floating_frame.system.space.kernels.projection import project
from floating_frame.system.space.kernels.stage import solve_stage
from floating_frame.system.space.painleve import least_response
from friction.cone import OPEN, SLIPS, STICKS

TAKEN, LANDS, LEFT = range(3)


@njit(cache=True, error_model="numpy", forceinline=True)
def speed_of(plan, w):  # type: ignore[no-untyped-def]
    """Return the size of the points' velocities, m/s."""
    v, spin = triple(w, 0), triple(w, 3)
    return np.sqrt(dot(v, v)) + plan.radius * np.sqrt(dot(spin, spin))


@njit(cache=True, error_model="numpy")
def number_of(plan, end, linear):  # type: ignore[no-untyped-def]
    """Return Painlevé's number of points that slide and press: see ``painleve``."""
    slides = False
    for i in range(plan.count):
        slides = slides or ((end.slip[i, 0] != 0.0 or end.slip[i, 1] != 0.0) and end.multiplier[i, 2] < 0.0)
    if not slides:
        return np.inf
    arms_of(plan, end.rotation, linear.arms)
    inverse = linear.second
    turned_tensor(end.rotation, plan.inverse, linear.first, inverse)
    return least_response(plan.count, 1.0 / plan.mass, inverse, linear.arms, end.slip, end.multiplier, plan.kinetic)


@njit(cache=True, error_model="numpy", forceinline=True)
def begin(plan, lands, start, given, stages, linear):  # type: ignore[no-untyped-def]
    """See which points press, touch and approach: the twin of ``SpaceRigidSystem.begin_step``."""
    arms_of(plan, start.rotation, given.arms)
    still = -plan.approaches * speed_of(plan, start.velocity)
    for a in range(3):
        given.place[a] = start.place[a]
        write(given.rotation, a, row(start.rotation, a))
    for i in range(plan.count):
        given.gaps[i] = start.place[2] + given.arms[i, 2]
        touches, rests = abs(given.gaps[i]) <= plan.touching, start.slip[i, 2] >= still
        given.persists[i] = touches and rests and start.multiplier[i, 2] < 0.0 and not lands
        stages.landing[i] = not touches or not rests


@njit(cache=True, error_model="numpy", forceinline=True)
def tabulated(loads, column, given):  # type: ignore[no-untyped-def]
    """Write the loads of a column."""
    given.size = loads.size[column]
    for a in range(3):
        given.load[a] = loads.force[column, a]
        for b in range(3):
            given.couple[a, b] = loads.couple[column, a, b]


@njit(cache=True, error_model="numpy", forceinline=True)
def inherit(scheme, s, dt, h, start, stages, given):  # type: ignore[no-untyped-def]
    """Write what stage ``s`` inherits: see ``scheme.history``; ``h`` (3,): the moment of momentum at the start."""
    for a in range(6):
        way, before = 0.0, h[a - 3] if a > 2 else start.velocity[a]
        for j in range(s + 1):
            way += dt * scheme.position[s, j] * stages.rate[j, a]
            before += dt * scheme.velocity[s, j] * stages.gained[j, a]
        given.way[a], given.before[a] = way, before
        given.first[a] = scheme.force[s, 0] * stages.loads[0, a]
        stages.velocity[s + 1, a] = stages.velocity[s, a]


@njit(cache=True, error_model="numpy", forceinline=True)
def came_in(stages, s, i):  # type: ignore[no-untyped-def]
    """Return the slip along the ground with which a point comes into stage ``s``: see ``scheme.history.incoming_slip``."""
    first = stages.slip[0, i]
    if first[0] != 0.0 or first[1] != 0.0 or first[2] != 0.0:
        return first[0], first[1]
    return stages.slip[s, i, 0], stages.slip[s, i, 1]


@njit(cache=True, error_model="numpy")
def stage(plan, scheme, s, dt, given, stages, linear):  # type: ignore[no-untyped-def]
    """Solve a stage: the twin of ``SpaceRigidSystem.solve_stage``; return TAKEN, LANDS or LEFT."""
    tau, tau_v, theta = dt * scheme.position[s, s + 1], dt * scheme.velocity[s, s + 1], scheme.force[s, s + 1]
    w, slip, force, status = stages.velocity[s + 1], stages.slip[s + 1], stages.force[s + 1], stages.status[s + 1]
    m = plan.count
    for i in range(m):
        x, y = came_in(stages, s, i)
        given.friction[i] = plan.kinetic[i] if x != 0.0 or y != 0.0 else plan.static[i]
        write(force, i, row(stages.force[s], i))
    for _ in range(2 * m + 1):
        if not solve_stage(plan, given, tau, tau_v, theta, w, force, slip, status, linear, stages.spent):
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


@njit(cache=True, error_model="numpy", forceinline=True)
def finish_stage(plan, scheme, s, tau, tau_v, given, stages, linear):  # type: ignore[no-untyped-def]
    """Write what a solved stage leaves; return TAKEN, LANDS, or LEFT where a point goes back."""
    w, slip, force, status = stages.velocity[s + 1], stages.slip[s + 1], stages.force[s + 1], stages.status[s + 1]
    spin, guards = triple(w, 3), scheme.guards and s == scheme.count - 1
    pull, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(plan.count):
        f = row(force, i)
        presses = f[2] > 0.0
        if presses and stages.landing[i] and not scheme.lands:
            return LANDS
        pull, moment = plus(pull, f), plus(moment, cross3(row(linear.levers, i), f))
        if status[i] == STICKS:
            slip[i, 0] = slip[i, 1] = 0.0
        if given.persists[i] and status[i] != OPEN:
            slip[i, 2] = 0.0
        u = row(slip, i)
        x, y = came_in(stages, s, i)
        if guards and presses and u[0] * x + u[1] * y < 0.0:
            return LEFT
        stages.density[s, i, 0] = np.sqrt(u[0] ** 2 + u[1] ** 2) if presses else 0.0
        power, lost, struck = -dot(f, u), 0.0, 0.0
        comes = given.gaps[i] > plan.touching or stages.slip[0, i, 2] * tau_v < -plan.touching
        if scheme.lands and presses and comes:
            power, lost, struck = 0.0, 0.5 * power - 0.5 * dot(f, row(stages.slip[0], i)), power
        stages.density[s, i, 1], stages.density[s, i, 2], stages.density[s, i, 3] = power, lost, struck
    h = momentum(plan.inertia, linear.rotation, spin)
    torque = couple_of(given.couple, linear.rotation, linear.first)
    turning = cross3(triple(linear.turn, 0), spin)
    for a in range(3):
        stages.contact[s + 1, a], stages.contact[s + 1, 3 + a] = pull[a], moment[a]
        stages.gained[s + 1, a] = (w[a] - given.before[a]) / tau_v
        stages.gained[s + 1, 3 + a] = (h[a] - given.before[3 + a]) / tau_v
        stages.rate[s + 1, a], stages.rate[s + 1, 3 + a] = w[a], spin[a] - 0.5 * turning[a]
        stages.loads[s + 1, a], stages.loads[s + 1, 3 + a] = given.load[a], torque[a]
        stages.place[a] = given.place[a] + given.way[a] + tau * w[a]
        write(stages.rotation, a, row(linear.rotation, a))
    return TAKEN


@njit(cache=True, error_model="numpy", forceinline=True)
def driven_back(plan, scheme, dt, h, start, given, stages):  # type: ignore[no-untyped-def]
    """Return whether the step is to be taken in two: the twin of ``scheme.guard.check_not_driven_back``, whose powers I, P and W
    these are; ``h`` (3,): the moment of momentum at the start."""
    v, spin, count, P, W = triple(start.velocity, 0), triple(start.velocity, 3), scheme.count, 0.0, 0.0
    end = stages.velocity[count]
    for i in range(plan.count):
        came, goes = row(stages.slip[0], i), row(stages.slip[count], i)
        if (came[0] == 0.0 and came[1] == 0.0) or came[0] * goes[0] + came[1] * goes[1] > 0.0:
            return False
        u = plus(v, cross3(spin, row(given.arms, i)))
        W += plan.kinetic[i] * max(stages.force[1, i, 2], 0.0) * np.sqrt(u[0] ** 2 + u[1] ** 2)
        for s in range(count):
            P -= scheme.weights[s] * (stages.force[s + 1, i, 0] * u[0] + stages.force[s + 1, i, 1] * u[1])
    change = (v[0] - end[0], v[1] - end[1], v[2] - end[2])
    turning = (spin[0] - end[3], spin[1] - end[4], spin[2] - end[5])
    inertia = (plan.mass * dot(change, v) + dot(turning, h)) / dt
    return 0.0 < W < inertia - P


@njit(cache=True, error_model="numpy")
def step(plan, scheme, loads, start, given, stages, linear):  # type: ignore[no-untyped-def]
    """Take one step with a scheme: stages, projection and ledger; return TAKEN, LANDS or LEFT."""
    dt, count = loads.length, scheme.count
    if not scheme.lands and start.painleve <= 0.0:
        return LANDS
    begin(plan, scheme.lands, start, given, stages, linear)
    h = momentum(plan.inertia, start.rotation, triple(start.velocity, 3))
    stages.spent[0] = stages.spent[1] = 0
    for s in range(count):
        tabulated(loads, scheme.column + s, given)
        inherit(scheme, s, dt, h, start, stages, given)
        told = stage(plan, scheme, s, dt, given, stages, linear)
        if told != TAKEN:
            return told
    if scheme.guards and driven_back(plan, scheme, dt, h, start, given, stages):
        return LEFT
    if not project(plan, given, stages.slip[count], stages.force[count], stages, linear):
        return LEFT
    return ledger(plan, scheme, dt, start, stages)


@njit(cache=True, error_model="numpy", forceinline=True)
def pair(a, b):  # type: ignore[no-untyped-def]
    """Return Σ a b of six numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@njit(cache=True, error_model="numpy", forceinline=True)
def ledger(plan, scheme, dt, start, stages):  # type: ignore[no-untyped-def]
    """Write the step's works (4, 3) J, as ``scheme.ledger``, and T; return TAKEN, or LEFT where it is not finite."""
    entries, count, working, external, dissipated, driven = stages.entries, scheme.count, stages.rate[0], 0.0, 0.0, 0.0
    landed, struck = 0.0, 0.0
    w = stages.velocity[count]
    v, spin, inertial = triple(w, 0), triple(w, 3), 0.0
    for s in range(count):
        for a in range(6):
            working[a] = 0.0
            for j in range(count + 1):
                working[a] += scheme.work[s, j] * stages.velocity[j, a]
        share, lost, hit, gained = dt * scheme.weights[s], 0.0, 0.0, stages.gained[s + 1]
        for i in range(plan.count):
            density = stages.density[s, i]
            lost, hit = lost + density[1], hit + density[3]
            landed, struck = landed + share * density[2], struck + share * (density[3] - density[2])
        external += share * scheme.force[s, 0] * pair(stages.loads[0], working)
        external += share * scheme.force[s, s + 1] * pair(stages.loads[s + 1], working)
        dissipated += share * lost
        driven -= share * (pair(stages.contact[s + 1], working) + lost + hit)
        inertial += share * (plan.mass * dot(triple(gained, 0), triple(working, 0)))
        inertial += share * dot(triple(gained, 3), triple(working, 3))
    stages.kinetic = 0.5 * (plan.mass * dot(v, v) + dot(spin, momentum(plan.inertia, stages.rotation, spin)))
    entries[0, 0], entries[1, 1], entries[1, 2] = external, dissipated, driven
    entries[2, 1], entries[2, 2] = landed, struck
    entries[3, 2] = inertial - (stages.kinetic - start.kinetic)
    return TAKEN if np.isfinite(external + dissipated + driven + landed + entries[3, 2]) else LEFT


@njit(cache=True, error_model="numpy", forceinline=True)
def keep(plan, scheme, dt, start, end, stages):  # type: ignore[no-untyped-def]
    """Write what a step ends with."""
    count, m = scheme.count, plan.count
    for a in range(6):
        loads, contact = stages.loads[count, a], stages.contact[count, a]
        acting = scheme.force[count - 1, 0] * stages.loads[0, a] + scheme.force[count - 1, count] * loads + contact
        end.velocity[a], end.acceleration[a] = stages.velocity[count, a], stages.gained[count, a]
        end.force[0, a], end.force[1, a], end.force[2, a] = loads, contact, acting
    for a in range(3):
        end.place[a] = stages.place[a]
        write(end.rotation, a, row(stages.rotation, a))
    for a in range(4):
        write(end.work, a, plus(row(start.work, a), row(stages.entries, a)))
    for i in range(m):
        path, heat = start.path[i], start.heat[i]
        for s in range(count):
            path += dt * scheme.weights[s] * stages.density[s, i, 0]
            heat += dt * scheme.weights[s] * stages.density[s, i, 1]
        end.path[i], end.heat[i], end.status[i] = path, heat, stages.status[count, i]
        for a in range(3):
            end.slip[i, a], end.multiplier[i, a] = stages.slip[count, i, a], -stages.force[count, i, a]
    end.kinetic, end.drift, end.spent[0], end.spent[1] = stages.kinetic, stages.drift, stages.spent[0], stages.spent[1]


@njit(cache=True, error_model="numpy")
def advance(plans, schemes, tables, course, work):  # type: ignore[no-untyped-def]
    """Take the steps of the ``tables`` from the first of the ``course``, and write what they end with behind it; return how many
    were taken. ``schemes``: that of all steps, and that of those in which a point lands; ``work`` (STEP, GIVEN, LINEAR): arrays
    of one, the caller's, for a record does not keep its array."""
    plan, stages, given, linear = plans[0], work[0][0], work[1][0], work[2][0]
    course[0].painleve = number_of(plan, course[0], linear)
    for k in range(tables.shape[0]):
        loads, start, end, told = tables[k], course[k], course[k + 1], LANDS
        tabulated(loads, np.int64(0), given)
        moment = couple_of(given.couple, start.rotation, linear.first)
        for a in range(6):
            stages.velocity[0, a] = stages.rate[0, a] = start.velocity[a]
            stages.loads[0, a] = given.load[a] if a < 3 else moment[a - 3]
        for i in range(plan.count):
            write(stages.force[0], i, (-start.multiplier[i, 0], -start.multiplier[i, 1], -start.multiplier[i, 2]))
            write(stages.slip[0], i, row(start.slip, i))
        taking = schemes[0]
        for way in range(2):
            taking = schemes[way]
            told = step(plan, taking, loads, start, given, stages, linear)
            if told != LANDS:
                break
        if told != TAKEN:
            return k
        keep(plan, taking, loads.length, start, end, stages)
        end.painleve = number_of(plan, end, linear)
    return tables.shape[0]
