"""Parameters from a file: TOML as a user writes it, or the summary.json of an earlier run, which repeats it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cases.app import registry
from cases.app.parts.parameters import CaseParameters, base_type, from_text, is_field
from cases.app.run.errors import BadInput
from cases.app.run.reading import read_bounded
from cases.app.user_files import OWN, shown

MAX_DOTS = 100
"""Largest number of dots in a name of a TOML file: the time to read it grows with their square."""
SUMMARY = ".json"
"""Suffix of files that are read as summaries."""


def read_config(path: str, model: type[CaseParameters]) -> dict[str, object]:
    """Parameters of a file for a case of this `model`, not yet validated.

    In TOML the names may be written with hyphens for underscores. Raises BadInput for unreadable files and summaries of another
    case.
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
    """Name of the case in a summary.json. Raises BadInput where it is not the summary of a known case."""
    return registry.case_of(_summary(path))


def _summary(path: str) -> dict[str, Any]:
    text = _text(path, "a summary.json")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"config: expected a summary.json, got {path!r} ({error})") from error
    if not (isinstance(content, Mapping) and isinstance(content.get("parameters"), Mapping) and "case" in content):
        raise BadInput(f"config: expected a summary.json with case and parameters, got {path!r}")
    return dict(content)


def _from_json(model: type[CaseParameters], name: str, value: object) -> object:
    """Convert texts that stand for infinite numbers, which JSON lacks."""
    field = model.model_fields.get(name)
    number = field is not None and base_type(field) is float and not is_field(field)
    return from_text(field, value) if field is not None and number and isinstance(value, str) else value


def _toml(path: str) -> dict[str, Any]:
    text = _text(path, "a TOML file")
    if any(len(re.findall(r"""[\w"'][ \t]*\.""", part)) > MAX_DOTS for part in re.split(r"[=,\[\]\n]", text)):
        raise BadInput(f"config: expected names and values in a TOML file, got names nested too deeply in {path!r}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"config: expected a TOML file, got {path!r} ({error})") from error
    except ValueError as error:  # Python refuses integers of very many digits
        raise BadInput(
            f"config: expected numbers in a TOML file, got an integer of too many digits in {path!r}"
        ) from error
    except RecursionError as error:
        raise BadInput(
            f"config: expected names and values in a TOML file, got lists nested too deeply in {path!r}"
        ) from error


def _text(path: str, kind: str) -> str:
    try:
        return read_bounded(path).decode("utf-8-sig")  # editors may write a byte order mark
    except OSError as error:
        raise BadInput(f"config: expected {kind} that can be read, got {path!r} ({error.strerror})") from error
    except ValueError as error:
        raise BadInput(f"config: expected {kind}, got {path!r} ({error})") from error


def as_toml(name: str, params: CaseParameters) -> str:
    """Parameters of the case `name` as TOML; parameters without a value are comments."""
    lines = [f"# python -m cases run {shown(name)} --config FILE.toml"]
    for key, value in dict(params).items():
        lines.append(f"# {key}: left out" if value is None else f"{key} = {_toml_value(value)}")
    return "\n".join(lines)


def _toml_value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool)) else repr(value)
