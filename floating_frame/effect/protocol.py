"""Actions on a body in a step: protocols of effects, and their records for the energy ledger.

Generalised vectors are tuples of arrays, one array per kind of unknown: (q,) of a rigid body, (d,) of a linear beam, (x, x0,
attitude) of an elastic body. Forces are their duals, so that ⟨force, velocity⟩ is a power in W for every system.

An *effect* is a function of the places x and velocities v of its own points: loads, springs, penalty contacts. The force of an
*inclusion* (friction on the foundation, exact contact) is an unknown of the stage: it gives law and bounds to the stage solver and
makes its record from the solution. Both may have an internal state z (bristles), advanced like positions: a stage inherits z* and
ends at z_s with the rate (z_s − z*)/τ. Evaluating residuals changes no state."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array
from friction import Law
from friction.status import REVERSED
from friction.stick import exceeds_stick

Mask = NDArray[np.bool_]
Blocks = tuple[Array, ...]
Internal = Sequence[Array | None]
"""Internal states z of all effects and, last, the friction; None without one."""


def axpy(x: Blocks, c: float, y: Blocks) -> Blocks:
    """Linear combination x + c y, block by block."""
    return tuple([a + c * b for a, b in zip(x, y, strict=True)])


def scaled(c: float, x: Blocks) -> Blocks:
    """Product c x, block by block."""
    return tuple([c * a for a in x])


def pair(force: Blocks, velocity: Blocks) -> float:
    """Power ⟨force, velocity⟩, W."""
    total = 0.0
    for a, b in zip(force, velocity, strict=True):
        total += float(np.vdot(a, b))
    return total


class Motion(NamedTuple):
    """Generalised ``configuration``, ``velocity``, ``acceleration`` of a system at one instant."""

    configuration: Blocks
    velocity: Blocks
    acceleration: Blocks


class PointForce(NamedTuple):
    """Force on the body at an effect's P points, inertial axes.

    ``force`` (P, 2), N; its derivatives ``by_place`` and ``by_velocity`` (P, 2, 2), N/m and N s/m, or by the groups of points of a
    ``PointMap``; None: without a tangent.
    """

    force: Array
    by_place: Array | None = None
    by_velocity: Array | None = None


class Record(NamedTuple):
    """Force, powers and internal state of one source at an instant or at the end of a stage, for the ledger.

    ``force``: generalised, on the body. External power, W: ``external`` (None: all the power of the force, as of dead loads), or
    the power of a ``driving`` force at the working velocity (clamp). ``dissipated`` W; ``stored`` J at this instant, left limit;
    ``internal``, ``internal_rate``: z and its rate in the stage; ``rates``: densities at points, whose time integrals the state
    keeps; ``mixed``: θ schemes mix the force with the one at the step's start (not a multiplier's); ``multiplier``: of an
    inclusion, for the next stage to start from.
    """

    force: Blocks
    external: float | None = 0.0
    dissipated: float = 0.0
    stored: float = 0.0
    internal: Array | None = None
    internal_rate: Array | None = None
    rates: tuple[Array, ...] = ()
    mixed: bool = True
    multiplier: Array | None = None
    driving: Blocks = ()

    def given(self, power: float, velocity: Blocks) -> float:
        """External power, W, at a working ``velocity``; ``power`` W of the force at it."""
        if self.driving:
            return pair(self.driving, velocity)
        return power if self.external is None else self.external


STRAIN = "strain"
"""Name of the source of a deformable body's internal forces."""


class Instant(NamedTuple):
    """Time, motion and record of one source at an end of a step."""

    time: float
    motion: Motion
    record: Record


class Source(Protocol):
    """Source of records: an effect, the friction, or a part of the system (its strain, the reaction of a clamp).

    ``name`` in the results; ``dissipates``: account of its dissipation, "friction", "contact", "impact" or "viscous"; ``results``:
    groups of series stored for it, see ``System.results``.
    """

    name: str
    dissipates: str = "viscous"
    results: tuple[str, ...] = ()

    def in_resultant(self, *, own: bool) -> bool:
        """True if its force counts in the resultant on the body: an internal force does not. ``own``: at the stage's end, else the
        part that θ schemes mix in from the start, at another position."""
        return True

    def explicit_work(self, before: Instant, after: Instant) -> float:
        """Change of stored energy over a step, J, by explicit time dependence at fixed configuration and internal state."""
        return 0.0

    def outputs(self, record: Record) -> Mapping[str, Array | float]:
        """Series in the trajectory, by name; none for sums over the body."""
        return {}


class OwnSource(Source):
    """Source within a system, by ``name``; ``resultant``: its force counts in the resultant, at the end and as mixed in from the
    start; ``series``: record -> series in the trajectory; ``explicit_work``: see ``Source``."""

    def __init__(
        self,
        name: str,
        *,
        resultant: tuple[bool, bool] = (True, True),
        dissipates: str = "viscous",
        results: tuple[str, ...] = (),
        series: Callable[[Record], Mapping[str, Array | float]] = lambda record: {},
        explicit_work: Callable[[Instant, Instant], float] = lambda before, after: 0.0,
    ) -> None:
        self.name, self._resultant, self.dissipates, self.results = name, resultant, dissipates, results
        self._series, self._explicit_work = series, explicit_work

    def explicit_work(self, before: Instant, after: Instant) -> float:
        return self._explicit_work(before, after)

    def outputs(self, record: Record) -> Mapping[str, Array | float]:
        return self._series(record)

    def in_resultant(self, *, own: bool) -> bool:
        return self._resultant[0 if own else 1]


class PointMap(Protocol):
    """Material points of a system on which an effect acts."""

    def place(self, configuration: Blocks) -> Array:
        """x (P, d), m, inertial."""

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        """v (P, d), m/s, inertial."""

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        """Generalised force Gᵀ F of point forces F (P, 2), N."""


class Attached(NamedTuple):
    """Points of a body by name or place: ``reference`` X (P, 2), m, and ``shares`` (P,) of an edge's total."""

    points: PointMap
    reference: Array
    shares: Array


class Attachable(Protocol):
    """A user's effect, such as a spring, on points of a body given by an edge's name or a place."""

    @property
    def at(self) -> str | Sequence[float]:
        """An edge, by name, or a material point (X, Y), m."""

    def on(self, attached: Attached) -> Effect:
        """Effect on these points."""


class StageEffect(Protocol):
    """An effect within one stage (τ > 0), or at one instant (τ = 0): pure functions of x and v (P, 2) of its points."""

    def at(self, x: Array, v: Array) -> PointForce:
        """Force and its derivatives by x and v."""

    def record(self, x: Array, v: Array, force: Blocks) -> Record:
        """Record of the effect at x, v, whose generalised force is ``force``."""


Points = TypeVar("Points", bound=PointMap)


class Effect(Source, Protocol[Points]):
    """Smooth force on points of a system; the defaults are those of an effect without internal state z.

    ``points``: on which it acts; ``constant``: the force depends on time alone and is evaluated once a stage; ``may_jump``: a long
    step may have no solution, so that a solver gives up early; ``holds``: it fixes its points, so that a body may be in equilibrium
    under loads beyond friction; ``rubs``: friction is a part of it.
    """

    points: Points
    constant: bool = False
    may_jump: bool = False
    holds: bool = False
    rubs: bool = False

    def initial(self) -> Array | None:
        """z at t = 0; None without an internal state."""
        return None

    def rate(self, time: float, internal: Array, x: Array, v: Array) -> Array:
        """Rate z' at a step's start, right limit."""
        return np.zeros_like(internal)

    def inherited(self, internal: Array, earlier: Sequence[Record]) -> Array:
        """Inherited state z* after the ``earlier`` stages of the step: the scheme's value, but for resets."""
        return internal

    @abstractmethod
    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> StageEffect:
        """Effect in a stage of length ``tau`` s that ends at ``time`` s, from z* = ``internal``.

        At a break of its data, with the ``left`` or the right limit.
        """


class FrictionProblem(NamedTuple):
    """Friction data of a stage for its solver.

    ``law`` of the stage (totals shared, with bristles) and ``shared``, the same without the stage's bristles; ``bound`` w (N,), N;
    the ``ground``'s velocity v_g (2,), m/s.
    """

    law: Law
    shared: Law
    bound: Array
    ground: Array


class Impact(NamedTuple):
    """Impulses of ``points`` (m,) that close a contact within the step: their part of the generalised ``force`` and of ``driven``
    W, and their dissipation ``lost``, W: −f·(u⁻ + u⁺)/2, u⁻ at the step's start (Thomson & Tait), not below 0, for a landing
    without restitution creates no energy."""

    points: Mask
    force: Blocks
    driven: float
    lost: float


class Friction(NamedTuple):
    """Friction solution of a stage.

    ``slip`` velocity (N, 2), m/s, exactly 0 in stick; ``multiplier`` λ (N, 2), N; ``status`` (N,), codes of ``friction``; the
    generalised ``force`` −Gᵀλ on the body (at rest by the guard: the residual of its balance); ``driven``: power of moving
    obstacles, W; ``impact``: the part of points that close a contact.
    """

    slip: Array
    multiplier: Array
    status: NDArray[np.int8]
    force: Blocks
    driven: float = 0.0
    impact: Impact | None = None


class Inclusion(Source, Protocol):
    """Friction on the foundation by a ``law``, whose force is an unknown of the stage: every system has one.

    ``constant``, ``still``: bounds, and the ground's velocity, are constant in time; ``reacts``: friction redistributes the normal
    pressure, forces acting at a ``height``, m; ``translates``: the ground has one velocity, ``ground``."""

    law: Law
    constant: bool = True
    still: bool = True
    reacts: bool = False
    height: float = 0.0
    translates: bool = True

    def redistributed(self, time: float, arms: Array, multiplier: Array) -> Inclusion:
        """Friction under the pressure redistributed by λ (N, 2), N, or their sum (1, 2), at ``arms`` (N, 2), m, from the centre of
        mass."""
        return self

    def load(self, time: float) -> Array:
        """Given normal forces ∫ p_n φ dA (N,), N; at rest where the pressure reacts."""
        return np.zeros(0)

    def reaction_series(self, time: float, arms: Array, multiplier: Array) -> dict[str, Array | float]:
        """Normal forces (N,), N, where friction redistributes them."""
        return {}

    def initial(self) -> Array | None:
        """Undeformed bristles (N, 2), m; None for a law without memory."""
        return None

    def rate(self, time: float, internal: Array, slip: Array) -> Array:
        """Rate of the bristles (N, 2), m/s, at slip velocities (N, 2), m/s."""
        return np.zeros_like(internal)

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> FrictionProblem:
        """Friction problem of a stage (see ``Effect.for_stage``)."""

    def bound(self, time: float, *, left: bool = True) -> Array:
        """Bounds w (N,), N, of all friction points at ``time`` s; at a break one of the limits (t = 0: the right)."""

    def bound_at(self, points: Array, areas: Array, time: float, *, left: bool = True) -> Array:
        """Bounds w of any ``points`` X (N, 2), m, with ``areas`` (N,), m²."""

    def ground(self, time: float, *, left: bool = True) -> Array:
        """v_g (2,), m/s, inertial, at ``time`` s."""
        return np.zeros(2)

    def ground_acceleration(self, time: float, *, left: bool = True) -> Array:
        """v_g' (2,), m/s²."""
        return np.zeros(2)

    def sliding(self, problem: FrictionProblem, slip: Array, multiplier: Array) -> Array:
        """λ (N, 2), N, at slip velocities (N, 2), m/s, none zero, in a stage solved with a ``multiplier``."""
        return problem.law.force(slip, problem.bound)

    def reversing(self, friction: Friction, reference: Array) -> Mask:
        """Mask of the points whose slip a stage reverses against the incoming slip ``reference`` (N, 2), m/s."""
        return np.asarray(friction.status == REVERSED)

    def beyond_bound(self, problem: FrictionProblem, mean: Array, fixed: Mask) -> Mask:
        """Mask of the ``fixed`` points at which the ``mean`` multiplier (N, 2), N, over a step exceeds the bound of stick."""
        return fixed & exceeds_stick(problem.shared, mean, problem.bound)

    def record(
        self, problem: FrictionProblem, internal: Array | None, tau: float, friction: Friction, ground: Blocks
    ) -> Record:
        """Record of a solved stage; ``ground``: the generalised velocity of a body at rest on the ground."""


def support_rigid_modes(
    effects: Sequence[Effect], time: float, configuration: Blocks, modes_at: Callable[[Array], Array]
) -> bool:
    """True if effects resist all rigid modes; ``modes_at``: places x (P, 2), m -> velocities (P, 2, n) there."""
    total: Array = np.zeros((1, 1))
    for effect in effects:
        if effect.holds:
            x = effect.points.place(configuration)
            slope, modes = effect.for_stage(time, None, 0.0).at(x, np.zeros_like(x)).by_place, modes_at(x)
            if slope is not None:
                total = total - np.einsum("qik,qij,qjl->kl", modes, slope, modes)
    values = np.linalg.eigvalsh(total)
    return bool(values[0] > 1e-9 * values[-1])
