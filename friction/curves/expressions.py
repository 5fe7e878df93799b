"""Expressions such as "1e3*(1 + 0.5*x/0.2)*(t < 1)" as functions of place and time, computed by numexpr.

They are parsed by Python and checked node by node before evaluation: real numbers, the known names, arithmetic,
comparisons (one at a time), ``&``, ``|``, ``~`` of them, and the functions of `FUNCTIONS`. Whole numbers count as real ones: powers
of integers have no bound on their digits. All other syntax is refused with a message of one line.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from friction.arrays import Array

PLACE, TIME = ("x", "y"), ("t",)
"""Names of coordinates X from the body's centre of mass, m, and of time, s; ``pi`` is known beside them, and X, Y for x, y."""

_ALIASES = {"X": "x", "Y": "y"}

FUNCTIONS = {
    "where": 3,
    **dict.fromkeys(("arctan2", "fmod", "hypot", "maximum", "minimum"), 2),
    **dict.fromkeys(
        ("abs", "ceil", "exp", "expm1", "floor", "log", "log10", "log1p", "log2", "round", "sign", "sqrt", "trunc"), 1
    ),
    **dict.fromkeys(
        ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"), 1
    ),
}
"""Functions by name, with the number of their arguments."""

RUN_ON = re.compile(
    r"(?<![\w.])(?>0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)[^\W\d_]+"
)
"""A number with letters behind it, such as ``0.5and``: no expression, though Python's parser takes some of them with a warning."""

LARGEST_EXPONENT, LONGEST, DEEPEST = 100.0, 10_000, 100
"""Limits of numeric exponents, of the length of texts in characters, and of nested operations."""

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.Pow, ast.BitAnd, ast.BitOr, ast.BitXor)
_SIGNS = (ast.UAdd, ast.USub, ast.Invert)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


@dataclass(frozen=True)
class Expression:
    """A scalar function of place and time, checked by ``expression``.

    Parameters
    ----------
    text : str
        As numexpr reads it.
    names : tuple[str, ...]
        The names that it uses.
    """

    text: str
    names: tuple[str, ...]

    def __call__(self, X: Array, t: float = 0.0) -> Array:
        """Values (N,) at X (N, 2), m, and t, s."""
        points = np.asarray(X, dtype=np.float64)
        known = {"x": points[:, 0].copy(), "y": points[:, 1].copy(), "t": float(t), "pi": np.pi}
        used = {name: known[name] for name in self.names}
        import numexpr  # only where there are expressions

        with np.errstate(all="ignore"):  # of parts without names; what is not finite is refused where it is used
            parsed = numexpr.evaluate(self.text, local_dict=used, global_dict={}, truediv=True)
        return np.broadcast_to(np.asarray(parsed, dtype=np.float64), (len(points),)).copy()


@lru_cache(maxsize=128)
def expression(what: str, text: str, allowed: tuple[str, ...]) -> Expression:
    """Parse a ``text`` in the names ``allowed`` and pi; messages begin with ``what``.

    Raises
    ------
    ValueError
        For syntax outside the module's list.
    """
    known = (*allowed, "pi")
    names = ", ".join(name.upper() if name in "xy" else name for name in known)
    quoted = text if len(text) <= 80 else f"{text[:77]}..."
    try:
        if len(text) > LONGEST:
            raise ValueError(f"it has more than {LONGEST} characters")
        if run_on := RUN_ON.search(text):
            raise ValueError(f"a letter follows a number, got {run_on.group()!r}")
        used = set[str]()
        tree = _checked(ast.parse(text.strip(), mode="eval").body, known, used)
        parsed = Expression(ast.unparse(tree), tuple(sorted(used)))
    except KeyError as error:
        raise ValueError(f"{what}: {quoted!r} uses {error.args[0]!r}; the names are {names}") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = " ".join(str(getattr(error, "msg", error)).split()) or "it is nested too deeply"
        raise ValueError(f"{what}: {quoted!r} is not an expression in {names}: {reason}") from None
    try:
        parsed(np.ones((1, 2)), 1.0)
    except Exception as error:  # numexpr raises many classes
        raise ValueError(f"{what}: {quoted!r} cannot be computed: {' '.join(str(error).split())}") from None
    return parsed


def _checked(node: ast.expr, known: tuple[str, ...], used: set[str], depth: int = 0) -> ast.expr:
    """The checked node with integers converted to real numbers, its names added to ``used``.

    ValueError names forbidden syntax, KeyError a name that is not ``known``.
    """
    if depth > DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} deep")

    def below(part: ast.expr) -> ast.expr:
        return _checked(part, known, used, depth + 1)

    match node:
        case ast.Constant(value=value):
            return ast.Constant(_real(value))
        case ast.Name(id=name):
            meant = _ALIASES.get(name, name)
            if meant not in known:
                raise KeyError(name)
            used.add(meant)
            return ast.Name(meant, ast.Load())
        case ast.UnaryOp(op=op, operand=operand) if isinstance(op, _SIGNS):
            return ast.UnaryOp(op, below(operand))
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
            if isinstance(op, ast.Pow):
                _check_exponent(right)
            return ast.BinOp(below(left), op, below(right))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _COMPARISONS):
            return ast.Compare(below(left), [op], [below(right)])
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            if len(args) != FUNCTIONS[name]:
                raise ValueError(f"{name} takes {FUNCTIONS[name]} arguments, got {len(args)}")
            return ast.Call(ast.Name(name, ast.Load()), [below(arg) for arg in args], [])
        case ast.Call():
            raise ValueError(f"it may call {', '.join(FUNCTIONS)}, got {_words(node.func)}")
        case ast.Compare():
            raise ValueError(f"compare two values at a time, as in (0 < t) & (t < 1), got {_words(node)}")
        case ast.BoolOp():
            raise ValueError(f"join comparisons by & and |, as in (0 < t) & (t < 1), got {_words(node)}")
    raise ValueError(f"it may have real numbers, names, arithmetic, comparisons and functions, got {_words(node)}")


def _real(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"it may have real numbers, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("a number in it is too large")
    return number


def _check_exponent(node: ast.expr) -> None:
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Constant) and _real(node.value) > LARGEST_EXPONENT:
        raise ValueError(f"an exponent may be up to {LARGEST_EXPONENT:g}, got {node.value!r}")


def _words(node: ast.expr) -> str:
    text = ast.unparse(node)
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
