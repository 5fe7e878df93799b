"""Integrators: step function and initial state of a model, and properties of its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.frame.kinematics import Array
from floating_frame.system.rigid.batch import Batch
from floating_frame.system.rows import Numbers
from floating_frame.system.state import Counts, State

Stepped = TypeVar("Stepped", contravariant=True)
"""The model that a step function takes."""


Stepper = Callable[[Stepped, State, float, float | None], tuple[State, Counts]]
"""A pure step function: model, state, dt s, and the end of the step s (None: the state's time + dt) -> state and counts."""


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Properties of the steps of a run for time loop, error control and verdict.

    ``length`` s: ``dt`` or its substitute; ``order`` of convergence for error control; ``inertia``: velocities belong to a motion,
    not to increments of equilibrium; ``mean_forces``: forces act in the mean of a step, so that its events may be missed; ``many``:
    one call takes many steps, none over ``longest`` s; ``controls_error``: the method controls its own error; ``locates_impacts``:
    steps are cut at the impacts of exact contacts; ``stable`` s: limit of stability; ``swing``: c of the invariant T + U − c h² a·M
    a (central differences: 1/8). Of explicit steps ``frequency_bound`` 1/s² of ω_max² at rest, and ``linear``: the body's stiffness
    is constant in its frame.
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
    frequency_bound: float = 0.0
    linear: bool = True

    @property
    def attributes(self) -> dict[str, float]:
        """Global attributes of the trajectory."""
        return {"explicit_step": self.longest, "stable_step": self.stable} if self.many else {}


def staged_steps(scheme: Scheme, length: float) -> Steps:
    """Steps of ``length`` s of a scheme with stages."""
    return Steps(length=length, order=scheme.order, inertia=scheme.inertia, mean_forces=scheme.mixes)


class CompiledStep(Protocol):
    """Many steps in one compiled call; ``Integrator.step`` takes one. ``longest``: most steps of a call;
    ``max_stored``: most of them that are stored."""

    longest: int
    max_stored: int

    def take(self, state: State, ends: Array, stored: Numbers) -> Batch | None:
        """Take steps from a state to ``ends`` (K,) s, without breaks of the loads, as many as the compiled code can. The batch has
        states and series of the ``stored`` steps and of the last."""
        ...


class Compared(NamedTuple):
    """Quantities that error control compares at two instants: ``position`` m and ``velocity`` m/s of the nodes; slip
    velocity ``sliding`` m/s, ``multiplier`` λ N and ``bristles`` m, if there are any, of the friction points."""

    position: Array
    velocity: Array
    sliding: Array
    multiplier: Array
    bristles: Array | None


class Instant(Protocol):
    """The end of a step for error control: a state, or arrays from which it can be made."""

    @property
    def time(self) -> float:
        """Time, s."""
        ...

    @property
    def compared(self) -> Compared:
        """Quantities compared with those of other instants."""
        ...

    def tried(self, middle: float, end: float) -> Trial:
        """Take one step to ``end`` s, and two that meet in the ``middle`` s."""
        ...

    def stepped(self, end: float) -> tuple[Self, Counts]:
        """Take one step to ``end`` s."""
        ...

    def follows(self, earlier: Self) -> Self:
        """This instant, the accepted end of a trial from an ``earlier`` one."""
        ...

    def state(self) -> State:
        """State at this instant, with updated checks."""
        ...


Trial = tuple[Instant, Instant, Instant, tuple[Counts, Counts, Counts]]
"""Ends of one step, and of two of half its length; the counts of the three."""


class Integrator(NamedTuple, Generic[Stepped]):
    """A step function, (model) -> the state at t = 0, and the compiled loop over many steps, if any. ``execution``: words on
    compiled and interpreted parts; ``instant``: state -> instant with faster trials of error control, if any."""

    step: Stepper[Stepped]
    initial: Callable[[Stepped], State]
    compiled: CompiledStep | None = None
    execution: str = ""
    instant: Callable[[Stepped, State], Instant] | None = None
