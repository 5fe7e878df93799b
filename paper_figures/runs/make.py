"""Makes figures: computes missing runs, takes the numbers, draws, saves, and records all of it in the manifest."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

from matplotlib.figure import Figure

from cases.app.run.results import git_commit, versions
from paper_figures.ink.style import house_style, save, settle
from paper_figures.numbers import Numbers, Record
from paper_figures.registry import FigureModule, load
from paper_figures.runs import manifest
from paper_figures.runs.checksums import numbers_checksum
from paper_figures.runs.store import Store


def make(name: str, directory: Path, store: Store) -> Record:
    """Make one figure: DIRECTORY/NAME.pdf, .png and its entry of DIRECTORY/manifest.json, which is returned.

    Raises RunFailed where a solver fails, and BadInput; neither leaves a picture or an entry.
    """
    module = load(name)
    start = time.perf_counter()
    numbers, runs = computed(module, store)
    with house_style():
        paths = save(drawn(module, numbers), directory, module.FILE)
    entry = {
        "figure": module.FILE,
        "origin": module.ORIGIN,
        "source": module.SOURCE,
        "claim": module.CLAIM,
        "files": [path.name for path in paths],
        "runs": runs,
        "git_commit": git_commit(),
        "versions": versions(),
        "checksum": numbers_checksum(numbers, without=getattr(module, "VOLATILE", ())),
        "run_time": round(sum(run["run_time"] for run in runs.values()), 3),
        "draw_time": round(time.perf_counter() - start - sum(r["run_time"] for r in runs.values() if r["fresh"]), 3),
    }
    for run in runs.values():
        del run["fresh"]
    manifest.note(directory, module.FILE, entry)
    return entry


def computed(module: FigureModule, store: Store, *, quick: bool = False) -> tuple[Numbers, dict[str, Record]]:
    """Numbers of a figure and the records of its runs by label; `quick` with the parameters of its tests.

    A record holds case, parameters, scheme, key, run_time (s, of when it was computed), git_commit and fresh.
    """
    fields = ("case", "parameters", "scheme", "key", "run_time", "git_commit")
    with ExitStack() as stack:
        data, runs = {}, {}
        for label, job in module.RUNS.items():
            result = store.get(job.changed(**module.QUICK.get(label, {})) if quick else job)
            data[label] = stack.enter_context(result.data)
            runs[label] = {part: result.record[part] for part in fields} | {"fresh": result.fresh}
        return module.numbers(data), runs


def drawn(module: FigureModule, numbers: Numbers) -> Figure:
    """Figure of the numbers in the house style, laid out."""
    with house_style():
        return settle(module.draw(numbers))
