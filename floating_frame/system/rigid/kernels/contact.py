"""Exact contact in a stage of a rigid body, compiled, with the exact friction under it at the same time: see ``exact_contact``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import overload_method
from numpy.typing import NDArray

from fem.kernels.lanes import call
from floating_frame.contact.signorini_kernel import (
    CLOSED_GAP,
    EXTENT,
    Touch,
    along,
    begin,
    bound,
    coefficients,
    foot,
    linearise,
    release,
)
from floating_frame.effect.penalty_kernel import PIVOT, rotate, space_gap
from floating_frame.frame.kinematics import Array
from floating_frame.system.rigid.kernels.friction import slip_compliance, slip_under
from floating_frame.system.stages import CONTACT_UNSOLVED, SOLVED
from friction.normal.unilateral_kernel import DONE, EXHAUSTED, GO_ON, MAX_ITERATIONS, improve, settle

DIRECTION, LENGTH, NEAR, CENTRE, SIDE = 0, 2, 3, 4, 6
"""Places in the row of a side: its unit direction, its length m, −1 for a node, see ``signorini.Sides``."""
AT_ORIGIN, AT_START, AT_END, AHEAD = range(4)
"""Instants of a stage at which obstacles are evaluated: of x_n, x*, x and x̂."""


class NoPoints(NamedTuple):
    """A body without exact contacts, whose steps are compiled without them: no rows, and it touches nothing (1,)."""

    rows: NDArray[np.int64]
    touches: NDArray[np.bool_]

    def start_contacts(self, given):  # type: ignore[no-untyped-def]
        return True

    def settle_contacts(self, given):  # type: ignore[no-untyped-def]
        return 1

    def solve_contacts(self, given):  # type: ignore[no-untyped-def]
        return SOLVED

    def record_contacts(self, given):  # type: ignore[no-untyped-def]
        return None


class ExactPoints(NamedTuple):
    """The m points of a body that may touch: their ``touch``; nodes, or the starts of sides, and the points of contact, in the
    reference (m, 2) m; rows of sides (m, SIDE) and their nodes (m, L) m; ``obstacle`` (m,), whose numbers begin at ``first``
    (n + 1,) of ``numbers`` (see ``effect.penalty_kernel``); their places among all points (m,); whether any may touch (1,).

    Evaluated at one instant: places, normals, the obstacles' velocities (m, 2), gaps (m,), inactive points (m,), ``time`` (1,) s,
    by Python at the address ``callback`` unless it is 0; gaps (m,) at x, velocities (m, 2) at x̂; contact ``wrench`` (3,), the
    ``compliance`` (3, 3); ``size`` m of the body; of a failure (3,) reason, violation and tolerance."""

    touch: Touch
    X: Array
    reference: Array
    side: Array
    nodes: Array
    obstacle: NDArray[np.int64]
    first: NDArray[np.int64]
    numbers: Array
    rows: NDArray[np.int64]
    touches: NDArray[np.bool_]
    place: Array
    normal: Array
    carried: Array
    gap: Array
    inactive: NDArray[np.bool_]
    time: Array
    callback: int
    end_gap: Array
    velocity: Array
    wrench: Array
    compliance: Array
    size: float
    failure: Array

    def start_contacts(self, given):  # type: ignore[no-untyped-def]
        """See ``begin_contacts``."""
        return begin_contacts(self, *given)

    def settle_contacts(self, given):  # type: ignore[no-untyped-def]
        """See ``linearise_contacts``."""
        return linearise_contacts(self, *given)

    def solve_contacts(self, given):  # type: ignore[no-untyped-def]
        """See ``forces_and_slip``."""
        return forces_and_slip(self, *given)

    def record_contacts(self, given):  # type: ignore[no-untyped-def]
        """See ``write_record``."""
        return write_record(self, *given)


def _verb(name):  # type: ignore[no-untyped-def]
    """Let compiled text find a method of points, as Python does."""

    def of_two(points, given):  # type: ignore[no-untyped-def]
        return getattr(points.instance_class, name, None)

    return of_two


for _name in ("start_contacts", "settle_contacts", "solve_contacts", "record_contacts"):
    overload_method(types.NamedTuple, _name, strict=False, jit_options={"error_model": "numpy"})(_verb(_name))


@njit(cache=True, error_model="numpy", inline="always")
def locate(points, i, own, motion, q, c, s):  # type: ignore[no-untyped-def]
    """Write the material point that may touch at number ``i`` of a body at q (3,), and whether it is inactive."""
    side, points.inactive[i] = points.side[i], False
    for a in range(2):
        points.reference[i, a] = points.X[i, a]
    if side[LENGTH] < 0.0:
        return
    x, y = side[CENTRE] - own[PIVOT], side[CENTRE + 1] - own[PIVOT + 1]
    x, y, _ = rotate(motion, 6, (x, y, 0.0))
    x, y = x + motion[0] - q[0], y + motion[1] - q[1]
    x, y = c * x + s * y - points.X[i, 0], c * y - s * x - points.X[i, 1]
    at, points.inactive[i] = foot(side[DIRECTION:LENGTH], side[LENGTH], points.nodes[i], side[NEAR], x, y)
    for a in range(2):
        points.reference[i, a] += at * side[DIRECTION + a]


@njit(cache=True, error_model="numpy")
def evaluate(points, motions, q, time):  # type: ignore[no-untyped-def]
    """Write gaps, normals and the obstacles' velocities of a body at q (3,), obstacles as in ``motions`` (n, 18); False: Python
    raised."""
    c, s = np.cos(q[2]), np.sin(q[2])
    for i in range(len(points.X)):
        o = points.obstacle[i]
        own, motion = points.numbers[points.first[o] : points.first[o + 1]], motions[o]
        locate(points, i, own, motion, q, c, s)
        X, Y = points.reference[i, 0], points.reference[i, 1]
        x, y = q[0] + c * X - s * Y, q[1] + s * X + c * Y
        points.place[i, 0], points.place[i, 1] = x, y
        if points.callback == 0:
            points.gap[i], n, _, _, _, _, carried = space_gap(own, motion, (x, y, 0.0))
            for a in range(2):
                points.normal[i, a], points.carried[i, a] = n[a], carried[a]
    points.time[0] = time
    return points.callback == 0 or call(points.callback, 0, 0, 0) >= 0.0


@njit(cache=True, error_model="numpy")
def velocities(points, rates, angle, found):  # type: ignore[no-untyped-def]
    """Write the velocities (m, 2) m/s of the points of a body turned by ``angle``."""
    c, s = np.cos(angle), np.sin(angle)
    for i in range(len(found)):
        x = c * points.reference[i, 0] - s * points.reference[i, 1]
        y = s * points.reference[i, 0] + c * points.reference[i, 1]
        found[i, 0], found[i, 1] = rates[0] - rates[2] * y, rates[1] + rates[2] * x


@njit(cache=True, error_model="numpy", inline="always")
def ahead(q, tau, rates):  # type: ignore[no-untyped-def]
    """Coordinates q + τ q'."""
    return q[0] + tau * rates[0], q[1] + tau * rates[1], q[2] + tau * rates[2]


@njit(cache=True, error_model="numpy")
def begin_contacts(points, motions, place, before, rates, taus, time, force):  # type: ignore[no-untyped-def]
    """Begin a stage that ends at ``time`` from q* = ``place`` and the rates ``before``; linearise at a guess of its ``rates``;
    ``force`` (n, 2) of all points to start from."""
    (tau, tau_v), largest = taus, 0.0
    if not evaluate(points, motions[AT_ORIGIN], ahead(place, tau - tau_v, before), time - tau_v):
        return False
    for i in range(len(points.gap)):
        points.end_gap[i] = points.gap[i]
    if not evaluate(points, motions[AT_START], ahead(place, 0.0, before), time - tau):
        return False
    velocities(points, before, place[2], points.touch.incoming)
    fastest = 0.0
    for i in range(len(points.gap)):
        for a in range(2):
            points.touch.force[i, a] = force[points.rows[i], a]
            largest, fastest = max(largest, abs(points.place[i, a])), max(fastest, abs(points.touch.incoming[i, a]))
    begin(points.touch, points.gap, points.end_gap, largest + points.size + tau_v * fastest, tau_v, tau / tau_v)
    return linearise_contacts(points, motions, place, before, rates, taus, time, place[2] + tau * rates[2]) >= 0


@njit(cache=True, error_model="numpy")
def linearise_contacts(points, motions, place, before, rates, taus, time, angle):  # type: ignore[no-untyped-def]
    """Linearise the contacts at ``rates`` (3,), arms turned by ``angle``; return 1 where they have converged, −1: Python raised."""
    tau, tau_v = taus
    if not evaluate(points, motions[AT_END], ahead(place, tau, rates), time):
        return -1
    for i in range(len(points.gap)):
        points.end_gap[i] = points.gap[i]
    if tau < tau_v and not evaluate(points, motions[AHEAD], ahead(place, tau_v, rates), time + tau_v - tau):
        return -1
    velocities(points, rates, angle, points.velocity)
    velocities(points, before, angle, points.touch.incoming)
    given = points.gap, points.normal, points.carried, points.end_gap, points.velocity, points.inactive
    settled = linearise(points.touch, *given)
    points.touches[0] = points.touch.candidate.any()
    return 1 if settled else 0


@njit(cache=True, error_model="numpy")
def contact_maps(points, which, angle, maps):  # type: ignore[no-untyped-def]
    """Write G (2k, 3): velocities of the points ``which`` (k,) along n and t for unit rates."""
    c, s = np.cos(angle), np.sin(angle)
    for k in range(len(which)):
        X, Y = points.reference[which[k], 0], points.reference[which[k], 1]
        nx, ny, x, y = points.touch.normal[which[k], 0], points.touch.normal[which[k], 1], c * X - s * Y, s * X + c * Y
        maps[2 * k, 0], maps[2 * k, 1], maps[2 * k, 2] = nx, ny, x * ny - y * nx
        maps[2 * k + 1, 0], maps[2 * k + 1, 1], maps[2 * k + 1, 2] = -ny, nx, x * nx + y * ny


@njit(cache=True, error_model="numpy")
def forces_and_slip(points, data, weights, s, turn, time, taus, angle, scratch):  # type: ignore[no-untyped-def]
    """Solve contact forces and friction under the body together, of bounds ``weights`` (N,); return SOLVED or why not."""
    touch, drive, wrench, H, level = points.touch, scratch.drive, points.wrench, scratch.matrix, weights.sum()
    base, which = (drive[0], drive[1], drive[2]), np.flatnonzero(touch.candidate)
    p, u, w = touch.force[which], np.empty((len(which), 2)), np.empty((2 * len(which), 2 * len(which)))
    maps, moving, part = np.empty((2 * len(which), 3)), np.empty((len(which), 2)), np.empty(3)
    state, memory, told = np.empty(len(which), np.int8), np.empty(3), GO_ON
    contact_maps(points, which, angle, maps)
    for k in range(len(which)):
        moving[k, 0], moving[k, 1] = along(touch, which[k], 0.0, 0.0)
        moving[k, 0] -= bound(touch, which[k])
        level = max(level, abs(p[k, 0]), abs(p[k, 1]))
    level, noise = 1e-12 * max(level, abs(base[0]), abs(base[1])), touch.size[EXTENT] / taus[1]
    noises = 1e-2 / H[0, 0], 8.0 * np.finfo(np.float64).eps * noise, CLOSED_GAP * noise
    while told != DONE or release(touch, which, state):
        mu, memory[0], memory[1] = coefficients(touch, which), np.inf, noises[0]
        for iteration in range(1, MAX_ITERATIONS + 1):
            for j in range(3):
                wrench[j] = 0.0
                for k in range(len(maps)):
                    wrench[j] += maps[k, j] * p[k // 2, k % 2]
                drive[j] = base[j] + wrench[j]
            status = slip_under(data, weights, s, turn, time, taus[0], angle, scratch)
            if status != SOLVED:
                return status
            slip_compliance(data, weights, taus[0], scratch, points.compliance)
            respond(maps, points.compliance, scratch, moving, part, u, w)
            told = improve(iteration, p, u, w, mu, noises, level, memory)
            if told != GO_ON:
                break
        if told != DONE:
            points.failure[0], points.failure[1] = EXHAUSTED if told == GO_ON else told, memory[0]
            points.failure[2] = level
            return CONTACT_UNSOLVED
        settle(p, u, mu, state)
        for k in range(len(which)):
            touch.force[which[k], 0], touch.force[which[k], 1] = p[k, 0], p[k, 1]
    drive[0], drive[1], drive[2] = base
    return SOLVED


@njit(cache=True, error_model="numpy", inline="always")
def respond(maps, compliance, scratch, moving, part, u, w):  # type: ignore[no-untyped-def]
    """Write u = G q' less obstacles and bounds, ``moving`` (k, 2), and W = G ∂q'/∂c Gᵀ."""
    rates, ground = scratch.rates, scratch.now[0].ground
    for k in range(len(maps)):
        u[k // 2, k % 2] = moving[k // 2, k % 2]
        for j in range(3):
            u[k // 2, k % 2] += maps[k, j] * (rates[j] + ground[j])
            part[j] = maps[k, 0] * compliance[0, j] + maps[k, 1] * compliance[1, j] + maps[k, 2] * compliance[2, j]
        for i in range(len(maps)):
            w[k, i] = part[0] * maps[i, 0] + part[1] * maps[i, 1] + part[2] * maps[i, 2]


@njit(cache=True, error_model="numpy")
def write_record(points, before, rates, holds, force, power, contact_force):  # type: ignore[no-untyped-def]
    """Write wrench (3,), powers supplied and dissipated, W, and forces of a solved stage, 0 where it ``holds`` the body.

    The obstacles' motion does work on the body; what of an impulse's work Δt f·(v_n + v)/2 it does not do is dissipated."""
    touch, driven, worked = points.touch, 0.0, 0.0
    for j in range(3):
        force[j] = 0.0 if holds else points.wrench[j]
        worked += 0.5 * force[j] * (before[j] + rates[j])
    contact_force[:] = 0.0
    for i in range(len(points.rows)):
        normal, tangential = along(touch, i, 0.0, 0.0)
        driven -= touch.force[i, 0] * normal + touch.force[i, 1] * tangential
        for a in range(2):
            contact_force[points.rows[i], a] = 0.0 if holds else touch.force[i, a]
    power[0], power[1] = (0.0, 0.0) if holds else (driven, driven - worked)
