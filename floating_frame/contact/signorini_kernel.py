"""The points of a stage with exact contact, compiled: floors, lifts and bounds of their gaps, see ``signorini_stage``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array
from friction.normal.unilateral_kernel import SLIDING

GAP_TOLERANCE, CLOSED_GAP = 1e-11, 1e-10
"""Tolerance of gaps, and of bounds times the step, over the size of the body; largest gap of a closed contact, over the same."""
MIN_LIFT = 2e-11
"""Least lift, over the size of the body: a lift within rounding would share forces at random."""
EXTENT, TAU, THETA, BEGUN = range(4)
"""Places in ``Touch.size``: size of the body and its places, m; Δt, s; θ; whether the contacts have been linearised."""


class Touch(NamedTuple):
    """m points in a stage: forces p, N, along n and t, velocity v_n, normal n and velocity v_o of the obstacle (m, 2); μ and the
    share of it in slip, g(x*), floors of the gaps at x̂ and x, lift l, bound b and ``bounce``, the restitution of those that
    rebound, else −1 (m,); points that may carry force, may touch, and slide (m,); ``size`` (4,)."""

    force: Array
    incoming: Array
    normal: Array
    obstacle: Array
    mu: Array
    kinetic: Array
    at_start: Array
    floor: Array
    end_floor: Array
    lift: Array
    reach: Array
    bounce: Array
    active: NDArray[np.bool_]
    candidate: NDArray[np.bool_]
    slides: NDArray[np.bool_]
    size: Array


def touch_of(mu: Array, kinetic: Array, active: NDArray[np.bool_] | None) -> Touch:
    """Points with these coefficients (m,), ``active`` ones (None: all) alone."""
    may, masks = np.ones(len(mu), np.bool_) if active is None else active.copy(), np.zeros((2, len(mu)), np.bool_)
    numbers = (mu.copy(), kinetic.copy(), *np.zeros((6, len(mu))))
    return Touch._make((*np.zeros((4, len(mu), 2)), *numbers, may, *masks, np.zeros(4)))


@njit(cache=True, error_model="numpy")
def foot(direction, length, nodes, near, x, y):  # type: ignore[no-untyped-def]
    """Where on a side (m from its start) the projection of a point falls that is at (x, y) from there, and whether a node, m along
    it, represents it."""
    along = x * direction[0] + y * direction[1]
    at = min(max(along, 0.0), length)
    inactive = at != along
    for node in nodes:
        inactive = inactive or abs(node - at) <= near
    return at, inactive


@njit(cache=True, error_model="numpy")
def feet(direction, length, nodes, near, centres):  # type: ignore[no-untyped-def]
    """Feet (k,) m of ``centres`` (k, 2) m from the starts of k sides, and the inactive ones (k,)."""
    at, inactive = np.empty(len(length)), np.empty(len(length), np.bool_)
    for i in range(len(length)):
        at[i], inactive[i] = foot(direction[i], length[i], nodes[i], near, centres[i, 0], centres[i, 1])
    return at, inactive


@njit(cache=True, error_model="numpy")
def begin(touch, at_start, at_origin, extent, tau, theta):  # type: ignore[no-untyped-def]
    """Begin a stage from gaps (m,) m at x* and x_n, and the forces p."""
    touch.size[EXTENT], touch.size[TAU], touch.size[THETA], touch.size[BEGUN] = extent, tau, theta, 0.0
    for i in range(len(at_start)):
        # A node that sticks to the foundation touches at a gap of rounding: otherwise it would have to move, or to slip.
        touch.at_start[i] = at_start[i]
        touch.floor[i] = at_start[i] if at_start[i] <= CLOSED_GAP * extent else 0.0
        touch.end_floor[i], touch.bounce[i], touch.lift[i], touch.reach[i] = min(at_origin[i], 0.0), -1.0, 0.0, 0.0
        for a in range(2):
            touch.normal[i, a] = touch.obstacle[i, a] = 0.0
            touch.force[i, a] = touch.force[i, a] if touch.active[i] else 0.0
        touch.candidate[i] = touch.force[i, 0] > 0.0


@njit(cache=True, error_model="numpy", inline="always")
def along(touch, i, x, y):  # type: ignore[no-untyped-def]
    """Components along n and t of a velocity against the obstacle at point ``i``."""
    x, y, nx, ny = x - touch.obstacle[i, 0], y - touch.obstacle[i, 1], touch.normal[i, 0], touch.normal[i, 1]
    return nx * x + ny * y, nx * y - ny * x


@njit(cache=True, error_model="numpy")
def bound(touch, i):  # type: ignore[no-untyped-def]
    """Bound b of the normal velocity at point ``i``, raised where it rebounds."""
    if touch.bounce[i] < 0.0:
        return touch.reach[i]
    return max(touch.reach[i], -touch.bounce[i] * along(touch, i, touch.incoming[i, 0], touch.incoming[i, 1])[0])


@njit(cache=True, error_model="numpy")
def linearise(touch, gap, normal, obstacle, at_end, velocity, inactive):  # type: ignore[no-untyped-def]
    """Update normals and bounds from gaps (m,), normals and the obstacle's velocity (m, 2) at x̂, gaps (m,) at x and the velocity
    (m, 2) that leads there, without ``inactive`` points (m,); return whether they have converged."""
    extent, tau, theta, begun = touch.size[EXTENT], touch.size[TAU], touch.size[THETA], touch.size[BEGUN] > 0.0
    deep, turned, moved = False, 0.0, 0.0
    for i in range(len(gap)):
        before, tolerance = bound(touch, i), (CLOSED_GAP if touch.candidate[i] else GAP_TOLERANCE) * extent
        too_deep = gap[i] < touch.floor[i] + touch.lift[i] - tolerance and touch.active[i] and not inactive[i]
        deep, touch.candidate[i] = deep or too_deep, touch.candidate[i] or too_deep
        for a in range(2):
            if touch.candidate[i]:
                turned = max(turned, abs(normal[i, a] - touch.normal[i, a]))
            touch.normal[i, a], touch.obstacle[i, a] = normal[i, a], obstacle[i, a]
        if not begun:
            slip = along(touch, i, touch.incoming[i, 0], touch.incoming[i, 1])[1]
            touch.slides[i] = abs(slip) * tau > CLOSED_GAP * extent
        x, y = velocity[i, 0] - obstacle[i, 0], velocity[i, 1] - obstacle[i, 1]
        if theta < 1.0:
            # The depth of the chord keeps x on the obstacle in the long run; what closes the gap alone would alternate.
            dip = (1.0 - theta) * touch.at_start[i] + theta * gap[i] - at_end[i]
            needed = gap[i] + (touch.end_floor[i] - at_end[i]) / theta - touch.floor[i]
            lift = min(max(dip - touch.floor[i], needed), 0.5 * tau * np.sqrt(x * x + y * y))
            touch.lift[i] = lift if touch.candidate[i] and lift > MIN_LIFT * extent else 0.0
        approach = along(touch, i, velocity[i, 0], velocity[i, 1])[0]
        touch.reach[i] = approach - (gap[i] - touch.floor[i] - touch.lift[i]) / tau
        if touch.candidate[i] and touch.force[i, 0] > 0.0:  # the bound of an open one may change and nothing moves
            moved = max(moved, tau * abs(bound(touch, i) - before))
    touch.size[BEGUN] = 1.0
    return not deep and moved <= GAP_TOLERANCE * extent and turned <= GAP_TOLERANCE


@njit(cache=True, error_model="numpy")
def coefficients(touch, which):  # type: ignore[no-untyped-def]
    """Coefficients of friction (k,) of points ``which`` (k,): the kinetic ones where they slide."""
    mu = np.empty(len(which))
    for k in range(len(which)):
        mu[k] = touch.mu[which[k]] * (touch.kinetic[which[k]] if touch.slides[which[k]] else 1.0)
    return mu


@njit(cache=True, error_model="numpy")
def release(touch, which, state):  # type: ignore[no-untyped-def]
    """Let points ``which`` (k,) that a solution of these states (k,) moves slide from now on; return whether μ has changed."""
    changed = False
    for k in range(len(which)):
        new = state[k] == SLIDING and not touch.slides[which[k]] and touch.kinetic[which[k]] < 1.0
        touch.slides[which[k]], changed = touch.slides[which[k]] or new, changed or new
    return changed
