"""The command modes: its table, picture and summary, modes about a run, and what is refused."""

import re

import numpy as np
import pytest
import xarray as xr
from case_runs import SMALL, run_without_picture, summary_of
from PIL import Image


def test_a_beams_frequencies_stand_beside_the_exact_ones_in_table_and_summary(command, tmp_path):
    status, out, err = command("modes beam_bending --support cantilever --ne 12 --count 3 --out m")
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines() if re.match(r"\s*\d+ ", line)][:3]
    summary = summary_of(tmp_path / "m")
    for k, line in enumerate(lines, start=1):
        entry = summary["results"][f"frequency_{k}"]
        assert entry["unit"] == "Hz"
        assert 0 < entry["value"] / entry["exact"] - 1 < 1e-3
        assert [float(line[1]), float(line[3])] == pytest.approx([entry["value"], entry["exact"]], rel=1e-6)
        assert float(line[1]) * float(line[2]) == pytest.approx(1.0, rel=1e-4)
    with xr.open_dataset(tmp_path / "m" / "modes.nc") as computed:
        assert computed.frequency.units == "Hz"
        assert computed["shape"].shape == (3, 13, 2)
    with Image.open(tmp_path / "m" / "modes.png") as picture:
        assert np.asarray(picture.convert("L")).std() > 5


def test_modes_about_a_run_are_those_of_its_stressed_body(command, no_picture, tmp_path):
    values = SMALL["plate_clamped"] | {"pull_x": 30.0, "pull_y": 0.0, "push_x": 0.0, "t_end": 0.1}
    assert run_without_picture("plate_clamped", values, tmp_path / "run") == 0
    for body, out in (("--nx 4 --ny 2", "rest"), ("--about run", "pulled")):
        assert command(f"modes plate_clamped {body} --quiet --count 1 --out {out}") == (0, "", "")
    rest, pulled = (summary_of(tmp_path / name)["results"]["frequency_1"]["value"] for name in ("rest", "pulled"))
    assert pulled > 1.02 * rest


def test_a_solid_in_space_has_modes_without_a_column_of_exact_ones(command, no_picture):
    status, out, _ = command("modes solid_pulled --nx 2 --ny 2 --nz 1 --count 1 --out m")
    assert (status, "exact" in out, "6 rigid motions left out" in out) == (0, False, True)
