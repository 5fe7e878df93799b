"""The picture of the layers in docs/architecture.md, from the layers in tests/test_architecture.py.

Run as a script it writes docs/pictures/layers.svg. A test compares the file.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "pictures" / "layers.svg"
WORDS = {
    "simulate": "time loop: from the initial state to stored results",
    "assemble": "a problem and its options become a model",
    "output": "results and their file; warnings of a run",
    "stepping": "lengths of steps: breaks, events, impacts, error control",
    "leapfrog": "the explicit scheme",
    "scheme": "one step: history, stages, reversal guard, ledger",
    "system": "bodies: balance of forces and friction in a stage",
    "problem": "problems, options, rigid bodies, schemes, refusals",
    "effect": "forces: loads, springs, friction, penalty contact",
    "contact": "obstacles, gaps, exact contact",
    "loads": "loads, histories, thermal strain",
    "frame": "kinematics, integrals (3.3), frame conditions",
    "errors": "failures and refusals of input",
}
"""Purpose of a layer, by one of its modules."""
WIDTH, ROW, LEFT, RIGHT = 860, 34, 20, 330
STYLE = "font-family: sans-serif; font-size: 13px"


def layers() -> tuple[set[str], ...]:
    """Layers of floating_frame, top to bottom."""
    spec = importlib.util.spec_from_file_location("architecture", ROOT / "tests" / "test_architecture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: tuple[set[str], ...] = module.LAYERS
    return found


def words_of(layer: Iterable[str]) -> str:
    """Purpose of a layer. Raises ValueError where WORDS lacks its modules."""
    found = [WORDS[name] for name in layer if name in WORDS]
    if len(found) != 1:
        raise ValueError(f"expected one of the modules {sorted(layer)} in WORDS, found {len(found)}")
    return found[0]


def picture(rows: Sequence[set[str]]) -> str:
    """Picture as SVG: importing layers stand above imported ones."""
    top = 20 + 2 * ROW
    inner = len(rows) * ROW
    bottom = top + inner + 60
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + ROW + 20}" style="{STYLE}">',
        f'<rect width="{WIDTH}" height="{bottom + ROW + 20}" fill="white"/>',
        *_box(LEFT, 12, WIDTH - 2 * LEFT, "paper_figures", "figures, each as runs, numbers and drawing"),
        *_box(
            LEFT, 12 + ROW, WIDTH - 2 * LEFT, "cases", "case scripts; cases/app: command line, drawing, export, studies"
        ),
        f'<rect x="{LEFT}" y="{top}" width="{WIDTH - 2 * LEFT}" height="{inner + 38}" fill="#f4f4f4" stroke="#555"/>',
        _text(LEFT + 10, top + 20, "floating_frame", bold=True),
    ]
    for number, layer in enumerate(rows):
        names = ", ".join(sorted(layer)) if len(layer) < 4 else f"{', '.join(sorted(layer, key=_first)[:3])}, ..."
        lines += _box(LEFT + 10, top + 30 + number * ROW, WIDTH - 2 * LEFT - 20, names, words_of(layer))
    half = WIDTH // 2 - LEFT
    lines += _box(LEFT, bottom - 8, half - 5, "friction", "laws and friction problems", 100)
    lines += _box(WIDTH // 2 + 5, bottom - 8, half - 5, "fem", "meshes, materials, elasticity", 100)
    return "\n".join([*lines, "</svg>", ""])


def _first(name: str) -> tuple[bool, str]:
    return name not in WORDS, name


def _box(x: int, y: int, width: int, names: str, words: str, indent: int = RIGHT) -> list[str]:
    return [
        f'<rect x="{x}" y="{y}" width="{width}" height="{ROW - 6}" rx="3" fill="#e8f0f8" stroke="#0072b2"/>',
        _text(x + 10, y + 19, names, bold=True),
        _text(x + indent, y + 19, words),
    ]


def _text(x: int, y: int, text: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}"{weight} fill="#222">{escape(text)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(picture(layers()), encoding="utf-8")
