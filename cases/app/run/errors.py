"""The error of a command line that cannot be carried out as given, and what to do when nobody reads the output."""

from __future__ import annotations

import io
import os
import sys

SOLVER_FAILURE = 3
"""Exit status of a command whose solver or disk failed."""
READER_GONE = 141
"""Exit status of a process whose reader has gone: 128 + SIGPIPE, as a shell reports it."""


class BadInput(ValueError):
    """A name, value or file that a user gave is not what was expected; the message is one line that says
    both.
    """


def stop_writing() -> int:
    """Send what is still to be printed nowhere, as after `| head`, and return the exit status."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE


def show_any_letter() -> None:
    """Let stdout write letters that its encoding lacks (names of directories in a C locale) as escapes, as stderr does."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
