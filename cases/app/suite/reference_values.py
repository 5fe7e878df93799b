"""Reference values of all quantities: computed by `references` and stored in a table.

    python -m cases.app.suite.reference_values      # computes them and writes references/values.csv

The table saves the integrations at each run. Its rows are valid for the problem file with their digest.
"""

from __future__ import annotations

import csv
import importlib
from functools import cache
from pathlib import Path

from cases.app.suite.files import load, names
from cases.app.suite.schema import Problem, Quantity

TABLE = Path(__file__).parent / "references" / "values.csv"
COLUMNS = ("problem", "variant", "quantity", "unit", "reference", "value", "kind", "file")
"""Columns of the table: `reference` in the claimed digits, `value` in all digits, `file`: digest of the problem file."""


def reference(problem: Problem, quantity: Quantity) -> float:
    """Reference value of a quantity, by its own formula or by the function. Raises KeyError where there is none."""
    if quantity.reference is not None:
        return quantity.reference
    stored = _stored().get((problem.name, problem.variant, quantity.name))
    if stored is not None and stored[0] == problem.digest:
        return stored[1]
    return computed(problem)[quantity.name]


def computed(problem: Problem) -> dict[str, float]:
    """Values by quantity from the function named in the problem file; empty without one."""
    if problem.reference.function is None:
        return {}
    module, function = problem.reference.function.split(".")
    values: dict[str, float] = getattr(importlib.import_module(f"cases.app.suite.references.{module}"), function)(
        problem
    )
    return values


def admissible(problem: Problem, quantity: Quantity) -> float:
    """Admissible error, in the quantity's unit."""
    if quantity.admissible is not None:
        return quantity.admissible
    assert quantity.relative is not None
    return quantity.relative * abs(reference(problem, quantity))


def scale(problem: Problem, quantity: Quantity) -> float:
    """Scale of the errors in pictures of error over CPU time; 0: the quantity is not shown there."""
    return abs(reference(problem, quantity)) if quantity.scale is None else quantity.scale


@cache
def _stored() -> dict[tuple[str, str, str], tuple[str, float]]:
    if not TABLE.is_file():
        return {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {(row["problem"], row["variant"], row["quantity"]): (row["file"], float(row["value"])) for row in rows}


def rows_of(name: str) -> list[dict[str, str]]:
    """Rows of the table for a problem, computed now."""
    rows = []
    for problem in load(name):
        known = computed(problem)
        for quantity in problem.quantities:
            value = known[quantity.name] if quantity.reference is None else quantity.reference
            shown = f"{value:.{problem.reference.digits}g}"
            cells = (name, problem.variant, quantity.name, quantity.unit, shown, repr(float(value)))
            rows.append(dict(zip(COLUMNS, (*cells, problem.reference.kind, problem.digest), strict=True)))
    return rows


def write() -> None:
    """Compute all reference values and write the table."""
    rows = [row for name in names() for row in rows_of(name)]
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    write()
