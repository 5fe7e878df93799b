"""Executes the notebooks of docs/notebooks in place, `make notebooks`: they are stored with their output.

What belongs to one machine or moment (times, names of kernels) is left out, and pictures have 64 colours: a notebook stays small.
"""

from __future__ import annotations

import base64
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
PROGRESS = re.compile(
    r"(?:\r?(?:starting; a first run of its kind is compiling, once *|t = [^\r\n]* s, step [^\r\n]*))+\r?\n?"
)
"""Progress of a run, which is overwritten on the screen."""
SECONDS = 300
"""Largest time of a cell."""


def executed(path: Path, folder: Path) -> NotebookNode:
    """Notebook after a run in `folder`; raises CellExecutionError where a cell fails."""
    book = nbformat.read(path, as_version=4)
    # The code of this tree, whatever is installed, and pictures in the notebook, whatever draws them elsewhere.
    own = {"PYTHONPATH": str(ROOT), "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    client = NotebookClient(book, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, **own})
    return tidied(book)


def tidied(book: NotebookNode) -> NotebookNode:
    """Notebook without data of one machine or moment, its pictures with few colours."""
    book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for cell in book.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if output.output_type == "stream":
                output.text = PROGRESS.sub("", output.text)
            else:
                output.metadata = {}
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = _small(output.data["image/png"])
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("text") != ""]
    return book


def _small(text: str) -> str:
    written = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(text))) as picture:
        picture.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(written, format="png", optimize=True)
    return base64.b64encode(written.getvalue()).decode("ascii")


def printed(book: NotebookNode) -> Iterator[tuple[str, str]]:
    """Yield each cell's source and the text that it printed and returned."""
    for cell in book.cells:
        if cell.cell_type == "code":
            said = [o.text for o in cell.outputs if o.get("name") == "stdout"]
            returned = [o.data.get("text/plain", "") for o in cell.outputs if o.output_type == "execute_result"]
            yield cell.source, "".join(said + returned)


def execute_all() -> int:
    """Execute the notebooks and store them; return 0."""
    for path in NOTEBOOKS:
        print(path.relative_to(ROOT), flush=True)
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, Path(folder)), path)
    return 0


if __name__ == "__main__":
    sys.exit(execute_all())
