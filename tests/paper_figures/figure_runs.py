"""Figures at their tests' cost: each job computed once per session, and checks that every picture has to pass."""

import fcntl
import functools
import itertools
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text

from paper_figures.ink.style import COLUMN, MILLIMETRE, PAGE, SMALLEST_TYPE, house_style
from paper_figures.registry import load
from paper_figures.runs.make import computed, drawn
from paper_figures.runs.store import Store, key

TOLERANCE = 1.0  # points that boxes of text, which have a margin around the ink, may share


class SharedStore(Store):
    """A store that the workers of a session share: who asks for a job that another computes waits for it."""

    def get(self, job):
        self.directory.mkdir(parents=True, exist_ok=True)
        with (self.directory / f"{key(job.description())}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # released with the file, also where the worker dies
            return super().get(job)


STORE = SharedStore(Path("figure-runs"))
"""Its directory is the session's (conftest.py)."""


@functools.cache
def quick_numbers(name):
    """The numbers of a figure from its quick runs, shared by the tests: not to be changed."""
    return computed(load(name), STORE, quick=True)[0]


@functools.cache
def quick_data(name):
    """The results that a figure's quick numbers are taken from, by label."""
    module = load(name)
    return {label: STORE.get(job.changed(**module.QUICK.get(label, {}))).data for label, job in module.RUNS.items()}


@functools.cache
def quick_figure(name):
    return drawn(load(name), quick_numbers(name))


@house_style()  # ticks are chosen anew, by the type's size, whenever they are asked for
def texts(figure):
    """(text, its box in pixels) of every text that is seen."""
    renderer = figure.canvas.get_renderer()
    hidden = hidden_tick_labels(figure)
    seen = figure.findobj(
        lambda a: isinstance(a, Text) and a.get_visible() and a.get_text().strip() and id(a) not in hidden
    )
    return [(artist, artist.get_window_extent(renderer)) for artist in seen]


def hidden_tick_labels(figure):
    """Identities of the labels of ticks that lie outside their axis or are switched off."""
    hidden = set()
    for axes in figure.findobj(Axes):
        for axis in (axes.xaxis, axes.yaxis):
            every = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            drawn_ticks = axis._update_ticks() if axes.axison and axis.get_visible() else []
            shown = {id(label) for tick in drawn_ticks if tick.get_visible() for label in (tick.label1, tick.label2)}
            hidden |= {id(label) for tick in every for label in (tick.label1, tick.label2)} - shown
    return hidden


def overlapping(figure):
    """Pairs of texts whose boxes share more than TOLERANCE points in both directions."""
    allowed = TOLERANCE * figure.dpi / 72
    pairs = []
    for (a, box), (b, other) in itertools.combinations(texts(figure), 2):
        width = min(box.x1, other.x1) - max(box.x0, other.x0)
        height = min(box.y1, other.y1) - max(box.y0, other.y0)
        if width > allowed and height > allowed:
            pairs.append((a.get_text(), b.get_text()))
    return pairs


def cut(figure):
    """Texts that leave the picture by more than half a point."""
    allowed = 0.5 * figure.dpi / 72
    whole = figure.bbox
    return [
        artist.get_text()
        for artist, box in texts(figure)
        if box.x0 < whole.x0 - allowed
        or box.y0 < whole.y0 - allowed
        or box.x1 > whole.x1 + allowed
        or box.y1 > whole.y1 + allowed
    ]


@house_style()
def overhang(figure):
    """By how many points ink leaves the picture at its left, bottom, right and top; 0 where none does."""
    box, whole = figure.get_tightbbox(), figure.bbox_inches
    over = np.array([whole.x0 - box.x0, whole.y0 - box.y0, box.x1 - whole.x1, box.y1 - whole.y1])
    return np.maximum(72 * over, 0.0)


def too_small(figure):
    return [(a.get_text(), a.get_fontsize()) for a, _ in texts(figure) if a.get_fontsize() < SMALLEST_TYPE]


def is_column_wide(figure):
    """True for a picture of one column, false for a sequence of pictures, which takes both."""
    return bool(np.isclose(figure.get_size_inches()[0], [COLUMN, PAGE * MILLIMETRE], rtol=1e-6).any())
