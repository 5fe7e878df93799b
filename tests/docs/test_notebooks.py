"""The notebooks of docs/ run, and print what they are stored with."""

import json
import re
from pathlib import Path

import documents
import pytest

ROOT = Path(__file__).resolve().parents[2]
BOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
VOLATILE = re.compile(r"(?<=in )\d[\d.]* s\b")  # how long it took
LARGEST = 100_000  # bytes: they are kept in the history


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_executed_in_order_with_pictures_and_small(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]
    assert path.stat().st_size < LARGEST


@pytest.mark.slow
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("default")  # of the kernel's machinery, in this process
def test_a_notebook_runs_and_prints_what_it_is_stored_with(path, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    nbformat = pytest.importorskip("nbformat", reason="needs the extra docs")
    from generators import notebooks

    stored, found = nbformat.read(path, as_version=4), notebooks.executed(path, tmp_path)
    compared = list(zip(notebooks.printed(stored), notebooks.printed(found), strict=True))
    assert sum(bool(text) for (_, text), _ in compared) >= 4
    for (source, expected), (_, text) in compared:
        wrong = documents.differs(VOLATILE.sub("... s", expected), text)
        assert wrong is None, f"{source}\n{wrong}"
