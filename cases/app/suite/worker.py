"""One job of the suite in a process of its own: a code solves all variants of a problem with one setting.

    python -m cases.app.suite.worker JOB.json ANSWER.json

The job names the problem, the adapter's file and the setting; the answer has the rows and the CPU time. `run` sets
`ENVIRONMENT`, one thread for numerical libraries, before their import."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from cases.app.suite.adapter import Cannot, Code, CpuTime
from cases.app.suite.files import load
from cases.app.suite.reference_values import admissible, reference, scale
from cases.app.suite.schema import Problem
from cases.app.suite.signals import complete, value

ENVIRONMENT = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MPLBACKEND"), "1"
) | {"MPLBACKEND": "Agg"}
MAX_REASON = 300
"""Largest number of characters of an exception's message."""


def answer(job: Mapping[str, Any]) -> dict[str, Any]:
    """Rows and CPU times of a job."""
    module = Code(job["code"], Path(job["adapter"])).module()
    rows, spent = [], CpuTime(0.0, 0.0)
    for problem in load(job["problem"]):
        judged, own = solved(module, problem, _stepped(job["setting"], problem))
        rows += judged
        spent = spent + own
    cannot = {row["reason"] for row in rows}
    if len(cannot) == 1 and all(row["passed"] is None and row["quantity"] is None for row in rows):
        rows = rows[:1]
        rows[0]["variant"] = ""
    return {"rows": rows, "cpu_seconds": spent.seconds, "first_seconds": spent.first}


def _stepped(setting: Mapping[str, Any], problem: Problem) -> dict[str, Any]:
    """Setting with a step; default: the interval between samples."""
    return dict(setting) if {"dt", "error_tolerance"} & set(setting) else {"dt": problem.time.every, **setting}


def solved(module: ModuleType, problem: Problem, setting: dict[str, Any]) -> tuple[list[dict[str, Any]], CpuTime]:
    """Rows of a variant. A failure gives a row per quantity; ``Cannot`` gives a single row."""
    try:
        given, spent = module.solve(problem, setting)
        spent = spent if isinstance(spent, CpuTime) else CpuTime(float(spent), float(spent))
        if not (math.isfinite(spent.seconds) and spent.seconds >= 0.0):
            raise ValueError(f"expected a CPU time >= 0 s, got {spent.seconds}")
        return _judged(problem, given), spent
    except Cannot as cannot:
        nothing = {
            "variant": problem.variant,
            "quantity": None,
            "value": None,
            "passed": None,
            "reason": f"cannot: {cannot}",
        }
        return [nothing | dict.fromkeys(("unit", "reference", "error", "admissible"))], CpuTime(0.0, 0.0)
    except Exception as error:  # any error of a foreign code
        said = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_REASON]
        return _judged(problem, {}, f"failed: {said}"), CpuTime(0.0, 0.0)


def _judged(problem: Problem, given: Mapping[str, Any], failed: str = "") -> list[dict[str, Any]]:
    """Rows of a variant's quantities, from signals or from the quantities themselves."""
    named = {quantity.name for quantity in problem.quantities}
    numbers = {name: float(given[name]) for name in named & set(given) if _scalar(given[name])}
    signals = {name: values for name, values in given.items() if name not in numbers}
    series = complete(problem, signals) if signals else {}
    rows = []
    for quantity in problem.quantities:
        known, limit = reference(problem, quantity), admissible(problem, quantity)
        row: dict[str, Any] = {"variant": problem.variant, "quantity": quantity.name, "unit": quantity.unit}
        row |= {"reference": known, "admissible": limit, "value": None, "error": None, "reason": failed}
        row["scale"] = scale(problem, quantity)
        number = numbers.get(quantity.name)
        if not failed and number is None and series:
            number = value(problem, quantity, series)
        if failed:
            passed: bool | None = False
        elif number is None:
            passed, row["reason"] = None, f"gives no {quantity.signal}"
        elif not math.isfinite(number):
            passed, row["reason"] = False, "not a finite number"
        else:
            row |= {"value": number, "error": abs(number - known)}
            passed = bool(row["error"] <= limit)
        rows.append(row | {"passed": passed})
    return rows


def _scalar(given: Any) -> bool:
    return isinstance(given, (int, float)) or getattr(given, "ndim", None) == 0


def main() -> None:
    """Read the job, solve it, write the answer."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(sys.argv[2]).write_text(json.dumps(answer(job)), encoding="utf-8")


if __name__ == "__main__":
    main()
