"""What the kernels of a rigid body in space work on, as records: one address each, and fixed sizes, so that calls cost nothing.

Fields of points have room for ``MOST``, those of stages for ``STAGES``; only as many are read and written as there are."""

from __future__ import annotations

import numpy as np

from floating_frame.system.space.painleve import MOST

STAGES = 2
"""Stages of a scheme at most."""
_POINTS, _STATUS, _FLAG = (MOST, 3), np.int8, np.int8

PLAN = np.dtype(
    [
        ("count", np.int64),
        ("turns", np.bool_),
        ("mass", float),
        ("inertia", float, (3, 3)),
        ("inverse", float, (3, 3)),
        ("feet", float, _POINTS),
        ("kinetic", float, MOST),
        ("static", float, MOST),
        ("radius", float),
        ("soft", float),
        ("touching", float),
        ("approaches", float),
        ("pushes", float),
    ],
    align=True,
)
"""What is the same in all steps: how many feet, and whether they turn with the body; mass, J and its inverse in the body; feet X,
m; kinetic and static coefficients; a length and the response of a point 1/kg; the twin's limits of gaps that touch, m, and of
approach and of work at landing points, relative."""

SCHEME = np.dtype(
    [
        ("count", np.int64),
        ("column", np.int64),
        ("lands", np.bool_),
        ("guards", np.bool_),
        *((name, float, (STAGES, STAGES + 1)) for name in ("position", "velocity", "force", "work")),
        ("weights", float, STAGES),
    ],
    align=True,
)
"""A scheme: how many stages, and from which column of ``LOADS``; whether points may land in it, and whether it guards against
reversals; its tables."""

LOADS = np.dtype(
    [
        ("length", float),
        ("force", float, (STAGES + 1, 3)),
        ("couple", float, (STAGES + 1, 3, 3)),
        ("size", float, STAGES + 1),
    ],
    align=True,
)
"""Of a step, at its start (right limits, column 0) and stages: Σ f, Σ X ⊗ f, Σ |f|."""

ENDS = np.dtype(
    [
        ("place", float, 3),
        ("rotation", float, (3, 3)),
        ("velocity", float, 6),
        ("acceleration", float, 6),
        ("slip", float, _POINTS),
        ("multiplier", float, _POINTS),
        ("status", _STATUS, MOST),
        ("path", float, MOST),
        ("heat", float, MOST),
        ("work", float, (4, 3)),
        ("kinetic", float),
        ("painleve", float),
        ("force", float, (3, 6)),
        ("drift", float),
        ("spent", np.int64, 2),
    ],
    align=True,
)
"""What a step ends with: x, Q, (v, Ω) and the rates of both momenta; of the points slip, λ, status, slip path and friction work;
works J, T J, Painlevé's number; wrenches of the loads, of the contact and of all in the balance; the turn of the projection, rad;
turns and systems solved."""

STEP = np.dtype(
    [
        *((name, float, (STAGES + 1, 6)) for name in ("velocity", "gained", "rate", "loads", "contact")),
        ("slip", float, (STAGES + 1, *_POINTS)),
        ("force", float, (STAGES + 1, *_POINTS)),
        ("status", _STATUS, (STAGES + 1, MOST)),
        ("density", float, (STAGES, MOST, 4)),
        ("landing", _FLAG, MOST),
        ("place", float, 3),
        ("rotation", float, (3, 3)),
        ("entries", float, (4, 3)),
        ("kinetic", float),
        ("drift", float),
        ("spent", np.int64, 2),
    ],
    align=True,
)
"""Of a step's start and its stages: (v, Ω), rates of the momenta and of the way, wrenches of loads and contact; slip and contact
forces, statuses; path and power of the points, of those that land the loss of the impact and the
power in its place; which of them would land; at the end x, Q, works, T, the projection's turn, turns
and systems solved."""

GIVEN = np.dtype(
    [
        ("way", float, 6),
        ("before", float, 6),
        ("first", float, 6),
        ("place", float, 3),
        ("rotation", float, (3, 3)),
        ("gaps", float, MOST),
        ("arms", float, _POINTS),
        ("persists", _FLAG, MOST),
        ("friction", float, MOST),
        ("load", float, 3),
        ("couple", float, (3, 3)),
        ("size", float),
    ],
    align=True,
)
"""What a stage inherits: way and v*, h*; what its balance has from the step's start; x, Q, gaps and arms there; points that
persist; coefficients; Σ f, Σ X ⊗ f and Σ |f| of the loads."""

LINEAR = np.dtype(
    [
        ("turn", float, 3),
        *((name, float, (3, 3)) for name in ("rotation", "tangent", "inertia", "block", "ahead", "slope")),
        *((name, float, (3, 3)) for name in ("first", "second", "third")),
        ("rest", float, 6),
        ("turning", float, (MOST, 3, 3)),
        *((name, float, _POINTS) for name in ("velocity", "arms", "levers", "before", "anchor")),
        ("law", float, (MOST, 6)),
        ("state", np.int8, MOST),
        ("matrix", float, (6, 6)),
        ("order", np.int64, 6),
        ("step", float, 6),
        ("moved", float, 6),
        ("response", float, (MOST, MOST)),
        ("gap", float, MOST),
        ("lift", float, MOST),
        ("chosen", np.int8, MOST),
    ],
    align=True,
)
"""A linearised stage: Θ, Q, T, J, the block of D that turns, Q and T at x̂, and scratch; rest; of the points ∂u/∂Ω, u_k, arms,
those of the forces, p_k, anchors, C and states; the matrix of six equations and the order of its pivots, δw and what it has
without anchors; what the projection solves."""
