"""Units in which a cost carries over to another machine: times of this machine for operations of all such codes.

A sparse factorisation, a pass over memory, and a step of MuJoCo where an interpreter has its wheel; CPU time, one thread."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import scipy.sparse

import fem

REPEATS = 3
SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
PLATE = 100, 50
"""Bilinear elements of the plate whose matrix is factorised: 10 302 unknowns."""
COPIED = 64_000_000
"""Bytes of a pass over memory, more than caches hold."""


class Unit(NamedTuple):
    """A unit of cost, and its CPU time, s."""

    name: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Row:
    """A measured cost, its floor in the same unit, the meaning of the floor, and the cost in units that carry over."""

    name: str
    cost: float
    unit: str
    floor: float
    floor_is: str
    in_units: float | None = None
    units: str = ""

    @property
    def ratio(self) -> float:
        """Cost over floor."""
        return self.cost / self.floor

    def beside(self, measured: Unit | None) -> Row:
        """Row with its cost in a unit, where the cost is a time and the unit is known."""
        if measured is None or self.unit not in SECONDS:
            return self
        return replace(self, in_units=self.cost * SECONDS[self.unit] / measured.seconds, units=measured.name)


def least(work: Callable[[], object], repeats: int = REPEATS, calls: int = 1) -> float:
    """Smallest CPU time of a call, s."""
    work()  # compiles, and warms caches
    found = []
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(calls):
            work()
        found.append((time.process_time() - start) / calls)
    return min(found)


def factor_costs(nx: int, ny: int) -> tuple[float, float]:
    """CPU time of a fresh factorisation and of a solution at a plate's sparsity, s."""
    body = plate(nx, ny)
    stiffness = scipy.sparse.csr_matrix((body.tangent(np.zeros_like(body.X)), body.indices, body.indptr))
    data = (stiffness + scipy.sparse.diags_array(np.full(stiffness.shape[0], 1e3))).tocsr()
    data.sort_indices()
    factor, rhs = fem.factor(data.indptr, data.indices), np.ones(data.shape[0])
    refactor = least(lambda: factor.refactor(data.data), calls=5)
    return refactor, least(lambda: factor.solve(rhs), calls=20)


def plate(nx: int, ny: int) -> fem.Plate:
    """Plate of bilinear elements."""
    mesh = fem.rectangle(1.0, 0.5, nx, ny, "quadrilateral")
    return fem.Plate.build(mesh, thickness=0.02, density=1e3, material=fem.StVenantKirchhoff(6e4, 0.4), element="Q1")


def factorisation() -> Unit:
    """Factorisation by the library's solver, of a plate's matrix."""
    return Unit("factorisations of 1e4 unknowns", factor_costs(*PLATE)[0])


def memory_pass() -> Unit:
    """Time in which a byte is read and written, by a copy."""
    return Unit("passes over a byte", least(np.ones(COPIED // 8).copy, calls=3) / COPIED)


def mujoco_step(python: str) -> Unit | None:
    """Step of a block on four feet in MuJoCo; None where the interpreter ``python`` has none."""
    script = Path(__file__).with_name("mujoco_step.py").resolve()
    with TemporaryDirectory() as place:  # MuJoCo leaves a log
        done = subprocess.run([python, script], capture_output=True, text=True, check=False, cwd=place)
    if done.returncode:
        print(done.stderr.strip(), file=sys.stderr)
        return None
    return Unit("MuJoCo steps of four feet", float(done.stdout))


def machine() -> str:
    """Processor, cores, system and Python."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    where = f"{model or platform.processor() or 'an unnamed processor'} ({platform.machine()})"
    return f"{where}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def load() -> float:
    """Load average of the last minute, this process included."""
    return os.getloadavg()[0]
