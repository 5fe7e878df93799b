"""The manifest, OUT/manifest.json: for each figure its source, runs, parameters, commit, versions and checksum of the numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cases.errors import BadInput
from cases.results import write_whole

NAME = "manifest.json"


def read(directory: Path) -> dict[str, Any]:
    """Return the entries of DIRECTORY/manifest.json by figure, none where there is no such file.

    Raises BadInput where the file is something else.
    """
    path = directory / NAME
    if not path.exists():
        return {}
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(
            f"out: expected a manifest of figures in {str(path)!r}, got what cannot be read ({error})"
        ) from error
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise BadInput(f"out: expected a manifest of figures in {str(path)!r}, got another kind of JSON")
    return entries


def note(directory: Path, name: str, entry: dict[str, Any]) -> None:
    """Put the entry of figure `name` into the manifest; those of other figures stay. The file is replaced in one step."""
    entries = read(directory) | {name: entry}
    text = json.dumps(dict(sorted(entries.items())), indent=2, allow_nan=False) + "\n"
    write_whole(directory / NAME, lambda path: path.write_text(text, encoding="utf-8"))
