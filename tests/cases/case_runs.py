"""Small runs of the cases through the command line, which the tests share."""

import pytest

from cases.app.command import cli
from cases.app.run import runner
from cases.app.run.checkpoint import Checkpoints

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


def arguments(name, values):
    return ["run", name, *(f"--{key}={value}" for key, value in values.items())]


def run(name, values, out, *more):
    return cli.main([*arguments(name, values), "--out", str(out), *more])


def run_without_picture(name, values, out, *more):
    """For tests of something else: a picture takes as long as a small run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "_draw", lambda *_: None)
        return run(name, values, out, "--quiet", "--no-estimate", *more)


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
