"""Error against CPU time: schemes of this code, and MuJoCo where it is installed, on four jobs.

One thread, the least of some repeats, in one run on one machine; assembling the model and compiling are not counted.

    OMP_NUM_THREADS=1 python benchmarks/work_precision.py [--json FILE] [--page FILE] [--peers PYTHON]

``--peers``: the interpreter that has the peers' wheels, left out: this one. The pictures go beside the page, into pictures/.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.ticker import NullFormatter

import floating_frame as ff
from cases import block_on_table, spinning_disc
from cases.drawing.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, VERMILION
from cases.registry import load
from paper_figures.ink.style import column_figure

REPEATS = 3
LONG = 1.0
"""Once repeats have taken so long, s, no further one is made."""
OWN = ("sdirk2", "backward-euler", "moreau-theta", "explicit", "error control")
LOOK = dict(
    zip(
        (*OWN, "MuJoCo"),
        zip((BLUE, GREEN, ORANGE, VERMILION, PURPLE, BLACK), "os^DPX", strict=True),
        strict=True,
    )
)
LEVELS = (1e-2, 1e-4, 1e-6)
CLAIM = "For every error below 1 % this code is the fastest of all, by at least ten times at 1e-6"


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is run: a ``case`` with ``given`` parameters by ``schemes`` with ``steps`` and ``tolerances``; ``error`` of a run."""

    name: str
    title: str
    case: str
    given: dict[str, object]
    schemes: tuple[str, ...]
    steps: tuple[float, ...]
    tolerances: tuple[float, ...]
    error: Callable[[object, xr.Dataset], float]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One point of a picture: the step or tolerance, the CPU time in s and the relative error."""

    job: str
    code: str
    step: float
    seconds: float
    error: float


def simulated(case: str, **given: object) -> tuple[object, Callable[[], xr.Dataset]]:
    """Return the parameters of a case and what simulates it."""
    module = load(case)
    params = module.Parameters(**given)
    model = ff.assemble(module.problem(params), module.options(params))
    return params, lambda: ff.simulate(model)


def block_error(params: object, data: xr.Dataset) -> float:
    """Return the largest error of the block's position at stored instants over its largest position."""
    exact = block_on_table.exact(params, data.time.values)[0]
    return float(np.abs(data.frame_position.values[:, 0] - exact).max() / np.abs(exact).max())


def disc_error(params: object, data: xr.Dataset) -> float:
    """Return the larger relative error of the disc's distance and angle, once it has stopped."""
    exact = spinning_disc.reference(params)
    found = data.frame_position.values[-1, 0] / exact.distance, data.frame_angle.values[-1] / exact.angle
    return float(np.abs(np.array(found) - 1.0).max())


def against_fine_steps(case: str, dt: float, **given: object) -> Callable[[object, xr.Dataset], float]:
    """Return the largest error of nodal positions at the end over the largest displacement, against sdirk2 in steps of ``dt``."""
    kept: list[xr.Dataset] = []

    def error(params: object, data: xr.Dataset) -> float:
        if not kept:
            kept.append(simulated(case, dt=dt, **given)[1]())
        first, last = kept[0].position.values[[0, -1]]
        return float(np.abs(data.position.values[-1] - last).max() / np.abs(last - first).max())

    return error


THREE = ("sdirk2", "backward-euler", "moreau-theta")
STRIP = {"t_end": 0.4, "nx": 40, "ny": 4, "width": 0.1, "pull_x": 3.0, "pull_y": 1.0, "ramp": 0.1, "release": 0.2}
PLATE = {"nx": 8, "ny": 4}
JOBS = (
    Job(
        name="A", title="block: stick, slip, stick (exact)", case="block_on_table", given={"nx": 1, "ny": 1},
        schemes=THREE, steps=(1e-1, 3.125e-2, 1e-2, 1e-3, 2e-4),
        tolerances=(1e-3,), error=block_error,
    ),
    Job(
        name="B", title="disc of 2304 points: slides, spins, stops (exact)", case="spinning_disc", given={},
        schemes=THREE, steps=(2e-2, 1e-2, 5e-3, 2e-3, 1e-3), tolerances=(1e-2, 1e-3), error=disc_error,
    ),
    Job(
        name="C", title="plate 41 x 5 nodes: loaded, released", case="plate_sliding", given=STRIP,
        schemes=(*THREE, "explicit"), steps=(2e-2, 1e-2, 5e-3, 2.5e-3), tolerances=(),
        error=against_fine_steps("plate_sliding", 0.4 / 1280, **STRIP),
    ),
    Job(
        name="plate", title="plate 9 x 5 nodes: slides, turns, stops", case="plate_sliding", given=PLATE,
        schemes=(*THREE, "explicit"), steps=(3.2e-2, 1.6e-2, 8e-3, 4e-3), tolerances=(1e-2,),
        error=against_fine_steps("plate_sliding", 1.6 / 3200, **PLATE),
    ),
)  # fmt: skip


def own_runs(job: Job) -> Iterator[Run]:
    """Yield the runs of this code; a run that its scheme cannot take is said and left out."""
    settings: list[tuple[str, float, dict[str, object]]] = [
        (scheme, dt, {"scheme": scheme, "dt": dt}) for scheme in job.schemes for dt in job.steps if scheme != "explicit"
    ]
    settings += [("explicit", 0.0, {"scheme": "explicit", "dt": 0.0})] * ("explicit" in job.schemes)
    settings += [("error control", one, {"dt": job.steps[0], "error_tolerance": one}) for one in job.tolerances]
    for code, step, given in settings:
        try:
            params, run = simulated(job.case, **(job.given | given))
            data, spent = run(), []  # compiles
            while len(spent) < REPEATS and sum(spent) < LONG:
                start = time.process_time()
                run()
                spent.append(time.process_time() - start)
        except (ValueError, ff.StepFailure) as failure:
            print(f"{job.name}, {code}, {step:g}: left out, {failure}", file=sys.stderr)
            continue
        yield Run(job=job.name, code=code, step=step, seconds=min(spent), error=job.error(params, data))


def peer_runs(job: Job, python: str) -> Iterator[Run]:
    """Yield MuJoCo's runs of the block; say so where its wheel is missing."""
    if job.name != "A":
        return
    params = block_on_table.Parameters(**job.given)
    levels = [
        (dt, block_on_table.exact(params, dt * np.arange(1, round(params.t_end / dt) + 1))[0].tolist())
        for dt in (1e-2, 5e-3, 1e-3, 1e-4)
    ]
    task = {"levels": levels, "repeats": REPEATS, "force": params.amplitude, "mu": float(params.mu)}
    script = Path(__file__).with_name("peer_mujoco.py")
    done = subprocess.run([python, script], input=json.dumps(task), capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr.strip(), file=sys.stderr)
        return
    for step, seconds, error in json.loads(done.stdout):
        yield Run(job=job.name, code="MuJoCo", step=step, seconds=seconds, error=error)


def verdict(runs: list[Run]) -> list[str]:
    """Return what the runs of a job say of the claim, a line for each level of error."""
    lines = []
    for level in LEVELS:
        mine, peer = (
            least([r for r in runs if r.error <= level and (r.code in OWN) == ours]) for ours in (True, False)
        )
        needed = 10.0 if level <= 1e-6 else 1.0
        if all(r.code in OWN for r in runs):
            says = "not tested, no peer was measured"
        elif mine is None:
            says = "does not hold, the error is not reached"
        elif peer is None:
            says = "holds, the peer does not reach the error with the steps tried"
        else:
            ratio = peer.seconds / mine.seconds
            says = f"{'holds' if ratio >= needed else 'does not hold'}, peer over this code {ratio:.2g}"
        lines.append(f"| {level:.0e} | {told(mine)} | {told(peer)} | {says} |")
    return lines


def least(runs: list[Run]) -> Run | None:
    """Return the fastest of some runs, None of none."""
    return min(runs, key=lambda run: run.seconds, default=None)


def told(run: Run | None) -> str:
    """Return a run as a cell of the table."""
    return "–" if run is None else f"{run.seconds:.3g} s ({run.code}, {run.step:g})"


def draw(job: Job, runs: list[Run], file: Path) -> None:
    """Draw the relative error over CPU time."""
    figure = column_figure(85)
    axes = figure.subplots()
    for code, (colour, marker) in LOOK.items():
        found = sorted((r.seconds, r.error) for r in runs if r.code == code)
        if found:
            dashes = "--" if code == "error control" else "-"
            axes.loglog(
                *zip(*found, strict=True), color=colour, marker=marker, markersize=4, linestyle=dashes, label=code
            )
    axes.set(xlabel="CPU time of a run [s]", ylabel="relative error [–]")
    axes.set_title(job.title, fontsize=8)
    low, high = np.log10(axes.get_xlim())
    axes.set_xlim(10.0 ** np.floor(low), 10.0 ** np.ceil(high))
    axes.xaxis.set_minor_formatter(NullFormatter())
    figure.legend(loc="outside lower center", ncols=3, fontsize=7)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=200)


def page(runs: list[Run]) -> str:
    """Return the page of the docs."""
    what = (__doc__ or "").split("\n\n")
    parts = [
        f"# Work and precision\n\n{what[0]}\n\n{what[1]}\n\nThe claim to test: *{CLAIM[0].lower() + CLAIM[1:]}.* "
        "Each table has the least CPU time of a run whose error is at most the given one, with its scheme and step or tolerance. "
        "Drake has not been measured, nor MuJoCo on other jobs than A: there the claim is not tested. A run of this code "
        "includes what it stores (energies, forces, verdict), a run of MuJoCo the position after each step, stepped "
        "from Python, with one setting of its contact (elliptic cones, impratio 100): its error stays near 1 % however "
        "small the step, so 'holds' says no more than that of this setting. Left out are radau, which takes no "
        "set-valued friction, and linearly-implicit-trapezoidal, whose steps are not compiled: on A it has "
        "moreau-theta's errors at 30 to 90 times its cost."
    ]
    for job in JOBS:
        mine = [r for r in runs if r.job == job.name]
        if mine:
            rows = "\n".join(verdict(mine))
            parts.append(
                f"## {job.name}: {job.title}\n\n![Error over CPU time](pictures/work_precision_{job.name}.png)\n\n"
                f"| relative error at most | this code | fastest peer | the claim |\n|---|---|---|---|\n{rows}"
            )
    parts.append(
        "The errors of A are of positions at all stored instants; of B of distance and angle at the stop, its friction "
        "points' own included; of the plates of nodal positions at the end against sdirk2 in fine steps, over the largest "
        "displacement. Half the fine step moves the reference by 2e-4 in C and 6e-6 in the last job: errors near that are the "
        f"reference's.\n\nMeasured with Python {platform.python_version()} on {platform.machine()}; "
        "`make work-precision` measures it again."
    )
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Measure, print, and write what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--peers", default=sys.executable)
    given = parser.parse_args()
    runs: list[Run] = []
    for job in JOBS:
        found = []
        for run in itertools.chain(peer_runs(job, given.peers), own_runs(job)):
            found.append(run)
            print(f"{run.job:6}{run.code:32}{run.step:10.3g}{run.seconds:11.3g} s{run.error:11.2e}", flush=True)
        runs += found
        if given.page:
            draw(job, found, given.page.parent / "pictures" / f"work_precision_{job.name}.png")
            given.page.write_text(page(runs), encoding="utf-8")
        if given.json:
            given.json.write_text(json.dumps([asdict(run) for run in runs], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
