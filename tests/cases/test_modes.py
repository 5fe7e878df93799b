"""The command modes: its table, picture and summary, modes about a run, and what is refused."""

import json
import re

import numpy as np
import pytest
import xarray as xr
from case_runs import SMALL, run_without_picture
from PIL import Image
from rows import rows


def test_a_beams_frequencies_stand_beside_the_exact_ones_in_table_and_summary(command, tmp_path):
    status, out, err = command(
        "modes", "beam_bending", "--support", "cantilever", "--ne", "12", "--count", "3", "--out", "m"
    )
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines() if re.match(r"\s*\d+ ", line)][:3]
    summary = json.loads((tmp_path / "m" / "summary.json").read_text())
    for k, line in enumerate(lines, start=1):
        entry = summary["results"][f"frequency_{k}"]
        assert entry["unit"] == "Hz"
        assert 0 < entry["value"] / entry["exact"] - 1 < 1e-3
        assert [float(line[1]), float(line[3])] == pytest.approx([entry["value"], entry["exact"]], rel=1e-6)
        assert float(line[1]) * float(line[2]) == pytest.approx(1.0, rel=1e-4)
    with xr.open_dataset(tmp_path / "m" / "modes.nc") as found:
        assert found.frequency.units == "Hz"
        assert found["shape"].shape == (3, 13, 2)
    with Image.open(tmp_path / "m" / "modes.png") as picture:
        assert np.asarray(picture.convert("L")).std() > 5


def test_modes_about_a_run_are_those_of_its_stressed_body(command, tmp_path):
    values = SMALL["plate_clamped"] | {"pull_x": 30.0, "pull_y": 0.0, "push_x": 0.0, "t_end": 0.1}
    assert run_without_picture("plate_clamped", values, tmp_path / "run") == 0
    size = [f"--{key}={values[key]}" for key in ("nx", "ny")]
    assert command("modes", "plate_clamped", *size, "--quiet", "--count", "1", "--out", "rest") == (0, "", "")
    about = ("--about", "run", "--quiet", "--count", "1", "--out", "pulled")
    assert command("modes", "plate_clamped", *about) == (0, "", "")
    rest, pulled = (
        json.loads((tmp_path / name / "summary.json").read_text())["results"]["frequency_1"]["value"]
        for name in ("rest", "pulled")
    )
    assert pulled > 1.02 * rest


def test_a_solid_in_space_has_modes_without_a_column_of_exact_ones(command, tmp_path):
    size = ("--nx", "2", "--ny", "2", "--nz", "1")
    status, out, _ = command("modes", "solid_pulled", *size, "--count", "1", "--out", "m")
    assert status == 0
    assert "exact" not in out
    assert "6 rigid motions left out" in out


BAD = {
    "no case": (("modes",), r"expected the name of a case to take the body of \(one of .*got nothing"),
    "unknown case": (("modes", "nope"), r"got nope"),
    "no number": (("modes", "beam_bending", "--count", "few"), r"count: expected an integer from 1 to 1000, got 'few'"),
    "too many": (
        ("modes", "beam_bending", "--ne", "2", "--count", "9"),
        r"expected a number of modes from 1 to 4, got 9",
    ),
    "rigid": (("modes", "block_on_table"), r"a rigid body has no natural modes: take a deformable one"),
    "in space": (("modes", "sphere_on_plane"), r"a rigid body has no natural modes: take a deformable one"),
    "about nothing": (("modes", "plate_sliding", "--about", "none"), r"expected a results directory"),
    "bad parameter": (("modes", "plate_sliding", "--nu", "0.5"), r"nu: expected a number > -1, < 0.5"),
}


def test_the_summary_of_a_run_is_not_overwritten(command, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "trajectory.nc").write_bytes(b"of a run")
    status, out, err = command("modes", "beam_bending", "--out", "run")
    assert (status, out) == (2, "")
    assert err == "error: out: expected a directory without results of a run, got 'run'\n"


@rows("kind", BAD)
def test_bad_input_is_refused_in_one_line_and_nothing_is_written(command, tmp_path, kind):
    arguments, expected = BAD[kind]
    status, out, err = command(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert re.search(expected, err), err
    assert not list(tmp_path.iterdir())
