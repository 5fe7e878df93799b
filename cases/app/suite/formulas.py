"""Formulas in problem files: arithmetic and elementary functions of named numbers, read by Python's parser and checked node
by node."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from friction.arrays import shown

FUNCTIONS: dict[str, Any] = {
    **{
        name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "abs", "where", "hypot", "sign")
    },
    **{"atan": np.arctan, "atan2": np.arctan2, "minimum": np.minimum, "maximum": np.maximum},
}
CONSTANTS = {"pi": math.pi}
MAX_LENGTH = 1000
"""Largest number of characters of a formula."""
COMPLEX_STEP = 1e-30

_NODES = (
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Load, ast.Constant, ast.Compare),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)


@dataclass(frozen=True)
class Formula:
    """A checked formula.

    Parameters
    ----------
    text : str
        Its text in the file.
    names : frozenset[str]
        Its variables.
    function : Callable
        Compiled function of the variables, by name; real numbers only.
    """

    text: str
    names: frozenset[str]
    function: Callable[..., Any] = field(repr=False)

    def __call__(self, **values: Any) -> Any:
        """Value at the given values, numbers or arrays, of the variables."""
        for value in values.values():
            if type(value) is not float:
                with np.errstate(divide="ignore", invalid="ignore"):
                    return self.function(**values)
        return self.function(**values)

    def rate(self, t: float) -> float:
        """Derivative in the variable t, by a complex step: exact to rounding where the formula is analytic."""
        return float(np.imag(self(t=t + 1j * COMPLEX_STEP)) / COMPLEX_STEP)


def formula(text: str, variables: frozenset[str], known: Mapping[str, float]) -> Formula:
    """Formula of ``variables`` and ``known`` numbers from a text. Raises ValueError, one line, for anything else."""
    if len(text) > MAX_LENGTH:
        raise ValueError(f"expected a formula of at most {MAX_LENGTH} characters, got {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"expected a formula, got {shown(text)}") from None
    used = set()
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if not isinstance(node, _NODES) or (isinstance(node, ast.Call) and node.keywords):
            raise ValueError(f"expected a formula of numbers and elementary functions, got {shown(text)}")
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
                raise ValueError(f"expected a formula of real numbers, got {node.value!r} in {text!r}")
            node.value = float(node.value)  # powers of integers may have any number of digits
        if isinstance(node, ast.Name):
            offered = set(FUNCTIONS) if id(node) in called else {*variables, *known, *CONSTANTS}
            if node.id not in offered:
                raise ValueError(f"expected a formula of {', '.join(sorted(offered))}, got {node.id!r} in {text!r}")
            used.add(node.id)
    names = frozenset(used & variables)
    function = ast.parse(f"lambda {', '.join([*sorted(names), '**_'])}: 0", mode="eval")
    assert isinstance(function.body, ast.Lambda)
    function.body.body = tree.body
    room = {"__builtins__": {}, **FUNCTIONS, **CONSTANTS, **known}
    return Formula(text.strip(), names, eval(compile(function, "formula", "eval"), room))


def number(given: object, known: Mapping[str, float]) -> float:
    """Value of a number or of a formula of ``known`` numbers. Raises ValueError, one line."""
    value: Any = formula(given, frozenset(), known) if isinstance(given, str) else given
    try:
        with np.errstate(all="ignore"):
            value = float(value() if isinstance(value, Formula) else value)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(f"expected a number or a formula of those known, got {shown(given)} ({error})") from None
    if isinstance(given, bool) or not math.isfinite(value):
        raise ValueError(f"expected a finite number or a formula that gives one, got {shown(given)}")
    return float(value)
