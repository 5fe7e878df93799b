"""Bounded reading of files: regular files only, up to a largest size."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

TEXT = 1 << 20
"""Largest size of a text with parameters or a summary, bytes."""


def read_bounded(path: str | Path, most: int = TEXT) -> bytes:
    """Contents of a file. Raises OSError where it is unreadable, a pipe or a device, or larger than ``most`` bytes."""
    with open(path, "rb", opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "no regular file", str(path))
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"more than {most} bytes", str(path))
        return file.read(most)


def _without_waiting(path: str, flags: int) -> int:
    """Open a file without waiting for the writer of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
