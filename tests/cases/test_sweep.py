"""Sweeps: the dataset over a grid, failures that stay with their point, refusals, workers, interruption, the picture."""

import csv
import hashlib
import json
import os
import re
import zlib

import numpy as np
import pytest
from case_runs import stored, summary_of
from matplotlib import image
from rows import rows

from cases.app.drawing import style
from cases.app.drawing.sweep import plot_sweep
from cases.app.registry import load
from cases.app.studies.sweep import point as sweep_point
from floating_frame import StepFailure

QUICK = "--t_end 0.5 --dt 0.02 --nx 1 --ny 1"
SWEEP = f"sweep block_on_table {QUICK} --workers 0 --out s"


def test_a_sweep_gathers_every_headline_number_over_its_grid(command, tmp_path):
    status, out, err = command(f"{SWEEP} --grid mu=0.1,0.2,0.8 --grid law=coulomb,smooth")
    assert (status, err, "6 points (6 ok)" in out) == (0, "", True)
    data = stored(tmp_path / "s", "sweep.nc")
    assert dict(data.sizes) == {"mu": 3, "law": 2}
    assert data.mu.values.tolist() == [0.1, 0.2, 0.8]
    assert data.law.values.tolist() == ["coulomb", "smooth"]
    meaning = load("block_on_table").Parameters.model_fields["mu"].description
    assert meaning.startswith("friction coefficient")
    assert data.mu.attrs.items() >= {"units": "1", "long_name": meaning}.items()
    assert (data.status == "ok").all()
    assert data.attrs["complete"] == 1
    assert data.attrs["failed"] == 0
    for name, variable in data.data_vars.items():
        assert variable.dims == ("mu", "law"), name
        assert variable.attrs["units"], name
        assert variable.attrs["long_name"], name
    # From rest under 8 cos t N the block of 1 kg slides at once: x = ∫∫ (8 cos t − 9.81 mu).
    exact = 8.0 * (1.0 - np.cos(0.5)) - 0.5 * 9.81 * data.mu.values * 0.25
    assert np.allclose(data.x_end.sel(law="coulomb")[:2], exact[:2], rtol=1e-3)
    assert np.allclose(data.x_end_exact.sel(law="coulomb")[:2], exact[:2], rtol=1e-9)
    assert np.isnan(data.x_end_exact.sel(law="smooth")).all(), "known for Coulomb's law alone"
    assert (np.diff(data.x_end.values[:, 0]) < -0.01).all()
    assert (data.steps == 25).all()
    assert (data.wall_time > 0.0).all()
    fixed = json.loads(data.attrs["parameters"])
    assert fixed["t_end"] == 0.5
    assert "mu" not in fixed
    # The same point run by itself has the same number, and the table the same as the dataset.
    assert command(f"run block_on_table --mu 0.2 {QUICK} --out one --quiet")[0] == 0
    alone = summary_of(tmp_path / "one")["results"]
    assert float(data.x_end.sel(mu=0.2, law="coulomb")) == alone["x_end"]["value"]
    with (tmp_path / "s" / "sweep.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [(row["mu"], row["law"]) for row in lines[:2]] == [("0.1", "coulomb"), ("0.1", "smooth")]
    assert float(lines[2]["x_end [m]"]) == pytest.approx(alone["x_end"]["value"], rel=1e-9)
    assert lines[1]["x_end_exact [m]"] == ""
    assert sorted(p.name for p in (tmp_path / "s").iterdir()) == ["sweep.csv", "sweep.nc", "sweep.png"]


def test_a_point_that_is_refused_or_fails_has_its_reason_and_takes_no_other_with_it(
    command, no_picture, tmp_path, monkeypatch
):
    sound = sweep_point.simulate

    def fails_under_euler(model, **more):
        if model.options.scheme == "backward-euler":
            raise StepFailure(0.25, "made to fail", "nothing")
        return sound(model, **more)

    monkeypatch.setattr(sweep_point, "simulate", fails_under_euler)
    status, out, err = command(f"{SWEEP} --grid scheme=sdirk2,radau,backward-euler,moreau-theta")
    assert (status, "4 points (2 ok, 2 failed)" in out, err.count("\n")) == (3, True, 2)
    assert re.search("failed at scheme=radau: ValueError: .*regularised law", err)
    step = "the step at t = 0.25 s could not be solved: made to fail; try: nothing"
    assert f"failed at scheme=backward-euler: {step}" in err
    data = stored(tmp_path / "s", "sweep.nc")
    assert data.status.values.tolist() == ["ok", "failed", "failed", "ok"]
    assert "regularised law" in str(data.reason[1].values)
    assert np.isnan(data.x_end.values).tolist() == [False, True, True, False]
    assert (data.attrs["failed"], data.attrs["complete"]) == (2, 1)


def test_an_interrupted_sweep_keeps_what_is_there_and_says_that_it_is_incomplete(command, tmp_path, monkeypatch):
    sound, calls = sweep_point.run_point, []

    def interrupted(name, point):
        calls.append(point)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return sound(name, point)

    monkeypatch.setattr(sweep_point, "run_point", interrupted)
    status, _, err = command(f"{SWEEP} --grid mu=0.1:0.4:4")
    assert (status, err.count("\n")) == (130, 1)
    assert "the same command goes on" in err
    data = stored(tmp_path / "s", "sweep.nc")
    assert data.attrs["complete"] == 0
    assert data.status.values.tolist() == ["ok", "ok", "not run", "not run"]
    assert np.isfinite(data.x_end.values).tolist() == [True, True, False, False]
    assert sorted(p.name for p in (tmp_path / "s").iterdir()) == ["sweep.csv", "sweep.nc"]


def test_a_sweep_goes_on_with_what_is_missing_even_from_a_full_disk_and_takes_more_points(
    command, no_picture, tmp_path, monkeypatch
):
    calls, fsync = [], os.fsync
    again = f"{SWEEP} --quiet --grid"

    def full(file):
        if len(calls) >= 2:
            raise OSError(28, "No space left on device")
        fsync(file)

    monkeypatch.setattr(sweep_point, "run_point", made_up(calls))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        status, _, err = command(f"{again} mu=0.1:0.3:3")
    assert (status, err.count("\n"), len(calls)) == (3, 1, 2)
    assert "No space left" in err
    assert [p.name for p in (tmp_path / "s").iterdir()] == ["points.jsonl"]
    with (tmp_path / "s" / "points.jsonl").open("a") as file:
        file.write('01234567 {"point": 2, "outc')  # a torn line
    assert command(f"{again} mu=0.2:0.4:3")[0] == 2, "without a point that is there"
    assert command(f"{again} mu=0.1:0.3:3 --mass 2")[0] == 2, "another parameter"
    assert command(f"{again} mu=0.1:0.3:3")[0] == 0
    assert len(calls) == 3
    assert stored(tmp_path / "s", "sweep.nc").status.values.tolist() == ["ok"] * 3
    status, out, _ = command(f"{SWEEP} --grid mu=0.1:0.3:3")
    assert (status, len(calls)) == (0, 3)
    assert "3 of 3 points were there already" in out
    assert command(f"{again} mu=0.1:0.4:4")[0] == 0
    assert (len(calls), stored(tmp_path / "s", "sweep.nc").sizes["mu"]) == (4, 4)
    assert command(f"{again} mu=0.1:0.2:2 --force")[0] == 0
    assert (len(calls), stored(tmp_path / "s", "sweep.nc").sizes["mu"]) == (6, 2)
    assert command("resume s")[0] == 2


def sealed(value):
    return f"{zlib.crc32(value.encode()):08x} {value}\n"


HOSTILE = {
    "nesting": "[" * 100_000 + "]" * 100_000,
    "a number of 5000 digits": "9" * 5000,
    "a list": "[1, 2]",
    "an outcome that is a list": '{"point": "KEY", "outcome": [1]}',
    "an outcome without results": '{"point": "KEY", "outcome": {"status": "ok"}}',
    "a key that is none": '{"point": {"a": 1}, "outcome": {}}',
    "results that are texts": '{"point": "KEY", "outcome": {"status": "ok", "reason": "", "results": {"x_end": "a"}, '
    '"effort": {}, "seconds": 1.0, "warnings": []}}',
}


def made_up(calls=None):
    """A stand-in for a run: its results follow from its parameters, and it fails at mu = 0.5."""

    def run_point(name, point):
        if calls is not None:
            calls.append(point)
        values = json.loads(point)
        if values["mu"] == 0.5:
            return sweep_point.failed("made to fail")
        x = values["amplitude"] - 9.81 * values["mu"]
        results = {"x_end": {"value": x, "unit": "m", "description": "displacement", "exact": x + 0.1}}
        effort = dict.fromkeys(sweep_point.EFFORT, 5 + int(10 * values["mu"]) + len(values["law"]))
        return sweep_point.Outcome(status="ok", reason="", results=results, effort=effort, seconds=0.1)

    return run_point


@rows("line", HOSTILE)
def test_points_that_are_no_outcomes_are_computed_again(command, no_picture, tmp_path, monkeypatch, line):
    calls, folder = [], tmp_path / line
    monkeypatch.setattr(sweep_point, "run_point", made_up(calls))
    folder.mkdir()
    key = hashlib.sha256(b"").hexdigest()
    text = sealed('{"sweep": "block_on_table"}') + sealed(HOSTILE[line].replace("KEY", key))
    (folder / "points.jsonl").write_text(text)
    assert command("sweep block_on_table --grid mu=0.1,0.2 --workers 0 --quiet --out", folder) == (0, "", "")
    assert len(calls) == 2
    assert stored(folder, "sweep.nc").x_end.values == pytest.approx([8 - 0.981, 8 - 1.962], rel=1e-12)


def test_lists_are_divided_by_semicolons_and_what_depends_on_a_swept_parameter_follows_it(command, tmp_path):
    grid = "--grid 'forces=0.06,0;0.03,0.01' --grid steps=2,4"
    assert command(f"sweep rod_cycle {grid} --nx 6 --workers 0 --quiet --out s") == (0, "", "")
    data = stored(tmp_path / "s", "sweep.nc")
    assert data.forces.values.tolist() == ["0.06,0", "0.03,0.01"]
    assert data.steps_result.values.tolist() == [[4, 8], [4, 8]]  # dt = 1/steps on two legs
    assert data.coords["steps"].values.tolist() == [2, 4]


@pytest.mark.parametrize(
    "grid", ["mu=0.1:0.9:5", "mu=0.1,0.5 law=coulomb,smooth", "mu=0.1:0.7:7 amplitude=2:14:7", "law=coulomb,smooth"]
)
@pytest.mark.quick("mu=0.1:0.9:5", "law=coulomb,smooth")
def test_a_sweep_over_one_or_two_parameters_has_a_picture_that_its_file_gives_again(
    grid, command, tmp_path, monkeypatch
):
    monkeypatch.setattr(sweep_point, "run_point", made_up())
    flags = " ".join(f"--grid {text}" for text in grid.split())
    status, _, _ = command(f"sweep block_on_table {flags} --workers 0 --quiet --out s")
    assert status == (3 if "mu=" in grid else 0)
    picture = tmp_path / "s" / "sweep.png"
    first = image.imread(picture)
    assert first.shape[1] == round(3.5 * style.DPI)  # a column of 3.5 inches
    assert 0.008 < (first[..., :3].min(axis=2) < 0.9).mean() < 0.9
    assert np.array_equal(image.imread(plot_sweep(tmp_path / "s")), first)


def test_a_swept_parameter_that_no_point_reads_is_noted(command, no_picture):
    line = "sweep block_on_table --grid v_s=1e-3,2e-3 {} --t_end 0.02 --workers 0 --out {}"
    assert "note: v_s: no effect with law coulomb\n" in command(line.format("", "idle"))[2]
    assert "no effect" not in command(line.format("--grid law=coulomb,sliding", "read"))[2]


def test_by_force_a_sweep_replaces_a_run_and_a_run_a_sweep(command, tmp_path):
    of_run = {"trajectory.nc", "summary.json", "block_on_table.png"}
    of_sweep = {"sweep.nc", "sweep.csv", "sweep.png"}
    run, sweep = "run block_on_table", "sweep block_on_table --grid mu=0.1,0.2 --workers 0"
    for line, files in ((run, of_run), (sweep, of_sweep), (run, of_run)):
        assert command(f"{line} --t_end 0.02 --dt 0.01 --out s --quiet --force")[0] == 0
        assert {path.name for path in (tmp_path / "s").iterdir()} == files


def test_three_dimensions_have_no_picture_but_all_numbers(command, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_point, "run_point", made_up())
    status, out, _ = command(f"{SWEEP} --grid mu=0.1,0.2 --grid v_s=0.1,0.2 --grid mass=1,2")
    assert (status, "sweep.png" in out) == (0, False)
    assert stored(tmp_path / "s", "sweep.nc").x_end.shape == (2, 2, 2)
    assert not (tmp_path / "s" / "sweep.png").exists()


def test_numbers_that_no_file_or_axis_holds_are_texts_in_a_sweep_and_say_nothing_of_its_picture(command, tmp_path):
    top = "sweep free_top --t_end=0.1 --dt=0.05 --workers 0 --quiet"
    assert command(f"{top} --grid output_every=2,1{30 * '0'} --out integers")[0] == 0
    assert list(stored(tmp_path / "integers", "sweep.nc").output_every.values) == ["2", "1" + 30 * "0"]
    assert "Warning" not in command(f"{top} --grid spin1=1e300,1 --J1=1e16 --out large")[2]
    assert (tmp_path / "large" / "sweep.png").exists()
