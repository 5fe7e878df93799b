"""Pages that are written from the code, or lead to it, say what is there: API, layers, equations, fuzz and faults."""

import ast
import importlib
import json
import re
import sys
from pathlib import Path

import pytest
from rows import rows

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "docs"), str(ROOT / "tests" / "torture")]
import page  # noqa: E402  of the fuzz and fault suite, which is no package
from generators import api, layers  # noqa: E402  docs/ is no package

MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\|.*\| \[?`([\w/]+\.py)`(?:\]\(\1\))? \| ((?:`\w+`(?:, )?)+) \|$", re.M)
HOMES = ("", "floating_frame", "floating_frame/system", "friction", "cases")


def test_every_public_name_stands_on_one_page_and_no_page_is_long():
    pages = api.pages()
    for package in ("friction", "fem", "floating_frame"):
        module = importlib.import_module(package)
        public = sorted(name for name in module.__all__ if callable(getattr(module, name)))
        assert len(public) > 25
        text = "\n".join(page for name, page in pages.items() if name.startswith(f"api-{package}-"))
        assert sorted(re.findall(rf"^\.\. auto\w+:: {package}\.(\w+)$", text, re.MULTILINE)) == public
    assert max(page.count(".. auto") for page in pages.values()) < 30


def test_every_page_is_included_by_a_file_of_its_name_that_the_index_lists():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^api/([\w-]+)$", index, re.MULTILINE))
    assert listed == {path.stem for path in (ROOT / "docs" / "api").glob("*.md")}
    assert {f"api-{name}.rst" for name in listed} == set(api.pages())
    for name in listed:
        assert f"/build/pages/api-{name}.rst" in (ROOT / "docs" / "api" / f"{name}.md").read_text(encoding="utf-8")


def test_a_public_name_without_a_subject_is_refused():
    fewer = {subject: given for subject, given in api.SUBJECTS["friction"].items() if subject != "ground"}
    with pytest.raises(ValueError, match="for Foundation of"):
        api.names_of("friction", fewer)


def test_the_picture_is_drawn_from_the_layers_top_to_bottom():
    found = layers.layers()
    text = layers.PICTURE.read_text(encoding="utf-8")
    assert text == layers.picture(found)  # else: python docs/generators/layers.py
    places = [text.index(layers.words_of(layer)) for layer in found]
    assert len(places) > 10
    assert places == sorted(places)
    assert "pictures/layers.svg" in MAP


def test_a_layer_without_words_is_refused():
    with pytest.raises(ValueError, match="new_layer"):
        layers.picture([{"new_layer"}])


def test_every_file_that_the_page_of_the_architecture_names_exists():
    files = set(re.findall(r"`([\w/]+\.py)`", MAP))
    assert len(files) > 30
    missing = [file for file in files if not any((ROOT / home / file).is_file() for home in HOMES)]
    assert not missing


def defined(file):
    """Names that a module defines at its top level."""
    found = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def test_every_row_of_the_map_leads_to_what_it_names():
    leads = ROW.findall(MAP)
    assert len(leads) >= 25
    for file, names in leads:
        wanted = set(re.findall(r"`(\w+)`", names))
        assert wanted <= defined(file), f"{file}: {sorted(wanted - defined(file))} are not there"


@rows("words", ["2ωK", "mass matrix", "Coulomb's law", "SDIRK2", "reversal guard", "mean-axis", "ledger", "tangent"])
def test_the_map_has_a_row_for_what_a_reader_looks_for(words):
    assert any(words in found[0] for found in ROW.finditer(MAP))


def test_equation_numbers_can_be_searched_for_in_ascii():
    sources = [path for path in ROOT.rglob("*") if path.suffix in (".py", ".md") and ".venv" not in path.parts]
    found = [path.name for path in sources if re.search(r"\(\d\.\d+\)[₁₂₃₄]", path.read_text(encoding="utf-8"))]
    assert found == []


def test_the_page_of_fuzz_and_faults_is_written_from_the_counts_and_every_kind_of_fault_was_tried():
    record = json.loads((ROOT / "tests" / "torture" / "counts.json").read_text())
    assert (ROOT / "docs" / "torture.md").read_text() == page.page(record)
    tried = " ".join(record["parts"])
    kinds = "command lines: run|python|kills of runs|kills of sweeps|full disks|read-only disks|damaged|locales|soak"
    assert [kind for kind in kinds.split("|") if kind not in tried] == []
