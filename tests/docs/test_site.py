"""The documentation site: it builds without a warning, shows the recorded numbers, and its tables name what exists."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import fem
import friction
from floating_frame.output import variables

ROOT = Path(__file__).resolve().parents[2]
HOMES = (
    *(
        "floating_frame.system.state",
        "floating_frame.frame",
        "floating_frame.system.plate",
        "floating_frame.system.protocol",
        "floating_frame.effect.protocol",
        "floating_frame.frame.inertia",
        "floating_frame.frame.kinematics",
        "floating_frame.frame.moments",
    ),
    *("floating_frame.system.plate.elastic", "floating_frame"),
)


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_shows_what_the_tests_recorded(tmp_path):
    records = tmp_path / "verification.json"
    status, said = run("pytest", "-q", "-n0", "-p", "no:cacheprovider", "tests/theory", f"--verification={records}")
    assert status == 0, said
    (first, *_) = found = json.loads(records.read_text())
    assert all(abs(record["error"]) <= record["tolerance"] for record in found)
    site = tmp_path / "html"
    options = ("-W", "--keep-going", "-E", "-d", tmp_path / "trees", "-D", f"verification_records={records}")
    status, said = run("sphinx", "-b", "html", *options, "docs", site)
    assert status == 0, said
    assert first["claim"] in (site / "verification.html").read_text()
    errata = (site / "theory.html").read_text()
    assert errata.count("test_") >= 28
    for page, words in {
        "tour": "slides from",
        "how-to/frame": "Translating",
        "api/friction": "friction.Foundation",
        "api/floating_frame": "floating_frame.frame.conditions.Frame",
        "api/cases": "cases.drawing.animate.animate_directory",
        "cases": "plate_sliding",
        "names": "neo-hookean",
        "changelog": "0.1.0",
        "citing": "@software",
    }.items():
        assert words in re.sub(r"<[^>]+>", "", (site / f"{page}.html").read_text()), page


def test_every_name_in_the_notation_table_exists_in_the_code():
    text = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| ([^|]*) \|$", text.split("## 1. Notation")[1].split("## 2.")[0], re.M)[1:]
    assert len(rows) > 20
    found = 0
    results = variables.STATIC | variables.SERIES
    for row in rows:
        code, _, stored = row.partition("*results*")
        for name in re.findall(r"`(\w+)`", stored):
            assert name in results, name
            found += 1
        owner = None
        for name in re.findall(r"`([\w.]+)`", code):
            first, _, rest = name.partition(".")
            owner, attribute = (home_of(first), rest) if rest else (owner, name)
            assert knows(owner, attribute), name
            found += 1
    assert found > 35


def home_of(name):
    """A module of floating_frame, or a class of the code, by its short name."""
    for home in ("floating_frame", *HOMES):
        package = hasattr(importlib.import_module(home), "__path__")
        if package and importlib.util.find_spec(f"{home}.{name}"):
            return importlib.import_module(f"{home}.{name}")
    for module in (fem, friction, *map(importlib.import_module, HOMES)):
        if hasattr(module, name):
            return getattr(module, name)
    raise AssertionError(f"nothing is called {name}")


def knows(owner, name):
    return hasattr(owner, name) or name in getattr(owner, "__annotations__", {})


def test_the_citation_is_that_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(citation)  # what the format requires
    assert citation["title"] == project["name"]
    assert str(citation["version"]) == project["version"]
    assert citation["license"] == project["license"]
    assert [each["name"] for each in citation["authors"]] == ["The floating-frame-friction developers"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", str(citation["date-released"]))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {project['version']}\n" in changelog
    assert "the floating-frame-friction developers" in (ROOT / "LICENSE").read_text(encoding="utf-8")
