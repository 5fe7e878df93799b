"""Files that are damaged, or that another version or editor wrote, are accepted or refused in one line with exit 2."""

import shutil
from importlib.metadata import version

import netCDF4
import numpy as np
import pytest

from cases.app.command import cli
from cases.app.run.results import OWN

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
    "more noise": noisy(2),
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


def test_results_of_an_older_version_are_drawn_and_what_is_unknown_now_is_shown(results, tmp_path, capsys):
    folder = tmp_path / "old"
    shutil.copytree(results, folder)
    with netCDF4.Dataset(folder / "trajectory.nc", "a") as file:
        file.parameters = file.parameters.replace('"mu":', '"stickiness":[3,"much"],"mu":')
        file.versions = file.versions.replace(version(OWN), "0.1.0")
        for name in ("attributes_checksum", "header_checksum"):
            file.delncattr(name)
    picture = folder / "plate_sliding.png"
    picture.unlink()
    assert cli.main(["plot", str(folder)]) == 0
    assert 'stickiness = [3, "much"]' in capsys.readouterr().err
    assert picture.stat().st_size > 1000
    assert cli.main(["resume", str(folder), "--t_end", "1"]) == 2
    one_line(capsys.readouterr().err)


def one_line(text):
    assert text.startswith("error: ")
    assert text.count("\n") == 1
    assert len(text) < 1000


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_results_are_refused_in_one_line(results, tmp_path, capsys, damage):
    folder = tmp_path / "run"
    shutil.copytree(results, folder)
    DAMAGES[damage](folder / "trajectory.nc")
    before = (folder / "plate_sliding.png").read_bytes()
    assert cli.main(["plot", str(folder)]) == 2
    told = capsys.readouterr().err
    one_line(told)
    assert "pydantic" not in told
    if damage not in FILMED:
        assert cli.main(["animate", str(folder), "--out", str(folder / "film.gif")]) == 2
        one_line(capsys.readouterr().err)
    assert (folder / "plate_sliding.png").read_bytes() == before
    assert not list(folder.glob("*film*")) or damage in FILMED


def test_a_toml_file_may_begin_with_a_mark_of_byte_order(tmp_path):
    config = tmp_path / "run.toml"
    config.write_bytes(b"\xef\xbb\xbfnx = 2\nny = 1\nt_end = 0.01\ndt = 0.005\n")
    assert cli.main(["run", "plate_sliding", "--quiet", "--config", str(config), "--out", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(
    "text",
    [
        "nx = " + "[" * 5000 + "]" * 5000,
        "nx = " + "[" * 300 + "]" * 300,
        "nx = " + "9" * 5000,
        "nr = 1e23",
        "nx = 1e23",
        "a" * 5000 + " = 1",
    ],
)
def test_what_no_run_takes_is_refused_in_one_line(tmp_path, capsys, text):
    config = tmp_path / "run.toml"
    config.write_text(text)
    assert cli.main(["run", "spinning_disc", "--config", str(config), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert "set_int_max_str_digits" not in error
    assert not (tmp_path / "out").exists()


def test_parameters_of_laws_that_are_not_used_do_not_end_a_run_in_its_picture(tmp_path, capsys):
    run = ["run", "inclined_plane", "--mu=0.5", "--mu_s=0.2", "--v_s=0.2", "--v_d=0.1", "--t_end=0.01", "--quiet"]
    assert cli.main([*run, "--out", str(tmp_path / "unused")]) == 0
    assert (tmp_path / "unused" / "inclined_plane.png").stat().st_size > 1000
    assert cli.main([*run, "--law=static-kinetic", "--out", str(tmp_path / "used")]) == 2
    assert "mu_s: expected a number >= mu = 0.5, got 0.2" in capsys.readouterr().err
    assert not (tmp_path / "used").exists()
