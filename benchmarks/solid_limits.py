"""Limits of sliding elastic solids in dt and in the mesh, with the default viscosity and without (docs/space.md, Viscosity).

    OMP_NUM_THREADS=1 python benchmarks/solid_limits.py modes [--random COUNT]    growth and damping of sliding vibrations
    OMP_NUM_THREADS=1 python benchmarks/solid_limits.py steps [--random COUNT] [--viscosity SECONDS]   displacements, falling steps
    OMP_NUM_THREADS=1 python benchmarks/solid_limits.py mesh    displacements on finer meshes

``modes`` linearises steady sliding of blocks that press with all of their base: with u_n = 0 and p_t = −μ p_n v/|v| there,

    M̃ ü + t K̃ u̇ + K̃ u = 0,    Ã the rows of A along the ground plus μ v/|v| times those across, without the unknowns u_n.

M̃ and K̃ are not symmetric. An eigenvalue κ = ω² exp(±iδ) of K̃ φ = κ M̃ φ has λ² + t κ λ + κ = 0: without viscosity a vibration that
grows as exp(ω sin(δ/2) time), with t > sin δ/(ω √cos δ) one that dies.
"""

from __future__ import annotations

import argparse
import itertools
from types import ModuleType
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.linalg import eigvals

import fem
from cases import block_in_space, solid_pulled
from floating_frame import (
    Contact,
    HalfSpace,
    InitialState,
    Options,
    Problem,
    Ramp,
    SolidForce,
    StepFailure,
    assemble,
    simulate,
)

Array = NDArray[np.float64]
HALVINGS, RELATIVE, SEED, RATES = 3, 1e-7, 5, 8.0
SIZES, WALL_STEP = (0.3, 0.2, 0.1), 4e-3
PULLED = {"E": 8.43e6, "mu": 0.418, "nx": 2, "ny": 2, "nz": 1, "t_end": 0.1985, "dt": 1.86e-3}
THROWN = {
    "body": "elastic", "mu": 1.131, "vx0": -0.1266, "vy0": -0.575, "spin0": -6.95, "length": 0.1239, "width": 0.1411,
    "height": 0.1443, "E": 1.5e8, "t_end": 0.1306, "nx": 2, "ny": 2, "nz": 1, "dt": 1e-3,
}  # fmt: skip
MESHES, MESH_STEPS, FINEST = ((2, 2, 1), (4, 4, 2), (6, 6, 3)), (2e-3, 1e-3, 5e-4), (8, 8, 4)


def sliding_modes(body: fem.Solid, mu: float, angle: float) -> tuple[Array, Array]:
    """ω, rad/s, and |δ|, rad, of the vibrations of a body that slides on its whole base in the direction ``angle``."""
    base, along = body.boundary("bottom"), mu * np.array([np.cos(angle), np.sin(angle)])
    across = 3 * base + 2
    free = np.setdiff1d(np.arange(body.X.size), across)

    def sliding(matrix: Array) -> Array:
        rows = matrix.copy()
        for axis in (0, 1):
            rows[3 * base + axis] += along[axis] * matrix[across]
        return rows[np.ix_(free, free)]

    stiffness = body.tangent_matrix(np.zeros_like(body.X)).toarray()
    found = eigvals(sliding(stiffness), sliding(np.kron(body.mass_matrix.toarray(), np.eye(3))))
    found = found[np.abs(found) > RELATIVE * np.abs(found).max()]
    return np.sqrt(np.abs(found)), np.abs(np.angle(found))


def damped_from(frequencies: Array, angles: Array) -> float:
    """Retardation time, s, above which no vibration grows."""
    bounded = np.minimum(angles, 0.5 * np.pi)
    with np.errstate(divide="ignore"):
        return float(np.max(np.sin(bounded) / (frequencies * np.sqrt(np.cos(bounded)))))


def modes(count: int) -> None:
    """Print growth and threshold on finer meshes of the block that is pulled, and the largest threshold of random blocks."""
    for cells in ((2, 2, 1), (4, 4, 2), (6, 4, 2), (8, 6, 3), (12, 8, 4)):
        body = block(SIZES, cells, PULLED["E"], 0.3, 1200.0)
        frequencies, angles = sliding_modes(body, PULLED["mu"], 0.0)
        growth, most = frequencies * np.sin(0.5 * angles), damped_from(frequencies, angles)
        print(
            f"{cells}: {(growth > 1e-6 * frequencies).sum()} of {len(growth)} grow or die, by up to {growth.max():.3g}/s; "
            f"none from {most:.3g} s on, {most / body.crossing_time / PULLED['mu']:.2f} mu H/c_s",
            flush=True,
        )
    rng, shares = default_rng(SEED), []
    while len(shares) < count:
        sizes = np.exp(rng.uniform(np.log(0.05), np.log(0.5), 3))
        cells = np.clip(np.round(sizes / (sizes.min() * rng.uniform(0.5, 1.0))), 1, 6).astype(int)
        mu, nu, angle = rng.uniform(0.1, 1.5), rng.uniform(0.0, 0.45), rng.uniform(0.0, 2.0 * np.pi)
        if np.prod(cells + 1) < 250:
            body = block(tuple(sizes), tuple(cells), 1e6, nu, 1000.0)
            shares.append(damped_from(*sliding_modes(body, mu, angle)) / (mu * body.crossing_time))
    if shares:
        print(f"{count} random blocks: at most {max(shares):.2f} mu H/c_s, median {np.median(shares):.2f}")


def block(
    sizes: tuple[float, ...], cells: tuple[int, ...], E: float, nu: float, density: float, **more: Any
) -> fem.Solid:
    """Block of neo-Hookean material."""
    return fem.Solid.build(fem.box(*sizes, *cells), density=density, material=fem.NeoHookean(E, nu), **more)


def walled(cells: tuple[int, int, int], viscosity: float | None) -> Problem:
    """Block on a floor that a force of 8 N presses against a wall, and one that grows to 30 N pulls along it."""
    body = block(SIZES, cells, 5e5, 0.3, 1200.0, viscosity=viscosity)
    floor = Contact(obstacle=HalfSpace(point=(0.0, 0.0, -0.05)), mu=0.3)
    wall = Contact(obstacle=HalfSpace(point=(0.0, 0.1, 0.0), normal=(0.0, -1.0, 0.0)), mu=0.3)
    pull = SolidForce(force=(30.0, 0.0, 0.0), on="right", history=Ramp(0.1))
    loads, start = (pull, SolidForce(force=(0.0, 8.0, 0.0))), InitialState(position=(0.0, 0.0, 0.0))
    return Problem(body=body, t_end=0.15, face="boundary", contacts=(floor, wall), loads=loads, initial=start)


def displacement(problem: Problem, dt: float) -> tuple[float, float] | None:
    """Displacement of the centre at the end, mm, and retardation time, s; None where the run fails."""
    try:
        run = simulate(assemble(problem, Options(dt=dt)))
    except StepFailure:
        return None
    place = run.frame_position.values
    return 1e3 * float(np.linalg.norm(place[-1] - place[0])), float(run.attrs["viscosity"])


def problem_of(
    case: ModuleType, given: dict[str, Any], cells: tuple[int, int, int] | None, viscosity: float | None
) -> Problem:
    """Problem of a case."""
    mesh = {} if cells is None else dict(zip(("nx", "ny", "nz"), cells, strict=True))
    problem: Problem = case.problem(case.Parameters(**(given | mesh | {"viscosity": viscosity})))
    return problem


def drawn(rng: Generator) -> tuple[ModuleType, dict[str, Any]]:
    """Random case with its parameters: a block that is pulled, or thrown; steps are a share of a wave's time across it."""
    length, width, height = (float(x) for x in rng.uniform(0.08, 0.3, 3))
    sizes = {"length": length, "width": width, "height": height, "E": float(10 ** rng.uniform(5.5, 7.5))}
    more = sizes | {"mu": float(rng.uniform(0.15, 1.2)), "nx": 2, "ny": 2, "nz": 1, "t_end": 0.12, "dt": 1e-3}
    if rng.random() < 0.5:
        weight = 1200.0 * length * width * height * 9.81
        pull = {"pull_x": more["mu"] * weight * float(rng.uniform(1.0, 2.0)), "ramp": 0.05, "density": 1200.0}
        return solid_pulled, more | pull
    speeds = dict(
        zip(("vx0", "vy0", "spin0"), (float(x) for x in rng.uniform(-1.0, 1.0, 3) * (1.0, 1.0, RATES)), strict=True)
    )
    return block_in_space, more | speeds | {"body": "elastic", "mass": 1200.0 * length * width * height}


def steps(count: int, viscosity: float | None) -> None:
    """Print displacements at steps that are halved, of the three problems and of ``count`` random ones, and their differences."""
    rng = default_rng(SEED)
    rows = [("pulled", solid_pulled, PULLED), ("thrown", block_in_space, THROWN)]
    rows += [(f"random {k}", *drawn(rng)) for k in range(count)]
    tried = [(name, problem_of(case, given, None, viscosity), given["dt"]) for name, case, given in rows]
    for name, problem, dt in [*tried, ("wall", walled((3, 2, 2), viscosity), WALL_STEP)]:
        found = [displacement(problem, dt * 0.5**k) for k in range(HALVINGS + 1)]
        print(name, told(found), flush=True)


def told(found: list[tuple[float, float] | None]) -> str:
    """Text of displacements, retardation time and relative differences of neighbours."""
    ends = np.array([np.nan if pair is None else pair[0] for pair in found])
    time = next((pair[1] for pair in found if pair), np.nan)
    off = np.abs(np.diff(ends)) / ends[-1]
    return f"t {time:.3g} s; ends {', '.join(f'{x:.5f}' for x in ends)} mm; differences {', '.join(f'{d:.1e}' for d in off)}"


def mesh() -> None:
    """Print displacements, mm, on finer meshes at halved steps, on the finest at a single step, with the default viscosity."""
    for name, make in (
        ("pulled", lambda cells: problem_of(solid_pulled, PULLED, cells, None)),
        ("thrown", lambda cells: problem_of(block_in_space, THROWN, cells, None)),
        ("wall", lambda cells: walled(cells, None)),
    ):
        for cells, dt in [*itertools.product(MESHES, MESH_STEPS), (FINEST, MESH_STEPS[1])]:
            found = displacement(make(cells), dt)
            print(name, cells, dt, "failed" if found is None else f"{found[0]:.5f}", flush=True)


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("modes", "steps", "mesh"))
    parser.add_argument("--random", type=int, default=10)
    parser.add_argument("--viscosity", type=float)
    given = parser.parse_args()
    if given.table == "modes":
        modes(given.random)
    elif given.table == "steps":
        steps(given.random, given.viscosity)
    else:
        mesh()


if __name__ == "__main__":
    main()
