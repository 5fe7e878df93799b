"""A NetCDF file whose damage leads its reader in circles, or crashes it, is refused; others are read as they are."""

import os
import signal

import pytest

from cases.app.run.directory import origin
from floating_frame.output import netcdf


def test_a_file_whose_reading_does_not_end_is_refused(tmp_path):
    path = tmp_path / "trajectory.nc"
    path.write_bytes(b"CDF")
    with pytest.raises(ValueError, match="NetCDF"):
        netcdf.check_readable(path)  # damaged, but its reading ends
    with pytest.raises(OSError, match="reading it does not end, or crashes"):
        netcdf.check_readable(path, lambda path: os.kill(os.getpid(), signal.SIGXCPU))
    assert origin(path) is None
    netcdf.check_readable(tmp_path / "nothing.nc")


def test_the_time_that_reading_may_take_is_limited(tmp_path, monkeypatch):
    def in_circles(*_):
        while True:
            pass

    monkeypatch.setattr(netcdf, "CPU_SECONDS", 1)
    monkeypatch.setattr(netcdf.netCDF4, "Dataset", in_circles)
    path = tmp_path / "trajectory.nc"
    path.write_bytes(b"CDF")
    with pytest.raises(OSError, match="does not end"):
        netcdf.check_readable(path)
