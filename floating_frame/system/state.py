"""The state of a run at one instant, and the solver's counts."""

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
    """Solver counts of the steps since the last stored instant; ``drift`` rad: angle removed by re-splits; ``steps`` of the motion;
    ``rejected_steps``: repeated with a smaller length by error control; ``smallest_step`` s (infinite: no step)."""

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
        """Entry-wise sum, and smallest step."""
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
        """The smallest step, s; 0 for no step."""
        return self.smallest_step if self.steps else 0.0


COUNT_NAMES = Counts._fields
"""Names of the entries of ``Counts.row``, the smallest step last."""


@dataclass(frozen=True)
class ImpactRecord:
    """The impacts of a rigid body so far: their ``count``; resulting ``restitution`` of the last one (0 before the first); the sum
    of ``impulse`` (2,) N s, inertial; net energy ``loss`` J, and energy ``created`` J >= 0."""

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
    """A motion in space: nodal ``position`` m, ``velocity`` m/s, ``acceleration`` m/s², (N, 2) inertial (a linear beam's
    deflections and slopes (n,)), and the ``frame``."""

    position: Array
    velocity: Array
    acceleration: Array
    frame: FrameMotion


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A run at one instant, immutable. ``motion`` in the system's unknowns, and the same ``in_space``; ``records`` of effects,
    friction and the system's own sources, in this order; ``sums``: time integrals of their ``rates``; ``work`` (n + 1, 3) J:
    external work, dissipation and numerical dissipation of each so far, the inertia's last; ``balance``: the generalised force on
    the body in the balance of the accelerations, without internal forces; ``kinetic_energy`` J; ``leapfrog``: variables of the
    explicit scheme; ``impacts`` of a rigid body with exact contacts so far; ``entry`` (Q, 2): normals at entry of the points in
    penalty contact; ``verdict``: the run's checks, up to the last few steps; ``unseen``: the state before the unchecked steps, then
    those steps."""

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
        """Energy stored in the body and its effects, J."""
        return float(sum(r.stored for r in self.records))
