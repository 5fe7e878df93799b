"""True errors of equal steps beside their estimates and warnings (docs/verdict.md): runs of cases at rough and fine steps.

    OMP_NUM_THREADS=1 python benchmarks/step_errors.py run FILE.jsonl [--random COUNT] [--throws COUNT] [--seed SEED]
    python benchmarks/step_errors.py table FILE.jsonl

``run`` takes each case at its default step, at 4 and at 10 times that, and ``COUNT`` random runs, or only throws of rigid blocks
and balls in space at 4 ms; runs in the file are not repeated, so that an interrupted study continues. The true error is the
largest difference of positions at common instants from a run with a sixteenth of the step, over the displacement; the estimate is
the run's own, over the same.
"""

from __future__ import annotations

import argparse
import importlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.random import Generator, default_rng

import floating_frame as ff
from floating_frame.verdict.step_error import motion_errors

FINER = 16
SHARES = {"default": 1.0, "4 times": 4.0, "10 times": 10.0}
"""Steps over the default one."""
LIMITS = {"default": 0.01, "10 times": 0.05}
"""Largest error over the displacement without a warning, at the default step and at up to ten times that."""

Range = tuple[float, float] | tuple[str, ...]
RANDOM: dict[str, dict[str, Range]] = {
    "block_on_table": {"mu": (0.1, 1.0), "mass": (0.3, 3.0), "amplitude": (2.0, 15.0), "t_end": (1.0, 5.0)},
    "spinning_disc": {"mu": (0.05, 0.8), "vx0": (0.1, 2.0), "spin0": (1.0, 30.0), "t_end": (0.1, 1.0)},
    "belt_oscillator": {"mu": (0.1, 0.5), "belt_speed": (0.05, 0.6), "stiffness": (30.0, 300.0), "t_end": (1.0, 4.0)},
    "inclined_plane": {"angle": (5.0, 40.0), "mu": (0.1, 0.6), "t_end": (0.2, 1.0)},
    "wall_impact": {"vx0": (0.3, 2.0), "vy0": (-0.5, 0.5), "spin0": (-3.0, 3.0), "mu": (0.0, 0.4)},
    "sphere_on_plane": {"mu": (0.1, 0.8), "vx0": (-2.0, 2.0), "vy0": (-1.0, 1.0), "spin_y": (-30.0, 30.0)},
    "block_in_space": {"mu": (0.1, 1.1), "vx0": (-1.0, 1.0), "vy0": (-1.0, 1.0), "spin0": (-8.0, 8.0), "t_end": (0.1, 0.5)},
    "curling_disc": {"mu": (0.1, 0.6), "vx0": (0.1, 1.0), "spin0": (0.0, 20.0), "half_height": (0.02, 0.08), "t_end": (0.1, 0.4)},
    "potra_block": {"mu": (0.3, 1.0), "amplitude": (4.0, 12.0), "mass": (0.5, 2.0), "t_end": (0.5, 3.0)},
    "free_top": {"spin1": (0.01, 1.0), "spin2": (0.3, 2.0), "spin3": (0.0, 1.0), "t_end": (2.0, 10.0)},
    "plate_sliding": {"mu": (0.1, 0.5), "pull_x": (10.0, 60.0), "pull_y": (-40.0, 40.0), "vx0": (0.0, 0.5), "t_end": (0.1, 0.3)},
    "plate_clamped": {"mu": (0.1, 0.5), "push_x": (10.0, 50.0), "pull_y": (-20.0, 20.0), "t_end": (0.1, 0.3)},
    "free_flight": {"spin0": (0.0, 8.0), "stretch": (-0.1, 0.1), "E": (5e4, 1e6), "t_end": (0.1, 0.5)},
    "rod_wave": {"E": (3e4, 1e6), "t_end": (0.01, 0.04)},
    "beam_bending": {"load": (1.0, 8.0), "mu": (0.05, 0.4), "motion": ("free", "translation"), "t_end": (0.1, 0.3)},
    "solid_pulled": {"mu": (0.1, 0.6), "pull_x": (5.0, 60.0), "pull_y": (-20.0, 20.0), "t_end": (0.05, 0.15)},
    "plate_in_space": {"mu": (0.1, 0.6), "vx0": (0.0, 1.0), "spin0": (-5.0, 5.0), "t_end": (0.1, 0.4)},
    "rod_cycle": {"mu": (0.1, 0.6), "E": (1e5, 1e6)},
    "annulus_torsion": {"mu": (0.4, 1.0), "E": (3e5, 1e7)},
    "beam_on_rough_foundation": {"mu": (0.4, 1.0), "E": (3e8, 3e9), "t_end": (0.5, 1.5)},
}  # fmt: skip
"""Parameters of random runs by case: bounds of a number, or names."""
MESHES: dict[str, dict[str, object]] = {
    "plate_sliding": {"nx": 8, "ny": 4},
    "plate_clamped": {"nx": 8, "ny": 4},
    "spinning_disc": {"nr": 8, "nt": 16},
    "solid_pulled": {"nx": 3, "ny": 2, "nz": 1},
    "plate_in_space": {"nx": 6, "ny": 3, "nz": 1},
    "curling_disc": {"nr": 4, "nt": 12},
    "rod_cycle": {"nx": 30},
    "annulus_torsion": {"nr": 8, "nt": 16},
    "beam_on_rough_foundation": {"ne": 40},
    "rod_wave": {"nx": 100},
    "beam_bending": {"ne": 16},
}
"""Coarse meshes: errors of the steps do not wait for fine ones."""
THROWS: dict[str, dict[str, Range]] = {
    "block_in_space": {"mu": (0.1, 1.1), "vx0": (-1.0, 1.0), "vy0": (-1.0, 1.0), "spin0": (-12.0, 12.0), "mass": (0.3, 3.0),
                       "length": (0.1, 0.4), "width": (0.1, 0.4), "height": (0.1, 0.4), "t_end": (0.1, 0.4)},
    "sphere_on_plane": {"mu": (0.1, 0.8), "vx0": (-2.0, 2.0), "vy0": (-1.0, 1.0), "spin_y": (-30.0, 30.0)},
}  # fmt: skip
"""Parameters of throws; one in six is a ball's."""
THROW_STEP = 4e-3
"""Step of throws, s."""
ERROR_CONTROLLED = "radau"


def runs(count: int, seed: int) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield name of the setting, case and parameters of each run."""
    for case in RANDOM:
        for name, share in SHARES.items():
            given = MESHES.get(case, {})
            yield name, case, given | step(case, given, share)
    for number in range(count):
        rng = default_rng([seed, number])
        case = list(RANDOM)[number % len(RANDOM)]
        longer = bool(rng.integers(2))
        share = float(10.0 ** rng.uniform(0.0, 1.0)) if longer else 1.0
        given = {name: drawn(rng, bounds) for name, bounds in RANDOM[case].items()}
        scheme = {"scheme": str(rng.choice(np.array(equal_step_schemes(case))))}
        given = MESHES.get(case, {}) | given | scheme
        yield f"random {number}", case, given | step(case, given, share)


def equal_step_schemes(case: str) -> list[str]:
    """Schemes with equal steps that take a case."""
    taken = []
    for name in importlib.import_module(f"cases.{case}").Parameters.model_fields["scheme"].json_schema_extra["choices"]:
        try:
            step(case, MESHES.get(case, {}) | {"scheme": name}, 1.0)
        except ValueError:
            continue
        taken.append(name)
    return [name for name in taken if name != ERROR_CONTROLLED]


def throws(count: int, seed: int) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield name of the setting, case and parameters of each throw."""
    for number in range(count):
        rng = default_rng([seed, number])
        case = list(THROWS)[number % 6 == 5]
        yield f"throw {number}", case, {"dt": THROW_STEP} | {n: drawn(rng, b) for n, b in THROWS[case].items()}


def drawn(rng: Generator, bounds: Range) -> object:
    """Random number within bounds, or one of several names."""
    if isinstance(bounds[0], str):
        return str(rng.choice(np.array(bounds)))
    return round(float(rng.uniform(*map(float, bounds))), 6)


def step(case: str, given: Mapping[str, object], share: float) -> dict[str, object]:
    """Step of a case that is ``share`` times the default one, s, or the increments of a leg of its history."""
    module = importlib.import_module(f"cases.{case}")
    params = module.Parameters(**given)
    steps = ff.assemble(module.problem(params), module.options(params)).steps
    if module.STUDY.increments and not steps.inertia:
        return {module.STUDY.increments: max(2, round(getattr(params, module.STUDY.increments) / share))}
    return {"dt": share * float(steps.length)}


def finer(case: str, given: Mapping[str, object]) -> dict[str, object]:
    """Parameters with a ``FINER``-th of the step, and about as many instants stored where the case lets it."""
    name = importlib.import_module(f"cases.{case}").STUDY.increments
    if name in given:
        return {**given, name: int(str(given[name])) * FINER}
    return {**given, "dt": float(str(given["dt"])) / FINER, "output_every": FINER}


def measured(case: str, given: Mapping[str, object]) -> dict[str, object]:
    """True error and estimate over the displacement, and names of the warnings of a run, or the reason for none."""
    module, models = importlib.import_module(f"cases.{case}"), []
    try:
        for parameters in (given, finer(case, given)):
            params = module.Parameters(**parameters)
            models.append(ff.assemble(module.problem(params), module.options(params)))
    except ValueError as error:
        return {"refused": " ".join(str(error).split())}
    try:
        run = ff.simulate(models[0], estimate=True)
    except ff.StepFailure as failure:
        return {"failed": str(failure)}
    try:
        true = motion_errors(run, ff.simulate(models[1]), 1.0, models[0].radius)
    except ff.StepFailure as failure:
        return {"reference failed": str(failure)}
    told = run.attrs.get("estimated_error")
    size = true[0] / true[1] if true[1] else 0.0
    return {
        "error": true[1],
        "estimate": None if told is None or size == 0.0 else float(told) * models[0].radius / size,
        "warnings": sorted({warning.name for warning in ff.run_warnings(run)}),
    }


def take(file: Path, settings: Iterable[tuple[str, str, dict[str, object]]]) -> None:
    """Take the runs of ``settings`` that the file lacks, and add a line for each."""
    lines = file.read_text().splitlines() if file.exists() else []
    known = {(line["setting"], line["case"], line["parameters"]) for line in map(json.loads, lines)}
    with file.open("a") as out:
        for setting, case, given in settings:
            parameters = json.dumps(given, sort_keys=True)
            if (setting, case, parameters) not in known:
                line = {"setting": setting, "case": case, "parameters": parameters} | measured(case, given)
                out.write(json.dumps(line) + "\n")
                out.flush()


def table(file: Path) -> None:
    """Print the table of the docs, the counts of the random runs, and those that are off without a warning."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    print("| case | step | true error | estimate | warnings |\n|---|---|---|---|---|")
    for line in lines:
        if line["setting"] in SHARES and "error" in line:
            estimate = "none" if line["estimate"] is None else f"{line['estimate']:.1g}"
            names = ", ".join(f"`{name}`" for name in line["warnings"])
            print(f"| `{line['case']}` | {line['setting']} | {line['error']:.1g} | {estimate} | {names} |")
    chance = [line for line in lines if line["setting"].startswith(("random", "throw"))]
    judged = [line for line in chance if "error" in line]
    silent = [line for line in judged if not line["warnings"]]
    print(
        f"\n{len(chance)} random runs: {len(judged)} judged, {sum('failed' in line for line in chance)} failed by name,"
    )
    print(
        f"{sum('refused' in line for line in chance)} refused; {len(judged) - len(silent)} warn; silent and off by more than"
    )
    for name, limit in LIMITS.items():
        print(f"{limit:.0%}: {sum(line['error'] > limit for line in silent)} (asked of {name} the step: 0)")
    for line in sorted(silent, key=lambda line: -line["error"])[:10]:
        print(f"  {line['error']:.3g} ({line['estimate']}): {line['case']} {line['parameters']}")


def main() -> None:
    """Take runs, or print their table."""
    parser = argparse.ArgumentParser(description="Errors of equal steps beside their estimates.")
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--throws", type=int, default=0)
    parser.add_argument("--seed", type=int, default=zlib.crc32(b"step errors"))
    given = parser.parse_args()
    if given.what == "run":
        take(given.file, (throws if given.throws else runs)(given.throws or given.random, given.seed))
    else:
        table(given.file)


if __name__ == "__main__":
    main()
