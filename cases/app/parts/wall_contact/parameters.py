"""The set of parameters of an obstacle, its contact and friction."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import model_validator

from cases.app.parts.parameters import (
    Density,
    ElasticParameters,
    Penalty,
    RigidOrElastic,
    SpeedX,
    SpeedY,
    Spin,
    Thickness,
    Width,
)
from cases.app.parts.wall_contact import contact, friction
from cases.app.parts.wall_contact.shapes import ObstacleShape
from cases.app.parts.wall_contact.steps import StepsNearContact


class ObstacleParameters(
    contact.NormalContact, ObstacleShape, friction.ObstacleFriction, StepsNearContact, ElasticParameters
):
    """Parameters of a rectangular plate that runs into an obstacle."""

    HEADINGS: ClassVar = {
        "Obstacle": (
            *("obstacle", "distance", "wall_y", "wall_angle", "wall_vx", "radius", "edge", "integration", "contact"),
            *("restitution", "restitution_law", *Penalty.model_fields, *friction.ObstacleFriction.model_fields),
        )
    }
    body: RigidOrElastic = "rigid"
    width: Width
    thickness: Thickness
    density: Density
    vx0: SpeedX
    vy0: SpeedY
    spin0: Spin

    def acting_laws(self) -> tuple[str, ...]:
        """Names of the laws of the plane and of the obstacle."""
        return self.law, friction.of_the_obstacle(self).law

    @model_validator(mode="after")
    def _contact_agrees(self) -> Self:
        friction.check(self)
        contact.check(self)
        return self
