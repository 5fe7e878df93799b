"""Numbers that no body has end a run by name, with exit 2 or 3, whatever they overflow: steps, initial states, summaries."""

import json

import netCDF4
import numpy as np
import pytest

from cases.app.command import cli

SMALL = {
    "plate_clamped": ["--nx=2", "--ny=1", "--t_end=0.02", "--dt=0.01"],
    "plate_sliding": ["--nx=2", "--ny=1", "--t_end=0.02", "--dt=0.01"],
    "spinning_disc": ["--nr=2", "--nt=6", "--t_end=0.04", "--dt=0.02"],
    "beam_bending": ["--ne=4", "--t_end=0.01", "--dt=0.005"],
    "annulus_torsion": ["--nr=2", "--nt=6", "--t_end=1", "--dt=0.5"],
    "plate_in_space": ["--nx=2", "--ny=1", "--t_end=0.008"],
    "rod_wave": ["--nx=5", "--t_end=0.01", "--dt=0.002"],
    "beam_on_rough_foundation": ["--ne=6", "--steps=2"],
}
TOO_LARGE = [
    ("plate_clamped", ["--pull_y=1e300"]),
    ("plate_sliding", ["--spin0=1e300"]),
    ("spinning_disc", ["--vy0=1e300"]),
    ("beam_bending", ["--mu=1e300", "--width=1e10"]),
    ("beam_bending", ["--length=1e300"]),
    ("annulus_torsion", ["--pressure=1e154"]),
    ("annulus_torsion", ["--gravity=1e300"]),
    ("plate_in_space", ["--vx0=1e300"]),
    ("rod_wave", ["--mu=1e308"]),
    ("rod_wave", ["--E=1e308"]),
    ("beam_on_rough_foundation", ["--gravity=1e154"]),
    ("beam_on_rough_foundation", ["--mu=1e-300"]),
]


@pytest.mark.parametrize(("case", "given"), TOO_LARGE)
def test_a_run_with_numbers_too_large_ends_by_name(tmp_path, capsys, case, given):
    out = tmp_path / "out"
    status = cli.main(["run", case, *SMALL[case], *given, "--quiet", "--out", str(out)])
    error = capsys.readouterr().err
    assert status in (2, 3)
    assert 1 <= error.count("\n") <= 6
    assert "Traceback" not in error
    if status == 2:
        assert error.startswith("error: ")
        assert not out.exists()
        return
    summary = json.loads((out / "summary.json").read_text())
    assert summary["message"]
    if (out / "trajectory.nc").exists():
        with netCDF4.Dataset(out / "trajectory.nc") as data:
            assert np.isfinite(np.ma.filled(data["position"][:], np.nan)).all()


def test_a_load_beyond_numbers_is_a_failure_of_the_solver(tmp_path, capsys):
    given = ["--nx=4", "--ny=2", "--t_end=0.024", "--pull_y=1e300", "--quiet"]
    assert cli.main(["run", "plate_clamped", *given, "--out", str(tmp_path)]) == 3
    told = capsys.readouterr().err
    assert "times what would stretch the body by its size" in told
    assert "try: a smaller load" in told
    assert json.loads((tmp_path / "summary.json").read_text())["complete"] is False
