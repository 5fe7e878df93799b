"""The command line: list, run, converge, sweep, plot, animate, ... Cyclopts splits it; the cases' models judge the values."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter, UnknownOptionError, UnusedCliTokensError
from rich.console import Console

from cases.registry import CASES, load
from cases.run.errors import BadInput, stop_writing
from cases.run.signals import answered, interruption

BAD_INPUT = 2
METAVARS = {float: "NUMBER", int: "INTEGER", bool: "BOOLEAN", str: "NAME", tuple: "NUMBERS"}
OWN, SCRIPT = "floating-frame-friction", "fff"
"""The distribution, and the command that it installs."""
SHELLS = ("bash", "zsh", "fish", "powershell")
CONFIG = "FILE.toml|summary.json"


def _list() -> int:
    """List the cases, one line each."""
    width = max(map(len, CASES))
    for name, line in CASES.items():
        print(f"{name:{width}}  {line}")
    return 0


def _plot(directory: Annotated[str, Parameter(name="DIR", help="a results directory")], /) -> int:
    """Draw DIR/NAME.png again from the saved DIR/trajectory.nc, without running the case."""
    from cases.drawing.plotting import plot_directory

    print(plot_directory(directory))
    return 0


def _animate(
    directory: Annotated[str, Parameter(name="DIR", help="a results directory")],
    /,
    *,
    fps: Annotated[
        str | None, Parameter(help="frames per second, at most 50; default 20", allow_leading_hyphen=True)
    ] = None,
    out: Annotated[
        str | None, Parameter(help="file.mp4 or file.gif; default DIR/NAME.mp4, or .gif without ffmpeg")
    ] = None,
) -> int:
    """Write an animation of the saved DIR/trajectory.nc, without running the case."""
    from cases.drawing.animate import animate_directory

    print(animate_directory(directory, fps=fps, out=out))
    return 0


def _export(
    directory: Annotated[str, Parameter(name="DIR", help="a results directory")],
    /,
    *,
    to: Annotated[
        str | None, Parameter(help="vtk (a series for ParaView), csv (headline series) or html (one page)")
    ] = None,
    out: Annotated[str | None, Parameter(help="file; default DIR/vtk/NAME.pvd, DIR/NAME.csv or DIR/NAME.html")] = None,
) -> int:
    """Write the saved DIR/trajectory.nc for other programs, without running the case."""
    from cases.export.command import export_directory

    print(export_directory(directory, to, out))
    return 0


def _completion(shell: Annotated[str, Parameter(name="SHELL", help=f"one of {', '.join(SHELLS)}")], /) -> int:
    """Print the script by which a shell completes the command fff: `eval "$(fff completion bash)"`."""
    if shell not in SHELLS:
        raise BadInput(f"expected one of {', '.join(SHELLS)}, got {shell}")
    application = _application(run_names=list(CASES), studied=list(CASES), swept=list(CASES))
    print(application.generate_completion(prog_name=SCRIPT, shell=shell))  # type: ignore[arg-type]
    return 0


def _keyword(name: str, kind: Any, default: Any, parameter: Parameter) -> inspect.Parameter:
    plain = Parameter(name=f"--{name}", negative="", show_default=False)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, plain, parameter]
    )


def _option(name: str, metavar: str, meaning: str) -> inspect.Parameter:
    """Return one `--name VALUE` option. Its text is handed on as it stands, a leading minus sign too."""
    parameter = Parameter(help=meaning, metavar=metavar, allow_leading_hyphen=True)
    return _keyword(name, str | None, None, parameter)


FORCE = "--force"


def _replace_option(name: str) -> inspect.Parameter:
    """Return the switch --force; of a case with a parameter of that name --replace (see `_without_value`)."""
    taken = "force" in load(name).Parameters.model_fields
    also = f"; also {FORCE} without a value" if taken else ""
    meaning = Parameter(help=f"replace results of another case or version in DIR{also}")
    return _keyword("replace" if taken else "force", bool, False, meaning)


def _without_value(tokens: list[str]) -> list[str]:
    """Let --force without a value be the switch --replace where a case has a parameter called force."""
    if FORCE not in tokens or tokens[0] not in ("run", "sweep") or len(tokens) < 2 or tokens[1] not in CASES:
        return tokens
    if "force" not in load(tokens[1]).Parameters.model_fields:
        return tokens
    bare = [
        token == FORCE and following.startswith("--")
        for token, following in zip(tokens, [*tokens[1:], "--"], strict=True)
    ]
    return ["--replace" if alone else token for token, alone in zip(tokens, bare, strict=True)]


def _switched(given: dict[str, Any]) -> bool:
    """Take the switch --force, or --replace, from what was given."""
    return bool(given.pop("replace", False)) or (given.get("force") is True and bool(given.pop("force")))


CHECKPOINT_EVERY = _option(
    "checkpoint_every", "NUMBER", "wall-clock time between two checkpoints [s]; default 60; inf: none"
)


def _resume(
    directory: Annotated[str, Parameter(name="DIR", help="a results directory")],
    /,
    *,
    t_end: Annotated[str | None, Parameter(help="end of the simulated time [s]; default the run's own")] = None,
    checkpoint_every: Annotated[str | None, Parameter(help="as of run")] = None,
    quiet: Annotated[bool, Parameter(help="print errors and warnings only", negative="")] = False,
    strict: Annotated[bool, Parameter(help="as of run", negative="")] = False,
) -> int:
    """Go on with a killed, failed or finished run, to the last bit as if it had not stopped."""
    from cases.run.resume import resume

    return resume(directory, t_end=t_end, quiet=quiet, strict=strict, checkpoint_every=checkpoint_every)


def _parameter_options(name: str) -> list[inspect.Parameter]:
    """Return one option for each parameter of a case."""
    from cases.parts.parameters import base_type, describe, is_field

    fields = load(name).Parameters.model_fields
    kinds = {key: "EXPRESSION" if is_field(field) else METAVARS[base_type(field)] for key, field in fields.items()}
    return [_option(key, kinds[key], describe(field)) for key, field in fields.items()]


def _run_command(name: str) -> Callable[..., int]:
    """Return the command that runs the case `name`, with one option per parameter of its model."""

    def command(**given: Any) -> int:
        from cases.run.runner import Saving, run

        defaults = {"config": None, "out": f"results/{name}", "quiet": False, "stress": False, "strict": False}
        formats = [to for to in ("vtk", "html") if given.pop(to, False)]
        own = {key: given.pop(key, default) for key, default in defaults.items()}
        saving = Saving(_switched(given), given.pop("checkpoint_every", None))
        status = run(name, given, saving=saving, **own)
        _export_run(own["out"], formats, quiet=own["quiet"])
        return status

    options = [
        *_parameter_options(name),
        _option("config", CONFIG, "parameters, or a run to repeat; the command line overrides them"),
        _option("out", "DIR", f"results directory; default results/{name}"),
        _keyword("quiet", bool, False, Parameter(help="print errors and warnings only")),
        _keyword("stress", bool, False, Parameter(help="store the stress in every cell as well")),
        _keyword("vtk", bool, False, Parameter(help="export the run for ParaView at the end, as `export --to vtk`")),
        _keyword("html", bool, False, Parameter(help="export the run as a page with a player, as `export --to html`")),
        _keyword(
            "strict", bool, False, Parameter(help="exit with 3 where the run warns that it should not be believed")
        ),
        _replace_option(name),
        CHECKPOINT_EVERY,
    ]
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return command


def _export_run(directory: str, formats: Sequence[str], *, quiet: bool) -> None:
    """Export what a run has left, complete or not."""
    if not formats or not (Path(directory) / "trajectory.nc").is_file():
        return
    from cases.export.command import export_directory

    for to in formats:
        path = export_directory(directory, to)
        if not quiet:
            print(path)


def _converge_command(name: str) -> Callable[..., int]:
    """Return the command that studies the convergence of the case `name`."""
    from cases.studies.converge import DEFAULT_LEVELS, converge_command

    def command(**given: Any) -> int:
        defaults = {"over": None, "levels": None, "config": None, "out": None, "quiet": False}
        own = {key: given.pop(key, default) for key, default in defaults.items()}
        return converge_command(name, given, **own)

    options = [
        _option("over", "dt|mesh", "what is refined: dt halved, or the cells doubled, from level to level"),
        _option("levels", "INTEGER", f"number of levels, from 2 to 8; default {DEFAULT_LEVELS}"),
        _option("config", CONFIG, "parameters of the coarsest level; the command line overrides them"),
        _option("out", "DIR", "directory for converge.csv and converge.png; left out: the table only"),
        _keyword("quiet", bool, False, Parameter(help="print errors and warnings only")),
    ]
    options += _parameter_options(name)
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return command


def _sweep_command(name: str) -> Callable[..., int]:
    """Return the command that runs the case `name` at every point of a grid."""
    from cases.studies.sweep.command import SweepOptions, sweep_command
    from cases.studies.sweep.grid import FORM

    def command(**given: Any) -> int:
        defaults: dict[str, Any] = {"workers": None, "scheduler": None, "config": None, "out": f"results/{name}_sweep"}
        defaults |= {"quiet": False, "strict": False}
        own = {key: given.pop(key, default) for key, default in defaults.items()}
        grid = given.pop("grid", None) or ()
        return sweep_command(name, given, SweepOptions(grid=grid, **own))

    grid = Parameter(help=f"{FORM}; repeat it for further dimensions", metavar="PARAM=VALUES", negative="")
    options = [
        _keyword("grid", list[str] | None, None, grid),
        _option("workers", "INTEGER", "processes of a local cluster; 0: none, in this process; default: one a core"),
        _option("scheduler", "ADDRESS", "a running Dask scheduler, as in tcp://host:8786, instead of a local cluster"),
        _option("config", CONFIG, "fixed parameters; the command line overrides them"),
        _option("out", "DIR", f"directory for sweep.nc, sweep.csv and sweep.png; default results/{name}_sweep"),
        _keyword("quiet", bool, False, Parameter(help="print errors and warnings only")),
        _keyword("strict", bool, False, Parameter(help="count a point that warns as one that failed")),
    ]
    options += _parameter_options(name)
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return command


def _version() -> str:
    try:
        return f"{OWN} {version(OWN)}"
    except PackageNotFoundError:
        return f"{OWN}, not installed"


def _application(*, run_names: Sequence[str] = (), studied: Sequence[str] = (), swept: Sequence[str] = ()) -> App:
    """Return the application; a case's own options only where it is named."""
    app = App(
        name="python -m cases",
        help="Elastic bodies that slide, turn and stick on a rough plane.",
        help_format="plaintext",
        help_formatter="plain",
        console=Console(width=None if sys.stdout.isatty() else 1000),  # no folding in a pipe
        help_flags=["--help", "-h"],
        version_flags=["--version"],
        version=_version,
        result_action="return_value",
        suppress_keyboard_interrupt=False,  # `main` gives it its exit status
    )
    app.command(_list, name="list")
    run = App(name="run", help="Run a case; `run NAME --help` lists its parameters.", help_flags=["--help", "-h"])
    app.command(run)
    for name, line in CASES.items():
        run.command(
            _run_command(name) if name in run_names else _list, name=name, help=line[0].upper() + line[1:] + "."
        )
    study = App(
        name="converge", help="Errors and observed orders of a case over dt or mesh.", help_flags=["--help", "-h"]
    )
    app.command(study)
    for name in studied:
        study.command(_converge_command(name), name=name, help=CASES[name][0].upper() + CASES[name][1:] + ".")
    sweep = App(
        name="sweep", help="Run a case at every point of a grid of its parameters.", help_flags=["--help", "-h"]
    )
    app.command(sweep)
    for name in swept:
        sweep.command(_sweep_command(name), name=name, help=CASES[name][0].upper() + CASES[name][1:] + ".")
    app.command(_plot, name="plot")
    app.command(_animate, name="animate")
    app.command(_export, name="export")
    app.command(_resume, name="resume")
    app.command(_completion, name="completion")
    return app


def _usage_message(error: CycloptsError) -> str:
    """Say in one line what was expected and what came."""
    text = str(error)
    if isinstance(error, UnknownOptionError):
        text += " Expected one of the options that --help lists."
    elif isinstance(error, UnusedCliTokensError):
        text = f"expected nothing more than options (--PARAM VALUE), got {' '.join(error.unused_tokens or ())}"
    return text


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _spelling(token: str) -> str:
    """Let --t-end be --t_end."""
    name, equals, value = token.partition("=")
    return "--" + name[2:].replace("-", "_") + equals + value if name.startswith("--") else token


def _with_the_summarys_case(tokens: list[str]) -> list[str]:
    """Put the case that summary.json names into `run --config summary.json`, which repeats a run."""
    if tokens[0] != "run" or (len(tokens) > 1 and tokens[1] in CASES):
        return tokens
    following = dict(zip(tokens, [*tokens[1:], ""], strict=True))
    joined = dict(token.split("=", 1) for token in tokens if "=" in token)
    path = joined.get("--config", following.get("--config", ""))
    if not path.endswith(".json"):
        return tokens
    from cases.run.config import case_of  # the cases' parameters take a second to import

    return ["run", case_of(path), *tokens[1:]]


def _studied(tokens: Sequence[str]) -> Sequence[str]:
    """The cases that `converge` knows, where it is called; raises BadInput where `tokens` name none of them."""
    if tokens[0] != "converge":
        return ()

    wanted = tokens[1] if len(tokens) > 1 else "nothing"
    if wanted not in CASES and wanted not in ("--help", "-h"):
        raise BadInput(f"expected the name of a case to study (one of {', '.join(CASES)}), got {wanted}")
    return [wanted] if wanted in CASES else list(CASES)


def _swept(tokens: Sequence[str]) -> Sequence[str]:
    """The case that `sweep` is called for, all for its help; raises BadInput where `tokens` name none."""
    if tokens[0] != "sweep":
        return ()
    wanted = tokens[1] if len(tokens) > 1 else "nothing"
    if wanted in ("--help", "-h"):
        return list(CASES)
    if wanted not in CASES:
        raise BadInput(f"expected the name of a case to sweep (one of {', '.join(CASES)}), got {wanted}")
    return [wanted]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: the process's own) and return the exit status.

    0: done. 2: bad input; one line on stderr says what was expected and what came, nothing was written.
    3: the solver failed, in a sweep at any point; what was computed is saved as incomplete. 128 + a signal's number: interrupted.
    """
    tokens = [_spelling(token) for token in (sys.argv[1:] if arguments is None else arguments)] or ["list"]
    try:
        tokens = _without_value(_with_the_summarys_case(tokens))
        if tokens == ["run"]:
            raise BadInput(f"expected the name of a case (one of {', '.join(CASES)}), got nothing")
        application = _application(
            run_names=tokens if tokens[0] == "run" else (), studied=_studied(tokens), swept=_swept(tokens)
        )
        with answered():
            status = application(tokens, exit_on_error=False, print_error=False) or 0
        sys.stdout.flush()
        return status
    except CycloptsError as error:
        message = _usage_message(error)
    except BadInput as error:
        message = str(error)
    except BrokenPipeError:
        return stop_writing()
    except KeyboardInterrupt as stop:
        found = interruption(stop)
        print(found.message or "interrupted", file=sys.stderr)
        return found.status
    print(f"error: {_one_line(message)}", file=sys.stderr)
    return BAD_INPUT
