"""Results directories: one writer at a time; results of another run are replaced only with --force.

The lock is the system's (`flock`) on DIR/.lock: the system releases it when the process ends,
also by a kill. The file contains the process number, for messages.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cases.app.run.errors import BadInput
from cases.app.run.reading import read_bounded
from cases.app.run.results import OWN, results_directory, versions
from cases.app.user_files import shown
from floating_frame.output.netcdf import check_readable, read_attributes

LOCK = ".lock"
TRAJECTORY, PARTIAL, CHECKPOINT, SUMMARY = "trajectory.nc", "trajectory.nc.partial", "checkpoint.npz", "summary.json"
CONVERGE, MODES, SWEEP, POINTS = "converge.csv", "modes.nc", "sweep.nc", "points.jsonl"
WRITTEN = (TRAJECTORY, PARTIAL, CHECKPOINT, SUMMARY, SWEEP, "sweep.csv", POINTS, CONVERGE, MODES)
SWEPT = (SWEEP, "sweep.csv", "sweep.png", POINTS)
KINDS = {MODES: "modes", SWEEP: "a sweep", POINTS: "a sweep", TRAJECTORY: "a run", PARTIAL: "a run"}
TEMPORARY = re.compile(r"\.(?P<file>.+)\.(?P<process>\d+)-[0-9a-f]+\.partial")
"""Names of the temporary files of `floating_frame.output.replacing`."""
PICTURES = (".png", ".mp4", ".gif", ".html", ".csv")


@contextmanager
def locked(out: str) -> Iterator[Path]:
    """Create the results directory and lock it against other runs. Raises BadInput."""
    directory = results_directory(out)
    path = directory / LOCK
    file = _acquired(path, out)
    try:
        os.ftruncate(file, 0)
        os.write(file, f"process {os.getpid()}".encode())
    except OSError:  # a full disk: the lock holds all the same
        pass
    _clear(directory)
    try:
        yield directory
    finally:
        with suppress(OSError):  # the directory may have vanished, or another one be in its place
            if os.path.samestat(os.stat(path), os.fstat(file)):
                path.unlink()
        os.close(file)


def _clear(directory: Path) -> None:
    """Remove temporary files of killed processes: those that only the owner of the lock writes, and others of processes
    that no longer run.
    """
    for folder in (directory, directory / "vtk"):
        for left in folder.glob(".*.partial"):
            match = TEMPORARY.fullmatch(left.name)
            if match and (match["file"] in WRITTEN or not _runs(int(match["process"]))):
                left.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    """True where the process exists, and on Windows, where it cannot be tested."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # of another user
        return True
    return True


def _acquired(path: Path, out: str) -> int:
    """Descriptor of the locked lock file. Raises BadInput where another run holds it."""
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise BadInput(f"out: expected a directory that can be written, got {out!r} ({error.strerror})") from error
        try:
            _lock(file)
        except BlockingIOError:
            who = os.read(file, 100).decode(errors="replace") or "another process"
            os.close(file)
            raise BadInput(
                f"out: expected a directory that no other run writes, got {out!r}, into which {who} writes now"
            ) from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(path), os.fstat(file)):
                return file
        os.close(file)  # its last owner has just removed it: the locked file is no longer in the directory


def _lock(file: int) -> None:
    """Lock a file at once. Raises BlockingIOError."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except PermissionError as error:
            raise BlockingIOError from error
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def refuse_foreign(directory: Path, name: str, file: str, *, force: bool) -> None:
    """Raise BadInput where DIR/`file` is of another case than `name`, of another version or unknown, or where DIR holds results of
    another kind, whose summary or picture would be replaced; not with `force`."""
    if force:
        return
    this = versions()[OWN]
    expected = (
        f"out: expected a directory without other results, or --force to replace them, got {str(directory)!r} with"
    )
    for other, kind in KINDS.items():
        if kind != KINDS[file] and (directory / other).exists():
            raise BadInput(f"{expected} {kind}")
    for path in filter(Path.exists, (directory / file, directory / f"{file}.partial")):
        earlier = origin(path)
        if earlier is None:
            summary = read_json(directory / SUMMARY)
            earlier = (name, this, summary.get("case_file")) if summary.get("case") == name else None
        if earlier is None:
            raise BadInput(f"{expected} an unreadable {path.name}")
        if earlier[0] != name or (earlier[2] or name) != shown(name):
            raise BadInput(f"{expected} results of {earlier[2] or earlier[0]}")
        if earlier[1] != this:
            raise BadInput(f"{expected} results of version {earlier[1]}, this is {this}")


def refuse_other_study(directory: Path, name: str) -> None:
    """Raise BadInput where DIR/converge.csv is not of the case `name` and this version."""
    path = directory / CONVERGE
    if not path.exists():
        return
    try:
        rows = csv.DictReader(io.StringIO(read_bounded(path).decode(), newline=""))
        studies = {(row.get("case"), row.get("version") or "before 0.3.0") for row in rows}
    except (OSError, ValueError, csv.Error):
        studies = {(None, "")}
    cases, others = {case for case, _ in studies}, {text for _, text in studies} - {versions()[OWN]}
    here = f"out: expected a directory without other studies, or --force to replace them, got {str(directory)!r} with one of"
    if cases - {name}:
        raise BadInput(f"{here} {', '.join(sorted(map(str, cases - {name, None}))) or 'something else'}")
    if others:
        raise BadInput(f"{here} version {', '.join(sorted(others))}, this is {versions()[OWN]}")


def origin(path: Path) -> tuple[str, str, str | None] | None:
    """Case, version of the code and, of a user's case, file named in a NetCDF file; None where it is unreadable or names none."""
    try:
        check_readable(path)
        stored = read_attributes(path)
        version = str(json.loads(stored["versions"]).get(OWN, "unknown"))
        return str(stored["case"]), version, stored.get("case_file")
    except (OSError, RuntimeError, AttributeError, KeyError, TypeError, ValueError):
        return None


def read_json(path: Path) -> dict[str, Any]:
    """Contents of a JSON file; empty where it is missing or damaged."""
    with suppress(OSError, ValueError, RecursionError):
        content = json.loads(read_bounded(path).decode())
        return content if isinstance(content, dict) else {}
    return {}


def remove_earlier(directory: Path, name: str, *, others: Iterable[str] = SWEPT) -> None:
    """Remove summary, pictures and checkpoint of the trajectory that will be replaced, of whatever case, modes and the `others`."""
    earlier = origin(directory / TRAJECTORY)
    names = {name} | ({earlier[0]} if earlier is not None else set())
    shown = [f"{case}{end}" for case in names for end in PICTURES] + [f"vtk/{case}.pvd" for case in names]
    for file in (SUMMARY, CHECKPOINT, MODES, "modes.png", *others, *shown):
        (directory / file).unlink(missing_ok=True)
