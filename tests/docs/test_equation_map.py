"""The map from equations to functions in docs/architecture.md leads to functions that exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\|[^|]*\|[^|]*\| `([\w/]+\.py)` \| ((?:`\w+`(?:, )?)+) \|$", re.M)


def test_every_equation_of_the_map_leads_to_a_function():
    rows = ROW.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    assert len(rows) > 15
    for file, names in rows:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        defined = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        wanted = set(re.findall(r"`(\w+)`", names))
        assert wanted <= defined, f"{file}: {sorted(wanted - defined)} are not there"
