"""What advances a model: its step function, the state that it starts from, and what others must know of its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from floating_frame.scheme.coefficients import Scheme
from floating_frame.system.state import Counts, State

Stepped = TypeVar("Stepped", contravariant=True)
"""The model that a step function takes."""


class Stepper(Protocol[Stepped]):
    """A pure step function."""

    def __call__(self, model: Stepped, state: State, dt: float, end: float | None, /) -> tuple[State, Counts]:
        """Return the state at ``end`` s, ``dt`` s after ``state``, and the counts."""
        ...


@dataclass(frozen=True, kw_only=True)
class Steps:
    """What time loop, error control and verdict must know of the steps of a run, whatever takes them.

    Attributes
    ----------
    length : float
        Length of a step, s: ``dt``, or what stands for it.
    order : int
        Order of convergence that error control counts on.
    inertia : bool
        Whether velocities are those of a motion, and not increments of equilibrium per unit of pseudo-time.
    mean_forces : bool
        Whether forces act in the mean of a step, so that what starts within it may be overlooked.
    many : bool
        Whether one call takes many steps, none longer than ``longest``.
    controls_error : bool
        Whether the method chooses its steps by their error itself.
    longest, stable : float
        Longest step that is taken, and the limit of stability, s.
    locates_impacts : bool
        Whether steps are cut at the impacts of exact contacts.
    swing : float
        c of the energy c h² a·M a that the scheme conserves less of than T + U (central differences: 1/8).
    """

    length: float
    order: int = 1
    inertia: bool = True
    mean_forces: bool = False
    many: bool = False
    controls_error: bool = False
    locates_impacts: bool = False
    longest: float = np.inf
    stable: float = np.inf
    swing: float = 0.0

    @property
    def attributes(self) -> dict[str, float]:
        """Global attributes of the trajectory."""
        return {"explicit_step": self.longest, "stable_step": self.stable} if self.many else {}


def staged_steps(scheme: Scheme, length: float) -> Steps:
    """Return the steps of ``length`` s of a scheme with stages."""
    mean = scheme.needs_start_force
    return Steps(length=length, order=scheme.order, inertia=scheme.inertia, mean_forces=mean)


class Integrator(NamedTuple, Generic[Stepped]):
    """A step function, and (model) -> the state at t = 0."""

    step: Stepper[Stepped]
    initial: Callable[[Stepped], State]


class Integrated(Protocol):
    """A model that says what takes its steps."""

    @property
    def integrator(self) -> Integrator[Self]:
        """What takes steps."""
        ...


def initial_state(model: Integrated) -> State:
    """Return the state of a model at t = 0."""
    return model.integrator.initial(model)


def step(model: Integrated, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
    """Advance a model by one step of ``dt`` s to ``end`` s (default time + dt). Pure."""
    return model.integrator.step(model, state, dt, end)
