"""Fields of the cases' parameters: a number with its unit and bounds, a name among choices, a list of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def quantity(unit: str, meaning: str, **bounds: Any) -> Any:
    """Return the pydantic field of a number: its meaning, its unit, and bounds (`gt`, `ge`, `lt`, `le`)."""
    text = ", ".join(f"{_SIGNS[key]} {limit:g}" for key, limit in bounds.items() if key in _SIGNS)
    extra: dict[str, Any] = {"bounds": text} | ({"unit": unit} if unit else {})
    return Field(description=meaning, json_schema_extra=extra, **bounds)


def choice(meaning: str, names: Iterable[str]) -> Any:
    """Return the pydantic field of a name that is one of `names`."""
    extra: dict[str, Any] = {"choices": list(names)}
    return Field(description=meaning, json_schema_extra=extra)


# A TOML array and a Python list become the tuple that a frozen model keeps.
Numbers = Annotated[tuple[float, ...], BeforeValidator(lambda v: tuple(v) if isinstance(v, list) else v)]
