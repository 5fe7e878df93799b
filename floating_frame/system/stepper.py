"""What advances a model: its step function, the state that it starts from, and what others must know of its steps."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from floating_frame.coefficients import Scheme
from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import Series
from floating_frame.system.state import DISSIPATED, Counts, State

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

    ``length`` s: ``dt``, or what stands for it; ``order`` of convergence that error control counts on; ``inertia``: whether
    velocities are those of a motion, not increments of equilibrium per unit of pseudo-time; ``mean_forces``: whether forces act in
    the mean of a step, so that what starts within it may be overlooked; ``many``: whether one call takes many steps, none over
    ``longest`` s; ``controls_error``: whether the method chooses its steps by their error itself; ``locates_impacts``: whether
    steps are cut at the impacts of exact contacts; ``stable`` s: limit of stability; ``swing``: c of the energy c h² a·M a that the
    scheme conserves less of than T + U (central differences: 1/8).
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


Numbers = NDArray[np.intp]
"""Numbers of steps of a batch, from 0."""


@dataclass(frozen=True, kw_only=True)
class Rows(ABC):
    """Steps from the state ``before`` to ``times`` (K,) s, and what they end with as arrays (K, …): what the verdict sees.

    ``lengths`` s: of the equal ``parts`` (K,) of which a row consists; ``work``, ``energy``, ``kinetic`` J as in ``State``;
    ``diagnostics`` (K, …): those of ``Results``, and the sum of the sizes of the dead loads, weight among them, ``dead_load`` N;
    ``free``: whether no load, no friction and no contact acts on the body.
    """

    before: State
    times: Array
    lengths: Array
    parts: NDArray[np.int64]
    work: Array
    energy: Array
    kinetic: Array
    diagnostics: Mapping[str, Array]

    @abstractmethod
    def state(self, k: int) -> State:
        """Return the state at the end of a step."""

    def pairs(self) -> Iterator[tuple[State, State]]:
        """Return the states at start and end of each step."""
        return itertools.pairwise([self.before, *map(self.state, range(len(self.times)))])

    def look(self, rows: Numbers) -> tuple[Array, Array, NDArray[np.bool_], float]:
        """Return angles (K,) and rates (K, 3) of the plane frame at the ends of some steps, whether any friction point slides (K,),
        and the body's largest nodal speed then, m/s."""
        states = [self.state(int(k)) for k in rows]
        angles, rates = np.array([s.frame.angle for s in states]), np.array([s.frame.rates for s in states])
        slides = np.array([bool(np.any(s.sliding)) for s in states])
        return angles, rates, slides, max(float(np.abs(s.velocity).max()) for s in states)


@dataclass(frozen=True, kw_only=True)
class Batch(Rows):
    """Steps taken in one call. ``counts`` (K, 4): passes, Newton iterations, factorisations, fallbacks; ``drift`` (K, 2) of the
    frame: angle, rad, and spin, rad/s."""

    counts: NDArray[np.int64]
    drift: Array

    @abstractmethod
    def head(self, count: int) -> Batch:
        """Return the first steps."""

    @abstractmethod
    def series(self, rows: Numbers, energy_at_start: float) -> Series:
        """Return all series but the solver's counts at the ends of some steps (their numbers from 0), by name."""

    def ledger(self, rows: Numbers, friction: int, strain: Array, energy_at_start: float) -> Series:
        """Return energies and works there, as ``ledger_series``; ``friction``: number of that source; ``strain`` energy (K,), J."""
        external, dissipated, numerical = self.work[rows].sum(axis=1).T
        lost = self.work[rows, friction, DISSIPATED]
        return {
            "energy_kinetic": self.kinetic[rows],
            "energy_strain": strain,
            "work_external": external,
            "dissipation_friction": lost,
            "dissipation_viscous": dissipated - lost,
            "dissipation_numerical": numerical,
            "balance_error": self.energy[rows] - energy_at_start - external + dissipated + numerical,
        }


class CompiledStep(Protocol):
    """What takes many steps in one compiled call; its twin is the ``step`` of the integrator. ``longest``: steps a call; ``held``:
    those of them that may be stored."""

    longest: int
    held: int

    def take(self, state: State, ends: Array, stored: Numbers) -> Batch | None:
        """Take steps from a state to ``ends`` (K,) s, none with a break of the loads within: as many as need nothing else.
        Of those ``stored`` and of the last the batch gives states and series."""
        ...


class Instant(Protocol):
    """The end of a step as error control sees it: a state, or what one is made of where it is needed."""

    @property
    def time(self) -> float:
        """When, s."""
        ...

    @property
    def position(self) -> Array:
        """Nodal positions, m."""
        ...

    @property
    def velocity(self) -> Array:
        """Nodal velocities, m/s."""
        ...

    @property
    def sliding(self) -> Array:
        """Slip velocities of the friction points, m/s."""
        ...

    @property
    def multiplier(self) -> Array:
        """λ of the friction points, N."""
        ...

    @property
    def bristles(self) -> Array | None:
        """Those of the friction points, m, if there are any."""
        ...

    def tried(self, middle: float, end: float) -> Trial:
        """Take one step to ``end`` s, and two that meet in the ``middle`` s."""
        ...

    def stepped(self, end: float) -> tuple[Self, Counts]:
        """Take one step to ``end`` s."""
        ...

    def follows(self, earlier: Self) -> Self:
        """Return this instant, the end of a trial from an earlier one that is kept."""
        ...

    def state(self) -> State:
        """Return the state here, which checks have seen all steps that led to."""
        ...


class Trial(NamedTuple):
    """One step to ``whole``, and two of half its length over ``half`` to ``new``; the counts of the three."""

    whole: Instant
    half: Instant
    new: Instant
    counts: tuple[Counts, Counts, Counts]


class Integrator(NamedTuple, Generic[Stepped]):
    """A step function, (model) -> the state at t = 0, and what takes many steps at once, if anything does. ``execution``: whether a
    step is compiled, or what of it is interpreted, where there is a choice; ``instant``: makes of a state what takes trials of
    error control faster than step by step, if anything does."""

    step: Stepper[Stepped]
    initial: Callable[[Stepped], State]
    compiled: CompiledStep | None = None
    execution: str = ""
    instant: Callable[[Stepped, State], Instant] | None = None


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
