"""python -m paper_figures: what it lists, writes, refuses, runs once, and never takes for fresh."""

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from figure_examples import BLOCK, CALLS, CRUSHED, example, figure, mixed, registered

from cases.app.run.results import versions
from floating_frame import load_trajectory
from paper_figures import command as figures_command
from paper_figures.registry import FIGURES, load
from paper_figures.runs import jobs, make
from paper_figures.runs import manifest as manifest_file


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def command(*arguments, out):
    return figures_command.main([*arguments, "--out", str(out)])


def manifest(out):
    return json.loads((out / "manifest.json").read_text())


@pytest.fixture
def unwritten(monkeypatch):
    """For tests of runs and manifests: figures are drawn, and no pictures written, which takes longest."""
    monkeypatch.setattr(make, "save", lambda figure, directory, name: [directory / name])


def simulations(monkeypatch):
    """The list to which every run of a simulation adds its name."""
    seen, simulated = [], jobs._simulated

    def noted(name, *rest):
        seen.append(name)
        return simulated(name, *rest)

    monkeypatch.setattr(jobs, "_simulated", noted)
    return seen


def test_the_list_shows_source_cost_and_claim_of_every_figure_and_writes_nothing(out, capsys):
    assert command("--list", out=out) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(FIGURES) > 0
    for name, line in zip(FIGURES, lines, strict=True):
        module = load(name)
        assert line.split()[0] == name
        assert module.SOURCE in line
        assert f"{module.COST:.0f} s" in line
        assert line.endswith(module.CLAIM)
    assert not out.exists()


def test_a_figure_is_written_with_its_manifest_entry_and_not_run_again_and_forced_gives_the_same_bytes(
    out, monkeypatch, capsys
):
    registered(monkeypatch, example())
    ran = simulations(monkeypatch)
    assert command("slipping", out=out) == 0
    assert str(out / "slipping.pdf") in capsys.readouterr().out
    assert sorted(p.name for p in out.iterdir()) == ["manifest.json", "runs", "slipping.pdf", "slipping.png"]
    pictures = {p.name: p.read_bytes() for p in out.glob("slipping.*")}
    assert pictures["slipping.pdf"].startswith(b"%PDF")
    entry = manifest(out)["slipping"]
    assert (entry["figure"], entry["origin"], entry["source"]) == ("slipping", "beyond", "a test")
    stored = entry["runs"]["block"]
    assert (stored["case"], stored["scheme"]) == ("block_on_table", "sdirk2")
    assert (stored["parameters"]["dt"], stored["parameters"]["amplitude"]) == (0.01, 8.0)  # given, and a default
    assert entry["versions"] == versions()
    assert re.fullmatch("([0-9a-f]{40}(-dirty)?|unknown)", entry["git_commit"])
    assert 0 < entry["run_time"] == stored["run_time"] < 60
    with load_trajectory(out / "runs" / f"{stored['key']}.nc") as data:
        velocity = data.frame_velocity.values[:, 0]
    assert velocity.max() > 1e-3  # it slips
    scale = 10 ** np.ceil(np.log10(velocity.max()))
    rounded = " ".join(str(round(v * 1e8)) for v in velocity / scale)
    text = f"/block ({velocity.size},) e{int(np.log10(scale))} {rounded}\n"
    assert entry["checksum"] == hashlib.sha256(text.encode()).hexdigest()
    assert command(out=out) == 0
    assert ran == ["block_on_table"]
    assert command("--force", out=out) == 0
    assert ran == ["block_on_table"] * 2
    assert manifest(out)["slipping"]["checksum"] == entry["checksum"]
    assert {p.name: p.read_bytes() for p in out.glob("slipping.*")} == pictures


def test_a_result_that_is_damaged_or_unfinished_or_of_other_code_parameters_or_versions_is_computed_again(
    out, unwritten, monkeypatch
):
    registered(monkeypatch, example())
    ran = simulations(monkeypatch)
    for number, change in enumerate(("none", "damaged", "unfinished", "code", "versions", "parameters"), start=1):
        if change == "damaged":
            next((out / "runs").glob("*.nc")).write_bytes(b"half")
        elif change == "unfinished":
            next((out / "runs").glob("*.json")).unlink()  # written last: without it the run did not end
        elif change == "code":
            monkeypatch.setattr(jobs, "code_checksum", lambda: "edited")
        elif change == "versions":
            monkeypatch.setattr(jobs, "versions", lambda: versions() | {"numpy": "1.0"})
        elif change == "parameters":
            registered(monkeypatch, example(mu=0.7))
        assert command(out=out) == 0
        assert len(ran) == number, change
    assert len(list((out / "runs").glob("*.nc"))) == 4


def test_a_run_that_two_figures_share_runs_once_even_if_forced_and_the_entries_of_other_figures_stay(
    out, unwritten, monkeypatch
):
    registered(monkeypatch, example("first"), example("second"), example("third", mu=0.7))
    ran = simulations(monkeypatch)
    assert command("--force", "first", "second", out=out) == 0
    assert ran == ["block_on_table"]
    first = manifest(out)
    assert first["first"]["runs"]["block"]["key"] == first["second"]["runs"]["block"]["key"]
    assert command("third", out=out) == 0
    assert manifest(out) == first | {"third": manifest(out)["third"]}
    assert manifest(out)["third"]["checksum"] != first["first"]["checksum"]


def test_figures_made_at_the_same_time_all_keep_their_entries(tmp_path):
    names = [f"figure{number}" for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda name: manifest_file.note(tmp_path, name, {"figure": name}), names))
    assert sorted(manifest(tmp_path)) == sorted(names)
    assert [p.name for p in tmp_path.iterdir()] == ["manifest.json"]


def test_the_lock_of_a_dead_process_is_broken(tmp_path):
    lock = tmp_path / ".manifest.json.lock"
    lock.touch()
    os.utime(lock, (1.0, 1.0))
    manifest_file.note(tmp_path, "a", {"figure": "a"})
    assert list(manifest(tmp_path)) == ["a"]
    assert not lock.exists()


def test_problems_in_python_and_studies_are_run_stored_and_noted(out, unwritten, monkeypatch):
    registered(monkeypatch, mixed())
    CALLS.clear()
    assert command(out=out) == 0
    assert command(out=out) == 0
    assert CALLS == [4]  # once, then from the store
    runs = manifest(out)["mixed"]["runs"]
    assert runs["slow"]["case"] == "figure_examples.halved_block"
    assert runs["slow"]["scheme"] == "sdirk2"
    assert runs["study"]["parameters"] == {"count": 4}
    with load_trajectory(out / "runs" / f"{runs['study']['key']}.nc") as data:
        np.testing.assert_array_equal(data.square.values, [0, 1, 4, 9])
    with (
        load_trajectory(out / "runs" / f"{runs['slow']['key']}.nc") as slow,
        load_trajectory(out / "runs" / f"{runs['block']['key']}.nc") as block,
    ):
        # cos(t/2) falls more slowly than cos t: the block gains 8 (t - t^3/24) instead of 8 (t - t^3/6)
        gained = float(slow.frame_velocity[-1, 0] - block.frame_velocity[-1, 0])
        assert gained == pytest.approx(8 * (2 * np.sin(0.1) - np.sin(0.2)), rel=1e-3)


def test_a_solver_that_fails_ends_in_3_says_where_and_leaves_the_other_figures(out, unwritten, monkeypatch, capsys):
    registered(monkeypatch, figure("crushed", plate=CRUSHED), figure("whole", block=BLOCK))
    assert command(out=out) == 3
    printed = capsys.readouterr()
    assert re.fullmatch(r".*crushed: plate_sliding.*at t = .*try: .*\n", printed.err)
    path = re.search(r"is in (\S+\.nc)", printed.err).group(1)
    with load_trajectory(path) as data:
        assert int(data.attrs["complete"]) == 0
        assert 1 < data.sizes["time"] < 6
    assert set(manifest(out)) == {"whole"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["no_such_figure"], "got no_such_figure"),
        (["--no-such-option"], "--no-such-option"),
        (["slipping", "no_such_figure"], "expected names of figures (of slipping)"),
    ],
)
def test_a_bad_name_or_option_is_one_line_and_2_and_writes_nothing(arguments, expected, out, monkeypatch, capsys):
    registered(monkeypatch, example())
    assert command(*arguments, out=out) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n"), out.exists()) == ("", 1, False)
    assert expected in printed.err


def test_an_out_that_cannot_be_written_or_has_another_manifest_is_refused_before_any_run(out, monkeypatch, capsys):
    registered(monkeypatch, example())
    ran = simulations(monkeypatch)
    out.write_text("a file")
    assert command(out=out) == 2
    out.unlink()
    out.mkdir()
    for other in ("no json", "[1, 2]", '{"a": 1}'):
        (out / "manifest.json").write_text(other)
        assert command(out=out) == 2
        assert (out / "manifest.json").read_text() == other
    assert capsys.readouterr().err.count("\n") == 4
    assert ran == []


@pytest.mark.slow
def test_the_module_runs_as_a_command():
    line = [sys.executable, "-m", "paper_figures", "nothing"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "potra2006_fig2" in done.stderr
