"""Case definitions, the command line that runs them, and the pictures."""

from pathlib import Path

__path__.append(str(Path(__file__).parent / "renamed"))  # `python -m cases.OLD_NAME` of earlier versions still runs
