"""The page of what does not go together: the lines of the table in ``floating_frame/checks.py``, in its order.

python docs/generators/refusals.py        writes docs/refusals.md, which a test compares
"""

from __future__ import annotations

import re
from pathlib import Path

from floating_frame.checks import EXACT_RULES, PENALTY_RULES, RULES

PAGE = Path(__file__).resolve().parents[1] / "refusals.md"
HEAD = """# What does not go together

A problem and its options are refused by `assemble` in one line where body, ground, contact, law and scheme do not go together.
These are the lines of the one table, `floating_frame/checks.py`, in its order: of several that apply the first one speaks. `…`
stands for what came, or for the names that are known. What is unfit by itself, such as a negative mass, or unknown to the body,
such as an edge that it does not have, is refused where it is given.
"""
PARTS = {"A run": RULES, "Beside a penalty contact": PENALTY_RULES, "Beside an exact contact": EXACT_RULES}


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD]
    for title, table in PARTS.items():
        lines = [f"- {re.sub(r'{[^}]*}', '…', text)}" for _, text in table]
        parts.append("\n".join([f"## {title}", "", *lines, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
