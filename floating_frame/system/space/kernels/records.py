"""Records of the kernels of a rigid body in space, of fixed size, and one row of numbers for each contact point: calls pass few
arrays whatever the number of points, obstacles and effects."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

LINE, PLACE = 6, (3, 3)


def columns(*widths: int) -> tuple[int, ...]:
    """First columns of entries that stand side by side, and the width of all."""
    return (0, *accumulate(widths))


(REFERENCE, KINETIC, STATIC, START_GAP, START_ARM, START_AXES, START_OBSTACLE, INCOMING, OPEN_ONLY, PRESSED, PERSISTS, FRICTION,
 GAP, CENTRE, ARM, AXES, OBSTACLE_VELOCITY, BY_VELOCITY, BY_SPIN, PULL, MOMENT, VELOCITY, BEFORE, ANCHOR, LAW, STATE,
 FORCE, SLIP, STATUS, PATH, POWER, LANDING_LOSS, POINT) = columns(
    3, 1, 1, 1, 3, 9, 3, 3, 1, 1, 1, 1,
    1, 3, 3, 9, 3, 9, 9, 9, 9, 3, 3, 3, 6, 1,
    3, 3, 1, 1, 1, 1,
)  # fmt: skip
"""Columns of a contact point's row of ``POINT`` numbers.

Constants: X of the centre of its ball (m), coefficients in slip and at rest. Of the step's start: gap (m), arm of contact (m), axes
(t1, t2, n; row by row), velocity of the obstacle and slip (m/s; in space, along the axes); 1 if it must stay open; 1 if loaded. Of
a stage: 1 for a persistent contact, u_n = 0; its coefficient; gap, arms of centre and contact, axes, velocity of the obstacle;
∂u/∂v, ∂u/∂Ω (3, 3) and the force and moment of unit forces along the axes (a row each); linearisation point u and p, the anchor, C
and the law's branch; p (N) and u (m/s) along the axes; its status; slip path and power; dissipation by landing, W (nan: none)."""

(OB_AXES, OB_OFFSET, OB_VELOCITY, OB_SPIN, OB_KIND, OB_PLACE, OB_PIVOT, OB_SHAPE, OB_NUMBERS, OBSTACLE) = columns(
    9, 1, 3, 3, 1, 3, 3, 1, 17
)
"""Columns of an obstacle's row at one time: of a flat one the axes of contact (3, 3), and n·x on its surface, m; its velocity at
x = 0, m/s, and spin, rad/s; its kind, ``FLAT`` or ``CURVED``; of a curved one its own axes (3, 3) in place of those of contact, its
pivot in space and in its axes, m, the shape's kind and its numbers (``contact.kernels``), ``PYTHON_SHAPE``: gaps by Python."""
FLAT, CURVED, PYTHON_SHAPE = 0, 1, -1

BODY = np.dtype(
    [
        ("feet", np.int64),
        ("mass", float),
        ("inertia", float, (3, 3)),
        ("inverse", float, (3, 3)),
        ("ball", float),
        ("radius", float),
        ("size", float),
        ("soft", float),
        ("bends", np.bool_),
    ],
    align=True,
)
"""Constants of all steps: points for each obstacle; mass, J and its inverse in the body; radius of the balls about the points, m; a
length of the body and the largest of the obstacles, m; the response of a point, 1/kg; ``bends``: forces or point velocities are
nonlinear in the velocity without rotation."""

LOADS = np.dtype(
    [("force", float, 3), ("couple", float, (3, 3)), ("follower", float, 6), ("size", float)],
    align=True,
)
"""Loads at one time: Σ f and Σ X ⊗ f of dead ones, force and moment in the body's axes of followers, Σ |f|."""

STAGE = np.dtype(
    [
        *((name, float) for name in ("tau", "tau_v", "theta", "time", "time_ahead")),
        *((name, float, LINE) for name in ("increment", "before", "first")),
        ("place", float, 3),
        ("rotation", float, PLACE),
    ],
    align=True,
)
"""Initial values of a stage: τ, τ_v s and θ, its end and t* + τ_v, s; increment, (v*, h*), weighted forces, x and Q of the step's
start."""

LINEAR = np.dtype(
    [
        ("turn", float, 3),
        ("place", float, 3),
        *((name, float, PLACE) for name in ("rotation", "tangent", "inertia", "ahead", "slope")),
        *((name, float, PLACE) for name in ("first", "second", "third", "fourth", "fifth")),
        ("rest", float, LINE),
        ("stiffness", float, (LINE, LINE)),
        ("matrix", float, (LINE, LINE)),
        ("order", np.int64, LINE),
        ("step", float, LINE),
        ("load", float, LINE),
        ("velocity", float, LINE),
        ("spent", np.int64, 2),
        ("drift", float),
        ("put", float),
    ],
    align=True,
)
"""A linearised stage: Θ, x, Q, T, J, and Q and T after τ_v; scratch; rest and D of the balance; the matrix of six equations and the
order of its pivots, δw and its load without anchors; (v, Ω); iterations and systems solved; rotation, rad, and displacement, m, of
the projection."""

PYTHON = np.dtype([("obstacles", np.int64), ("effects", np.int64), ("curved", np.bool_)], align=True)
"""Addresses of functions of Python, 0 for none; True where an obstacle is curved, compiled or in Python."""

(AC_PLACE, AC_ROTATION, AC_VELOCITY, AC_TANGENT, AC_WRENCH, AC_STIFFNESS, AC_SIZE, ACTING) = columns(
    3, 9, 6, 9, 6, 36, 1
)
"""Numbers of effects in Python: given x, Q, (v, Ω), T; results: wrench N, N m, its derivative by (v, Ω), the forces' size, N."""
(AS_CENTRE, AS_GAP, AS_NORMAL, AS_CURVATURE, CURVED_POINT) = columns(3, 1, 3, 9)
"""Numbers of a point at a curved obstacle: its centre in space; gap m, normal and curvature 1/m of the obstacle."""
