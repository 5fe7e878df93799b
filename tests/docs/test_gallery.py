"""The gallery: every case and figure of the registries appears by itself, with picture, command and ten lines that run."""

import re
import sys
from pathlib import Path

import pytest
from PIL import Image

from cases.app.registry import CASES
from paper_figures.registry import FIGURES

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "docs"), str(ROOT / "tests" / "cases")]
from case_runs import SMALL  # noqa: E402
from generators import gallery  # noqa: E402


def code_of(section):
    return section.split("```python\n")[1].split("```")[0]


def test_every_case_and_figure_has_its_section_with_command_and_ten_lines(tmp_path):
    pages = gallery.pages(tmp_path)
    for kind, names, command in (("cases", CASES, "cases run"), ("figures", FIGURES, "paper_figures")):
        heads, *sections = f"\n{pages[f'gallery-{kind}.md']}".split("\n## ")
        assert f"{len(names)} of {len(names)} pictures are not drawn here: `make pictures`" in heads
        assert "thumbnails" not in heads
        assert [section.splitlines()[0] for section in sections] == list(names)
        for name, section in zip(names, sections, strict=True):
            assert f"python -m {command} {name}\n" in section
            assert "make pictures" in section
            compile(code_of(section), name, "exec")
            assert 8 <= len(code_of(section).splitlines()) <= 11


def test_what_is_drawn_is_shown_with_its_numbers_and_a_thumbnail_and_a_new_case_by_itself(tmp_path, monkeypatch):
    monkeypatch.setitem(CASES, "rod_wave_again", "a rod")
    monkeypatch.setattr(gallery, "load", lambda name: __import__("cases.rod_wave", fromlist=["rod_wave"]))
    Image.new("RGB", (40, 30), "white").save(tmp_path / "rod_wave_again.png")
    said = f"{len(CASES) - 1} of {len(CASES)} pictures are not drawn here"
    assert said in gallery.pages(tmp_path)["gallery-cases.md"]
    result = '{"value": 1.5, "unit": "m", "description": "distance", "exact": 1.25}'
    (tmp_path / "rod_wave_again.json").write_text(f'{{"commit": "0123456789ab", "results": {{"distance": {result}}}}}')
    page = gallery.pages(tmp_path)["gallery-cases.md"]
    assert page.count("build/gallery/rod_wave_again.png") == 2
    assert "| distance | 1.5 m | 1.25 m |" in page
    assert "`0123456789`" in page
    for name in CASES:
        Image.new("RGB", (40, 30), "white").save(tmp_path / f"{name}.png")
    assert "not drawn" not in gallery.pages(tmp_path)["gallery-cases.md"]


def test_the_site_is_built_without_drawing():
    (needs,) = re.findall(r"^docs:(.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert needs.split() == [".venv/.docs"]


def test_a_picture_is_shrunk_and_keeps_its_colours(tmp_path):
    picture = Image.new("RGB", (2000, 1000), (232, 232, 232))
    picture.paste((0, 114, 178), (0, 0, 1000, 1000))
    picture.save(tmp_path / "a.png")
    gallery.shrink(tmp_path / "a.png", tmp_path / "b.png", width=500)
    with Image.open(tmp_path / "b.png") as small:
        assert small.size == (500, 250)
        pixels = small.convert("RGB")
        assert [pixels.getpixel(place) for place in ((100, 100), (400, 100))] == [(0, 114, 178), (232, 232, 232)]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_ten_lines_of_a_case_run_print_its_numbers_and_draw_it(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(gallery.case_code(name, **SMALL[name]), name, "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) >= 3
    assert (tmp_path / f"{name}.png").is_file()
