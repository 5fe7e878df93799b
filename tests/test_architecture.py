"""The house rules, read from every source file: who may import whom, how long a file is, and what its first line says."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NUMERIC = {"numpy", "scipy"}
# Third parties and rooms that each room may import; the standard library is free.
MAY_IMPORT = {
    "friction": NUMERIC | {"numba", "numexpr"},
    "fem": NUMERIC | {"skfem", "numba", "meshio", "pypardiso"},
    "floating_frame": NUMERIC | {"fem", "friction", "xarray", "numba", "netCDF4"},
    "cases": NUMERIC
    | {
        "floating_frame",
        "fem",
        "friction",
        "xarray",
        "pydantic",
        "cyclopts",
        "rich",
        "matplotlib",
        "PIL",
        "dask",
        "distributed",
    },
    "paper_figures": NUMERIC
    | {"cases", "floating_frame", "fem", "friction", "matplotlib", "xarray", "cyclopts", "rich"},
}
LONGEST = 400


def sources(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def named(paths):
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


ROOM_FILES = named(sources(*MAY_IMPORT))
ALL_FILES = named(sources(*MAY_IMPORT, "tests", "benchmarks", "docs"))


def imported(path):
    """(top-level package, module, line) of every import statement in a file, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""] if node.level == 0 else [path.relative_to(ROOT).parts[0]]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            modules = [a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        else:
            continue
        for module in modules:
            yield module.split(".")[0], module, node.lineno


def test_every_room_is_there_and_is_read():
    for room in ("friction", "fem", "floating_frame", "cases"):
        assert len(sources(room)) >= 5, room
    packages = {package for path in sources("floating_frame") for package, *_ in imported(path)}
    assert {"numpy", "fem", "friction", "xarray"} <= packages


@pytest.mark.parametrize("path", ROOM_FILES)
def test_a_room_imports_only_what_it_may(path):
    room = path.relative_to(ROOT).parts[0]
    allowed = MAY_IMPORT[room] | {room} | sys.stdlib_module_names
    found = [f"{module} (line {line})" for package, module, line in imported(path) if package not in allowed]
    assert not found, f"{room}/ may not import {', '.join(found)}"


@pytest.mark.parametrize("path", ROOM_FILES)
def test_nothing_imports_the_tests(path):
    modules = {module.stem for module in sources("tests")} - {"__init__"} | {"tests", "pytest", "conftest"}
    own = {module.stem for module in sources(*MAY_IMPORT)}
    assert not {package for package, *_ in imported(path)} & (modules - own)


@pytest.mark.parametrize("path", ROOM_FILES)
def test_private_modules_and_names_of_another_room_are_not_imported(path):
    room = path.relative_to(ROOT).parts[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in set(MAY_IMPORT) - {room}:
            assert not [alias.name for alias in node.names if alias.name.startswith("_")], node.module


@pytest.mark.parametrize("path", ALL_FILES)
def test_a_file_is_short_and_begins_with_its_subject(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    subject = ast.get_docstring(ast.parse(text))
    assert subject, "the first statement is a docstring that states the file's subject"
    assert text.lstrip().startswith(('"""', 'r"""'))
    assert len(subject.splitlines()[0]) >= 15


def test_test_modules_have_unique_names_since_each_folder_is_on_the_path():
    names = [path.name for path in sources("tests") if path.name not in ("__init__.py", "conftest.py")]
    assert len(names) > 10
    assert sorted(names) == sorted(set(names))
