"""One run of a case: parameters in, trajectory, summary and picture out."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from pydantic import ValidationError

from cases.parts.parameters import Parameters, explain, from_text
from cases.registry import Case, load
from cases.run.config import read_config
from cases.run.errors import BadInput
from cases.run.progress import progress_bar
from cases.run.results import attributes, floor, results_directory, write_summary
from floating_frame import RunWarning, StepFailure, assemble, load_trajectory, run_warnings, simulate

SOLVER_FAILURE = 3


@np.errstate(all="ignore")  # numbers that are not finite end a run by name, and no summary has any
def run(
    name: str,
    given: Mapping[str, str],
    *,
    config: str | None,
    out: str,
    quiet: bool,
    stress: bool = False,
    strict: bool = False,
) -> int:
    """Run the case `name` and return the exit status: 0, or 3 where the solver failed.

    `given` are the texts of the command line's parameters, `config` a TOML file or summary.json beneath them, `out` the
    results directory. The warnings of the run's verdict go to stderr, a line each; with `strict` they too
    make the status 3. Raises BadInput before anything is written.
    """
    case = load(name)
    params = read_parameters(case.Parameters, given, config)
    try:
        options = case.options(params, stress=stress)
        model = assemble(case.problem(params), options)
    except (ValueError, OSError) as error:
        raise BadInput(str(error)) from error
    except (ArithmeticError, MemoryError) as error:
        raise BadInput(f"the parameters are too large, or too small, to compute with ({error})") from error
    directory = results_directory(out)
    trajectory = directory / "trajectory.nc"
    start = time.perf_counter()
    try:
        with progress_bar(name, params.t_end, shown=not quiet) as report:
            data = simulate(model, path=trajectory, attributes=attributes(name, params), progress=report)
    except StepFailure as failure:
        if failure.trajectory is not None:
            failure.trajectory.close()
        print_warnings(_keep_incomplete(directory, case, name, params, str(failure)))
        print(
            f"{' '.join(str(failure).split())}\nwhat was computed until then is in {trajectory}",
            file=sys.stderr,
        )
        return SOLVER_FAILURE
    except KeyboardInterrupt:
        _keep_incomplete(directory, case, name, params, "interrupted")
        raise
    with (
        data
    ):  # a file that is left open closes whenever, and in whatever thread, it is collected: HDF5 is not safe for that
        steps, warnings = int(data.sizes["time"]) - 1, run_warnings(data)
        results, message = _results(case, params, data)
    write_summary(directory, name, params, complete=True, results=results, message=message, warnings=warnings)
    if message:
        print(f"{message}\nwhat was computed is in {trajectory}", file=sys.stderr)
        return SOLVER_FAILURE
    _draw(directory)
    if not quiet:
        print(f"{name}: {steps} instants stored up to t = {params.t_end:g} s in {time.perf_counter() - start:.1f} s")
        print_results(results)
        print(f"results in {directory}: trajectory.nc, summary.json, {name}.png")
    print_warnings(warnings)
    return SOLVER_FAILURE if strict and warnings else 0


def _results(case: Case, params: Parameters, data: xr.Dataset) -> tuple[dict[str, Any], str]:
    """Return the headline numbers, or none of them and why."""
    try:
        return case.summary(params, data) | floor(data), ""
    except (ArithmeticError, ValueError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return {}, f"the summary cannot be computed, its numbers are too large or too small ({reason})"


def print_warnings(warnings: Sequence[RunWarning]) -> None:
    """Print a line on stderr for each warning."""
    for warning in warnings:
        print(warning.line, file=sys.stderr)


def read_parameters(model: type[Parameters], given: Mapping[str, str], config: str | None) -> Parameters:
    """Return the validated parameters: the command line's texts over a configuration file over the defaults."""
    return validated(model, given_values(model, given, config))


def validated(model: type[Parameters], values: Mapping[str, Any]) -> Parameters:
    """Return the parameters with these values over the defaults. Raises BadInput, one line, for what is refused."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise BadInput(explain(model, error)) from error


def given_values(model: type[Parameters], given: Mapping[str, str], config: str | None) -> dict[str, Any]:
    """Return what a configuration file and, over it, the command line's texts say, not yet validated."""
    values = read_config(config, model) if config is not None else {}
    fields = model.model_fields
    return values | {key: from_text(fields[key], text) for key, text in given.items()}


def _draw(directory: Path) -> None:
    from cases.drawing.plotting import plot_directory  # matplotlib takes half a second to import

    try:
        plot_directory(directory)
    except BadInput as error:  # numbers that no picture shows are no reason to lose the run's own status
        print(f"no picture: {error}", file=sys.stderr)


def _keep_incomplete(directory: Path, case: Case, name: str, params: Parameters, message: str) -> list[RunWarning]:
    """Write summary and picture of the part that was computed and return its warnings; a picture of an earlier run must
    not stay beside it.
    """
    picture = directory / f"{name}.png"
    trajectory = directory / "trajectory.nc"
    instants, warnings = 0, list[RunWarning]()
    if trajectory.exists():
        with load_trajectory(trajectory) as data:
            instants, warnings = data.sizes["time"], run_warnings(data)
    write_summary(directory, name, params, complete=False, results={}, message=message, warnings=warnings)
    picture.unlink(missing_ok=True)
    if instants > 1:
        _draw(directory)
    return warnings


def print_results(results: Mapping[str, Mapping[str, Any]]) -> None:
    """Print each headline number beside its exact or reference value."""
    for entry in results.values():
        unit = "" if entry["unit"] == "1" else f" {entry['unit']}"
        value = "none" if entry["value"] is None else f"{entry['value']:.8g}{unit}"
        beside = f"  (exact {entry['exact']:.8g})" if "exact" in entry else ""
        if "reference" in entry:
            beside = f"  (reference {entry['reference']['value']:.8g})"
        print(f"  {entry['description']}: {value}{beside}")
