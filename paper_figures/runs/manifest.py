"""The manifest, OUT/manifest.json: for each figure its source, runs, parameters, commit, versions and checksum of the numbers."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cases.app.run.errors import BadInput
from cases.app.run.results import write_whole
from paper_figures.numbers import Record

NAME = "manifest.json"
PATIENCE = 20.0
"""Seconds after which the lock of a process that has died is broken; an update takes milliseconds."""


def read(directory: Path) -> dict[str, Record]:
    """Entries of DIRECTORY/manifest.json by figure, none where there is no such file.

    Raises BadInput where the file is something else.
    """
    path = directory / NAME
    if not path.exists():
        return {}
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(
            f"out: expected a manifest of figures in {str(path)!r}, got an unreadable file ({error})"
        ) from error
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise BadInput(f"out: expected a manifest of figures in {str(path)!r}, got another kind of JSON")
    return entries


def note(directory: Path, name: str, entry: Record) -> None:
    """Put the entry of figure `name` into the manifest; other figures' entries stay, also of figures being made by another process.

    The file is replaced in one step.
    """
    with _alone(directory / f".{NAME}.lock"):
        entries = read(directory) | {name: entry}
        text = json.dumps(dict(sorted(entries.items())), indent=2, allow_nan=False) + "\n"
        write_whole(directory / NAME, lambda path: path.write_text(text, encoding="utf-8"))


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Keep other processes out while the file `lock` exists."""
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            _break_if_stale(lock)
            time.sleep(0.02)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _break_if_stale(lock: Path) -> None:
    try:
        if time.time() - lock.stat().st_mtime > PATIENCE:
            lock.unlink(missing_ok=True)
    except FileNotFoundError:
        pass  # released in the meantime
