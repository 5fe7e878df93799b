"""Explicit Euler steps with smoothed friction, for blocks alone: a code that enters the suite, and fails where it should."""

import time

import numpy as np

from cases.app.suite.adapter import Cannot

NAME = "euler"
SETTINGS = {
    "*": {"documented": {"dt": 1e-4, "v_reg": 1e-3}},
    "load_and_hold": {"documented": {"dt": 2e-3, "v_reg": 2e-2}},
}


def solve(problem, setting):
    """Simulate one variant of a problem; return its signals at the samples, and the CPU time in s."""
    if problem.body.kind != "block":
        raise Cannot("bodies other than blocks")
    begun, ground = time.process_time(), problem.ground
    stiffness = sum(spring.stiffness for spring in problem.springs)
    x, v = (np.array(given or (0.0, 0.0)) for given in (problem.initial.position, problem.initial.velocity))
    steps = int(np.ceil(problem.time.every / setting["dt"]))
    dt, t, rows = problem.time.every / steps, 0.0, [[*x, *v]]
    for _ in range(problem.time.count):
        for _ in range(steps):
            slip = v - [part(t=t) for part in ground.velocity or (lambda t: 0.0,) * 2]
            speed = np.hypot(*slip)
            force = (
                -ground.mu(speed=speed) * ground.normal_force * slip / np.hypot(speed, setting["v_reg"]) - stiffness * x
            )
            for load in problem.loads:
                force += [part(t=t) for part in load.force]
            x, v, t = x + dt * v, v + dt * force / problem.body.mass, t + dt
        rows.append([*x, *v])
    return dict(zip(("x", "y", "vx", "vy"), np.array(rows).T, strict=True)), time.process_time() - begun
