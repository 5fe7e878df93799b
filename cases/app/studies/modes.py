"""Natural modes of a case's body: a table, a picture and summary.json."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from cases.app.drawing.modes import draw_modes
from cases.app.drawing.plotting import open_results, parameters
from cases.app.parts.parameters import CaseParameters
from cases.app.registry import load
from cases.app.run.directory import MODES, TRAJECTORY, locked, refuse_foreign
from cases.app.run.errors import BadInput
from cases.app.run.inputs import given_values, read_parameters, validated
from cases.app.run.results import Headlines, attributes, headline, write_summary, write_whole
from cases.references.beams.modes import frequencies
from floating_frame import (
    Lateral,
    assemble,
    modes,
)

DEFAULT_COUNT, MAX_COUNT = 10, 1000


@np.errstate(all="ignore")  # as `run`
def modes_command(
    name: str,
    given: Mapping[str, str],
    *,
    count: str | None,
    about: str | None,
    config: str | None,
    out: str,
    quiet: bool,
    force: bool = False,
) -> int:
    """Compute the natural modes of the body of the case `name`, print their table and return the exit status 0.

    `about` is a results directory of the case: modes about the last instant of that run, whose parameters the `given` ones
    override. Modes of another case or version are replaced with `force` only. Raises BadInput before anything is written.
    """
    number = _count(count)
    model = load(name).Parameters
    if about is None:
        params, displacement = read_parameters(model, given, config), None
    else:
        if config is not None:
            raise BadInput("config: expected nothing with --about, which has the parameters of its run")
        own, displacement = _last_instant(about, name)
        params = validated(model, own.model_dump() | given_values(model, given, None))
    if (Path(out) / TRAJECTORY).exists():
        raise BadInput(f"out: expected a directory without results of a run, got {out!r}")
    data, results = natural_modes(name, params, number, displacement)
    data = data.assign_attrs(attributes(name, params))
    with locked(out) as directory:
        refuse_foreign(directory, name, MODES, force=force)
        write_whole(directory / MODES, lambda path: data.to_netcdf(path, engine="netcdf4"))
        write_summary(directory, name, params, complete=True, results=results)
        write_whole(directory / "modes.png", lambda path: draw_modes(data, path))
    if not quiet:
        print_modes(data, results)
        print(f"modes in {directory}: modes.nc, summary.json, modes.png")
    return 0


def natural_modes(
    name: str, params: CaseParameters, count: int, displacement: NDArray[np.float64] | None = None
) -> tuple[xr.Dataset, Headlines]:
    """Natural modes of a case's body and their headline numbers. Raises BadInput for a body that has none."""
    case = load(name)
    try:
        problem = case.problem(params)
        data = modes(assemble(problem, case.options(params)), count, displacement=displacement)
    except (ValueError, OSError) as error:
        raise BadInput(str(error)) from error
    known = None
    if isinstance(problem.frame, Lateral):
        known = frequencies(problem.body, problem.frame.support, count)
    results: Headlines = {}
    for k, value in enumerate(data.frequency.values.tolist()):
        exact = None if known is None else float(known[k])
        results[f"frequency_{k + 1}"] = headline(value, "Hz", f"natural frequency of mode {k + 1}", exact=exact)
    left_out = "rigid motions, which are left out"
    results["rigid_modes"] = headline(float(data.attrs["rigid_modes"]), "1", left_out)
    return data, results


def print_modes(data: xr.Dataset, results: Headlines) -> None:
    """Print the table of frequencies and periods beside the exact ones."""
    known = any("exact" in value for value in results.values())
    print(f"{'mode':>4}  {'frequency [Hz]':>15}  {'period [s]':>12}" + (f"  {'exact [Hz]':>15}" if known else ""))
    for k, value in enumerate(data.frequency.values.tolist(), start=1):
        exact = results[f"frequency_{k}"].get("exact")
        beside = "" if exact is None else f"  {exact:15.8g}"
        period = f"{1.0 / value:12.6g}" if value > 0.0 else f"{'-':>12}"
        print(f"{k:4d}  {value:15.8g}  {period}{beside}")
    print(f"{data.attrs['rigid_modes']} rigid {'motion' if data.attrs['rigid_modes'] == 1 else 'motions'} left out")


def _last_instant(directory: str, name: str) -> tuple[CaseParameters, NDArray[np.float64]]:
    """Parameters and last displacement (N, 2) m of a run of the case `name`."""
    data, case = open_results(directory)
    with data:
        if case != name:
            raise BadInput(f"about: expected results of {name}, got those of {case} in {directory!r}")
        if "rotation" in data:
            raise BadInput(
                "about: expected results of a plate, got those of a beam, which keep its nodes' deflections alone"
            )
        try:
            return parameters(data), np.array(data.displacement.values[-1])
        except ValueError as error:
            raise BadInput(str(error)) from error


def _count(text: str | None) -> int:
    try:
        count = DEFAULT_COUNT if text is None else int(text)
    except ValueError:
        count = 0
    if not 1 <= count <= MAX_COUNT:
        raise BadInput(f"count: expected an integer from 1 to {MAX_COUNT}, got {text!r}")
    return count


def default_directory(name: str) -> str:
    """Default directory of the modes of a case."""
    return str(Path("results") / f"{name}_modes")
