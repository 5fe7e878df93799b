"""Docstrings are of one dialect: numpydoc sections in valid reStructuredText, about parameters that exist."""

import importlib
import inspect
import io
import pkgutil
import re

import docutils.core
import pytest
from sphinx.ext.napoleon import Config, NumpyDocstring

import cases
import fem
import friction
import paper_figures

KNOWN_TO_SPHINX = re.compile("Unknown (interpreted text role|directive type)")


def documented(room):
    """(name, object) of every class, function, method and property that has a docstring."""
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        for name, one in list(vars(importlib.import_module(module.name)).items()):
            if getattr(one, "__module__", None) != module.name or not (inspect.isclass(one) or inspect.isfunction(one)):
                continue
            yield f"{module.name}.{name}", one
            for member, held in list(vars(one).items()) if inspect.isclass(one) else ():
                inner = held.fget if isinstance(held, property) else getattr(held, "__func__", held)
                if inspect.isfunction(inner) and not member.startswith("__"):
                    yield f"{module.name}.{name}.{member}", inner


def complaints(text):
    """Messages of docutils on a docstring, roles and directives of Sphinx apart."""
    said = io.StringIO()
    settings = {"warning_stream": said, "report_level": 2, "halt_level": 6}
    rst = str(NumpyDocstring(text, Config(napoleon_google_docstring=False)))
    docutils.core.publish_doctree(rst, settings_overrides=settings)
    return [line for line in said.getvalue().splitlines() if "<string>" in line and not KNOWN_TO_SPHINX.search(line)]


def section_parameters(text):
    """Names in the section Parameters."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\w+\n-+\n|\Z)", text, re.S | re.M)
    heads = re.findall(r"^(\S.*?)(?: : .*)?$", section.group(1), re.M) if section else []
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


@pytest.mark.parametrize(
    "room",
    [friction, fem, *(pytest.param(room, marks=pytest.mark.slow) for room in (cases, paper_figures))],
    ids=lambda room: room.__name__,
)
def test_docstrings_are_valid_numpydoc_about_parameters_that_exist(room):
    assert complaints("Return |v| of x_.")
    assert section_parameters("Do.\n\nParameters\n----------\na, b : int\n    Text.\n") == ["a", "b"]
    offenders, named = [], 0
    for name, one in documented(room):
        text = inspect.getdoc(one) or ""
        offenders += [f"{name}: {line}" for line in complaints(text)]
        known = set(inspect.signature(one).parameters) if section_parameters(text) else set()
        named += len(known)
        offenders += [f"{name}: no parameter {unknown}" for unknown in section_parameters(text) if unknown not in known]
    assert named >= {friction: 100, fem: 100, cases: 10}.get(room, 0)
    assert not offenders, "\n".join(offenders)
