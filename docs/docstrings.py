"""Plain docstrings for Sphinx: |v|, w_i, 2 * a and `name` are text, and an indented formula stays as it is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CODE = re.compile(r"(``[^`]+``|`[^`]+`)")
_ENTRY = re.compile(r"^\w+: \S")


def as_rst(lines: Sequence[str]) -> list[str]:
    """Return the lines of a docstring as reStructuredText that renders what a reader of the source sees.

    Code in single or double backticks stays code; other marks are escaped. An indented block after a blank line is a literal
    block. A line `name: meaning`, with what follows up to the next such line or a blank one, becomes an item of a list.
    """
    out: list[str] = []
    item = literal = False
    for number, line in enumerate(lines):
        first = number == 0 or not lines[number - 1].strip()  # of a paragraph
        indented = line.startswith(" ") and bool(line.strip())
        if literal and line.strip() and not indented:
            literal = False
        if indented and first and not literal:
            out += ["::", ""]
            literal = True
        if literal:
            out.append(line)
            continue
        if _ENTRY.match(line):
            if not item and not first:
                out.append("")
            out.append("- " + _entry(*line.split(": ", 1)))
            item = True
        elif line.strip():
            if first and not indented:
                item = False
            out.append(("  " if item else "") + _escaped(line.strip()))
        else:
            out.append("")
    return out


def _entry(name: str, meaning: str) -> str:
    return (f"**{name}**" if name[0].isupper() and len(name) > 3 else f"``{name}``") + f": {_escaped(meaning)}"


def _escaped(text: str) -> str:
    parts = _CODE.split(text)
    for k, part in enumerate(parts):
        if k % 2:
            parts[k] = "``" + part.strip("`") + "``"
        else:
            parts[k] = re.sub(r"([\\*|_`])", r"\\\1", part)
    return "".join(parts)
