"""The schema of a problem file: tables and keys of the TOML files of `problems/`, and its errors, one line each.

SI units. Numbers may be formulas of the parameters; loads are formulas of the time t besides. Lengths on a body are from its
centre of mass, in its position at t = 0 unless `initial` says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, model_validator

from cases.app.suite.formulas import Formula, formula, number
from friction.arrays import shown


def _context(info: ValidationInfo) -> Mapping[str, float]:
    known: Mapping[str, float] = (info.context or {}).get("parameters", {})
    return known


def _number(value: Any, info: ValidationInfo) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"expected a number or a formula of the parameters, got {shown(value)}")
    return number(value, _context(info))


def _formula_of(*variables: str) -> BeforeValidator:
    def read(value: Any, info: ValidationInfo) -> Formula:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            value = repr(value)
        if not isinstance(value, str):
            raise ValueError(f"expected a formula, got {value!r}")
        return formula(value, frozenset(variables), _context(info))

    return BeforeValidator(read)


Number = Annotated[float, BeforeValidator(_number)]
Positive = Annotated[float, BeforeValidator(_number), Field(gt=0)]
NotNegative = Annotated[float, BeforeValidator(_number), Field(ge=0)]
Pair: TypeAlias = tuple[Number, Number]
Triple: TypeAlias = tuple[Number, Number, Number]
InTime = Annotated[Any, _formula_of("t")]
InSpeed = Annotated[Any, _formula_of("speed")]
if TYPE_CHECKING:  # the kind of body determines the alternative
    Vector: TypeAlias = Any
    Spin: TypeAlias = Any
    Forces: TypeAlias = Any
else:
    Vector = tuple[Number, ...] | None
    Spin = Number | Triple | None
    Forces = tuple[InTime, ...] | None


class Table(BaseModel):
    """A table of a problem file: frozen, unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Block(Table):
    """A block that translates over the plane (x, y) without turning, pressed by the ground's `normal_force`."""

    kind: Literal["block"]
    mass: Positive


class Flat(Table):
    """A rigid body that lies flat on the plane: a disc, an annulus or (inner_radius = radius) a ring under uniform pressure."""

    kind: Literal["flat"]
    mass: Positive
    inertia: Positive
    radius: Positive
    inner_radius: NotNegative = 0.0


class Rigid(Table):
    """A rigid body in space, z up: with `feet`, points that may touch the ground z = 0, a ball of radius `ball`, a flat
    round `base` of that radius `height` below the centre of mass, or nothing that touches. `inertia`: principal moments."""

    kind: Literal["rigid"]
    mass: Positive
    inertia: tuple[Positive, Positive, Positive]
    feet: tuple[Triple, ...] = ()
    ball: Positive | None = None
    base: Positive | None = None
    height: Positive | None = None


class Profile(Table):
    """A rigid body in the vertical plane (x, y up) with `points` that may touch the ground y = 0."""

    kind: Literal["profile"]
    mass: Positive
    inertia: Positive
    points: tuple[Pair, ...]


class Bar(Table):
    """A straight elastic bar in one dimension (no lateral contraction): along x on rough ground, or along y above a hard
    floor."""

    kind: Literal["bar"]
    axis: Literal["x", "y"] = "x"
    length: Positive
    area: Positive
    density: Positive
    young: Positive


class Plate(Table):
    """A thin elastic plate: a rectangle `length` x `width`, or an annulus of `inner_radius` and `outer_radius`."""

    kind: Literal["plate"]
    length: Positive | None = None
    width: Positive | None = None
    inner_radius: Positive | None = None
    outer_radius: Positive | None = None
    thickness: Positive
    density: Positive
    young: Positive
    poisson: Number
    plane: Literal["stress", "strain"] = "stress"
    material: Literal["st-venant-kirchhoff", "small-strain"] = "small-strain"


class Beam(Table):
    """A slender elastic beam along x, simply supported at both ends, that bends in the plane it lies on."""

    kind: Literal["beam"]
    length: Positive
    width: Positive
    thickness: Positive
    density: Positive
    young: Positive


if TYPE_CHECKING:  # adapters have a function for each kind of body
    Body: TypeAlias = Any
else:
    Body = Annotated[Block | Flat | Rigid | Profile | Bar | Plate | Beam, Field(discriminator="kind")]


class Ground(Table):
    """The ground. `mu`: coefficient of friction, or a formula of the slip's `speed` m/s, at rest its value at speed 0;
    `normal_force`: total, N, uniform; left out: unknown, unilateral contact without adhesion;
    `velocity` of the ground; `restitution` by `restitution_law`: a ratio of velocities, impulses, or (its square) of works;
    `smooth`: named edges of a plate that glide along a wall."""

    mu: InSpeed
    normal_force: NotNegative | None = None
    velocity: tuple[InTime, InTime] | None = None
    restitution: NotNegative = 0.0
    restitution_law: Literal["newton", "poisson", "stronge"] = "newton"
    smooth: tuple[str, ...] = ()


if TYPE_CHECKING:
    OnGround: TypeAlias = Any
else:
    OnGround = Ground | None


class Load(Table):
    """A dead load: the total `force` N as formulas of t, at the centre of mass or uniform over a named edge `on` (of a bar
    one of its ends); or a `torque` N m as uniform tangential traction on the edge. `jumps`: where it jumps or kinks, s."""

    on: Literal["body", "left", "right", "top", "bottom", "inner"] = "body"
    force: Forces = None
    torque: InTime | None = None
    jumps: tuple[Number, ...] = ()


class Spring(Table):
    """A linear spring from the centre of mass to the fixed point (0, 0), where its force is zero."""

    stiffness: Positive


class Initial(Table):
    """Motion at t = 0. `position` of the centre of mass (left out: the origin, in space standing on the ground); `spin`: rad/s,
    in space three components in space axes; `stretch` s: u_x = s x of a plate."""

    position: Vector = None
    velocity: Vector = None
    spin: Spin = None
    stretch: Number = 0.0


class Time(Table):
    """The run ends at `end` s; signals are sampled `every` so many s."""

    end: Positive
    every: Positive

    @property
    def count(self) -> int:
        """Number of intervals between samples."""
        return round(self.end / self.every)

    @property
    def samples(self) -> np.ndarray:
        """Sampled instants (count + 1,) s."""
        return np.linspace(0.0, self.end, self.count + 1)

    @model_validator(mode="after")
    def _ends_on_a_sample(self) -> Self:
        if abs(self.count * self.every - self.end) > 1e-9 * self.end:
            raise ValueError(f"time: expected an end that is a multiple of every, got {self.end:g} and {self.every:g}")
        return self


class Reference(Table):
    """Source of the reference values. `function` of `cases.app.suite.references`: for quantities without a `reference` of their
    own; `formula` in words; `convergence`: relative error of a converged value; `digits`: number of digits shown."""

    kind: Literal["closed form", "published", "converged value", "definition"]
    source: tuple[str, ...]
    formula: str
    function: str | None = None
    convergence: NotNegative = 0.0
    digits: Annotated[int, Field(ge=1, le=16)] = 8


class Quantity(Table):
    """A result to compare: a formula of the `signal`s, taken `at` an instant, as its `mean`, `max`, `min` or `change`
    over an interval, or the mean `period` between upward crossings of zero there. `reference`: a formula of the parameters,
    if it is not the function's; `admissible` error in the quantity's unit, or `relative` to the reference; `scale`: scale of the
    errors in pictures of error over CPU time (0: not shown there)."""

    name: str
    unit: str
    signal: Any
    at: Number | None = None
    mean: Pair | None = None
    max: Pair | None = None
    min: Pair | None = None
    change: Pair | None = None
    period: Pair | None = None
    reference: Number | None = None
    admissible: NotNegative | None = None
    relative: Positive | None = None
    scale: NotNegative | None = None
    only: tuple[str, ...] = ()

    @property
    def over(self) -> tuple[str, float | tuple[float, float]]:
        """Reduction of the signal to a number, and its instant or interval."""
        return next((name, given) for name in REDUCTIONS if (given := getattr(self, name)) is not None)

    @model_validator(mode="after")
    def _one_reduction(self) -> Self:
        if sum(getattr(self, name) is not None for name in REDUCTIONS) != 1:
            raise ValueError(f"quantity {self.name}: expected one of {', '.join(REDUCTIONS)}")
        if (self.admissible is None) == (self.relative is None):
            raise ValueError(f"quantity {self.name}: expected one of admissible, relative")
        return self


REDUCTIONS = ("at", "mean", "max", "min", "change", "period")


class Problem(Table):
    """One variant of a problem file, its formulas of parameters evaluated. `name` of the problem and of the `variant`; `digest`:
    first digits of the SHA-256 of the file."""

    name: str
    variant: str
    digest: str
    title: str
    separates: str
    description: str
    parameters: dict[str, float]
    body: Body
    ground: OnGround = None
    gravity: Vector = None
    loads: tuple[Load, ...] = ()
    springs: tuple[Spring, ...] = ()
    initial: Initial = Initial()
    probes: dict[str, Pair] = {}
    time: Time
    reference: Reference
    quantities: tuple[Quantity, ...]


def explain(error: ValidationError) -> str:
    """First error of a problem file, in one line: place, expected and actual value."""
    first, *others = error.errors(include_url=False, include_context=False)
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        said = "expected no such name"
    elif first["type"] == "missing":
        said = "expected a value, got none"
    else:
        said = first["msg"].removeprefix("Value error, ")
        said = said if "got" in said else f"{said[0].lower()}{said[1:]}, got {shown(first['input'])}"
    more = f" (and {len(others)} more)" if others else ""
    return " ".join(f"{place + ': ' if place else ''}{said}{more}".split())
