"""Stored points of a sweep: each finished point goes to DIR/points.jsonl, and all to sweep.nc at the end. The same sweep, or a
larger one, then computes only the missing points.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import xarray as xr

from cases.app.run.directory import POINTS, SWEEP
from cases.app.run.errors import BadInput
from cases.app.run.reading import read_bounded
from cases.app.run.results import write_whole
from cases.app.studies.sweep.outcome import NOT_RUN, Outcome
from floating_frame.output.netcdf import check_readable

LOST = ("KilledWorker", "NoWorkers")
"""First words of failures that are not the point's fault."""

GROUP = "points"
MAX_BYTES = 1 << 28
"""Largest size of the outcomes of all points, bytes."""


class StoredPoints:
    """Outcomes of a sweep over `points` (JSON of parameters each, in order) of the case `name` in a locked directory.

    `known`: the stored outcomes by number, without points that did not run or whose worker died. Raises BadInput where the
    directory has other points, unless `force`.
    """

    def __init__(self, directory: Path, name: str, points: Sequence[str], *, force: bool) -> None:
        self._path = directory / POINTS
        self._keys = [hashlib.sha256(point.encode()).hexdigest() for point in points]
        head, lines = {"sweep": name}, [*_of_whole(directory / SWEEP), *_of_journal(self._path)]
        read = lines if not force else []
        there = {line["point"]: _outcome(line["outcome"]) for line in read if _is_point(line)}
        there = {key: o for key, o in there.items() if o["status"] != NOT_RUN and not o["reason"].startswith(LOST)}
        if read and (head not in read or not there.keys() <= set(self._keys)):
            raise BadInput(
                f"out: expected all points of the sweep that is there, and further ones, or --force to replace it, got others "
                f"for {str(directory)!r}"
            )
        self.known: dict[int, Outcome] = {k: there[key] for k, key in enumerate(self._keys) if key in there}
        self._text = [_line(head), *(_line(self._entry(k, o)) for k, o in self.known.items())]
        write_whole(self._path, lambda path: path.write_text("".join(self._text), encoding="utf-8"))

    def add(self, number: int, outcome: Outcome) -> None:
        """Store an outcome. Raises OSError where it cannot be written; earlier ones stay."""
        line = _line(self._entry(number, outcome))
        self._text.append(line)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def _entry(self, number: int, outcome: Outcome) -> dict[str, object]:
        entry = outcome | {"warnings": [asdict(w) for w in outcome.get("warnings", ())]}
        return {"point": self._keys[number], "outcome": entry}

    def write_into(self, path: Path) -> None:
        """Write all outcomes into a NetCDF file."""
        data = np.frombuffer(zlib.compress("".join(self._text).encode()), np.uint8)
        xr.Dataset({GROUP: ("byte", data)}).to_netcdf(path, mode="a", engine="netcdf4", group=GROUP)

    def remove(self) -> None:
        """Remove the file of single points after all are in sweep.nc."""
        self._path.unlink(missing_ok=True)


def _is_point(line: dict[str, Any]) -> bool:
    """True for a line with the outcome of a point."""
    entry = line.get("outcome")
    kinds = {"status": str, "reason": str, "results": dict, "effort": dict, "seconds": float | int, "warnings": list}
    if not (isinstance(line.get("point"), str) and isinstance(entry, dict) and entry.keys() == kinds.keys()):
        return False
    entries, warnings = entry["results"].values(), entry["warnings"]
    whole = all(isinstance(e, dict) and {"value", "unit", "description"} <= e.keys() for e in entries)
    known = all(isinstance(w, dict) and w.keys() == {"name", "value", "limit", "advice"} for w in warnings)
    return whole and known and all(isinstance(entry[name], kind) for name, kind in kinds.items())


def _outcome(entry: dict[str, Any]) -> Outcome:
    if not entry["warnings"]:
        return cast(Outcome, entry)
    from floating_frame import RunWarning  # imports the numerics, which takes a second

    return cast(Outcome, entry | {"warnings": [RunWarning(**w) for w in entry["warnings"]]})


def _line(value: Mapping[str, object]) -> str:
    text = json.dumps(value)
    return f"{zlib.crc32(text.encode()):08x} {text}\n"


def _lines(text: str) -> Iterator[dict[str, Any]]:
    """The complete lines: the last one of a killed sweep may be cut."""
    for line in text.splitlines():
        checksum, _, value = line.partition(" ")
        if checksum == f"{zlib.crc32(value.encode()):08x}":
            with suppress(ValueError, RecursionError):
                content = json.loads(value)
                yield content if isinstance(content, dict) else {}


def _of_journal(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    try:
        return [{}, *_lines(read_bounded(path, MAX_BYTES).decode(errors="replace"))]
    except OSError as error:
        raise BadInput(f"out: expected the points of a sweep in {str(path)!r}, got none ({error.strerror})") from error


def _of_whole(path: Path) -> list[dict[str, Any]]:
    """Outcomes stored in sweep.nc; a meaningless line where there are none."""
    if not path.exists():
        return []
    try:
        check_readable(path)
        with xr.open_dataset(path, engine="netcdf4", group=GROUP) as data:
            text = zlib.decompressobj().decompress(data[GROUP].values.tobytes(), MAX_BYTES)
            return [{}, *_lines(text.decode())]
    except (OSError, RuntimeError, KeyError, ValueError, zlib.error):
        return [{}]
