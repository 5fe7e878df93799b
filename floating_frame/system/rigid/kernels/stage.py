"""The stage of a rigid body in the plane, compiled: D (q' − q'*)/τ_v = θ W(q, q') + W_0 − Σ Gᵢᵀ λᵢ, arms turned by the stage's
own angle.

Effects with derivatives, and arms, are linearised about the last guess, and friction under the body is solved exactly in each
iteration. Springs and Python are called by their addresses (see ``effects``, ``python_friction``), so that this is compiled once.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fem.kernels.lanes import call
from floating_frame.system.pressure_iteration import MAX_PRESSURE_ROUNDS
from floating_frame.system.rigid.kernels.forces import effect_forces, friction_source
from floating_frame.system.rigid.kernels.records import CHECK_CONTACT, RECORD, SOLVE_FRICTION
from floating_frame.system.stages import ANGLE_UNSETTLED, EXCEPTION
from friction.rigid.kernels import COULOMB, bristle_ends, bristle_rates, rigid_slip
from friction.rigid.newton import dot3, point_slip, rotate_arms
from friction.rigid.reaction import reacting_slip, update_bounds
from friction.rigid.stick_proofs import wrench_of
from friction.status import PRESSURE_UNSETTLED, SOLVED, TIPS

MAX_ITERATIONS, UNDAMPED_ITERATIONS = 60, 6
"""Iterations of a stage; first iterations with full Newton steps."""
FORCE_TOLERANCE = 1e-13
"""Tolerance of the linearised wrench of effects, over this wrench and the momenta over τ."""


@njit(cache=True, error_model="numpy", inline="always")
def predict(data, code, ground, position, s, dt, tau_v, scratch, holds, work):  # type: ignore[no-untyped-def]
    """Write the initial guess of a stage: the last rates, extrapolated by the last accelerations unless this reverses the slip; the
    last λ. Where it ``holds``, the body rests on the ground."""
    now, lead = scratch.now[0], 0.0
    now.ground[0], now.ground[1], now.ground[2] = ground[0], ground[1], 0.0
    for i in range(3):
        now.place[i], scratch.rates[i] = now.origin[i] + work.increment[i], work.velocity[s - 1, i]
        scratch.drive[i] = work.momentum_history[i] + tau_v * work.momentum_rate[s - 1, i]
        lead += (scratch.drive[i] - now.ground[i]) * data.inertia[i] * (scratch.rates[i] - now.ground[i])
    for i in range(3):
        if holds:
            scratch.rates[i] = now.ground[i]
        elif data.extrapolates and code == COULOMB and lead >= 0.0:
            scratch.rates[i] = scratch.drive[i]
    for i in range(data.feet.shape[1]):
        for a in range(2):
            scratch.multiplier[s, a, i] = 0.0 if holds else scratch.multiplier[s - 1, a, i]
            if data.bristles and data.callback == 0:
                scratch.stage_bristles[a, i] = scratch.start_bristles[a, i]
                for j in range(s):
                    scratch.stage_bristles[a, i] += dt * position[j] * scratch.bristle_rate[j, a, i]


@njit(cache=True, error_model="numpy", inline="always")
def assemble_balance(data, tau, tau_v, theta, linearised, scratch, work):  # type: ignore[no-untyped-def]
    """Write H = D/τ + T and c of the balance linearised about the rates, T = −θ (τ ∂W/∂q + ∂W/∂q'); make these slip rates."""
    now, D, tangent = scratch.now[0], data.inertia, scratch.tangent
    for i in range(3):
        for j in range(3):
            tangent[i, j] = -theta * (tau * now.by_place[i, j] + now.by_rate[i, j]) if linearised else 0.0
    if linearised and data.convex:
        make_convex(tangent, D / tau_v)
    for i in range(3):
        now.linearised_rates[i], now.linearised_wrench[i] = scratch.rates[i], now.wrench[i]
        drive = theta * now.wrench[i] + work.start_force[i] + D[i] / tau_v * (work.momentum_history[i] - now.ground[i])
        for j in range(3):
            scratch.matrix[i, j] = tangent[i, j] + (D[i] / tau_v if i == j else 0.0)
            drive += tangent[i, j] * (scratch.rates[j] - now.ground[j])
        scratch.drive[i] = drive
    for i in range(3):
        scratch.rates[i] -= now.ground[i]


@njit(cache=True, error_model="numpy")
def make_convex(tangent, inertia):  # type: ignore[no-untyped-def]
    """Replace −∂W/∂p (3, 3) by its symmetric part, raised where ``inertia`` (3,) + it would be indefinite (softening).

    Friction under the body is a convex problem only in a symmetric, positive definite H; Newton's method loses its square
    there, not its fixed point. Eigenvalues relative to the inertia below −½ are raised to it."""
    a, scale = np.empty((3, 3)), np.sqrt(inertia)
    for i in range(3):
        for j in range(3):
            a[i, j] = 0.5 * (tangent[i, j] + tangent[j, i]) / (scale[i] * scale[j])
    if not np.isfinite(a.sum()):
        return
    values, vectors = np.linalg.eigh(a)
    for i in range(3):
        for j in range(3):
            entry = a[i, j]
            for k in range(3):
                entry += max(-0.5 - values[k], 0.0) * vectors[i, k] * vectors[j, k]
            tangent[i, j] = entry * scale[i] * scale[j]


@njit(cache=True, error_model="numpy", inline="always")
def damp_step(data, force, theta, tau_v, turn, before, scratch):  # type: ignore[no-untyped-def]
    """Halve a Newton step whose defect does not contract; return True for a full step, and the defect of the linearised wrench over
    wrench and momenta over τ. Regularised friction is S-shaped, and Newton's method may oscillate about its steep middle."""
    now, most, size = scratch.now[0], 0.0, 0.0
    for i in range(3):
        expected = theta * now.linearised_wrench[i]
        arm = np.sqrt(data.inertia[2] / data.inertia[0]) if i == 2 else 1.0
        for j in range(3):
            expected -= scratch.tangent[i, j] * (scratch.rates[j] - now.linearised_rates[j])
        most = max(most, abs(theta * now.wrench[i] - expected) / arm)
        acting = abs(data.inertia[i] / tau_v * now.linearised_rates[i])
        for source in range(1 + data.followers.shape[0], friction_source(data)):  # one by one: forces may cancel
            acting += abs(force[source, i])
        size = max(size, acting / arm)
    defect = most / size if size > 0.0 else 0.0
    if turn <= UNDAMPED_ITERATIONS or defect <= max(0.5 * before, 1e-12):
        return True, defect
    for i in range(3):
        scratch.rates[i] = 0.5 * (scratch.rates[i] + now.linearised_rates[i])
    return False, defect


@njit(cache=True, error_model="numpy", inline="always")
def call_python(data, request, s, turn, time, tau, tau_v, angle, scratch):  # type: ignore[no-untyped-def]
    """Call friction in Python with a request; arguments and results are in ``scratch``."""
    now = scratch.now[0]
    now.request, now.stage, now.iteration, now.time = request, s, turn, time
    now.tau, now.tau_v, now.angle = tau, tau_v, angle
    return call(data.callback, 0, 0, 0)


@njit(cache=True, error_model="numpy", inline="always")
def solve_friction(data, tables, k, s, turn, tau, tau_v, angle, scratch):  # type: ignore[no-untyped-def]
    """Solve friction under the body, arms turned by ``angle``; return the status.

    A reacting pressure is solved simultaneously where all points slide under Coulomb's law, else by iteration under given bounds;
    one iteration where it does not react."""
    rates, now, multiplier, iteration = scratch.rates, scratch.now[0], scratch.multiplier[s], 0
    h, c, arms, share = scratch.matrix, scratch.drive, scratch.arms, scratch.share[s]
    compiled, force = data.callback == 0, scratch.iterations[0]
    at_rest = tables.bound[min(k, tables.bound.shape[0] - 1), s - 1]
    load, bound, outcome = tables.load[min(k, tables.load.shape[0] - 1), s - 1], at_rest, PRESSURE_UNSETTLED
    law = tables.law[min(k, tables.law.shape[0] - 1), s - 1]
    code = np.int64(law[0])
    rotate_arms(data.feet, angle, arms)
    if data.reacts:
        reaction = np.array([data.height, 0.0, 0.0, 0.0, 0.0, tau])
        bound, force[2], force[3] = scratch.bound, 0.0, 0.0
        if compiled and code == COULOMB:
            solved, iterations = reacting_slip(h, c, arms, load, at_rest, reaction, rates, multiplier, share)
            now.newton += iterations if solved else 0
            outcome = SOLVED if solved else PRESSURE_UNSETTLED
        if outcome == PRESSURE_UNSETTLED:
            outcome = update_bounds(load, arms, at_rest, reaction, rates, multiplier, scratch.iterations, share, bound)
    while outcome == PRESSURE_UNSETTLED and iteration < MAX_PRESSURE_ROUNDS:
        iteration += 1
        if compiled:
            status, iterations, fallback = rigid_slip(
                code, law[1:], tables.falling[0], h, c, arms, bound, rates, multiplier,
                scratch.slip[0], scratch.slip[s - 1], scratch.stage_bristles, tau,
            )  # fmt: skip
            now.newton += iterations
            now.fallbacks += fallback
            if status != SOLVED:
                return status
        elif call_python(data, SOLVE_FRICTION, s, turn, tables.times[k, s], tau, tau_v, angle, scratch) < 0.0:
            return EXCEPTION
        outcome = SOLVED
        if data.reacts:
            outcome = update_bounds(load, arms, at_rest, reaction, rates, multiplier, scratch.iterations, share, bound)
    now.passes += max(iteration, 1)
    for i in range(3):
        rates[i] += now.ground[i]
    if outcome == TIPS:
        now.lever = np.sqrt(force[0] ** 2 + force[1] ** 2) / load.sum()
    return outcome


@njit(cache=True, error_model="numpy", inline="always")
def solve_stage(data, tables, scratch, scheme, k, s, dt, holds, work):  # type: ignore[no-untyped-def]
    """Solve stage ``s`` of step ``k``, row ``s`` of the scratch arrays; ``holds``: the body rests on the ground, its λ
    undetermined. Return the status."""
    now, position = scratch.now[0], scheme.position[s - 1]
    tau, tau_v, theta = dt * position[s], dt * scheme.velocity[s - 1, s], scheme.force[s - 1, s]
    code = np.int64(tables.law[min(k, tables.law.shape[0] - 1), s - 1, 0])
    predict(data, code, tables.ground[k, s], position, s, dt, tau_v, scratch, holds, work)
    turns, stepped, full, defect, last = 0, False, True, np.inf, np.inf
    for _ in range(2 * MAX_ITERATIONS + 2):
        derivatives = effect_forces(data, tables, k, s, tau, RECORD if holds else SOLVE_FRICTION, scratch, work)
        if derivatives < 0.0:
            return EXCEPTION
        angle = now.place[2] + tau * scratch.rates[2]
        if stepped:
            full, defect = (
                damp_step(data, work.force[s], theta, tau_v, turns, defect, scratch)
                if derivatives > 0.0
                else (True, 0.0)
            )
            now.angle_change, now.force_defect, now.iteration = abs(angle - last), defect, turns
        angle_converged = abs(angle - last) <= data.angle_tolerance * (1.0 + abs(angle))
        converged = stepped and full and defect <= FORCE_TOLERANCE and angle_converged
        if converged and data.callback != 0:
            answer = call_python(data, CHECK_CONTACT, s, turns, tables.times[k, s], tau, tau_v, last, scratch)
            if answer < 0.0:
                return EXCEPTION
            converged = answer > 0.0
        if converged or holds:
            return finish_stage(data, tables, k, s, tau, tau_v, theta, angle, scratch, holds, work)
        stepped = full or not stepped  # a halved step is evaluated again
        if stepped:
            if turns == MAX_ITERATIONS:
                return ANGLE_UNSETTLED
            turns, last = turns + 1, angle
            assemble_balance(data, tau, tau_v, theta, derivatives > 0.0, scratch, work)
            status = solve_friction(data, tables, k, s, turns, tau, tau_v, angle, scratch)
            now.iteration, now.time = turns, tables.times[k, s]
            if status != SOLVED:
                return status
    return ANGLE_UNSETTLED


@njit(cache=True, error_model="numpy", inline="always")
def finish_stage(data, tables, k, s, tau, tau_v, theta, angle, scratch, holds, work):  # type: ignore[no-untyped-def]
    """Write rates, inertia forces, slip, wrench and power of friction, and the effects' records of a solved stage."""
    now, f, D = scratch.now[0], friction_source(data), data.inertia
    slip, multiplier, density, friction = scratch.slip[s], scratch.multiplier[s], scratch.density[s], work.force[s, f]
    for i in range(3):
        work.velocity[s, i] = scratch.rates[i]
        work.momentum_rate[s, i] = (scratch.rates[i] - work.momentum_history[i]) / tau_v
        work.inertia[s, i] = D[i] * work.momentum_rate[s, i]
        if holds:
            friction[i] = work.inertia[s, i] - work.start_force[i] - theta * now.wrench[i]
    power = work.power[s, f]
    power[0] = power[1] = 0.0
    acts = data.effects.addresses.shape[0] > 0
    if acts and not holds and effect_forces(data, tables, k, s, tau, RECORD, scratch, work) < 0.0:
        return EXCEPTION
    if holds:
        for i in range(slip.shape[1]):
            for a in range(2):
                slip[a, i] = density[a, i] = 0.0
    elif data.callback == 0:
        rotate_arms(data.feet, angle, scratch.arms)
        power[1] = write_slip(scratch.rates, now.ground, scratch.arms, multiplier, slip, density)
        x, y, moment = wrench_of(multiplier, scratch.arms)
        friction[0], friction[1], friction[2] = -x, -y, -moment
    if (
        data.callback != 0
        and call_python(data, RECORD, s, -1 if holds else 0, tables.times[k, s], tau, tau_v, angle, scratch) < 0.0
    ):
        return EXCEPTION
    power[0] = dot3(friction, now.ground)
    if data.bristles and data.callback == 0:
        bound = tables.bound[min(k, tables.bound.shape[0] - 1), s - 1]
        numbers = tables.law[min(k, tables.law.shape[0] - 1), s - 1, 1:]
        energies = bristle_ends(numbers, scratch.stage_bristles, slip, bound, tau, scratch.bristles, density[1])
        work.stored[1, f], power[1] = energies
        for i in range(slip.shape[1]):
            for a in range(2):
                scratch.bristle_rate[s, a, i] = (scratch.bristles[a, i] - scratch.stage_bristles[a, i]) / tau
    return SOLVED


@njit(cache=True, error_model="numpy", inline="always")
def write_slip(rates, ground, arms, multiplier, slip, density):  # type: ignore[no-untyped-def]
    """Write slip velocities (2, N), their sizes and λ·v (2, N); return Σ λ·v."""
    p = (rates[0] - ground[0], rates[1] - ground[1], rates[2] - ground[2])
    ax, ay, lx, ly, sx, sy = arms[0], arms[1], multiplier[0], multiplier[1], slip[0], slip[1]
    speed, power, total = density[0], density[1], 0.0
    for i in range(ax.shape[0]):
        vx, vy = point_slip(p, ax[i], ay[i])
        sx[i], sy[i] = vx, vy
        speed[i] = np.sqrt(vx * vx + vy * vy)
        power[i] = lx[i] * vx + ly[i] * vy
    for i in range(ax.shape[0]):
        total += power[i]
    return total


@njit(cache=True, error_model="numpy", inline="always")
def start_bristle_rates(data, numbers, ground, velocity, scratch):  # type: ignore[no-untyped-def]
    """Write the bristles' rate (2, N), m/s, at a step's start on ground of velocity (2,), right limit."""
    rotate_arms(data.feet, scratch.now[0].origin[2], scratch.arms)
    p = (velocity[0, 0] - ground[0], velocity[0, 1] - ground[1], velocity[0, 2])
    slip = scratch.stage_bristles
    for i in range(scratch.arms.shape[1]):
        slip[0, i], slip[1, i] = point_slip(p, scratch.arms[0, i], scratch.arms[1, i])
    bristle_rates(numbers, scratch.start_bristles, slip, scratch.bristle_rate[0])
