"""Grids of parameters: from the texts of a command line to validated points, before anything runs."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from cases.app.parts.parameters import CaseParameters, base_type, expectation, explain, from_text, unknown
from cases.app.run.errors import BadInput

FORM = "PARAM=V1,V2,... or PARAM=START:STOP:COUNT[:log] (values that are lists: separated by semicolons)"
MAX_POINTS = 100_000
"""Largest number of points; larger grids are taken for typing errors."""


@dataclass(frozen=True)
class Axis:
    """One direction of a grid: parameter `name`, its `values`, `unit` and `meaning`."""

    name: str
    values: tuple[object, ...]
    unit: str
    meaning: str

    @property
    def numeric(self) -> bool:
        """True for numbers that NetCDF can store; False for names, switches and lists."""
        return all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.values) and (
            np.asarray(self.values).dtype != object  # as of integers beyond 64 bits
        )

    @property
    def labels(self) -> list[object]:
        """The values as coordinates: numbers or texts."""
        return list(self.values) if self.numeric else [label(v) for v in self.values]


@dataclass(frozen=True)
class Grid:
    """Axes and the validated parameters of every point, in the order of the axes (the last runs fastest)."""

    axes: tuple[Axis, ...]
    points: tuple[CaseParameters, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values along each axis."""
        return tuple(len(axis.values) for axis in self.axes)

    def shared(self) -> dict[str, object]:
        """Parameters that are equal at all points, as in JSON."""
        first, *others = (json.loads(point.model_dump_json()) for point in self.points)
        return {key: value for key, value in first.items() if all(other[key] == value for other in others)}


def label(value: object) -> str:
    """Text of a value."""
    if isinstance(value, tuple):
        return ",".join(f"{item:g}" for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def grid_of(model: type[CaseParameters], texts: Sequence[str], fixed: Mapping[str, object]) -> Grid:
    """Grid of the `texts` (PARAM=VALUES each) with the `fixed` values. Raises BadInput."""
    if not texts:
        raise BadInput(f"grid: expected at least one --grid {FORM}, got none")
    axes = tuple(_axis(model, text) for text in texts)
    names = [axis.name for axis in axes]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"grid: expected every parameter once, got {name} {names.count(name)} times")
    count = math.prod(len(axis.values) for axis in axes)
    if count > MAX_POINTS:
        raise BadInput(f"grid: expected at most {MAX_POINTS} points, got {count}")
    # Defaults may depend on swept parameters: only given values are fixed.
    base = {key: value for key, value in fixed.items() if key not in names}
    combinations = itertools.product(*(axis.values for axis in axes))
    return Grid(axes, tuple(_point(model, base, dict(zip(names, values, strict=True))) for values in combinations))


def _point(model: type[CaseParameters], base: Mapping[str, object], own: Mapping[str, object]) -> CaseParameters:
    try:
        return model.model_validate({**base, **own})
    except ValidationError as error:
        place = ", ".join(f"{key}={label(value)}" for key, value in own.items())
        raise BadInput(f"grid point {place}: {explain(model, error)}") from error


def _axis(model: type[CaseParameters], text: str) -> Axis:
    name, equals, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not name or not values.strip():
        raise BadInput(f"grid: expected {FORM}, got {text!r}")
    if name not in model.model_fields:
        raise BadInput(f"grid: {unknown(model, name)}")
    field = model.model_fields[name]
    items = _range(field, name, values) if values.count(":") else _list(field, values)
    if len(set(items)) < len(items):
        value = next(value for value in items if items.count(value) > 1)
        raise BadInput(f"grid: expected different values of {name}, got {label(value)} {items.count(value)} times")
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    return Axis(name, tuple(items), str(extra.get("unit", "1")), field.description or name)


def _list(field: FieldInfo, text: str) -> list[object]:
    divider = ";" if base_type(field) is tuple else ","
    return [from_text(field, part.strip()) for part in text.split(divider)]


def _range(field: FieldInfo, name: str, text: str) -> list[object]:
    """Values of START:STOP:COUNT or START:STOP:COUNT:log, both ends included; integers for an integer parameter."""
    parts = text.split(":")
    kind = base_type(field)
    try:
        if kind not in (float, int) or len(parts) not in (3, 4) or (len(parts) == 4 and parts[3].strip() != "log"):
            raise ValueError
        start, stop, count = float(parts[0]), float(parts[1]), int(parts[2])
        if count < 2 or not (math.isfinite(start) and math.isfinite(stop)):
            raise ValueError
        if len(parts) == 4 and not (start > 0.0 and stop > 0.0):
            raise ValueError
    except ValueError:
        raise BadInput(
            f"grid: expected {name}=START:STOP:COUNT[:log] for {expectation(field)}, with COUNT >= 2 and positive ends "
            f"for log, got {text!r}"
        ) from None
    if count > MAX_POINTS:
        raise BadInput(f"grid: expected at most {MAX_POINTS} points, got {count}")
    spaced = np.geomspace(start, stop, count) if len(parts) == 4 else np.linspace(start, stop, count)
    if kind is float:
        # no 0.30000000000000004
        return [float(f"{value:.12g}") for value in spaced]
    whole = np.rint(spaced)
    if np.abs(spaced - whole).max() > 1e-9:
        raise BadInput(f"grid: expected a range of {name} whose values are integers, got {text!r}")
    return [int(value) for value in whole]
