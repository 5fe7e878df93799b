"""Recorded runs of the built-in cases for a few steps, and of the command line: runs that are resumed, and bad input."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from recorded import problems as p

ENDS: dict[str, dict[str, Any]] = {
    "block_on_table": {"t_end": 1.0},
    "plate_sliding": {"t_end": 0.03},
    "plate_clamped": {"t_end": 0.02},
    "spinning_disc": {"t_end": 0.8},
    "free_flight": {"t_end": 0.02},
    "rod_wave": {"t_end": 0.01},
    "rod_cycle": {"t_end": 1.2},
    "annulus_torsion": {"t_end": 0.6},
    "wall_impact": {"t_end": 0.02},
    "beam_bending": {"t_end": 0.02},
    "beam_on_rough_foundation": {"t_end": 0.6, "steps": 40},
    "inclined_plane": {"t_end": 1.0},
    "belt_oscillator": {"t_end": 0.5},
    "free_top": {"t_end": 2.0},
    "sphere_on_plane": {"t_end": 0.7},
    "block_in_space": {"t_end": 0.2, "viscosity": 0.0},
    "curling_disc": {"t_end": 0.1},
    "potra_block": {"t_end": 1.0, "viscosity": 0.0},
    "solid_pulled": {"t_end": 0.006, "viscosity": 0.0},
    "plate_in_space": {"t_end": 0.012, "viscosity": 0.0},
}
MESH = {"nx": 4, "ny": 2}
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "block_on_table": [
        {"body": "elastic", "loaded": "edge", "t_end": 0.05},
        {"scheme": "radau", "law": "smooth", "t_end": 0.02},
        {"scheme": "explicit"},
    ],
    "plate_sliding": [
        {"vx0": 0.3, "spin0": 2.0, **MESH},
        {"scheme": "explicit", "dt": 0.0, **MESH},
        {"law": "sliding-stiction", **MESH},
        {"error_tolerance": 1e-2, "t_end": 0.02, **MESH},
    ],
    "plate_clamped": [{"scheme": "moreau-theta", **MESH}],
    "spinning_disc": [{"shape": "rectangle"}, {"body": "elastic", "elements": "P1", "t_end": 0.04}],
    "free_flight": [{"elements": "P2", "frame": "tisserand", **MESH}],
    "rod_wave": [{"scheme": "sdirk2", "dt": 1e-3, "nx": 40}],
    "rod_cycle": [{"thermal_strains": (0.01, -0.01), "nx": 20}],
    "annulus_torsion": [{"scheme": "sdirk2", "dt": 1e-3, "t_end": 5e-3}],
    "wall_impact": [
        {"contact": "signorini", "restitution": 0.5, "restitution_law": "stronge", "scheme": "moreau-theta"},
        {"body": "elastic", "obstacle": "circle", "t_end": 6e-3, **MESH},
    ],
    "beam_bending": [{"motion": "free"}, {"motion": "translation"}, {"motion": "fixed", "support": "cantilever"}],
    "beam_on_rough_foundation": [{"body": "strip", "ne": 20, "steps": 40}],
    "inclined_plane": [
        {"body": "elastic"},
        {"law": "sliding-stiction", "t_end": 0.2},
        {"angle": 10.0, "law": "static-kinetic"},
    ],
    "belt_oscillator": [{"body": "elastic", "t_end": 0.05}, {"law": "coulomb", "scheme": "moreau-theta"}],
    "sphere_on_plane": [{"scheme": "moreau-theta"}, {"contact": "penalty", "law": "smooth", "t_end": 0.1}],
    "block_in_space": [
        {"feet": "area", "spin0": 2.0},
        {"body": "elastic", "t_end": 4e-3, "nx": 3, "ny": 3, "nz": 1},
        {"scheme": "backward-euler"},
    ],
    "curling_disc": [{"model": "plane"}],
    "potra_block": [{"body": "elastic", "t_end": 0.1}, {"scheme": "moreau-theta"}],
    "solid_pulled": [{"elements": "P1", "nx": 3, "ny": 2, "nz": 1}, {"viscosity": 1e-3, "nx": 3, "ny": 2, "nz": 1}],
    "plate_in_space": [{"scheme": "backward-euler", "nx": 6, "ny": 3}],
}
RESUMED: dict[str, tuple[float, list[str]]] = {
    "plate_sliding": (0.02, ["--nx=4", "--ny=2"]),
    "plate_sliding explicit": (0.02, ["--nx=4", "--ny=2", "--scheme=explicit", "--dt=0"]),
    "plate_clamped": (0.01, ["--nx=4", "--ny=2"]),
    "rod_cycle": (0.4, ["--nx=10"]),
    "wall_impact": (0.01, ["--nx=4", "--ny=2", "--contact=signorini", "--scheme=moreau-theta", "--dt=5e-4"]),
    "beam_bending": (0.01, ["--motion=free", "--ne=8"]),
    "belt_oscillator": (0.02, []),
    "block_in_space": (0.02, []),
    "solid_pulled": (0.012, ["--nx=2", "--ny=2", "--nz=1", "--viscosity=0"]),
}
BAD = {
    "case": ["run", "plate_slidin"],
    "parameter": ["run", "plate_sliding", "--mus=0.3"],
    "number": ["run", "plate_sliding", "--mu=-0.3"],
    "law": ["run", "plate_sliding", "--law=coulom"],
    "combination": ["run", "plate_sliding", "--law=smooth", "--scheme=quasi-static"],
    "explicit law": ["run", "plate_sliding", "--law=smooth", "--scheme=explicit"],
    "dt": ["run", "plate_sliding", "--dt=0"],
    "element": ["run", "plate_sliding", "--elements=P3"],
    "space scheme": ["run", "block_in_space", "--scheme=explicit"],
    "space law": ["run", "block_in_space", "--law=smooth"],
    "tolerance in space": ["run", "solid_pulled", "--error_tolerance=1e-3"],
    "wall": ["run", "wall_impact", "--contact=signorini", "--scheme=sdirk2"],
    "restitution": ["run", "wall_impact", "--restitution=2"],
    "no results": ["resume", "nowhere"],
    "radau": ["run", "block_on_table", "--scheme=radau"],
}


def case_runs() -> Iterator[tuple[str, p.Run]]:
    """The built-in cases as they are, and some of their variants."""
    for name, given in ENDS.items():
        yield f"case {name}", partial(p.case, name, given)
        for variant in VARIANTS.get(name, []):
            label = " ".join(
                f"{key}={value}" for key, value in variant.items() if key not in ("nx", "ny", "nz", "t_end")
            )
            yield f"case {name} {label}", partial(p.case, name, given | variant)


def resumed(name: str, t_end: float, more: list[str]) -> p.Values:
    """A run of half the length that is resumed; ``unequal``: how many variables are not those of a run as long, to the last bit."""
    case = name.split()[0]
    with TemporaryDirectory() as folder:
        half, whole = (str(Path(folder) / part) for part in ("half", "whole"))
        for directory, end in ((half, 0.5 * t_end), (whole, t_end)):
            status, said = p.commanded("run", case, *more, f"--t_end={end!r}", f"--out={directory}", "--quiet")
            if status:
                raise AssertionError(said)
        status, said = p.commanded("resume", half, f"--t_end={t_end!r}", "--quiet")
        if status:
            raise AssertionError(said)
        found, wanted = (p.saved(directory) for directory in (half, whole))
    unequal = [
        key
        for key in wanted.keys() - {"attribute estimated_error"}  # which a resumed run has on request
        if key not in found or not np.array_equal(found[key], wanted[key], equal_nan=wanted[key].dtype.kind == "f")
    ]
    return found | {"unequal": np.array(len(unequal))}


def complained(arguments: list[str]) -> p.Values:
    """Exit status and line of bad input."""
    with TemporaryDirectory() as folder:
        status, said = p.commanded(*arguments, *([f"--out={folder}/out"] if arguments[0] == "run" else []))
    return {"message": np.array(said), "status": np.array(status)}


def command_runs() -> Iterator[tuple[str, p.Run]]:
    """Runs of the command line."""
    for name, (t_end, more) in RESUMED.items():
        yield f"command resume {name}", partial(resumed, name, t_end, more)
    for name, arguments in BAD.items():
        yield f"command refuses {name}", partial(complained, arguments)
