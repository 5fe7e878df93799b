"""The time loop: from the initial state to the end, on load breaks exactly, halving what does not converge."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from fem import NotPositiveDefinite
from floating_frame.beam_model import BeamModel
from floating_frame.beam_step import beam_step, initial_beam_state
from floating_frame.clamped_instant import initial_clamped_state
from floating_frame.errors import (
    FrameUndefined,
    InvertedElement,
    LimitLoad,
    NotConverged,
    RigidFrictionError,
    StepFailure,
)
from floating_frame.explicit import explicit_step, initial_explicit_state
from floating_frame.explicit_rigid import explicit_rigid_step, initial_explicit_rigid_state
from floating_frame.instant import initial_state
from floating_frame.model import Model
from floating_frame.rigid_step import initial_rigid_state, rigid_step
from floating_frame.runge_kutta import runge_kutta_step
from floating_frame.state import Counts, State
from floating_frame.step import step
from floating_frame.trajectory import open_sink
from floating_frame.variables import instant_values
from friction import FrictionSolveError, UnilateralError

Stepper = Callable[[Model, State, float, float | None], tuple[State, Counts]]

FAILURES = (
    FrictionSolveError,
    NotPositiveDefinite,
    InvertedElement,
    LimitLoad,
    FrameUndefined,
    NotConverged,
    RigidFrictionError,
    UnilateralError,
)
"""What a smaller step may cure."""

ADVICE = {
    "InvertedElement": "a smaller load, a stiffer or neo-Hookean material, or a finer mesh near that element",
    "NotPositiveDefinite": "a smaller dt; the material may have buckled or softened in compression (neo-hookean resists)",
    "FrameUndefined": "frame tisserand",
}
DEFAULT_ADVICE = "a smaller dt, or more halvings (max_halvings)"


@dataclass(frozen=True)
class Progress:
    """What a progress callback is told after each step: simulated ``time`` and ``end`` s, ``steps`` done, ``total_steps``,
    Newton ``iterations`` of the step."""

    time: float
    end: float
    steps: int
    total_steps: int
    iterations: int


def simulate(
    model: Model,
    *,
    path: str | Path | None = None,
    attributes: dict[str, Any] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> xr.Dataset:
    """Run a model to its end time.

    ``path``: NetCDF file, written as the run goes (None: in memory); ``attributes``: further global attributes. Returns the
    trajectory. Raises StepFailure with ``trajectory`` (attribute complete = 0) attached, and saved, if a step fails.
    """
    advance_one, state = _stepper(model)
    saved = {"options": json.dumps(asdict(model.options))} | (attributes or {})
    if model.explicit is not None:
        saved["explicit_step"] = model.explicit.step
        saved["stable_step"] = model.explicit.stable
    energy = state.kinetic_energy + state.strain_energy + state.contact.energy
    first = instant_values(model, state, Counts(), energy)
    sink = open_sink(model, path, saved)
    times = step_times(model.problem.t_end, model.explicit.step if model.explicit else model.options.dt)
    stride = model.options.output_every if model.explicit is not None else 1  # explicit: compiled up to the output
    ends = list(enumerate(times, start=1))
    ends = [e for e in ends if e[0] % stride == 0 or e[0] == len(times)]
    pending = Counts()
    try:
        sink.write(first)
        for number, end in ends:
            state, counts = advance(model, advance_one, state, end)
            pending = pending.plus(counts)
            if number % model.options.output_every == 0 or number == len(times):
                sink.write(instant_values(model, state, pending, energy))
                pending = Counts()
            if progress is not None:
                progress(Progress(state.time, model.problem.t_end, number, len(times), counts.newton))
    except StepFailure as failure:
        failure.trajectory = sink.close(complete=False)
        raise
    except BaseException:
        sink.close(complete=False).close()
        raise
    return sink.close(complete=True)


def _stepper(model: Model) -> tuple[Stepper, State]:
    """The step function of a model and its initial state."""
    if isinstance(model, BeamModel):
        return beam_step, initial_beam_state(model)
    if model.explicit is not None:
        if model.rigid:
            return explicit_rigid_step, initial_explicit_rigid_state(model)
        return explicit_step, initial_explicit_state(model)
    if model.clamped:
        return step, initial_clamped_state(model)
    if model.rigid:
        stepper = rigid_step if model.scheme is not None else runge_kutta_step
        return stepper, initial_rigid_state(model)
    return step, initial_state(model)


def step_times(t_end: float, dt: float) -> list[float]:
    """Ends of the steps: k dt, the last one exactly ``t_end`` (a shorter last step where dt does not divide it)."""
    whole = int(np.ceil(t_end / dt * (1.0 - 1e-12)))
    return [k * dt for k in range(1, whole)] + [t_end]


def advance(model: Model, one: Stepper, state: State, end: float) -> tuple[State, Counts]:
    """Advance to ``end``, ending a substep on every break of the loads on the way."""
    resolution = 1e-12 * max(end, end - state.time)
    between = [t for t in model.loads.breaks if state.time + resolution < t < end - resolution]
    counts = Counts()
    halvings = 0 if model.explicit is not None else model.options.max_halvings
    for target in [*between, end]:
        state, more = attempt(model, one, state, target, halvings)
        counts = counts.plus(more)
    return state, counts


def attempt(model: Model, one: Stepper, state: State, end: float, halvings_left: int) -> tuple[State, Counts]:
    """One step to ``end``, or two of half the length if it cannot be solved. Raises StepFailure."""
    try:
        return one(model, state, end - state.time, end)
    except LimitLoad as error:
        raise StepFailure(state.time, str(error), "a smaller load, more friction, or a dynamic scheme") from error
    except FAILURES as error:
        if halvings_left == 0:
            name = type(error).__name__
            reason = f"{name}: {error} (step {end - state.time:.3g} s)"
            raise StepFailure(state.time, reason, ADVICE.get(name, DEFAULT_ADVICE)) from error
    middle, first = attempt(model, one, state, 0.5 * (state.time + end), halvings_left - 1)
    last, second = attempt(model, one, middle, end, halvings_left - 1)
    return last, first.plus(second).plus(Counts(halvings=1))
