"""Rigid bodies in space: a ball from sliding to rolling, and the free top across its middle axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cases.app.suite.references import expect
from cases.app.suite.schema import Problem
from cases.references.space.free_top import spin

Array = NDArray[np.float64]


def roll(
    radius: float, mu: float, gravity: float, velocity: Array, spins: Array, t: float
) -> tuple[Array, Array, Array, float]:
    """Place (2,), velocity (2,), spin (3,) of a homogeneous ball at ``t`` s, and the time s from which it rolls.

    The slip u = v + R (−ω_y, ω_x)·(−1) of the lowest point keeps its direction: v' = −μg e, and the spin's moment of friction
    makes u' = −(7/2) μg e. So it rolls after 2|u₀|/(7μg), v = v₀ − (2/7) u₀, and the spin about the vertical stays."""
    slip = velocity + radius * np.array([-spins[1], spins[0]])
    size = float(np.hypot(*slip))
    rolls = 2.0 * size / (7.0 * mu * gravity)
    direction, s = slip / size, min(t, rolls)
    v = velocity - mu * gravity * s * direction
    place = velocity * s - 0.5 * mu * gravity * s**2 * direction + v * (t - s)
    # J ω' = r × f with r = −R e_z, f = −μ m g e: ω' = (5 μg/2R) (−e_y, e_x)
    turn = 2.5 * mu * gravity * s / radius * np.array([-direction[1], direction[0], 0.0])
    return place, v, spins + turn, rolls


def rolling_sphere(problem: Problem) -> dict[str, float]:
    """Position, velocity and spin of the rolling ball, and its position at an instant of sliding."""
    p, start = problem.parameters, problem.initial
    given = np.array(start.velocity[:2]), np.array(start.spin)
    half = roll(p["radius"], p["mu"], p["gravity"], *given, p["sliding"])
    end = roll(p["radius"], p["mu"], p["gravity"], *given, problem.time.end)
    expect(
        p["sliding"] < half[3] < problem.time.end, "the ball begins to roll between the instant of sliding and the end"
    )
    return {
        "x_sliding": float(half[0][0]),
        "x_end": float(end[0][0]),
        "y_end": float(end[0][1]),
        "vx_end": float(end[1][0]),
        "vy_end": float(end[1][1]),
        "spin_z_end": float(end[2][2]),
    }


def free_top(problem: Problem) -> dict[str, float]:
    """Spin in body axes at the end, by Jacobi's functions; momentum and energy stay."""
    start = problem.initial
    final = spin(problem.body.inertia, start.spin, problem.time.samples)[-1]
    J = np.array(problem.body.inertia)
    momentum = J * np.array(start.spin)
    return {
        **{f"w{k + 1}_end": float(final[k]) for k in range(3)},
        "energy_change": 0.0,
        "momentum_size": float(np.linalg.norm(momentum)),
    }
