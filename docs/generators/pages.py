"""The pages of the site that are written from the code: the cases with their parameters, names, API, citation."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from cases.app.parts.parameters import base_type, expectation
from cases.app.registry import CASES
from generators import api, gallery, verification

ROOT = Path(__file__).resolve().parents[2]

MARKS = re.compile(r"([\\*|_`])")
"""Characters of a plain text that reStructuredText reads as marks."""


def write_pages(folder: Path, records: Path) -> None:
    """Write the pages into `folder`; `records`: written by `pytest tests --verification=FILE`, if any."""
    folder.mkdir(parents=True, exist_ok=True)
    works = verification.works_of((ROOT / "docs" / "references.md").read_text(encoding="utf-8"))
    pages = {
        "cases.rst": cases_page(),
        "names.md": names_page(),
        "verification.md": verification.page(verification.read(records), works),
        "citing.md": citing_page(yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))),
        **gallery.pages(),
        **api.pages(),
    }
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # an unchanged page is not built again
            path.write_text(text, encoding="utf-8")


def cases_page() -> str:
    """Description and table of parameters of each case, as reStructuredText."""
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
    """Choices by name, as markdown: laws, materials, meshes, frames, schemes, sparse factors."""
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


def citing_page(citation: Mapping[str, Any]) -> str:
    """BibTeX entry of CITATION.cff, as a markdown block."""
    authors = " and ".join("{" + each["name"] + "}" for each in citation["authors"])
    year = str(citation["date-released"])[:4]
    fields = {"author": authors, "title": "{" + citation["title"] + "}", "version": citation["version"], "year": year}
    body = ",\n".join(f"  {key} = {{{value}}}" for key, value in fields.items())
    return f"```bibtex\n@software{{{citation['title'].replace('-', '_')},\n{body}\n}}\n```\n"
