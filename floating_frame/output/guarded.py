"""Damaged NetCDF files on which the library that reads them does not end, or crashes: found out by a process that may."""

from __future__ import annotations

import errno
import os
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import netCDF4

from floating_frame.output.netcdf import NETCDF_LOCK, netcdf_file

CPU_SECONDS = 10
"""So long the trial reading may compute."""


def read_attributes(path: str | Path) -> dict[str, Any]:
    """Attributes of a NetCDF file."""
    with netcdf_file(path) as file:
        return {name: file.getncattr(name) for name in file.ncattrs()}


def check_readable(path: Path) -> None:
    """Open a NetCDF file in a forked process first, with a limit of time. Raises OSError where that process had to be ended.

    HDF5 follows the addresses in a file; damaged ones may lead in circles, in C, where no signal is answered.
    """
    if not hasattr(os, "fork") or not path.is_file():
        return
    with warnings.catch_warnings(action="ignore"), NETCDF_LOCK:  # of threads, none of which the child needs, nor amidst a file
        child = os.fork()
    if child == 0:
        with suppress(BaseException):
            os.closerange(
                3, os.sysconf("SC_OPEN_MAX")
            )  # a lock among them would outlive this process where it is killed
            _read_a_little(path)
        os._exit(0)
    if os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        raise OSError(errno.EIO, "damaged: reading it does not end, or crashes", str(path))


def _read_a_little(path: Path) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    with netCDF4.Dataset(path) as data:  # this process has no other thread
        for name in data.ncattrs():
            data.getncattr(name)
        for variable in data.variables.values():
            for name in variable.ncattrs():
                variable.getncattr(name)
            if variable.size:
                variable[tuple(-1 for _ in variable.shape)]
