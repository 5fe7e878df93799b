"""Texts of a run's failures, read from the source: messages of errors, and the reasons and advice in tables."""

import ast
import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("friction", "fem", "floating_frame")
INTERNAL = {"RunTooInaccurate", "FoundationError"}
"""Not what a run ends with: caught in the time loop, or bad input, whose one line says what was expected."""
TABLES = {"REASONS", "ADVICE", "UNILATERAL_ADVICE"}
FEWEST_LETTERS = 8


@functools.cache
def nodes(root):
    """(file, node) of all that the library's text consists of."""
    paths = [path for room in ROOMS for path in sorted((root / room).rglob("*.py"))]
    return [(path, node) for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def errors():
    """Names of the errors that a run can end with: classes that descend from RuntimeError."""
    classes = [node for _, node in nodes(ROOT) if isinstance(node, ast.ClassDef)]
    bases = {node.name: [base.id for base in node.bases if isinstance(base, ast.Name)] for node in classes}

    def runtime(name):
        return any(base == "RuntimeError" or runtime(base) for base in bases.get(name, ()))

    return {name for name in bases if runtime(name)} - INTERNAL


def fixed(node):
    """The longest fixed part of a text or f-string, without what stands at its ends; '' of anything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [fixed(node.left), fixed(node.right)]
    elif isinstance(node, ast.JoinedStr):
        parts = [part.value for part in node.values if isinstance(part, ast.Constant)]
    else:
        parts = [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
    pieces = [piece.strip(" ,;:()") for part in parts for piece in re.split(r"[;:]", part)]
    return max(pieces, key=len, default="")


def messages():
    """(file, what is said) of every place where an error of a run is made."""
    known, found = errors(), []
    for path, node in nodes(ROOT):
        if isinstance(node, ast.Call):
            named = isinstance(node.func, ast.Name) and node.func.id in known
            fails = isinstance(node.func, ast.Attribute) and node.func.attr == "_fail"
            found += [(path, fixed(argument)) for argument in node.args] if named or fails else []
        elif isinstance(node, ast.ClassDef) and node.name in known:
            calls = [c for c in ast.walk(node) if isinstance(c, ast.Call) and isinstance(c.func, ast.Attribute)]
            found += [(path, fixed(argument)) for c in calls if c.func.attr == "__init__" for argument in c.args]
    return [(path.relative_to(ROOT), text) for path, text in found if len(text) >= FEWEST_LETTERS]


def tables():
    """(file, text) of the reasons and of the advice that stand in tables."""
    found = []
    for path, node in nodes(ROOT):
        names = {target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)}
        if names & TABLES:
            values = [c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant)]
            found += [(path.relative_to(ROOT), text) for text in values if isinstance(text, str)]
    return found
