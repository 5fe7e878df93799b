"""Error of equal steps, estimated from a companion run with steps twice as long (docs/verdict.md). Let E(h) be the error of a run
at an instant. A run with steps n times as long differs from it by E(n h) − E(h): (n − 1) E(h) for E ~ h, more at a higher order.
The estimate is this difference over n − 1, times 1.25, the factor of safety of Roache (Verification and Validation in Computational
Science and Engineering, 1998) for known orders: here one, so that at order two the estimate is four times the error. Events (stick,
slip, touch) make the order one, and the constant vary from step to step; the largest difference over all common instants and nodes
varies less. n is the ratio of the steps taken: breaks of the loads and halvings cut steps of both runs alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from floating_frame.errors import StepFailure
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import matrix_of
from floating_frame.output.archive import MANTISSA_BITS
from floating_frame.output.trajectory import PARTIAL
from floating_frame.problem import Options, Problem
from floating_frame.system.model import RunModel
from floating_frame.verdict.energy import advice, max_norm, percent
from floating_frame.verdict.limits import FALL_PASSED, STEP_ERROR
from floating_frame.verdict.verdict import RunWarning, beyond

NAME = "step-error"
ATTRIBUTE = "estimated_error"
"""Attribute of a trajectory: estimated error of its nodes' positions over the body's size."""
BASIS = "error_estimate"
"""Attribute of a trajectory: the companion run, or the reason for none."""
SAFETY = 1.25
"""Factor of safety of an estimate."""
LEAST_RATIO = 1.3
"""Ratio of the numbers of steps below which two runs are too alike to be compared."""
SPEEDS = 400
"""Sampled speeds of a law's curve."""
INSTANTS, BLOCK_ENTRIES, BLOCK_BYTES = 400, 2_000_000, 200_000_000
"""Approximate number of compared instants, most numbers compared at once, bytes read at once."""


Estimator = Callable[[RunModel, xr.Dataset], "StepError"]
"""Function of a model and the trajectory of its complete run."""


class NoCompanion(Exception):
    """A run has no companion run, with the reason."""


class Companion:
    """The companion run of a run. Derive from it to compare more than positions."""

    def model(self, model: RunModel) -> RunModel:
        """Model with steps of twice the length, in quasi-static runs increments. Raises NoCompanion."""
        return doubled(model, model.problem, model.options)

    def compare(self, data: xr.Dataset, other: xr.Dataset, distance: float) -> Iterable[RunWarning]:
        """Warnings on further numbers of the trajectories of a run and its companion, whose differences over ``distance`` are the
        errors."""
        return ()


def doubled(model: RunModel, problem: Problem, options: Options) -> RunModel:
    """Model of a ``problem`` with twice the step of ``options``. Raises NoCompanion."""
    assemble, steps = model.assembled_by, model.steps
    if options.error_tolerance is not None:
        raise NoCompanion("error_tolerance has an estimate of its own")
    if steps.controls_error:
        raise NoCompanion(f"{options.scheme} chooses its steps by their error")
    if steps.many:
        raise NoCompanion(
            "steps of the explicit scheme are bounded by stability; half of them would cost twice the run"
        )
    if assemble is None:
        raise NoCompanion("the model was changed after it was assembled")
    every = options.output_every
    every = every // 2 if every % 2 == 0 else every
    return assemble(problem, replace(options, dt=2.0 * options.dt, output_every=every))


@dataclass(frozen=True)
class StepError:
    """Estimated error of a run's positions over the body's ``size``; ``basis``: the companion run, or the reason for none."""

    basis: str
    size: float | None = None
    warnings: tuple[RunWarning, ...] = ()

    @property
    def attributes(self) -> dict[str, object]:
        """Global attributes of the trajectory."""
        return {BASIS: self.basis} | ({} if self.size is None else {ATTRIBUTE: self.size})


def estimate(
    model: RunModel, data: xr.Dataset, companion: Companion, simulate: Callable[[RunModel], xr.Dataset]
) -> StepError:
    """Estimate the error of a complete run from its trajectory ``data``; ``simulate`` runs a model."""
    words, fall = "companion run", tuple(fall_warnings(model, data))
    try:
        longer = companion.model(model)
        words = f"companion run with dt = {longer.options.dt:g} s"
        with simulate(longer) as other:
            ratio = float(data.steps.values.sum()) / max(float(other.steps.values.sum()), 1.0)
            if ratio < LEAST_RATIO:
                raise NoCompanion(
                    f"a {words} takes nearly the same steps, cut by breaks of the loads, failures or the end of the run"
                )
            distance = (ratio - 1.0) / SAFETY
            size, path = motion_errors(data, other, distance, model.radius)
            text = f"the steps leave an estimated error of {percent(path)} of the displacement: {advice(model)}"
            warnings = *fall, *beyond(NAME, path, STEP_ERROR, text), *companion.compare(data, other, distance)
            return StepError(words, size / model.radius, warnings)
    except NoCompanion as reason:
        return StepError(f"none: {reason}", warnings=fall)
    except StepFailure as failure:
        text = f"the {words} fails at t = {failure.time:.6g} s, so that the error of the steps is not known: take a smaller dt"
        return StepError(f"none: the {words} failed", warnings=(RunWarning(NAME, 1.0, STEP_ERROR, text),))


def estimator(
    given: bool | Companion, path: str | Path | None, run: Callable[[RunModel, Path | None], xr.Dataset]
) -> Estimator:
    """The estimator of a run that is written to ``path``, with a temporary companion beside it. ``run``: function of a model and
    the path of its trajectory."""
    companion = given if isinstance(given, Companion) else Companion()
    place = None if path is None else Path(f"{path}.companion")

    def estimated(model: RunModel, data: xr.Dataset) -> StepError:
        try:
            return estimate(model, data, companion, lambda other: run(other, place))
        finally:
            for file in () if place is None else (place, Path(f"{place}{PARTIAL}")):
                file.unlink(missing_ok=True)

    return estimated


def fall_warnings(model: RunModel, data: xr.Dataset) -> list[RunWarning]:
    """Warning of steps that pass over the whole fall of a friction law with growing speed, as steps twice as long do, too.

    Friction that falls from the peak of the law's curve to its lowest value beyond, over speeds δ, changes the acceleration of the
    body by Δa. Where the peak's own acceleration takes less than a step h to pass δ, up to h Δa of the velocity depends on where in
    the step the peak is passed: its part of the largest speed is judged.
    """
    law, steps = model.law, model.steps
    equal = model.options.error_tolerance is None and not steps.controls_error and steps.inertia
    if not (equal and law.velocity_weakening and "friction_weight" in data) or law.has_internal_state:
        return []
    fastest = float(np.linalg.norm(data.velocity.values, axis=-1).max(initial=0.0))
    speeds = fastest * np.geomspace(1e-6, 1.0, SPEEDS)
    bounds = np.hypot(*law.force(np.stack([speeds, 0.0 * speeds], axis=-1), np.ones(SPEEDS)).T)
    peak = int(np.argmax(bounds))
    drop = bounds[peak] - bounds[peak:].min()
    end = peak + int(np.argmax(bounds[peak:] <= bounds[peak] - 0.95 * drop))
    pull = model.options.dt * float(data.friction_weight.sum()) / model.system.results.scales[1]
    if not 0.0 < speeds[end] - speeds[peak] < pull * bounds[peak]:
        return []
    share = float(pull * drop / fastest)
    text = f"steps pass over the fall of friction with growing speed, which leaves up to {percent(share)} of the velocity open"
    return beyond(NAME, share, FALL_PASSED, f"{text}: {advice(model)}")


def motion_errors(data: xr.Dataset, other: xr.Dataset, distance: float, radius: float) -> tuple[float, float]:
    """Largest difference of two trajectories' positions at common instants over ``distance``, m; the same over the path, the
    largest distance of a node from its start in either, 0 where nothing moves by more than rounding. ``radius`` m of the body.
    Large files hold positions with fewer bits, so that each trajectory is compared with its own start."""
    _, own, others = np.intersect1d(data.time.values, other.time.values, assume_unique=True, return_indices=True)
    chosen = np.unique(np.linspace(0, len(own) - 1, INSTANTS).astype(np.intp))
    own, others = own[chosen], others[chosen]
    first, start = (positions(each, [0], radius)[0] for each in (data, other))
    apart, path, together = 0.0, 0.0, max(1, BLOCK_ENTRIES // first.size)
    for at in range(0, len(own), together):
        here = positions(data, own[at : at + together], radius) - first
        there = positions(other, others[at : at + together], radius) - start
        apart, path = max(apart, max_norm(here - there)), max(path, max_norm(here), max_norm(there))
    rounding = max(1e-9 * radius, 2.0 ** -MANTISSA_BITS["position"] * max_norm(first))
    return apart / distance, (apart / distance / path if path > rounding else 0.0)


def positions(data: xr.Dataset, chosen: Sequence[int] | NDArray[np.intp], radius: float) -> Array:
    """Positions (n, N, d) m of the nodes, in space without nodes of the tips of the body's axes, at ``chosen`` instants."""
    if data.sizes.get("node", 0):
        # xarray's indexing imports dask, which takes longer than a short run
        small = data.position.nbytes < BLOCK_BYTES
        return np.asarray(data.position.values[chosen] if small else data.position[chosen].values)
    turned = np.array([matrix_of(q) for q in data.frame_rotation.values[chosen]])
    return np.asarray(data.frame_position.values[chosen][:, None] + radius * turned.swapaxes(1, 2))
