"""The commands as a Cyclopts application: names, options and help."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter, UnknownOptionError, UnusedCliTokensError
from rich.console import Console

from cases.app.command.case_commands import COMMANDS
from cases.app.command.help import Wrapped
from cases.app.command.options import among, without_value
from cases.app.command.result_commands import animate, compare, export, plot, resume
from cases.app.command.suite_command import benchmark
from cases.app.registry import CASES
from cases.app.run.errors import BadInput
from cases.app.user_files import shown

OWN, SCRIPT = "floating-frame-friction", "fff"
"""The distribution, and the command that it installs."""
SHELLS = ("bash", "zsh", "fish", "powershell")


def answer(tokens: list[str]) -> int:
    """Carry out the command line `tokens` and return the exit status. Raises BadInput."""
    tokens = without_value(tokens)
    try:
        return _application(_named(tokens), tokens)(tokens, exit_on_error=False, print_error=False) or 0
    except UnknownOptionError as error:
        raise BadInput(_mistakes(tokens, error)) from error
    except CycloptsError as error:
        raise BadInput(_usage_message(error)) from error


def _named(tokens: Sequence[str]) -> dict[str, list[str]]:
    """{command: [case]} of a command for a case, else empty. Raises BadInput where such a command names no case."""
    if tokens[0] not in COMMANDS:
        return {}
    wanted = tokens[1] if len(tokens) > 1 else "nothing"
    if wanted in ("--help", "-h"):
        return {}
    if wanted not in CASES:
        if tokens[0] == "run" and wanted.startswith("-"):
            raise BadInput(f"run: expected the NAME of a case first, or --config summary.json, got {wanted}")
        near = "".join(f"did you mean {name}? " for name in get_close_matches(wanted, CASES, 1))
        purpose = COMMANDS[tokens[0]][2]
        raise BadInput(
            f"{near}expected the name of a case{purpose} (one of {', '.join(CASES)}) or its FILE.py, got {wanted}"
        )
    return {tokens[0]: [wanted]}


def _list() -> int:
    """List the cases, one line each."""
    width = max(map(len, CASES))
    for name, line in CASES.items():
        print(f"{name:{width}}  {line}")
    return 0


def _completion(shell: Annotated[str, Parameter(name="SHELL", help=f"one of {', '.join(SHELLS)}")], /) -> int:
    """Print the shell's completion script of the command fff: `eval "$(fff completion bash)"`."""
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


def _application(built: Mapping[str, Sequence[str]], tokens: Sequence[str] = ()) -> App:
    """The application; options of cases, whose import takes a second, only for the cases in `built` of a command.

    `tokens` of the command line: the help lists apart the parameters that have no effect beside their choices.
    """
    app = App(
        name="python -m cases",
        help="Elastic bodies that slide, turn and stick on a rough plane.",
        help_format="plaintext",
        help_formatter="plain",
        console=Console(file=Wrapped(), width=10_000),
        help_flags=["--help", "-h"],
        version_flags=["--version", "-V"],
        version=_version,
        result_action="return_value",
        suppress_keyboard_interrupt=False,  # `main` sets the exit status
    )
    app.command(_list, name="list")
    groups = {}
    for command, (of_case, meaning, _) in COMMANDS.items():
        group = App(name=command, help=meaning, help_flags=["--help", "-h"])
        groups[command] = group
        for name, line in CASES.items():
            known = name in built.get(command, ())
            usage = f"Usage: python -m cases {command} {shown(name)} [OPTIONS]" if known else None
            one = of_case(name, tokens) if known else _list
            group.command(one, name=name, help=line[0].upper() + line[1:] + ".", usage=usage)
    for command in ("run", "converge", "sweep"):
        app.command(groups[command])
    for saved in (plot, animate, export, compare, resume):
        app.command(saved, name=saved.__name__)
    app.command(groups["modes"])
    app.command(benchmark, name="benchmark")
    app.command(_completion, name="completion")
    return app


def _mistakes(tokens: Sequence[str], error: UnknownOptionError) -> str:
    """One line: the unknown options of a command, and the refused values besides."""
    if tokens[0] not in COMMANDS or len(tokens) < 2 or tokens[1] not in CASES:
        return f"{error} Expected one of the options that --help lists."
    signature = inspect.signature(COMMANDS[tokens[0]][0](tokens[1], tokens))
    given = [token[2:].partition("=")[0] for token in tokens[2:] if token.startswith("--")]
    texts = []
    for name in (name for name in given if name not in (*signature.parameters, "help")):
        near = "".join(f" (did you mean --{other}?)" for other in get_close_matches(name, signature.parameters, 1))
        texts.append(f"unknown option --{name}{near}")
    try:
        among(tokens[1], tokens)
    except BadInput as refused:
        texts.append(str(refused))
    return f"{'; '.join(texts)}. Expected one of the options that --help lists."


def _usage_message(error: CycloptsError) -> str:
    """One line: the expected and the actual tokens."""
    text = str(error)
    if isinstance(error, UnusedCliTokensError):
        text = f"expected nothing more than options (--PARAM VALUE), got {' '.join(error.unused_tokens or ())}"
    return text
