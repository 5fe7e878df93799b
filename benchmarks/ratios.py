"""The cost of typical runs over a floor measured in the same run: CPU time, one thread, minimum of repeats.

A floor is the time of the indispensable part of the work on the same machine: fresh factorisations and solutions in the number of
the run, one pass over the bytes of an explicit step, the start of Python. For rigid bodies it is the cost of single steps, each
stored. Absolute times depend on the machine; the ratios compare states of the code and, roughly, machines. The first run after
installation also compiles the loops. "In units" is the same cost in units that carry over to other machines, measured
immediately afterwards: sparse factorisations, passes over memory, steps of MuJoCo.

    OMP_NUM_THREADS=1 python benchmarks/ratios.py [--json FILE] [--page FILE] [--only GROUP] [--peers PYTHON] [--beside CHECKOUT]

prints the table, and writes it to a JSON file and to a page of the docs where asked to; ``--only``: rigid, acting, beside, space,
plate, growth, elastic, control, kernel, beam, start or sweep; ``--peers``: an interpreter that has mujoco; ``--beside``: another
checkout of the code, over whose steps those of this one are set, rigid and elastic. A sweep is measured by the clock, for its
processes share two cores: let these be quiet.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import xarray as xr
from acting_runs import acting_rows
from runs_in_turn import ELASTIC, RIGID, Cost, in_turn
from units import (
    REPEATS,
    SECONDS,
    Row,
    Unit,
    factor_costs,
    factorisation,
    least,
    machine,
    memory_pass,
    mujoco_step,
    plate,
)
from units import load as waiting

import fem
import floating_frame as ff
from cases.app.registry import load


def spent_by_child(arguments: list[str], **environment: str) -> float:
    """CPU time of a process, s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, check=True, capture_output=True, env=os.environ | environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_of(case: str, *, once: bool = False, **given: object) -> tuple[float, dict[str, float]]:
    """Least CPU time of a case's run in memory, s, and its counts; a long run is taken ``once``, with warm kernels."""
    module = load(case)
    params = module.Parameters(**given)
    model = ff.assemble(module.problem(params), module.options(params))
    start = time.process_time()
    data = ff.simulate(model)
    spent = time.process_time() - start if once else least(lambda: ff.simulate(model))
    counts = {name: float(data[name].sum()) for name in ("newton_iterations", "factorisations", "passes")}
    return spent, counts | {"steps": float(data.steps.sum()), "nodes": data.sizes["node"]}


def single_steps(model: ff.Model) -> ff.Model:
    """Model of a rigid body with single steps."""
    twin = replace(model)
    vars(twin)["integrator"] = model.integrator._replace(compiled=None)
    return twin


def rigid_rows() -> Iterator[Row]:
    """Yield the block and the disc, every step stored: microseconds a step, over the single step."""
    for name, case, few, given in (
        ("A. block, 4 points, dt 1e-3", "block_on_table", {"t_end": 0.3}, {"t_end": 10.0, "nx": 1, "ny": 1}),
        ("A. block, 48 points, dt 1e-3", "block_on_table", {"t_end": 0.3}, {"t_end": 10.0, "nx": 4, "ny": 3}),
        ("B. disc, 1152 points", "spinning_disc", {"t_end": 0.1}, {"nr": 24, "nt": 24}),
        ("B. disc, 108 points", "spinning_disc", {"t_end": 0.1}, {"nr": 6, "nt": 9}),
    ):
        module, costs = load(case), []
        for more, compiled in ((given, True), (given | few, False)):
            params = module.Parameters(body="rigid", **more)
            model = ff.assemble(module.problem(params), module.options(params))
            model = model if compiled else single_steps(model)
            costs.append(1e6 * least(partial(ff.simulate, model)) / float(ff.simulate(model).steps.sum()))
        yield Row(name=f"{name}: a step", cost=costs[0], unit="µs", floor=costs[1], floor_is="the single step")


def space_rows() -> Iterator[Row]:
    """Yield bodies in space whose normal forces are unknown."""
    module, costs = load("curling_disc"), []
    for kind in ("space", "plane"):
        params = module.Parameters(model=kind, nr=50, nt=100, t_end=0.1)
        model = ff.assemble(module.problem(params), module.options(params))
        costs.append(1e3 * least(partial(ff.simulate, model)) / float(ff.simulate(model).steps.sum()))
    yield Row(
        name="flat base, 1e4 points: a step", cost=costs[0], unit="ms", floor=costs[1],
        floor_is="the body in the plane whose pressure reacts",
    )  # fmt: skip
    for case, given in (("block_in_space", {"t_end": 1.0}), ("potra_block", {})):
        module = load(case)
        params = module.Parameters(**given)
        model = ff.assemble(module.problem(params), module.options(params))
        few = ff.assemble(module.problem(params.model_copy(update={"t_end": 0.05})), module.options(params))
        fast, slow = (
            1e6 * least(partial(ff.simulate, m)) / float(ff.simulate(m).steps.sum()) for m in (model, single_steps(few))
        )
        yield Row(name=f"{case}, 4 feet: a step", cost=fast, unit="µs", floor=slow, floor_is="the single step")


STICK_SLIP = {"dt": 1e-3}
"""The plate whose slip begins at the pulled edge and runs through it."""


def plate_rows() -> Iterator[Row]:
    """Yield plates that slide, stick and slip, over fresh factorisations and solutions with the same counts."""
    yield _plate_row("default plate_sliding", "plate_sliding", 32, 16)
    yield _plate_row("plate of 41 × 5 nodes, load cycle", "rod_cycle", 40, 4, dt=0.01)
    yield _plate_row("stick-slip plate, 1e4 unknowns", "plate_sliding", 100, 50, t_end=0.06, **STICK_SLIP)
    yield _plate_row("onset of slip, 1e5 unknowns", "plate_sliding", 316, 158, once=True, t_end=0.02, **STICK_SLIP)


def _plate_row(name: str, case: str, nx: int, ny: int, **given: object) -> Row:
    spent, counts = run_of(case, nx=nx, ny=ny, **given)
    refactor, solution = factor_costs(nx, ny)
    steps, factorisations, solutions = counts["steps"], counts["factorisations"], counts["newton_iterations"]
    return Row(
        name=f"{name}: a step", cost=1e3 * spent / steps, unit="ms",
        floor=1e3 * (factorisations * refactor + solutions * solution) / steps,
        floor_is=f"{factorisations / steps:.1f} factorisations, {solutions / steps:.1f} solutions",
    )  # fmt: skip


def elastic_rows(beside: Path | None = None) -> Iterator[Row]:
    """Yield steps of elastic bodies, with every step stored: over those of the checkout ``beside``, measured in turn, and over one
    another."""
    costs = _side_by_side(ELASTIC, beside)
    yield from _beside_rows(costs, beside, "ms")

    def over(name: str, other: str) -> Row:
        cost, floor = (1e3 * costs[each][0].seconds for each in (name, other))
        return Row(name=f"{name}: a step", cost=cost, unit="ms", floor=floor, floor_is=other)

    for law in ("smooth", "sliding", "static-kinetic", "elliptic"):
        yield over(f"plate, {law}", "plate_sliding")
    yield over("plate_clamped", "plate, free, of the clamped one's mesh")
    slab = "plate of solids, 3e4 unknowns"
    yield Row(
        name=f"{slab}: a step", cost=1e3 * costs[slab][0].seconds, unit="ms", floor=8e3 * solid_factorisation(*ELASTIC[slab]),
        floor_is="eight factorisations",
    )  # fmt: skip
    few, many = (costs[f"onset of slip, {count} unknowns"][0].seconds for count in ("1e5", "1e6"))
    yield Row(
        name="onset of slip, 1e5 to 1e6 unknowns", cost=float(np.log(many / few) / np.log(501501 / 50403)), unit="",
        floor=1.0, floor_is="the exponent of linear growth",
    )  # fmt: skip


def beside_rows(beside: Path | None) -> Iterator[Row]:
    """Yield steps of rigid bodies, over those of the checkout ``beside``; nothing without one."""
    if beside is not None:
        yield from _beside_rows(_side_by_side(RIGID, beside), beside, "µs")


def _side_by_side(names: Iterable[str], beside: Path | None) -> dict[str, list[Cost]]:
    here = Path(__file__).resolve().parent.parent
    return {name: in_turn(name, [here] if beside is None else [here, beside]) for name in names}


def _beside_rows(costs: Mapping[str, list[Cost]], beside: Path | None, unit: str) -> Iterator[Row]:
    for name, found in costs.items() if beside is not None else ():
        ours, theirs = (cost.seconds / SECONDS[unit] for cost in found)
        yield Row(name=f"{name}: a step", cost=ours, unit=unit, floor=theirs, floor_is=f"the step in {beside}")


def solid_factorisation(case: str, given: dict[str, object]) -> float:
    """CPU time of a fresh factorisation of a solid's matrix, s."""
    module = load(case)
    body, dt = module.problem(module.Parameters(**given)).body, float(str(given["dt"]))
    data = body.tangent(np.zeros_like(body.X), share=0.29 * dt, inertia=1.0 / (0.29 * dt))
    factor = fem.factor(body.indptr, body.indices)
    return least(lambda: factor.refactor(data))


def growth_rows() -> Iterator[Row]:
    """Yield how the first steps of the stick-slip plate grow with its unknowns, over linear growth."""
    costs = []
    for nx, ny in ((100, 50), (632, 316)):
        spent, counts = run_of("plate_sliding", once=nx > 100, nx=nx, ny=ny, t_end=5e-3, **STICK_SLIP)
        costs.append((np.log(counts["nodes"]), np.log(spent)))
    (few, short), (many, long) = costs
    yield Row(
        name="onset of slip, 1e4 to 4e5 unknowns", cost=float((long - short) / (many - few)), unit="",
        floor=1.0, floor_is="the exponent of linear growth",
    )  # fmt: skip


def control_rows() -> Iterator[Row]:
    """Yield runs under error control, ten instants stored, over the cheapest of equal steps whose error is not larger."""
    for case, tolerance, finest in (
        ("block_on_table", 1e-4, 20480),
        ("spinning_disc", 1e-4, 5120),
        ("belt_oscillator", 1e-3, 20480),
        ("plate_sliding", 1e-3, 2560),
    ):
        module = load(case)
        given = {"nx": 16, "ny": 8} if case == "plate_sliding" else {}
        end = module.Parameters(**given).t_end
        wanted = {"dt": end / 10.0, "output_every": 1, "error_tolerance": tolerance}
        controlled, spent = _timed(module, given | wanted)
        counts = [finest >> k for k in range(8)]
        equal = [_timed(module, given | {"dt": end / n, "output_every": n // 10}) for n in (4 * finest, *counts)]
        reference = equal[0][0].position.values
        size = float(np.abs(reference[0]).max())
        error, *others = (
            float(np.abs(run.position.values - reference).max()) / size
            for run in (controlled, *(run for run, _ in equal[1:]))
        )
        fits = [(cost, n) for n, found, (_, cost) in zip(counts, others, equal[1:], strict=True) if found <= error]
        least_cost, steps = min(fits, default=(np.nan, 0))
        yield Row(
            name=f"{case}, error_tolerance {tolerance:.0e}: the run", cost=spent, unit="s", floor=least_cost,
            floor_is=f"{steps} equal steps, error {error:.0e} or less",
        )  # fmt: skip


def _timed(module: ModuleType, given: Mapping[str, object]) -> tuple[xr.Dataset, float]:
    """Run of a case, and its least CPU time, s; a long run is taken once."""
    params = module.Parameters(**given)
    model = ff.assemble(module.problem(params), module.options(params))
    start = time.process_time()
    data = ff.simulate(model)
    spent = time.process_time() - start
    return data, spent if spent > 3.0 else least(partial(ff.simulate, model))


def kernel_rows() -> Iterator[Row]:
    """Yield assembly and explicit steps, over one pass over their bytes."""
    body = plate(200, 100)
    u, cells, room = np.zeros_like(body.X), 200 * 100, np.empty(len(body.indices))

    def assembled() -> None:
        body.tangent(u, share=0.1, inertia=10.0, out=room)

    copied = least(room.copy, calls=5)
    yield Row(
        name="matrix of a step: an element", cost=1e9 * least(assembled, calls=3) / cells, unit="ns",
        floor=1e9 * copied / cells, floor_is="a copy of it",
    )  # fmt: skip
    spent, counts = run_of("plate_sliding", nx=64, ny=32, scheme="explicit", dt=0.0, t_end=0.5, output_every=10_000)
    moved = least(np.ones(6 * int(counts["nodes"])).copy, calls=100)
    points = counts["nodes"] * counts["steps"]
    yield Row(
        name="explicit: a node and step", cost=1e9 * spent / points, unit="ns",
        floor=1e9 * moved / counts["nodes"], floor_is="a copy of x, v and f",
    )  # fmt: skip


def beam_rows() -> Iterator[Row]:
    """Yield the quasi-static beam at two meshes; the floor of the finer one is linear growth from the coarser."""
    costs = {ne: run_of("beam_on_rough_foundation", ne=ne, steps=40)[0] for ne in (1600, 6400)}
    yield Row(
        name="beam_on_rough_foundation, ne 6400",
        cost=costs[6400],
        unit="s",
        floor=4 * costs[1600],
        floor_is="4 × ne 1600",
    )


def start_rows() -> Iterator[Row]:
    """Yield start-up, the first run after installation, and the size of the default trajectory."""
    python = min(spent_by_child([sys.executable, "-c", "import numpy"]) for _ in range(REPEATS))
    help_ = [sys.executable, "-m", "cases", "run", "plate_sliding", "--help"]
    spent_by_child(help_)
    yield Row(
        name="run NAME --help", cost=min(spent_by_child(help_) for _ in range(REPEATS)), unit="s", floor=python,
        floor_is="import numpy",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        run = [sys.executable, "-m", "cases", "run", "plate_sliding", "--quiet", "--out", f"{place}/run"]
        first = spent_by_child(run, NUMBA_CACHE_DIR=f"{place}/kernels")
        yield Row(
            name="first run after installation",
            cost=first,
            unit="s",
            floor=spent_by_child(run),
            floor_is="the second run",
        )
        file = Path(place, "run", "trajectory.nc")
        with ff.load_trajectory(file) as data:
            raw = sum(variable.nbytes for variable in data.variables.values()) / 1e6
        yield Row(
            name="trajectory.nc of plate_sliding",
            cost=file.stat().st_size / 1e6,
            unit="MB",
            floor=raw,
            floor_is="its numbers",
        )


def sweep_rows() -> Iterator[Row]:
    """Yield a sweep of 16 points of about 0.2 s each in two processes, over half of its time in this process; wall clock."""
    case = ["plate_sliding", "--nx", "8", "--ny", "4", "--grid", "mu=0.1:0.4:16"]
    command, taken = [sys.executable, "-m", "cases", "sweep", *case, "--quiet"], {}
    for workers in ("0", "2"):
        times = []
        for _ in range(REPEATS):
            with tempfile.TemporaryDirectory() as place:
                start = time.perf_counter()
                subprocess.run([*command, "--workers", workers, "--out", place], check=True)
                times.append(time.perf_counter() - start)
        taken[workers] = min(times)
    yield Row(
        name="sweep of 16 short points, 2 processes", cost=taken["2"], unit="s", floor=taken["0"] / 2,
        floor_is="half of the time without processes",
    )  # fmt: skip


def table(rows: list[Row]) -> str:
    """Rows as a table of a page."""
    lines = ["| | cost | floor | meaning of the floor | ratio | in units |", "|---|---|---|---|---|---|"]
    for r in rows:
        carried = "" if r.in_units is None else f"{r.in_units:.3g} {r.units}"
        lines.append(
            f"| {r.name} | {r.cost:.3g} {r.unit} | {r.floor:.3g} {r.unit} | {r.floor_is} | {r.ratio:.3g} | {carried} |"
        )
    return "\n".join(lines)


def page(rows: list[Row], measured: list[Unit], where: str) -> str:
    """Page of the docs; ``where``: the machine."""
    what = (__doc__ or "").split("\n\n")
    units = "\n".join(f"- {unit.name}: {1e6 * unit.seconds:.3g} µs each" for unit in measured)
    return (
        f"# Costs\n\n{what[0]}\n\n{what[1]}\n\n{table(rows)}\n\n## The units here\n\n{units}\n\n{where}; "
        "`make bench` measures it again, with `PEERS=PYTHON` of an environment that has mujoco.\n"
    )


def main() -> None:
    """Measure, print, and write the requested files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", default=sys.executable)
    parser.add_argument("--beside", type=Path, help="another checkout whose steps are measured in turn")
    given = parser.parse_args()
    stepping = partial(mujoco_step, given.peers)
    groups: dict[str, tuple[Callable[[], Iterator[Row]], Callable[[], Unit | None]]] = {
        "rigid": (rigid_rows, stepping),
        "acting": (acting_rows, stepping),
        "beside": (partial(beside_rows, given.beside), stepping),
        "space": (space_rows, stepping),
        "plate": (plate_rows, factorisation),
        "growth": (growth_rows, factorisation),
        "elastic": (partial(elastic_rows, given.beside), factorisation),
        "control": (control_rows, factorisation),
        "kernel": (kernel_rows, memory_pass),
        "beam": (beam_rows, factorisation),
        "start": (start_rows, factorisation),
        "sweep": (sweep_rows, factorisation),
    }
    rows, units, before = list[Row](), dict[str, Unit](), waiting()
    for name, (group, measure) in groups.items():
        if given.only in name:
            found, unit = list(group()), measure()  # at one time, under one load
            units |= {} if unit is None else {unit.name: unit}
            for row in (each.beside(unit) for each in found):
                rows.append(row)
                carried = "" if row.in_units is None else f", {row.in_units:.3g} {row.units}"
                print(
                    f"{row.name:40} {row.cost:10.3g} {row.unit:3} {row.ratio:8.3g} × {row.floor_is}{carried}",
                    flush=True,
                )
    where = f"Measured on {machine()}, load {before:.1f} at the beginning and {waiting():.1f} at the end"
    print(where)
    if given.json:
        content = [asdict(row) | {"ratio": row.ratio} for row in rows]
        given.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    if given.page:
        given.page.write_text(page(rows, list(units.values()), where), encoding="utf-8")


if __name__ == "__main__":
    main()
