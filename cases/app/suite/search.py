"""Search for the best honest setting of a code: all candidates are run on a problem and recorded.

    python -m cases.app.suite.search CODE [PROBLEM ...]

writes `settings/CODE.csv`, a row for each candidate, and from all rows `settings/CODE.toml`: the documented setting is the
fastest one within all admissible errors, else the one with the smallest worst error over the admissible one; further ones are
Pareto-optimal in error and time. Candidates are those of a user who wants the code to win: its solvers, contacts from soft to hard,
steps from coarse to fine until they take too long."""

from __future__ import annotations

import csv
import itertools
import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cases.app.suite import adapter, files, settings, table, worker

MAX_STEP_TIME = 3.0
"""CPU time, s, above which a candidate is not run with a smaller step."""
FRONT = 3
"""Largest number of further settings."""
COLUMNS = ("problem", "setting", "worst", "relative", "cpu_seconds", "reason")

STEPS = (5e-3, 1e-3, 2e-4, 5e-5)
CANDIDATES: dict[str, dict[str, list[dict[str, Any]]]] = {
    "mujoco": {
        "*": [
            {"solimp": [0.95], "impratio": [1.0], "cone": ["pyramidal", "elliptic"], "dt": STEPS},
            {"solimp": [0.99], "impratio": [100.0], "noslip": [0, 20], "dt": STEPS},
            {"solref": [0.0], "solimp": [0.9999], "impratio": [1.0, 1e4], "noslip": [20], "dt": STEPS},
        ],
        "block": [{"friction": ["joint"], "solref": [0.0], "solimp": [0.95, 0.9999], "dt": STEPS}],
        "profile": [
            {"solref": [0.01, 1e-3], "solimp": [0.95, 0.9999], "impratio": [1.0, 100.0], "dt": (1e-3, 1e-4, 1e-5)}
        ],
        "bar": [
            {"solref": [0.0], "solimp": [0.95, 0.9999], "nx": [50], "dt": (1e-3, 2.5e-4, 1e-4)},
            {"solref": [0.0], "solimp": [0.9999], "nx": [100, 200], "dt": (2.5e-4, 1e-4, 5e-5)},
        ],
        "free_top": [{"integrator": ["implicitfast", "RK4"], "dt": (5e-2, 1e-2, 1e-3)}],
    },
    "drake": {
        "*": [
            {"solver": ["sap"], "dt": STEPS},
            {"solver": ["lagged", "tamsi"], "tolerance": [1e-4, 1e-7], "dt": STEPS},
            {"solver": ["similar"], "tolerance": [1e-6], "dt": STEPS},
        ],
        "free_top": [
            {"solver": ["sap"], "dt": (1e-2, 1e-3)},
            {"solver": ["runge-kutta"], "accuracy": [1e-6, 1e-9], "dt": (0.1,)},
        ],
    },
    "pymunk": {"*": [{"iterations": [10, 200], "dt": (*STEPS, 1e-5)}]},
    "pybullet": {
        "*": [
            {"solver": ["si"], "cone": [0, 1], "iterations": [50, 1000], "dt": STEPS[:3]},
            {"solver": ["dantzig", "pgs"], "dt": STEPS[:2]},
        ]
    },
    "exudyn": {
        "*": [
            {
                "integrator": ["generalized-alpha", "trapezoidal"],
                "sticking": [1e5, 1e7],
                "damping": [0.5, 1.0],
                "dt": STEPS[1:],
            }
        ],
        "block": [{"integrator": ["generalized-alpha"], "zone": [1e-4, 1e-6], "dt": STEPS[1:]}],
        "bar": [
            {
                "integrator": ["generalized-alpha", "trapezoidal"],
                "nx": [50, 100],
                "stop": [1e4, 1e5],
                "dt": (2.5e-4, 1e-4),
            },
            {"nx": [100], "sticking": [1e5], "zone": [1e-5], "dt": (1e-4, 5e-5)},
        ],
        "free_top": [{"integrator": ["generalized-alpha", "trapezoidal", "rk44"], "dt": (5e-2, 1e-2, 1e-3)}],
    },
    "newton": {"*": [{"solver": ["xpbd", "semi-implicit"], "dt": (1e-2, 2e-3)}]},
    "pyelastica": {
        "*": [
            {"nx": [50, 100], "tolerance": [1e-4, 1e-8], "k": [1e3, 1e5], "dt": (1e-4,)},
        ]
    },
}
"""Candidates by code, for all problems ("*"), a kind of body or a problem; the most specific entry applies. Steps from coarse to
fine."""


def candidates(code: str, problem: str) -> Iterator[list[dict[str, Any]]]:
    """Candidate settings, in lists from the coarsest step to the finest."""
    known = CANDIDATES[code]
    kind = files.load(problem)[0].body.kind
    chosen = known.get(problem, known.get(kind, []) if kind in ("bar", "profile") and kind in known else known["*"])
    if kind == "block" and problem not in known:
        chosen = [*known["*"], *known.get("block", [])]
    for group in chosen:
        own = {name: list(values) for name, values in group.items() if name != "dt"}
        for values in itertools.product(*own.values()):
            yield [dict(zip(own, values, strict=True)) | {"dt": dt} for dt in group["dt"]]


def results_of_candidates(code: adapter.Code, problem: str) -> Iterator[dict[str, Any]]:
    """Rows of all candidates for a problem."""
    for row in candidates(code.name, problem):
        foreseen = 0.0
        for k, setting in enumerate(row):
            cells: dict[str, Any] = {"problem": problem, "setting": settings.key(setting)}
            if foreseen > MAX_STEP_TIME:
                yield cells | {"reason": f"left out: would take {foreseen:.0f} s"}
                continue
            answer = worker.answer(
                {"code": code.name, "adapter": str(code.path), "problem": problem, "setting": setting}
            )
            about = {"problem": problem, "code": code.name, "setting": "", "documented": False}
            one = table.result(answer | about)
            yield cells | {
                "worst": one.worst,
                "relative": one.relative,
                "cpu_seconds": one.seconds,
                "reason": one.reason,
            }
            if one.worst is None:
                return  # the code cannot solve it with any setting
            if k + 1 < len(row):
                foreseen = (one.seconds or 0.0) * row[k]["dt"] / row[k + 1]["dt"]


def best_settings(rows: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    """Documented setting and further Pareto-optimal ones; None where no candidate gave a result."""
    ran = [row for row in rows if row["cpu_seconds"] and row["worst"] is not None and math.isfinite(row["worst"])]
    if not ran:
        return None
    passing = [row for row in ran if row["worst"] <= 1.0]
    best = min(passing, key=lambda row: row["cpu_seconds"]) if passing else min(ran, key=lambda row: row["worst"])
    measured = sorted((row for row in ran if row["relative"] is not None), key=lambda row: row["cpu_seconds"])
    front, least = [], math.inf
    for row in measured:
        if row["relative"] < 0.7 * least and row is not best:
            front.append(row)
        least = min(least, row["relative"])
    return json.loads(best["setting"]), [json.loads(row["setting"]) for row in front[-FRONT:]]


def _number(text: Any) -> float | None:
    return None if text in ("", None) else float(text)


def stored(code: adapter.Code) -> list[dict[str, Any]]:
    """Rows of the record."""
    path = _record(code)
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    numbers = ("worst", "relative", "cpu_seconds")
    return [row | {name: _number(row[name]) for name in numbers} for row in rows]


def _record(code: adapter.Code) -> Path:
    return settings.STORED / f"{code.path.stem}.csv"


def write(code: adapter.Code, rows: Sequence[dict[str, Any]]) -> None:
    """Write the record and the settings chosen from it."""
    with _record(code).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        for row in rows:
            short = {
                name: f"{row[name]:.4g}" for name in ("worst", "relative", "cpu_seconds") if row.get(name) is not None
            }
            writer.writerow(
                {"problem": row["problem"], "setting": row["setting"], "reason": row.get("reason", "")} | short
            )
    lines = [
        f"# {code.name} {code.version()}: written by python -m cases.app.suite.search {code.name}, from {_record(code).name}.",
        "",
    ]
    for problem in sorted({row["problem"] for row in rows}):
        own = best_settings([row for row in rows if row["problem"] == problem])
        if own is None:
            continue
        lines += [f"[{problem}]", f"documented = {_inline(own[0])}"]
        if own[1]:
            lines += ["further = [", *(f"    {_inline(one)}," for one in own[1]), "]"]
        lines.append("")
    (settings.STORED / f"{code.path.stem}.toml").write_text("\n".join(lines), encoding="utf-8")


def _inline(setting: dict[str, Any]) -> str:
    """A setting as an inline table."""
    parts = (f"{name} = {json.dumps(value)}" for name, value in setting.items())
    return "{ " + ", ".join(parts) + " }"


def main() -> None:
    """Search for a code, problem by problem."""
    code = adapter.code(sys.argv[1])
    os.environ |= worker.ENVIRONMENT
    for problem in sys.argv[2:] or files.names():
        rows = [row for row in stored(code) if row["problem"] != problem]
        new = []
        for row in results_of_candidates(code, problem):
            new.append(dict.fromkeys(COLUMNS) | row)
            print(*(row.get(name) for name in COLUMNS), flush=True)
        write(code, rows + new)


if __name__ == "__main__":
    main()
