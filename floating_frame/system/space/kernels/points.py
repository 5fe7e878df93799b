"""Kinematics of contact points, compiled: gaps, axes and velocities, and their derivatives by the body's velocity.

Each point is the nearest one to an obstacle of a ball of radius ρ about c = QX (of a foot ρ = 0). With the gap g of the obstacle, n
= ∇g and H = ∇∇g at x + c, the gap of the point is g − ρ, its arm a = c − ρ n, and where the body moves by dx, dφ

    dc = dx + dφ × c,    dn = H dc,    da = dφ × c − ρ H dc,    dθ = B dc of the axes A = (t1, t2, n),

so that y = v + Ω × a − v_o, its velocity relative to the obstacle of velocity v_o and spin ω, changes by

    dy = dv + dΩ × a + (Ω − ω) × (dφ × c) − ω × dx + M dc,    M = hat(y) B − ρ hat(Ω − ω) H,

along the axes, u = A y, by A dy, and a force f = Aᵀp by dθ × f. In a stage dx = τ dv, dφ = T dΩ; of flat obstacles M = 0."""

from __future__ import annotations

from numba import njit

from fem.kernels.lanes import call
from floating_frame.contact import kernels as shapes
from floating_frame.contact.kernels import ANTIPARALLEL
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import (
    at,
    back,
    back_at,
    cross3,
    dot,
    minus,
    plus,
    put,
    scaled,
    times,
    times_at,
    triple,
)


@njit(cache=True, error_model="numpy")
def evaluate_obstacles(body, python, ground, time, x, Q, P, surface):  # type: ignore[no-untyped-def]
    """Evaluate gaps, normals and curvatures of curved obstacles at the points of a body at (x, Q); False for an exception of
    Python. ``surface``: a row for each point, and one for the time."""
    m = P.shape[0]
    for i in range(m):
        row, y = ground[i // body.feet], plus(x, times(Q, at(P, i, rec.REFERENCE)))
        put(surface, i, rec.AS_CENTRE, y)
        if row[rec.OB_KIND] == rec.CURVED and row[rec.OB_SHAPE] != rec.PYTHON_SHAPE:
            own = shapes.own_place(y, triple(row, rec.OB_PLACE), row, rec.OB_AXES, triple(row, rec.OB_PIVOT))
            gap, n, H = shapes.gap_at(int(row[rec.OB_SHAPE]), row[rec.OB_NUMBERS :], own)
            H = shapes.rotate_tensor(row, rec.OB_AXES, H)
            surface[i, rec.AS_GAP] = gap
            put(surface, i, rec.AS_NORMAL, shapes.rotate(row, rec.OB_AXES, n))
            for k in range(9):
                surface[i, rec.AS_CURVATURE + k] = shapes.tensor_entry(H, k // 3, k % 3)
    surface[m, 0] = time
    return python.obstacles == 0 or call(python.obstacles, 0, 0, 0) >= 0.0


@njit(cache=True, error_model="numpy", forceinline=True)
def gap_at(ground, o, x, surface, i):  # type: ignore[no-untyped-def]
    """Gap, m, of an obstacle at x (3,) in space, and its normal; of curved ones as evaluated before."""
    if ground[o, rec.OB_KIND] == rec.FLAT:
        n = at(ground, o, rec.OB_AXES + 6)
        return dot(n, x) - ground[o, rec.OB_OFFSET], n
    return surface[i, rec.AS_GAP], at(surface, i, rec.AS_NORMAL)


@njit(cache=True, error_model="numpy", forceinline=True)
def axes_at(n, P, i):  # type: ignore[no-untyped-def]
    """Write the axes of contact (t1, t2, n) at a normal: see ``contact.axes``."""
    x, y, z = n
    up = 1.0 + z
    share, plain = (1.0 / up, 1.0 - y * y / up) if up > ANTIPARALLEL else (0.0, -1.0)
    put(P, i, rec.AXES, (1.0 - x * x * share, -x * y * share, -x))
    put(P, i, rec.AXES + 3, (-x * y * share, plain, -y))
    put(P, i, rec.AXES + 6, n)


@njit(cache=True, error_model="numpy")
def contact_geometry(body, ground, x, Q, P, surface):  # type: ignore[no-untyped-def]
    """Write gaps, arms, axes and the velocities of the obstacles for the points of a body at (x, Q)."""
    for i in range(P.shape[0]):
        o, c = i // body.feet, times(Q, at(P, i, rec.REFERENCE))
        gap, n = gap_at(ground, o, plus(x, c), surface, i)
        arm = minus(c, scaled(body.ball, n))
        P[i, rec.GAP] = gap - body.ball
        put(P, i, rec.CENTRE, c)
        put(P, i, rec.ARM, arm)
        put(
            P,
            i,
            rec.OBSTACLE_VELOCITY,
            plus(at(ground, o, rec.OB_VELOCITY), cross3(at(ground, o, rec.OB_SPIN), plus(x, arm))),
        )
        if ground[o, rec.OB_KIND] == rec.FLAT:
            for b in range(9):
                P[i, rec.AXES + b] = ground[o, rec.OB_AXES + b]
        else:
            axes_at(n, P, i)


@njit(cache=True, error_model="numpy", forceinline=True)
def slip_at(P, i, v, spin):  # type: ignore[no-untyped-def]
    """Velocity of a point relative to its obstacle along the axes, m/s."""
    y = minus(plus(v, cross3(spin, at(P, i, rec.ARM))), at(P, i, rec.OBSTACLE_VELOCITY))
    return times_at(P, i, rec.AXES, y)


@njit(cache=True, error_model="numpy", forceinline=True)
def mean_pulls(theta, P, i):  # type: ignore[no-untyped-def]
    """Write force and moment of unit forces along the axes, weighted means of the step's start and the stage's end (see
    ``stage``)."""
    arm, first = at(P, i, rec.ARM), at(P, i, rec.START_ARM)
    for k in range(0, 9, 3):
        f = at(P, i, rec.AXES + k)
        moment = cross3(arm, f)
        if theta != 1.0:
            g = at(P, i, rec.START_AXES + k)
            f, moment = (
                plus(scaled(theta, f), scaled(1.0 - theta, g)),
                plus(scaled(theta, moment), scaled(1.0 - theta, cross3(first, g))),
            )
        put(P, i, rec.PULL + k, f)
        put(P, i, rec.MOMENT + k, moment)


@njit(cache=True, error_model="numpy")
def velocity_rows(body, ground, tau, velocity, T, P, surface):  # type: ignore[no-untyped-def]
    """Write u, ∂u/∂v and ∂u/∂Ω of the points along their axes, at the velocity (v, Ω) (6,)."""
    v, spin = triple(velocity, 0), triple(velocity, 3)
    for i in range(P.shape[0]):
        o, c, arm = i // body.feet, at(P, i, rec.CENTRE), at(P, i, rec.ARM)
        turning = at(ground, o, rec.OB_SPIN)
        against = minus(spin, turning)
        along, by = dot(against, c), back(T, against)
        put(P, i, rec.VELOCITY, slip_at(P, i, v, spin))
        for k in range(3):
            t = at(P, i, rec.AXES + 3 * k)
            side, turned = dot(t, c), cross3(arm, t)
            mine = back(T, scaled(along, t))
            put(P, i, rec.BY_SPIN + 3 * k, plus(minus(mine, scaled(side, by)), turned))
            put(P, i, rec.BY_VELOCITY + 3 * k, plus(t, scaled(tau, cross3(turning, t))))
        if ground[o, rec.OB_KIND] == rec.CURVED:
            curved_rows(body, against, tau, T, P, surface, i)


@njit(cache=True, error_model="numpy")
def curved_rows(body, against, tau, T, P, surface, i):  # type: ignore[no-untyped-def]
    """Add the curvature terms of an obstacle to ∂u/∂v and ∂u/∂Ω of a point: A M [τ, −hat(c) T]."""
    c, y = at(P, i, rec.CENTRE), back_at(P, i, rec.AXES, at(P, i, rec.VELOCITY))
    for k in range(3):
        t = at(P, i, rec.AXES + 3 * k)
        # tᵀ hat(y) B = (t × y)ᵀ B,  tᵀ hat(s) H = (t × s)ᵀ H
        row = minus(
            axes_rotation(P, surface, i, cross3(t, y)),
            scaled(body.ball, curvature_times(surface, i, cross3(t, against))),
        )
        put(P, i, rec.BY_VELOCITY + 3 * k, plus(at(P, i, rec.BY_VELOCITY + 3 * k), scaled(tau, row)))
        put(P, i, rec.BY_SPIN + 3 * k, plus(at(P, i, rec.BY_SPIN + 3 * k), back(T, cross3(c, row))))


@njit(cache=True, error_model="numpy", forceinline=True)
def curvature_times(surface, i, a):  # type: ignore[no-untyped-def]
    """H a of the curvature at a point."""
    return times_at(surface, i, rec.AS_CURVATURE, a)


@njit(cache=True, error_model="numpy", forceinline=True)
def axes_rotation(P, surface, i, a):  # type: ignore[no-untyped-def]
    """Bᵀ a, B = hat(n) H + n (H w)ᵀ: the axes of contact turn by dθ = B dx where the point moves by dx."""
    n = at(P, i, rec.AXES + 6)
    up = max(1.0 + n[2], ANTIPARALLEL)
    about = curvature_times(surface, i, (n[1] / up, -n[0] / up, 0.0))
    return plus(curvature_times(surface, i, cross3(a, n)), scaled(dot(n, a), about))


@njit(cache=True, error_model="numpy")
def gap_rows(body, ground, stage, velocity, linear, P, surface):  # type: ignore[no-untyped-def]
    """Write the normal component of u of points without a load at the start: their gap at t* + τ_v over τ_v, and its derivatives; a
    negative gap at the step's start may remain."""
    lags, tau_v = stage.tau != stage.tau_v, stage.tau_v
    Q, T = (linear.ahead, linear.slope) if lags else (linear.rotation, linear.tangent)
    v = triple(velocity, 0)
    x = plus(plus(triple(stage.place, 0), triple(stage.increment, 0)), scaled(tau_v, v))
    for i in range(P.shape[0]):
        if P[i, rec.PERSISTS] != 0.0:
            continue
        c = times(Q, at(P, i, rec.REFERENCE)) if lags else at(P, i, rec.CENTRE)
        gap, n = gap_at(ground, i // body.feet, plus(x, c), surface, i)
        P[i, rec.VELOCITY + 2] = (gap - body.ball - min(P[i, rec.START_GAP], 0.0)) / tau_v
        put(P, i, rec.BY_VELOCITY + 6, n)
        put(P, i, rec.BY_SPIN + 6, scaled(1.0 / tau_v, back(T, cross3(c, n))))


@njit(cache=True, error_model="numpy")
def curved_forces(body, theta, tau, T, P, surface, i, f, D, first, second):  # type: ignore[no-untyped-def]
    """Add to D the geometric stiffness of a force on a curved obstacle, whose axes and arm turn."""
    a, c = at(P, i, rec.ARM), at(P, i, rec.CENTRE)
    for b in range(3):
        e = (1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0)
        row = axes_rotation(P, surface, i, cross3(e, f))
        first[b, 0], first[b, 1], first[b, 2] = -row[0], -row[1], -row[2]
    for b in range(3):
        x, y, z = cross3(a, (first[0, b], first[1, b], first[2, b]))
        h = cross3(
            f,
            (
                surface[i, rec.AS_CURVATURE + b],
                surface[i, rec.AS_CURVATURE + 3 + b],
                surface[i, rec.AS_CURVATURE + 6 + b],
            ),
        )
        second[0, b], second[1, b], second[2, b] = x + body.ball * h[0], y + body.ball * h[1], z + body.ball * h[2]
    for b in range(3):
        for first_row, N in ((0, first), (3, second)):
            row = (N[b, 0], N[b, 1], N[b, 2])
            turned = back(T, cross3(row, c))
            for k in range(3):
                D[first_row + b, k] -= theta * tau * row[k]
                D[first_row + b, 3 + k] += theta * turned[k]
