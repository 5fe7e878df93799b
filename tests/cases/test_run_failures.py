"""Runs that do not reach their end: what is kept of them, and what is said."""

import json

import pytest
from case_runs import SMALL, run

from cases.app.command import cli
from cases.app.run import runner
from cases.app.run.results import write_whole
from floating_frame import load_trajectory


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def half(where):
        where.write_text("half")
        assert path.read_text() == "old"
        raise OSError("disc full")

    with pytest.raises(OSError, match="disc full"):
        write_whole(path, half)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["old"]
    write_whole(path, lambda where: where.write_text("new"))
    assert [p.read_text() for p in tmp_path.iterdir()] == ["new"]


def test_a_run_that_fails_keeps_what_it_computed_and_says_where_and_what_to_try(tmp_path, capsys):
    crushed = SMALL["plate_sliding"] | {"pull_x": -4000.0, "ramp": 0.05}
    assert run("plate_sliding", SMALL["plate_sliding"], tmp_path, "--quiet") == 0
    assert run("plate_sliding", crushed, tmp_path, "--quiet") == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "at t = " in err
    assert "try: " in err
    assert "Traceback" not in err
    assert str(tmp_path) in err
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["complete"] is False
    assert summary["parameters"]["pull_x"] == -4000.0
    assert "at t = " in summary["message"]
    with load_trajectory(tmp_path / "trajectory.nc") as data:
        assert int(data.attrs["complete"]) == 0
        assert 1 < data.sizes["time"] < 6
        assert json.loads(data.attrs["parameters"])["pull_x"] == -4000.0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["plate_sliding.png", "summary.json", "trajectory.nc"]


def test_an_interrupted_run_keeps_what_it_computed(tmp_path, monkeypatch, capsys):
    simulate = runner.simulate

    def interrupted(model, **given):
        def stop(report):
            if report.steps == 3:
                raise KeyboardInterrupt

        return simulate(model, **given | {"progress": stop})

    monkeypatch.setattr(runner, "simulate", interrupted)
    assert run("plate_sliding", SMALL["plate_sliding"], tmp_path) == 130
    assert "interrupted" in capsys.readouterr().err
    assert json.loads((tmp_path / "summary.json").read_text())["complete"] is False
    with load_trajectory(tmp_path / "trajectory.nc") as data:
        assert int(data.attrs["complete"]) == 0
        assert data.sizes["time"] == 4
    assert sorted(p.name for p in tmp_path.iterdir()) == ["summary.json", "trajectory.nc"]


@pytest.mark.parametrize(
    ("name", "given", "status", "says"),
    [
        ("plate_clamped", {"nx": 4, "ny": 2, "t_end": 0.024, "pull_y": 1e300}, 3, "the loads are"),
        ("plate_sliding", {"nx": 4, "ny": 2, "t_end": 0.02, "pull_x": 1e300, "ramp": 0.0}, 3, "at t = 0"),
        ("rod_cycle", {"nx": 8, "forces": 1e300}, 3, "at t = 0"),
        ("beam_bending", {"ne": 8, "t_end": 0.01, "load": 1e300}, 3, "NotFinite"),
        ("free_flight", {"nx": 4, "ny": 2, "t_end": 0.01, "spin0": 1e200}, 2, "kinetic energy"),
        ("spinning_disc", {"vx0": 1e200}, 2, "kinetic energy"),
    ],
)
def test_numbers_beyond_all_numbers_are_told_by_name_and_not_by_a_traceback(tmp_path, capfd, name, given, status, says):
    assert run(name, given, tmp_path / "out", "--quiet") == status
    out, err = capfd.readouterr()
    assert out == ""
    assert says in err
    assert "Traceback" not in err
    assert "Warning" not in err
    assert (tmp_path / "out").exists() == (status == 3)


@pytest.mark.parametrize(
    "asked",
    [
        ("plate_sliding", "--nx", "2", "--ny", "2"),
        ("beam_bending",),
        ("free_flight", "--nx", "2", "--ny", "2", "--error_tolerance", "1e-3"),
    ],
)
def test_a_run_of_more_steps_than_anyone_waits_for_is_refused_before_it_starts(asked, tmp_path, capsys):
    assert cli.main(["run", *asked, "--t_end", "1e6", "--dt", "1e-3", "--out", str(tmp_path / "long")]) == 2
    said = capsys.readouterr().err.strip()
    assert "1e+09 steps" in said
    assert "\n" not in said
    assert not (tmp_path / "long").exists()
