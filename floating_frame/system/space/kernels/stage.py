"""One stage of a rigid body in space: the balance of momentum and moment of momentum with frictional contact, by Newton's method.

With x = x* + τ v and Θ = Θ* + τ (Ω − ½ Θ × Ω), Q = exp(Θ) Q_n, the stage satisfies

    M (v − v*)/τ = F + Σ p_i                          (2.3)1 with A = P = B = 0
    (QJQᵀΩ − h*)/τ = M0 + Σ a_i × p_i                 (2.3)2 in momentum form, in space: h is constant to rounding without moments

with the arms a_i of the points of contact. θ schemes mix arms and normals of p like loads: by H̄ = (1 − θ) H_n + θ H, H v = u, p
works at the mean velocity

    H̄ᵀp·{(1 − θ) v_n + θ v} = p·{(1 − θ) u_n + θ u} − θ(1 − θ) p·(H − H_n)(v − v_n).

The last term is of order Δt² at loaded sticking points and changes its sign with ΔΩ. With H at the end alone it would be (1 − θ)
p·(H − H_n) v_n, of order Δt: energy created wherever the body turns about its points.

In δv, δΩ, with δφ = T δΩ, T = dexp(Θ)(1 − ½τ hat Ω)⁻¹ τ (1 − ½ hat Θ),

    D = diag(M/τ, {J + (J hat Ω − hat(JΩ)) T}/τ) − ∂(F, M0)/∂ − ∂(Σ p_i, Σ a_i × p_i)/∂    (arms and normals move: ``points``)

and the contact forces p follow from the velocities of the points, u + H̃ D⁻¹ (Hᵀ δp − rest), by Signorini's and Coulomb's laws
(``cone``). A point loaded at the step's start has u_n = 0; the gap of any other at the stage's end must not be negative, or not
smaller than a negative one at the start."""

from __future__ import annotations

from numba import njit

from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import (
    add_outer,
    at,
    attitude,
    back_at,
    cross3,
    exponential,
    largest,
    plus,
    product,
    put,
    scaled,
    times,
    triple,
    turn_of,
    turned_tensor,
)
from floating_frame.system.space.kernels.cone import (
    MAX_ITERATIONS,
    PROXIMAL,
    TOLERANCE,
    branch_of,
    solve_laws,
    stick_slow_points,
)
from floating_frame.system.space.kernels.forces import add_effects, add_loads, add_python
from floating_frame.system.space.kernels.points import (
    contact_geometry,
    curved_forces,
    evaluate_obstacles,
    gap_rows,
    mean_pulls,
    slip_at,
    velocity_rows,
)
from floating_frame.system.stages import ANGLE_UNSETTLED, EXCEPTION
from friction.status import OPEN, SOLVED


@njit(cache=True, error_model="numpy")
def linearise(body, stage, loads, ground, ahead, table, at_time, blocks, python, surface, effects, velocity, linear, P):  # type: ignore[no-untyped-def]
    """Write the balance and the points' velocities at (v, Ω) (6,) under the points' forces; return the scale of residuals, N,
    negative where Python raised."""
    Q, T, J, X, D, rest = linear.rotation, linear.tangent, linear.inertia, linear.second, linear.stiffness, linear.rest
    tau, tau_v, theta, v, spin = stage.tau, stage.tau_v, stage.theta, triple(velocity, 0), triple(velocity, 3)
    attitude(stage.rotation, triple(stage.increment, 3), spin, tau, linear, Q, T)
    for a in range(3):
        linear.place[a] = stage.place[a] + stage.increment[a] + tau * v[a]
    x = triple(linear.place, 0)
    if python.curved and not evaluate_obstacles(body, python, ground, stage.time, x, Q, P, surface):
        return -1.0
    turned_tensor(Q, body.inertia, X, J)
    h = times(J, spin)
    for a in range(3):
        rest[a] = body.mass / tau_v * (v[a] - stage.before[a]) - stage.first[a]
        rest[3 + a] = (h[a] - stage.before[3 + a]) / tau_v - stage.first[3 + a]
        for b in range(3):
            D[a, b] = body.mass / tau_v if a == b else 0.0
            D[a, 3 + b] = D[3 + a, b] = D[3 + a, 3 + b] = 0.0
    level = add_loads(loads, theta, linear)
    level += add_effects(table, at_time, blocks, tau, theta, velocity, linear)
    contact_geometry(body, ground, x, Q, P, surface)
    velocity_rows(body, ground, tau, velocity, T, P, surface)
    level += contact_forces(body, ground, theta, tau, linear, P, surface)
    # X = (J hat Ω − hat h)/τ − θ (G − tr G), G = Σ a ⊗ f
    G = linear.first
    trace = theta * (G[0, 0] + G[1, 1] + G[2, 2])
    for a in range(3):
        across = cross3(at(J, a, 0), spin)
        for b in range(3):
            X[a, b] = across[b] / tau_v - theta * G[a, b]
        X[a, a] += trace
    X[0, 1] += h[2] / tau_v
    X[1, 0] -= h[2] / tau_v
    X[0, 2] -= h[1] / tau_v
    X[2, 0] += h[1] / tau_v
    X[1, 2] += h[0] / tau_v
    X[2, 1] -= h[0] / tau_v
    product(X, T, linear.third)
    for a in range(3):
        for b in range(3):
            D[3 + a, 3 + b] += J[a, b] / tau_v + linear.third[a, b]
    if python.effects:
        size = add_python(python.effects, effects, theta, velocity, linear)
        level += size
        if size < 0.0:
            return -1.0
    if tau != tau_v:
        attitude(stage.rotation, triple(stage.increment, 3), spin, tau_v, linear, linear.ahead, linear.slope)
        x = plus(plus(triple(stage.place, 0), triple(stage.increment, 0)), scaled(tau_v, v))
        given = stage.time_ahead, x, linear.ahead, P, surface
        if python.curved and not evaluate_obstacles(body, python, ahead, *given):
            return -1.0
    gap_rows(body, ahead, stage, velocity, linear, P, surface)
    return level + body.mass * largest(v) / tau_v + largest(h) / (tau_v * body.radius)


@njit(cache=True, error_model="numpy")
def contact_forces(body, ground, theta, tau, linear, P, surface):  # type: ignore[no-untyped-def]
    """Subtract the contact forces from the residual, and their derivatives by the rotation of axes at curved obstacles from D; add
    Σ c ⊗ f to ``linear.first``. Return their size, N."""
    rest, size = linear.rest, 0.0
    for i in range(P.shape[0]):
        mean_pulls(theta, P, i)
        p = at(P, i, rec.FORCE)
        if p[0] == 0.0 and p[1] == 0.0 and p[2] == 0.0:
            continue
        pull, moment, f = back_at(P, i, rec.PULL, p), back_at(P, i, rec.MOMENT, p), back_at(P, i, rec.AXES, p)
        for a in range(3):
            rest[a] -= pull[a]
            rest[3 + a] -= moment[a]
        size = max(size, largest(p))
        add_outer(linear.first, at(P, i, rec.CENTRE), f)
        if ground[i // body.feet, rec.OB_KIND] == rec.CURVED:
            curved_forces(
                body, theta, tau, linear.tangent, P, surface, i, f, linear.stiffness, linear.fourth, linear.fifth
            )
    return size


@njit(cache=True, error_model="numpy")
def solve_stage(body, stage, loads, ground, ahead, table, at_time, blocks, python, surface, effects, linear, P):  # type: ignore[no-untyped-def]
    """Solve a stage from the velocity (v, Ω) and the points' forces, which become the solution, with velocities and status of the
    points; add iterations and systems solved to ``linear.spent``. Return SOLVED, ANGLE_UNSETTLED or EXCEPTION."""
    velocity, tau_v = linear.velocity, stage.tau_v
    weight = 1.0 / (body.soft * tau_v)
    stiff, settles, level = weight / PROXIMAL, False, 0.0
    for _ in range(MAX_ITERATIONS):
        level = linearise(
            body, stage, loads, ground, ahead, table, at_time, blocks, python, surface, effects, velocity, linear, P
        )
        if level < 0.0:
            return EXCEPTION
        systems = solve_laws(weight, stiff, level, P, linear)
        linear.spent[0] += 1
        linear.spent[1] += abs(systems)
        if systems < 0:
            return ANGLE_UNSETTLED
        missed = balance_defect(body, linear)
        for a in range(6):
            velocity[a] += linear.step[a]
        settles = missed <= TOLERANCE * level
        if settles:
            break
    if not settles:
        return ANGLE_UNSETTLED
    for i in range(P.shape[0]):
        P[i, rec.STATUS] = branch_of(weight, stiff, P, i)
    stick_slow_points(level / weight, P, linear)
    return finish_stage(body, stage, ground, python, surface, linear, P)


@njit(cache=True, error_model="numpy", forceinline=True)
def balance_defect(body, linear):  # type: ignore[no-untyped-def]
    """Bound of the balance's residual after δw, N: without rotation the step is exact where balance and gaps are linear in v and in
    the forces."""
    D, step, most, first = linear.stiffness, linear.step, 0.0, 0 if body.bends else 3
    for a in range(6):
        value = 0.0
        for b in range(first, 6):
            value += D[a, b] * step[b]
        most = max(most, abs(value) / (body.radius if a > 2 else 1.0))
    return most


@njit(cache=True, error_model="numpy")
def finish_stage(body, stage, ground, python, surface, linear, P):  # type: ignore[no-untyped-def]
    """Write position, attitude and contact at the end of a solved stage. Return SOLVED or EXCEPTION."""
    v, spin = triple(linear.velocity, 0), triple(linear.velocity, 3)
    turn, _ = turn_of(triple(stage.increment, 3), spin, stage.tau)
    exponential(turn, linear.first)
    product(linear.first, stage.rotation, linear.rotation)
    for a in range(3):
        linear.turn[a] = turn[a]
        linear.place[a] = stage.place[a] + stage.increment[a] + stage.tau * v[a]
    x = triple(linear.place, 0)
    given = stage.time, x, linear.rotation, P, surface
    if python.curved and not evaluate_obstacles(body, python, ground, *given):
        return EXCEPTION
    contact_geometry(body, ground, x, linear.rotation, P, surface)
    for i in range(P.shape[0]):
        mean_pulls(stage.theta, P, i)
        put(P, i, rec.SLIP, slip_at(P, i, v, spin))
        if P[i, rec.STATUS] == OPEN:
            put(P, i, rec.FORCE, (0.0, 0.0, 0.0))
    return SOLVED
