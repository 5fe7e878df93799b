"""Fields of the cases' parameters: a number with its unit and bounds, a name among choices, a list of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from floating_frame.coefficients import FORMER_NAMES

_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def quantity(unit: str, meaning: str, **bounds: Any) -> Any:
    """Return the pydantic field of a number: its meaning, its unit, and bounds (`gt`, `ge`, `lt`, `le`)."""
    text = ", ".join(f"{_SIGNS[key]} {limit:g}" for key, limit in bounds.items() if key in _SIGNS)
    extra: dict[str, Any] = {"bounds": text} | ({"unit": unit} if unit else {})
    return Field(description=meaning, json_schema_extra=extra, **bounds)


def choice(meaning: str, names: Iterable[str]) -> Any:
    """Return the pydantic field of a name that is one of `names`, or what one of them was called before.

    Of a registry (a mapping) all names are taken that it has when the field is asked.
    """
    taken = names if isinstance(names, Mapping) else list(names)
    former = {old: name for old, name in FORMER_NAMES.items() if name in taken}
    extra: dict[str, Any] = {"choices": taken, "former": former}
    return Field(description=meaning, json_schema_extra=extra)


# A TOML array and a Python list become the tuple that a frozen model keeps.
Numbers = Annotated[tuple[float, ...], BeforeValidator(lambda v: tuple(v) if isinstance(v, list) else v)]
