"""The table in docs/architecture.md that leads from equations to functions leads to functions that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\|.*\| \[?`([\w/]+\.py)`(?:\]\(\1\))? \| ((?:`\w+`(?:, )?)+) \|$", re.M)
SOURCES = [path for path in ROOT.rglob("*") if path.suffix in (".py", ".md") and ".venv" not in path.parts]


def defined(file):
    """Names that a module defines at its top level."""
    found = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def test_every_row_of_the_map_leads_to_what_it_names():
    rows = ROW.findall(MAP)
    assert len(rows) >= 25
    for file, names in rows:
        wanted = set(re.findall(r"`(\w+)`", names))
        assert wanted <= defined(file), f"{file}: {sorted(wanted - defined(file))} are not there"


@pytest.mark.parametrize(
    "words", ["2ωK", "mass matrix", "Coulomb's law", "SDIRK2", "reversal guard", "mean-axis", "ledger", "tangent"]
)
def test_the_map_has_a_row_for_what_a_reader_looks_for(words):
    assert any(words in found[0] for found in ROW.finditer(MAP))


def test_equation_numbers_can_be_searched_for_in_ascii():
    found = [path.name for path in SOURCES if re.search(r"\(\d\.\d+\)[₁₂₃₄]", path.read_text(encoding="utf-8"))]
    assert found == []
