"""The command: a toy code enters and fails where it should, rows are kept, a stopped run goes on, its status tells of misses."""

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from rows import rows

from cases.app.command import cli
from cases.app.suite import adapter, files, pictures, run, settings, table, worker
from cases.app.suite.reference_values import reference

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "docs" / "how-to" / "euler.py"
EXACT = '''
"""A code that knows."""
from pathlib import Path
from types import SimpleNamespace
from cases.app.suite.adapter import Cannot
from cases.app.suite.reference_values import reference
NAME = "{name}"
SETTINGS = {{"*": {{"documented": {{"off": {off}}}, "further": {further}}}}}

def solve(problem, setting):
    with open("{log}", "a") as file:
        file.write(problem.name + "\\n")
    {body}
    return {{q.name: reference(problem, q) + setting["off"] for q in problem.quantities}}, 0.25
'''


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def given(*arguments):
        status = cli.main(["benchmark", *map(str, arguments)])
        out, err = capfd.readouterr()
        return status, out, err

    return given


@pytest.fixture
def in_process(monkeypatch):
    """For what is not about the process that a code has for itself, nor about pictures."""

    def here(line, **given):
        Path(line[-1]).write_text(json.dumps(worker.answer(json.loads(Path(line[-2]).read_text()))))

    monkeypatch.setattr(run, "subprocess", SimpleNamespace(run=here, TimeoutExpired=TimeoutError))
    monkeypatch.setattr(pictures, "_save", lambda figure, path: None)
    monkeypatch.setattr(adapter, "SLOW", 0.0)  # solutions are not repeated for their time


def code(tmp_path, name, off=0.0, further=(), body="pass"):
    path, log = tmp_path / f"{name}.py", tmp_path / "asked.log"
    path.write_text(EXACT.format(name=name, off=off, further=list(further), log=log, body=body), encoding="utf-8")
    return path


def requests(tmp_path):
    log = tmp_path / "asked.log"
    return log.read_text().split() if log.exists() else []


def stored(directory):
    return json.loads((directory / "benchmark.json").read_text(encoding="utf-8"))


def test_the_list_has_a_line_a_problem_its_name_first(command):
    status, out, err = command("--list")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == files.names()
    assert all(len(line) > 60 for line in out.splitlines())


def test_a_toy_code_enters_by_the_door_of_all_and_fails_where_it_should(command, tmp_path):
    status, out, err = command("--code", TOY, "--problem", "load_and_hold", "--problem", "free_top", "--out", "toy")
    assert (status, err) == (0, "")  # it is not this code that misses
    content = stored(tmp_path / "toy")
    assert set(content) == {"machine", "rows"}
    assert all(tuple(row) == table.FIELDS for row in content["rows"])
    held = {row["quantity"]: row for row in content["rows"] if row["problem"] == "load_and_hold" and row["documented"]}
    assert held["creep"]["passed"] is False
    creep = 2e-2 * 0.9 / (1 - 0.9**2) ** 0.5 * 99.0  # at the speed where the smoothed friction bears the load
    assert held["creep"]["value"] == held["creep"]["error"] == pytest.approx(creep, rel=1e-3)
    assert held["creep"]["cpu_seconds"] > 0.05
    (cannot,) = [row for row in content["rows"] if row["problem"] == "free_top"]
    assert (cannot["passed"], cannot["value"], cannot["reason"]) == (None, None, "cannot: bodies other than blocks")
    with (tmp_path / "toy" / "benchmark.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(content["rows"])
    page = (tmp_path / "toy" / "benchmark.md").read_text(encoding="utf-8")
    assert "| euler | 0 | 1: load_and_hold | 1 |" in page
    assert "load_and_hold (4e9)" in page
    assert (tmp_path / "toy" / "pictures" / "suite_matrix.png").stat().st_size > 3000
    assert out.count("load_and_hold  euler") == 1


def test_rows_are_kept_and_a_run_goes_on_where_it_stopped(command, in_process, tmp_path):
    path = code(tmp_path, "knows")
    given = ("--code", path, "--problem", "szefer_a", "--problem", "sdnd104", "--out", "rows")
    assert command(*given)[0] == command(*given)[0] == 0
    first = requests(tmp_path)
    assert first == ["szefer_a"] + ["sdnd104"] * 4  # then all was there
    rows = tmp_path / "rows" / run.ROWS
    lines = rows.read_text().splitlines()
    rows.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:40])  # killed within the last line
    status, out, _ = command(*given)
    assert status == 0
    assert requests(tmp_path) == [*first, *["sdnd104"] * 4]
    assert len(out.splitlines()) == 2
    assert len(stored(tmp_path / "rows")["rows"]) == 3 + 4
    path.write_text(path.read_text() + "\n# another edition\n")
    command(*given)
    assert requests(tmp_path) == [*first, *["sdnd104"] * 4, *first]


def test_the_exit_status_tells_where_this_code_misses_at_its_documented_setting(command, in_process, tmp_path):
    """Misses of a further setting do not count, nor do those of another code."""
    codes = ("--code", code(tmp_path, adapter.OWN, further=[{"off": 9.0}]), "--code", code(tmp_path, "other", off=3.0))
    status, _, err = command(*codes, "--problem", "szefer_a", "--out", "a")
    assert (status, err) == (0, "")
    missed = [(row["code"], row["documented"]) for row in stored(tmp_path / "a")["rows"] if row["passed"] is False]
    assert set(missed) == {(adapter.OWN, False), ("other", True)}
    status, _, err = command("--code", code(tmp_path, adapter.OWN, off=3.0), "--problem", "szefer_a", "--out", "b")
    assert status == run.MISSED
    assert re.search(r"^szefer_a: x_end: off by 3, admissible", err, re.M)


IMPORT = "failed: ModuleNotFoundError: No module named 'no_such_module'"
AWAY = "breaks-away is not installed (pip install no-such)"
BROKEN = {
    "import": ("import no_such_module", "pass", False, IMPORT),
    "exit": ("raise SystemExit('bye')", "pass", False, "failed: bye"),
    "away": ('NEEDS = ("no_such_package", "no-such")', "pass", None, AWAY),
    "cannot": ("", 'raise Cannot("what is missing")', None, "cannot: what is missing"),
    "error": ("", 'raise ValueError("of some kind")', False, "failed: ValueError: of some kind"),
    "time": ("", "return {}, -1.0", False, "failed: ValueError: expected a CPU time >= 0 s, got -1.0"),
    "death": ("", "import os; os._exit(7)", False, "failed: exit status 7"),
    "nan": ("", 'return {"x": problem.time.samples * float("nan")}, 1.0', False, "not a finite number"),
    "lacks": ("", 'return {"vx": problem.time.samples}, 1.0', None, "gives no x"),
}


@pytest.mark.parametrize(
    "kinds", [("import", "away"), ("exit", *tuple(BROKEN)[3:])], ids=["at its import", "in its process"]
)
@pytest.mark.quick("at its import")
def test_what_goes_wrong_in_a_code_is_a_row(kinds, command, tmp_path):
    codes = []
    for kind in kinds:
        top, body, *_ = BROKEN[kind]
        path = code(tmp_path, f"breaks-{kind}", body=body)
        path.write_text(f"{top}\n{path.read_text()}")
        codes += ["--code", path]
    assert command(*codes, "--problem", "szefer_a", "--out", "broken", "--quiet")[0] == 0
    first = {row["code"]: row for row in reversed(stored(tmp_path / "broken")["rows"])}
    for kind in kinds:
        row, (_, _, passed, reason) = first[f"breaks-{kind}"], BROKEN[kind]
        assert (row["passed"], row["reason"], row["value"]) == (passed, reason, None), kind
    assert "away" not in kinds or requests(tmp_path) == []


def test_a_file_anywhere_has_references_of_its_own_and_is_solved_without_a_setting(command, in_process, tmp_path):
    """Also where it has the name of a problem of the suite, whose stored references are not those of other numbers."""
    for name, old, new in (
        ("szefer_a", "drive = 8.0", "drive = 6.0"),
        ("sdnd100", "start = 0.85e-3", "start = 0.75e-3"),
    ):
        text = (files.FOLDER / f"{name}.toml").read_text(encoding="utf-8")
        assert old in text
        (tmp_path / f"{name}.toml").write_text(text.replace(old, new), encoding="utf-8")
    (tmp_path / "szefer_a.toml").rename(tmp_path / "mine.toml")
    status, _, err = command("--code", adapter.OWN, "--problem", "mine.toml", "--out", "mine")
    assert (status, err) == (0, "")
    computed = {row["quantity"]: row for row in stored(tmp_path / "mine")["rows"]}
    kinds = {(row["problem"], row["setting"], row["documented"]) for row in computed.values()}
    assert kinds == {("mine", "default", True)}
    assert computed["x_end"]["reference"] == pytest.approx((6.0 - 0.3 * 9.81) * 0.5**2 / 2)
    assert computed["x_end"]["passed"]
    (own,) = files.load(str(tmp_path / "sdnd100.toml"))
    turns = [reference(own, quantity) for quantity in own.quantities if quantity.name.startswith("turn_")]
    assert turns == pytest.approx([-0.55e-3, 0.35e-3, -0.15e-3, -0.05e-3], rel=1e-9)


STAYS = "expected numbers for which the block stays after four half swings"


@rows(
    "name, old, new, said",
    [
        ("sdnd100", "start = 0.85e-3", "start = 2e-3", STAYS),
        ("load_and_hold", "reference = 0\nadmissible", "admissible", "quantity creep: expected a reference, or"),
        ("sdnd100", '"blocks.release"', '"blocks.releases"', "quantity turn_1: expected a reference, or"),
    ],
)
def test_numbers_for_which_a_reference_does_not_hold_are_refused_in_one_line(name, old, new, said, command, tmp_path):
    text = (files.FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "other.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    files.load.cache_clear()
    status, out, err = command("--problem", "other.toml", "--code", adapter.OWN, "--out", "other")
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "other").exists()


def test_what_a_stranger_names_is_no_web_page_and_no_second_line(command, in_process, tmp_path):
    mine, path = tmp_path / "mine.toml", tmp_path / "lines.py"
    given = (files.FOLDER / "szefer_a.toml").read_text(encoding="utf-8")
    mine.write_text(re.sub('^title = "', 'title = "<script>alert(1)</script>', given), encoding="utf-8")
    path.write_text("def solve(problem, setting):\n    raise ValueError('<img src=x>')\n", encoding="utf-8")
    assert command("--code", path, "--problem", mine, "--out", "page", "--quiet")[0] == 0
    page = (tmp_path / "page" / "benchmark.md").read_text(encoding="utf-8")
    assert "&lt;script>alert(1)" in page
    assert not re.search("<(script|img)", page)
    path.write_text("NAME = 'a\\nb'\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    status, _, err = command("--code", path, "--problem", mine, "--out", "named")
    assert (status, err.count("\n")) == (2, 1)
    assert "expected a NAME that can be printed in a line, got 'a\\nb'" in err


def test_settings_of_the_suites_codes_name_problems_that_there_are_and_document_this_code_for_all():
    for one in adapter.codes().values():
        given = settings._given(one)
        assert set(given) <= {*files.names(), "*"}, one.name
        for problem in files.names():
            computed = settings.settings(one, problem)
            assert [setting.documented for setting in computed] == [True] + [False] * (len(computed) - 1)
            assert len({settings.key(setting.values) for setting in computed}) == len(computed)
    assert set(settings._given(adapter.codes()[adapter.OWN])) == set(files.names())


def test_of_runs_the_quickest_within_an_error_is_taken():
    base = {"problem": "p", "code": "c", "setting": "", "documented": False, "worst": 1.0, "created": None}
    base |= {"creep": None, "reason": ""}
    made = ((1e-3, 1.0), (1e-3, 0.5), (1e-5, 2.0), (None, 0.1))
    runs = [table.Result(**base, relative=error, seconds=seconds) for error, seconds in made]
    assert table.least_time(runs, 1e-2).seconds == 0.5
    assert table.least_time(runs, 1e-4).seconds == 2.0
    assert table.least_time(runs, 1e-6) is None


def test_a_result_is_the_worst_quantity_over_its_admissible_error():
    shared = {"variant": "", "passed": True, "unit": "m", "reason": ""}
    answer = {"problem": "szefer_a", "code": "c", "setting": "", "documented": True, "cpu_seconds": 1.0}
    answer["rows"] = [
        shared | {"quantity": "x_end", "error": 6.32125e-4, "admissible": 6.32125e-7, "scale": 0.632125},
        shared | {"quantity": "deformation", "error": 5e-10, "admissible": 1e-9, "scale": 0.0},
    ]
    one = table.result(answer)
    assert one.worst == pytest.approx(1e3)
    assert one.relative == pytest.approx(1e-3)


def test_the_page_in_the_docs_has_all_problems_and_codes_and_links_to_sources_that_there_are():
    text = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    heads = re.findall(r"^### (\S+)$", text, re.M)
    assert {*files.names(), adapter.OWN, "mujoco", "drake"} <= {*heads} <= {*files.names(), *adapter.codes()}
    assert f"| {adapter.OWN} | {len(files.names())} | 0: none | 0 |" in text
    cited = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    places = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in re.findall(r"^## (.+)$", cited, re.M)}
    links = set(re.findall(r"\(references\.md#([^)]+)\)", text))
    assert len(links) > 12
    assert links <= places
    assert all((ROOT / "docs" / name).is_file() for name in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text))
