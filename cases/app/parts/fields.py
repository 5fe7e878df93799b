"""Parameters that are a number or an expression in X, Y and t: checks, and times of jumps.

X and Y are reference coordinates from the body's centre of mass, m, and t is the time, s. `friction.curves.expressions` parses
expressions without executing Python.
"""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
from pydantic import Field, PlainValidator
from pydantic_core import PydanticCustomError, PydanticKnownError

from friction.curves.expressions import PLACE, TIME, Expression, expression

NOT_AN_EXPRESSION = "expression"
"""Error type of a text that is not an expression; the message is the reason."""
ORIGIN = np.zeros((1, 2))


def field_quantity(unit: str, meaning: str) -> Any:
    """Pydantic field of a parameter >= 0 that is a number or an expression; `TAKEN` checks its values."""
    extra: dict[str, Any] = {"bounds": ">= 0", "unit": unit, "expression": True}
    return Field(description=meaning, json_schema_extra=extra)


def _taken(value: object) -> float | str:
    return _checked_text(value) if isinstance(value, str) else _checked_number(value)


TAKEN = PlainValidator(_taken)
TAKEN_OR_LEFT_OUT = PlainValidator(lambda value: None if value is None else _taken(value))


def _checked_number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PydanticKnownError("float_type")
    if not abs(value) < math.inf:
        raise PydanticKnownError("finite_number")
    if value < 0:
        raise PydanticKnownError("greater_than_equal", {"ge": 0})
    try:
        return float(value)
    except OverflowError:
        raise PydanticKnownError("finite_number") from None


def _checked_text(text: str) -> str:
    try:
        if _is_number(text):  # types are not guessed: numbers are written as numbers
            raise PydanticKnownError("float_type")
        parsed = _parsed(text)
        if not parsed.names and not 0.0 <= parsed(ORIGIN)[0] < math.inf:
            raise ValueError(f"{text!r} is {parsed(ORIGIN)[0]:g}")
    except ValueError as error:
        reason = str(error).removeprefix(": ").replace(f"{text!r} ", "it ", 1)
        raise PydanticCustomError(NOT_AN_EXPRESSION, "{reason}", {"reason": reason}) from None
    return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parsed(text: str) -> Expression:
    return expression("", text, (*PLACE, *TIME))


def uniform_value(value: float | str) -> float:
    """Value of a uniform parameter; NaN for an expression, which has no exact solution."""
    return math.nan if isinstance(value, str) else value


def depends_on_time(value: float | str) -> bool:
    """True for an expression that uses t."""
    return isinstance(value, str) and "t" in _parsed(value).names


def time_breaks(value: float | str) -> tuple[float, ...]:
    """Times, s, in order, at which an expression jumps or kinks: the numbers that it compares with t."""
    if not isinstance(value, str):
        return ()
    breaks = set()
    for node in ast.walk(ast.parse(value.strip(), mode="eval")):
        if isinstance(node, ast.Compare):
            sides = (node.left, node.comparators[0])
            for side, other in (sides, sides[::-1]):
                if isinstance(side, ast.Name) and side.id == "t":
                    breaks |= _constant(ast.unparse(other))
    return tuple(sorted(breaks))


def _constant(text: str) -> set[float]:
    parsed = _parsed(text)
    value = math.nan if parsed.names else float(parsed(ORIGIN)[0])
    return {value} if 0.0 < value < math.inf else set()
