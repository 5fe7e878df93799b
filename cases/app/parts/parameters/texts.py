"""Parameters as text: help, expected values, conversion of a command line's texts, and messages of refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, get_args

from cases.app.parts.fields import NOT_AN_EXPRESSION

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails


def extra(field: FieldInfo) -> Mapping[str, Any]:
    """Further attributes of a field: unit, bounds as text, choices and their former names."""
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}


def present_name(field: FieldInfo, value: object) -> object:
    """Present name of a choice from its former name; other values unchanged."""
    former = extra(field).get("former", {})
    return former.get(value, value) if isinstance(value, str) and isinstance(former, dict) else value


def base_type(field: FieldInfo) -> type:
    """Plain type behind a field: float, int, bool, str or tuple (a list of numbers)."""
    annotation = field.annotation
    options = [a for a in get_args(annotation) if a is not type(None)]
    if getattr(annotation, "__origin__", None) is tuple:
        return tuple
    return options[0] if options else annotation  # type: ignore[return-value]


def is_field(field: FieldInfo) -> bool:
    """True for a parameter that is a number or an expression in X, Y and t."""
    return bool(extra(field).get("expression"))


_KIND = {
    float: "a number",
    int: "an integer",
    bool: "true or false",
    str: "a text",
    tuple: "numbers with commas between (in a file a list)",
}


def bounds(field: FieldInfo) -> str:
    """Bounds of a field, as in '> -1, < 0.5', or its choices; empty where there are none."""
    own = extra(field)
    if "choices" in own:
        return "one of " + ", ".join(str(name) for name in own["choices"])
    return str(own.get("bounds", ""))


def expectation(field: FieldInfo) -> str:
    """Expected value of a field, as in 'a number >= 0' or 'one of P1, P2'."""
    limit = bounds(field)
    return limit if limit.startswith("one of") else f"{_KIND[base_type(field)]} {limit}".strip()


def describe(field: FieldInfo) -> str:
    """Help of a field: meaning, unit, allowed values and default."""
    own = extra(field)
    taken = expectation(field) + (" or an expression in X, Y (from the centre of mass), t" if is_field(field) else "")
    unit = f" [{own['unit']}]" if "unit" in own else ""
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


def unknown(model: type[BaseModel], name: str) -> str:
    """Message for an unknown parameter, with the nearest name."""
    near = get_close_matches(name, model.model_fields, 1)
    meant = f"did you mean {near[0]}? Expected" if near else "expected"
    return f"unknown parameter {name}: {meant} one of {', '.join(model.model_fields)}"


def explain(model: type[BaseModel], error: ValidationError) -> str:
    """Message of one line: expected and actual value of each refused parameter."""
    refused = error.errors(include_url=False, include_context=True)
    return "; ".join(dict.fromkeys(_explained(model, one) for one in refused))


def _explained(model: type[BaseModel], first: ErrorDetails) -> str:
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
    reason = f": {first['msg']}" if first["type"] == NOT_AN_EXPRESSION else ""
    return f"{name}: expected {expected}, got {_shortened(first['input'])}{reason}"


def _shortened(value: object) -> str:
    """Text of a refused value, shortened to fit into a line."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or an integer of too many digits
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= 120 else f"{text[:117]}..."
