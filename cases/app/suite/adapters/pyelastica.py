"""PyElastica in the suite: bars as Cosserat rods, on a plane with its anisotropic Coulomb friction or above a floor.

Settings: `dt`, `nx` elements, `k` stiffness of the plane N/m, `nu` its damping, `tolerance` of the slip's velocity m/s.
"""

from __future__ import annotations

from typing import Any

import elastica as ea
import numpy as np

from cases.app.suite.adapter import Cannot, measured, steps
from cases.app.suite.adapters import _common as common
from cases.app.suite.schema import Problem

NAME = "pyelastica"
NEEDS = ("elastica", "pyelastica")
DEFAULTS = {"nx": 50, "k": 1e4, "nu": 0.0, "tolerance": 1e-5}


class _Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.CallBacks, ea.Contact):
    """A collection of rods, planes and what acts."""


class _EndLoad(ea.NoForces):
    """A force of time along x on a node."""

    def __init__(self, part: Any, node: int) -> None:
        super().__init__()
        self._part, self._node = part, node

    def apply_forces(self, system: Any, time: Any = 0.0) -> None:
        """Add the force."""
        system.external_forces[0, self._node] += float(self._part(t=float(time)))


class _Watch(ea.CallBackBaseClass):
    """Places and velocities of the nodes along an axis, every so many steps."""

    def __init__(self, count: int, axis: int, rows: list[Any]) -> None:
        super().__init__()
        self._count, self._axis, self._rows = count, axis, rows

    def make_callback(self, system: Any, time: float, current_step: int) -> None:
        """Keep a row."""
        if current_step % self._count == 0:
            row = system.position_collection[self._axis], system.velocity_collection[self._axis]
            self._rows.append([part.copy() for part in row])


def solve(problem: Problem, setting: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Simulate a problem."""
    if problem.body.kind != "bar":
        raise Cannot("bodies other than rods: rigid cylinders and spheres have no friction with feet")
    given = DEFAULTS | setting
    body, n = problem.body, given["nx"]
    axis = "xy".index(body.axis)
    count, dt = steps(problem, given["dt"])

    def run() -> list[Any]:
        rows: list[Any] = []
        system = _assembled(problem, given, count, rows)
        stepper, time = ea.PositionVerlet(), np.float64(0.0)
        for _ in range(problem.time.count * count):
            time = stepper.step(system, time, np.float64(dt))
        return rows

    spent, rows = measured(run)
    place, v = (np.array([row[k] for row in rows]) for k in (0, 1))
    start = place[0]
    shares = np.full(n + 1, 1.0 / n)
    shares[[0, -1]] *= 0.5
    mass, rigidity = body.density * body.area * body.length, body.young * body.area / body.length * n
    strain = np.diff(place, axis=1) - body.length / n
    signals = {
        "x": place @ shares,
        "v": v @ shares,
        "energy": 0.5 * mass * v**2 @ shares + 0.5 * rigidity * (strain**2).sum(axis=1),
    }
    if axis == 0:
        signals["x"] = signals["x"] - signals["x"][0]
    else:
        signals["force"] = np.maximum(-place[:, 0], 0.0) * given["k"]
    places = body.length * (np.arange(n + 1) / n - 0.5)
    nodes = {name: int(np.argmin(np.abs(places - probe[axis]))) for name, probe in problem.probes.items()}
    return signals | {f"{'uw'[axis]}_{name}": place[:, k] - start[k] for name, k in nodes.items()}, spent


def _assembled(problem: Problem, given: dict[str, Any], count: int, rows: list[Any]) -> Any:
    """The rod, its plane and its loads."""
    body, initial, n = problem.body, problem.initial, given["nx"]
    axis = "xy".index(body.axis)
    radius = float(np.sqrt(body.area / np.pi))
    start = (
        np.array([-0.5 * body.length, 0.0, radius])
        if axis == 0
        else np.array([0.0, initial.position[1] - 0.5 * body.length, 0.0])
    )
    rod = ea.CosseratRod.straight_rod(
        n,
        start,
        np.eye(3)[axis],
        np.array([0.0, 0.0, 1.0]),
        body.length,
        radius,
        body.density,
        youngs_modulus=body.young,
        shear_modulus=body.young / 2.0,
    )
    rod.velocity_collection[axis] = common.vector(initial.velocity, 2)[axis]
    system = _Simulator()
    system.append(rod)
    if axis == 0:
        mass = body.density * body.area * body.length
        weight = np.array([0.0, 0.0, -problem.ground.normal_force / mass])
        system.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=weight)
        plane = ea.Plane(np.zeros(3), np.array([0.0, 0.0, 1.0]))
        mu = np.full(3, float(problem.ground.mu(speed=0.0)))
        system.append(plane)
        system.detect_contact_between(rod, plane).using(
            ea.RodPlaneContactWithAnisotropicFriction,
            k=given["k"],
            nu=given["nu"],
            slip_velocity_tol=given["tolerance"],
            static_mu_array=mu,
            kinetic_mu_array=mu,
        )
        for load in problem.loads:
            node = {"left": 0, "right": -1}[load.on]
            system.add_forcing_to(rod).using(_EndLoad, part=load.force[0], node=node)
    else:
        system.add_forcing_to(rod).using(_Floor, stiffness=given["k"])
    system.collect_diagnostics(rod).using(_Watch, count=count, axis=axis, rows=rows)
    system.finalize()
    return system


class _Floor(ea.NoForces):
    """A hard spring under the lower end; its planes meet the sides of a rod, not its ends."""

    def __init__(self, stiffness: float) -> None:
        super().__init__()
        self._stiffness = stiffness

    def apply_forces(self, system: Any, time: Any = 0.0) -> None:
        """Add the force."""
        system.external_forces[1, 0] += self._stiffness * max(-system.position_collection[1, 0], 0.0)
