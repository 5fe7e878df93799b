"""The model of a group of parameters, which all groups and all sets of parameters share."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator, model_validator

from cases.app.parts.parameters.texts import extra, present_name
from cases.app.parts.quantities import Numbers as Numbers
from cases.app.parts.quantities import choice as choice
from cases.app.parts.quantities import quantity as quantity

Given: TypeAlias = dict[str, Any]
"""Parameters by name, as given."""


class Group(BaseModel):
    """Some parameters of a case. Frozen; unknown names, wrong types, infinities and NaN are refused.

    A case's set is composed of groups. Of two with the same parameter, the first among the bases counts.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        ser_json_inf_nan="strings",
        validate_default=True,
        defer_build=True,  # mere bases are never built
    )

    @classmethod
    def completed(cls, given: Given) -> Given:
        """Given parameters, unchecked, with those that follow from them."""
        return given

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, given: object) -> object:
        return cls.completed(given) if isinstance(given, dict) else given

    def unread(self) -> dict[str, str]:
        """{name of a parameter without effect: the choice that makes it so}."""
        return {}

    def notes(self) -> list[str]:
        """A line for each given parameter without effect."""
        fields, values = type(self).model_fields, dict(self)
        return [
            f"{name}: no effect with {by}" for name, by in self.unread().items() if values[name] != fields[name].default
        ]

    @field_validator("*")
    @classmethod
    def _one_of_its_choices(cls, value: object, info: ValidationInfo) -> object:
        field = cls.model_fields[str(info.field_name)]
        value, allowed = present_name(field, value), extra(field).get("choices")
        if allowed is not None and value not in allowed:
            raise ValueError(f"not among {allowed}")  # `explain` words it
        return value
