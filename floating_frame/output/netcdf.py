"""NetCDF files: access by one thread at a time, since neither HDF5 nor NetCDF's library is thread-safe even for two files; and a
trial read of possibly damaged files, on which the library may hang or crash, in a child process."""

from __future__ import annotations

import errno
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import netCDF4


class ForkSafeLock:
    """Reentrant lock, separate in each process. It is acquired while the process forks, so that no child starts during another
    thread's access."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.acquire, after_in_parent=self.release, after_in_child=self.release)

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock, see ``threading.RLock``."""
        return self._lock.acquire(blocking, timeout)

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __reduce__(self) -> str:
        return "NETCDF_LOCK"


NETCDF_LOCK = ForkSafeLock()
"""Held while NetCDF files are read and written; datasets of runs read by it, too (the ``lock`` of ``xarray.open_dataset``)."""


@contextmanager
def netcdf_file(path: str | os.PathLike[str], mode: Literal["r", "w"] = "r", **kind: Any) -> Iterator[netCDF4.Dataset]:
    """Open a NetCDF file, see ``netCDF4.Dataset``, and exclude other threads from all."""
    whole = os.path.abspath(path)  # NetCDF's library strips blanks from the beginning of a name
    with NETCDF_LOCK, netCDF4.Dataset(whole, mode, **kind) as file:
        yield file


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a path with a backslash, where NetCDF's library makes no file: OSError."""
    if os.sep != "\\" and "\\" in os.path.abspath(path):
        raise OSError(errno.EINVAL, "expected a path without \\, which NetCDF does not take", str(path))


CPU_SECONDS, BYTES_A_SECOND = 10, 1_000_000
"""CPU time of a trial read: a constant, and the file's size over that rate."""


def read_attributes(path: str | Path) -> dict[str, Any]:
    """Attributes of a NetCDF file."""
    with netcdf_file(path) as file:
        return {name: file.getncattr(name) for name in file.ncattrs()}


def read_samples(path: Path) -> None:
    """Open a NetCDF file and read its attributes and the last number of each variable."""
    with netcdf_file(path) as data:
        for name in data.ncattrs():
            data.getncattr(name)
        for variable in data.variables.values():
            for name in variable.ncattrs():
                variable.getncattr(name)
            if variable.size:
                variable[tuple(-1 for _ in variable.shape)]


def check_readable(path: Path, reader: Callable[[Path], None] = read_samples) -> None:
    """Let a forked process read a NetCDF file first, with a limit of time. Raises OSError where that process had to be ended, and
    ValueError with its ``reader``'s error. HDF5 follows the addresses in a file; damaged ones may lead in circles, in C, without an
    answer to signals."""
    if not path.is_file():
        return
    if not hasattr(os, "fork"):
        reader(path)
        return
    receives, sends = os.pipe()
    with warnings.catch_warnings(action="ignore"):  # of threads, none of which the child needs
        child = os.fork()
    if child == 0:
        with suppress(BaseException):
            fault = _read_in_child(path, reader, sends)
            os.write(sends, fault.encode()[:4000])
        os._exit(0)
    os.close(sends)
    with os.fdopen(receives, "rb") as pipe:
        fault = pipe.read().decode(errors="replace")
    if os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        raise OSError(errno.EIO, "damaged: reading it does not end, or crashes", str(path))
    if fault:
        raise ValueError(fault)


def _read_in_child(path: Path, reader: Callable[[Path], None], pipe: int) -> str:
    """Read a file in a child process with limited CPU time; return the error's text, empty for none."""
    import resource

    for first, last in ((3, pipe), (pipe + 1, os.sysconf("SC_OPEN_MAX"))):
        os.closerange(first, last)  # a lock among them would outlive this process where it is killed
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = CPU_SECONDS + path.stat().st_size // BYTES_A_SECOND
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    try:
        reader(path)
    except (OSError, ValueError) as error:
        return str(error) or type(error).__name__
    except Exception as error:  # a damaged file may cause any error
        return f"cannot read a trajectory from {path}: {type(error).__name__}: {error}"
    return ""
