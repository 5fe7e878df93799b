"""Every figure: named after its source, finite numbers, drawn at column width with nothing cut, overlapping or too small."""

import re

import numpy as np
import pytest
from figure_runs import cut, is_column_wide, overhang, overlapping, quick_figure, quick_numbers, too_small

from paper_figures.registry import FIGURES, load
from paper_figures.runs.checksums import numbers_checksum

pytestmark = pytest.mark.slow  # together they are a fifth of the suite: `make test-slow`

EVERY = pytest.mark.parametrize("name", FIGURES)


@EVERY
def test_a_figure_says_where_it_comes_from_and_what_it_claims(name):
    module = load(name)
    assert name == module.FILE
    registered = FIGURES[name]
    assert registered == f"figures.{name}"
    assert module.ORIGIN in ("potra2006", "szefer2001", "recurdyn", "beyond")
    if module.ORIGIN != "beyond":
        assert name.startswith(f"{module.ORIGIN}_")
        kind, number = re.match(r".*?, (Fig\.|Table|case) ?([\w.]+)", module.SOURCE).groups()
        short = {"Fig.": "fig", "Table": "table", "case": "case"}[kind]
        assert name == f"{module.ORIGIN}_{short}{number}".replace(".", "_")
    assert 20 < len(module.CLAIM) < 200
    assert "\n" not in module.CLAIM
    assert 0 <= module.COST < 600


@EVERY
def test_a_figures_runs_take_their_parameters_and_the_quick_ones_are_among_them(name):
    module = load(name)
    assert set(module.QUICK) <= set(module.RUNS)
    for label, job in module.RUNS.items():
        described = job.description()
        assert set(described) >= {"case", "parameters", "scheme", "code", "versions"}
        quick = job.changed(**module.QUICK.get(label, {})).description()
        assert quick["case"] == described["case"]
        assert set(quick["parameters"]) == set(described["parameters"])


def leaves(value):
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    else:
        yield np.asarray(value)


@EVERY
def test_a_figures_numbers_are_plain_finite_somewhere_and_have_a_checksum(name):
    numbers = quick_numbers(name)
    arrays = [array for array in leaves(numbers) if array.dtype.kind in "fiub"]
    assert arrays
    assert all(array.dtype.kind in "fiubU" for array in leaves(numbers))
    assert not any(np.isinf(array).any() for array in arrays)
    # A quantity may be undefined somewhere (a stop that is not reached), never everywhere.
    assert not any(array.size and np.isnan(array).all() for array in arrays if array.dtype.kind == "f")
    assert re.fullmatch("[0-9a-f]{64}", numbers_checksum(numbers))


@EVERY
def test_a_figure_is_legible_at_column_width(name):
    figure = quick_figure(name)
    assert is_column_wide(figure)
    assert not too_small(figure)
    assert not cut(figure)
    assert overhang(figure).max() < 0.5
    assert not overlapping(figure)


@EVERY
def test_every_axis_of_a_figure_that_has_ticks_is_named_with_its_unit_or_is_a_ratio(name):
    figure = quick_figure(name)
    labels = [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel()) if text]
    for axes in figure.axes:
        named = [*axes.get_shared_x_axes().get_siblings(axes)]
        if axes.axison and axes.get_xticks().size:
            assert any(a.get_xlabel() for a in named), "x axis without a name"
    assert all("[" in text or "/" in text or "number" in text or "ratio" in text for text in labels), labels
