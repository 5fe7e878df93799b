"""A block on a rough table under a force amplitude cos t: stick, slip, stick.

Reference: F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle, A linearly implicit trapezoidal method for
integrating stiff multibody dynamics with contact, joints, and friction, Int. J. Numer. Meth. Engng 66 (2006)
1079-1124.

Analysis: dynamics of a rigid or elastic block, stick-slip transitions.

Purpose: the times of stick and slip, and the drift over ten seconds, against the exact solution.

Summary: the block slips where `|amplitude cos t|` first exceeds mu m g and until its velocity returns to zero;
both phases are integrated in closed form (`exact`). Loaded uniformly the elastic block moves as the rigid
one; loaded at its edge it does not, because it slips bit by bit.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from cases.app.parts import bodies, laws, parameters
from cases.app.parts.fields import uniform_value
from cases.app.parts.measure import Measure, Refinement, friction_work, measure
from cases.app.parts.quantities import choice, quantity
from cases.app.run.results import Headlines, headline
from floating_frame import BodyForce, Cosine, EdgeLoad, Options, Problem

if TYPE_CHECKING:
    import xarray as xr

LENGTH, WIDTH, HEIGHT = 0.3, 0.3, 0.1  # m
OMEGA = 1.0  # rad/s, the force's angular frequency

Array = NDArray[np.float64]


class Parameters(parameters.ElasticParameters):
    """Parameters of the block; those of elasticity matter where `body` is elastic."""

    t_end: parameters.EndTime = 10.0
    dt: parameters.TimeStep = 1e-3
    mu: parameters.Mu = 0.8
    amplitude: Annotated[float, quantity("N", "amplitude of the force amplitude cos t along x")] = 8.0
    mass: Annotated[float, quantity("kg", "mass of the block, 0.3 x 0.3 x 0.1 m", gt=0)] = 1.0
    body: Annotated[str, choice("whether the block deforms", ("rigid", "elastic"))] = "rigid"
    loaded: Annotated[
        str, choice("where the force acts: all over the body, or on its right edge", ("body", "edge"))
    ] = "body"
    E: parameters.Young = 1e6
    nu: parameters.Poisson = 0.3
    nx: parameters.CellsX = 6
    ny: parameters.CellsY = 6


def normal_force(params: Parameters) -> float:
    """Return the resultant of the normal pressure, N."""
    area = LENGTH * WIDTH
    return bodies.pressure(params, mass=params.mass, area=area) * area


def problem(params: Parameters) -> Problem:
    """Return the block, the table, the force and rest at t = 0."""
    area = LENGTH * WIDTH
    density = params.mass / (area * HEIGHT)
    body = bodies.rectangular_body(params, params, LENGTH, WIDTH, thickness=HEIGHT, density=density)
    history = Cosine(angular_frequency=OMEGA)
    load = (
        BodyForce((params.amplitude / params.mass, 0.0), history)
        if params.loaded == "body"
        else EdgeLoad("right", (params.amplitude, 0.0), history)
    )
    return Problem(
        body=body,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=params.mass, area=area),
        loads=(load,),
        frame=bodies.frame(params),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the block is integrated."""
    return bodies.options(params, stress=stress)


@dataclass(frozen=True)
class Event:
    """A slip phase begins or ends at `time` s and position `x` m; `sign` is the direction of slip, 0 where it
    sticks.
    """

    time: float
    x: float
    sign: int


def exact(params: Parameters, times: Array) -> tuple[Array, Array, tuple[Event, ...]]:
    """Return position x and velocity v of the rigid block at `times`, and its events, with set-valued Coulomb
    friction.

    m v' = F cos t - s w in slip of sign s, w = mu N, from rest at t1:
    v = (F (sin t - sin t1) - s w (t - t1))/m. It ends where v is zero again; the block then sticks until
    `|F cos t| > w`. Shapes: `times` (n,) s, x (n,) m, v (n,) m/s.
    """
    force, mass, bound = params.amplitude, params.mass, uniform_value(params.mu) * normal_force(params)
    t_end = float(np.max(times))
    x, v = np.zeros_like(times), np.zeros_like(times)
    events: list[Event] = []
    start, place = _slip_start(force, bound, 0.0), 0.0
    while start < t_end:
        slip = _Slip(force, mass, bound, start, place, int(np.sign(force * np.cos(start))))
        end = slip.end(t_end)
        inside = (times > start) & (times < end)
        x[inside], v[inside] = slip.position(times[inside]), slip.velocity(times[inside])
        events.append(Event(start, place, slip.sign))
        if end <= t_end:
            place = float(slip.position(np.array(end)))
            x[times >= end] = place
            events.append(Event(end, place, 0))
        start = _slip_start(force, bound, end)
    return x, v, tuple(events)


@dataclass(frozen=True)
class _Slip:
    """One slip phase of sign s from rest at `start` and `place`."""

    force: float
    mass: float
    bound: float
    start: float
    place: float
    sign: int

    def velocity(self, t: Array) -> Array:
        """Return v(t) in closed form, m/s."""
        push = self.force * (np.sin(t) - np.sin(self.start))
        result: Array = (push - self.sign * self.bound * (t - self.start)) / self.mass
        return result

    def position(self, t: Array) -> Array:
        """Return x(t) in closed form, m."""
        tau = t - self.start
        push = self.force * (np.cos(self.start) - np.cos(t) - np.sin(self.start) * tau)
        result: Array = self.place + (push - self.sign * self.bound * tau**2 / 2) / self.mass
        return result

    def end(self, t_end: float) -> float:
        """Return the first time after `start` at which the velocity is zero again; infinity if that is well
        after `t_end`.
        """
        # s v is extremal where s F cos t = w: bracket its first change of sign between a maximum and a
        # minimum.
        angle = np.arccos(self.sign * self.bound / self.force)
        turns = 2 * np.pi * np.arange(np.floor(self.start / (2 * np.pi)), t_end / (2 * np.pi) + 3)
        extrema = np.sort(np.concatenate([turns + angle, turns - angle]))
        extrema = extrema[extrema > self.start + 1e-7]
        for before, after in itertools.pairwise(extrema):
            if self.sign * self.velocity(after) < 0.0 < self.sign * self.velocity(before):
                return self._rest_between(float(before), float(after))
        return np.inf

    def _rest_between(self, slips: float, stuck: float) -> float:
        """Return the zero of the velocity between two times by bisection: SciPy's search takes longer to import than to run."""
        while slips < (middle := 0.5 * (slips + stuck)) < stuck:
            ahead = self.sign * self.velocity(np.array(middle)) > 0.0
            slips, stuck = (middle, stuck) if ahead else (slips, middle)
        return slips


def _slip_start(force: float, bound: float, time: float) -> float:
    """Return the first instant from `time` on after which `|F cos t| > w`; infinity if there is none."""
    if abs(force) <= bound:
        return np.inf
    if abs(force * np.cos(time)) > bound:
        return time
    # |F cos t| grows through w at t = k pi - acos(w/|F|).
    phase = np.pi - np.arccos(bound / abs(force))
    return float(phase + np.pi * np.ceil((time - phase) / np.pi - 1e-12))


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return displacement at the end, slip length and the number of slip phases, beside the exact ones."""
    times = data.time.values
    x = data.frame_position.values[:, 0]
    stuck = data.stick.values.all(axis=1)
    known = laws.plain_coulomb(params) and (params.body == "rigid" or params.loaded == "body")
    x_exact, _, events = exact(params, times)
    way = np.where(stuck, 0.0, np.sign(data.frame_velocity.values[:, 0]))
    slides = ~data.stick.values.any(axis=1)  # a reversal counts where all of the block slides before and after it
    reversals = slides[:-1] & slides[1:] & (way[:-1] * way[1:] < 0.0)
    phases = int(np.sum(stuck[:-1] & ~stuck[1:]) + np.sum(reversals))
    results = {
        "x_end": headline(x[-1], "m", "displacement of the centre at the end", exact=x_exact[-1] if known else None),
        "x_error_max": headline(
            np.max(np.abs(x - x_exact)) if known else None,
            "m",
            "largest error of the displacement at a stored time",
            kind="check",
        ),
        "slip_phases": headline(
            phases,
            "1",
            "slip phases of the whole block",
            exact=sum(e.sign != 0 for e in events) if known else None,
        ),
        "friction_work": headline(float(data.dissipation_friction.values[-1]), "J", "energy dissipated by friction"),
    }
    return results


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.01},
    mesh={"dt": 0.01, "nx": 2, "ny": 2},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the block at the end and at all times, and friction work; exact for the rigid block."""
    times, x, v = data.time.values, data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    if not laws.plain_coulomb(params) or (params.body == "elastic" and params.loaded == "edge"):
        return {
            "x_end": measure(x[-1], "m"),
            "x_all_times": measure(x, "m"),
            "velocity_mean": measure(v, "m/s", mean=True),
            "friction_work": friction_work(data),
        }
    known, known_v, events = exact(params, times)
    turns = np.array([event.x for event in events] + [known[-1]])
    slid = uniform_value(params.mu) * normal_force(params) * float(np.abs(np.diff(turns)).sum())
    return {
        "x_end": measure(x[-1], "m", known[-1]),
        "x_all_times": measure(x, "m", known),
        "velocity_mean": measure(v, "m/s", known_v, mean=True),
        "friction_work": friction_work(data, slid),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
