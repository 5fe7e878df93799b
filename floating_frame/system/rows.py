"""Ends of steps as rows of arrays (K, …), K >= 1, for the series of a trajectory and the verdict."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact_points import ContactPoints
from floating_frame.effect.protocol import Blocks, Motion, Source
from floating_frame.frame.kinematics import Array
from floating_frame.system.state import ImpactRecord, State

Numbers = NDArray[np.intp]
"""Numbers of steps of a batch, from 0."""


MAX_STATES, MAX_BYTES, ARRAYS_PER_STATE = 64, 1 << 25, 40
"""Limits of single steps in one block of rows: number, or about the bytes of states with these numbers of fields."""


def together(state: State) -> int:
    """Number of steps from a state in one block of rows."""
    return min(max(MAX_BYTES // (ARRAYS_PER_STATE * state.position.nbytes + 1), 1), MAX_STATES)


class Ends(NamedTuple):
    """States at the ends of K steps, each array with a leading axis (K, …): ``motion`` and ``balance`` in the system's blocks; slip
    velocity, m/s, ``force`` −λ on the body, N, and status of the friction points; ``sums`` of the sources: see ``State``."""

    motion: Motion
    slip: Array
    force: Array
    status: NDArray[np.int8]
    sums: tuple[tuple[Array, ...], ...]
    balance: Blocks

    @property
    def of_nodes(self) -> tuple[Array, Array, Array]:
        """Nodal x m, v m/s, a m/s² (K, N, d) of an elastic body."""
        x, v, a = (blocks[0] for blocks in self.motion)
        return x, v, a

    @classmethod
    def of(cls, states: Sequence[State]) -> Ends:
        """Stack the states at the ends of some steps."""
        each = [
            (s.motion, s.friction.slip, -s.friction.multiplier, s.friction.status, s.sums, s.balance) for s in states
        ]
        motion, slip, force, status, sums, balance = (stacked(values) for values in zip(*each, strict=True))
        return cls(Motion(*motion), slip, force, status, sums, balance)


def stacked(values: Sequence[Any]) -> Any:
    """Arrays, or tuples of arrays, with a leading axis for the values."""
    if isinstance(values[0], tuple):
        return tuple(stacked(parts) for parts in zip(*values, strict=True))
    return np.stack(values)


@dataclass(frozen=True, kw_only=True)
class Rows(ABC):
    """Steps from the state ``before`` to ``times`` (K,) s, and their ends as arrays (K, …).

    ``lengths`` s: of the equal ``parts`` (K,) of which a row consists; ``work``, ``kinetic`` J as in ``State``; ``stored`` (K, n) J
    of the n sources; ``diagnostics`` (K, …): those of ``Results``, and ``dead_load`` N, the sum of the sizes of the dead loads with
    weight; ``free``: no load, friction or contact acts on the body; of contacts in the plane the sizes of their force,
    ``contact_force`` N, of exact ones in the mean of the step, and of penalties alone, ``contact_push`` N.
    """

    before: State
    times: Array
    lengths: Array
    parts: NDArray[np.int64]
    work: Array
    kinetic: Array
    stored: Array
    diagnostics: Mapping[str, Array] = field(default_factory=dict)

    @abstractmethod
    def state(self, k: int) -> State:
        """State at the end of a step."""

    @property
    def energy(self) -> Array:
        """Kinetic and stored energy (K,), J."""
        return np.asarray(self.kinetic + self.stored.sum(axis=1))

    @cached_property
    def ends(self) -> Ends:
        """The states as rows."""
        return Ends.of([self.state(k) for k in range(len(self.times))])

    def outputs(self, sources: Sequence[Source]) -> dict[str, Array]:
        """Series (K, …) of the sources' own, by name."""
        each = [
            {
                name: value
                for source, r in zip(sources, s.records, strict=True)
                for name, value in source.outputs(r).items()
            }
            for s in map(self.state, range(len(self.times)))
        ]
        return {name: np.stack([values[name] for values in each]) for name in each[0]}

    def forces(self, source: int) -> Blocks:
        """Generalised forces (K, …) of a source."""
        forces: Blocks = stacked([self.state(k).records[source].force for k in range(len(self.times))])
        return forces

    def internal(self, source: int) -> Array | None:
        """Internal states z (K, …) of a source; None without one."""
        states = [z for k in range(len(self.times)) if (z := self.state(k).records[source].internal) is not None]
        return np.stack(states) if states else None

    @property
    def impacts(self) -> list[ImpactRecord]:
        """Impacts of a rigid body so far."""
        return [self.state(k).impacts for k in range(len(self.times))]

    @property
    def states_with_start(self) -> list[State]:
        """States at the start and at the ends of the steps."""
        return [self.before, *map(self.state, range(len(self.times)))]

    def pairs(self) -> Iterator[tuple[State, State]]:
        """States at start and end of each step."""
        return itertools.pairwise(self.states_with_start)

    def points(self, at: ContactPoints) -> tuple[Array, Array]:
        """Positions, m, and velocities, m/s, of contact points (K + 1, P, d), at the start and at the ends of the steps."""
        states = self.states_with_start
        return np.array([at.at(s.position) for s in states]), np.array([at.at(s.velocity) for s in states])

    @property
    def poses(self) -> Array:
        """Position and angle (K + 1, 3) of the plane frame at the start and at the ends."""
        return np.array([s.frame.coordinates for s in self.states_with_start])

    def look(self, rows: Numbers) -> tuple[Array, Array, NDArray[np.bool_], float]:
        """Angles (K,) and rates (K, 3) of the plane frame at the ends of some steps, mask (K,) of steps with a sliding point, and
        the body's largest nodal speed, m/s."""
        states = [self.state(int(k)) for k in rows]
        angles, rates = np.array([s.frame.angle for s in states]), np.array([s.frame.rates for s in states])
        slides = np.array([bool(np.any(s.sliding)) for s in states])
        return angles, rates, slides, max(float(np.abs(s.velocity).max()) for s in states)


class OneStep(NamedTuple):
    """``parts`` equal steps of a ``length``, s, to the state ``after``."""

    after: State
    length: float
    parts: int = 1


@dataclass(frozen=True, kw_only=True)
class SingleSteps(Rows):
    """Steps taken one by one to ``states``."""

    states: tuple[State, ...]

    @classmethod
    def of(cls, before: State, steps: Sequence[OneStep]) -> SingleSteps:
        """Make rows of some steps from the state ``before``, without diagnostics."""
        states = tuple(step.after for step in steps)
        return cls(
            before=before,
            states=states,
            times=np.array([s.time for s in states]),
            lengths=np.array([step.length for step in steps]),
            parts=np.array([step.parts for step in steps]),
            work=np.stack([s.work for s in states]),
            kinetic=np.array([s.kinetic_energy for s in states]),
            stored=np.array([[record.stored for record in s.records] for s in states]),
        )

    def state(self, k: int) -> State:
        return self.states[k]
