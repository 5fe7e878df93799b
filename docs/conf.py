"""Configuration of the documentation site: what Sphinx reads, and the pages that are written from the code before it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE)]

from pages import write_pages  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = PROJECT["name"]
author = "The floating-frame-friction developers"
version = release = PROJECT["version"]
copyright = f"2026 {author}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["build"]
html_theme = "furo"
html_title = f"{project} {version}"

# Markdown as GitHub reads it: $...$ and ```math formulas, and links to headings.
myst_enable_extensions = ["dollarmath", "deflist"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3

napoleon_google_docstring = False  # sections are numpydoc's
napoleon_use_rtype = False

default_role = "code"  # `name` in a docstring

autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # docstrings give shapes and units, which types do not
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True, "imported-members": True, "undoc-members": False}
python_display_short_literal_types = True

nitpicky = True
nitpick_ignore_regex = [("py:class", r".*")]  # bases and types of other projects, whose inventories are not at hand


def setup(app: Any) -> None:
    """Connect the written pages to Sphinx."""
    app.add_config_value("verification_records", str(HERE / "build" / "verification.json"), "env")
    app.connect(
        "builder-inited", lambda app: write_pages(HERE / "build" / "pages", Path(app.config.verification_records))
    )
