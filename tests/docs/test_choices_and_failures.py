"""The pages that help to choose and in trouble name everything that can be chosen, and everything that a failure can say."""

import importlib
import re
from pathlib import Path

import failure_texts

import fem
import floating_frame
import friction

DOCS = Path(__file__).resolve().parents[2] / "docs"


def words(text):
    """A text without marks of markdown and with single blanks, in small letters."""
    return " ".join(re.sub(r"[`*\\]", "", text).split()).lower()


def page(name):
    return words((DOCS / name).read_text(encoding="utf-8"))


def test_every_error_every_message_and_every_advice_of_a_failing_run_is_on_the_page():
    text, said = page("failures.md"), failure_texts.messages() + failure_texts.tables()
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


def test_the_page_of_refusals_has_every_line_of_the_table_in_its_order(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    refusals = importlib.import_module("generators.refusals")
    text = (DOCS / "refusals.md").read_text(encoding="utf-8")
    assert text.count("\n- ") == sum(map(len, refusals.PARTS.values())) > 40
    assert text == refusals.page(), "write it anew: python docs/generators/refusals.py"


def test_every_scheme_law_frame_and_material_is_on_the_page_that_helps_to_choose():
    text = (DOCS / "which.md").read_text(encoding="utf-8")
    known = [*floating_frame.SCHEMES, *friction.LAWS, *floating_frame.FRAMES, *fem.MATERIALS]
    assert len(known) > 15
    assert [name for name in known if f"`{name}`" not in text] == []
