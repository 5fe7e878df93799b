"""What advances a model: its step function and the state that it starts from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from floating_frame.system.state import Counts, State

Stepper = Callable[[Any, State, float, float | None], tuple[State, Counts]]
"""A pure step function: (model, state, length s, end s) -> (state at the end, counts)."""


class Integrator(NamedTuple):
    """A step function, and (model) -> the state at t = 0."""

    step: Stepper
    initial: Callable[[Any], State]


def initial_state(model: Any) -> State:
    """Return the state of a model at t = 0."""
    integrator: Integrator = model.integrator
    return integrator.initial(model)


def step(model: Any, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
    """Advance a model by one step of ``dt`` s to ``end`` s (default time + dt). Pure."""
    integrator: Integrator = model.integrator
    return integrator.step(model, state, dt, end)
