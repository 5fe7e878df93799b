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

    ``length`` s: ``dt``, or what stands for it; ``order`` of convergence that error control counts on; ``inertia``: whether
    velocities are those of a motion, not increments of equilibrium per unit of pseudo-time; ``mean_forces``: whether forces act in
    the mean of a step, so that what starts within it may be overlooked; ``many``: whether one call takes many steps, none over
    ``longest`` s; ``controls_error``: whether the method chooses its steps by their error itself; ``locates_impacts``: whether
    steps are cut at the impacts of exact contacts; ``stable`` s: limit of stability; ``swing``: c of the energy c h² a·M a that the
    scheme conserves less of than T + U (central differences: 1/8). Of explicit steps ``bound`` 1/s² of ω_max² at rest, and
    ``linear``: whether the body's stiffness is constant in its frame.
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
    bound: float = 0.0
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
        """Take steps from a state to ``ends`` (K,) s, none with a break of the loads within: as many as need nothing else.
        Of those ``stored`` and of the last the batch gives states and series."""
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
    """The end of a step as error control sees it: a state, or what one is made of where it is needed."""

    @property
    def time(self) -> float:
        """When, s."""
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
        """This instant, the end of a trial from an earlier one that is kept."""
        ...

    def state(self) -> State:
        """State here, which checks have seen all steps that led to."""
        ...


Trial = tuple[Instant, Instant, Instant, tuple[Counts, Counts, Counts]]
"""Ends of one step, and of two of half its length; the counts of the three."""


class Integrator(NamedTuple, Generic[Stepped]):
    """A step function, (model) -> the state at t = 0, and what takes many steps at once, if anything does. ``execution``: whether a
    step is compiled, or what of it is interpreted, where there is a choice; ``instant``: makes of a state what takes trials of
    error control faster than step by step, if anything does."""

    step: Stepper[Stepped]
    initial: Callable[[Stepped], State]
    compiled: CompiledStep | None = None
    execution: str = ""
    instant: Callable[[Stepped, State], Instant] | None = None
