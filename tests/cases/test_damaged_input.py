"""Files that are damaged, or that another version or editor wrote, are accepted or refused in one line with exit 2."""

import os
import shutil
import signal
from importlib.metadata import version
from pathlib import Path

import netCDF4
import numpy as np
import pytest

from cases.app.command import cli
from cases.app.run.directory import origin
from cases.app.run.results import OWN
from floating_frame.output import netcdf

RUN = ["run", "plate_sliding", "--nx=2", "--ny=1", "--t_end=0.01", "--dt=0.005", "--quiet"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("damaged") / "whole"
    assert cli.main([*RUN, "--out", str(root)]) == 0
    return root


def cut(share):
    return lambda path: path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])


def noisy(seed):
    def damage(path):
        content = np.frombuffer(path.read_bytes(), np.uint8).copy()
        random = np.random.default_rng(seed)
        content[random.integers(0, len(content), 60)] = random.integers(0, 256, 60)
        path.write_bytes(content.tobytes())

    return damage


def edited(change):
    def damage(path):
        with netCDF4.Dataset(path, "a") as data:
            change(data)

    return damage


def zeros(data, count, block):
    data.createDimension("more", count)
    data.createVariable("more", "f8", ("more",), compression="zlib", chunksizes=(block,))


DAMAGES = {
    "empty": cut(0.0),
    "cut early": cut(0.05),
    "cut late": cut(0.97),
    "noise": noisy(1),
    "no parameters": edited(lambda d: d.delncattr("parameters")),
    "parameters that end early": edited(lambda d: d.setncattr("parameters", '{"mu": ')),
    "parameters of another version": edited(lambda d: d.setncattr("parameters", '{"coefficient": 1}')),
    "another case": edited(lambda d: d.setncattr("case", "rod_wave")),
    "no case": edited(lambda d: d.setncattr("case", 3)),
    "variable of another name": edited(lambda d: d.renameVariable("stick", "sticks")),
    "no numbers": edited(lambda d: d["position"].__setitem__(slice(None), np.nan)),
    "parameters nested deeply": edited(lambda d: d.setncattr("parameters", "[" * 100_000 + "]" * 100_000)),
    "terabytes that take no room": edited(lambda d: zeros(d, 10**12, 1 << 20)),
    "a block of gigabytes": edited(lambda d: zeros(d, 1 << 28, 1 << 28)),
    "texts for numbers": edited(lambda d: d.createVariable("more", d.createVLType(np.float64, "lists"), ("time",))),
    "cells without nodes": edited(lambda d: d["cells"].__setitem__(slice(None), 99)),
}
FILMED = (*(kind for kind in DAMAGES if kind.startswith(("parameters", "no parameters"))), "another case")
"""A film needs no parameters."""


def one_line(text):
    assert text.startswith("error: ")
    assert text.count("\n") == 1
    assert len(text) < 1000
    assert "pydantic" not in text


def test_results_of_an_older_version_are_drawn_and_what_is_unknown_now_is_shown(results, command):
    shutil.copytree(results, "old")
    with netCDF4.Dataset("old/trajectory.nc", "a") as file:
        file.parameters = file.parameters.replace('"mu":', '"stickiness":[3,"much"],"mu":')
        file.versions = file.versions.replace(version(OWN), "0.1.0")
        for name in ("attributes_checksum", "header_checksum"):
            file.delncattr(name)
    picture = Path("old/plate_sliding.png")
    picture.unlink()
    status, _, err = command("plot old")
    assert (status, 'stickiness = [3, "much"]' in err) == (0, True)
    assert picture.stat().st_size > 1000
    status, _, err = command("resume old --t_end 1")
    assert status == 2
    one_line(err)


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_results_are_refused_in_one_line(results, command, damage):
    shutil.copytree(results, "run")
    folder = Path("run")
    DAMAGES[damage](folder / "trajectory.nc")
    before = (folder / "plate_sliding.png").read_bytes()
    for line in ("plot run", "animate run --out run/film.gif")[: 1 if damage in FILMED else 2]:
        status, _, err = command(line)
        assert status == 2
        one_line(err)
    assert (folder / "plate_sliding.png").read_bytes() == before
    assert not list(folder.glob("*film*"))


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
