"""Parameters from a file: TOML as a user writes it, or the summary.json of an earlier run, which repeats it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cases.app import registry
from cases.app.own_files import OWN, shown
from cases.app.parts.parameters import CaseParameters, base_type, from_text, is_field
from cases.app.run.errors import BadInput
from cases.app.run.reading import read_bounded

DEEPEST = 100
"""Dots in a name of a TOML file, which takes time with the square of their number."""
SUMMARY = ".json"
"""End of the name of a file that is read as a summary."""


def read_config(path: str, model: type[CaseParameters]) -> dict[str, object]:
    """Return the parameters that a file gives to a case of this `model`, not yet validated.

    In TOML the names may be written with hyphens for underscores. Raises BadInput for what cannot be read, and for the
    summary of another case.
    """
    if Path(path).suffix == SUMMARY:
        own = model.__module__.removeprefix("cases.")
        name = own if own.startswith(OWN) else case_of(path)  # a user's file may have moved since
        if name != own:
            raise BadInput(f"config: expected the summary of a run of {own}, got one of {name} in {path!r}")
        return {key: _from_json(model, key, value) for key, value in _summary(path)["parameters"].items()}
    values: dict[str, object] = {}
    for key, value in _toml(path).items():
        name = key.replace("-", "_")
        if name in values:
            raise BadInput(f"config: expected {name} once, got it twice in {path!r}")
        values[name] = value
    return values


def case_of(path: str) -> str:
    """Return the case that a summary.json names. Raises BadInput where it is no summary of a known case."""
    return registry.case_of(_summary(path))


def _summary(path: str) -> dict[str, Any]:
    text = _text(path, "a summary.json")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"config: expected a summary.json, got {path!r} ({error})") from error
    if not (isinstance(found, Mapping) and isinstance(found.get("parameters"), Mapping) and "case" in found):
        raise BadInput(f"config: expected a summary.json with case and parameters, got {path!r}")
    return dict(found)


def _from_json(model: type[CaseParameters], name: str, value: object) -> object:
    """Return numbers for what JSON has as texts: it has no infinite ones."""
    field = model.model_fields.get(name)
    number = field is not None and base_type(field) is float and not is_field(field)
    return from_text(field, value) if field is not None and number and isinstance(value, str) else value


def _toml(path: str) -> dict[str, Any]:
    text = _text(path, "a TOML file")
    if any(len(re.findall(r"""[\w"'][ \t]*\.""", part)) > DEEPEST for part in re.split(r"[=,\[\]\n]", text)):
        raise BadInput(f"config: expected names and values in a TOML file, got names nested too deeply in {path!r}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"config: expected a TOML file, got {path!r} ({error})") from error
    except ValueError as error:  # Python converts no text of so many digits
        raise BadInput(
            f"config: expected numbers in a TOML file, got an integer of too many digits in {path!r}"
        ) from error
    except RecursionError as error:
        raise BadInput(
            f"config: expected names and values in a TOML file, got lists nested too deeply in {path!r}"
        ) from error


def _text(path: str, kind: str) -> str:
    try:
        return read_bounded(path).decode("utf-8-sig")  # editors write a mark of byte order
    except OSError as error:
        raise BadInput(f"config: expected {kind} that can be read, got {path!r} ({error.strerror})") from error
    except ValueError as error:
        raise BadInput(f"config: expected {kind}, got {path!r} ({error})") from error


def as_toml(name: str, params: CaseParameters) -> str:
    """Return the parameters of the case `name` as the text of a TOML file; those that are left out are comments."""
    lines = [f"# python -m cases run {shown(name)} --config FILE.toml"]
    for key, value in dict(params).items():
        lines.append(f"# {key}: left out" if value is None else f"{key} = {_toml_value(value)}")
    return "\n".join(lines)


def _toml_value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool)) else repr(value)
