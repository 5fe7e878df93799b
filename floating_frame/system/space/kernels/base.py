"""Steps of a rigid body in space on a flat base, compiled: v_z = Ω_x = Ω_y = 0 while it neither lifts nor tips.

The balance of ``kernels.stage`` without points is H p − c + Σ Gᵢᵀ λᵢ = 0 in the rates p = (v_x, v_y, Ω_z), friction under a body in
the plane. Of its other equations the contact bears N = Σ p_n and, the base h below the centre of mass, the moments

    Σ d_y p_n = M_x − h Σ p_y,    Σ d_x p_n = −M_y − h Σ p_x,

as a pressure that reacts to friction does (``friction.rigid.reaction``). N and M are those of the last iteration, M with its
derivative by Ω_z."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.system.pressure_iteration import ANGLE_TOLERANCE, MAX_PRESSURE_ROUNDS
from floating_frame.system.rigid.kernels.stage import make_convex
from floating_frame.system.space.kernels.algebra import at, cross3, put, times, turned_tensor
from floating_frame.system.space.kernels.body import (
    F_FORCE,
    F_SLIP,
    F_STATUS,
    Body,
    close_step,
    end_stage,
    start_stage,
)
from floating_frame.system.space.kernels.stage import finish_stage, linearise
from floating_frame.system.space.painleve import add_point, number_of
from floating_frame.system.stages import ANGLE_UNSETTLED, EXCEPTION, GUARD_CHECK
from friction.rigid.kernels import COULOMB, rigid_slip
from friction.rigid.newton import point_slip
from friction.rigid.reaction import HISTORY_ROWS, reacting_slip, update_bounds
from friction.status import PRESSURE_UNSETTLED, SLIP, SOLVED, STICK, TIPS

(X, Y, Z, SHARE, MU, ARM_X, ARM_Y, LOAD, AT_REST, BOUND, FRICTION_X, FRICTION_Y, SIGMA, ROWS) = range(14)
"""Rows (N,) of the points of a base: X m in the reference, share in the load, coefficient of friction. Of a stage: arms m along the
ground; normal force and bound of friction, N, where friction does not shift the pressure; bound; λ, N; the pressure's factor."""
ALONG = (0, 1, 5)
"""v_x, v_y, Ω_z among the six rates."""
MAX_ITERATIONS, ROUNDING, LAW = 60, 16.0 * float(np.finfo(float).eps), np.int64(COULOMB)
"""Iterations of a stage; rounding of its balance over forces and momenta over τ; the law of friction."""


class FlatBody(Body):
    """A rigid body on a flat base in K steps: see ``Body``."""

    def solve(self, scheme, k, s, dt, holds, work):  # type: ignore[no-untyped-def]
        """Solve a stage; return the status."""
        scratch, tables, linear, base, fields = (
            self.scratch, self.tables, self.scratch.linear[0], self.scratch.base, self.scratch.fields,
        )  # fmt: skip
        ahead, still, row = start_stage(self, scheme, k, s, dt, work)
        for i in range(base.shape[1]):
            for a in range(2):
                base[FRICTION_X + a, i] = -fields[s - 1, i, F_FORCE + a]
        status = solve_base(
            scratch.body[0], scratch.stage[0], tables.loads[k, s], tables.ground[still, s], tables.ground[still, ahead],
            scratch.table, tables.effects[row, s], scratch.blocks, scratch.python[0], scratch.surface,
            scratch.effects, linear, scratch.points, base,
        )  # fmt: skip
        if status == SOLVED:
            smooth = work.mixed.shape[0] - 2
            write_contact(base, linear, fields[s], work.force[s, smooth:], work.power[s, smooth:])
            end_stage(self, k, s, work)
        return status

    def looks(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """GUARD_CHECK where the body ends at rest or reversed, else SOLVED."""
        body, last, moves, ahead = self.scratch.body[0], scheme.weights.shape[0], False, 0.0
        for first in range(2 if scheme.cuts else 0):
            for a in ALONG:
                incoming = work.velocity[first, a]
                ahead += (body.inertia[2, 2] if a == 5 else body.mass) * work.velocity[last, a] * incoming
                moves = moves or incoming != 0.0
            if moves:
                break
        return GUARD_CHECK if moves and ahead <= 0.0 else SOLVED

    def close(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """Write kinetic energy and Painlevé's number."""
        scratch, last = self.scratch, scheme.weights.shape[0]
        scratch.linear[0].drift = 0.0
        number = painleve_of_base(scratch.body[0], scratch.base, scratch.fields[last], scratch.linear[0])
        return close_step(self, k, number, work)


@njit(cache=True, error_model="numpy")
def solve_base(body, stage, loads, ground, ahead, table, at_time, blocks, python, surface, effects, linear, P, base):  # type: ignore[no-untyped-def]
    """Solve a stage from the velocity (v, Ω) and the friction of the ``base``, which become the solution; add iterations to
    ``linear.spent``; P: no points. Return SOLVED, or why it is not solved; TIPS also where nothing presses the base, N <= 0."""
    velocity, rest, history = linear.velocity, linear.rest, np.zeros((HISTORY_ROWS, 4))
    p, c, h, reaction, expected = np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.zeros(6), np.zeros(6)
    reaction[0], reaction[5], turn = -base[Z, 0], stage.tau, np.inf
    for _ in range(MAX_ITERATIONS):
        level = linearise(
            body, stage, loads, ground, ahead, table, at_time, blocks, python, surface, effects, velocity, linear, P
        )
        if level < 0.0:
            return EXCEPTION
        linear.spent[0] += 1
        missed = 0.0
        for a in range(6):
            missed = max(missed, abs(rest[a] - expected[a]) / (body.radius if a > 2 else 1.0))
        if turn <= ANGLE_TOLERANCE and missed <= ANGLE_TOLERANCE * abs(rest[2]) + ROUNDING * level:
            if rest[2] < 0.0 or (rest[2] == 0.0 and (rest[3] != 0.0 or rest[4] != 0.0)):
                return TIPS
            return finish_stage(body, stage, ground, python, surface, linear, P)
        load_base(body, stage, linear, p, c, h, reaction, base)
        spin = p[2]
        status, at_once = slip_of_base(h, c, reaction, p, base, history, linear)
        if status != SOLVED:
            return status
        turn = 0.0 if at_once else abs(p[2] - spin) * stage.tau
        for a in range(2, 5):
            expected[a] = rest[a] + (linear.stiffness[a, 5] * (p[2] - spin) if a > 2 else 0.0)
        for i in range(3):
            velocity[ALONG[i]] = p[i]
            expected[ALONG[i]] = h[i, 0] * p[0] + h[i, 1] * p[1] + h[i, 2] * p[2] - c[i]
    return ANGLE_UNSETTLED


@njit(cache=True, error_model="numpy")
def load_base(body, stage, linear, p, c, h, reaction, base):  # type: ignore[no-untyped-def]
    """Write p, c and H of the linearised balance along the ground, arms and loads of the points, and the moments that they bear:
    ``reaction``, see ``friction.rigid.reaction``."""
    D, rest, Q, tangent = linear.stiffness, linear.rest, linear.rotation, np.zeros((3, 3))
    inertia = np.array([body.mass, body.mass, linear.inertia[2, 2]]) / stage.tau_v
    for i in range(3):
        p[i] = linear.velocity[ALONG[i]]
        for j in range(3):
            tangent[i, j] = D[ALONG[i], ALONG[j]] - (inertia[i] if i == j else 0.0) if body.bends else 0.0
    if body.bends:
        make_convex(tangent, inertia)
    for i in range(3):
        c[i] = -rest[ALONG[i]]
        for j in range(3):
            h[i, j] = tangent[i, j] + (inertia[i] if i == j else 0.0)
            c[i] += h[i, j] * p[j]
    reaction[1], reaction[2], reaction[3], reaction[4] = -rest[4], rest[3], -D[4, 5], D[3, 5]
    for a in range(2):
        reaction[1 + a] -= reaction[3 + a] * p[2]
    normal = max(rest[2], 0.0)
    for i in range(base.shape[1]):
        for a in range(2):
            base[ARM_X + a, i] = Q[a, 0] * base[X, i] + Q[a, 1] * base[Y, i] + Q[a, 2] * base[Z, i]
        base[LOAD, i] = normal * base[SHARE, i]
        base[AT_REST, i] = base[MU, i] * base[LOAD, i]


@njit(cache=True, error_model="numpy")
def slip_of_base(h, c, reaction, p, base, history, linear):  # type: ignore[no-untyped-def]
    """Solve friction and pressure together, or else by rounds of friction under a given pressure; return the status, and True for
    the former, in which arms turn with the body. Where the base tips write the lever, m, to ``linear.put``."""
    arms, load, at_rest, bound = base[ARM_X:LOAD], base[LOAD], base[AT_REST], base[BOUND]
    multiplier, share, none = base[FRICTION_X:SIGMA], base[SIGMA], np.zeros(12)
    solved, iterations = reacting_slip(h, c, arms, load, at_rest, reaction, p, multiplier, share)
    if solved:
        linear.spent[1] += iterations
        return SOLVED, True
    history[0, 2] = history[0, 3] = 0.0
    status = update_bounds(load, arms, at_rest, reaction, p, multiplier, history, share, bound)
    for _ in range(MAX_PRESSURE_ROUNDS):
        if status != PRESSURE_UNSETTLED:
            break
        status, iterations, _ = rigid_slip(
            LAW, none, none[:0], h, c, arms, bound, p, multiplier, multiplier, multiplier, multiplier, 0.0
        )
        linear.spent[1] += iterations
        if status == SOLVED:
            status = update_bounds(load, arms, at_rest, reaction, p, multiplier, history, share, bound)
    linear.put = np.sqrt(history[0, 0] ** 2 + history[0, 1] ** 2) / max(linear.rest[2], 1e-300)
    return status, False


@njit(cache=True, error_model="numpy")
def write_contact(base, linear, fields, force, power):  # type: ignore[no-untyped-def]
    """Write slip, force, status, path and power (N, 9) of the points of a solved stage, wrenches (2, 6) and powers (2, 2): of
    contact, and 0 of landings."""
    Q, velocity = linear.rotation, linear.velocity
    rates = velocity[0], velocity[1], velocity[5]
    for k in range(2):
        power[k, 0] = power[k, 1] = 0.0
        for a in range(6):
            force[k, a] = 0.0
    for i in range(base.shape[1]):
        arm = times(Q, (base[X, i], base[Y, i], base[Z, i]))
        u, v = point_slip(rates, arm[0], arm[1])
        f = (-base[FRICTION_X, i], -base[FRICTION_Y, i], base[LOAD, i] * base[SIGMA, i])
        path, lost, moment = np.sqrt(u * u + v * v), -f[0] * u - f[1] * v, cross3(arm, f)
        put(fields, i, F_SLIP, (u, v, 0.0))
        put(fields, i, F_FORCE, f)
        put(fields, i, F_STATUS, (SLIP if path > 0.0 else STICK, path if f[2] > 0.0 else 0.0, lost))
        power[0, 1] += lost
        for a in range(3):
            force[0, a] += f[a]
            force[0, 3 + a] += moment[a]


@njit(cache=True, error_model="numpy")
def painleve_of_base(body, base, fields, linear):  # type: ignore[no-untyped-def]
    """Painlevé's number of the points of a base with slip and force (N, 9), at an attitude: see ``painleve``."""
    count, k = 0, 0
    for i in range(base.shape[1]):
        count += fields[i, F_STATUS] == SLIP and fields[i, F_FORCE + 2] > 0.0
    if count == 0:
        return np.inf
    vectors = np.empty((3, count, 6))
    turned_tensor(linear.rotation, body.inverse, linear.first, linear.second)
    for i in range(base.shape[1]):
        if fields[i, F_STATUS] == SLIP and fields[i, F_FORCE + 2] > 0.0:
            u, v, _ = at(fields, i, F_SLIP)
            part, arm = (
                base[MU, i] / np.sqrt(u * u + v * v),
                times(linear.rotation, (base[X, i], base[Y, i], base[Z, i])),
            )
            add_point(vectors, k, body.mass, linear.second, arm, (0.0, 0.0, 1.0), (-part * u, -part * v, 1.0))
            k += 1
    return number_of(vectors[0], vectors[1], vectors[2])
