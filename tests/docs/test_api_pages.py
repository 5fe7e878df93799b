"""Every public class and function stands on one page of the API, and every page has its file."""

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))
from generators import api  # noqa: E402  docs/ is no package


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
