"""Small runs of the cases through the command line, which the tests share."""

import base64
import json
import re

import numpy as np
import pytest

from cases.app.command import application, cli
from cases.app.command.case_commands import run_of
from cases.app.parts.parameters import ElasticParameters, Numbers, quantity
from cases.app.run import runner
from cases.app.run.checkpoint import Checkpoints
from floating_frame import load_trajectory

SMALL = {
    "block_on_table": {"t_end": 0.5, "dt": 0.01, "nx": 2, "ny": 2},
    "inclined_plane": {"t_end": 0.1, "dt": 0.01, "law": "sliding", "v_s": 0.01},
    "plate_sliding": {"t_end": 0.05, "dt": 0.01, "nx": 4, "ny": 2, "pull_x": 60.0, "ramp": 0.0},
    "plate_clamped": {"t_end": 0.05, "dt": 0.01, "nx": 4, "ny": 2, "push_x": 120.0, "ramp": 0.0},
    "spinning_disc": {"t_end": 0.7, "dt": 0.02, "nr": 6, "nt": 12},
    "belt_oscillator": {"t_end": 0.3, "dt": 0.01, "nx": 1, "ny": 1},
    "free_flight": {"t_end": 0.02, "dt": 0.002, "nx": 4, "ny": 2},
    "rod_wave": {"t_end": 0.06, "dt": 0.002, "nx": 50},
    "rod_cycle": {"t_end": 2.0, "dt": 0.25, "nx": 10},
    "annulus_torsion": {"t_end": 1.0, "dt": 0.5, "nr": 4, "nt": 12},
    "wall_impact": {"t_end": 0.03, "dt": 0.0005, "nx": 2, "ny": 2},
    "beam_bending": {"t_end": 0.1, "dt": 0.01, "ne": 6},
    "beam_on_rough_foundation": {"t_end": 3.0, "dt": 0.2, "steps": 5, "ne": 20},
    "free_top": {"t_end": 0.5, "dt": 0.05, "spin1": 0.5},
    "sphere_on_plane": {"t_end": 0.1, "dt": 0.01, "spin_x": -5.0},
    "block_in_space": {"t_end": 0.1, "dt": 0.01},
    "potra_block": {"t_end": 0.5, "dt": 0.05},
    "curling_disc": {"t_end": 0.1, "dt": 0.01, "nr": 3, "nt": 8},
    "solid_pulled": {"t_end": 0.05, "dt": 0.01, "nx": 2, "ny": 2, "nz": 1, "ramp": 0.02},
    "plate_in_space": {"t_end": 0.1, "dt": 0.02, "nx": 4, "ny": 2, "pull_x": 60.0, "ramp": 0.0},
}
SOLIDS = ("solid_pulled", "plate_in_space")
SPACE = ("free_top", "sphere_on_plane", "block_in_space", "potra_block", "curling_disc", *SOLIDS)
PLANE = tuple(name for name in SMALL if name not in SPACE)


class Lists(ElasticParameters):
    """Parameters of a made-up case: a list, a number of either sign, a switch."""

    t_end: float = 1.0
    dt: float = 0.1
    mu: float = 0.1
    E: float = 1.0
    nu: float = 0.3
    forces: Numbers = quantity("N", "history of forces", default=(1.0, -1.0))
    shift: float = quantity("m", "a number of either sign", default=0.0)
    flag: bool = quantity("", "a switch", default=False)


def arguments(name, values):
    return ["run", name, *(f"--{key}={value}" for key, value in values.items())]


def run(name, values, out, *more):
    return cli.main([*arguments(name, values), "--out", str(out), *more])


def run_unparsed(name, values, out, **options):
    """A quiet run without estimate, for tests of something else than a line, whose parsing takes as long as a small run."""
    given = {key: str(value) for key, value in values.items()} | {"quiet": True, "no_estimate": True, "out": str(out)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(application, "answer", lambda _: run_of(name, ())(**given | options))
        return cli.main(["run"])


def run_without_picture(name, values, out, *switches):
    """For tests of something else: a picture takes as long as a small run, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "_draw", lambda *_: None)
        return run_unparsed(name, values, out, **{switch[2:]: True for switch in switches})


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text())


def stored(folder, file="trajectory.nc"):
    """The trajectory of a run, read into memory."""
    with load_trajectory(folder / file) as data:
        return data.load()


def page_of(folder, name):
    """The text of a run's page, and its data."""
    text = (folder / f"{name}.html").read_text(encoding="utf-8")
    return text, json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def unpacked(field, *shape):
    """The numbers of a field of a page's data."""
    integers = np.frombuffer(base64.b64decode(field["values"]), "<u2").reshape(shape)
    return field["low"] + field["step"] * integers


def killed(monkeypatch, step):
    """Let runs end after a step as if killed there: nothing is closed."""
    after = Checkpoints.after_step

    def kill(*given):
        raise Killed

    def after_step(self, state, sync):
        after(self, state, sync)
        if state.number == step:
            monkeypatch.setattr("floating_frame.output.trajectory.FileSink.close", kill)
            kill()

    monkeypatch.setattr(Checkpoints, "after_step", after_step)


class Killed(BaseException):
    """Stands for SIGKILL: nothing answers it."""
