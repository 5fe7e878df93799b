"""The picture of the layers is that of the layers which the tests hold, and docs/architecture.md names files that exist."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))
from generators import layers  # noqa: E402  docs/ is no package

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
HOMES = ("", "floating_frame", "floating_frame/system", "friction", "cases")


def test_the_picture_is_drawn_from_the_layers_top_to_bottom():
    found = layers.layers()
    text = layers.PICTURE.read_text(encoding="utf-8")
    assert text == layers.picture(found)  # else: python docs/generators/layers.py
    places = [text.index(layers.words_of(layer)) for layer in found]
    assert len(places) > 10
    assert places == sorted(places)
    assert "pictures/layers.svg" in PAGE


def test_a_layer_without_words_is_refused():
    with pytest.raises(ValueError, match="new_layer"):
        layers.picture([{"new_layer"}])


def test_every_file_that_the_page_of_the_architecture_names_exists():
    files = set(re.findall(r"`([\w/]+\.py)`", PAGE))
    assert len(files) > 30
    missing = [file for file in files if not any((ROOT / home / file).is_file() for home in HOMES)]
    assert not missing
