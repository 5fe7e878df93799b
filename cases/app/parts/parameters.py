"""Parameters of the cases: typed, bounded, frozen models, the same for command line, TOML and Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Self, TypeAlias, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from cases.app.parts import laws
from cases.app.parts.fields import NOT_AN_EXPRESSION, TAKEN_OR_LEFT_OUT, field_quantity
from cases.app.parts.laws import Mu as Mu
from cases.app.parts.quantities import Numbers as Numbers
from cases.app.parts.quantities import choice as choice
from cases.app.parts.quantities import quantity as quantity
from fem.materials import MATERIALS
from floating_frame import FRAMES, SCHEMES

EndTime = Annotated[float, quantity("s", "end of the simulated time", gt=0)]
TimeStep = Annotated[
    float,
    quantity("s", "time step; with scheme explicit an upper bound, and 0 means a safe part of the stable step", ge=0),
]
WITH_INERTIA = tuple(name for name in SCHEMES if name != "quasi-static")
Scheme = Annotated[str, choice("time integration scheme (explicit needs elements P1 or Q1)", WITH_INERTIA)]
Gravity = Annotated[float, quantity("m/s2", "acceleration of gravity, towards the plane", ge=0)]
Pressure = Annotated[
    float | str | None,
    field_quantity("Pa", "normal pressure per reference area; left out: the weight, density x thickness x gravity"),
    TAKEN_OR_LEFT_OUT,
]
ReactingHeight = Annotated[
    float | None,
    quantity(
        "m",
        "height above the ground at which forces and inertia act: friction then shifts the normal pressure towards the front; "
        "left out: the pressure as given",
        ge=0,
    ),
]
OutputEvery = Annotated[int, quantity("1", "store every so-many-th step, and always the first and the last", ge=1)]
ErrorTolerance = Annotated[
    float | None,
    quantity(
        "1",
        "largest error of the run's positions over the body's size, by which steps are chosen: dt is then the first step and "
        "instants are stored every output_every dt; left out: equal steps of dt; "
        "a rigid body's friction points leave an error of their own at any step, sampling_floor in the results",
        ge=1e-12,
        lt=1,
    ),
]

Young = Annotated[float, quantity("Pa", "Young's modulus E", gt=0)]
Poisson = Annotated[float, quantity("1", "Poisson's ratio", gt=-1, lt=0.5)]
Density = Annotated[float, quantity("kg/m3", "mass density", gt=0)]
Length = Annotated[float, quantity("m", "size along x", gt=0)]
Width = Annotated[float, quantity("m", "size along y", gt=0)]
Thickness = Annotated[float, quantity("m", "thickness, normal to the plane", gt=0)]
Spin = Annotated[float, quantity("rad/s", "initial spin, counter-clockwise")]
CellsX = Annotated[int, quantity("1", "cells along x", ge=1)]
CellsY = Annotated[int, quantity("1", "cells along y", ge=1)]
Ramp = Annotated[float, quantity("s", "time over which the force grows linearly from 0", ge=0)]
Release = Annotated[float, quantity("s", "time after which the force is zero; inf: never", ge=0, allow_inf_nan=True)]
MeshFile = Annotated[
    str | None,
    quantity(
        "",
        "mesh file instead of the rectangle: gmsh, vtk, vtu, abaqus and others that meshio reads without HDF5 (not xdmf, med); "
        "elements left out are P1 or Q1 by its cells",
    ),
]
MergeNodes = Annotated[
    float | None,
    quantity("m", "nodes of the mesh file that lie nearer than this to each other become one; left out: none", gt=0),
]
Material = Annotated[str, choice("elastic material", MATERIALS)]
Plane = Annotated[str, choice("plane stress or plane strain", ("stress", "strain"))]
_ELEMENT = (
    "finite element; P1 locks, in bending (a strip 20 times as long as wide vibrates 16 % too fast on 40 x 4 cells) and in plane "
    "strain near nu = 0.5; P2, Q1 and Q2 do not"
)
Element = Annotated[str, choice(_ELEMENT, ("P1", "P2", "Q1", "Q2"))]
Frame = Annotated[str, choice("condition that defines the floating frame", FRAMES)]


Given: TypeAlias = dict[str, Any]
"""Parameters by name, as given."""


class CaseParameters(BaseModel):
    """Parameters of any case. Frozen; unknown names, wrong types, infinities and NaN are refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        ser_json_inf_nan="strings",
        validate_default=True,
    )

    t_end: EndTime
    dt: float
    scheme: str
    output_every: OutputEvery = 1

    @classmethod
    def completed(cls, given: Given) -> Given:
        """Return parameters as given, not yet checked, with those that follow from them; the checks say what does not fit."""
        return given

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, given: object) -> object:
        return cls.completed(given) if isinstance(given, dict) else given

    def unread(self) -> dict[str, str]:
        """Return which parameters do nothing, by name, and beside what."""
        return {}

    def notes(self) -> list[str]:
        """Name the parameters that were given and do nothing, a line each."""
        fields, values = type(self).model_fields, dict(self)
        return [
            f"{name}: not read by {by}" for name, by in self.unread().items() if values[name] != fields[name].default
        ]

    @field_validator("*")
    @classmethod
    def _one_of_its_choices(cls, value: object, info: ValidationInfo) -> object:
        field = cls.model_fields[str(info.field_name)]
        value, allowed = present_name(field, value), _extra(field).get("choices")
        if allowed is not None and value not in allowed:
            raise ValueError(f"not among {allowed}")  # `explain` words it
        return value


class Parameters(CaseParameters):
    """What every case in the plane takes."""

    dt: TimeStep
    scheme: Scheme = "sdirk2"
    law: laws.LawName = "coulomb"
    mu: Mu
    mu_s: laws.MuStatic = None
    v_reg: laws.RegularisingSpeed = 1e-3
    v_s: laws.StaticSpeed = 1e-3
    v_d: laws.DynamicSpeed = None
    max_stiction_deformation: laws.StictionDeformation = 1e-5
    stribeck_speed: laws.StribeckSpeed = 1e-2
    stribeck_exponent: laws.StribeckExponent = 2.0
    mu_across: laws.MuAcross = None
    axis_angle: laws.AxisAngle = 0.0
    spline_speeds: laws.SplineSpeeds = ()
    spline_values: laws.SplineValues = ()
    max_force: laws.MaxForce = None
    gravity: Gravity = 9.81
    pressure: Pressure = None
    reacting_height: ReactingHeight = None
    error_tolerance: ErrorTolerance = None

    def laws_at_hand(self) -> tuple[str, ...]:
        """Return the names of the friction laws that act."""
        return (self.law,)

    def unread(self) -> dict[str, str]:
        """Return the parameters of other laws."""
        named = " and ".join(dict.fromkeys(self.laws_at_hand()))
        return dict.fromkeys(sorted(laws.unread_by(self.laws_at_hand())), f"law {named}")

    @model_validator(mode="after")
    def _zero_step_is_explicit(self) -> Self:
        if self.dt == 0 and self.scheme != "explicit":
            raise ValueError(f"dt: expected a number > 0 with scheme {self.scheme}, got 0 (0 needs scheme explicit)")
        return self

    @model_validator(mode="after")
    def _law_agrees(self) -> Self:
        laws.check(self)
        return self


def course_unread(*forces: float) -> dict[str, str]:
    """Return the course in time of a pull whose components are all 0, as ``CaseParameters.unread``."""
    return {} if any(forces) else dict.fromkeys(("ramp", "release"), "no pull")


class ElasticParameters(Parameters):
    """What a case with a deformable body takes besides."""

    E: Young
    nu: Poisson
    material: Material = "st-venant-kirchhoff"
    plane: Plane = "stress"
    elements: Element = "P1"
    frame: Frame = "mean-axis"

    @model_validator(mode="after")
    def _explicit_is_lumped(self) -> Self:
        rigid = dict(self).get("body") == "rigid"
        if self.scheme == "explicit" and self.elements not in ("P1", "Q1") and not rigid:
            raise ValueError(f"elements: expected P1 or Q1 with scheme explicit, got {self.elements}")
        return self


def _extra(field: FieldInfo) -> Mapping[str, Any]:
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}


def present_name(field: FieldInfo, value: object) -> object:
    """Return what a choice is called today where `value` is its former name, anything else as it is."""
    former = _extra(field).get("former", {})
    return former.get(value, value) if isinstance(value, str) and isinstance(former, dict) else value


def base_type(field: FieldInfo) -> type:
    """Return the plain type behind a field: float, int, bool, str or tuple (a list of numbers)."""
    annotation = field.annotation
    options = [a for a in get_args(annotation) if a is not type(None)]
    if getattr(annotation, "__origin__", None) is tuple:
        return tuple
    return options[0] if options else annotation  # type: ignore[return-value]


def is_field(field: FieldInfo) -> bool:
    """Say whether a parameter takes an expression in X, Y and t besides a number."""
    return bool(_extra(field).get("expression"))


_KIND = {
    float: "a number",
    int: "an integer",
    bool: "true or false",
    str: "a text",
    tuple: "numbers with commas between",
}


def bounds(field: FieldInfo) -> str:
    """Return a field's bounds, as in '> -1, < 0.5', or its choices; empty where there are none."""
    extra = _extra(field)
    if "choices" in extra:
        return "one of " + ", ".join(str(name) for name in extra["choices"])
    return str(extra.get("bounds", ""))


def expectation(field: FieldInfo) -> str:
    """Say what a field takes, as in 'a number >= 0' or 'one of P1, P2'."""
    limit = bounds(field)
    return limit if limit.startswith("one of") else f"{_KIND[base_type(field)]} {limit}".strip()


def describe(field: FieldInfo) -> str:
    """Return a field's help: meaning, unit, what it takes and its default."""
    extra = _extra(field)
    taken = expectation(field) + (" or an expression in X, Y (from the centre of mass), t" if is_field(field) else "")
    unit = f" [{extra['unit']}]" if "unit" in extra else ""
    default = "none" if field.default is None or field.default == () else field.default
    if isinstance(default, float):
        default = f"{default:g}"
    elif isinstance(default, tuple):
        default = ",".join(f"{item:g}" for item in default)
    return f"{field.description}{unit}; {taken}; default {default}"


def from_text(field: FieldInfo, text: str) -> object:
    """Convert the text of a command line to the field's type; text that does not convert is left for the
    model to refuse.
    """
    kind = base_type(field)
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    converters: dict[type, Callable[[str], object]] = {
        float: float,
        int: int,
        bool: lambda t: words.get(t.lower(), t),
        tuple: lambda t: tuple(float(item) for item in t.split(",")),
        str: lambda t: present_name(field, t),
    }
    try:
        # Python takes 1_0 for 10.
        return text if "_" in text and kind in (float, int, tuple) else converters[kind](text)
    except ValueError:
        return text


def unknown(model: type[CaseParameters], name: str) -> str:
    """Say that a case has no parameter of a name, and which it may be."""
    near = get_close_matches(name, model.model_fields, 1)
    meant = f"did you mean {near[0]}? Expected" if near else "expected"
    return f"unknown parameter {name}: {meant} one of {', '.join(model.model_fields)}"


def explain(model: type[CaseParameters], error: ValidationError) -> str:
    """Say in one line what each refused parameter was expected to be and what came."""
    refused = error.errors(include_url=False, include_context=True)
    return "; ".join(dict.fromkeys(_explained(model, one) for one in refused))


def _explained(model: type[CaseParameters], first: ErrorDetails) -> str:
    name = str(first["loc"][0]) if first["loc"] else ""
    if first["type"] == "extra_forbidden":
        return unknown(model, name)
    if first["type"] == "missing":
        return f"{name}: expected a value, got none"
    if not name:
        return first["msg"].removeprefix("Value error, ")
    field = model.model_fields[name]
    expected = expectation(field)
    if first["type"] == "finite_number":
        expected = expected.replace("a number", "a finite number")
    reason = f" (no expression either: {first['msg']})" if first["type"] == NOT_AN_EXPRESSION else ""
    return f"{name}: expected {expected}, got {_shortened(first['input'])}{reason}"


def _shortened(value: object) -> str:
    """Return what came, in as much of a line as it may take."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or an integer of too many digits
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= 120 else f"{text[:117]}..."
