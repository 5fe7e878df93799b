"""One stage of a rigid body in space, compiled: the twin of ``stage.SpaceStage``, whose equations it has."""

from __future__ import annotations

from numba import njit

from floating_frame.system.space.kernels.algebra import (
    arms_of,
    attitude,
    back,
    couple_of,
    cross3,
    dot,
    exponential,
    largest,
    plus,
    product,
    row,
    times,
    triple,
    turn_of,
    turned_tensor,
    write,
)
from floating_frame.system.space.kernels.cone import ACCEPTED, PROXIMAL, TURNS, rests, solve_laws, trial
from friction.cone import OPEN, SLIPS, STICKS


@njit(cache=True, error_model="numpy", forceinline=True)
def levers_of(plan, theta, given, linear):  # type: ignore[no-untyped-def]
    """Write the arms of the forces, in the mean of those at the step's start and the stage's end: see ``SpaceStage``."""
    for i in range(plan.count):
        for a in range(3):
            linear.levers[i, a] = (1.0 - theta) * given.arms[i, a] + theta * linear.arms[i, a]


@njit(cache=True, error_model="numpy")
def linearise(plan, given, tau, tau_v, theta, w, p, linear):  # type: ignore[no-untyped-def]
    """Write the balance and the points' velocities at (v, Ω) = ``w`` (6,) under forces p (m, 3); return what residuals are measured
    by, N."""
    Q, T, J, X, G = linear.rotation, linear.tangent, linear.inertia, linear.first, linear.second
    v, spin, forces = triple(w, 0), triple(w, 3), 0.0
    attitude(given.rotation, triple(given.way, 3), spin, tau, linear, Q, T)
    turned_tensor(Q, plan.inertia, X, J)
    h = times(J, spin)
    arms_of(plan, Q, linear.arms)
    levers_of(plan, theta, given, linear)
    moment = couple_of(given.couple, Q, G)
    pull, turning = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(plan.count):
        f, arm = row(p, i), row(linear.arms, i)
        pull, turning = plus(pull, f), plus(turning, cross3(row(linear.levers, i), f))
        forces = max(forces, largest(f))
        for a in range(3 if plan.turns else 0):
            write(G, a, (G[a, 0] + arm[a] * f[0], G[a, 1] + arm[a] * f[1], G[a, 2] + arm[a] * f[2]))
    rest = linear.rest
    for a in range(3):
        rest[a] = plan.mass / tau_v * (v[a] - given.before[a]) - theta * given.load[a] - given.first[a] - pull[a]
        rest[3 + a] = (h[a] - given.before[3 + a]) / tau_v - theta * moment[a] - given.first[3 + a] - turning[a]
    # X = (J hat Ω − hat h)/τ − θ (G − tr G)
    trace = theta * (G[0, 0] + G[1, 1] + G[2, 2])
    for a in range(3):
        across = cross3(row(J, a), spin)
        for b in range(3):
            X[a, b] = across[b] / tau_v - theta * G[a, b]
        X[a, a] += trace
    X[0, 1] += h[2] / tau_v
    X[1, 0] -= h[2] / tau_v
    X[0, 2] -= h[1] / tau_v
    X[2, 0] += h[1] / tau_v
    X[1, 2] += h[0] / tau_v
    X[2, 1] -= h[0] / tau_v
    product(X, T, linear.block)
    for a in range(3):
        for b in range(3):
            linear.block[a, b] += J[a, b] / tau_v
    point_rows(plan, given, tau, tau_v, w, linear)
    level = plan.mass * largest(v) / tau_v + largest(triple(given.load, 0)) + given.size + forces
    return level + largest(h) / (tau_v * plan.radius)


@njit(cache=True, error_model="numpy", forceinline=True)
def point_rows(plan, given, tau, tau_v, w, linear):  # type: ignore[no-untyped-def]
    """Write ∂u/∂Ω and u_k: the last component a gap over τ where a point did not press at the start; see ``SpaceStage._rows``."""
    K, T, v, spin, lags = linear.turning, linear.tangent, triple(w, 0), triple(w, 3), tau != tau_v and plan.turns
    by, done = back(T, spin), False
    for i in range(plan.count):
        x, y, z = arm = row(linear.arms, i)
        along = dot(spin, arm) if plan.turns else 0.0
        write(linear.velocity, i, plus(v, cross3(spin, arm)))
        for a in range(3):  # Ω × (δφ × a) = (Ω·a) δφ − a (Ω·δφ)
            side = arm[a] if plan.turns else 0.0
            for b in range(3):
                K[i, a, b] = along * T[a, b] - side * by[b]
        K[i, 0, 1] += z
        K[i, 0, 2] -= y
        K[i, 1, 0] -= z
        K[i, 1, 2] += x
        K[i, 2, 0] += y
        K[i, 2, 1] -= x
        if given.persists[i]:
            continue
        if lags and not done:
            attitude(given.rotation, triple(given.way, 3), spin, tau_v, linear, linear.ahead, linear.slope)
            done = True
        slope = linear.slope if lags else T
        if lags:
            x, y, z = times(linear.ahead, row(plan.feet, i))
        gap = given.place[2] + given.way[2] + tau_v * v[2] + z
        linear.velocity[i, 2] = (gap - min(given.gaps[i], 0.0)) / tau_v
        for b in range(3):
            K[i, 2, b] = (y * slope[0, b] - x * slope[1, b]) / tau_v if plan.turns else 0.0


@njit(cache=True, error_model="numpy")
def solve_stage(plan, given, tau, tau_v, theta, w, p, slip, status, linear, spent):  # type: ignore[no-untyped-def]
    """Solve a stage from (v, Ω) = ``w`` (6,) and forces p (m, 3), which become the solution, with velocities ``slip`` and
    ``status`` of the points; add turns and systems solved to ``spent``. Return whether it settled."""
    weight, mass = 1.0 / (plan.soft * tau_v), plan.mass / tau_v
    stiff, m, settles = weight / PROXIMAL, plan.count, False
    for _ in range(TURNS):
        level = linearise(plan, given, tau, tau_v, theta, w, p, linear)
        solved_systems = solve_laws(given.friction, mass, weight, stiff, level, p, slip, linear, m)
        spent[0] += 1
        spent[1] += abs(solved_systems)
        if solved_systems < 0:
            return False
        # without a turn the step is exact: balance and gaps are linear in v and in the forces
        missed = largest(times(linear.block, triple(linear.step, 3))) / plan.radius
        for a in range(6):
            w[a] += linear.step[a]
        settles = missed <= ACCEPTED * level
        if settles:
            break
    if not settles:
        return False
    for i in range(m):
        _, _, sigma, size, _ = trial(weight, stiff, p, slip, linear, i)
        status[i] = OPEN if sigma <= 0.0 else STICKS if size <= given.friction[i] * sigma else SLIPS
    rests(mass, level / weight, p, slip, status, linear, m)
    turn, _ = turn_of(triple(given.way, 3), triple(w, 3), tau)
    exponential(turn, linear.first)
    product(linear.first, given.rotation, linear.rotation)
    arms_of(plan, linear.rotation, linear.arms)
    levers_of(plan, theta, given, linear)
    for a in range(3):
        linear.turn[a] = turn[a]
    for i in range(m):
        write(slip, i, plus(triple(w, 0), cross3(triple(w, 3), row(linear.arms, i))))
        if status[i] == OPEN:
            write(p, i, (0.0, 0.0, 0.0))
    return True
