"""Newton (on Warp, on the processor) in the suite. Settings: `dt`, `solver` (xpbd, semi-implicit, kamino, mujoco),
`iterations`, and `ke`, `kd`, `kf` of the contacts of semi-implicit.

Bodies are free bodies on small spheres; for bodies that translate or lie flat they are in the plane of their centre of
mass. Standing bodies settle before the run. A moving ground is at rest in its own axes. Warp computes in single precision; its
kernels are compiled before."""

from __future__ import annotations

import math
from typing import Any

import newton
import numpy as np
import warp as wp

from cases.app.suite.adapter import Cannot, measured, steps
from cases.app.suite.adapters import _common as common
from cases.app.suite.schema import Problem

NAME = "newton"
NEEDS = "newton"
FOOT, SETTLING = 1e-3, 0.2
"""Radius of feet, m; time, s, for which a body sinks in before the run."""
DEFAULTS: dict[str, Any] = {"solver": "xpbd", "iterations": 20, "ke": 1e5, "kd": 1e3, "kf": 1e3}
MOST_STEPS = 40_000
"""A step takes a millisecond and more on a processor."""


def solve(problem: Problem, setting: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Simulate a problem."""
    kind, ground = problem.body.kind, problem.ground
    if kind not in ("block", "flat", "rigid"):
        raise Cannot(f"{kind}s: its deformable bodies and restitution were not tried")
    if ground is not None and ground.mu.names:
        raise Cannot("friction that falls with speed")
    given = DEFAULTS | setting
    count, dt = steps(problem, given["dt"])
    if problem.time.count * count > MOST_STEPS:
        raise Cannot(f"so many steps on a processor: {problem.time.count * count} of a millisecond")
    wp.config.quiet = True
    times = dt * np.arange(problem.time.count * count + 1)
    offset, speed = common.ground_motion(problem, times)
    force = np.zeros((len(times), 3))
    pulled = common.forces(problem, times + 0.5 * dt, 3 if kind == "rigid" else 2)
    force[:, : pulled.shape[1]] = pulled
    force += problem.body.mass * np.asarray(problem.gravity or (0.0, 0.0, 0.0))
    if ground is not None and ground.normal_force is not None:
        force[:, 2] -= ground.normal_force
    stiffness = common.stiffness(problem)
    with wp.ScopedDevice("cpu"):
        march = _March(problem, given, dt, force[0], speed[0])

        def run() -> list[Any]:
            march.start()
            rows = [march.state()]
            for step in range(len(times) - 1):
                pull = force[step].copy()
                if stiffness:
                    pull[:2] -= stiffness * (march.place()[:2] + offset[step])
                march.step(pull)
                if (step + 1) % count == 0:
                    rows.append(march.state())
            return rows

        spent, rows = measured(run)
    names = ("x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "spin_x", "spin_y", "spin_z")
    signals: dict[str, Any] = dict(zip(names, np.array(rows, float).T, strict=True))
    for k, axis in enumerate("xy"):
        signals |= {axis: signals[axis] + offset[::count, k], f"v{axis}": signals[f"v{axis}"] + speed[::count, k]}
    if kind == "flat":
        signals |= {"angle": np.unwrap(2.0 * np.arctan2(signals["qz"], signals["qw"])), "spin": signals["spin_z"]}
    return signals, spent


class _March:
    """A model and its states."""

    def __init__(self, problem: Problem, given: dict[str, Any], dt: float, force: Any, speed: Any) -> None:
        self._problem, self._dt = problem, dt
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
        start = common.vector(problem.initial.position, 3)
        if problem.body.kind != "rigid" or problem.initial.position is None:
            start[2] = common.standing_height(problem)
        moments = common.moments(problem)
        body = builder.add_body(
            xform=wp.transform(wp.vec3(*start), wp.quat_identity()),
            mass=problem.body.mass,
            inertia=wp.mat33(*np.diag(moments).ravel()),
            lock_inertia=True,
        )
        if problem.ground is not None:
            contact = newton.ModelBuilder.ShapeConfig(density=0.0, mu=float(problem.ground.mu(speed=0.0)))
            contact.ke, contact.kd, contact.kf = given["ke"], given["kd"], given["kf"]
            builder.add_ground_plane(cfg=contact)
            feet, radius = common.solid_feet(problem, FOOT)
            for x, y, z in feet:
                builder.add_shape_sphere(
                    body, xform=wp.transform(wp.vec3(x, y, z + radius), wp.quat_identity()), radius=radius, cfg=contact
                )
        self._model = builder.finalize(device="cpu")
        self._solver = {
            "xpbd": lambda: newton.solvers.SolverXPBD(self._model, iterations=given["iterations"]),
            "semi-implicit": lambda: newton.solvers.SolverSemiImplicit(self._model),
            "kamino": lambda: newton.solvers.SolverKamino(self._model),
            "mujoco": lambda: newton.solvers.SolverMuJoCo(self._model, iterations=given["iterations"]),
        }[given["solver"]]()
        self._states = self._model.state(), self._model.state()
        self._control, self._start = self._model.control(), start
        self._contacts = self._model.contacts() if problem.ground is not None else None
        self._velocity = common.vector(problem.initial.velocity, 3)
        self._velocity[:2] -= speed
        self._spin = common.vector(problem.initial.spin, 3)
        if problem.body.kind != "rigid":
            self._spin = np.array([0.0, 0.0, float(problem.initial.spin or 0.0)])
        stands = problem.ground is not None and common.without_falling(problem)
        self._set(start, np.zeros(3), np.zeros(3))
        for _ in range(round(SETTLING / dt) if stands else 0):
            self.step(np.array([0.0, 0.0, force[2]]))
        if stands and math.isfinite(self.place()[2]):
            self._start = np.array([*start[:2], self.place()[2]])

    def start(self) -> None:
        """Put the body where it begins."""
        self._set(self._start, self._velocity, self._spin)

    def _set(self, place: Any, velocity: Any, spin: Any) -> None:
        for state in self._states:
            state.body_q.numpy()[0] = [*place, 0.0, 0.0, 0.0, 1.0]
            state.body_qd.numpy()[0] = [*velocity, *spin]
            newton.eval_ik(self._model, state, state.joint_q, state.joint_qd)

    def step(self, force: Any) -> None:
        """Take a step under a force (3,) N."""
        first, second = self._states
        first.clear_forces()
        first.body_f.numpy()[0, :3] = force
        if self._contacts is not None:
            self._model.collide(first, self._contacts)
        self._solver.step(first, second, self._control, self._contacts, self._dt)
        self._states = second, first

    def place(self) -> Any:
        """Place (3,) m."""
        return self._states[0].body_q.numpy()[0, :3].astype(float)

    def state(self) -> list[float]:
        """Place, quaternion, velocity, spin."""
        return [*self._states[0].body_q.numpy()[0], *self._states[0].body_qd.numpy()[0]]
