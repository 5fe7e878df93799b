"""The command line: list, run, converge, sweep, plot, animate, ... Cyclopts splits it; the cases' models judge the values."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter, UnknownOptionError, UnusedCliTokensError
from rich.console import Console

from cases.command.of_a_case import COMMANDS
from cases.command.of_results import animate, compare, export, plot, resume
from cases.command.options import without_value
from cases.registry import CASES
from cases.run.errors import BadInput, show_any_letter, stop_writing
from cases.run.notes import notes_wait
from cases.run.signals import answered, interruption

BAD_INPUT, FAILED = 2, 3
OWN, SCRIPT = "floating-frame-friction", "fff"
"""The distribution, and the command that it installs."""
IN_NO_PROCESSES = ("--workers 0", "--scheduler", "--help", "-h")
"""Options of a sweep that has no processes of its own."""
SELDOM = 100_000, 50, 100
"""Thresholds of the collector: what imports and compilation make lives on, and a look at all of it takes a fifth of their time."""
SHELLS = ("bash", "zsh", "fish", "powershell")


def _list() -> int:
    """List the cases, one line each."""
    width = max(map(len, CASES))
    for name, line in CASES.items():
        print(f"{name:{width}}  {line}")
    return 0


def _completion(shell: Annotated[str, Parameter(name="SHELL", help=f"one of {', '.join(SHELLS)}")], /) -> int:
    """Print the script by which a shell completes the command fff: `eval "$(fff completion bash)"`."""
    if shell not in SHELLS:
        raise BadInput(f"expected one of {', '.join(SHELLS)}, got {shell}")
    application = _application(dict.fromkeys(COMMANDS, tuple(CASES)))
    print(application.generate_completion(prog_name=SCRIPT, shell=shell))  # type: ignore[arg-type]
    return 0


def _version() -> str:
    try:
        return f"{OWN} {version(OWN)}"
    except PackageNotFoundError:
        return f"{OWN}, not installed"


def _application(built: Mapping[str, Sequence[str]]) -> App:
    """Return the application; options of the cases, whose import takes a second, only for those named in `built` of a command."""
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
    groups = {}
    for command, (of_case, meaning, _) in COMMANDS.items():
        group = App(name=command, help=meaning, help_flags=["--help", "-h"])
        groups[command] = group
        for name, line in CASES.items():
            known = name in built.get(command, ())
            group.command(of_case(name) if known else _list, name=name, help=line[0].upper() + line[1:] + ".")
    for command in ("run", "converge", "sweep"):
        app.command(groups[command])
    for saved in (plot, animate, export, compare, resume):
        app.command(saved, name=saved.__name__)
    app.command(groups["modes"])
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


def _named(tokens: Sequence[str]) -> dict[str, list[str]]:
    """Return the case that a command is called for, by the command. Raises BadInput where `tokens` name none."""
    if tokens[0] not in COMMANDS:
        return {}
    wanted = tokens[1] if len(tokens) > 1 else "nothing"
    if wanted in ("--help", "-h"):
        return {}
    if wanted not in CASES:
        if tokens[0] == "run" and wanted.startswith("-"):
            raise BadInput(f"run: expected the NAME of a case first, or --config summary.json, got {wanted}")
        if tokens[0] == "run" and len(tokens) > 1:
            return {}  # the parser names what there is
        purpose = COMMANDS[tokens[0]][2]
        raise BadInput(f"expected the name of a case{purpose} (one of {', '.join(CASES)}), got {wanted}")
    return {tokens[0]: [wanted]}


def _start_server(sweeps: Sequence[str], tokens: Sequence[str]) -> None:
    """Let the processes' server import the numerics of a case that `sweeps` name while this process reads its options."""
    text = " ".join(tokens).replace("=", " ") + " "
    if sweeps and " --grid " in text and not any(f" {other} " in text for other in IN_NO_PROCESSES):
        from cases.studies.sweep.processes import start_server

        start_server(*sweeps)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: the process's own) and return the exit status.

    0: done. 2: bad input; one line on stderr says what was expected and what came, nothing was written.
    3: the solver or the disk failed, in a sweep at any point; what was computed is saved as incomplete.
    128 + the number of a signal: interrupted by it.
    """
    show_any_letter()
    gc.set_threshold(*SELDOM)
    tokens = [_spelling(token) for token in (sys.argv[1:] if arguments is None else arguments)] or ["list"]
    try:
        tokens = without_value(_with_the_summarys_case(tokens))
        named = _named(tokens)
        _start_server(named.get("sweep", ()), tokens)
        application = _application(named)
        with answered(), notes_wait():
            status = application(tokens, exit_on_error=False, print_error=False) or 0
        sys.stdout.flush()
        return status
    except CycloptsError as error:
        message = _usage_message(error)
    except BadInput as error:
        message = str(error)
    except BrokenPipeError:
        return stop_writing()
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        print(f"error: {_one_line(error.strerror or error)}{where}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt as stop:
        found = interruption(stop)
        print(found.message or "interrupted", file=sys.stderr)
        return found.status
    print(f"error: {_one_line(message)}", file=sys.stderr)
    return BAD_INPUT
