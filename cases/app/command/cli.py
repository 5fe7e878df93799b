"""The command line: list, run, converge, sweep, plot, animate, ... Cyclopts parses it; the cases' models check the values."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Sequence

from cases.app.registry import CASES, register_file
from cases.app.run.errors import BadInput, discard_output, escape_unencodable
from cases.app.run.notes import deferred_notes, limit_numexpr_threads
from cases.app.run.signals import interruptible, interruption

BAD_INPUT, FAILED = 2, 3
CASE_COMMANDS = ("run", "converge", "sweep", "modes")
"""Commands that take a case."""
WITHOUT_PROCESSES = ("--workers 0", "--scheduler", "--help", "-h")
"""Options of a sweep without processes of its own."""
GC_THRESHOLDS = 100_000, 50, 100
"""Thresholds of the garbage collector: objects of imports and compilation live on; visiting them costs a fifth of the time."""


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _spelling(token: str) -> str:
    """Normal form of an option: --t_end for --t-end, --quiet for -q."""
    if token == "-q":
        return "--quiet"
    name, equals, value = token.partition("=")
    return "--" + name[2:].replace("-", "_") + equals + value if name.startswith("--") else token


def _with_the_files_case(tokens: list[str]) -> list[str]:
    """Replace a case's file by its name, as in `run ./my_case.py`. Raises BadInput."""
    if tokens[0] in CASE_COMMANDS and len(tokens) > 1 and tokens[1].endswith(".py"):
        return [tokens[0], register_file(tokens[1]), *tokens[2:]]
    return tokens


def _with_the_summarys_case(tokens: list[str]) -> list[str]:
    """Insert the case named in summary.json into `run --config summary.json`, which repeats a run."""
    if tokens[0] != "run" or (len(tokens) > 1 and tokens[1] in CASES):
        return tokens
    following = dict(zip(tokens, [*tokens[1:], ""], strict=True))
    joined = dict(token.split("=", 1) for token in tokens if "=" in token)
    path = joined.get("--config", following.get("--config", ""))
    if not path.endswith(".json"):
        return tokens
    from cases.app.run.config import case_of  # the import of the cases' parameters takes a second

    return ["run", case_of(path), *tokens[1:]]


def _start_server(tokens: Sequence[str]) -> None:
    """Start the server of a sweep's processes, which imports the numerics while this process reads its options."""
    text = " ".join(tokens).replace("=", " ") + " "
    if tokens[0] != "sweep" or tokens[1:2] == [] or tokens[1] not in CASES or " --grid " not in text:
        return
    if not any(f" {other} " in text for other in WITHOUT_PROCESSES):
        from cases.app.studies.sweep.processes import start_server

        start_server(tokens[1])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: the process's own) and return the exit status.

    0: done. 2: bad input; one line on stderr says what was expected and what came, nothing was written.
    3: the solver or the disk failed, in a sweep at any point; what was computed is saved as incomplete.
    128 + the number of a signal: interrupted by it.
    """
    escape_unencodable()
    limit_numexpr_threads()
    gc.set_threshold(*GC_THRESHOLDS)
    atexit.register(gc.freeze)  # else the last collection of the interpreter takes as long as the import
    given = [_spelling(token) for token in (sys.argv[1:] if arguments is None else arguments)] or ["list"]
    try:
        tokens = _with_the_files_case(given)
        _start_server(tokens)
        from cases.app.command.application import (
            answer,
        )  # Cyclopts; after the start of the server, which imports in parallel

        with interruptible(), deferred_notes():
            status = answer(_with_the_summarys_case(tokens))
        sys.stdout.flush()
        return status
    except BadInput as error:
        message = str(error)
    except BrokenPipeError:
        return discard_output()
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        print(f"error: {_one_line(error.strerror or error)}{where}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt as stop:
        interrupt = interruption(stop)
        print(interrupt.message or "interrupted", file=sys.stderr)
        return interrupt.status
    print(f"error: {_one_line(message)}", file=sys.stderr)
    return BAD_INPUT
