"""Trajectories: written during the run, to memory or to a NetCDF 4 file, and read back as xarray datasets. A file grows beside its
final name (``journal``). At the end, complete or not (attribute ``complete``), it becomes the final file, which takes its name when
closed and on the disk (``archive``): no reader meets half a file."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from floating_frame.output.archive import check_closed, load_trajectory, write_archive
from floating_frame.output.journal import Contents, Journal
from floating_frame.output.netcdf import check_name
from floating_frame.output.replacing import check_replaceable, replacing
from floating_frame.output.variables import CELLS, LABELS, STATIC, dtype_of, series_at, series_of, static_values
from floating_frame.stepping.substeps import step_failure
from floating_frame.system.ledger_series import count_series
from floating_frame.system.model import RunModel
from floating_frame.system.protocol import Series
from floating_frame.system.rows import OneStep, SingleSteps, together
from floating_frame.system.state import Counts

LABEL_TEXTS = {
    "axis": np.array(["x", "y", "z"]),
    "axis2": np.array(["x", "y", "z"]),
    "component": np.array(["xx", "yy", "xy"]),
    "quaternion": np.array(["w", "x", "y", "z"]),
}
"""Coordinates along the dimensions that have any; in the plane without z."""
STRESS_COMPONENTS = np.array(["xx", "yy", "zz", "yz", "xz", "xy"])
"""Components of a stress in space."""
VANISHED = "the directory was put away while the run wrote into it, and was made again"
MAX_DELAY = 1.0
"""Longest delay of instants that wait for ``together`` steps, s."""
PARTIAL = ".partial"
"""Suffix of a file that still grows, or whose process was killed."""


class Checkpoint(NamedTuple):
    """Checkpoint of a trajectory: bytes from which its run can be resumed; ``ready`` is called just before the complete file is put
    in place."""

    checkpoint: bytes
    ready: Callable[[], None]


class Sink:
    """Trajectory in memory, a dataset at the end. Stored instants of single steps wait for others, as series are made of many at
    once. ``energy`` J of the run at t = 0."""

    def __init__(self, model: RunModel, attributes: Mapping[str, object], energy: float) -> None:
        self._model, self._energy, self._contents = model, energy, contents_of(model, attributes)
        self._waiting: list[tuple[OneStep, Counts]] = []  # one list: an interrupt separates no step from its counts
        self._torn, self._flushed_at = False, time.monotonic()
        self._rows: list[dict[str, Any]] = []  # whole instants: an interruption cuts none

    @property
    def is_flushed(self) -> bool:
        """True if no instant waits."""
        return not (self._waiting or self._torn)

    def add(self, step: OneStep, counts: Counts) -> None:
        """Add a stored step with the ``counts`` since the one before. Raises StepFailure where values are too large."""
        self._waiting.append((step, counts))
        if len(self._waiting) >= together(step.after) or time.monotonic() - self._flushed_at > MAX_DELAY:
            self.flush()

    def write(self, values: Series) -> None:
        """Add instants, series (K, …), which must not change any more."""
        self.flush()
        self._store(values)

    def flush(self) -> None:
        """Store the waiting instants, all at once, or up to the first one with too large values, which raises StepFailure."""
        count = len(self._waiting)
        while self._waiting:
            steps, counts = zip(*self._waiting[:count], strict=True)
            try:
                values = series_at(self._model, SingleSteps.of(steps[0].after, steps), self._energy)
            except ArithmeticError as error:
                if count == 1:
                    raise step_failure(error, steps[0].after.time, 0.0) from error
                count = 1
                continue
            tallies = np.array([each.row for each in counts])
            values = values | count_series(tallies, np.arange(len(steps)), Counts())[0]
            self._torn = True  # an interrupt may come at any time
            del self._waiting[:count]
            self._store(values)
            self._torn = False
        self._flushed_at = time.monotonic()

    def sync(self) -> None:
        """Write all instants to permanent storage."""
        self.flush()

    def _store(self, values: Series) -> None:
        """Store instants: series (K, …)."""
        self._rows.append({name: np.asarray(values[name], dtype_of(name)) for name in self._contents.series})

    def so_far(self) -> xr.Dataset:
        """Trajectory of the stored instants."""
        data = self.close(False, {})
        self._rows = [{name: data[name].values for name in self._contents.series}]
        return data

    def close(
        self, complete: bool, attributes: Mapping[str, object], checkpoint: Checkpoint | None = None
    ) -> xr.Dataset:
        """Finish a run that is ``complete`` or not, with further ``attributes`` and a ``checkpoint``; return the trajectory.
        Waiting instants are lost."""
        contents = self._contents
        none = {name: np.empty((0, *contents.shape(v)), dtype_of(name)) for name, v in contents.series.items()}
        rows = self._rows or [none]
        values = contents.static | {name: np.concatenate([row[name] for row in rows]) for name in none}
        data = {name: (v.dims, values[name], v.attributes) for name, v in (contents.fixed | contents.series).items()}
        coords: dict[str, Any] = {"time": data.pop("time")}
        coords |= {name: (name, text, LABELS[name].attributes) for name, text in contents.labels.items()}
        return xr.Dataset(data, coords, {**contents.attributes, **attributes, "complete": int(complete)})


class FileSink(Sink):
    """Appends instants to a growing file beside ``path`` (its name with ``.partial``), and turns it into the complete file at
    the end.

    ``resumed``: number of instants to copy from the growing file, or else the final one.
    """

    def __init__(
        self, model: RunModel, attributes: Mapping[str, object], energy: float, path: Path, resumed: int = 0
    ) -> None:
        super().__init__(model, attributes, energy)
        self._path, partial = path, path.with_name(path.name + PARTIAL)
        self._rounded = False
        earlier = partial if partial.exists() else path
        with replacing(partial) as temporary:
            self._journal = Journal(temporary, self._contents)
            if resumed:
                with load_trajectory(earlier) as data:
                    self._rounded = any("rounding" in variable.attrs for variable in data.variables.values())
                    self._journal.copy_from(data, resumed)
        self._journal.path = partial

    def _store(self, values: Series) -> None:
        self._journal.append(values)

    def sync(self) -> None:
        super().sync()
        self._journal.sync()

    def so_far(self) -> xr.Dataset:
        self.sync()
        return load_trajectory(self._journal.path)

    def close(
        self, complete: bool, attributes: Mapping[str, object], checkpoint: Checkpoint | None = None
    ) -> xr.Dataset:
        """Make the final file, put it into its place and open it. Where there is no room for it, the growing file stays.

        Raises OSError, after all is saved in a directory made again where that had vanished.
        """
        vanished: OSError | None = None
        try:
            try:
                self._journal.sync_if_begun()
                self._replace(complete, attributes, checkpoint)
            except BaseException as error:
                no_file, lost = isinstance(error, FileNotFoundError), not self._path.parent.exists()
                if not (no_file or (lost and isinstance(error, OSError))):
                    with suppress(OSError):  # the first error is raised; all that found room stays
                        self._journal.sync()
                    raise
                vanished = FileNotFoundError(errno.ENOENT, VANISHED, str(self._path.parent))
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._replace(False, attributes, checkpoint)
        finally:
            self._journal.close()
        self._journal.path.unlink(missing_ok=True)
        if vanished is not None:
            raise vanished
        return load_trajectory(self._path, verified=True)

    def _replace(self, complete: bool, attributes: Mapping[str, object], checkpoint: Checkpoint | None) -> None:
        """Write the final file, check that it can be read, and put it into its place. Raises OSError."""
        sealed = dict(attributes) | {"complete": np.int32(complete)}
        with replacing(self._path) as temporary:
            instants, state = self._journal.read(), None if checkpoint is None else checkpoint.checkpoint
            write_archive(temporary, self._contents, instants, sealed, state, rounded=self._rounded)
            try:
                check_closed(temporary, sum(map(len, instants)))
            except ValueError as error:  # the disk lost it
                raise OSError(errno.EIO, f"what was written cannot be read back: {error}", str(self._path)) from error
            if checkpoint is not None:
                checkpoint.ready()


def check_path(path: str | Path) -> None:
    """Raise OSError where a trajectory cannot be written to ``path``: no name, a directory or device, a name that NetCDF refuses,
    or a missing directory."""
    place = Path(path)
    if not place.name.strip() or place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "expected the name of a file", str(path))
    if not place.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "expected a file in a directory that exists", str(path))
    check_replaceable(place)
    check_name(place)


def contents_of(model: RunModel, attributes: Mapping[str, object]) -> Contents:
    """Description of a model's trajectory before its first instant."""
    static, series = static_values(model), series_of(model)
    fixed = {name: (STATIC | CELLS)[name] for name in static}
    used = dict.fromkeys(d for v in (fixed | series).values() for d in v.dims if d in LABEL_TEXTS)
    space = model.system.results.dimension
    texts = LABEL_TEXTS if space == 2 else LABEL_TEXTS | {"component": STRESS_COMPONENTS}
    labels = {d: texts[d][:space] if d.startswith("axis") else texts[d] for d in used}
    sizes: dict[str, int | None] = {"time": None}
    for name, variable in fixed.items():
        sizes |= dict(zip(variable.dims, np.shape(static[name]), strict=True))
    return Contents(
        attributes=attributes,
        sizes=sizes | {name: len(text) for name, text in labels.items()},
        fixed=fixed,
        static=static,
        series=series,
        labels=labels,
    )
