"""The figures by file name: each the module that draws it, imported only when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol

import xarray as xr
from matplotlib.figure import Figure

from paper_figures.jobs import Job


class FigureModule(Protocol):
    """The face of a figure's module.

    FILE: name of its files and of its entry here, the figure number of its source; SEED: which source ("000", "001", "002",
    "beyond"); SOURCE: which figure of it; CLAIM: what it shows, one sentence; COST: seconds of computing; RUNS: what it is drawn
    from, by label; QUICK: by label, the parameters with which the tests run it in seconds (a label left out runs as it is).

    Optional: VOLATILE, names of numbers that no repetition gives again (seconds), which the checksum leaves out.
    """

    FILE: str
    SEED: str
    SOURCE: str
    CLAIM: str
    COST: float
    RUNS: Mapping[str, Job]
    QUICK: Mapping[str, Mapping[str, Any]]

    def numbers(self, data: Mapping[str, xr.Dataset]) -> dict[str, Any]:
        """Return what is drawn, and what is claimed, as plain arrays and numbers from the results of RUNS by label."""

    def draw(self, numbers: Mapping[str, Any]) -> Figure:
        """Return the figure of the numbers; called within the house style (paper_figures/style.py)."""


FIGURES: Mapping[str, str] = {
    "seed000_fig1": "fig_seed000_fig1",
    "seed000_fig2": "fig_seed000_fig2",
    "seed000_fig3": "fig_seed000_fig3",
    "seed001_fig1": "fig_seed001_fig1",
    "seed001_fig2": "fig_seed001_fig2",
    "seed001_fig3a": "fig_seed001_fig3a",
    "seed001_fig3b": "fig_seed001_fig3b",
    "seed001_fig3c": "fig_seed001_fig3c",
    "seed001_caseA": "fig_seed001_caseA",
    "seed001_caseB": "fig_seed001_caseB",
    "seed001_caseC": "fig_seed001_caseC",
    "seed002_fig6.291": "fig_seed002_fig6_291",
    "seed002_fig6.292": "fig_seed002_fig6_292",
    "seed002_fig6.293": "fig_seed002_fig6_293",
    "seed002_table6.24": "fig_seed002_table6_24",
    "disc_phase_portrait": "fig_disc_phase_portrait",
    "limit_surfaces": "fig_limit_surfaces",
    "rod_wave": "fig_rod_wave",
    "beam_slip_zones": "fig_beam_slip_zones",
    "annulus_loop": "fig_annulus_loop",
    "errors_over_dt": "fig_errors_over_dt",
    "errors_over_mesh": "fig_errors_over_mesh",
    "cost_over_unknowns": "fig_cost_over_unknowns",
    "one_problem_all_laws": "fig_one_problem_all_laws",
}


def load(name: str) -> FigureModule:
    """Import and return the module of the figure called `name`, one of `FIGURES`."""
    module: Any = importlib.import_module(f"paper_figures.{FIGURES[name]}")
    return module
