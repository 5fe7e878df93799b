"""Configuration of the documentation site: what Sphinx reads, and the pages that are written from the code before it."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE)]

from generators.pages import write_pages  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = PROJECT["name"]
author = "The floating-frame-friction developers"
version = release = PROJECT["version"]
copyright = f"2026 {author}"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
]
exclude_patterns = ["build", "generators"]
html_theme = "furo"
html_title = f"{project} {version}"

# Formulas are drawn by a script that the site carries with it: no network is needed to read it.
FORMULAS = importlib.util.find_spec("sphinx-mathjax-offline")
assert FORMULAS, "expected the package sphinx-mathjax-offline"
mathjax_path = "tex-svg.js"
html_static_path = ["static", str(Path(str(FORMULAS.origin)).parent / "static" / "mathjax" / mathjax_path)]
html_css_files = ["site.css"]
html_js_files = ["filter.js"]  # of the verification report

# Notebooks are stored with what they print; `make notebooks` executes them, and a test compares.
nb_execution_mode = "off"

# Markdown as GitHub reads it: $...$ and ```math formulas, and links to headings.
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3

napoleon_google_docstring = False  # sections are numpydoc's
napoleon_use_rtype = False
napoleon_use_ivar = True  # attributes are described once, by their class

default_role = "code"  # `name` in a docstring

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"  # docstrings give shapes and units besides
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Array", "Bools", "Ints", "ArrayLike")}
python_maximum_signature_line_length = 88
autosummary_generate = False  # the objects stand on the same page
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True, "imported-members": True, "undoc-members": False}
python_display_short_literal_types = True

nitpicky = True
nitpick_ignore_regex = [("py:class", r".*")]  # bases and types of other projects, whose inventories are not at hand


def setup(app: Any) -> None:
    """Connect the written pages to Sphinx."""
    app.add_config_value("verification_records", str(HERE / "verification.json"), "env")
    app.connect(
        "builder-inited", lambda app: write_pages(HERE / "build" / "pages", Path(app.config.verification_records))
    )
