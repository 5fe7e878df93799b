"""Jobs of the figures: runs of cases, runs of Python problems, and studies, each with all inputs of its result.

A job has a `description` and computes its result (`compute`). Its stored result is filed under the description
(paper_figures/runs/store.py), so whatever changes the numbers must be in it: validated parameters with their defaults, the
checksum of the code, and, where a function of a figure's own module takes part, the checksum of that module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, Self

import xarray as xr

from cases.app.parts.parameters import CaseParameters
from cases.app.registry import CASES, Case, load
from cases.app.run.errors import BadInput
from cases.app.run.inputs import validated
from cases.app.run.progress.display import progress_bar
from cases.app.run.results import git_commit, versions
from floating_frame import (
    Options,
    Problem,
    assemble,
    simulate,
)
from paper_figures.runs.checksums import code_checksum, module_checksum


class Job(Protocol):
    """The face of a job of a figure."""

    def changed(self, **parameters: object) -> Self:
        """The job with other parameters."""

    def description(self) -> dict[str, object]:
        """All inputs of the result, as JSON. Raises BadInput for refused parameters."""

    def compute(self, path: Path, *, shown: bool = False) -> xr.Dataset:
        """Compute, write the NetCDF file `path` and return it opened; a progress bar on a terminal where `shown`.

        Raises StepFailure where a solver fails (`path` then has the computed part, attribute `complete` 0), and BadInput.
        """


@dataclass(frozen=True)
class Run:
    """A run of a case: its name, the parameters that differ from the defaults, and whether stresses are stored."""

    case: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    stress: bool = False

    def changed(self, **parameters: object) -> Run:
        """The run with other parameters."""
        return replace(self, parameters={**self.parameters, **parameters})

    def validated(self) -> CaseParameters:
        """Parameters of the case. Raises BadInput for a case or parameters that are refused."""
        case = self._module()
        try:
            return validated(case.Parameters, self.parameters)
        except BadInput as error:
            raise BadInput(f"{self.case}: {error}") from error

    def description(self) -> dict[str, object]:
        """Case, every parameter, scheme, code and versions."""
        params = self.validated()
        return {
            "case": self.case,
            "parameters": json.loads(params.model_dump_json()) | ({"stress": True} if self.stress else {}),
            "scheme": params.scheme,
            "code": code_checksum(),
            "versions": versions(),
        }

    def compute(self, path: Path, *, shown: bool = False) -> xr.Dataset:
        """Run the case into `path`."""
        params = self.validated()
        case = self._module()
        options = case.options(params, stress=self.stress)
        attributes = {"case": self.case, "parameters": params.model_dump_json()}
        return _simulated(self.case, case.problem(params), options, path, attributes, shown)

    def _module(self) -> Case:
        if self.case not in CASES:
            raise BadInput(f"expected the name of a case (one of {', '.join(CASES)}), got {self.case!r}")
        return load(self.case)


@dataclass(frozen=True)
class ProblemRun:
    """A run that no case describes: `build(**parameters)` returns the Problem and its Options.

    `build` is a function of a module of paper_figures; its parameters are numbers, texts or lists of them.
    """

    build: Callable[..., tuple[Problem, Options]]
    parameters: Mapping[str, object] = field(default_factory=dict)

    def changed(self, **parameters: object) -> ProblemRun:
        """The run with other parameters."""
        return replace(self, parameters={**self.parameters, **parameters})

    def description(self) -> dict[str, object]:
        """Function, its parameters, the scheme, code and versions."""
        _, options = self.build(**self.parameters)
        return _described(self.build, self.parameters, options.scheme)

    def compute(self, path: Path, *, shown: bool = False) -> xr.Dataset:
        """Run the problem into `path`."""
        problem, options = self.build(**self.parameters)
        attributes = {"case": _name(self.build), "parameters": json.dumps(dict(self.parameters), allow_nan=False)}
        return _simulated(self.build.__name__, problem, options, path, attributes, shown)


@dataclass(frozen=True)
class Study:
    """Numbers that are not one trajectory (orders, limit surfaces, costs): `function(**parameters)` returns them as a Dataset.

    `function` is a function of a module of paper_figures; its parameters are numbers, texts or lists of them.
    """

    function: Callable[..., xr.Dataset]
    parameters: Mapping[str, object] = field(default_factory=dict)

    def changed(self, **parameters: object) -> Study:
        """The study with other parameters."""
        return replace(self, parameters={**self.parameters, **parameters})

    def description(self) -> dict[str, object]:
        """Function, its parameters, code and versions; the scheme where it is a parameter."""
        return _described(self.function, self.parameters, self.parameters.get("scheme"))

    def compute(self, path: Path, *, shown: bool = False) -> xr.Dataset:
        """Call the function and write its numbers to `path`."""
        data = self.function(**self.parameters)
        data.attrs |= {"case": _name(self.function), "git_commit": git_commit(), "complete": 1}
        data.to_netcdf(path)
        return data


def _name(function: Callable[..., object]) -> str:
    return f"{function.__module__.rsplit('.', 1)[-1]}.{function.__qualname__}"


def _described(function: Callable[..., object], parameters: Mapping[str, object], scheme: object) -> dict[str, object]:
    return {
        "case": _name(function),
        "parameters": json.loads(json.dumps(dict(parameters), allow_nan=False)),
        "scheme": scheme,
        "code": code_checksum(),
        "module": module_checksum(function.__module__),
        "versions": versions(),
    }


def _simulated(
    name: str, problem: Problem, options: Options, path: Path, attributes: dict[str, str], shown: bool
) -> xr.Dataset:
    """Trajectory of a problem, written to `path`."""
    saved = attributes | {"versions": json.dumps(versions()), "git_commit": git_commit()}
    model = assemble(problem, options)
    with progress_bar(name, problem.t_end, shown=shown) as report:
        return simulate(model, path=path, attributes=saved, progress=report)
