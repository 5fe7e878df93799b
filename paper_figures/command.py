"""The command line: lists the figures, or makes those named, or all."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter
from rich.console import Console

from cases.app.run.directory import locked
from cases.app.run.errors import BadInput, discard_output, escape_unencodable
from cases.app.run.signals import interruptible, interruption
from paper_figures.registry import FIGURES, load
from paper_figures.runs import manifest
from paper_figures.runs.make import make
from paper_figures.runs.store import RunFailed, Store

BAD_INPUT, FAILED = 2, 3


def figures(
    *names: Annotated[str, Parameter(help="figures to make; none: all of them", show_default=False)],
    list_: Annotated[
        bool, Parameter(name="--list", negative="", help="list the figures: file, source, cost, claim")
    ] = False,
    out: Annotated[str, Parameter(name="--out", help="directory of figures, manifest.json and runs/")] = "out",
    force: Annotated[bool, Parameter(name="--force", negative="", help="run again stored runs")] = False,
) -> int:
    """Make the figures: run what is missing, draw OUT/NAME.pdf and .png, note runs and numbers in OUT/manifest.json."""
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        raise BadInput(f"expected names of figures (of {', '.join(FIGURES)}), got {', '.join(unknown)}")
    chosen = list(dict.fromkeys(names)) or list(FIGURES)
    if list_:
        return _list(chosen)
    with locked(out) as directory:
        return _make(chosen, directory, force)


def _list(names: Sequence[str]) -> int:
    modules = [load(name) for name in names]
    widths = [max(len(m.FILE) for m in modules), max(len(m.SOURCE) for m in modules)]
    for module in modules:
        cost = f"{module.COST:.0f} s"
        print(f"{module.FILE:{widths[0]}}  {module.SOURCE:{widths[1]}}  {cost:>6}  {module.CLAIM}")
    return 0


def _make(names: Sequence[str], directory: Path, force: bool) -> int:
    """Make the figures one by one; a failure does not stop the others."""
    manifest.read(directory)  # raises before anything is computed
    store = Store(directory / "runs", force=force, shown=True)
    status = 0
    for name in names:
        try:
            entry = make(name, directory, store)
        except RunFailed as failure:
            print(f"error: {name}: {failure}", file=sys.stderr)
            status = FAILED
            continue
        computing = f"runs {entry['run_time']:.1f} s" if entry["runs"] else "no runs"
        print(f"{name}: {directory / entry['files'][0]}, .png ({computing}, drawn in {entry['draw_time']:.1f} s)")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: the process's own) and return the exit status.

    0: done. 2: bad input; one line on stderr with the expected and the actual value. 3: a solver or the disk failed; after a
    solver's failure the other figures are made. 128 + the number of a signal: interrupted by it.
    """
    escape_unencodable()
    application = App(
        name="python -m paper_figures",
        help_format="plaintext",
        help_formatter="plain",
        console=Console(width=None if sys.stdout.isatty() else 300),
        help_flags=["--help", "-h"],
        version_flags=[],
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        default_command=figures,
    )
    try:
        tokens = sys.argv[1:] if arguments is None else arguments
        with interruptible():
            status = application(tokens, exit_on_error=False, print_error=False) or 0
        sys.stdout.flush()
        return status
    except (CycloptsError, BadInput) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        return discard_output()
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        print(f"error: {' '.join(str(error.strerror or error).split())}{where}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt as stop:
        print("interrupted: finished figures stay, and the same command makes the others", file=sys.stderr)
        return interruption(stop).status
