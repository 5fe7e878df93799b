"""One problem under every friction law: creep in stick, error against exact Coulomb friction, cost of accuracy.

Problems: a block on an incline below the friction angle, the block on the table of Potra et al., and a small elastic plate pulled
at its edge below and above its limit. All laws have the same coefficient (mu_s = mu), so that Coulomb's law is their
limit. One speed regularises them: `v_reg`, `v_s`, and the bristles' length, that speed x `BRISTLE_TIME`.

`compare` gives rows at given speeds and steps. `cheapest_run` gives, for one law, the fewest steps with which the error against
Coulomb's law, of the regularisation and of the steps together, comes below the problem's tolerance. Nothing is stored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from cases import block_on_table, inclined_plane, plate_sliding
from cases.app.parts.parameters import CaseParameters
from cases.app.registry import load
from floating_frame import StepFailure, assemble, simulate

Array = NDArray[np.float64]

SET_VALUED = ("coulomb", "static-kinetic", "stribeck", "elliptic")
REGULARISED = ("smooth", "sliding", "sliding-stiction", "coefficient-spline")
ALL_LAWS = (*SET_VALUED, *REGULARISED)
BRISTLE_TIME = 1e-2
"""Length of the bristles over the threshold velocity, s."""
SPEEDS = (1e-2, 1e-3, 1e-4, 1e-5)
STICK_MARGIN = 0.2
"""Stick is evaluated only at this distance from exact slip phases, s."""


@dataclass(frozen=True)
class Setting:
    """One problem: its `case`, the coefficient `mu` and its parameters, the coarsest step `dt` s, how often that may be halved,
    the `tolerance` m of the error, and (params, trajectory) -> (creep velocity m/s or None, error m).
    """

    case: str
    mu: float
    given: Mapping[str, object]
    dt: float
    halvings: int
    tolerance: float
    evaluate: Callable[[Any, xr.Dataset], tuple[float | None, float]]


@dataclass(frozen=True)
class Row:
    """One run: `creep_velocity` m/s in what should be stick (None where nothing should stick), `error` m against exact Coulomb
    friction (None where the solver failed), `speed` m/s that regularises, `dt` s, `steps` with halved ones, solver `iterations`,
    run time `seconds` s; `reached`: the error is within the problem's tolerance.
    """

    problem: str
    law: str
    stick: bool
    speed: float
    dt: float
    creep_velocity: float | None
    error: float | None
    steps: int
    iterations: int
    seconds: float
    reached: bool


def law_parameters(law: str, mu: float, speed: float) -> dict[str, object]:
    """Parameters of `law` with the coefficient `mu`, regularised over `speed` m/s."""
    own: dict[str, dict[str, object]] = {
        "smooth": {"v_reg": speed},
        "sliding": {"v_s": speed},
        "sliding-stiction": {"v_s": speed, "max_stiction_deformation": BRISTLE_TIME * speed},
        "coefficient-spline": {"spline_speeds": (0.0, speed, 2.0 * speed), "spline_values": (0.0, mu, mu)},
    }
    return {"law": law, "mu": mu} | own.get(law, {})


def _incline(params: inclined_plane.Parameters, data: xr.Dataset) -> tuple[float, float]:
    """Velocity and displacement of the block; under Coulomb's law both are 0."""
    return abs(float(data.frame_velocity.values[-1, 0])), abs(float(data.frame_position.values[-1, 0]))


def _block(params: block_on_table.Parameters, data: xr.Dataset) -> tuple[float, float]:
    """Largest velocity while the exact block sticks, and largest error of x at a stored time."""
    times = data.time.values
    x, v, events = block_on_table.exact(params, times)
    near = np.min(np.abs(times[:, None] - [event.time for event in events]), axis=1) < STICK_MARGIN
    still = (v == 0.0) & ~near & (times > 0.0)
    creep = float(np.abs(data.frame_velocity.values[still, 0]).max(initial=0.0))
    return creep, float(np.abs(data.frame_position.values[:, 0] - x).max())


def _plate(params: plate_sliding.Parameters, data: xr.Dataset) -> tuple[float | None, float]:
    """Creep velocity (None where the plate slides), and largest nodal error at the end against Coulomb's law with a quarter of the
    finest step."""
    known, rests = _plate_by_coulomb(params.pull_x)
    creep = float(np.hypot(*data.velocity.values[-1].T).max()) if rests else None
    return creep, float(np.hypot(*(data.position.values[-1] - known).T).max())


@lru_cache
def _plate_by_coulomb(pull: float) -> tuple[Array, bool]:
    """Positions (N, 2) m at the end under Coulomb's law; True where the plate is at rest then."""
    setting = PROBLEMS["plate held" if pull == PLATE["pull_x"] else "plate pulled"]
    fine = setting.dt / 2.0 ** (setting.halvings + 2)
    data = _run(setting, {"law": "coulomb", "dt": fine, "output_every": 10**9})[1]
    return data.position.values[-1], bool(np.all(data.stick.values[-1]))


PLATE = {
    "nx": 6,
    "ny": 3,
    "E": 6e5,
    "t_end": 0.6,
    "ramp": 0.2,
    "release": 1.0,
    "pull_y": 0.0,
    "pull_x": 16.0,
}
"""The plate weighs 108 N: friction holds up to 32.4 N."""

PROBLEMS: Mapping[str, Setting] = {
    "incline": Setting("inclined_plane", 0.5, {"angle": 15.0, "t_end": 1.0}, 0.1, 6, 1e-5, _incline),
    "block on table": Setting("block_on_table", 0.8, {"t_end": 10.0}, 0.1, 6, 1e-4, _block),
    "plate held": Setting("plate_sliding", 0.3, PLATE, 0.02, 3, 1e-4, _plate),
    "plate pulled": Setting("plate_sliding", 0.3, PLATE | {"pull_x": 40.0, "release": 0.4}, 0.02, 3, 1e-3, _plate),
}


def compare(
    problems: Iterable[str] = tuple(PROBLEMS), laws: Iterable[str] = ALL_LAWS, *, speed: float = 1e-3
) -> list[Row]:
    """One row per problem and law, regularised over `speed` m/s, with the problem's step halved twice."""
    chosen = tuple(laws)
    return [row(name, law, speed, PROBLEMS[name].dt / 4.0) for name in problems for law in chosen]


def cheapest_run(problem: str, law: str, *, speeds: Sequence[float] = SPEEDS) -> Row:
    """Run of fewest steps whose error against exact Coulomb friction is within the problem's tolerance.

    All `speeds`, m/s, are tried with each step before it is halved. Where none reaches the tolerance, the best run is returned with
    `reached` False.
    """
    setting, best = PROBLEMS[problem], None
    tried = speeds if law in REGULARISED else speeds[:1]
    for halving in range(setting.halvings + 1):
        for speed in tried:
            result = row(problem, law, speed, setting.dt / 2.0**halving)
            if result.reached:
                return result
            if best is None or (result.error is not None and (best.error is None or result.error < best.error)):
                best = result
    assert best is not None
    return best


def row(problem: str, law: str, speed: float, dt: float) -> Row:
    """Run one problem under one law."""
    setting = PROBLEMS[problem]
    _warm(problem, law)
    given = law_parameters(law, setting.mu, speed) | {"dt": dt}
    start = time.perf_counter()
    try:
        params, data = _run(setting, given)
    except StepFailure:
        return Row(problem, law, law in SET_VALUED, speed, dt, None, None, 0, 0, time.perf_counter() - start, False)
    seconds = time.perf_counter() - start
    creep, error = setting.evaluate(params, data)
    steps = int(data.sizes["time"]) - 1 + int(data.halvings.sum())
    iterations = int(data.newton_iterations.sum())
    within = error <= setting.tolerance
    return Row(problem, law, law in SET_VALUED, speed, dt, creep, error, steps, iterations, seconds, within)


@cache
def _warm(problem: str, law: str) -> None:
    """Run two steps, not timed, in which the kernels are compiled."""
    setting = PROBLEMS[problem]
    given = law_parameters(law, setting.mu, SPEEDS[0])
    _run(setting, given | {"dt": 1e-3, "t_end": 2e-3})


def numbers(rows: Sequence[Row]) -> dict[str, list[object]]:
    """Columns of the rows by name, for tables and figures."""
    records = [asdict(r) for r in rows]
    return {key: [record[key] for record in records] for key in Row.__dataclass_fields__}


def _run(setting: Setting, given: Mapping[str, object]) -> tuple[CaseParameters, xr.Dataset]:
    case = load(setting.case)
    params = case.Parameters.model_validate({"mu": setting.mu, **setting.given, **given})
    return params, simulate(assemble(case.problem(params), case.options(params)))
