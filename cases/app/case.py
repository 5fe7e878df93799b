"""Imports for the script of a case: fields of parameters, headline numbers, measures of convergence, and its command."""

from __future__ import annotations

import sys

from cases.app.parts.measure import Measure, Refinement, friction_work, measure, nodal
from cases.app.parts.quantities import choice, quantity
from cases.app.run.results import Headline, Headlines, headline

__all__ = [
    "Headline",
    "Headlines",
    "Measure",
    "Refinement",
    "choice",
    "friction_work",
    "headline",
    "main",
    "measure",
    "nodal",
    "quantity",
]


def main(file: str) -> None:
    """Run the case of a ``file`` with the options of this command line, as ``python -m cases run FILE``. Raises SystemExit."""
    from cases.app.command.cli import main

    raise SystemExit(main(["run", file, *sys.argv[1:]]))
