"""Draws the pictures that README.md and the tour show, from fresh runs: ``make figures``.

The cases are run with their defaults into results/, and the pictures that they draw go to docs/pictures/, small.
"""

from __future__ import annotations

import sys
from pathlib import Path

from generators.gallery import shrink

from cases.app.command.cli import main

ROOT = Path(__file__).resolve().parent.parent
SHOWN = ("plate_sliding", "block_on_table")


def draw() -> int:
    """Run the cases and copy their pictures; the exit status of the first that fails."""
    target = ROOT / "docs" / "pictures"
    target.mkdir(parents=True, exist_ok=True)
    for name in SHOWN:
        out = ROOT / "results" / name
        status = main(["run", name, "--out", str(out)])
        if status:
            return status
        shrink(out / f"{name}.png", target / f"{name}.png", width=1500)
    return 0


if __name__ == "__main__":
    sys.exit(draw())
