"""The cases by name, one line each: those of this folder, of installed packages and of a user's files.

A case's module is imported only when it is asked for. An installed package offers cases as entry points of the group
``floating_frame.cases``: the name of a case, and its module.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cases.app.run.errors import BadInput
from cases.app.user_files import MODULES, of_file

if TYPE_CHECKING:  # the list of cases is printed without importing the numerics
    import xarray as xr
    from matplotlib.figure import Figure

    from cases.app.parts.measure import Measure, Refinement
    from cases.app.parts.parameters import CaseParameters
    from cases.app.run.results import Headlines
    from floating_frame import Options, Problem


class Case(Protocol):
    """The face of a case module."""

    Parameters: type[CaseParameters]
    STUDY: Refinement

    def problem(self, params: CaseParameters) -> Problem:
        """Problem of these parameters."""

    def options(self, params: CaseParameters, *, stress: bool = False) -> Options:
        """Options of the time integration and the output."""

    def summary(self, params: CaseParameters, data: xr.Dataset) -> Headlines:
        """Headline numbers of a complete trajectory, each with its unit and, where known, its exact value."""

    def measures(self, params: CaseParameters, data: xr.Dataset) -> dict[str, Measure]:
        """Measures for a convergence study, of a trajectory at the times that its levels share."""

    def draw(self, params: CaseParameters, data: xr.Dataset, figure: Figure) -> None:
        """Draw the picture of a trajectory."""


CASES: dict[str, str] = {
    "block_on_table": "a block under a force a cos t sticks and slips on a table (Potra et al. 2006, exact)",
    "plate_sliding": "a free elastic plate, pulled at its right edge, sticks, slips, slides, turns and stops (Szefer)",
    "plate_clamped": "an elastic plate clamped to a guide at its left edge is bent, slides and stops (Szefer)",
    "spinning_disc": "a thrown, spinning disc or rectangle: sliding and spinning end together (Farkas et al. 2003)",
    "free_flight": "a stretched plate spins without friction: momenta and energy are kept (verification)",
    "rod_wave": "a rod on rough ground is pushed at its end: a wave runs in and friction stops all of it at once (exact)",
    "rod_cycle": "a rod on rough ground under a slow end force, or heated and cooled: slip zones, loops (exact)",
    "annulus_torsion": "an annulus between rough planes is turned at its inner rim: slip zone, hysteresis loops (exact)",
    "wall_impact": "a rigid or elastic plate runs into a rigid obstacle: duration, penetration, rebound (RecurDyn, exact)",
    "beam_bending": "a beam under a lateral load, free, translating or supported: half swings, arrest (Szefer, exact)",
    "beam_on_rough_foundation": "a long beam on rough ground, pushed across at its end: endless slip zones (Nikitin)",
    "inclined_plane": "a block from rest on an incline under each friction law: it rests, creeps or slides (RecurDyn)",
    "belt_oscillator": "a block on a running belt, tied by a spring and a damper: stick-slip, or a decaying swing (exact)",
    "free_top": "a torque-free top in space turns over repeatedly: Jacobi's functions (Euler; Landau & Lifshitz)",
    "sphere_on_plane": "a ball thrown on a plane slides on a parabola until it rolls (Coriolis 1835, exact)",
    "block_in_space": "a block on four feet, thrown along the plane, stops, turns or tips (exact)",
    "curling_disc": "a thick disc slides and spins: friction shifts its weight and its path curls (quadrature)",
    "potra_block": "the block of Potra et al. (2006) in space, on four feet, sticks and slips (exact)",
    "solid_pulled": "an elastic block is pulled along rough ground under its own weight: stick, slip, shift of the pressure",
    "plate_in_space": "the plate of plate_sliding as a solid whose weight presses it on the ground (Szefer, section 2)",
}


GROUP = "floating_frame.cases"
"""Group of entry points."""


def register(name: str, line: str, *, module: str) -> None:
    """Register a case outside of `cases/`.

    Parameters
    ----------
    name, line : str
        As in `CASES`.
    module : str
        Name of a module with the face of `Case`, or a file.

    Raises
    ------
    ValueError
        Where the name is taken.
    """
    if name in CASES:
        raise ValueError(f"there is a case {name!r} already")
    CASES[name], MODULES[name] = line, module


def register_file(path: str | Path) -> str:
    """Register the case of a Python file under the file's name, replacing one of that name; return the name.

    The file is not executed yet. Raises BadInput where it is not a Python file.
    """
    file = Path(path).resolve()
    if file.parent == Path(__file__).parents[1] and file.stem in CASES:
        return file.stem
    if not file.stem.isidentifier():
        raise BadInput(f"expected a file whose name is a name in Python (my_case.py), got {file.name!r}")
    try:
        line = ast.get_docstring(ast.parse(file.read_bytes(), filename=file.name)) or "a case without a docstring"
    except OSError as error:
        raise BadInput(f"expected the file of a case, got {str(path)!r} ({error.strerror})") from error
    except (SyntaxError, ValueError) as error:
        raise BadInput(f"expected the file of a case, got {str(path)!r} ({error})") from error
    CASES[file.stem], MODULES[file.stem] = line.splitlines()[0].rstrip("."), str(file)
    return file.stem


def case_of(attributes: Mapping[str, object]) -> str:
    """Name of the case of saved results with the attributes ``case`` and ``case_file``; a user's file is registered.

    Raises BadInput where there is no such case, KeyError where none is named.
    """
    name, file = str(attributes["case"]), attributes.get("case_file")
    if file is not None:
        if not Path(str(file)).is_file():
            raise BadInput(
                f"expected the file of a case, got {str(file)!r}, which is missing: restore it, or repeat the run by "
                "python -m cases run FILE.py --config DIR/summary.json"
            )
        return register_file(str(file))
    if name not in CASES:
        raise BadInput(f"expected results of one of {', '.join(CASES)}, got those of {name!r}")
    return name


def load(name: str) -> Case:
    """Import and return the case `name`, one of `CASES`. Raises BadInput where a user's case cannot be imported or is
    incomplete."""
    if name not in MODULES:
        return importlib.import_module(f"cases.{name}")
    where = MODULES[name]
    try:
        module = of_file(Path(where)) if where.endswith(".py") else importlib.import_module(where)
    except (Exception, SystemExit) as error:  # whatever a user's module raises
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise BadInput(f"{where}: the case cannot be imported ({reason})") from error
    from cases.app.parts.user_case import completed  # imports the numerics, as the case has done

    return completed(module, where)


def offer_packages() -> None:
    """Register the cases of installed packages by name; names of this folder's cases are not replaced."""
    for point in sorted(entry_points(group=GROUP)):
        if point.name not in CASES:
            register(point.name, f"a case of {point.value.partition('.')[0]}", module=point.value)


def drawing(name: str) -> Callable[[CaseParameters, xr.Dataset, Figure], None]:
    """Function that draws the picture of the case `name`."""
    return load(name).draw


offer_packages()
