"""Jobs as numbers that peers read, and their runs in an interpreter that has their wheels."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from cases import block_on_table, plate_sliding, spinning_disc

SCRIPTS = {"MuJoCo": "peer_mujoco.py"}
EVERY = 0.01
"""Time between the stored positions of the block, s."""
Task = dict[str, object]


class PeerRun(NamedTuple):
    """Peer and setting, the step in s, the CPU time in s, and what the job asks for (n,)."""

    code: str
    setting: str
    step: float
    seconds: float
    values: list[float]


def block(given: dict[str, object]) -> Task:
    """Return the block on four feet; values: its positions every `EVERY` s."""
    params = block_on_table.Parameters(**given)
    a, b, c = block_on_table.LENGTH, block_on_table.WIDTH, block_on_table.HEIGHT
    return {
        "job": "A", "mass": params.mass, "mu": params.mu, "force": params.amplitude, "velocity": 0.0, "spin": 0.0,
        "gyration": [(b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12],
        "points": [[i * a / 2, j * b / 2] for i in (-1, 1) for j in (-1, 1)],
        "every": EVERY, "t_end": params.t_end, "steps": [1e-2, 2e-3, 1e-3, 1e-4],
    }  # fmt: skip


def disc(given: dict[str, object]) -> Task:
    """Return the disc on 6 x 18 feet of equal areas; values: distance and angle at the end."""
    params = spinning_disc.Parameters(**given)
    r = params.radius * np.sqrt((np.arange(6) + 0.5) / 6)
    angle = 2 * np.pi * np.arange(18) / 18
    across = params.radius**2 / 4
    return {
        "job": "B", "mass": params.density * params.thickness * np.pi * params.radius**2, "mu": params.mu, "force": 0.0,
        "velocity": params.vx0, "spin": params.spin0, "gyration": [across, across, 2 * across],
        "points": np.stack([np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle))], axis=-1).reshape(-1, 2).tolist(),
        "every": EVERY, "t_end": params.t_end, "steps": [1e-2, 2e-3, 5e-4, 1e-4],
    }  # fmt: skip


def plate(given: dict[str, object]) -> Task:
    """Return the plate: triangles, nodal masses and loads; values: nodal positions at the end, x and y by turns."""
    params = plate_sliding.Parameters(**given)
    problem = plate_sliding.problem(params)
    body = problem.body
    shape, force = problem.loads[0].nodal_shape(body, body.lumped_mass)
    return {
        "job": "C", "X": body.X.tolist(), "cells": body.cells.tolist(), "nodal_mass": body.lumped_mass.tolist(),
        "load": np.outer(shape, force).tolist(), "mu": params.mu, "E": params.E, "nu": params.nu,
        "thickness": params.thickness, "ramp": params.ramp, "release": params.release, "t_end": params.t_end,
        "steps": [1e-2, 2e-3, 5e-4],
    }  # fmt: skip


TASKS: dict[str, Callable[[dict[str, object]], Task]] = {"A": block, "B": disc, "C": plate, "plate": plate}


def runs(
    name: str, given: dict[str, object], python: str, timing: dict[str, float], codes: Sequence[str] = tuple(SCRIPTS)
) -> Iterator[PeerRun]:
    """Yield the runs of the peers ``codes`` of a job with ``given`` parameters; say what was left out.

    ``timing``: repeats and long, s.
    """
    task = json.dumps(TASKS[name](given) | timing)
    for code in codes:
        command = [python, Path(__file__).with_name(SCRIPTS[code]).resolve()]
        with TemporaryDirectory() as place:  # MuJoCo leaves a log
            done = subprocess.run(command, input=task, capture_output=True, text=True, check=False, cwd=place)
        if done.returncode:
            print(done.stderr.strip(), file=sys.stderr)
            continue
        for row in json.loads(done.stdout):
            yield PeerRun(code, *row)
