"""Runs by name, measured in this checkout and in another one in turn, so that their ratio knows one load.

    OMP_NUM_THREADS=1 python benchmarks/runs_in_turn.py NAME

takes a run for each line that it reads, and writes its CPU time, s, steps and factorisations; the code is that of PYTHONPATH.
``benchmarks/ratios.py --only elastic [--beside CHECKOUT]`` starts it for those of ``ELASTIC``, ``--only beside --beside CHECKOUT``
for those of ``RIGID``."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

CUBE = {"length": 0.2, "width": 0.2, "height": 0.2, "density": 1200.0, "mu": 0.3}
"""A cube as ``benchmarks/solid_step.py`` pulls it, by 0.6 of its weight within six steps."""
SLAB = CUBE | {"length": 0.8, "width": 0.8, "height": 0.8 * 2 / 57}
ONSET = {"dt": 1e-3, "t_end": 3e-3}
REST, CASE = {"t_end": 0.2}, "plate_sliding"
LEAST = 3
"""Runs of which the least counts; of one above LONG s of CPU time the first alone."""
LONG = 30.0


def pulled(size: dict[str, float], steps: int, **cells: int) -> dict[str, float]:
    """Parameters of a block that is pulled by 0.6 of its weight."""
    weight = size["density"] * size["length"] * size["width"] * size["height"] * 9.81
    course = {"dt": 2e-3, "t_end": steps * 2e-3, "ramp": steps * 2e-3, "release": steps * 4e-3, "pull_x": 0.6 * weight}
    return size | course | cells


ELASTIC: dict[str, tuple[str, dict[str, object]]] = {
    "plate_sliding": (CASE, {**REST}),
    "plate of 40 × 4 cells": (CASE, REST | {"nx": 40, "ny": 4}),
    "plate, 1e4 unknowns": (CASE, {"nx": 100, "ny": 50, "t_end": 0.06}),
    "plate, smooth": (CASE, REST | {"law": "smooth"}),
    "plate, sliding": (CASE, REST | {"law": "sliding"}),
    "plate, static-kinetic": (CASE, REST | {"law": "static-kinetic", "mu_s": 0.35}),
    "plate, elliptic": (CASE, REST | {"law": "elliptic", "mu_across": 0.2}),
    "plate_clamped": ("plate_clamped", {}),
    "plate, free, of the clamped one's mesh": (CASE, {}),
    "solid_pulled": ("solid_pulled", {"t_end": 0.08}),
    "cube, 1e4 unknowns": ("solid_pulled", {**pulled(CUBE, 6, nx=14, ny=14, nz=14)}),
    "plate of solids, 3e4 unknowns": ("solid_pulled", {**pulled(SLAB, 6, nx=57, ny=57, nz=2)}),
    "plate_in_space": ("plate_in_space", {"t_end": 0.08}),
    "onset of slip, 1e5 unknowns": (CASE, ONSET | {"nx": 316, "ny": 158}),
    "onset of slip, 1e6 unknowns": (CASE, ONSET | {"nx": 1000, "ny": 500}),
}
BLOCK = {"body": "rigid", "t_end": 4.0}
RIGID: dict[str, tuple[str, dict[str, object]]] = {
    "block, 4 points, a hundredth stored": ("block_on_table", BLOCK | {"nx": 1, "ny": 1, "output_every": 100}),
    "block, 144 points, a hundredth stored": ("block_on_table", BLOCK | {"nx": 6, "ny": 6, "output_every": 100}),
    "block, 144 points": ("block_on_table", BLOCK | {"nx": 6, "ny": 6}),
    "disc, 1152 points": ("spinning_disc", {"body": "rigid", "nr": 24, "nt": 24}),
    "block on a belt, by a spring": ("belt_oscillator", {}),
    "block on four feet": ("block_in_space", {"t_end": 1.0}),
    "potra_block": ("potra_block", {}),
    "potra_block on penalties": ("potra_block", {"contact": "penalty"}),
    "ball": ("sphere_on_plane", {}),
    "curling disc, the pressure reacts": ("curling_disc", {"model": "plane", "t_end": 0.1}),
    "curling disc, flat base": ("curling_disc", {"model": "space", "t_end": 0.1}),
    "block thrown at a wall, penalty": ("wall_impact", {"contact": "penalty"}),
    "block thrown at a wall, stop": ("wall_impact", {"contact": "signorini", "scheme": "moreau-theta"}),
}
RUNS = ELASTIC | RIGID


class Cost(NamedTuple):
    """CPU time of a step, s, and factorisations a step."""

    seconds: float
    factorisations: float


class Runner:
    """A process that takes a run again and again in a ``checkout``, with compiled loops of its own."""

    def __init__(self, name: str, checkout: Path) -> None:
        cache = Path(os.environ.get("TMPDIR", "/tmp"), f"loops-of-{checkout.resolve().name}-{os.getuid()}")
        place = {"PYTHONPATH": str(checkout.resolve()), "OMP_NUM_THREADS": "1", "NUMBA_CACHE_DIR": str(cache)}
        self._process = subprocess.Popen(
            [sys.executable, __file__, name],
            cwd=checkout,
            env=os.environ | place,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(self) -> tuple[float, Cost]:
        """CPU time, s, of a run, and its cost. Raises RuntimeError where it ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("again\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline().split()
        if len(told) != 3:
            raise RuntimeError("the run ended with an error, said above")
        spent, steps, factorisations = map(float, told)
        return spent, Cost(spent / steps, factorisations / steps)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def in_turn(name: str, checkouts: list[Path]) -> list[Cost]:
    """Least costs of a run in each checkout; a first one of each compiles its loops."""
    runners, best = [Runner(name, checkout) for checkout in checkouts], list[Cost]()
    try:
        first = [runner.run() for runner in runners]
        best = [cost for _, cost in first]
        for _ in range(LEAST):
            best = [min(old, runner.run()[1]) for old, runner in zip(best, runners, strict=True)]
            if max(spent for spent, _ in first) > LONG:
                break
    finally:
        for runner in runners:
            runner.close()
    return best


def main() -> None:
    """Take the run again and again."""
    import floating_frame as ff  # of the checkout

    case, given = RUNS[sys.argv[1]]
    module = importlib.import_module(f"cases.{case}")
    params = module.Parameters(**given)
    model = ff.assemble(module.problem(params), module.options(params))
    for _ in sys.stdin:
        start = time.process_time()
        data = ff.simulate(model)
        print(time.process_time() - start, int(data.steps.sum()), float(data.factorisations.sum()), flush=True)


if __name__ == "__main__":
    main()
