"""The state that steps carry, and the solver's counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, Mask, Motion, Record
from floating_frame.frame.kinematics import Array, FrameMotion
from friction.arrays import nonzero_rows
from friction.result import TrescaResult

if TYPE_CHECKING:  # with kernels
    from friction.nodal.contact import SignoriniResult

EXTERNAL, DISSIPATED, NUMERICAL = range(3)
"""Columns of ``State.work``."""


class Counts(NamedTuple):
    """Solver counts of the steps since the last stored instant; ``drift`` rad is the angle that re-splits removed.

    ``steps``: those that the motion consists of; ``rejected_steps``: error-controlled ones that were taken again smaller;
    ``smallest_step`` s (infinite: none was taken).
    """

    passes: int = 0
    newton: int = 0
    factorisations: int = 0
    fallbacks: int = 0
    halvings: int = 0
    sweeps: int = 0
    steps: int = 0
    drift: float = 0.0
    spin_drift: float = 0.0
    rejected_steps: int = 0
    smallest_step: float = float("inf")

    @classmethod
    def of(cls, result: TrescaResult | SignoriniResult) -> Counts:
        """Counts of one pass, solved by the friction solver."""
        return cls(
            passes=1,
            newton=result.iterations + result.fallback_iterations,
            factorisations=result.factorisations,
            fallbacks=int(result.fallback_iterations > 0),
        )

    def plus(self, *others: Counts) -> Counts:
        """Entry-wise sum; of the smallest steps the smallest one."""
        *sums, steps = zip(self, *others, strict=True)
        return Counts._make((*map(sum, sums), min(steps)))

    @classmethod
    def of_row(cls, row: Array) -> Counts:
        """Counts from their ``row``."""
        return cls._make(type(none)(x) for x, none in zip(row.tolist(), cls(), strict=True))

    @property
    def row(self) -> Array:
        """All of them (11,), in order."""
        return np.array(self, float)

    @property
    def step_size(self) -> float:
        """The smallest step, s; 0 where none was taken."""
        return self.smallest_step if self.steps else 0.0


COUNT_NAMES = Counts._fields
"""Names of the entries of ``Counts.row``, the smallest step last."""


@dataclass(frozen=True)
class ImpactRecord:
    """The impacts of a rigid body so far: their ``count``; the ``restitution`` that came out of the last one (0 before the first);
    the sum of ``impulse`` (2,) N s, inertial; energy lost in them, ``loss`` J, less what they created, ``created`` J >= 0."""

    count: int = 0
    restitution: float = 0.0
    impulse: Array = field(default_factory=lambda: np.zeros(2))
    loss: float = 0.0
    created: float = 0.0

    def after(self, restitution: float, impulse: Array, loss: float) -> ImpactRecord:
        """The record with one impact more."""
        return ImpactRecord(
            self.count + 1, restitution, self.impulse + impulse, self.loss + loss, self.created + max(-loss, 0.0)
        )


class InSpace(NamedTuple):
    """A motion as seen in space: nodal ``position`` m, ``velocity`` m/s, ``acceleration`` m/s², (N, 2) inertial (a linear beam's
    deflections and slopes (n,)), and the ``frame``."""

    position: Array
    velocity: Array
    acceleration: Array
    frame: FrameMotion


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One instant. History moves only when a step returns a new state.

    ``motion`` in the system's unknowns, and the same ``in_space``; ``records``: of the effects, the friction and what the
    system brings itself, in this order; ``sums``: time integrals of their ``rates``; ``work`` (n + 1, 3) J: external work,
    dissipation and numerical dissipation of each so far, the inertia's last; ``balance``: the generalised force on the body in
    the balance that the accelerations satisfy, without internal forces, which have no resultant; ``kinetic_energy`` J;
    ``leapfrog``: what the explicit scheme carries half a step behind; ``impacts``: those of a rigid body with exact contacts so
    far; ``entry`` (Q, 2): normals at which the points in penalty contact came in; ``verdict``: the
    run's checks, up to the last few steps; ``unseen``: the state before the steps not yet checked, then those steps."""

    time: float
    motion: Motion
    in_space: InSpace
    friction: Friction
    records: tuple[Record, ...]
    sums: tuple[tuple[Array, ...], ...]
    work: Array
    balance: Blocks
    kinetic_energy: float
    leapfrog: Any = None
    impacts: ImpactRecord = field(default_factory=ImpactRecord)
    verdict: tuple[Any, ...] = ()
    unseen: tuple[Any, ...] = ()
    entry: Array | None = None

    @property
    def position(self) -> Array:
        """Nodal positions, m."""
        return self.in_space.position

    @property
    def velocity(self) -> Array:
        """Nodal velocities, m/s."""
        return self.in_space.velocity

    @property
    def acceleration(self) -> Array:
        """Nodal accelerations, m/s²."""
        return self.in_space.acceleration

    @property
    def frame(self) -> FrameMotion:
        """The motion of the frame."""
        return self.in_space.frame

    @property
    def sliding(self) -> Array:
        """Slip velocities of the friction points, m/s: exactly zero where they rest on the ground."""
        return self.friction.slip

    @property
    def multiplier(self) -> Array:
        """λ of the friction points, N: minus the friction force on the body."""
        return self.friction.multiplier

    def sticking(self) -> Mask:
        """Mask of the friction points that rest on the ground."""
        return np.asarray(~nonzero_rows(self.friction.slip))

    @property
    def energy(self) -> float:
        """Kinetic and stored energy, J."""
        return self.kinetic_energy + self.stored_energy

    @property
    def stored_energy(self) -> float:
        """Energy stored in the body and in what acts on it, J."""
        return float(sum(r.stored for r in self.records))
