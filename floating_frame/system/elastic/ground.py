"""Supports of an elastic body's nodes, the interface to its system: friction under given pressure, obstacles, a clamp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.obstacles import Obstacle
from floating_frame.effect.protocol import Effect, Friction, Inclusion, Mask, Motion, Record, Source
from floating_frame.frame.kinematics import Array, FloatingFrame
from floating_frame.system.elastic.arc_predictor import ArcPredictor
from floating_frame.system.elastic.blocks import on_nodes
from floating_frame.system.elastic.equilibrium import ElasticStage
from floating_frame.system.protocol import Guess, Series, Stage, StageHistory
from floating_frame.system.state import Counts, State


class NodalSolution(NamedTuple):
    """Nodal velocity (N, d), space, of a solved stage (of an instant: acceleration), exactly the ground's where nodes stick;
    friction and counts.

    ``contact_force`` (N, d) N: nodal force besides loads, effects and friction; ``internal`` (N, d) N,
    ``acceleration`` (N, d) m/s², space: None where they follow from the velocity; ``frame`` of a clamped body. ``own``: records of
    the ground's ``sources``."""

    velocity: Array
    friction: Friction
    counts: Counts
    own: tuple[Record, ...] = ()
    frame: FloatingFrame | None = None
    contact_force: Array | None = None
    internal: Array | None = None
    acceleration: Array | None = None


class Ground(Protocol):
    """Supports of an elastic body's nodes: solves its stages and instants."""

    nodes: NDArray[np.intp]
    """Nodes (m,) that may touch, one after the other for each obstacle."""
    friction: Inclusion
    """Friction for the step and the ledger."""
    unknown_pressure: bool = False
    """True if its normal forces are unknowns."""
    constant_mass: bool = True
    """See ``System.constant_mass``."""
    sources: tuple[Source, ...] = ()
    """Its own sources, in the order of its records, without stored energies."""
    symmetric: bool = False
    """True if its factor takes only symmetric matrices."""
    iterates: bool = False
    """True: stages iterate to convergence, as each pass freezes some forces."""

    @property
    def contact_pairs(self) -> list[tuple[Obstacle, NDArray[np.intp]]]:
        """Obstacles with the nodes that may touch them."""
        return []

    @property
    def room(self) -> Array | None:
        """Workspace (nnz,) of stage matrices on the body's own nodes, or None."""
        return None

    def check_limit(self, effects: Sequence[Effect], state: State, end: float) -> None:
        """Raise Unsolved (LimitLoad) where it cannot hold the body, without inertia, under the loads at ``end`` s."""
        return

    def begin(self, times: tuple[float, float], motion: Motion, friction: Friction, *, lands: bool) -> Self:
        """Discard the factor; return the ground with the contacts at the start of a step between two times, s."""

    def for_stage(self, history: StageHistory, guess: Guess) -> Self:
        """Ground of one stage, which may store results of its passes."""
        return self

    def arc(self, time: float, friction: Friction, arms: Array) -> ArcPredictor | None:
        """Arcs of nodes with ``arms`` (N, d) m under a ``friction``, at the step's start; None where all paths are straight."""

    def axes(self, Q: Array) -> Array:
        """Axes (d, d) of stages with a frame turned by ``Q``."""

    def slip(self, velocity: Array, ground: Array) -> Array:
        """Slip velocities of the friction points at nodal v (N, d) m/s on ground of velocity (2,) m/s."""

    def predicted_velocity(self, history: StageHistory, last: State | Stage, velocity: Array) -> Array:
        """Nodal velocity (N, d) m/s to start a stage's solver from, by the ``last`` one."""
        return velocity

    def allows_rigid_start(self, friction: Friction) -> bool:
        """True if nodes may start at their positions in a long step's predicted frame."""
        return True

    def solve(
        self, stage: ElasticStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None
    ) -> NodalSolution | None:
        """Solve a stage from nodal v (N, d), space, and λ; ``reference``, ``fixed`` as in ``System.solve_stage``."""

    def update_contacts(self, velocity: Array) -> bool:
        """Update contacts for nodal velocities (N, d), space; True where another pass would have the same contact forces."""
        return True

    def instant(
        self,
        time: float,
        force: Array,
        motion: Motion,
        friction: tuple[Inclusion, Array | None],
        *,
        left: bool,
    ) -> NodalSolution:
        """Accelerations and friction under the nodal ``force`` (N, d) N, space, without the ground's; ``friction`` with its
        internal state."""

    def zero_records(self, motion: Motion) -> tuple[Record, ...]:
        """Records of its ``sources`` with zero forces."""
        return tuple(Record(on_nodes(np.zeros_like(motion.configuration[0])), mixed=False) for _ in self.sources)

    def project(self, x: Array, time: float, friction: Friction) -> Array:
        """Nodal x (N, d) m at a step's end, nodes in persistent contact projected on the ground."""
        return x

    def series(self, state: State) -> Series:
        """Contact and friction series of all nodes of a solid, by name."""
        return {}
