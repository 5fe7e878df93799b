"""A block on a running belt, tied to a fixed point by a spring and a damper: stick–slip, or a decaying oscillation.

Reference: the textbook oscillators with dry friction; J. P. Den Hartog, Forced vibrations with combined Coulomb and viscous
friction, Trans. ASME 53 (1931) 107-115; R. I. Leine, D. H. van Campen, A. de Kraker, L. van den Steen, Stick-slip vibrations
induced by alternate friction models, Nonlinear Dynamics 16 (1998) 41-54.

Analysis: dynamics of a rigid or elastic block; static and kinetic friction on a moving ground; a spring–damper.

Purpose: period and amplitude of the stick–slip limit cycle; on a belt at rest the half swings, the stop and the place of rest.

Summary: each phase of stick or slip is a linear oscillator, known in closed form (`cases/references/belt_oscillator.py`). Steps of
sdirk2 are cut where the block breaks loose, so that its place converges with second order; the period is read off stored instants.
Tied at its left edge, an elastic block breaks loose bit by bit: only a stiff one moves as the rigid block.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from cases.app.parts import bodies, laws, parameters
from cases.app.parts.fields import uniform_value
from cases.app.parts.measure import Measure, Refinement, friction_work, measure
from cases.app.parts.quantities import choice, quantity
from cases.app.run.results import Headlines, headline
from cases.references.belt_oscillator import Oscillator, Phase, limit_cycle
from cases.references.belt_oscillator import motion as exact_motion
from floating_frame import InitialState, Options, Problem, RigidBody, Spring

if TYPE_CHECKING:
    import xarray as xr

LENGTH, WIDTH, HEIGHT = 0.1, 0.1, 0.1  # m
Array = NDArray[np.float64]


class Parameters(parameters.ElasticParameters):
    """Parameters of the block, the belt and the spring; those of elasticity matter where `body` is elastic."""

    t_end: parameters.EndTime = 3.0
    dt: parameters.TimeStep = 1e-3
    law: parameters.LawName = "static-kinetic"
    mu: parameters.Mu = 0.3
    mu_s: parameters.MuStatic = 0.5
    mass: Annotated[float, quantity("kg", "mass of the block, 0.1 x 0.1 x 0.1 m", gt=0)] = 1.0
    belt_speed: Annotated[float, quantity("m/s", "speed of the belt along +x")] = 0.2
    stiffness: Annotated[float, quantity("N/m", "stiffness of the spring", gt=0)] = 100.0
    damping: Annotated[float, quantity("N s/m", "coefficient of the damper beside it", ge=0)] = 0.0
    stretch0: Annotated[float, quantity("m", "stretch of the spring at t = 0")] = 0.0
    vx0: Annotated[
        float | None, quantity("m/s", "initial velocity of the block along x; left out: that of the belt")
    ] = None
    body: Annotated[str, choice("whether the block deforms", ("rigid", "elastic"))] = "rigid"
    E: parameters.Young = 1e6
    nu: parameters.Poisson = 0.3
    nx: parameters.CellsX = 4
    ny: parameters.CellsY = 4


def start_velocity(params: Parameters) -> float:
    """Return the block's velocity at t = 0, m/s."""
    return params.belt_speed if params.vx0 is None else params.vx0


def oscillator(params: Parameters) -> Oscillator:
    """Return the oscillator of one degree of freedom that the rigid block is."""
    normal = bodies.pressure(params, mass=params.mass, area=LENGTH * WIDTH) * LENGTH * WIDTH
    kinetic = uniform_value(params.mu) * normal
    static = laws.static_coefficient(params) * normal
    return Oscillator(
        mass=params.mass,
        stiffness=params.stiffness,
        damping=params.damping,
        belt_speed=params.belt_speed,
        static=static,
        kinetic=kinetic,
    )


@dataclass(frozen=True)
class Unchanging:
    """A path, m, or its rate, m/s, that is the same at all times."""

    value: tuple[float, float]

    def __call__(self, time: float) -> tuple[float, float]:
        """Return it."""
        return self.value


def problem(params: Parameters) -> Problem:
    """Return the block on the belt and its spring, at rest on the belt unless `vx0` says otherwise."""
    area = LENGTH * WIDTH
    plate = bodies.rectangular_plate(
        params, params, LENGTH, WIDTH, thickness=HEIGHT, density=params.mass / (area * HEIGHT)
    )
    rigid = params.body == "rigid"
    spring = Spring(
        (0.0, 0.0) if rigid else "left",
        stiffness=params.stiffness,
        damping=params.damping,
        path=Unchanging((-params.stretch0, 0.0)),
        rates=Unchanging((0.0, 0.0)),
    )
    return Problem(
        body=RigidBody.from_plate(plate) if rigid else plate,
        t_end=params.t_end,
        foundation=replace(
            bodies.foundation(params, mass=params.mass, area=area), ground_velocity=(params.belt_speed, 0.0)
        ),
        effects=(spring,),
        initial=InitialState(velocity=(start_velocity(params), 0.0)),
        frame=bodies.frame(params),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the block is integrated."""
    return bodies.options(params, stress=stress)


def exact(params: Parameters, times: Array) -> tuple[Array, Array, list[Phase]] | None:
    """Return position, m, and velocity, m/s, of the rigid block at `times` (n,) s, and its phases of stick and slip.

    None for laws other than Coulomb's and static/kinetic friction, with a maximum force, or mu or p_n an expression.
    """
    if params.law not in ("coulomb", "static-kinetic") or params.max_force is not None or not laws.uniform(params):
        return None
    stretch, velocity, known = exact_motion(oscillator(params), params.stretch0, start_velocity(params), times)
    return stretch - params.stretch0, velocity, known


def cycle(times: Array, x: Array, stuck: NDArray[np.bool_]) -> tuple[float, float] | None:
    """Return period, s, and amplitude, m, of the last whole stick–slip cycle; None where the block did not break loose twice."""
    (releases,) = np.nonzero(stuck[:-1] & ~stuck[1:])
    if len(releases) < 2:
        return None
    last = x[releases[-2] : releases[-1] + 1]
    return float(times[releases[-1]] - times[releases[-2]]), 0.5 * float(last.max() - last.min())


def _turns(velocity: Array) -> int:
    """Return how often a velocity (n,) passes or reaches zero."""
    before, after = velocity[:-1], velocity[1:]
    return int(np.sum((after * before < 0.0) | ((after == 0.0) & (before != 0.0))))


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return the limit cycle, the half swings, the place at the end and the errors of the motion beside the exact ones."""
    times, x = data.time.values, data.frame_position.values[:, 0]
    v = data.frame_velocity.values[:, 0]
    known = exact(params, times) if params.body == "rigid" else None
    found = cycle(times, x, data.stick.values.all(axis=1)) or (None, None)
    steady = limit_cycle(oscillator(params)) if known is not None else None
    period, amplitude = steady if steady is not None and found[0] is not None else (None, None)
    results = {
        "period": headline(found[0], "s", "period of the last stick-slip cycle", exact=period),
        "amplitude": headline(found[1], "m", "half the range of x over it", exact=amplitude),
        "half_cycles": headline(
            _turns(v), "1", "times that the block came to rest in space", exact=_turns(known[1]) if known else None
        ),
        "x_end": headline(x[-1], "m", "place at the end", exact=known[0][-1] if known else None),
        "x_error_max": headline(
            float(np.max(np.abs(x - known[0]))) if known else None,
            "m",
            "largest error of the place at a stored time",
            kind="check",
        ),
        "viscous_work": headline(float(data.dissipation_viscous.values[-1]), "J", "energy dissipated by the damper"),
        "friction_work": headline(float(data.dissipation_friction.values[-1]), "J", "energy dissipated by friction"),
    }
    return results


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.008, "nx": 1, "ny": 1},
    mesh={"dt": 0.004, "t_end": 0.5, "nx": 2, "ny": 2},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return place and friction work for a convergence study; the place of the rigid block is known exactly."""
    times, x = data.time.values, data.frame_position.values[:, 0]
    known = exact(params, times) if params.body == "rigid" else None
    return {
        "x_end": measure(x[-1], "m", known[0][-1] if known else None),
        "x_all_times": measure(x, "m", known[0] if known else None),
        "velocity_mean": measure(data.frame_velocity.values[:, 0], "m/s", known[1] if known else None, mean=True),
        "friction_work": friction_work(data),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
