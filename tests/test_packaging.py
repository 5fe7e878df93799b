"""The installed packages: with their types and a command, and without tools of tests, lint or docs among their requirements."""

import importlib.util
import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGES = ("friction", "fem", "floating_frame", "cases", "paper_figures")


def licences():
    spec = importlib.util.spec_from_file_location("licences", ROOT / "docs" / "licences.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named(requirements):
    return {canonicalize_name(Requirement(text).name) for text in requirements}


def test_each_package_says_that_it_is_typed():
    assert [name for name in PACKAGES if not (ROOT / name / "py.typed").is_file()] == []
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert {"py.typed", "*.pyi"} <= set(data["*"])


def test_running_needs_no_tool_of_tests_lint_or_docs():
    extras = PROJECT["optional-dependencies"]
    tools = named(text for extra in ("test", "lint", "docs") for text in extras[extra])
    assert {"pytest", "ruff", "mypy", "sphinx", "hypothesis"} <= tools
    assert named(PROJECT["dependencies"]) & tools == set()
    imported = {
        match[1]
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for match in re.finditer(r"^\s*(?:import|from) (\w+)", path.read_text(), re.MULTILINE)
    }
    assert "numpy" in imported
    assert imported & {"pytest", "hypothesis", "sympy", "clarabel", "sphinx", "ruff", "mypy", "sybil"} == set()


def test_each_target_installs_what_it_needs_and_run_no_extra():
    makefile = (ROOT / "Makefile").read_text()
    stamps = dict(re.findall(r"^([\w-]+): ((?:\.venv/\.\w+ ?)+)$", makefile, re.MULTILINE))
    assert stamps["run"] == ".venv/.run"
    assert set(re.findall(r"\.venv/\.(\w+)", " ".join(stamps.values()))) <= {"run", *PROJECT["optional-dependencies"]}


def test_every_pinned_package_is_on_the_page_of_licences_with_the_licence_of_its_metadata():
    module = licences()
    lines = module.PAGE.read_text().splitlines()
    rows = {canonicalize_name(line.split("|")[1].strip()): line.split("|") for line in lines if line.startswith("| ")}
    del rows["package"]
    assert {name: row[2].strip() for name, row in rows.items()} == module.pinned()
    here = 0
    for name, version in module.pinned().items():
        try:
            computed = distribution(name)
        except PackageNotFoundError:  # of an extra, or of another system
            continue
        if computed.version == version:
            here += 1
            assert module.licence(computed).replace("|", "\\|").split() == rows[name][3].split(), name
    assert here > 0
    assert {row[4].strip() for name, row in rows.items() if name in named(PROJECT["dependencies"])} == {"running"}
