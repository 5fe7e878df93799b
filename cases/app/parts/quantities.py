"""Fields of the cases' parameters: a number with its unit and bounds, a name among choices, a list of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from floating_frame.coefficients import FORMER_NAMES

_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def quantity(unit: str, meaning: str, **bounds: Any) -> Any:
    """Pydantic field of a number: meaning, unit, and bounds (`gt`, `ge`, `lt`, `le`)."""
    text = ", ".join(f"{_SIGNS[key]} {limit:g}" for key, limit in bounds.items() if key in _SIGNS)
    extra: dict[str, Any] = {"bounds": text} | ({"unit": unit} if unit else {})
    return Field(description=meaning, json_schema_extra=extra, **bounds)


def choice(meaning: str, names: Iterable[str]) -> Any:
    """Pydantic field of a name among `names`, or a former name of one of them.

    `names` may be a registry (a mapping), read at each validation.
    """
    taken = names if isinstance(names, Mapping) else list(names)
    former = {old: name for old, name in FORMER_NAMES.items() if name in taken}
    extra: dict[str, Any] = {"choices": taken, "former": former}
    return Field(description=meaning, json_schema_extra=extra)


# TOML arrays and Python lists become tuples, as the model is frozen.
Numbers = Annotated[tuple[float, ...], BeforeValidator(lambda v: tuple(v) if isinstance(v, list) else v)]
