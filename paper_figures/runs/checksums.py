"""Checksums: of the code that computes, of a figure's module with its helpers, and of a figure's numbers."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from paper_figures.numbers import Numbers

ROOT = Path(__file__).resolve().parents[2]
DRAWING = ("plots", "drawing")
COMPUTING = ("friction", "fem", "floating_frame", "cases")
DIGITS = 8
"""Decimal digits of a number, counted from the largest one beside it, that enter the checksum: the last ones depend on the order
in which a library's threads add."""


def _digest(paths: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


@cache
def code_checksum() -> str:
    """Checksum of every source file that takes part in a run (the cases' drawings do not)."""
    files = [path for room in COMPUTING for path in (ROOT / room).rglob("*.py")]
    return _digest(path for path in files if not {*path.relative_to(ROOT).parts} & {*DRAWING})


def module_checksum(name: str) -> str:
    """Checksum of the module `name` and of the modules of paper_figures that it imports, directly or not.

    Modules of other origin are read alone.
    """
    waiting, files = [name], set()
    while waiting:
        path = _source(waiting.pop())
        if path is None or path in files:
            continue
        files.add(path)
        waiting += _imported(path)
    inside = [path for path in files if path.is_relative_to(ROOT)]
    outside = b"".join(path.read_bytes() for path in sorted(files) if not path.is_relative_to(ROOT))
    return hashlib.sha256(_digest(inside).encode() + outside).hexdigest()


def _source(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    return Path(spec.origin) if spec is not None and spec.origin and spec.origin.endswith(".py") else None


def _imported(path: Path) -> list[str]:
    """Modules of paper_figures that a file imports."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    ours = [name for name in names if name.startswith("paper_figures.")]
    return [name for name in ours if (ROOT / (name.replace(".", "/") + ".py")).is_file()]


def numbers_checksum(numbers: Numbers, *, without: Collection[str] = ()) -> str:
    """Checksum of a figure's numbers: names, shapes and values, rounded to DIGITS of the largest value of each array.

    `without`: names of entries that are not reproducible, such as computing times. Values are numbers, texts, arrays or
    mappings and lists of them.
    """
    total = hashlib.sha256()
    for line in _canonical("", {key: value for key, value in numbers.items() if key not in without}):
        total.update(line.encode() + b"\n")
    return total.hexdigest()


def _canonical(name: str, value: object) -> Iterable[str]:
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from _canonical(f"{name}/{key}", value[key])
    elif isinstance(value, (list, tuple)) and not _is_numeric(value):
        for index, item in enumerate(value):
            yield from _canonical(f"{name}/{index}", item)
    else:
        array = np.asarray(value)
        yield f"{name} {array.shape} " + " ".join(_texts(array))


def _is_numeric(value: object) -> bool:
    try:
        return np.asarray(value).dtype.kind in "fiub"
    except ValueError:  # ragged
        return False


def _texts(array: np.ndarray) -> list[str]:
    """Entries of an array as texts; real numbers as integer multiples of 10^-DIGITS of the power of ten above them."""
    if array.dtype.kind != "f":
        return [str(item) for item in array.ravel().tolist()]
    values = array.astype(np.float64).ravel()
    finite = np.isfinite(values)
    largest = float(np.max(np.abs(values[finite]), initial=0.0))
    if largest == 0.0:
        return ["0" if ok else str(item) for ok, item in zip(finite, values, strict=True)]
    exponent = int(np.ceil(np.log10(largest)))
    scaled = np.round(np.where(finite, values, 0.0) / 10.0**exponent * 10.0**DIGITS).astype(np.int64)
    texts = [str(whole) if ok else str(item) for whole, ok, item in zip(scaled, finite, values, strict=True)]
    return [f"e{exponent}", *texts]
