"""Sets of parameters of the cases in the plane."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from cases.app.parts.parameters.contact import GroundInPlane
from cases.app.parts.parameters.elastic import ElasticInPlane
from cases.app.parts.parameters.friction import FrictionInPlane
from cases.app.parts.parameters.time import TimeInPlane


class Parameters(TimeInPlane, FrictionInPlane, GroundInPlane):
    """Parameters of every case in the plane."""


class ElasticParameters(Parameters, ElasticInPlane):
    """Parameters of a case with a deformable body in the plane; a rigid `body` ignores the elasticity."""

    def unread(self) -> dict[str, str]:
        """Also the parameters of elasticity where the body is rigid."""
        rigid = dict(self).get("body") == "rigid"
        return super().unread() | (dict.fromkeys(ElasticInPlane.model_fields, "body rigid") if rigid else {})

    @model_validator(mode="after")
    def _explicit_is_lumped(self) -> Self:
        rigid = dict(self).get("body") == "rigid"
        if self.scheme == "explicit" and self.elements not in ("P1", "Q1") and not rigid:
            raise ValueError(f"elements: expected P1 or Q1 with scheme explicit, got {self.elements}")
        return self
