"""Every block of code in README.md and docs/ is run as it stands, and what it prints is what the page says."""

import re
import sys
from pathlib import Path

import documents
import pytest
from rows import rows

from cases.app import registry, user_files

pytestmark = pytest.mark.slow  # together they are a fifth of the suite: `make test-slow`

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *(p for p in sorted((ROOT / "docs").rglob("*.md")) if not p.is_relative_to(ROOT / "docs/build")),
]


@pytest.mark.parametrize(
    "path", [path for path in PAGES if documents.parse(path).examples()], ids=lambda path: path.stem
)
def test_the_blocks_of_a_page_run_and_print_what_it_says(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for known in (registry.CASES, user_files.MODULES):  # a page may register a case
        monkeypatch.setitem(known, "puck", "")
        monkeypatch.delitem(known, "puck")
    monkeypatch.setenv("COLUMNS", "200")
    for example in documents.parse(path).examples():
        example.evaluate()


def test_there_are_blocks_to_run_in_the_readme_the_tour_and_every_how_to():
    count = {str(path.relative_to(ROOT)): len(list(documents.parse(path).examples())) for path in PAGES}
    assert count["README.md"] >= 6
    assert count["docs/tour.md"] >= 6
    how_to = [name for name in count if name.startswith("docs/how-to/")]
    assert len(how_to) >= 5
    assert all(count[name] >= 2 for name in how_to)


@rows("path", PAGES, ids=str)
def test_a_page_holds_only_blocks_that_run_formulas_and_directives_and_names_files_and_make_targets_that_exist(path):
    text = path.read_text(encoding="utf-8")
    found = documents.languages(text)
    assert not [name for name in found if name not in documents.LANGUAGES and not name.startswith("{")]
    for name in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", text):
        assert (path.parent / name).exists(), name
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:`| {4})make ([\w-]+)", text)):
        assert re.search(rf"^{target}:", makefile, re.M), target


@rows(
    "expected, printed, same",
    [
        ("turned 0.1765 rad", "turned 0.17650 rad\n", True),
        ("turned 0.1765 rad", "turned 0.1769 rad", False),
        ("turned 0.1765 rad", "turned 0.1765 m", False),
        ("in ... s\n  x: -1e-3", "in 1.2 s\n  x: -0.0010000001", True),
        ("all 81", "all 80", False),
        ("one\ntwo", "one", False),
    ],
)
def test_what_is_printed_is_compared_word_by_word_and_number_by_number(expected, printed, same):
    assert (documents.differs(expected, printed) is None) == same


def test_how_far_a_run_is_on_a_slow_machine_is_not_part_of_what_a_page_says(monkeypatch):
    said = "table, level 4 of 4: t = 1.735 of 2 s after 10 s, about 2 s to go\nx 1\n"
    monkeypatch.setattr(documents.cli, "main", lambda arguments: print(said, end="") or 0)
    assert documents.run_command("python -m cases run table") == "x 1\n"


def test_a_block_that_fails_or_prints_something_else_fails(tmp_path):
    page = tmp_path / "page.md"
    for text, wrong in (
        ("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "expected 3, got 2"),
        ("```python\n1 / 0\n```\n", "division"),
        ("```console\n$ python -m cases run nothing\n```\n", "exit status 2"),
        ("```console\n$ rm -r results\n```\n", "not run"),
        ("    python -m cases plot nowhere\n", "exit status 2"),
    ):
        page.write_text(text, encoding="utf-8")
        (*_, last) = examples = list(documents.parse(page).examples())
        for example in examples[:-1]:
            example.evaluate()
        with pytest.raises(Exception, match=wrong):
            last.evaluate()
