"""Cost of the steps of an elastic cube or plate on rough ground that is pulled until it slides: Newton steps, factorisations, time.

The block of ``solid_pulled`` with a square base and a hexahedral mesh of cubes, from rest under its weight, pulled by up to twice
what friction holds. A row for each step: which part of the base's nodes sticks, Newton steps, factorisations and solves of the
sparse factor, CPU time of the step, of which factor, solves and element kernels, and the step over eight factorisations (their
mean in the run). CPU time, one thread.

    OMP_NUM_THREADS=1 python benchmarks/solid_step.py [--cells 14] [--steps 20]  # a cube of 1e4 unknowns
    OMP_NUM_THREADS=1 python benchmarks/solid_step.py --cells 57 --layers 2 --edge 0.8 --steps 12  # a plate of 3e4
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import fem
from cases import solid_pulled
from floating_frame import assemble
from floating_frame.system.elastic.factors import ElasticFactor

DT, ALLOWED = 2e-3, 8
KERNELS = ("tangent", "internal_force", "strain_energy")
HEAD = (
    "time s",
    "stick %",
    "Newton",
    "factoris.",
    "solves",
    "step ms",
    "factor ms",
    "solve ms",
    "kernel ms",
    "step/8 fac.",
)


class Clock:
    """CPU time, s, and calls of wrapped methods by name, since they were cleared."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()

    def wrap(self, owner: Any, method: str, name: str) -> None:
        """Replace ``owner.method`` by a timed twin."""
        original: Callable[..., Any] = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            try:
                return original(*args, **kwargs)
            finally:
                self.spent[name] += time.process_time() - start
                self.calls[name] += 1

        setattr(owner, method, timed)

    def clear(self) -> None:
        """Begin a step."""
        self.spent.clear()
        self.calls.clear()


def block(cells: int, layers: int, edge: float, steps: int) -> solid_pulled.Parameters:
    """Parameters of a block with a base of ``edge`` m squared that is pulled linearly to 2 μ m g."""
    height = edge * layers / cells
    weight = 1200.0 * edge**2 * height * 9.81
    sizes = {"length": edge, "width": edge, "height": height, "density": 1200.0, "mu": 0.3, "viscosity": 0.0}
    course = {"t_end": steps * DT, "dt": DT, "ramp": steps * DT, "release": 2 * steps * DT, "pull_x": 0.6 * weight}
    return solid_pulled.Parameters.model_validate(sizes | course | {"nx": cells, "ny": cells, "nz": layers})


def measure(params: solid_pulled.Parameters, steps: int, clock: Clock) -> list[list[float]]:
    """Rows of a run."""
    rows: list[list[float]] = []
    model = assemble(solid_pulled.problem(params), solid_pulled.options(params))
    state = model.integrator.initial(model)
    for _ in range(steps):
        clock.clear()
        start = time.process_time()
        state, counts = model.integrator.step(model, state, DT, None)
        spent = 1e3 * (time.process_time() - start)
        parts = [1e3 * clock.spent[name] for name in ("factor", "solve", "kernel")]
        sticks = 100.0 * float((state.friction.status == 1).mean())
        row = [state.time, sticks, counts.newton, counts.factorisations, clock.calls["solve"], spent, *parts]
        rows.append([float(value) for value in row])
    return rows


def main() -> None:
    """Print the table and its means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=14, help="along each edge of the base")
    parser.add_argument(
        "--layers", type=int, help="of cells; default those of a cube; unknowns 3 (cells + 1)^2 (layers + 1)"
    )
    parser.add_argument("--edge", type=float, default=0.2, help="of the base, m")
    parser.add_argument("--steps", type=int, default=20)
    given = parser.parse_args()
    clock = Clock()
    for method, name in (("refactor", "factor"), ("solve", "solve")):
        clock.wrap(ElasticFactor, method, name)
    for method in KERNELS:
        clock.wrap(fem.Solid, method, "kernel")
    layers = given.layers or given.cells
    measure(block(2, 2, 0.2, 2), 2, clock)  # compiles the kernels
    rows = measure(block(given.cells, layers, given.edge, given.steps), given.steps, clock)
    one = sum(row[6] for row in rows) / max(sum(row[3] for row in rows), 1.0)
    nodes = (given.cells + 1) ** 2
    print(f"{3 * nodes * (layers + 1)} unknowns, {nodes} contact nodes; a factorisation {one:.0f} ms")
    print("".join(f"{name:>12}" for name in HEAD))
    for row in rows:
        print("".join(f"{value:12.4g}" for value in (*row, row[5] / (ALLOWED * one))), flush=True)
    most = max(row[3] for row in rows), max(row[5] for row in rows) / (ALLOWED * one)
    mean = [statistics.mean(row[k] for row in rows) for k in (2, 3, 4)]
    print(f"a step: {mean[0]:.1f} Newton steps, {mean[1]:.1f} factorisations, {mean[2]:.0f} solves in the mean; "
          f"at most {most[0]:.0f} factorisations and {most[1]:.2f} x the cost of {ALLOWED}")  # fmt: skip


if __name__ == "__main__":
    main()
