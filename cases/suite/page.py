"""The page of the suite."""

from __future__ import annotations

from pathlib import Path


def write(directory: Path, rows: list, answers: list) -> None:
    """Write page and pictures."""
