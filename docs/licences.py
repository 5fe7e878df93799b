"""Write docs/licences.md: the licences of all dependencies, from the metadata of the installed packages.

    python docs/licences.py         # in an environment with everything of constraints.txt

tests/test_packaging.py compares the page with the constraints and the installed packages.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"
HEAD = """# Licences of the dependencies

The licence of this project is MIT. The project contains no code of its dependencies: pip installs each under its own licence,
listed here from its metadata. MKL and its dependencies, under the Intel Simplified Software License, come with PARDISO on
x86-64; without them SuperLU replaces PARDISO. `python docs/licences.py` writes this page, `tests/test_packaging.py` checks it.

| package | version | licence | needed for |
|---|---|---|---|
"""
SHORT = {"Apache Software License": "Apache-2.0", "BSD License": "BSD", "MIT License": "MIT"}


def pinned() -> dict[str, str]:
    """Version of each distribution in constraints.txt, by its normalised name."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(";")[0].strip().split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


def licence(found: Distribution) -> str:
    """Licence of a distribution: its SPDX expression, else its classifiers, else the first line of its text."""
    given = found.metadata
    if expression := given.get("License-Expression"):
        return str(expression)
    classified = [line.split(" :: ")[-1] for line in given.get_all("Classifier", []) if line.startswith("License ::")]
    named = [SHORT.get(name, name) for name in classified if name != "OSI Approved"]
    if named:
        return ", ".join(dict.fromkeys(named))
    text = str(given.get("License") or "").strip()
    return text.splitlines()[0][:60].strip() if text else "not stated in its metadata"


def needed_by(requirements: list[str], extra: str = "") -> set[str]:
    """Normalised names of the distributions that requirements bring into this environment."""
    wanted = list(_applying(requirements, extra))
    seen: set[tuple[str, frozenset[str]]] = set()
    while wanted:
        name, extras = wanted.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            own = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        for each in {"", *extras}:
            wanted += _applying(own, each)
    return {name for name, _ in seen}


def _applying(requirements: list[str], extra: str) -> Iterator[tuple[str, frozenset[str]]]:
    for text in requirements:
        found = Requirement(text)
        if found.marker is None or found.marker.evaluate({"extra": extra}):
            yield canonicalize_name(found.name), frozenset(found.extras)


def purposes() -> dict[str, str]:
    """Purpose of each distribution: running, or the extras that bring it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = dict.fromkeys(needed_by(project["dependencies"]), "running")
    for extra, requirements in project["optional-dependencies"].items():
        if extra == "dev":  # all of the others
            continue
        for name in needed_by(requirements):
            before = found.get(name)
            found[name] = before if before == "running" else ", ".join(filter(None, (before, extra)))
    return found


def row(name: str, version: str, purpose: str) -> str:
    """Line of a distribution in the table. Raises PackageNotFoundError where it is not installed."""
    found = distribution(name)
    text = re.sub(r"\s+", " ", licence(found)).replace("|", "\\|")
    return f"| {found.metadata['Name']} | {version} | {text} | {purpose} |"


def main() -> int:
    """Write the page and return the exit status: 1 where something of constraints.txt is not installed."""
    why, rows, missing = purposes(), [], []
    for name, version in sorted(pinned().items()):
        try:
            rows.append(row(name, version, why.get(name, "its dependants on other systems")))
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        print(
            f"expected everything of constraints.txt to be installed, found nothing of {', '.join(missing)}",
            file=sys.stderr,
        )
        return 1
    PAGE.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
