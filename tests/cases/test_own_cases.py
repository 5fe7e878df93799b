"""Cases of a user's file, and of an installed package, do what those of this folder do."""

import runpy
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from case_runs import stored, summary_of
from rows import rows

import cases  # noqa: F401  # adds methods to datasets
from cases.app import registry, user_files
from cases.app.run import runner
from cases.app.studies import compare_output

PUCK = (Path(__file__).parents[2] / "docs/how-to/puck.py").read_text(encoding="utf-8")
SCRIPT = PUCK.replace("MASS, RADIUS = 3.0, 0.1", "from beside_it import MASS, RADIUS").replace("def draw", "def drawn")
"""The puck of the how-to, without its picture and with its numbers from a module beside it."""


@pytest.fixture
def script(tmp_path):
    """The file of a case, in a folder of its own with a module that it imports; what is registered is forgotten at the end."""
    before = dict(registry.CASES), dict(user_files.MODULES), list(sys.path), set(sys.modules)
    (tmp_path / "my_case.py").write_text(SCRIPT)
    (tmp_path / "beside_it.py").write_text("MASS, RADIUS = 3.0, 0.1\n")
    yield tmp_path / "my_case.py"
    for known, old in ((registry.CASES, before[0]), (user_files.MODULES, before[1])):
        known.clear()
        known.update(old)
    sys.path[:] = before[2]
    for name in set(sys.modules) - before[3]:
        if name.startswith(user_files.OWN) or name == "beside_it":
            del sys.modules[name]


def test_a_users_file_runs_as_a_case_and_its_results_know_it(script, command, tmp_path, monkeypatch):
    status, _, err = command("run ./my_case.py --mu 0.4 --speed 0.8")
    assert (status, err) == (0, "")
    summary = summary_of(tmp_path / "results/my_case")
    distance = summary["results"]["x_end"]
    assert distance["exact"] == pytest.approx(0.8**2 / (2 * 0.4 * 9.81), rel=1e-12)
    assert distance["value"] == pytest.approx(distance["exact"], rel=1e-4)
    assert 0.0 < abs(distance["value"] - distance["exact"]) <= distance["error"], "the estimate covers it"
    assert summary["case_file"] == str(script)
    assert (tmp_path / "results/my_case/my_case.png").stat().st_size > 10_000, "without draw, any run's picture"
    monkeypatch.setattr(runner, "_draw", lambda *_: None)  # once is enough
    monkeypatch.setattr(compare_output, "draw_comparison", lambda comparison, path: path.touch())
    assert command("resume results/my_case --t_end 0.31")[0] == 0
    for words in ("plot {}", "export {} --to csv", "export {} --to html"):
        assert command(words.format("results/my_case"))[0] == 0
    assert command(f"run {script} -q --out results/other") == (0, "", "")
    assert command("compare results/my_case results/other")[0] == 0
    assert command("run --config results/other/summary.json --out results/again -q") == (0, "", "")
    one, other = (stored(tmp_path / "results" / name) for name in ("other", "again"))
    assert one.position.equals(other.position)
    for known in (registry.CASES, user_files.MODULES):
        known.pop("my_case")
    one.fff.plot("again.png")  # by Python that has not met the file
    assert (tmp_path / "again.png").stat().st_size > 10_000


def test_a_users_file_has_help_sweeps_in_processes_and_studies(script, command, no_picture, tmp_path):
    status, out, _ = command(f"run {script} --help")
    assert status == 0
    assert out.splitlines()[0] == f"Usage: python -m cases run {script} [OPTIONS]"
    assert out.splitlines()[2] == "A puck is thrown along a table: it slides until friction stops it."
    assert "--speed NUMBER: speed of the throw [m/s]; a number > 0; default 1\n" in out
    assert command("sweep my_case.py --grid mu=0.4,0.8 --workers 1 --out swept -q")[::2] == (0, "")
    swept = stored(tmp_path / "swept", "sweep.nc")
    assert swept.x_end.values == pytest.approx([1 / (2 * 0.4 * 9.81), 1 / (2 * 0.8 * 9.81)], rel=1e-3)
    status, out, _ = command("converge my_case.py --over dt --levels 3")
    assert (status, "position_end" in out) == (0, True)
    status, _, err = command("run my_case.py --speed -1 --mue 3")
    assert (status, "unknown option --mue" in err, "speed: expected a number > 0" in err) == (2, True, True)


def test_a_file_run_by_python_is_the_command(script, command, no_picture, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(script.parent))
    for status, t_end in (("2", "never"), ("0", "0.01")):
        monkeypatch.setattr(sys, "argv", ["my_case.py", "--t_end", t_end, "-q", "--out", "by_python"])
        with pytest.raises(SystemExit, match=status):
            runpy.run_path(str(script), run_name="__main__")
    assert (tmp_path / "by_python/trajectory.nc").is_file()


REFUSED = {
    "no file": ("nowhere.py", None, "No such file"),
    "no Python": ("my_case.py", "def problem(:\n", "invalid syntax"),
    "name": ("my-case.py", SCRIPT, "a name in Python"),
    "raises": ("raises.py", SCRIPT + "\nraise RuntimeError('on\\npurpose')\n", "RuntimeError: on purpose"),
    "imports": ("imports.py", "import no_such_module\n", "No module named 'no_such_module'"),
    "lacks": ("lacks.py", SCRIPT.replace("def summary", "def other"), "it lacks summary"),
    "ends": ("ends.py", "import sys\nsys.exit(0)\n", "SystemExit: 0"),
    "no class": ("no_class.py", SCRIPT + "\nParameters = 3\n", "Parameters: expected a class of"),
    "no problem": ("none.py", SCRIPT + "\ndef problem(params):\n    pass\n", "expected a Problem, got NoneType"),
    "bad problem": ("bad.py", SCRIPT + "\ndef problem(params):\n    1 / 0\n", "bad.py: problem ended in ZeroDivision"),
    "no options": ("no_options.py", SCRIPT + "\noptions = print\n", "options ended in TypeError"),
}


@rows("name", REFUSED)
def test_what_is_no_case_is_refused_in_one_line(script, command, tmp_path, name):
    file, text, expected = REFUSED[name]
    if text is not None:
        (tmp_path / file).write_text(text)
    status, out, err = command("run", file)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert expected in err
    assert not (tmp_path / "results").exists()


def test_results_of_a_file_are_noted_where_it_changed_kept_from_another_of_its_name_and_refused_where_it_is_gone(
    script, command, no_picture, tmp_path
):
    short = "-q --t_end 0.01 --out out"
    assert command(f"run my_case.py {short}")[0] == 0
    script.write_text(SCRIPT + "\n# another line\n")
    status, _, err = command("plot out")
    assert (status, err) == (0, f"note: {script} has changed since the run\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "my_case.py").write_text(SCRIPT)
    status, _, err = command(f"run other/my_case.py {short}")
    assert status == 2
    assert f"or --force to replace them, got 'out' with results of {script}" in err
    script.rename(script.with_name("moved.py"))
    status, _, err = command("plot out")
    assert (status, "which is missing: restore it, or repeat the run" in err) == (2, True)
    assert "t_end = 0.01\n" in command("run moved.py --config out/summary.json --print")[1]
    assert command(f"run other/my_case.py {short} --force")[0] == 0


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("5", "summary: expected headline numbers by name"),
        ('{"distance": headline("abc", "m", "x")}', "summary ended in TypeError"),
    ],
)
def test_a_summary_that_is_none_is_named_and_the_run_is_kept(script, command, no_picture, tmp_path, returned, said):
    script.write_text(f"{SCRIPT}\ndef summary(params, data):\n    return {returned}\n")
    status, _, err = command("run my_case.py --t_end 0.01")
    assert status == 3
    assert f"the summary cannot be computed: {script}: {said}" in err
    assert said in summary_of(tmp_path / "results/my_case")["message"]
    assert (tmp_path / "results/my_case/trajectory.nc").is_file()


def test_a_picture_that_cannot_be_drawn_is_named_and_not_listed(script, command, tmp_path):
    script.write_text(SCRIPT + "\ndef draw(params, data, figure):\n    raise KeyError('no such series')\n")
    status, out, err = command("run my_case.py --t_end 0.01")
    assert status == 0
    assert f"no picture: {script}: draw ended in KeyError: 'no such series'" in err
    assert out.endswith("trajectory.nc, summary.json\n")
    assert not (tmp_path / "results/my_case/my_case.png").exists()


def test_the_printed_parameters_repeat_the_run(script, command, tmp_path):
    status, out, err = command("run my_case.py --speed 0.5 --spline_speeds 0,1 --print")
    assert (status, err) == (0, "")
    assert not (tmp_path / "results").exists()
    assert out.startswith(f"# python -m cases run {script} --config")
    (tmp_path / "mine.toml").write_text(out)
    assert command("run my_case.py --config mine.toml --print") == (0, out, "")
    for line in ("speed = 0.5\n", "spline_speeds = [0.0, 1.0]\n", "# mu_s: left out\n"):
        assert line in out


def test_an_installed_package_offers_cases(script, command, monkeypatch, tmp_path):
    (tmp_path / "friction_cases").mkdir()
    (tmp_path / "friction_cases" / "puck.py").write_text(SCRIPT)
    monkeypatch.syspath_prepend(str(tmp_path))
    computed = [EntryPoint("puck", "friction_cases.puck", registry.GROUP)]
    monkeypatch.setattr(registry, "entry_points", lambda group: computed if group == registry.GROUP else [])
    registry.offer_packages()
    assert "a case of friction_cases" in command("list")[1]
    assert command("run puck -q --t_end 0.01") == (0, "", "")
    assert (tmp_path / "results/puck/puck.png").is_file()
