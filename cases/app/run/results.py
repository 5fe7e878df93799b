"""Results of a run: attributes, summary.json, and files that appear whole or not at all."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

import numpy as np

from cases.app.run.errors import BadInput
from cases.app.user_files import file_attributes
from floating_frame.output.provenance import OWN as OWN
from floating_frame.output.provenance import git_commit as git_commit
from floating_frame.output.provenance import provenance
from floating_frame.output.provenance import versions as versions
from floating_frame.output.replacing import replacing

if TYPE_CHECKING:
    import xarray as xr

    from cases.app.parts.parameters import CaseParameters
    from floating_frame import RunWarning


class Reference(TypedDict):
    """A reference value and its source."""

    value: float
    source: str


Kind = Literal["motion", "sampled", "instant", "check"]
"""Kind of a headline number. motion: of the computed motion. sampled: of contact forces or of a stored instant that depends on
the steps. instant: one of the stored times, or a sum of steps. check: a check of the solver, a count or a given number."""


class Headline(TypedDict):
    """One number of a summary; `value` None: not defined in this run; `error`: estimated, of the steps (and of the mesh)."""

    value: float | None
    unit: str
    description: str
    kind: NotRequired[Kind]
    error: NotRequired[float]
    exact: NotRequired[float]
    reference: NotRequired[Reference]


Headlines = dict[str, Headline]


def headline(
    value: float | None,
    unit: str,
    description: str,
    *,
    exact: float | None = None,
    reference: tuple[float, str] | None = None,
    kind: Kind | None = None,
) -> Headline:
    """Entry of a summary: a number with its unit and, where known, its exact or reference value.

    Parameters
    ----------
    value : float or None
        None where it is not defined in this run (the stop time of a body that still moves).
    unit, description : str
        Its unit and its meaning.
    exact : float
        Exact value.
    reference : tuple[float, str]
        A value to compare with, and its source.
    kind : {"motion", "sampled", "instant", "check"}
        Left out: whole numbers are a check, seconds an instant, all others motion.

    Raises
    ------
    ArithmeticError
        Where a number is not finite.
    """
    numbers = [n for n in (value, exact, None if reference is None else reference[0]) if n is not None]
    if not all(map(math.isfinite, numbers)):
        raise ArithmeticError(f"{description}: not a finite number ({', '.join(map(str, numbers))})")
    whole = isinstance(value, int | np.integer)
    entry: Headline = {
        "value": None if value is None else float(value),
        "unit": unit,
        "description": description,
        "kind": kind or ("check" if whole else "instant" if unit == "s" else "motion"),
    }
    if exact is not None:
        entry["exact"] = float(exact)
    if reference is not None:
        entry["reference"] = {"value": float(reference[0]), "source": reference[1]}
    return entry


def balance(data: xr.Dataset) -> Headline:
    """Headline of the largest error of the energy balance."""
    error = float(np.abs(data.balance_error.values).max())
    return headline(error, "J", "largest error of the energy balance", exact=0.0, kind="check")


def floor(data: xr.Dataset) -> Headlines:
    """Headline of the error of a rigid body's friction points, which no step reduces, where it is estimated."""
    if "sampling_floor" not in data.attrs:
        return {}
    meaning = "estimated error of the positions over the body's size by the spacing of friction points, independent of the step"
    return {"sampling_floor": headline(float(data.attrs["sampling_floor"]), "1", meaning, kind="check")}


def retardation(data: xr.Dataset) -> Headlines:
    """Headline of a solid's retardation time and how it was chosen."""
    if "viscosity" not in data.attrs:
        return {}
    meaning = f"retardation time of the viscosity ({data.attrs['viscosity_choice']})"
    return {"viscosity": headline(float(data.attrs["viscosity"]), "s", meaning, kind="check")}


def attributes(name: str, params: CaseParameters) -> dict[str, str]:
    """Global attributes of a trajectory besides `complete`."""
    return {
        "case": name,
        **file_attributes(name),
        "parameters": params.model_dump_json(),
        **provenance(),
    }


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file beside `path`, read it back, and rename it to `path`."""
    with replacing(path) as temporary:
        write(temporary)
        with temporary.open("rb") as file:
            while file.read(1 << 20):
                pass


def write_summary(
    directory: Path,
    name: str,
    params: CaseParameters,
    *,
    complete: bool,
    results: Headlines,
    message: str = "",
    warnings: Sequence[RunWarning] = (),
) -> None:
    """Write DIR/summary.json; `message` says why a run is incomplete, `warnings` why it should not be believed."""
    content: dict[str, object] = {
        "case": name,
        **file_attributes(name),
        "complete": complete,
        "parameters": json.loads(params.model_dump_json()),
    }
    content |= {"message": message} if message else {}
    content["warnings"] = [asdict(warning) for warning in warnings]
    content["results"] = results
    text = json.dumps(content, indent=2, allow_nan=False) + "\n"
    write_whole(directory / "summary.json", lambda path: path.write_text(text, encoding="utf-8"))


def results_directory(text: str) -> Path:
    """Create the results directory. Raises BadInput."""
    from floating_frame.output.netcdf import check_name  # imported here: refusals do without its library

    if not text.strip():
        raise BadInput(f"out: expected the name of a directory, got {text!r}")
    directory = Path(text)
    name, encoding = os.fspath(directory.absolute()), sys.getfilesystemencoding()
    try:
        name.encode(encoding)
    except UnicodeEncodeError as error:  # the C library of NetCDF takes no other names
        raise BadInput(
            f"out: expected a directory whose name the locale's encoding, {encoding}, can write, got {name!a}"
        ) from error
    try:
        check_name(directory)
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"out: expected a directory that can be written, got {text!r} ({error.strerror})") from error
    if not os.access(directory, os.W_OK):
        raise BadInput(f"out: expected a directory that can be written, got {text!r} (no permission)")
    return directory
