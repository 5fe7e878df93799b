"""Saved trajectories of a directory: the complete file, or the partial one of a killed run or a full disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import xarray as xr

from cases.app.registry import case_of
from cases.app.run.directory import PARTIAL, POINTS, SWEEP, TRAJECTORY
from cases.app.run.errors import BadInput
from cases.app.run.notes import note
from cases.app.user_files import checksum
from floating_frame import load_trajectory
from floating_frame.output.archive import attributes_changed, verify
from floating_frame.output.netcdf import check_readable

CHANGED = "attributes (case, parameters, ...) do not agree with their checksum, damaged or edited since the run,"

RUN = "run"
"""Name of a run that was saved from Python and belongs to no case."""


def saved_trajectory(directory: str | Path) -> Path:
    """Trajectory from which the run of a directory continues: the partial file of a killed run, else the whole one.

    Raises BadInput where there is none.
    """
    folder = Path(directory)
    if not str(directory).strip():
        raise BadInput(f"expected a results directory, got {str(directory)!r}")
    for path in (folder / PARTIAL, folder / TRAJECTORY):
        if path.is_file():
            return path
    if any((folder / name).exists() for name in (SWEEP, POINTS)):
        raise BadInput(
            f"expected the results of a run, got a sweep in {str(folder)!r}: its numbers are in sweep.csv and sweep.nc, its "
            "picture is sweep.png, and the command that began it goes on with it"
        )
    raise BadInput(f"expected a results directory with a {TRAJECTORY}, got {str(folder)!r}")


@contextmanager
def refused_as_bad_input(directory: str | Path, what: str) -> Iterator[None]:
    """Turn any error in using saved results, damaged or of another version, into BadInput of one line."""
    try:
        yield
    except (BadInput, KeyboardInterrupt):
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise BadInput(
            f"expected results that this version can {what} in {str(directory)!r}, got other or damaged ones ({reason})"
        ) from error


def open_results(directory: str | Path) -> tuple[xr.Dataset, str]:
    """Whole trajectory of a directory, or else its partial file, and the name of its case.

    A partial file is named on stderr. Raises BadInput where there is no trajectory of a known case.
    """
    folder, left = Path(directory), saved_trajectory(directory)
    path = folder / TRAJECTORY if (folder / TRAJECTORY).is_file() else left
    data, name = open_trajectory(path, any_run=True)
    if left.name == PARTIAL:
        further = "" if path == left else " of a later run"
        note(
            f"note: {left}{further} is of a run that was killed, could not write, or still writes; it continues with: "
            f"python -m cases resume {folder}"
        )
    return data, name


def warn_of_changes(directory: str | Path) -> None:
    """Warn on stderr where attributes of the saved trajectory have changed since it was written."""
    whole = Path(directory) / TRAJECTORY
    path = whole if whole.is_file() else saved_trajectory(directory)
    if attributes_changed(path):
        note(f"warning: {CHANGED} in {path}")


def open_trajectory(source: Path, *, any_run: bool = False) -> tuple[xr.Dataset, str]:
    """Trajectory, each of its blocks checked, and the name of its case. Raises BadInput.

    With `any_run` runs saved from Python, which belong to no case, are opened too; their name is `RUN`.
    """
    try:
        check_readable(source, verify)
        data = load_trajectory(source, verified=True)
        if any_run and "case" not in data.attrs and "frame_position" in data:
            return data, RUN
        name, file = case_of(data.attrs), str(data.attrs.get("case_file", ""))
        if file and data.attrs.get("case_checksum") != checksum(file):
            note(f"note: {file} has changed since the run")
        return data, name
    except BadInput:
        raise
    except KeyError as error:
        raise BadInput(f"expected the trajectory of a case, got one that names none in {str(source)!r}") from error
    except (OSError, ValueError, RuntimeError) as error:
        raise BadInput(f"expected the trajectory of a case, undamaged: {error}") from error
