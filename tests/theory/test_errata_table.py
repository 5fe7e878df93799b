"""The errata table of docs/theory.md: every row names a test that runs; formulas of the page are closed."""

import ast
import re
from pathlib import Path

THEORY = Path(__file__).parents[2] / "docs" / "theory.md"


def rows():
    """The cells of the table: where, printed, correct, why, test."""
    table = THEORY.read_text(encoding="utf-8").split(
        "| where | printed | correct | why | test |\n|---|---|---|---|---|\n"
    )[1]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in table.split("\n\n")[0].splitlines()]


def running_tests():
    """Names of the test functions of this folder that contain an assertion and carry no skip or xfail mark."""
    names = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                marks = " ".join(ast.unparse(mark) for mark in node.decorator_list)
                asserts = "assert_erratum(" in ast.unparse(node) or "assert " in ast.unparse(node)
                names |= {node.name} if asserts and not re.search("skip|xfail", marks) else set()
    return names


def test_every_erratum_is_proved_by_a_test_of_its_own(verification):
    named = [row[-1].strip("`") for row in rows()]
    assert len(named) >= 28
    claim = "Corrections of the paper with a symbolic proof of their own"
    verification(claim, len(set(named) & running_tests()), len(named), source="the errata table", tolerance=0)


def test_every_cell_of_the_table_is_filled_and_closed():
    for row in rows():
        assert len(row) == 5, row  # a vertical bar in a formula would open another column
        assert all(cell and cell.count("$") % 2 == 0 for cell in row), row
        assert row[1] != row[2]


def test_formulas_of_the_theory_page_are_closed():
    """Fences and dollar signs come in pairs, braces and environments match, inline formulas survive markdown."""
    parts = THEORY.read_text(encoding="utf-8").split("```")
    assert len(parts) % 2 == 1
    assert len(parts) > 20
    for formula in parts[1::2]:
        assert formula.startswith("math\n"), formula
        assert formula.count("{") == formula.count("}"), formula
        assert formula.count(r"\begin") == formula.count(r"\end"), formula
    for text in parts[::2]:
        for paragraph in text.split("\n\n"):
            assert paragraph.count("$") % 2 == 0, paragraph[:80]
            for formula in paragraph.split("$")[1::2]:
                assert formula.count("{") == formula.count("}"), formula
                assert formula == formula.strip(), formula  # GitHub wants no blank inside the dollar signs
                # markdown would eat the backslash before punctuation
                assert not re.search(r"\\[^A-Za-z]", formula), formula
