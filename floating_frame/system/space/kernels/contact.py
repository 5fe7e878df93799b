"""Contact states at the start of a step and at the end of a stage, compiled: touching and sticking points, losses of impacts."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.system.space.ground import APPROACHES, TOUCHING
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import at, back_at, dot, put, triple
from floating_frame.system.space.kernels.points import contact_geometry
from floating_frame.system.stages import POINT_LANDS
from friction.status import OPEN, SLIP, SOLVED, STICK

LANDING_ENERGY = 1e-12
"""Power of a landing point over the body's energy over τ beyond which u_n = 0 replaces its gap."""


@njit(cache=True, error_model="numpy")
def velocity_scale(body, v, spin, P):  # type: ignore[no-untyped-def]
    """Scale of the points' and the obstacles' velocities, m/s."""
    carried = 0.0
    for i in range(P.shape[0]):
        for a in range(3):
            carried = max(carried, abs(P[i, rec.OBSTACLE_VELOCITY + a]))
    return np.sqrt(dot(v, v)) + body.radius * np.sqrt(dot(spin, spin)) + carried


@njit(cache=True, error_model="numpy")
def begin_points(body, ground, x, Q, velocity, lands, P, surface):  # type: ignore[no-untyped-def]
    """Write the masks of loaded, touching and approaching points at a step's start, by slip ``INCOMING`` and forces ``FORCE``."""
    contact_geometry(body, ground, x, Q, P, surface)
    still = -APPROACHES * velocity_scale(body, triple(velocity, 0), triple(velocity, 3), P)
    for i in range(P.shape[0]):
        P[i, rec.START_GAP] = P[i, rec.GAP]
        put(P, i, rec.START_ARM, at(P, i, rec.ARM))
        put(P, i, rec.START_OBSTACLE, at(P, i, rec.OBSTACLE_VELOCITY))
        for a in range(9):
            P[i, rec.START_AXES + a] = P[i, rec.AXES + a]
        touches, stays = abs(P[i, rec.GAP]) <= TOUCHING, P[i, rec.INCOMING + 2] >= still
        P[i, rec.PRESSED] = 1.0 if touches and stays and P[i, rec.FORCE + 2] > 0.0 and not lands else 0.0
        P[i, rec.OPEN_ONLY] = 1.0 if (not touches or not stays) and not lands else 0.0


@njit(cache=True, error_model="numpy")
def release_points(body, tau_v, velocity, P):  # type: ignore[no-untyped-def]
    """Set u_n = 0 at points whose landing would add energy, and release static friction beyond its bound; True where the stage must
    be solved again."""
    speed, again = velocity_scale(body, triple(velocity, 0), triple(velocity, 3), P), False
    most = LANDING_ENERGY * body.mass * speed**2 / tau_v
    for i in range(P.shape[0]):
        if P[i, rec.FORCE + 2] * P[i, rec.SLIP + 2] > most and P[i, rec.PERSISTS] == 0.0:
            P[i, rec.PERSISTS], again = 1.0, True
        if P[i, rec.STATUS] == SLIP and P[i, rec.KINETIC] < P[i, rec.FRICTION] < np.inf:
            P[i, rec.FRICTION], again = P[i, rec.KINETIC], True
    return again


@njit(cache=True, error_model="numpy")
def finish_points(theta, tau_v, lands, P, force, power):  # type: ignore[no-untyped-def]
    """Write slip path and power of the points of a solved stage, and losses of landing ones; add wrench and powers of loaded points
    to ``force`` (2, 6) and ``power`` (2, 2), first of friction, then of impacts. Return SOLVED or POINT_LANDS."""
    for k in range(2):
        power[k, 0] = power[k, 1] = 0.0
        for a in range(6):
            force[k, a] = 0.0
    for i in range(P.shape[0]):
        f, sticks = at(P, i, rec.FORCE), P[i, rec.STATUS] == STICK
        presses = f[2] > 0.0
        if P[i, rec.OPEN_ONLY] == 1.0 and P[i, rec.GAP] < -TOUCHING:
            return POINT_LANDS
        if sticks:
            P[i, rec.SLIP] = P[i, rec.SLIP + 1] = 0.0
        if P[i, rec.PERSISTS] != 0.0 and P[i, rec.STATUS] != OPEN:
            P[i, rec.SLIP + 2] = 0.0
        u, came, whole, k = at(P, i, rec.SLIP), at(P, i, rec.INCOMING), -dot(f, at(P, i, rec.SLIP)), 0
        P[i, rec.PATH], P[i, rec.POWER], P[i, rec.LANDING_LOSS] = (
            np.sqrt(u[0] ** 2 + u[1] ** 2) if presses else 0.0,
            whole,
            np.nan,
        )
        if not presses:
            continue
        pull, moment = back_at(P, i, rec.PULL, f), back_at(P, i, rec.MOMENT, f)
        driven = theta * dot(back_at(P, i, rec.AXES, f), at(P, i, rec.OBSTACLE_VELOCITY))
        driven += (1.0 - theta) * dot(back_at(P, i, rec.START_AXES, f), at(P, i, rec.START_OBSTACLE))
        lost = whole
        if lands and (P[i, rec.START_GAP] > TOUCHING or came[2] * tau_v < -TOUCHING):
            # mean of the velocities before and after, along the axes of the landing
            before = dot(back_at(P, i, rec.AXES, f), back_at(P, i, rec.START_AXES, came))
            P[i, rec.LANDING_LOSS], P[i, rec.POWER], k = 0.5 * whole - 0.5 * before, 0.0, 1
            lost = P[i, rec.LANDING_LOSS]
        power[k, 0] += driven
        power[k, 1] += lost
        for a in range(3):
            force[k, a] += pull[a]
            force[k, 3 + a] += moment[a]
    power[1, 1] = max(power[1, 1], 0.0)  # negative where landing points separated at the step's start
    return SOLVED
