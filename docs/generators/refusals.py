"""The page of invalid combinations: the lines of the table in ``floating_frame/checks.py``, in its order.

python docs/generators/refusals.py        writes docs/refusals.md, which a test compares
"""

from __future__ import annotations

import re
from pathlib import Path

from floating_frame.checks import EXACT_RULES, PENALTY_RULES, RULES

PAGE = Path(__file__).resolve().parents[1] / "refusals.md"
HEAD = """# Invalid combinations

`assemble` refuses an invalid combination of body, ground, contact, law and scheme in one line. This page has the lines of the
table in `floating_frame/checks.py`, in its order; where several apply, the first is reported. `…` stands for the given value or
for the admissible names. Values that are invalid by themselves (a negative mass) or unknown to the body (an edge that it does not
have) are refused earlier, where they are given.
"""
PARTS = {"A run": RULES, "With a penalty contact": PENALTY_RULES, "With an exact contact": EXACT_RULES}


def page() -> str:
    """Text of the page."""
    parts = [HEAD]
    for title, table in PARTS.items():
        lines = [f"- {re.sub(r'{[^}]*}', '…', text)}" for _, text in table]
        parts.append("\n".join([f"## {title}", "", *lines, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
