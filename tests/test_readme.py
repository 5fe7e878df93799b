"""README.md: its Python example runs as printed and says what the README's text says."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def test_the_readmes_example_runs_turns_the_plate_and_ends_in_stick():
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    turned, stuck = re.fullmatch(
        r"turned ([\d.]+) rad; (\d+)% of the nodes stick at the end\n", out.getvalue()
    ).groups()
    assert 0.17 < float(turned) < 0.19
    assert stuck == "100"


def test_every_file_and_target_that_the_readme_names_exists():
    text = README.read_text(encoding="utf-8")
    named = re.findall(r"\]\(([\w./-]+)\)", text)
    assert len(named) > 2
    for name in named:
        assert (README.parent / name).exists(), name
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"make (\w+)", text)):
        assert re.search(rf"^{target}:", makefile, re.M), target
