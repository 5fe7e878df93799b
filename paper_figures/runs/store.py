"""The store of computed jobs: OUT/runs/KEY.nc beside KEY.json, stored under all inputs of the result.

KEY is a checksum of the job's description: case, every parameter, versions of the libraries and checksum of the code. A result
of other code or other parameters therefore lies under another key and is never taken for a fresh one; --force computes
the result of a key again. The .json file is written last, so a .nc file with one is complete.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import xarray as xr

from cases.app.run.results import git_commit, write_whole
from floating_frame import StepFailure, load_trajectory, run_warnings
from friction import FrictionSolveError
from paper_figures.numbers import Record
from paper_figures.runs.jobs import Job


class RunFailed(RuntimeError):
    """A solver failed in a job; the message has the job, the solver's message, and the file of the computed part."""


@dataclass(frozen=True)
class Result:
    """A job's numbers: `data`, its `record` (description, key, `run_time` s, `git_commit`, `warnings` of the run's verdict), and
    whether it was computed now."""

    data: xr.Dataset
    record: Record
    fresh: bool


@dataclass
class Store:
    """Computes each missing result once for all figures."""

    directory: Path
    force: bool = False
    shown: bool = False
    _computed: set[str] = field(default_factory=set)

    def get(self, job: Job) -> Result:
        """Result of a job, from the store where it is there. Raises RunFailed and OSError."""
        description = job.description()
        name = key(description)
        stored = None if self.force and name not in self._computed else self._stored(name, description)
        if stored is not None:
            return stored
        result = self._compute(job, name, description)
        self._computed.add(name)
        return result

    def _stored(self, name: str, description: Record) -> Result | None:
        try:
            record = json.loads((self.directory / f"{name}.json").read_text(encoding="utf-8"))
            if {part: record[part] for part in description} != description:
                return None
            data = load_trajectory(self.directory / f"{name}.nc")
        except (OSError, ValueError, KeyError):
            return None  # missing or damaged: computed again
        if not int(data.attrs.get("complete", 0)):
            data.close()
            return None
        return Result(data, record, fresh=False)

    def _compute(self, job: Job, name: str, description: Record) -> Result:
        self.directory.mkdir(parents=True, exist_ok=True)
        path, record_path = self.directory / f"{name}.nc", self.directory / f"{name}.json"
        unfinished = self.directory / f"{name}.incomplete.nc"
        unfinished.unlink(missing_ok=True)
        start = time.perf_counter()
        try:
            with job.compute(unfinished, shown=self.shown) as computed:
                warnings = run_warnings(computed)
        except (StepFailure, FrictionSolveError) as failure:
            place = f"; the computed part is in {unfinished}" if unfinished.exists() else ""
            raise RunFailed(f"{description['case']}: {' '.join(str(failure).split())}{place}") from failure
        record = description | {
            "key": name,
            "run_time": round(time.perf_counter() - start, 3),
            "git_commit": git_commit(),
            "warnings": [asdict(warning) for warning in warnings],
        }
        for warning in warnings:
            print(f"{warning.line} ({description['case']})", file=sys.stderr)
        os.replace(unfinished, path)
        text = json.dumps(record, indent=2, allow_nan=False) + "\n"
        write_whole(record_path, lambda target: target.write_text(text, encoding="utf-8"))
        return Result(load_trajectory(path), record, fresh=True)


def key(description: Record) -> str:
    """Name of a description in the store."""
    return hashlib.sha256(json.dumps(description, sort_keys=True, allow_nan=False).encode()).hexdigest()[:24]
