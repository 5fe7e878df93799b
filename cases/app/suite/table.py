"""The table of the suite: rows of all answers, results by code and problem, and their files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

FIELDS = (
    *("problem", "code", "setting", "quantity", "unit", "value", "reference", "error", "admissible"),
    *("passed", "documented", "cpu_seconds", "reason"),
)
"""Fields of a row of benchmark.json."""
LEVELS = (1e-2, 1e-4, 1e-6)
"""Relative errors for which CPU times are compared."""
JSON, CSV = "benchmark.json", "benchmark.csv"

Row = dict[str, Any]


def rows(answers: Iterable[Mapping[str, Any]]) -> list[Row]:
    """One row for each quantity of each variant, of all answers."""
    lines = []
    for answer in answers:
        shared = {name: answer[name] for name in ("problem", "code", "setting", "documented", "cpu_seconds")}
        for one in answer["rows"]:
            label = one["quantity"]
            if label is not None and one["variant"]:
                label = f"{label} [{one['variant']}]"
            row = shared | one | {"quantity": label, "reason": one["reason"] or None}
            lines.append({name: row[name] for name in FIELDS})
    return lines


def write(directory: Path, lines: Sequence[Row], machine: str) -> None:
    """Write benchmark.json and benchmark.csv."""
    content = {"machine": machine, "rows": list(lines)}
    (directory / JSON).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    with (directory / CSV).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


class Result(NamedTuple):
    """Result of an answer: ``worst`` error over the admissible one (infinite where a quantity has no value), ``relative`` error
    (None where no quantity has a scale), CPU time s, ``created`` energy and ``creep`` over the admissible ones, and the reason of
    missing values."""

    problem: str
    code: str
    setting: str
    documented: bool
    worst: float | None
    relative: float | None
    seconds: float | None
    created: float | None
    creep: float | None
    reason: str


def result(answer: Mapping[str, Any]) -> Result:
    """Summary of an answer."""
    judged = [row for row in answer["rows"] if row["passed"] is not None]
    ratios = {(row["variant"], row["quantity"]): _ratio(row) for row in judged}
    named = {name: [ratio for (_, of), ratio in ratios.items() if of == name] for name in ("energy_created", "creep")}
    reason = next((row["reason"] for row in answer["rows"] if row["reason"]), "")
    about = {name: answer[name] for name in ("problem", "code", "setting", "documented")}
    return Result(
        **about,
        worst=max(ratios.values(), default=None),
        relative=_relative(judged),
        seconds=answer["cpu_seconds"],
        created=max(named["energy_created"], default=None),
        creep=max(named["creep"], default=None),
        reason=reason,
    )


def _ratio(row: Mapping[str, Any]) -> float:
    """Error of a row over the admissible one."""
    if row["error"] is None:
        return math.inf
    if row["admissible"] == 0.0:
        return 0.0 if row["error"] == 0.0 else math.inf
    return float(row["error"] / row["admissible"])


def _relative(judged: Sequence[Mapping[str, Any]]) -> float | None:
    """Largest error over its scale; infinite where a quantity with a scale has no value."""
    errors = [
        math.inf if row["error"] is None else row["error"] / row["scale"]
        for row in judged
        if row["quantity"] is not None and row["scale"] > 0.0
    ]
    return max(errors, default=None)


def least_time(results: Iterable[Result], level: float) -> Result | None:
    """Fastest of the results with a relative error of at most ``level``."""
    reached = [one for one in results if one.relative is not None and one.seconds and one.relative <= level]
    return min(reached, key=lambda one: one.seconds or math.inf, default=None)


def line_of(answer: Mapping[str, Any]) -> str:
    """An answer as a line."""
    one = result(answer)
    head = f"{one.problem}  {one.code}  {one.setting}"
    if one.worst is None:
        return f"{head}: {one.reason}"
    said = f"worst error {one.worst:.2g} of the admissible one" if math.isfinite(one.worst) else one.reason or "missed"
    return f"{head}: {said}, {one.seconds:.3g} s CPU" if one.seconds else f"{head}: {said}"
