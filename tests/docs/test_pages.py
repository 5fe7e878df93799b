"""Pages that are written from the code, or lead to it, say what is there: API, layers, equations, faults, choices, failures."""

import ast
import importlib
import json
import re
import sys
from pathlib import Path

import failure_texts
import pytest
from rows import rows

import fem
import floating_frame
import friction

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "docs"), str(ROOT / "tests" / "torture")]
import page  # noqa: E402  of the fuzz and fault suite, which is no package
from generators import api, layers, refusals  # noqa: E402  docs/ is no package

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


def test_the_picture_is_drawn_from_the_layers_top_to_bottom_and_a_layer_without_words_refused():
    order = layers.layers()
    text = layers.PICTURE.read_text(encoding="utf-8")
    assert text == layers.picture(order)  # else: python docs/generators/layers.py
    places = [text.index(layers.words_of(layer)) for layer in order]
    assert len(places) > 10
    assert places == sorted(places)
    assert "pictures/layers.svg" in MAP
    with pytest.raises(ValueError, match="new_layer"):
        layers.picture([{"new_layer"}])


def test_every_file_that_the_page_of_the_architecture_names_exists():
    files = set(re.findall(r"`([\w/]+\.py)`", MAP))
    assert len(files) > 30
    missing = [file for file in files if not any((ROOT / home / file).is_file() for home in HOMES)]
    assert not missing


def defined(file):
    """Names that a module defines at its top level."""
    names = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def test_every_row_of_the_map_leads_to_what_it_names():
    leads = ROW.findall(MAP)
    assert len(leads) >= 25
    for file, names in leads:
        wanted = set(re.findall(r"`(\w+)`", names))
        assert wanted <= defined(file), f"{file}: {sorted(wanted - defined(file))} are not there"


@rows("words", ["2ωK", "mass matrix", "Coulomb's law", "SDIRK2", "reversal guard", "mean-axis", "ledger", "tangent"])
def test_the_map_has_a_row_for_what_a_reader_looks_for(words):
    assert any(words in row[0] for row in ROW.finditer(MAP))


def test_equation_numbers_can_be_searched_for_in_ascii():
    sources = [path for path in ROOT.rglob("*") if path.suffix in (".py", ".md") and ".venv" not in path.parts]
    files = [path.name for path in sources if re.search(r"\(\d\.\d+\)[₁₂₃₄]", path.read_text(encoding="utf-8"))]
    assert files == []


def test_the_page_of_fuzz_and_faults_is_written_from_the_counts_and_every_kind_of_fault_was_tried():
    record = json.loads((ROOT / "tests" / "torture" / "counts.json").read_text())
    assert (ROOT / "docs" / "torture.md").read_text() == page.page(record)
    tried = " ".join(record["parts"])
    kinds = "command lines: run|python|kills of runs|kills of sweeps|full disks|read-only disks|damaged|locales|soak"
    assert [kind for kind in kinds.split("|") if kind not in tried] == []


def words(text):
    """A text without marks of markdown and with single blanks, in small letters."""
    return " ".join(re.sub(r"[`*\\]", "", text).split()).lower()


def test_every_error_every_message_and_every_advice_of_a_failing_run_is_on_the_page():
    text, said = (
        words((ROOT / "docs" / "failures.md").read_text(encoding="utf-8")),
        failure_texts.messages() + failure_texts.tables(),
    )
    assert len(said) > 90
    assert {"Unsolved", "StepFailure", "UnilateralError", "Tips"} <= failure_texts.errors()
    missing = [name for name in failure_texts.errors() if name.lower() not in text]
    missing += [f"{path}: {one}" for path, one in said if words(one).rstrip(" .=") not in text]
    assert not missing, "docs/failures.md does not say:\n" + "\n".join(missing)


def test_what_a_failure_says_is_found_where_it_is_made(tmp_path, monkeypatch):
    room = tmp_path / "fem"
    room.mkdir()
    (room / "a.py").write_text(
        "class Melts(RuntimeError):\n    pass\n\n\ndef f(x):\n    raise Melts(f'{x:g} K: the plate melts, at {x}')\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(failure_texts, "ROOT", tmp_path)
    assert failure_texts.errors() == {"Melts"}
    assert [text for _, text in failure_texts.messages()] == ["the plate melts, at"]


def test_the_page_of_refusals_has_every_line_of_the_table_in_its_order():
    text = (ROOT / "docs" / "refusals.md").read_text(encoding="utf-8")
    assert text.count("\n- ") == sum(map(len, refusals.PARTS.values())) > 40
    assert text == refusals.page(), "write it anew: python docs/generators/refusals.py"


def test_every_scheme_law_frame_and_material_is_on_the_page_that_helps_to_choose():
    text = (ROOT / "docs" / "which.md").read_text(encoding="utf-8")
    known = [*floating_frame.SCHEMES, *friction.LAWS, *floating_frame.FRAMES, *fem.MATERIALS]
    assert len(known) > 15
    assert [name for name in known if f"`{name}`" not in text] == []
