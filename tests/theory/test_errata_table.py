"""The errata table itself: every row names a test that runs, and docs/theory.md prints exactly this table."""

import ast
import re
from pathlib import Path

from errata_page import THEORY, printed_table
from errata_table import ROWS, markdown


def running_tests():
    """Names of the test functions of this folder that contain an assertion and carry no skip or xfail mark."""
    names = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
                continue
            marks = " ".join(ast.unparse(mark) for mark in node.decorator_list)
            if "skip" in marks or "xfail" in marks:
                continue
            text = ast.unparse(node)
            if "assert_erratum(" in text or "assert " in text:
                names.add(node.name)
    return names


def test_every_erratum_is_proved_by_a_test_of_its_own(verification):
    named = [row.test for row in ROWS]
    assert len(named) >= 28
    verification(
        "Corrections of the paper with a symbolic proof of their own",
        len(set(named) & running_tests()),
        len(named),
        source="the errata table",
        tolerance=0,
    )


def test_every_cell_of_the_table_is_filled_and_fits_a_markdown_table():
    for row in ROWS:
        for cell in (row.where, row.printed, row.correct, row.reason):
            assert cell.strip() == cell != ""
            assert "|" not in cell  # would open another column
            assert cell.count("$") % 2 == 0
        assert row.printed != row.correct


def test_theory_page_prints_the_errata_table_as_generated():
    assert printed_table() == markdown()


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
