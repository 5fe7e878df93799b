"""The documentation site: it builds without a warning, shows the recorded numbers, and its tables name what exists."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

import fem
import friction
from floating_frame.output import variables

ROOT = Path(__file__).resolve().parents[2]
HOMES = "system.state|frame|system|system.protocol|effect.protocol|frame.inertia|frame.kinematics|frame.moments"
HOMES = [*(f"floating_frame.{home}" for home in f"{HOMES}|system.elastic.system".split("|")), "floating_frame"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built from what is stored: no test is run, and no picture of the gallery is drawn."""
    folder = tmp_path_factory.mktemp("site")
    options = ["-b", "html", "-W", "--keep-going", "-E", "-q", "-d", folder / "trees", "docs", folder / "html"]
    line = [sys.executable, "-m", "sphinx", *map(str, options)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


SHOWN = {
    **{"index": "make run", "gallery": "python -m cases run sphere_on_plane", "cases": "plate_sliding"},
    **{"gallery-figures": "python -m paper_figures szefer2001_fig3a", "how-to/frame": "Translating"},
    **{"which": "no special need", "failures": "inverted", "tour": "slides from", "names": "neo-hookean"},
    **{"api/friction-ground": "friction.Foundation", "changelog": "0.1.0", "citing": "@software"},
    **{"api/floating_frame-frames": "floating_frame.frame.conditions.Frame", "references": "Phys. Rev. Lett."},
    "api/cases-pictures": "cases.app.drawing.animate.animate_directory",
}


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_shows_what_the_tests_recorded(site):
    stored = json.loads((ROOT / "docs" / "verification.json").read_text(encoding="utf-8"))
    report = (site / "verification.html").read_text(encoding="utf-8")
    assert len(stored["records"]) > 100
    assert stored["records"][0]["claim"] in report
    assert report.count('class="verification') >= 5
    assert (site / "theory.html").read_text(encoding="utf-8").count("test_") >= 28
    for page, words in SHOWN.items():
        assert words in re.sub(r"<[^>]+>", "", (site / f"{page}.html").read_text(encoding="utf-8")), page


class Page(HTMLParser):
    """Files that a page loads, its links, and the addresses within it."""

    def __init__(self, path):
        super().__init__()
        self.loads, self.leads, self.marks = set(), set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.marks |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag in ("script", "img", "source") and found.get("src"):
            self.loads.add(found["src"])
        if tag == "link" and found.get("href") and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.add(found["href"])
        if tag == "a" and found.get("href"):
            self.leads.add(found["href"])


@pytest.mark.slow
def test_every_link_within_the_site_leads_somewhere_and_no_page_loads_anything_from_the_network(site):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert len(pages) > 30
    assert any("tex-svg.js" in address for address in pages[site / "theory.html"].loads), (
        "formulas, from the site itself"
    )
    broken = []
    for path, page in pages.items():
        broken += [f"{path.name} loads {address}" for address in page.loads if "//" in address]
        for address in page.loads | page.leads:
            place, _, mark = unquote(address.partition("?")[0] if "#" not in address else address).partition("#")
            if re.match(r"\w+:", place):
                continue
            target = (path.parent / place.partition("?")[0]).resolve() if place else path
            if not target.exists():
                broken.append(f"{path.name} leads to {address}")
            elif mark and target in pages and mark not in pages[target].marks:
                broken.append(f"{path.name} leads to {address}: no such place")
    assert not broken, "\n".join(sorted(set(broken)))


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
    for home in HOMES:  # floating_frame is the last: it also knows names of earlier versions
        package = hasattr(importlib.import_module(home), "__path__")
        if package and importlib.util.find_spec(f"{home}.{name}"):
            return importlib.import_module(f"{home}.{name}")
    for module in (fem, friction, *map(importlib.import_module, HOMES)):
        if hasattr(module, name):
            return getattr(module, name)
    raise AssertionError(f"nothing is called {name}")


def knows(owner, name):
    kinds = getattr(owner, "__mro__", (owner,))  # fields of records that it is derived from, too
    return hasattr(owner, name) or any(name in getattr(kind, "__annotations__", {}) for kind in kinds)


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
