"""The tables in README and docs/architecture.md that lead from equations to functions lead to functions that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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


@pytest.mark.parametrize(("page", "fewest"), [("README.md", 12), ("docs/architecture.md", 16)])
def test_every_row_of_the_map_leads_to_what_it_names(page, fewest):
    rows = ROW.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(rows) >= fewest
    for file, names in rows:
        wanted = set(re.findall(r"`(\w+)`", names))
        assert wanted <= defined(file), f"{file}: {sorted(wanted - defined(file))} are not there"


def test_readme_leads_in_one_hop_to_what_a_reader_looks_for():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = {line.split("|")[1]: line for line in text.splitlines() if ROW.match(line)}
    for words in ("2ωK", "mass matrix of (3.4)1", "Coulomb", "SDIRK2", "guard", "mean-axis", "ledger", "tangent"):
        assert any(words in what for what in table), words


def test_equation_numbers_can_be_searched_for_in_ascii():
    found = [path.name for path in SOURCES if re.search(r"\(\d\.\d+\)[₁₂₃₄]", path.read_text(encoding="utf-8"))]
    assert found == []
