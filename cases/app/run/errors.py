"""The error of a wrong command line, and the handling of a closed output pipe."""

from __future__ import annotations

import io
import os
import sys

SOLVER_FAILURE = 3
"""Exit status of a command whose solver or disk failed."""
READER_GONE = 141
"""Exit status of a process whose reader has gone: 128 + SIGPIPE, as a shell reports it."""


class BadInput(ValueError):
    """A wrong name, value or file from the user. The message is one line: what was expected and what came."""


def discard_output() -> int:
    """Discard further output, as after `| head`, and return the exit status."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE


def escape_unencodable() -> None:
    """Let stdout escape letters that its encoding lacks, as stderr does (names of directories in a C locale)."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
