"""Files that are read back: only regular ones, which end, and no more of them than such a file can have."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

TEXT = 1 << 20
"""Bytes that a text with parameters, or a summary, may have."""


def read_bounded(path: str | Path, most: int = TEXT) -> bytes:
    """Return what a file holds. Raises OSError where it cannot be read, is a pipe or a device, or has more bytes than ``most``."""
    with open(path, "rb", opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "no regular file", str(path))
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"more than {most} bytes", str(path))
        return file.read(most)


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe that nobody writes into is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
