"""One Newton solve of an elastic solid in contact: a factor of its matrix against GMRES with other factors or multigrid.

The matrix is that of a stage of SDIRK2 of the block of ``solid_pulled``, a cube or a plate of two layers of cubic cells of 1/70 m,
with the contact rows eliminated (``friction/nodal``): at the back a row of the base's nodes is open, ahead half of them slips,
the rest sticks. The load is a pull at the face ahead. Two steps: one in which an elastic wave crosses few cells, and one 25 times
as long. Solved as by the code, to a thousandth of the right-hand side,

- LU: by PARDISO's factor of this matrix;
- Cholesky: by GMRES with the factor of its symmetric part, which lacks the coupling of normal forces to friction;
- old near: by GMRES with the LU factor of a matrix in which a twentieth less of the base slips;
- old stick: by GMRES with the Cholesky factor of the matrix in which all closed nodes stick;
- blocks: by GMRES with the inverse 3 × 3 blocks of the nodes;
- aggregation: by GMRES with PyAMG's smoothed aggregation of the symmetric part, which knows the rigid motions, where installed.

A row for each: set-up, s (of an old factor spent before), solution, s, GMRES's iterations, the relative residual,
what this Newton step costs, s, and the peak of memory, GiB, of a process of its own. CPU time, one thread.

    OMP_NUM_THREADS=1 python benchmarks/solid_systems.py [--blocks 14,14 57,2 ...] [--solvers NAME ...]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import fem
from friction import FactorCache
from friction.nodal import kernels
from friction.nodal.problem import FORCING

BLOCKS = ("14,14", "20,20", "26,26", "57,2", "104,2")
STEPS = {"short": 2e-3, "long": 5e-2}
CELL, STAGE, MU, SLIPS, NEAR, MOST = 1.0 / 70.0, 0.29, 0.3, 0.5, 0.05, 300
Array = np.ndarray
Matrix = scipy.sparse.csr_array
Result = TypeVar("Result")


@dataclass(frozen=True)
class System:
    """Hold a ``body``, the matrix of a stage (nnz,), the ``base`` (m,), its nodes' own blocks and κ (N,)."""

    body: fem.Solid
    data: Array
    base: Array
    own: Array
    kappa: Array

    def eliminated(self, slips: float, *, coupled: bool) -> tuple[Matrix, Array, Array]:
        """Matrix, right-hand side and which unknowns (N, 3) are prescribed, where a part of the base slips."""
        body = self.body
        x, kappa = body.X[self.base, 0], self.kappa[self.base]
        rank = (x - x.min()) / np.ptp(x)
        g, u = np.zeros(body.X.shape), np.zeros(body.X.shape)
        ahead = np.maximum(rank - (1.0 - slips), 0.0)
        slide = np.array([0.96, 0.28])
        g[self.base, 2] = 1.0
        g[self.base, :2] = -MU * slide * np.where(ahead > 0.0, 1.0, 0.5)[:, None]
        u[self.base, :2] = (
            slide * (ahead * MU / kappa)[:, None]
        )  # friction over slip velocity falls from the edge of stick on
        opened = self.base[rank == 0.0]
        g[opened], u[opened, 2] = 0.0, 1.0 / kappa.mean()
        count, (dims, tangs) = len(body.X), ((0, 0, 0), (0, 0))
        mu, kind, none = np.zeros(count), np.full(count, kernels.UNGUIDED, np.int8), np.zeros(count, bool)
        mu[self.base], kind[self.base] = MU, kernels.UNILATERAL
        held, D, coupling, jump = (
            np.zeros(g.shape, bool),
            np.zeros((count, 2, 2)),
            np.zeros((count, 2)),
            np.zeros(g.shape),
        )
        laws = np.zeros(count), mu, kind, none, np.zeros(g.shape, bool)
        kernels.linearise(dims, tangs, u, g, *laws, self.kappa, 0.0, held, D, coupling, jump)
        load, rhs, data = np.zeros(g.shape), np.zeros(g.shape), np.empty_like(self.data)
        load[body.boundary("right"), 0] = 1.0
        jump = np.where(held, 0.0, load)
        kernels.eliminate(
            dims,
            tangs,
            body.indptr,
            body.indices,
            self.data,
            self.own,
            held,
            D,
            coupling,
            coupled,
            self.kappa,
            jump,
            data,
            rhs,
        )
        return scipy.sparse.csr_array((data, body.indices, body.indptr)), rhs.ravel(), held


def system(cells: int, layers: int, dt: float) -> System:
    """Block at rest."""
    mesh = fem.box(cells * CELL, cells * CELL, layers * CELL, cells, cells, layers)
    body = fem.Solid.build(mesh, density=1200.0, material=fem.MATERIALS["st-venant-kirchhoff"](5e5, 0.3))
    data = body.tangent(np.zeros_like(body.X), share=STAGE * dt, inertia=1.0 / (STAGE * dt))
    own = FactorCache(body.indptr, body.indices, d=3).own
    starts = body.indptr[:-1].reshape(-1, 3) + own[:, None] + np.arange(3)
    return System(body, data, body.boundary("bottom"), own, data[starts].mean(axis=1))


def factorised(matrix: Matrix, *, symmetric: bool) -> tuple[float, fem.Factor]:
    """CPU time, s, and factor; it is factorised twice, as the first pays for the memory."""
    factor = fem.factor(matrix.indptr, matrix.indices, symmetric=symmetric)
    factor.refactor(matrix.data)
    return spent(lambda: factor.refactor(matrix.data))[0], factor


def near(given: System, _: Matrix) -> tuple[float, Callable[[Array], Array]]:
    """Cost and solution by the factor of another part of slip."""
    cost, factor = factorised(given.eliminated(SLIPS - NEAR, coupled=True)[0], symmetric=False)
    return cost, factor.solve


def stuck(given: System, _: Matrix) -> tuple[float, Callable[[Array], Array]]:
    """Cost and solution by the factor without slip."""
    cost, factor = factorised(given.eliminated(0.0, coupled=False)[0], symmetric=True)
    return cost, factor.solve


def cholesky(given: System, _: Matrix) -> tuple[float, Callable[[Array], Array]]:
    """Cost and solution by the factor of the symmetric part."""
    cost, factor = factorised(given.eliminated(SLIPS, coupled=False)[0], symmetric=True)
    return cost, factor.solve


def blocks(_: System, matrix: Matrix) -> tuple[float, Callable[[Array], Array]]:
    """Cost and the product with the nodes' inverse blocks."""

    def inverse() -> Array:
        own = np.zeros((matrix.shape[0] // 3, 3, 3))
        for k in range(-2, 3):
            entries = matrix.diagonal(k)
            for a in range(max(0, -k), min(3, 3 - k)):
                own[:, a, a + k] = entries[min(a, a + k) :: 3]
        return np.linalg.inv(own)

    cost, found = spent(inverse)
    return cost, lambda x: np.einsum("nab,nb->na", found, x.reshape(-1, 3)).ravel()


def aggregation(given: System, _: Matrix) -> tuple[float, Callable[[Array], Array]]:
    """Cost and a cycle of smoothed aggregation. Raises ImportError without PyAMG."""
    import pyamg  # type: ignore[import-not-found]  # measured where its wheel is there

    matrix, _, fixed = given.eliminated(SLIPS, coupled=False)
    X = given.body.X
    modes = np.zeros((*X.shape, 6))
    modes[..., :3], modes[..., 3:] = np.eye(3), np.cross(np.eye(3)[None], X[:, None]).transpose(0, 2, 1)
    modes = np.where(fixed[..., None], 0.0, modes).reshape(-1, 6)
    as_blocks = scipy.sparse.bsr_matrix(scipy.sparse.csr_matrix(matrix), blocksize=(3, 3))
    cost, levels = spent(lambda: pyamg.smoothed_aggregation_solver(as_blocks, B=modes))
    inverse = levels.aspreconditioner()
    return cost, inverse.matvec


PRECONDITIONERS = {
    "Cholesky": cholesky,
    "old near": near,
    "old stick": stuck,
    "blocks": blocks,
    "aggregation": aggregation,
}
SOLVERS = ("LU", *PRECONDITIONERS)


def measure(solver: str, given: System) -> dict[str, float]:
    """Solve once."""
    matrix, rhs, _ = given.eliminated(SLIPS, coupled=True)
    if solver == "LU":
        setup, factor = factorised(matrix, symmetric=False)
        solution, x = spent(lambda: factor.solve(rhs))
        count = 0
    else:
        setup, inverse = PRECONDITIONERS[solver](given, matrix)
        steps: list[float] = []
        operator = scipy.sparse.linalg.LinearOperator(matrix.shape, matvec=inverse, dtype=np.float64)
        solution, (x, _) = spent(
            lambda: scipy.sparse.linalg.gmres(
                matrix, rhs, M=operator, rtol=FORCING, atol=0.0, restart=MOST // 3, maxiter=3, callback=steps.append,
                callback_type="pr_norm",
            )
        )  # fmt: skip
        count = len(steps)
    left = float(np.linalg.norm(matrix @ x - rhs) / np.linalg.norm(rhs))
    costs = solution + (0.0 if solver.startswith("old") else setup)
    return {"setup": setup, "solution": solution, "iterations": count, "residual": left, "costs": costs}


def spent(work: Callable[[], Result]) -> tuple[float, Result]:
    """CPU time, s, and result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def child(solver: str, block: str) -> None:
    """Measure one solver on one block, both steps, and print that with the peak of memory, GiB."""
    cells, layers = map(int, block.split(","))
    measure(solver, system(2, 2, STEPS["short"]))  # compiles the kernels
    rows = {name: measure(solver, system(cells, layers, dt)) for name, dt in STEPS.items()}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({name: row | {"memory": memory} for name, row in rows.items()}))


def main() -> None:
    """Print the table, ready for the docs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", nargs="+", default=BLOCKS, help="cells along the base, layers")
    parser.add_argument("--solvers", nargs="+", default=SOLVERS, choices=SOLVERS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.solvers[0], given.blocks[0])
        return
    print(
        "| block | unknowns | step | solver | set up, s | solve, s | iterations | residual | costs, s | memory, GiB |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for block in given.blocks:
        cells, layers = map(int, block.split(","))
        for solver in given.solvers:
            here = [sys.executable, __file__, "--child", "--solvers", solver, "--blocks", block]
            done = subprocess.run(here, check=False, capture_output=True, text=True)
            if done.returncode:
                print(f"{solver}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
                continue
            for step, r in json.loads(done.stdout).items():
                print(
                    f"| {cells}²·{layers} | {3 * (cells + 1) ** 2 * (layers + 1)} | {step} | {solver} | {r['setup']:.3g} "
                    f"| {r['solution']:.3g} | {r['iterations']:.0f} | {r['residual']:.0e} | {r['costs']:.3g} | {r['memory']:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
