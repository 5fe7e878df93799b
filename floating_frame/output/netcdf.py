"""NetCDF files in the hands of one thread at a time: neither HDF5 nor NetCDF's library bears two, not even at two files."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import netCDF4


class OneThread:
    """A lock that the thread which has it may take again; in another process it is that process's own. It is held while the process
    forks, so that no child begins amid what another thread does."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.acquire, after_in_parent=self.release, after_in_child=self.release)

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock, see ``threading.RLock``."""
        return self._lock.acquire(blocking, timeout)

    def release(self) -> None:
        """Let it go."""
        self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __reduce__(self) -> str:
        return "NETCDF_LOCK"


NETCDF_LOCK = OneThread()
"""Held while NetCDF files are read and written; datasets of runs read by it, too (the ``lock`` of ``xarray.open_dataset``)."""


@contextmanager
def netcdf_file(path: str | os.PathLike[str], mode: Literal["r", "w"] = "r", **kind: Any) -> Iterator[netCDF4.Dataset]:
    """Open a NetCDF file, see ``netCDF4.Dataset``, and let no other thread at any."""
    whole = os.path.abspath(path)  # NetCDF's library takes blanks away from the beginning of a name
    with NETCDF_LOCK, netCDF4.Dataset(whole, mode, **kind) as file:
        yield file


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a path with a backslash in it, at which NetCDF's library makes no file: OSError."""
    if os.sep != "\\" and "\\" in os.path.abspath(path):
        raise OSError(errno.EINVAL, "expected a path without \\, which NetCDF does not take", str(path))
