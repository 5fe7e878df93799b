"""Cost of one coupled step against the sum of its own factorisations, triangular solves and kernel assemblies.

A warm, sliding, turning plate, SDIRK2, P1 triangles. Every call of the sparse factor and of the element kernels inside
the steps is timed where it happens, so both sides of the ratio come from one run. Prints one line per mesh: unknowns,
median step time, its parts, the ratio step / (factor + solve + assembly), factorisations and passes a step, symbolic
analyses in the whole run, and the memory that assembling and stepping added.

    python benchmarks/coupled_step.py [unknowns ...]      (default 10000 30000 100000)
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

import fem
from floating_frame import EdgeLoad, InitialState, Options, Problem, Ramp, assemble
from friction import Coulomb, Foundation

STEPS = 9
COLUMNS = (
    ("unknowns", "{:9d}"),
    ("step ms", "{:10.1f}"),
    ("factor ms", "{:10.1f}"),
    ("solve ms", "{:10.1f}"),
    ("assem. ms", "{:10.1f}"),
    ("ratio", "{:10.2f}"),
    ("factoris.", "{:10.1f}"),
    ("Newton", "{:10.1f}"),
    ("passes", "{:10.1f}"),
    ("analyses", "{:10d}"),
    ("MiB", "{:10.0f}"),
    ("stick %", "{:10.1f}"),
)


class Clock:
    """Sums the time spent in wrapped methods, by name."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)

    def wrap(self, owner: Any, method: str, name: str) -> None:
        """Replace ``owner.method`` by a timed twin."""
        original: Callable[..., Any] = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            try:
                return original(*args, **kwargs)
            finally:
                self.spent[name] += time.perf_counter() - start

        setattr(owner, method, timed)


def peak_memory() -> float:
    """Peak resident memory so far, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def sliding_plate(unknowns: int) -> Problem:
    """A plate of about ``unknowns`` displacement unknowns, thrown with spin and pulled at its right edge."""
    ny = max(2, round(np.sqrt(unknowns / 4.0)))
    plate = fem.Plate.build(
        fem.rectangle(0.4, 0.2, 2 * ny, ny),
        thickness=0.01,
        density=1000.0,
        material=fem.StVenantKirchhoff(2e5, 0.3),
    )
    return Problem(
        body=plate,
        t_end=1.0,
        foundation=Foundation(law=Coulomb(), mu=0.5, pressure=98.1),
        loads=(EdgeLoad("right", (4.0, 3.0), Ramp(0.05)),),
        initial=InitialState(velocity=(0.5, 0.1), spin=3.0),
    )


def measure(unknowns: int, dt: float = 1e-3) -> str:
    """One line of the table."""
    problem = sliding_plate(unknowns)
    before = peak_memory()
    model = assemble(problem, Options(dt=dt))
    state = model.integrator.initial(model)
    for _ in range(2):
        state, _ = model.integrator.step(model, state, dt, None)
    assert model.cache is not None
    factor = model.cache.factor
    clock = Clock()
    clock.wrap(factor, "refactor", "factor")
    clock.wrap(factor, "solve", "solve")
    originals = {name: getattr(fem.Plate, name) for name in ("tangent", "internal_force", "strain_energy")}
    for name in originals:
        clock.wrap(fem.Plate, name, "assembly")
    times, parts, counts = [], [], []
    for _ in range(STEPS):
        clock.spent.clear()
        start = time.perf_counter()
        state, count = model.integrator.step(model, state, dt, None)
        times.append(time.perf_counter() - start)
        parts.append(dict(clock.spent))
        counts.append(count)
    for name, method in originals.items():
        setattr(fem.Plate, name, method)
    ratios = [t / sum(p.values()) for t, p in zip(times, parts, strict=True)]
    median = [1e3 * statistics.median(p[name] for p in parts) for name in ("factor", "solve", "assembly")]
    means = [statistics.mean(getattr(c, name) for c in counts) for name in ("factorisations", "newton", "passes")]
    row = [2 * len(problem.body.X), 1e3 * statistics.median(times), *median, statistics.median(ratios), *means]
    row += [getattr(factor, "analyses", 0), peak_memory() - before, 100.0 * float(state.sticking().mean())]
    return "".join(form.format(value) for (_, form), value in zip(COLUMNS, row, strict=True))


def main() -> None:
    """Print the table."""
    sizes = [int(a) for a in sys.argv[1:]] or [10_000, 30_000, 100_000]
    measure(2000)  # compiles the kernels
    print("".join(f"{name:>{9 if k == 0 else 10}}" for k, (name, _) in enumerate(COLUMNS)))
    for size in sizes:
        print(measure(size), flush=True)


if __name__ == "__main__":
    main()
