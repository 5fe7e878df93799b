"""What a step asks of a system that moves, and the records that pass between the two. A system knows no scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from floating_frame.effect.protocol import (
    Blocks,
    Effect,
    Friction,
    FrictionEffect,
    FrictionProblem,
    Mask,
    Motion,
    Record,
    Source,
    StageEffect,
)
from floating_frame.frame.kinematics import Array
from floating_frame.system.state import Counts, InSpace, State


@dataclass(frozen=True, slots=True, kw_only=True)
class StageHistory:
    """What a stage that ends at ``time`` s inherits.

    ``configuration`` x* and ``velocity`` v*: x = x* + τ_x v, v = v* + τ_v a (τ_v infinite: no inertia). On a group of rotations
    x is retract(``origin``, ``way`` + τ_x v) instead, one exponential. ``theta``: weight of the stage's own mixed forces;
    ``start_force``: what of those at the step's start the balance has, already weighted. ``effects`` and ``friction`` in this
    stage; ``internal``: z* of all effects, the friction's last."""

    time: float
    configuration: Blocks
    velocity: Blocks
    tau_x: float
    tau_v: float
    theta: float
    start_force: Blocks
    effects: tuple[StageEffect, ...]
    friction: FrictionProblem
    internal: tuple[Array | None, ...]
    origin: Blocks
    way: Blocks


class Guess(NamedTuple):
    """Where a stage's solver starts; ``unilateral`` (m, 2) N: forces of exact contacts."""

    velocity: Blocks
    acceleration: Blocks
    multiplier: Array
    unilateral: Array | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A solved stage of the friction ``problem``. ``own``: records of what the system brings itself; ``records`` (effects,
    friction, own) are put in by the step; ``data``: what the system wants back when it re-splits."""

    motion: Motion
    friction: Friction
    problem: FrictionProblem
    own: tuple[Record, ...]
    counts: Counts
    data: Any = None
    records: tuple[Record, ...] = field(default=())


class Partial(NamedTuple):
    """A step on its way: start, length s, coefficients of position and weights, and the stages solved so far."""

    state: State
    dt: float
    scheme: Any
    stages: list[Stage]


class Consistent(NamedTuple):
    """Accelerations and multipliers of the continuous problem at one instant, and what the system brings then."""

    motion: Motion
    friction: Friction
    own: tuple[Record, ...]


class System(Protocol):
    """A mechanical system with smooth ``effects`` and friction on a foundation. ``sources``: what makes its records, in order."""

    @property
    def effects(self) -> Sequence[Effect]:
        """What acts smoothly on its points."""
        ...

    @property
    def friction(self) -> FrictionEffect:
        """Friction on the foundation."""
        ...

    @property
    def sources(self) -> Sequence[Source]:
        """What makes its records: effects, friction, and what it brings itself."""
        ...

    @property
    def constant_mass(self) -> bool:
        """Whether nodes move as the scheme's formulas say, so that the inertia's numerical dissipation is its quadratic form."""
        ...

    @property
    def friction_mass(self) -> Array:
        """Mass (N,) kg that each friction point stands for."""
        ...

    def in_space(self, motion: Motion) -> InSpace:
        """Return a motion as seen in space."""
        ...

    def at_rest(self, motion: Motion) -> Consistent:
        """Return an instant without inertia and friction: where increments of equilibrium start."""
        ...

    def initial_motion(self) -> Motion:
        """Return the motion at t = 0; accelerations are not asked for."""
        ...

    def begin_step(self, state: State, end: float, *, inertia: bool) -> None:
        """Forget what earlier steps left in workspaces; without ``inertia`` raise LimitLoad where friction cannot hold the load."""
        ...

    def retract(self, configuration: Blocks, way: Blocks) -> Blocks:
        """Return the configuration reached from another by a way."""
        ...

    def ground_rates(self, ground: Array) -> Blocks:
        """Return the generalised velocity of a body at rest on ground of velocity (2,) m/s."""
        ...

    def slip(self, motion: Motion, ground: Array) -> Array:
        """Return the slip velocities (N, 2) m/s of the friction points on ground of velocity (2,) m/s."""
        ...

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        """Return the records of what the system brings itself at an instant, without stored energies."""
        ...

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        """Return the energies, J, stored in what it brings itself. Raises InvertedElement."""
        ...

    def predict(self, history: StageHistory, partial: Partial) -> Guess:
        """Return where the solver of a stage starts."""
        ...

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        """Solve the balance and the friction of a stage. ``reference`` (N, 2) m/s: slip against which points count as reversed;
        ``fixed`` groups are kept at rest on the ground. Raises what a shorter step may cure."""
        ...

    def reversing(self, history: StageHistory, partial: Partial, stage: Stage, reference: Array) -> Mask:
        """Return which groups (points, or the whole body) the stage throws backwards, which the guard may hold."""
        ...

    def beyond_bound(self, history: StageHistory, mean: Array, fixed: Mask) -> Mask:
        """Return which ``fixed`` groups the ``mean`` multiplier (N, 2) N over the step cannot hold."""
        ...

    def apply_mass(self, acceleration: Blocks) -> Blocks:
        """Return M a."""
        ...

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """Return the motion at the step's end with the frame that its condition gives, and how far that drifted."""
        ...

    def wrench(self, force: Blocks, motion: Motion, about: Array) -> Array:
        """Return (F_x, F_y, M_z) of a generalised force, N, N, N m, the moment about ``about`` (2,) m in space."""
        ...

    def resultant(self, state: State, about: Array) -> Array:
        """Return that of all that acts on the body in the balance of the state."""
        ...

    def consistent(
        self, time: float, motion: Motion, internal: Sequence[Array | None], *, left: bool = True
    ) -> Consistent:
        """Return accelerations and multipliers of the continuous problem at one instant."""
        ...
