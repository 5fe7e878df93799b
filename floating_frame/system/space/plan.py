"""A rigid body in space and its effects as arrays and records, for the compiled step (see ``kernels``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from floating_frame.coefficients import Scheme
from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.tunnelling import clear_paths
from floating_frame.effect.protocol import Record
from floating_frame.frame.kinematics import Array
from floating_frame.loads.load_assembly import AssembledLoads
from floating_frame.system.rigid.kernels.records import Course, Fields
from floating_frame.system.rows import Numbers
from floating_frame.system.space.body import SpacePoints
from floating_frame.system.space.kernels import body as kernels
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.body import Body, Scratch, Tables
from floating_frame.system.space.stage import filled, load_row, obstacle_rows, write_loads
from floating_frame.system.space.system import SpaceRigidSystem
from floating_frame.system.stages import blocks_of, stages_of
from floating_frame.system.state import State


class SpacePlan:
    """A ``system`` in the steps of a ``scheme``, under the ``loads`` of its first effects, for the compiled step: see
    ``RigidPlan``. ``follows``: mask of the followers among the loads."""

    cuts, nodes = True, np.zeros((0, 3))

    def __init__(
        self, system: SpaceRigidSystem, scheme: Scheme, loads: AssembledLoads, follows: NDArray[np.bool_]
    ) -> None:
        self.system, self._nodes, self._loads = system, scheme.nodes, loads
        acting, S, P = system.acting, scheme.stages, system.points()
        lag = np.diagonal(scheme.velocity - scheme.position, 1)
        self._lags = lag if np.any(lag) else lag[:0]
        self.scheme = scheme._replace(lands=False)
        self._followers = next((k for k, points in acting.loads if points.follow), 0)
        self.loads, m = len(system.effects), len(system.contacts.reference)
        number = len(system.effects)
        self.densities = tuple(range(number - len(system.pressed), number))
        self.bristle_sources = tuple(k for k in self.densities if system.effects[k].initial() is not None)
        self.work = stages_of(S, 6, len(system.sources), flat=False)
        self._scratch = Scratch(
            points=P,
            base=system.base.copy(),
            fields=np.zeros((S + 1, m, 9)),
            table=acting.table,
            blocks=acting.blocks,
            densities=np.zeros((S + 1, sum(len(e.weights) for e in system.pressed), 2)),
            bristles=np.zeros((S + 1, acting.layout.bristles[-1], 2)),
            surface=acting.surface,
            effects=acting.effects,
            response=np.zeros((len(P), len(P))),
            gap=np.zeros((2, len(P))),
            chosen=np.zeros(len(P), np.int8),
            at=np.zeros(1, np.int64),
            body=acting.body,
            stage=filled(rec.STAGE),
            linear=filled(rec.LINEAR),
            python=acting.python,
        )
        self.work.mixed[len(system.effects) :] = False
        for k, _ in acting.loads:
            self.work.power[:, k, 0] = np.nan  # all the work that they do
        self._each = np.zeros((len(follows), 19))
        for k, points in acting.loads:
            chosen = np.flatnonzero(follows if k else ~follows)
            for row, X in zip(chosen, points.X, strict=True):
                self._each[row] = load_row(loads.forces[row, None], SpacePoints(X, follow=points.follow))

    def begin(self, state: State, ends: Array, course: Course, fields: Fields, rows: Numbers) -> Body:
        """Body in steps from a state to ``ends`` (K,) s."""
        tables = self._tables(np.array([state.time, *ends[:-1]]), ends)
        return self.system.compiled(tables, self._scratch, course, fields, rows, self._followers, False)

    def clear_steps(self, before: State, times: Array, course: Course) -> int:
        """Number of first steps to ``times`` in which no point crosses an obstacle, of a ``course`` with its start."""
        span, clear, nodes = np.array([before.time, *times]), np.ones(len(times), np.bool_), self.system.nodes
        for obstacle, places in self._places(course.place[: len(span)]):
            if not (obstacle.level or obstacle.steady):
                clear &= clear_paths(obstacle, places, span, nodes.radius)
        return int(np.argmin(clear)) if not clear.all() else len(clear)

    def _places(self, place: Array, first: int = 0) -> Iterator[tuple[Obstacle, Array]]:
        """Obstacles from the ``first`` on, exact contacts before penalties, and the places (K, P, 3) m of their points, of rows of
        a course."""
        x, Q = blocks_of(place, (np.zeros(3), np.zeros((3, 3))))
        for obstacle, part in self.system.nodes.groups[first:]:
            yield obstacle, x[:, None] + self.system.nodes.reference_centres[part] @ Q.swapaxes(1, 2)

    @property
    def last(self) -> int:
        """Row of the fields in which the last step has ended."""
        return int(self._scratch.at[0])

    @property
    def step_records(self) -> dict[int, list[tuple[Record, tuple[Array, ...]]]]:
        """No records: no effect is Python."""
        return {}

    def own(self, state: State, force: Array) -> tuple[Record, ...]:
        """Records of the body's own sources at the end of steps from a state."""
        return self.system.own(state.time, state.motion)

    def numbers(self, state: State) -> list[float]:
        """Entries of the course's ``numbers`` for a state."""
        return [state.kinetic_energy, self.system.painleve(state), *[0.0] * (kernels.NUMBERS - 2)]

    def diagnostics(self, times: Array, course: Course) -> tuple[Array, Array, dict[str, Array]]:
        """Kinetic energies (K,), drifts (K, 2) and diagnostics at the ends of steps: see ``Rows`` and ``Batch``."""
        configuration, numbers = blocks_of(course.place, (np.zeros(3), np.zeros((3, 3)))), course.numbers
        drift = np.stack([numbers[:, kernels.DRIFT], np.zeros(len(times))], axis=1)
        depth = np.zeros(len(times))
        for obstacle, places in self._places(course.place, len(self.system.contacts.obstacles)):
            depth = np.maximum(depth, self.system.nodes.radius - obstacle.gaps(places, times).min(axis=1))
        return (
            numbers[:, kernels.KINETIC],
            drift,
            self.system.turning_diagnostics(configuration, course.rates[:, 3:], times)
            | {
                "dead_load": np.abs(course.force[:, 0, :3]).sum(axis=1),
                "free": np.asarray(~course.force.any(axis=(1, 2))),
                "painleve": numbers[:, kernels.PAINLEVE],
                "presses": (numbers[:, kernels.PRESSES] > 0.0) | (depth > 0.0),
                "penalty_penetration": depth,
            },
        )

    def _tables(self, starts: Array, ends: Array) -> Tables:
        """Time-dependent data of the steps between instants (K,) s."""
        lengths = ends - starts
        inner = [ends if node == 1.0 else starts + node * lengths for node in self._nodes]
        columns = [starts, *inner, *(t + lag * lengths for t, lag in zip(inner, self._lags, strict=False))]
        times = np.stack(columns, axis=1)
        tables = np.zeros((len(ends), 1 + len(inner)), rec.LOADS)
        for s, now in enumerate(columns[: 1 + len(inner)]):
            value = self._loads.separable_values(now, left=s > 0)
            write_loads(np.column_stack([value @ self._each[:, :18], np.abs(value) @ self._each[:, 18]]), tables[:, s])
        obstacles = self.system.contacts.obstacles
        ground = over_time(lambda t: obstacle_rows(obstacles, t), times, not any(o.motion.moves for o in obstacles))
        return Tables(lengths, tables, ground, self.system.acting.layout.time_data(times[:, : 1 + len(inner)]))


def over_time(rows: Callable[[float], Array], times: Array, still: bool) -> Array:
    """``rows`` at each of the times (K, C), (K, C, …); (1, C, …) where they are ``still``."""
    if still:
        return np.repeat(rows(float(times[0, 0]))[None, None], times.shape[1], axis=1)
    return np.array([[rows(t) for t in row] for row in times.tolist()])
