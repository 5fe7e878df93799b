"""The command of the suite: benchmark."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter


def benchmark(
    *,
    list_: Annotated[bool, Parameter(name="--list", help="list the problems, a line each", negative="")] = False,
    problem: Annotated[
        list[str] | None,
        Parameter(
            help="a problem of the suite, or a .toml file; may be repeated; default all", metavar="NAME", negative=""
        ),
    ] = None,
    code: Annotated[
        list[str] | None,
        Parameter(
            help="a code of the suite, or the file of an adapter; may be repeated; default those installed",
            metavar="NAME",
            negative="",
        ),
    ] = None,
    out: Annotated[
        str, Parameter(help="results directory; default results/benchmark", metavar="DIR")
    ] = "results/benchmark",
    quiet: Annotated[bool, Parameter(help="print errors and misses only", negative="")] = False,
) -> int:
    """Run codes on the problems of the suite: DIR/benchmark.json, .csv and a page; exit status 1 where this code misses a
    reference."""
    from cases.app.suite.run import benchmark as run
    from cases.app.suite.run import listing

    if list_:
        print(listing())
        return 0
    return run(problem or (), code or (), out, quiet=quiet)
