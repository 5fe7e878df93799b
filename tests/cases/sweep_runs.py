"""A sweep at the cost of a test, and its dataset."""

import xarray as xr

QUICK = ("--t_end", "0.5", "--dt", "0.02", "--nx", "1", "--ny", "1")


def opened(path):
    with xr.open_dataset(path / "sweep.nc", engine="netcdf4") as data:
        return data.load()
