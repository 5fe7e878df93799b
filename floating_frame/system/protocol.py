"""The interface of mechanical systems for steps, and their records. A system knows no scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, Self

import numpy as np

from fem.area_rule import AreaRule
from floating_frame.effect.protocol import (
    Blocks,
    Effect,
    Friction,
    FrictionProblem,
    Inclusion,
    Internal,
    Mask,
    Motion,
    Record,
    Source,
    StageEffect,
    axpy,
    pair,
    scaled,
)
from floating_frame.frame.kinematics import Array
from floating_frame.system.rows import Rows
from floating_frame.system.state import Counts, InSpace, State
from friction.arrays import nonzero_rows
from friction.status import SLIP, STICK

Fields = dict[str, np.ndarray]
Diagnostics = dict[str, np.ndarray | float]
Series = dict[str, np.ndarray | float]
"""Constant values, and values at one instant, by the names of ``output.variables``."""


class StageHistory(NamedTuple):
    """Data of a stage that ends at ``time`` s, from the step's start and earlier stages.

    ``configuration`` x* and ``velocity`` v*: x = x* + τ_x v, v = v* + τ_v a (τ_v infinite: no inertia). On a group of rotations
    x is retract(``origin``, ``increment`` + τ_x v) instead, one exponential. ``theta``: weight of the stage's own mixed forces;
    ``start_force``: weighted forces of the step's start (θ schemes), zero otherwise. ``effects`` and ``friction`` in this
    stage; ``internal``: z* of all effects, the friction's last; ``balance``: forces on the body at the step's start, without
    inertia and internal forces."""

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
    balance: Blocks
    origin: Blocks
    increment: Blocks


class Guess(NamedTuple):
    """Initial guess of a stage; ``unilateral`` (m, 2) N: forces of exact contacts."""

    velocity: Blocks
    acceleration: Blocks
    multiplier: Array
    unilateral: Array | None = None


class Stage(NamedTuple):
    """A solved stage of the friction ``problem``. ``own``: records of the system's own sources; the step adds ``records`` (effects,
    friction, own)."""

    motion: Motion
    friction: Friction
    problem: FrictionProblem
    own: tuple[Record, ...]
    counts: Counts
    records: tuple[Record, ...] = ()


class Partial(NamedTuple):
    """An unfinished step: start, length s, coefficients (S + 1,) of the configuration at its end, weights b (S,), stages so far."""

    state: State
    dt: float
    position: Array
    weights: Array
    stages: list[Stage]


class Consistent(NamedTuple):
    """Accelerations and multipliers of the continuous problem at one instant, and records of the system's own sources."""

    motion: Motion
    friction: Friction
    own: tuple[Record, ...]


def friction_at(slip: Array, multiplier: Array, force: Blocks) -> Friction:
    """Friction of points that slide unless their ``slip`` velocity (N, 2), m/s, is exactly zero."""
    return Friction(slip, multiplier, np.where(nonzero_rows(slip), SLIP, STICK).astype(np.int8), force)


def largest_share(parts: Array, scale: Array, noise: Array) -> Array:
    """Largest of some ``parts`` (..., n) over their ``scale``, (...); 0 where the scale is not above the ``noise``."""
    return np.asarray(np.where(scale > noise, parts / np.where(scale > noise, scale, 1.0), 0.0).max(axis=-1))


def contact_diagnostics(after: State, outline: float, penalty: float, paths: float) -> Diagnostics:
    """Diagnostics of contacts in space at a step's end: ``presses``, 1 if any point does, and penetrations, m: of the ``outline``,
    which has no contact, of points in ``penalty`` contact, and on ``paths`` within the step."""
    return {
        "presses": bool(np.any(after.multiplier[:, 2] < 0.0)) or penalty > 0.0,
        "outline_penetration": outline,
        "penalty_penetration": penalty,
        "path_penetration": paths,
    }


class Results(Protocol):
    """Results of a system for output, verdict and error control.

    ``groups`` of further series (``variables.GROUPS``); ``notes``: further attributes of series, by name; ``quadratures``: rules of
    friction on an area, the finer one for its error; ``turns_freely``: only its sources act against a rotation in the plane;
    ``dimension`` 2 or 3, see ``variables.MOTIONS``; ``principal_moments`` of inertia (3,), kg m², rising, of a rigid body in space,
    (0,) of others.
    """

    groups: tuple[str, ...] = ()
    notes: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType({})
    quadratures: tuple[AreaRule, ...] = ()
    turns_freely: bool = True
    dimension: int = 2
    principal_moments: Array = np.zeros(0)

    @property
    def scales(self) -> tuple[float, float, float]:
        """Largest stiffness of a node, N/m, mass, kg, and moment of inertia about the mass centre, kg m²: scales of forces."""

    @property
    def friction_mass(self) -> Array:
        """Mass (N,), kg, of each friction point, for error control."""
        raise TypeError(f"the steps of {type(self).__name__} are not chosen by their error")

    def reference(self) -> Fields:
        """Constant variables: X and cells of the points of the results, and their bounds."""

    def series(self, state: State, step: float) -> Series:
        """Motion at one instant by name; ``step`` s: length of the last step."""
        raise TypeError(f"the series of {type(self).__name__} are made of rows: see series_of")

    def at_points(self, series: Series) -> Series:
        """All series at the points of the results."""
        return series

    def series_of(self, rows: Rows, ledger: Series) -> Series:
        """Series (K, …) at the ends of steps, with those of the ``ledger``."""
        each = []
        for k, length in enumerate(rows.lengths.tolist()):
            values_at = {name: np.asarray(values)[k] for name, values in ledger.items()}
            each.append(self.at_points(self.series(rows.state(k), length) | values_at))
        return {name: np.stack([series[name] for series in each]) for name in each[0]}

    def diagnostics_of(self, rows: Rows) -> dict[str, Array]:
        """``diagnostics`` (K, …) of steps."""
        each = [self.diagnostics(before, after) for before, after in rows.pairs()]
        return {name: np.array([values[name] for values in each]) for name in each[0]}

    def wrenches(self, force: Blocks, rows: Rows) -> Array:
        """(F_x, F_y, M_z about x0) (K, 3), N, N, N m, of generalised forces (K, …) at the ends of steps, of a body that contacts
        may touch in the plane."""
        raise TypeError(f"the contacts of {type(self).__name__} are not in the plane")

    def acceleration_by(self, state: State, force: Array) -> float:
        """Largest acceleration, m/s², of a point of the body under nodal forces (N, 2), N, for error control."""
        raise TypeError(f"the steps of {type(self).__name__} are not chosen by their error")

    def diagnostics(self, before: State, after: State) -> Diagnostics:
        """Diagnostics of a step between two states, or of one instant, by name, for the verdict.

        Strains by the names of ``limits.STRAINS``; ``spin_momentum`` (1,), in space (3,), kg m²/s: the angular momentum about the
        mass centre of a body that turns freely; ``turn_rate``: angular velocity, rad/s. In space ``painleve`` 1/kg: the least
        W_nn − μ W_nt·n̂ of points that slide and press; of a solid the ``face_penetration`` m between its nodes; of a rigid body
        ``spin_energy`` ½ h·Ω, J; of all bodies ``contact_diagnostics``."""


class System(Protocol):
    """A mechanical system with smooth ``effects`` on its points and ``friction`` on a foundation, with defaults common to bodies.
    ``sources`` of records, in order: effects, friction, and its own; ``constant_mass``: nodes move by the scheme's formulas, so
    that the inertia's numerical dissipation is its quadratic form; ``results``: for output, verdict and error control."""

    effects: tuple[Effect, ...]
    friction: Inclusion
    sources: tuple[Source, ...]
    constant_mass: bool = True
    results: Results

    def in_space(self, time: float, motion: Motion) -> InSpace:
        """Motion at an instant in space."""

    def initial_motion(self) -> Motion:
        """Motion at t = 0, without accelerations."""

    def begin(self, state: State, end: float, *, inertia: bool, lands: bool) -> Self:
        """System of the step from a state to ``end`` s, with its data at the start; workspaces are reset. ``lands``: points may
        land in the step. Without ``inertia`` raises Unsolved (LimitLoad) where friction cannot hold the load."""
        return self

    def ground_rates(self, ground: Array) -> Blocks:
        """Generalised velocity of a body at rest on ground of velocity (2,), m/s."""

    def slip(self, time: float, motion: Motion, ground: Array) -> Array:
        """Slip velocities (N, 2), m/s, of the friction points at an instant on ground of velocity (2,), m/s."""

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        """Records of its own sources at an instant, without stored energies."""
        return ()

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        """Energies, J, stored in its own sources. Raises Unsolved (InvertedElement)."""
        return ()

    def solve_stage(
        self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None
    ) -> Stage | None:
        """Solve the balance and the friction of a stage with this ``history`` from a ``guess``; None for a landing that the step
        excludes. ``reference`` (N, 2), m/s: slip velocity against which points count as reversed; ``fixed``: groups fixed to the
        ground. Raises errors that a shorter step may avoid: see ``substeps.FAILURES``."""
        raise TypeError(f"the stages of {type(self).__name__} are a part of its compiled step")

    def apply_mass(self, acceleration: Blocks) -> Blocks:
        """M a."""

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        """Accelerations and multipliers of the continuous problem at one instant."""

    def retract(self, configuration: Blocks, increment: Blocks) -> Blocks:
        """Configuration after an ``increment``: their sum, but for rotations in space."""
        return axpy(configuration, 1.0, increment)

    def friction_arms(self, motion: Motion) -> Array:
        """Positions (N, 2), m, of the friction points from the centre of mass, in space."""
        raise TypeError(f"the pressure under {type(self).__name__} does not react to friction")

    def increment_rate(self, start: Motion, motion: Motion) -> Blocks:
        """Rate of the increment from ``start`` to a motion: its velocity, but for rotations in space."""
        return motion.velocity

    def momentum(self, motion: Motion) -> Blocks:
        """Momenta, with the rates ``Motion.acceleration``: the velocity, but for rotations in space."""
        return motion.velocity

    def at_rest(self, motion: Motion) -> Consistent:
        """An instant without inertia and friction, the start of increments of equilibrium."""
        none = np.zeros_like(self.slip(0.0, motion, np.zeros(2)))
        friction = friction_at(none, none, scaled(0.0, motion.velocity))
        return Consistent(motion, friction, self.own(0.0, motion))

    def predict(self, history: StageHistory, partial: Partial) -> Guess:
        """Initial guess of a stage: the last velocities and multipliers."""
        last = partial.stages[-1] if partial.stages else partial.state
        _, velocity, acceleration = last.motion
        return Guess(velocity, acceleration, last.friction.multiplier, partial.state.records[-1].multiplier)

    def reversing(self, history: StageHistory, partial: Partial, stage: Stage, reference: Array) -> Mask:
        """Mask of groups, points or the whole body, that the stage throws backwards and the guard may fix."""
        return self.friction.reversing(stage.friction, reference)

    def beyond_bound(self, history: StageHistory, mean: Array, fixed: Mask) -> Mask:
        """Mask of the ``fixed`` groups at which the ``mean`` multiplier (N, 2), N, over the step exceeds the bound."""
        return self.friction.beyond_bound(history.friction, mean, fixed)

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """Motion at the step's end with the frame of its condition, and its drift."""
        return partial.stages[-1].motion, Counts()


def effects_at(effects: Sequence[Effect], time: float, internal: Internal, *, left: bool) -> list[StageEffect]:
    """Effects at one instant, at a break one of the limits."""
    return [e.for_stage(time, z, 0.0, left=left) for e, z in zip(effects, internal, strict=False)]


def applied(
    effects: Sequence[Effect], acting: Sequence[StageEffect], configuration: Blocks, velocity: Blocks
) -> Blocks:
    """Generalised force of all effects."""
    total = scaled(0.0, velocity)
    for effect, now in zip(effects, acting, strict=True):
        points = effect.points
        at = now.at(points.place(configuration), points.velocity(configuration, velocity))
        total = axpy(total, 1.0, points.pull(configuration, at.force))
    return total


def kinetic_energy(system: System, motion: Motion) -> float:
    """½ ⟨v, p⟩, J, with the momenta p: ½ ⟨v, M v⟩, but for rotations in space."""
    return 0.5 * pair(motion.velocity, system.apply_mass(system.momentum(motion)))
