"""The commands that take a case: run, converge, sweep, modes, each with an option for every parameter of the case."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cyclopts import Parameter

from cases.app.command.options import (
    CHECKPOINT_EVERY,
    CONFIG,
    ESTIMATE,
    ESTIMATE_MESH,
    estimated,
    keyword,
    option,
    parameter_options,
    replace_option,
    switch,
    switched,
)
from cases.app.registry import load
from cases.app.run.config import as_toml
from cases.app.run.inputs import read_parameters


def run_of(name: str, tokens: Sequence[str]) -> Callable[..., int]:
    """Command that runs the case `name`, with one option per parameter."""

    def command(**given: Any) -> int:
        defaults = {"config": None, "out": f"results/{name}", "quiet": False, "stress": False, "strict": False}
        formats = [to for to in ("vtk", "html") if given.pop(to, False)]
        own = {key: given.pop(key, default) for key, default in defaults.items()}
        force, every, estimate = switched(given), given.pop("checkpoint_every", None), estimated(given, "steps")
        shown = given.pop("print", False)
        params = read_parameters(
            load(name).Parameters, given, own["config"]
        )  # refused before the numerics are imported
        if shown:
            print(as_toml(name, params))
            return 0
        from cases.app.run.runner import RunSettings, run

        settings = RunSettings(force, every, formats, estimate)
        status = run(name, given, settings=settings, **own)
        _export_run(own["out"], formats, quiet=own["quiet"])
        return status

    options = [
        *parameter_options(name, tokens),
        option("config", CONFIG, "parameters, or a run to repeat; the command line overrides them"),
        option("out", "DIR", f"results directory; default results/{name}"),
        switch("quiet", "print errors and warnings only (-q)"),
        switch("stress", "store the stress in every cell as well"),
        switch("vtk", "export the run for ParaView at the end, as `export --to vtk`"),
        switch("html", "export the run as a page with a player, as `export --to html`"),
        switch("strict", "exit with status 3 if the run has warnings"),
        switch("no-estimate", "estimate no errors: no companion run with twice the step"),
        ESTIMATE,
        ESTIMATE_MESH,
        replace_option(name),
        switch("print", "print the parameters as TOML for --config, and run nothing"),
        CHECKPOINT_EVERY,
    ]
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return command


def _export_run(directory: str, formats: Sequence[str], *, quiet: bool) -> None:
    """Export the results of a run, complete or not."""
    if not formats or not (Path(directory) / "trajectory.nc").is_file():
        return
    from cases.app.export.command import export_directory

    for to in formats:
        path = export_directory(directory, to)
        if not quiet:
            print(path)


def converge_of(name: str, tokens: Sequence[str]) -> Callable[..., int]:
    """Command that studies the convergence of the case `name`."""
    from cases.app.studies.converge import DEFAULT_LEVELS, StudyOptions, converge_command

    def command(**given: Any) -> int:
        defaults = {"over": None, "levels": None, "config": None, "out": None, "quiet": False}
        own = {key: given.pop(key, default) for key, default in defaults.items()}
        estimate = bool(given.pop("estimate", False))
        how = StudyOptions(force=switched(given), estimate=estimate, **own)
        return converge_command(name, given, how)

    options = [
        option(
            "over",
            "dt|mesh",
            "refined from level to level: dt, by half the step, or mesh, by twice the cells along each side",
        ),
        option("levels", "INTEGER", f"number of levels, from 2 to 8; default {DEFAULT_LEVELS}"),
        option("config", CONFIG, "parameters of the coarsest level; the command line overrides them"),
        option("out", "DIR", "directory for converge.csv and converge.png; left out: the table only"),
        ESTIMATE,
        switch("quiet", "print errors and warnings only (-q)"),
        replace_option(name),
    ]
    options += parameter_options(name, tokens)
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return command


def sweep_of(name: str, tokens: Sequence[str]) -> Callable[..., int]:
    """Command that runs the case `name` at every point of a grid."""
    from cases.app.studies.sweep.grid import FORM

    def command(**given: Any) -> int:
        defaults: dict[str, Any] = {"workers": None, "scheduler": None, "config": None, "out": f"results/{name}_sweep"}
        defaults |= {"quiet": False, "strict": False}
        own = {key: given.pop(key, default) for key, default in defaults.items()}
        grid = given.pop("grid", None) or ()
        from cases.app.studies.sweep.command import SweepOptions, sweep_command

        return sweep_command(
            name, given, SweepOptions(grid=grid, force=switched(given), estimate=estimated(given), **own)
        )

    grid = Parameter(help=f"{FORM}; repeat it for further dimensions", metavar="PARAM=VALUES", negative="")
    options = [
        keyword("grid", list[str] | None, None, grid),
        option("workers", "INTEGER", "processes on this machine; 0: none, in this process; default: one per core"),
        option("scheduler", "ADDRESS", "a running Dask scheduler, as in tcp://host:8786, instead of processes here"),
        option("config", CONFIG, "fixed parameters; the command line overrides them"),
        option("out", "DIR", f"directory for sweep.nc, sweep.csv and sweep.png; default results/{name}_sweep"),
        switch("quiet", "print errors and warnings only (-q)"),
        switch("strict", "count points with warnings as failed"),
        ESTIMATE,
        ESTIMATE_MESH,
        replace_option(name),
    ]
    options += parameter_options(name, tokens)
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return command


def modes_of(name: str, tokens: Sequence[str]) -> Callable[..., int]:
    """Command that computes the natural modes of the body of the case `name`."""
    from cases.app.studies.modes import DEFAULT_COUNT, default_directory, modes_command

    def command(**given: Any) -> int:
        defaults = {"count": None, "about": None, "config": None, "out": default_directory(name), "quiet": False}
        own = {key: given.pop(key, default) for key, default in defaults.items()}
        return modes_command(name, given, force=switched(given), **own)

    options = [
        option("count", "INTEGER", f"number of modes, the lowest; default {DEFAULT_COUNT}"),
        option("about", "DIR", "results of a run of the case: modes about its last instant, with its stress"),
        option("config", CONFIG, "parameters, or the summary of a run; the command line overrides them"),
        option("out", "DIR", f"directory for modes.nc, modes.png and summary.json; default {default_directory(name)}"),
        switch("quiet", "print errors and warnings only (-q)"),
        replace_option(name),
        *parameter_options(name, tokens),
    ]
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return command


COMMANDS: Mapping[str, tuple[Callable[[str, Sequence[str]], Callable[..., int]], str, str]] = MappingProxyType(
    {
        "run": (run_of, "Run a case; `run NAME --help` lists its parameters.", ""),
        "converge": (converge_of, "Errors and observed orders of a case over dt or mesh.", " to study"),
        "sweep": (sweep_of, "Run a case at every point of a grid of its parameters.", " to sweep"),
        "modes": (
            modes_of,
            "Natural frequencies and shapes of a case's body, without friction.",
            " for its modes",
        ),
    }
)
"""(builder of the command for a case, its help, the end of the message where no case is named)"""
