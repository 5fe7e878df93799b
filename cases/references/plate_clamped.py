"""Effect of friction on the deformation of the clamped plate and of the free one of Fig. 3a, each with and without friction.

Both plates are thrown along x so fast that all points slide in one direction until the loads end, as case B assumes; the free one
carries the loads along x only (symmetric, monotonic). In case B friction is then a constant force per mass and does
not change u, except by the velocity of lateral contraction; it bends the clamped plate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

import numpy as np

import floating_frame as ff
from cases.app.parts import bodies
from floating_frame import EdgeLoad, InitialState, MeanAxis, Options, Problem, StepFailure

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

SPEED = 2.0
"""Initial speed over mu p/(rho h) t, the loss by friction until the end of the loads."""
MOST_CELLS = 8, 4
STEPS = 120


class PlateParameters(bodies.RoughParameters, Protocol):
    """The parameters used here."""

    t_end: float
    dt: float
    nx: int
    ny: int
    release: float

    def model_copy(self, *, update: dict[str, object]) -> Self:
        """Parameters with some of them changed."""


Plate = TypeVar("Plate", bound=PlateParameters)

ROUNDING = 1e-12
"""Displacements below this part of the plate's size are rounding."""


def friction_on_deformation(data: xr.Dataset) -> NDArray[np.float64]:
    """Part of the friction that acts on the deformation over time, (time,), where all nodes slide, else NaN.

    A constant force per mass along the guide moves the plate as a whole (case A). The rest of the nodal friction, summed over the
    nodes, is given relative to mu p_n times the area: 0 in case B, and at most 2.
    """
    weight, friction = data.friction_weight.values, data.friction_force.values.copy()
    total = weight.sum()
    share = np.full(len(friction), np.nan)
    if total == 0.0:
        return share
    # Under uniform pressure the weight of a node goes with its mass.
    friction[..., 0] -= friction[..., 0].sum(axis=1)[:, None] * weight / total
    slides = ~data.stick.values.astype(bool).any(axis=1)
    share[slides] = np.hypot(*np.moveaxis(friction[slides], 2, 0)).sum(axis=1) / total
    return share


def influences(
    params: Plate, problem: Callable[[Plate], Problem], options: Callable[[Plate], Options]
) -> tuple[float | None, float | None]:
    """Ratio `max |u - u without friction|/max |u without friction|`, of the clamped and of the free plate.

    `problem` and `options` of the case make the clamped plate of its parameters. None without friction or loads, or where a
    plate cannot be computed on the coarse mesh.
    """
    braking = bodies.deceleration(params)
    end = min(params.t_end, params.release)
    if not braking > 0.0 or end == 0.0:
        return None, None
    nx, ny = (min(n, most) for n, most in zip((params.nx, params.ny), MOST_CELLS, strict=True))
    coarse = params.model_copy(update={"nx": nx, "ny": ny, "t_end": end, "dt": max(params.dt, end / STEPS)})
    clamped, chosen = problem(coarse), options(coarse)
    along = tuple(replace(load, force=(load.force[0], 0.0)) for load in clamped.loads if isinstance(load, EdgeLoad))
    free = replace(clamped, loads=along, frame=MeanAxis())
    start = InitialState(velocity=(SPEED * braking * end, 0.0))
    return _influence(clamped, start, chosen), _influence(free, start, chosen)


def _influence(problem: Problem, start: InitialState, options: Options) -> float | None:
    try:
        rough, smooth = (
            _displacement(replace(problem, initial=start, foundation=foundation), options)
            for foundation in (problem.foundation, None)
        )
    except StepFailure:
        return None
    largest = float(np.linalg.norm(smooth, axis=2).max())
    if largest <= ROUNDING * float(np.ptp(problem.body.X, axis=0).max()):
        return None
    return float(np.linalg.norm(rough - smooth, axis=2).max()) / largest


def _displacement(problem: Problem, options: Options) -> NDArray[np.float64]:
    values: NDArray[np.float64] = ff.simulate(ff.assemble(problem, options)).displacement.values
    return values
