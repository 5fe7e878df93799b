"""Two small figures that the tests of the command put into the registry: a block that slips, and a plate that is crushed."""

import dataclasses
import types

import numpy as np
import xarray as xr

from cases import block_on_table
from paper_figures import command
from paper_figures.ink.style import column_figure
from paper_figures.runs import make
from paper_figures.runs.jobs import ProblemRun, Run, Study

CALLS = []


def halved_block(amplitude, dt):
    """The block under half the force's frequency, which the case does not offer."""
    params = block_on_table.Parameters(t_end=0.2, dt=dt, amplitude=amplitude)
    problem = block_on_table.problem(params)
    (load,) = problem.loads
    slower = dataclasses.replace(load, history=dataclasses.replace(load.history, angular_frequency=0.5))
    return dataclasses.replace(problem, loads=(slower,)), block_on_table.options(params)


def squares(count):
    CALLS.append(count)
    return xr.Dataset({"square": ("number", np.arange(count, dtype=float) ** 2)})


BLOCK = Run("block_on_table", {"t_end": 0.2, "dt": 0.01})
CRUSHED = Run("plate_sliding", {"t_end": 0.05, "dt": 0.01, "nx": 4, "ny": 2, "pull_x": -4000.0, "ramp": 0.05})


def figure(name, **runs):
    def numbers(data):
        return {
            label: d.frame_velocity.values[:, 0] if "frame_velocity" in d else d.square.values
            for label, d in data.items()
        }

    def draw(numbers):
        drawing = column_figure(50)
        axes = drawing.subplots()
        for label, values in numbers.items():
            axes.plot(values, label=label)
        axes.set(xlabel="number of the instant", ylabel="velocity $v_x$ [m/s]")
        return drawing

    return types.SimpleNamespace(
        FILE=name,
        ORIGIN="beyond",
        SOURCE="a test",
        CLAIM="the block slips from the first instant",
        COST=1.0,
        RUNS=runs,
        QUICK={},
        numbers=numbers,
        draw=draw,
    )


def registered(monkeypatch, *modules):
    """Let the command know these figures and no others."""
    known = {module.FILE: module for module in modules}
    monkeypatch.setattr(command, "FIGURES", {name: f"figures.{name}" for name in known})
    for place in (command, make):
        monkeypatch.setattr(place, "load", known.__getitem__)


def example(name="slipping", **parameters):
    return figure(name, block=BLOCK.changed(**parameters))


def mixed():
    return figure(
        "mixed",
        slow=ProblemRun(halved_block, {"amplitude": 8.0, "dt": 0.01}),
        study=Study(squares, {"count": 4}),
        block=BLOCK,
    )
