"""The figures by file name: each the module that draws it, imported only when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol

import xarray as xr
from matplotlib.figure import Figure

from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Job


class FigureModule(Protocol):
    """The face of a figure's module.

    FILE: name of its files and of its entry here, the figure number of its source; ORIGIN: its source ("potra2006", "szefer2001",
    "recurdyn", "beyond"); SOURCE: which figure of it; CLAIM: its statement, one sentence; COST: seconds of computing; RUNS: its
    jobs, by label; QUICK: by label, the parameters with which the tests run it in seconds (others run unchanged).

    Optional: VOLATILE, names of numbers that are not reproducible (seconds), which the checksum leaves out.
    """

    FILE: str
    ORIGIN: str
    SOURCE: str
    CLAIM: str
    COST: float
    RUNS: Mapping[str, Job]
    QUICK: Mapping[str, Mapping[str, object]]

    def numbers(self, data: Mapping[str, xr.Dataset]) -> Numbers:
        """Data of the figure and of its claim, as plain arrays and numbers, from the results of RUNS by label."""

    def draw(self, numbers: Numbers) -> Figure:
        """Figure of the numbers; called within the house style (paper_figures/ink/style.py)."""


FIGURES: Mapping[str, str] = {
    "potra2006_fig1": "figures.potra2006_fig1",
    "potra2006_fig2": "figures.potra2006_fig2",
    "potra2006_fig3": "figures.potra2006_fig3",
    "szefer2001_fig1": "figures.szefer2001_fig1",
    "szefer2001_fig2": "figures.szefer2001_fig2",
    "szefer2001_fig3a": "figures.szefer2001_fig3a",
    "szefer2001_fig3b": "figures.szefer2001_fig3b",
    "szefer2001_fig3c": "figures.szefer2001_fig3c",
    "szefer2001_caseA": "figures.szefer2001_caseA",
    "szefer2001_caseB": "figures.szefer2001_caseB",
    "szefer2001_caseC": "figures.szefer2001_caseC",
    "recurdyn_fig6_291": "figures.recurdyn_fig6_291",
    "recurdyn_fig6_292": "figures.recurdyn_fig6_292",
    "recurdyn_fig6_293": "figures.recurdyn_fig6_293",
    "recurdyn_table6_24": "figures.recurdyn_table6_24",
    "disc_phase_portrait": "figures.disc_phase_portrait",
    "limit_surfaces": "figures.limit_surfaces",
    "rod_wave": "figures.rod_wave",
    "beam_slip_zones": "figures.beam_slip_zones",
    "annulus_loop": "figures.annulus_loop",
    "errors_over_dt": "figures.errors_over_dt",
    "errors_over_mesh": "figures.errors_over_mesh",
    "work_precision": "figures.work_precision",
    "cost_over_unknowns": "figures.cost_over_unknowns",
    "one_problem_all_laws": "figures.one_problem_all_laws",
    "clamp_release": "figures.clamp_release",
    "curling_disc": "figures.curling_disc",
    "orders_in_space": "figures.orders_in_space",
    "space_against_plane": "figures.space_against_plane",
    "solid_orders": "figures.solid_orders",
    "hertz_contact": "figures.hertz_contact",
    "solid_lifting": "figures.solid_lifting",
    "plate_height": "figures.plate_height",
}


def load(name: str) -> FigureModule:
    """Import and return the module of the figure called `name`, one of `FIGURES`."""
    module: Any = importlib.import_module(f"paper_figures.{FIGURES[name]}")
    result: FigureModule = module
    return result
