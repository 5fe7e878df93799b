"""How the blocks of the markdown documents are run: Python in one namespace, `python -m cases` lines through the command line.

Blocks of one document run in order, in one directory, into which Python files are put that the page includes. A ```text block is
what the Python block before it prints; a ```console block holds `$ ` lines and what they print. There `...` stands for anything,
and numbers agree to one part in a thousand.
"""

import contextlib
import io
import re
import shlex
import shutil
from pathlib import Path

from sybil import Document, Region
from sybil.parsers.markdown import CodeBlockParser
from xarray import Dataset

from cases.app.command import cli
from floating_frame import run_warnings

LANGUAGES = {"python", "text", "console", "math"}
"""Languages of fenced blocks: all but formulas are run. Directives of the site are in braces."""

NUMBER = r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?"
TOLERANCE = 1e-3
SLOW = re.compile(r"^.*: t = \S+ of \S+ s after \d+ s.*\n", re.M)
"""How far a run is, which it says where the machine is slow."""
COMMAND = re.compile(r"(?:\.venv/bin/)?python -m cases\b(.*)")


def differs(expected: str, printed: str) -> str | None:
    """None where `printed` is what was expected, else what is wrong."""
    parts = re.split(rf"(\.\.\.|{NUMBER}|\s+)", expected.strip())
    pattern, numbers = "", []
    for part in parts:
        if part == "...":
            pattern += ".*?"
        elif re.fullmatch(NUMBER, part or ""):
            numbers.append(float(part))
            pattern += f"({NUMBER})"
        else:
            pattern += r"\s+" if part.isspace() else re.escape(part)
    match = re.fullmatch(pattern, printed.strip(), re.S)
    if match is None:
        return f"expected\n{expected}\ngot\n{printed}"
    for known, text in zip(numbers, match.groups(), strict=True):
        if abs(float(text) - known) > TOLERANCE * abs(known):
            return f"expected {known:g}, got {text} in\n{printed}"
    return None


def run_command(line: str, expected: str = "") -> str:
    """Text that a `python -m cases ...` line prints, on either stream. AssertionError unless its exit status is 0, and where it
    warns that the run should not be believed and nobody `expected` that."""
    arguments = COMMAND.fullmatch(line.strip())
    assert arguments, f"a document shows a command that is not run: {line}"
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = cli.main(shlex.split(arguments[1], comments=True))
    printed = SLOW.sub("", out.getvalue())
    assert status == 0, f"exit status {status}: {line}"
    assert "warning:" in expected or "warning:" not in printed, f"{line}\n{printed}"
    return printed


def _python(example):
    out = io.StringIO()
    # As many blank lines before it as put the code on its own line in a traceback.
    code = compile("\n" * (example.line + example.parsed.line_offset) + example.parsed, example.path, "exec")
    with contextlib.redirect_stdout(out):
        exec(code, example.namespace)
    for name, value in example.namespace.items():
        if isinstance(value, Dataset):
            assert run_warnings(value) == [], f"{name} of this block should not be believed: {run_warnings(value)}"
    example.namespace["_printed"] = out.getvalue()


def _text(example):
    return differs(example.parsed, example.namespace.pop("_printed", "nothing: no Python block stands before"))


def _console(example):
    steps = re.split(r"^\$ ", example.parsed, flags=re.M)
    assert not steps[0].strip(), f"a console block begins with a $ line: {steps[0]}"
    for step in steps[1:]:
        command, _, expected = step.partition("\n")
        printed = run_command(command, expected)
        wrong = differs(expected, printed) if expected.strip() else None
        if wrong:
            return f"{command}: {wrong}"
    return None


def _indented(document):
    """Commands in the indented blocks that GitHub shows as code."""
    for match in re.finditer(r"^ {4}((?:\.venv/bin/)?python -m cases.*)$", document.text, re.M):
        yield Region(match.start(), match.end(), match[1], lambda example: run_command(example.parsed) and None)


def _included(document):
    """Python files beside a page that it includes."""
    for match in re.finditer(r"^```\{literalinclude\} (\w+\.py)$", document.text, re.M):
        file = Path(document.path).parent / match[1]
        yield Region(match.start(), match.end(), file, lambda example: shutil.copy(example.parsed, ".") and None)


def parse(path):
    """The document at `path` with all its examples."""
    blocks = {"python": _python, "text": _text, "console": _console}
    parsers = [CodeBlockParser(language, evaluator) for language, evaluator in blocks.items()]
    return Document.parse(str(path), *parsers, _indented, _included)


def languages(text):
    """The languages of a document's fenced blocks, in order. AssertionError where a fence is not closed."""
    fences = re.findall(r"^```(.*)$", text, re.M)
    assert len(fences) % 2 == 0, "a fence is not closed"
    assert not any(fences[1::2]), f"expected closing fences, got {fences[1::2]}"
    return [fence.split()[0] if fence else "" for fence in fences[::2]]
