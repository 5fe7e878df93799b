"""Adapters: files with a function `solve(problem, setting)`, and functions for their use.

    NAME = "my-code"                                  # left out: the file's name
    NEEDS = "mycode"                                  # a package that has to be importable; left out: none

    def solve(problem, setting):                      # one variant of a problem, one setting (a table of the author's own)
        if problem.body.kind != "block":
            raise Cannot("bodies other than blocks")
        seconds, (x, v) = measured(lambda: ...)       # CPU time of the solution alone
        return {"x": x, "vx": v, ...}, seconds        # signals at problem.time.samples

Signals are named in `cases.app.suite.signals`. A number under the name of a quantity is taken as it is.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from cases.app.run.errors import BadInput
from cases.app.suite.schema import Problem

Found = TypeVar("Found")
FOLDER = Path(__file__).parent / "adapters"
SLOW = 10.0
"""CPU time, s, above which a solution is not repeated; it then includes compilation."""


class Cannot(Exception):
    """A code cannot solve a problem; the text names the missing feature in a few words."""


@dataclass
class CpuTime:
    """CPU time of a solution, s: `seconds` of the fastest repetition, and of the `first` one, with compilation."""

    seconds: float
    first: float

    def __add__(self, other: CpuTime) -> CpuTime:
        """Sum for two successive solutions."""
        return CpuTime(self.seconds + other.seconds, self.first + other.first)


def measured(run: Callable[[], Found]) -> tuple[CpuTime, Found]:
    """CPU time of a function (this process, all threads) and its result. It runs twice unless it is slow, since the first run may
    compile."""
    begun = time.process_time()
    result = run()
    first = time.process_time() - begun
    if first > SLOW:
        return CpuTime(first, first), result
    begun = time.process_time()
    result = run()
    return CpuTime(min(first, time.process_time() - begun), first), result


def steps(problem: Problem, dt: float) -> tuple[int, float]:
    """Number of equal steps between two samples, and their length s, at most ``dt``."""
    count = max(1, math.ceil(problem.time.every / dt * (1.0 - 1e-9)))
    return count, problem.time.every / count


@dataclass(frozen=True)
class Code:
    """A code of the suite: its ``name`` and the ``path`` of its adapter."""

    name: str
    path: Path

    def module(self) -> ModuleType:
        """The adapter, imported from its file."""
        spec = importlib.util.spec_from_file_location(f"suite_adapter_{self.path.stem}", self.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def missing(self) -> str | None:
        """Reason why the code cannot run here; None where it can."""
        needed = _constant(self.path, "NEEDS")
        with suppress(ModuleNotFoundError):  # of the package around it
            if needed is None or importlib.util.find_spec(needed[0]) is not None:
                return None
        assert needed is not None
        return f"{self.name} is not installed (pip install {needed[-1]})"

    def version(self) -> str:
        """Version of the code's distribution."""
        needed = _constant(self.path, "NEEDS") or [OWN, OWN]
        try:
            return importlib.metadata.version(needed[-1])
        except importlib.metadata.PackageNotFoundError:
            return ""


OWN = "floating-frame-friction"
"""This code."""


def _constant(path: Path, name: str) -> list[Any] | None:
    """Constant of an adapter as a list, read without importing the adapter."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            value = ast.literal_eval(node.value)
            return [value] if isinstance(value, str) else list(value)
    return None


def description(path: Path) -> str:
    """Docstring of an adapter as one paragraph."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split())


def codes() -> dict[str, Code]:
    """Codes of the suite by name, this one first."""
    paths = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("_"))
    listed = [Code(str((_constant(path, "NAME") or [path.stem])[0]), path) for path in paths]
    return {code.name: code for code in sorted(listed, key=lambda code: (code.name != OWN, code.name))}


def code(name: str) -> Code:
    """Code with this name or with this adapter file. Raises BadInput."""
    known = codes()
    if name in known:
        return known[name]
    path = Path(name)
    if path.suffix == ".py" and path.is_file():
        try:
            own = _constant(path, "NAME")
        except (SyntaxError, ValueError, TypeError) as error:
            raise BadInput(f"{name}: expected an adapter, got {' '.join(str(error).split())}") from None
        named = str((own or [path.stem])[0])
        if not named.isprintable() or not named.strip():
            raise BadInput(f"{name}: expected a NAME that can be printed in a line, got {named!r}")
        return Code(named, path.resolve())
    raise BadInput(f"expected a code (one of {', '.join(known)}) or the path of an adapter, got {name}")
