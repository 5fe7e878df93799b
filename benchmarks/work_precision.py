"""Error against CPU time: schemes of this code, and MuJoCo and Drake where their wheels are installed, on four jobs.

One thread, the least of some repeats, on one machine; assembling the model and compiling are not counted.

    OMP_NUM_THREADS=1 python benchmarks/work_precision.py [--json FILE] [--page FILE] [--peers PYTHON]

``--peers``: the interpreter that has the peers' wheels, left out: this one. The pictures go beside the page, into pictures/.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import peers
import xarray as xr
from matplotlib.ticker import NullFormatter

import floating_frame as ff
from cases import block_on_table, spinning_disc
from cases.drawing.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from cases.registry import load
from paper_figures.ink.style import column_figure

REPEATS = 3
LONG = 1.0
"""Once repeats have taken so long, s, no further one is made."""
OWN = ("sdirk2", "backward-euler", "moreau-theta", "explicit", "error control")
LOOK = dict(
    zip(
        (*OWN, *peers.SCRIPTS),
        zip((BLUE, GREEN, ORANGE, VERMILION, PURPLE, BLACK, GREY), "os^DPXv", strict=True),
        strict=True,
    )
)
LEVELS = (1e-2, 1e-4, 1e-6)
CLAIM = "For every error below 1 % this code is the fastest of all, by at least ten times at 1e-6"


Values = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is run: a ``case`` with ``given`` parameters by ``schemes`` with ``steps`` and ``tolerances``, and ``fine`` steps of the
    second-order schemes with stages, each in all ``variants``; the ``error`` of a code's ``values``, which peers give as well.
    """

    name: str
    title: str
    case: str
    given: dict[str, object]
    schemes: tuple[str, ...]
    steps: tuple[float, ...]
    tolerances: tuple[float, ...]
    values: Callable[[xr.Dataset], Values]
    error: Callable[[Values, str], float]
    fine: tuple[float, ...] = ()
    variants: dict[str, dict[str, object]] = field(default_factory=lambda: {"": {}})


@dataclass(frozen=True, kw_only=True)
class Run:
    """One point of a picture: code and setting, the step or tolerance, the CPU time in s and the relative error."""

    job: str
    code: str
    setting: str
    step: float
    seconds: float
    error: float


def simulated(case: str, **given: object) -> tuple[object, Callable[[], xr.Dataset]]:
    """Return the parameters of a case and what simulates it."""
    module = load(case)
    params = module.Parameters(**given)
    model = ff.assemble(module.problem(params), module.options(params))
    return params, lambda: ff.simulate(model)


def block_values(data: xr.Dataset) -> Values:
    """Return stored times and the block's positions (n, 2)."""
    return np.column_stack([data.time.values, data.frame_position.values[:, 0]])


def block_error(values: Values, code: str) -> float:
    """Return the largest error of the block's positions over its largest position; peers give positions every `peers.EVERY` s."""
    if values.ndim == 1:
        values = np.column_stack([peers.EVERY * np.arange(1, len(values) + 1), values])
    exact = block_on_table.exact(block_on_table.Parameters(), values[:, 0])[0]
    return float(np.abs(values[:, 1] - exact).max() / np.abs(exact).max())


def disc_values(data: xr.Dataset) -> Values:
    """Return the disc's distance and angle at the end."""
    return np.array([data.frame_position.values[-1, 0], data.frame_angle.values[-1]])


def disc_error(values: Values, code: str) -> float:
    """Return the larger relative error of the disc's distance and angle, once it has stopped."""
    exact = spinning_disc.reference(spinning_disc.Parameters())
    return float(np.abs(values / [exact.distance, exact.angle] - 1.0).max())


def end(data: xr.Dataset) -> Values:
    """Return the nodes' positions at the end, x and y by turns."""
    return np.asarray(data.position.values[-1].ravel())


@cache
def limit(name: str, lumped: bool) -> tuple[Values, float]:
    """Return the nodes' positions at the end of a plate's job in the limit of small steps, and the largest displacement.

    With consistent masses extrapolated from the two finest steps of sdirk2; with ``lumped`` ones by explicit.
    """
    ends = fine_ends(name, "explicit", LUMPED) if lumped else fine_ends(name, "sdirk2", *FINE[name])
    return ends[-1] if lumped else extrapolated(*ends[-2:]), float(np.abs(ends[-1] - ends[0]).max())


@cache
def fine_ends(name: str, scheme: str, *counts: int) -> list[Values]:
    """Return the nodes' positions at the start of a plate's job, and at its end in so many steps each."""
    job = next(one for one in JOBS if one.name == name)
    found: list[Values] = []
    for count in counts:
        step = load(job.case).Parameters(**job.given).t_end / count
        data = simulated(job.case, dt=step, scheme=scheme, output_every=count, **job.given)[1]()
        found = found or [np.asarray(data.position.values[0].ravel())]
        found.append(end(data))
    return found


def extrapolated(coarse: Values, last: Values) -> Values:
    """Return the limit of a second-order scheme's results with steps of two lengths, the last half as long."""
    return last + (last - coarse) / 3.0


def sharp(name: str) -> float:
    """Return how far the limit moves as both its steps are halved, relative to the largest displacement."""
    _, *ends = fine_ends(name, "sdirk2", *FINE[name])
    return float(np.abs(extrapolated(*ends[-2:]) - extrapolated(*ends[-3:-1])).max() / limit(name, False)[1])


def plate_error(name: str) -> Callable[[Values, str], float]:
    """Return the largest error of the nodes' positions at the end of the job ``name`` over the largest displacement."""

    def error(values: Values, code: str) -> float:
        known, size = limit(name, code in ("explicit", *peers.SCRIPTS))
        return float(np.abs(values - known).max() / size)

    return error


THREE = ("sdirk2", "backward-euler", "moreau-theta")
STRIP = {
    "t_end": 0.4, "nx": 40, "ny": 4, "width": 0.1, "pull_x": 3.0, "pull_y": 1.0, "ramp": 0.1, "release": 0.2, "elements": "P1",
}  # fmt: skip
PLATE = {"nx": 8, "ny": 4, "elements": "P1"}
FINE = {"C": (10240, 20480, 40960), "plate": (6400, 12800, 25600)}
"""Numbers of steps of sdirk2: from the last two the reference is extrapolated, from the first two how sharp it is."""
LUMPED = 200_000
"""Number of steps of explicit, the reference of codes with lumped masses."""
JOBS = (
    Job(
        name="A", title="block: stick, slip, stick (exact)", case="block_on_table", given={"nx": 1, "ny": 1},
        schemes=THREE, steps=(1e-1, 3.125e-2, 1e-2, 1e-3, 2e-4), tolerances=(1e-3,),
        values=block_values, error=block_error,
    ),
    Job(
        name="B", title="disc: slides, spins, stops (exact)", case="spinning_disc", given={},
        schemes=THREE, steps=(2e-2, 1e-2, 5e-3, 2e-3, 1e-3), tolerances=(1e-2,), values=disc_values, error=disc_error,
        variants={"108 points": {"nr": 3, "nt": 18}, "2304 points": {}, "16384 points": {"nr": 64, "nt": 128}},
    ),
    Job(
        name="C", title="plate 41 x 5 nodes: loaded, released", case="plate_sliding", given=STRIP,
        schemes=(*THREE, "explicit"), steps=(2e-2, 1e-2, 5e-3, 2.5e-3), tolerances=(), fine=(0.4 / 2560, 0.4 / 25600),
        values=end, error=plate_error("C"),
    ),
    Job(
        name="plate", title="plate 9 x 5 nodes: slides, turns, stops", case="plate_sliding", given=PLATE,
        schemes=(*THREE, "explicit"), steps=(3.2e-2, 1.6e-2, 8e-3, 4e-3), tolerances=(1e-2,), fine=(1.6 / 2400, 1.6 / 19200),
        values=end, error=plate_error("plate"),
    ),
)  # fmt: skip


def own_runs(job: Job) -> Iterator[Run]:
    """Yield the runs of this code; a run that its scheme cannot take is said and left out."""
    settings: list[tuple[str, float, dict[str, object]]] = [
        (scheme, dt, {"scheme": scheme, "dt": dt}) for scheme in job.schemes for dt in job.steps if scheme != "explicit"
    ]
    settings += [("sdirk2", dt, {"scheme": "sdirk2", "dt": dt}) for dt in job.fine]
    settings += [("explicit", 0.0, {"scheme": "explicit", "dt": 0.0})] * ("explicit" in job.schemes)
    settings += [("error control", one, {"dt": job.steps[0], "error_tolerance": one}) for one in job.tolerances]
    warm: set[str] = set()
    for variant, more in job.variants.items():
        for code, step, given in settings:
            run = simulated(job.case, **(job.given | more | given))[1]
            try:
                if code not in warm:
                    run()  # compiles
                    warm.add(code)
                spent = []
                while len(spent) < REPEATS and sum(spent) < LONG:
                    start = time.process_time()
                    data = run()
                    spent.append(time.process_time() - start)
            except (ValueError, ff.StepFailure) as failure:
                print(f"{job.name}, {code}, {step:g}: left out, {failure}", file=sys.stderr)
                continue
            error = job.error(job.values(data), code)
            yield Run(job=job.name, code=code, setting=variant, step=step, seconds=min(spent), error=error)


def peer_runs(job: Job, python: str) -> Iterator[Run]:
    """Yield the peers' runs of a job."""
    for found in peers.runs(job.name, job.given, python, {"repeats": REPEATS, "long": LONG}):
        code, setting, step, seconds, values = found
        yield Run(
            job=job.name,
            code=code,
            setting=setting,
            step=step,
            seconds=seconds,
            error=job.error(np.array(values), code),
        )


def verdict(runs: list[Run]) -> list[str]:
    """Return what the runs of a job say of the claim, a line for each level of error."""
    lines = []
    for level in LEVELS:
        mine, peer = (
            least([r for r in runs if r.error <= level and (r.code in OWN) == ours]) for ours in (True, False)
        )
        best = min((r for r in runs if r.code not in OWN), key=lambda r: r.error, default=None)
        needed = 10.0 if level <= 1e-6 else 1.0
        if best is None:
            says = "not tested, no peer was measured"
        elif mine is None:
            says = "does not hold, the error is not reached"
        elif peer is None:
            # What reaches a larger error in so long would need longer for this one.
            shown = "holds" if best.seconds >= needed * mine.seconds else "not shown"
            says = f"{shown}, no peer gets there; nearest {best.error:.1e} in {told(best)}"
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
    if run is None:
        return "–"
    setting = f", {run.setting}" if run.setting else ""
    return f"{run.seconds:.3g} s ({run.code}{setting}, {run.step:g})"


def draw(job: Job, runs: list[Run], file: Path) -> None:
    """Draw the relative error over CPU time."""
    figure = column_figure(85)
    axes = figure.subplots()
    for code, (colour, marker) in LOOK.items():
        found = sorted((r.seconds, r.error) for r in runs if r.code == code)
        front = [run for k, run in enumerate(found) if all(run[1] < other[1] for other in found[:k])]
        if found:
            style = {"color": colour, "marker": marker, "markersize": 4}
            axes.loglog(*zip(*found, strict=True), linestyle="none", **(style | {"markersize": 2.5, "alpha": 0.4}))
            dashes = "--" if code in ("error control", *peers.SCRIPTS) else "-"
            axes.loglog(*zip(*front, strict=True), linestyle=dashes, linewidth=1.1, label=code, **style)
    axes.set(xlabel="CPU time of a run [s]", ylabel="relative error [–]")
    axes.set_title(job.title, fontsize=8)
    low, high = np.log10(axes.get_xlim())
    axes.set_xlim(10.0 ** np.floor(low), 10.0 ** np.ceil(high))
    axes.set_ylim(top=min(axes.get_ylim()[1], 2.0))  # a body that ran away has no error to be read
    axes.xaxis.set_minor_formatter(NullFormatter())
    figure.legend(loc="outside lower center", ncols=3, fontsize=7)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=200)


def page(runs: list[Run], where: str) -> str:
    """Return the page of the docs; ``where`` says on what it was measured."""
    what = (__doc__ or "").split("\n\n")
    parts = [
        f"# Work and precision\n\n{what[0]}\n\n{what[1]}\n\nThe claim to test: *{CLAIM[0].lower() + CLAIM[1:]}.* "
        "Each table has the least CPU time of a run whose error is at most the given one, with its scheme, setting and step "
        "or tolerance. In the pictures a line joins the runs of a code that no other of its runs beats in both; the rest are "
        "faint.\n\nA run of this code includes what it stores (energies, forces, verdict), one of a peer the positions. Bodies of "
        "the peers stand on feet in the plane of their centre of mass and have settled before. **MuJoCo** runs with its default "
        "contact, harder ones, impratio up to 1e4 and 20 rounds of noslip. Its friction is soft, and slip lifts a contact in "
        "proportion to its speed: the feet of a disc that spins do not press evenly, which no setting tried mends, so that B "
        "stays far from 1 %. **Drake** runs with its four discrete contact approximations (tamsi, sap, similar, lagged) and "
        "stiction tolerances down to 1e-7 m/s; sap and similar lift a sliding contact as well. It has no plate that deforms in "
        "its plane. The peers' disc has 108 feet of equal areas, whose quadrature has an error of its own, as this code's has at "
        "each number of points.\n\nLeft out are radau, which takes no set-valued friction, and linearly-implicit-trapezoidal, "
        "whose steps are not compiled: on A it has moreau-theta's errors at 30 to 90 times its cost."
    ]
    for job in JOBS:
        mine = [r for r in runs if r.job == job.name]
        if mine:
            rows = "\n".join(verdict(mine))
            parts.append(
                f"## {job.name}: {job.title}\n\n![Error over CPU time](pictures/work_precision_{job.name}.png)\n\n"
                f"| relative error at most | this code | fastest peer | the claim |\n|---|---|---|---|\n{rows}"
            )
    (_, few, many), (_, less, more) = FINE["C"], FINE["plate"]
    parts.append(
        "The errors of A are of positions at stored instants; of B of distance and angle at the stop, against the disc of "
        "uniform pressure. Those of the plates are of nodal positions at the end over the largest displacement, against **this "
        "code's own limit of small steps on the same mesh** of P1 triangles: sdirk2 in "
        f"{few} and {many} steps (C), {less} and {more} (plate), extrapolated at its order 2, which its errors keep: with steps "
        f"twice as long it moves by {sharp('C'):.0e} (C) and {sharp('plate'):.0e} (plate). That is no "
        "independent reference, and says nothing of the mesh. MuJoCo's flex has the same triangles, energy (St. "
        "Venant–Kirchhoff), loads and bounds, but lumped masses, as explicit has: both are measured against the limit of "
        f"explicit ({LUMPED} steps). The two limits are {apart('C'):.1e} (C) and {apart('plate'):.1e} (plate) apart."
        f"\n\nMeasured {where}; `make work-precision` measures it again, with `PEERS=PYTHON` of an environment that has mujoco "
        "and drake."
    )
    return "\n\n".join(parts) + "\n"


def apart(name: str) -> float:
    """Return how far the limits with consistent and lumped masses are apart, relative to the largest displacement."""
    (one, size), (other, _) = limit(name, False), limit(name, True)
    return float(np.abs(one - other).max() / size)


def machine(python: str) -> str:
    """Return processor, load and versions in words."""
    load_now = os.getloadavg()[0]
    return (
        f"with Python {platform.python_version()}, {peers.versions(python)} on {platform.machine()}, {os.cpu_count()} processors, "
        f"load average {load_now:.1f} at the end"
    )


def main() -> None:
    """Measure, print, and write what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--peers", default=sys.executable)
    parser.add_argument("--jobs", default="A,B,C,plate", help="jobs to measure; the others are those of --json")
    given = parser.parse_args()
    chosen, runs = given.jobs.split(","), []
    if given.json and given.json.exists():
        runs = [run for run in (Run(**one) for one in json.loads(given.json.read_text())) if run.job not in chosen]
    for job in (job for job in JOBS if job.name in chosen):
        found = []
        for run in chain(peer_runs(job, given.peers), own_runs(job)):
            found.append(run)
            print(
                f"{run.job:6}{run.code:15}{run.setting:65}{run.step:10.3g}{run.seconds:11.3g} s{run.error:11.2e}",
                flush=True,
            )
        runs += found
        if given.json:
            given.json.write_text(json.dumps([asdict(run) for run in runs], indent=1) + "\n", encoding="utf-8")
    if given.page:
        for job in JOBS:
            draw(
                job,
                [run for run in runs if run.job == job.name],
                given.page.parent / "pictures" / f"work_precision_{job.name}.png",
            )
        given.page.write_text(page(runs, machine(given.peers)), encoding="utf-8")


if __name__ == "__main__":
    main()
