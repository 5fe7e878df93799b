"""Where docs/theory.md prints the errata table; run as a script it writes the table there."""

from pathlib import Path

from errata_table import markdown

THEORY = Path(__file__).parents[2] / "docs" / "theory.md"
BEGIN, END = "<!-- errata table: begin (generated) -->", "<!-- errata table: end -->"


def printed_table() -> str:
    """What stands between the markers of the page."""
    return THEORY.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip()


if __name__ == "__main__":
    page = THEORY.read_text(encoding="utf-8")
    head, tail = page.split(BEGIN)[0], page.split(END)[1]
    THEORY.write_text(f"{head}{BEGIN}\n\n{markdown()}\n\n{END}{tail}", encoding="utf-8")
