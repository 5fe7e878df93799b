"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_replaceable(path: Path) -> None:
    """Refuse a ``path`` of a device, pipe or socket, which a file would replace: FileExistsError."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise FileExistsError(errno.EEXIST, "expected a file, or a name that is free, got a device or pipe", str(path))


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside ``path``; its file replaces ``path`` at the end, or is removed.

    Raises OSError where it cannot be written.
    """
    check_replaceable(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.partial")
    try:
        yield temporary
        descriptor = os.open(temporary, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except RuntimeError as error:  # as HDF5 says that a disk is full
        raise OSError(errno.EIO, f"{path.name} cannot be written ({error})", str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
