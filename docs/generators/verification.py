"""The verification report: a summary by subject, then each claim with its reference, computed number and tolerance."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SUBJECTS = {
    "Equations and frames": r"errata|drift|frame_independence|flight_conservation",
    "Energy": r"ledger|energy",
    "Order in time": r"order|explicit",
    "Order in time and space, every case": r"converge",
    "Elasticity": r"fem|manufactured|elastic",
    "Plates after Szefer (2001)": r"paper_cases|plate",
    "Sticking and sliding blocks": r"block|incline|smooth_law",
    "Discs": r"disc",
    "Rods and annuli": r"rod|annulus",
    "Beams": r"beam",
    "Limit loads": r"limit_loads",
    "Pressure of contact, bodies in space": r"hertz|space_benchmarks",
}
"""Subjects of the report, and the names of test files that belong to them: the first that matches; others are `OTHER`."""
OTHER = "Other claims"

NO_RECORDS = """```{note}
There are no records here, so this page cannot show numbers. `make verification` runs the tests that record them and writes
`docs/verification.json`; the site is built without running any test.
```
"""
WORKS = re.compile(r"^## (.+)$", re.M)
"""The headings of docs/references.md: the words by which a work is cited."""

DERIVED = {
    "order of SDIRK2": "theory.md#8-time-integration",
    "order of the scheme": "theory.md#8-time-integration",
    "order of central differences": "theory.md#8-time-integration",
    "local error of SDIRK2": "theory.md#8-time-integration",
    "second-order quadrature": "theory.md#8-time-integration",
    "each summed from the stages": "theory.md#8-time-integration",
    "friction weights": "theory.md#5-friction-a-set-valued-law",
    "trapezoidal weights of friction": "theory.md#5-friction-a-set-valued-law",
    "the errata table": "theory.md#11-errata",
    "(3.4)1": "theory.md#3-rigid-equations",
    "in mean axes": "theory.md#7-frame-conditions",
    "Masing's rule": "references.md#masing-1926",
    "Masing:": "references.md#masing-1926",
}
"""Words of a source that is derived here, and its section."""


def read(path: Path) -> dict[str, Any] | None:
    """Records of `pytest tests --verification=FILE`, {commit, versions, records}; None without a file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def page(stored: Mapping[str, Any] | None, works: Mapping[str, str]) -> str:
    """Report as markdown; `works`: marks of the references by words like "Farkas et al. (2003)"."""
    if stored is None:
        return NO_RECORDS
    records = stored["records"]
    used = ", ".join(f"{name} {number}" for name, number in stored["versions"].items())
    commit = stored["commit"][:10]
    bands = sum(record["kind"] == "band" for record in records)
    subjects = by_subject(records)
    lines = [
        f"{len(records)} claims, each asserted by the test that recorded its numbers, at commit `{commit}` with {used}.",
        "",
        *_summary(subjects),
        "*Used tolerance* is the error over the largest error that the test allows: at 1 the test nearly fails. It is no"
        f" measure of accuracy. {bands} claims have no reference value: the test fails if the number leaves the *observed band*.",
        "",
        "The error in the tables is computed minus reference, over the reference where marked *relative*; the test fails if it"
        " is outside the interval beside it. Of several values the one with the largest error is shown. The source of the reference"
        " and the test stand below each claim.",
        "",
    ]
    for heading, own in subjects.items():
        lines += [
            f"## {heading}",
            "",
            "```{list-table}",
            ":header-rows: 1",
            ":class: verification",
            ":widths: 46 14 14 12 14",
            "",
        ]
        lines += _cells(["claim", "reference", "computed", "error", "allowed"])
        for record in own:
            lines += _cells(row(record, works))
        lines += ["```", ""]
    return "\n".join(lines) + "\n"


def by_subject(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Records by subject, in the order of SUBJECTS; subjects without a record are left out."""
    found: dict[str, list[Mapping[str, Any]]] = {subject: [] for subject in [*SUBJECTS, OTHER]}
    for record in records:
        found[_subject(record)].append(record)
    return {subject: own for subject, own in found.items() if own}


def _subject(record: Mapping[str, Any]) -> str:
    name = Path(record["test"].split("::")[0]).stem
    return next((subject for subject, names in SUBJECTS.items() if re.search(names, name)), OTHER)


def _summary(subjects: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    lines = [
        "| subject | claims | with reference | used tolerance, median | largest |",
        "|---|---|---|---|---|",
    ]
    for heading, own in subjects.items():
        known = [record for record in own if record["kind"] != "band"]
        used = sorted(abs(record["error"]) / record["tolerance"] for record in known if record["tolerance"] > 0)
        figures = (f"{used[len(used) // 2]:.2g}", f"{used[-1]:.2g}") if used else ("exact", "exact")
        lines.append(f"| [{heading}](#{anchor(heading)}) | {len(own)} | {len(known)} | {figures[0]} | {figures[1]} |")
    return [*lines, ""]


def anchor(heading: str) -> str:
    """Address of a heading within its page."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def row(record: Mapping[str, Any], works: Mapping[str, str]) -> list[str]:
    """Cells of a record: claim with source and test, reference, computed, error, allowed."""
    unit = "" if record["unit"] == "1" else f" {record['unit']}"
    found = f"{record['computed']:.6g}{unit}"
    if record["kind"] == "band":
        known, error, allowed = "none: observed band", "", f"{record['low']:.3g} to {record['high']:.3g}{unit}"
    else:
        known = f"{record['reference']:.6g}{unit}"
        error = f"{record['error']:.2e}" + (" relative" if record["relative"] else unit)
        smallest, largest = record["least"], record["tolerance"]
        allowed = f"{smallest:.2g} to {largest:.2g}" if smallest else f"at most {largest:.2g}"
    file, function = record["test"].split("[")[0].split("::")
    source = cited(escaped(record["source"]), works)
    claim = f"{escaped(record['claim'])}<br><small>{source}; `{Path(file).name}::{function}`</small>"
    return [claim, *map(escaped, (known, found, error, allowed))]


def escaped(text: str) -> str:
    """Plain text as markdown."""
    return re.sub(r"([\\*_`$<>\[\]])", r"\\\1", text)


def cited(text: str, works: Mapping[str, str]) -> str:
    """Markdown with links from cited works to the references, and from derivations to their sections."""
    places = {words: f"references.md#{mark}" for words, mark in works.items()}
    for words, place in (DERIVED | places).items():
        text = text.replace(words, f"[{words}]({place})")
    return text


def works_of(text: str) -> dict[str, str]:
    """{words: address} of the page of references, longer words first."""
    return {words: anchor(words) for words in sorted(WORKS.findall(text), key=len, reverse=True)}


def _cells(cells: Sequence[str]) -> list[str]:
    return [f"{'* -' if place == 0 else '  -'} {cell}".rstrip() for place, cell in enumerate(cells)]
