"""Plates of up to 1e6 unknowns: cost of a step at the onset of slip, and cost of the system of a step with three solvers.

A system is M/τ + τ K of a bilinear plate, τ = 0.29 dt as in a stage of SDIRK2, at two steps: one in which an elastic wave
crosses few elements, and one fifty times as long. It is solved to 1e-10 by PARDISO, by conjugate gradients with the inverse
2 × 2 blocks of the nodes, and by conjugate gradients with smoothed aggregation on the rigid motions (PyAMG, where
its wheel is installed). The last column is the time of one matrix with three solutions, the number per factorisation where
much of a plate slips. Ordering and symbolic factorisation, done once per mesh, are excluded. Conjugate gradients with the nodes'
blocks are not run for the long step of the large plate. CPU time, one thread; memory is the peak of a separate process,
with the plate.

    OMP_NUM_THREADS=1 python benchmarks/large_systems.py [--unknowns N ...] [--page FILE]
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import fem
import floating_frame as ff
from cases import plate_sliding

UNKNOWNS = (10_000, 100_000, 400_000, 1_000_000)
STEPS = {"short": 1e-3, "long": 5e-2}
STAGE, TOLERANCE, ONSET_STEPS = 0.29, 1e-10, 3
SOLUTIONS = 3
MANY = 100_000
"""Unknowns above which long steps are not solved with the nodes' blocks, whose iterations grow as the number of elements across."""
Measured: TypeAlias = "dict[str, float]"
Matrix: TypeAlias = "scipy.sparse.csr_matrix"
Result = TypeVar("Result")


def cells_across(unknowns: int) -> int:
    """Number nx of cells along a plate of nx × nx/2 cells with about so many unknowns."""
    return 2 * round(math.sqrt(unknowns) / 2)


def spent(work: Callable[[], Result]) -> tuple[float, Result]:
    """CPU time, s, and result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def system(unknowns: int, step: str) -> tuple[fem.Plate, Matrix]:
    """Plate of ``plate_sliding`` and the matrix of a stage."""
    nx = cells_across(unknowns)
    body, tau = plate_sliding.plate(plate_sliding.Parameters(nx=nx, ny=nx // 2)), STAGE * STEPS[step]
    data = body.tangent(np.zeros_like(body.X), share=tau, inertia=1.0 / tau)
    return body, scipy.sparse.csr_matrix((data, body.indices, body.indptr))


def direct(body: fem.Plate, matrix: Matrix, rhs: np.ndarray) -> Measured:
    """Factorise and solve; a second factorisation is measured, as the first pays for the memory."""
    factor = fem.factor(matrix.indptr, matrix.indices)
    factor.refactor(matrix.data)
    setup, _ = spent(lambda: factor.refactor(matrix.data))
    solution, x = spent(lambda: factor.solve(rhs))
    return {"setup": setup, "solution": solution, "iterations": 0, "residual": residual(matrix, rhs, x)}


def by_blocks(body: fem.Plate, matrix: Matrix, rhs: np.ndarray) -> Measured:
    """Conjugate gradients with the inverse blocks of the nodes."""

    def inverse() -> scipy.sparse.bsr_array:
        own = np.stack([[matrix.diagonal()[a::2] * (a == b) for b in range(2)] for a in range(2)])
        own[0, 1] = own[1, 0] = matrix.diagonal(1)[0::2]
        nodes = np.arange(len(body.X))
        return scipy.sparse.bsr_array((np.linalg.inv(own.transpose(2, 0, 1)), nodes, np.arange(len(nodes) + 1)))

    setup, found = spent(inverse)
    return {"setup": setup} | conjugate_gradients(matrix, rhs, found)


def by_aggregation(body: fem.Plate, matrix: Matrix, rhs: np.ndarray) -> Measured:
    """Conjugate gradients with smoothed aggregation. Raises ImportError without PyAMG."""
    import pyamg  # type: ignore[import-not-found]  # measured where its wheel is there

    modes = np.zeros((body.X.size, 3))
    modes[0::2, 0] = modes[1::2, 1] = 1.0
    modes[0::2, 2], modes[1::2, 2] = -body.X[:, 1], body.X[:, 0]
    blocks = matrix.tobsr((2, 2))
    setup, levels = spent(lambda: pyamg.smoothed_aggregation_solver(blocks, B=modes))
    return {"setup": setup} | conjugate_gradients(matrix, rhs, levels.aspreconditioner())


def conjugate_gradients(matrix: Matrix, rhs: np.ndarray, inverse: object) -> Measured:
    """Solve to the tolerance."""
    counts: list[int] = []
    solution, (x, _) = spent(
        lambda: scipy.sparse.linalg.cg(matrix, rhs, rtol=TOLERANCE, M=inverse, callback=lambda _: counts.append(1))
    )
    return {"solution": solution, "iterations": len(counts), "residual": residual(matrix, rhs, x)}


def residual(matrix: Matrix, rhs: np.ndarray, x: np.ndarray) -> float:
    """Relative residual."""
    return float(np.linalg.norm(matrix @ x - rhs) / np.linalg.norm(rhs))


SOLVERS = {"PARDISO": direct, "CG, blocks": by_blocks, "CG, aggregation": by_aggregation}


def onset(unknowns: int) -> Measured:
    """Take the first steps of the plate that is pulled at its edge; small ones compile first."""

    def model(nx: int) -> ff.Model:
        params = plate_sliding.Parameters(nx=nx, ny=nx // 2, dt=STEPS["short"], t_end=ONSET_STEPS * STEPS["short"])
        return ff.assemble(plate_sliding.problem(params), plate_sliding.options(params))

    ff.simulate(model(60))
    large = model(cells_across(unknowns))
    taken, data = spent(lambda: ff.simulate(large))
    counts = {name: float(data[name].sum()) / ONSET_STEPS for name in ("newton_iterations", "factorisations", "passes")}
    return {"unknowns": 2 * data.sizes["node"], "step": taken / ONSET_STEPS} | counts


def child(job: str, unknowns: int, step: str) -> None:
    """Measure one thing and print it with the peak of memory, GiB."""
    if job == "onset":
        row = onset(unknowns)
    else:
        body, matrix = system(unknowns, step)
        rhs = np.random.default_rng(1).standard_normal(body.X.size)
        try:
            row = {"unknowns": body.X.size} | SOLVERS[job](body, matrix, rhs)
        except ImportError:
            print("null")
            return
    print(json.dumps(row | {"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}))


def measured(job: str, unknowns: int, step: str = "") -> Measured | None:
    """Measurements of a process of its own; None where its solver is not installed."""
    here = [sys.executable, __file__, "--job", job, "--step", step, "--unknowns", str(unknowns)]
    found: Measured | None = json.loads(subprocess.run(here, check=True, capture_output=True, text=True).stdout)
    return found


def rows_of(steps: list[Measured], systems: list[tuple[str, str, Measured]]) -> tuple[list[str], list[str]]:
    """Rows of both tables."""
    first = [
        f"| {r['unknowns']:.0f} | {r['step']:.3g} | {r['factorisations']:.1f} | {r['newton_iterations']:.1f} | {r['memory']:.2f} |"
        for r in steps
    ]
    second = [
        f"| {step} | {r['unknowns']:.0f} | {job} | {r['setup']:.3g} | {r['solution']:.3g} | {r['iterations']:.0f} "
        f"| {r['memory']:.2f} | {r['setup'] + SOLUTIONS * r['solution']:.3g} |"
        for step, job, r in systems
    ]
    return first, second


def cheapest(systems: list[tuple[str, str, Measured]]) -> str:
    """Text: the cheapest solver for the solutions of one factorisation."""
    best: dict[tuple[str, float], tuple[float, str]] = {}
    for step, job, r in systems:
        place = step, r["unknowns"]
        best[place] = min(best.get(place, (np.inf, "")), (r["setup"] + SOLUTIONS * r["solution"], job))
    return "Cheapest: " + "; ".join(f"{step}, {n:.0f}: {job}" for (step, n), (_, job) in best.items()) + "."


def page(many: list[int], steps: list[Measured], systems: list[tuple[str, str, Measured]]) -> str:
    """Page of the docs."""
    title, about, *_ = (__doc__ or "").split("\n\n")
    first, second = rows_of(steps, systems)
    lines = [
        *("# Large plates\n", title, "", about, "", "## Steps in which slip begins\n"),
        *(
            "| unknowns | a step, s | factorisations | Newton steps | memory, GiB |",
            "|---|---|---|---|---|",
            *first,
            "",
        ),
        *(
            "## One system\n",
            f"| step | unknowns | solver | set up, s | a solution, s | iterations | memory, GiB | 1 + {SOLUTIONS}, s |",
        ),
        *("|---|---|---|---|---|---|---|---|", *second, "", cheapest(systems), ""),
        "The systems belong to a plate that slides as a whole. At the onset of slip sticking nodes cost nothing: only",
        "sliding nodes are factorised, and where they are few, sweeps solve the system without a factorisation.\n",
        f"Measured with Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores, by "
        f"`benchmarks/large_systems.py --unknowns {' '.join(map(str, many))} --page docs/large.md`.",
    ]
    return "\n".join(lines) + "\n"


def measure(many: list[int]) -> tuple[list[Measured], list[tuple[str, str, Measured]]]:
    """Measure and print both tables."""
    steps: list[Measured] = []
    systems: list[tuple[str, str, Measured]] = []
    for unknowns in many:
        found = measured("onset", unknowns)
        assert found is not None
        steps.append(found)
        print(rows_of(steps, [])[0][-1], flush=True)
    for step, unknowns, job in itertools.product(STEPS, many, SOLVERS):
        if (step, job) == ("long", "CG, blocks") and unknowns > MANY:
            continue
        found = measured(job, unknowns, step)
        if found is None:
            print(f"{job}: PyAMG is not installed", flush=True)
            continue
        systems.append((step, job, found))
        print(rows_of([], systems)[1][-1], f"residual {found['residual']:.1e}", flush=True)
    return steps, systems


def main() -> None:
    """Measure, print, and write the page where asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--unknowns", type=int, nargs="+", default=UNKNOWNS)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--job", default="", help=argparse.SUPPRESS)
    parser.add_argument("--step", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        child(given.job, given.unknowns[0], given.step)
        return
    found = measure(list(given.unknowns))
    if given.page:
        given.page.write_text(page(given.unknowns, *found), encoding="utf-8")


if __name__ == "__main__":
    main()
