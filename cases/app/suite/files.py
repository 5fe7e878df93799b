"""Problem files: names of the suite's problems, and the variants read from a file."""

from __future__ import annotations

import hashlib
import itertools
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cases.app.run.errors import BadInput
from cases.app.suite.formulas import formula, number
from cases.app.suite.schema import Problem, explain
from cases.app.suite.signals import offered
from friction.arrays import shown

FOLDER = Path(__file__).parent / "problems"


def names() -> list[str]:
    """Names of the problems of the suite."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def path_of(name: str) -> Path:
    """File of the problem of the suite with this name, or the file at this path."""
    return Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"


@cache
def load(name: str) -> tuple[Problem, ...]:
    """Variants of the problem of the suite with this name, or of the file at this path. Raises BadInput, one line."""
    path = path_of(name)
    if not path.is_file():
        raise BadInput(f"expected a problem (one of {', '.join(names())}) or the path of a .toml file, got {name}")
    try:
        content = path.read_bytes()
        text = tomllib.loads(content.decode("utf-8-sig"))
        about = {"name": path.stem, "digest": hashlib.sha256(content).hexdigest()[:12]}
        variants = list(_variants(text))
        _check_only(text, [label for label, _ in variants])
        return tuple(_variant(about, label, text, given) for label, given in variants)
    except ValidationError as error:
        raise BadInput(f"{path.name}: {explain(error)}") from None
    except (ValueError, ArithmeticError, TypeError, OSError) as error:
        raise BadInput(f"{path.name}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise BadInput(f"{path.name}: expected a TOML file, got one nested too deeply") from None


def _check_only(text: Mapping[str, Any], labels: list[str]) -> None:
    """Raise ValueError for quantities of unknown variants."""
    for quantity in text.get("quantities", []):
        asked = quantity.get("only", []) if isinstance(quantity, dict) else []
        if not isinstance(asked, list):
            raise ValueError(f"quantities: expected only as a list of names of variants, got {shown(asked)}")
        for label in asked:
            if label not in labels:
                raise ValueError(f"quantities: expected only of the variants {', '.join(labels)}, got {label}")


def _variants(text: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and parameters of each variant or grid point of a file, and remove them from its `text`."""
    listed, grid = text.pop("variants", None), text.pop("grid", None)
    if listed is not None and grid is not None:
        raise ValueError("expected variants or a grid, got both")
    if grid is not None:
        if not isinstance(grid, dict) or not all(isinstance(values, list) and values for values in grid.values()):
            raise ValueError("grid: expected a list of numbers for each parameter")
        for values in itertools.product(*grid.values()):
            given = dict(zip(grid, values, strict=True))
            yield ", ".join(f"{name} {value:g}" for name, value in given.items()), given
        return
    if listed is not None and not (isinstance(listed, list) and all(isinstance(one, dict) for one in listed)):
        raise ValueError("variants: expected a list of tables")
    for one in listed or [{}]:
        given = dict(one)
        label = given.pop("name", "")
        if listed and not (isinstance(label, str) and label):
            raise ValueError("variants: expected a name of each")
        yield label, given


def _variant(about: Mapping[str, str], label: str, text: Mapping[str, Any], given: Mapping[str, Any]) -> Problem:
    """One variant: `given` values override the parameters and tables of the file; then all formulas are evaluated. `about`: name
    and digest of the file."""
    parameters: dict[str, float] = {}
    stated = text.get("parameters", {})
    if not isinstance(stated, dict):
        raise ValueError("parameters: expected a table of numbers")
    tables = {key: value for key, value in given.items() if isinstance(value, dict)}
    own = {key: value for key, value in given.items() if key not in tables}
    for key in (*(key for key in own if key not in stated), *(key for key in tables if key not in text)):
        raise ValueError(f"variant {label!r}: expected parameters or tables of the problem, got {key}")
    for key, value in (stated | own).items():
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError(f"parameters.{key}: expected a number or a formula of those above, got {shown(value)}")
        parameters[key] = number(value, parameters)
    rest = {key: value | tables.get(key, {}) if key in tables else value for key, value in text.items()}
    asked = rest.get("quantities", [])
    if isinstance(asked, list):
        rest["quantities"] = [one for one in asked if not isinstance(one, dict) or label in one.get("only", [label])]
    problem = Problem.model_validate(
        {**rest, **about, "variant": label, "parameters": parameters}, context={"parameters": parameters}
    )
    _check(problem)
    return problem


def _check(problem: Problem) -> None:
    """Raise ValueError for signals and intervals that the problem does not have."""
    known, labels = offered(problem), {quantity.name for quantity in problem.quantities}
    if shadowed := sorted(known & set(problem.parameters)):
        raise ValueError(f"parameters: expected names that are no signals, got {', '.join(shadowed)}")
    if len(labels) != len(problem.quantities):
        raise ValueError("quantities: expected a name of its own for each")
    for quantity in problem.quantities:
        try:
            formula(str(quantity.signal), frozenset(known), problem.parameters)
        except ValueError as error:
            raise ValueError(f"quantity {quantity.name}: {error}") from None
        taken, when = quantity.over
        instants = (when,) if isinstance(when, float) else when
        if not all(0.0 <= instant <= problem.time.end * (1.0 + 1e-12) for instant in instants) or sorted(instants) != [
            *instants
        ]:
            raise ValueError(
                f"quantity {quantity.name}: expected {taken} within 0 to {problem.time.end:g} s, got {when}"
            )
        steps = [instant / problem.time.every for instant in instants]
        if any(abs(step - round(step)) > 1e-6 for step in steps):
            raise ValueError(f"quantity {quantity.name}: expected {taken} at multiples of every, got {when}")
