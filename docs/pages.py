"""The pages of the site that are written from the code: the cases with their parameters, the verification report, citation."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from cases.parts.parameters import base_type, expectation
from cases.registry import CASES
from cases.run.results import git_commit, versions

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "theory": "Corrected equations",
    "friction": "Friction problem",
    "fem": "Elasticity",
    "floating_frame": "Floating frame",
    "physics": "Blocks, discs, plates and rods on a rough plane",
    "beam": "Beams",
    "cases": "Cases against exact solutions",
}
"""Headings of the verification report, by the folder of tests that a record comes from."""


MARKS = re.compile(r"([\\*|_`])")
"""What reStructuredText would take for a mark in a plain text."""


def write_pages(folder: Path, records: Path) -> None:
    """Write the pages into `folder`; `records` is what `pytest tests --verification=FILE` wrote.

    Raises FileNotFoundError where there are no records.
    """
    if not records.is_file():
        raise FileNotFoundError(
            f"expected verification records in {records}; write them with: pytest tests --verification=FILE"
        )
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "cases.rst": cases_page(),
        "names.md": names_page(),
        "verification.md": verification_page(json.loads(records.read_text(encoding="utf-8"))),
        "citing.md": citing_page(yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))),
    }
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # an unchanged page is not built again
            path.write_text(text, encoding="utf-8")


def cases_page() -> str:
    """Return, as reStructuredText, each case's own description and the table of its parameters."""
    parts = []
    for name in CASES:
        module = importlib.import_module(f"cases.{name}")
        head, *rest = (inspect.getdoc(module) or "").splitlines()
        parts += [f"``{name}``", "-" * (len(name) + 4), "", head, *rest, "", *_parameters(module.Parameters), ""]
    return "\n".join(parts) + "\n"


def _parameters(model: Any) -> list[str]:
    lines = [".. list-table::", "   :header-rows: 1", ""]
    rows = [("parameter", "meaning", "unit", "takes", "default")]
    for key, field in model.model_fields.items():
        unit = str((field.json_schema_extra or {}).get("unit", ""))
        default = field.default
        if base_type(field) is float and default is not None:
            default = f"{default:g}"
        rows.append(
            (f"``{key}``", str(field.description), unit, expectation(field), "" if default is None else str(default))
        )
    for row in rows:
        name, *rest = row
        cells = [name, *(MARKS.sub(r"\\\1", cell) for cell in rest)]
        lines += [f"   {'* -' if number == 0 else '  -'} {cell}".rstrip() for number, cell in enumerate(cells)]
    return lines


def names_page() -> str:
    """Return, as markdown, what may be chosen by name: laws, materials, meshes, frames, schemes, sparse factors."""
    registries = {
        "friction.LAWS": "friction laws",
        "fem.MATERIALS": "materials",
        "fem.MESHES": "meshes",
        "fem.BACKENDS": "sparse factorisations",
        "floating_frame.FRAMES": "frame conditions of free bodies",
        "floating_frame.SCHEMES": "time schemes",
    }
    lines = ["| registry | of | names |", "|---|---|---|"]
    for path, what in registries.items():
        room, name = path.split(".")
        known = getattr(importlib.import_module(room), name)
        lines.append(f"| `{path}` | {what} | {', '.join(f'`{key}`' for key in known)} |")
    return "\n".join(lines) + "\n"


def verification_page(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the report as markdown: per folder of tests a table of claims, references, computed values and errors."""
    used = ", ".join(f"{name} {number}" for name, number in versions().items())
    bands = sum(record["kind"] == "band" for record in records)
    lines = [
        f"{len(records)} claims, each asserted by the test that recorded its numbers, at commit `{git_commit()}`"
        f" with {used}. The error is computed less reference, over the reference where it is marked *relative*;"
        " the test fails where its size is not in the interval beside it."
        " Of several values the one with the largest error is shown."
        f" {bands} claims have no reference: theory bounds the number at most, and the test fails where it leaves the"
        " *observed band*.",
        "",
    ]
    for room, heading in ROOMS.items():
        own = [r for r in records if Path(r["test"].split("::")[0]).parent.name == room]
        if not own:
            continue
        lines += [
            f"## {heading}",
            "",
            "| claim | reference | computed | error | allowed | source, test |",
            "|---|---|---|---|---|---|",
        ]
        lines += [_row(record) for record in own] + [""]
    return "\n".join(lines) + "\n"


def _row(record: Mapping[str, Any]) -> str:
    unit = "" if record["unit"] == "1" else f" {record['unit']}"
    found = f"{record['computed']:.8g}{unit}"
    if record["kind"] == "band":
        known, error, allowed = "none: observed band", "", f"{record['low']:.3g} to {record['high']:.3g}{unit}"
    else:
        known = f"{record['reference']:.8g}{unit}"
        error = f"{record['error']:.2e}" + (" relative" if record["relative"] else unit)
        smallest, largest = record["least"], record["tolerance"]
        allowed = f"{smallest:.2g} to {largest:.2g}" if smallest else f"at most {largest:.2g}"
    file, function = record["test"].split("[")[0].split("::")
    cells = [record["claim"], known, found, error, allowed, f"{record['source']}; `{Path(file).name}::{function}`"]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def citing_page(citation: Mapping[str, Any]) -> str:
    """Return the BibTeX entry that CITATION.cff amounts to, as a markdown block."""
    authors = " and ".join("{" + each["name"] + "}" for each in citation["authors"])
    year = str(citation["date-released"])[:4]
    fields = {"author": authors, "title": "{" + citation["title"] + "}", "version": citation["version"], "year": year}
    body = ",\n".join(f"  {key} = {{{value}}}" for key, value in fields.items())
    return f"```bibtex\n@software{{{citation['title'].replace('-', '_')},\n{body}\n}}\n```\n"
