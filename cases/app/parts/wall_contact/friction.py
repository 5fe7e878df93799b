"""Friction on the obstacle of case wall_impact: law and coefficient from the parameters, and checks of these.

The law is built like the plane's (see ``laws``), with mu_wall, mu_s_wall and max_force_wall for mu, mu_s and max_force. Both laws
share one set of speeds, bristles and splines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Protocol, Self, TypeVar

from cases.app.parts import laws
from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import choice, quantity
from friction import LAWS

if TYPE_CHECKING:
    from friction import Law

AUTO = "auto"
_LAW = "friction law on the obstacle; auto: smooth with contact penalty, coulomb with signorini"
_STATIC = "static coefficient of friction on the obstacle; left out: equal to mu_wall"
_LIMIT = "largest friction force of the obstacle on the body; left out: no limit"


class ObstacleFriction(Group):
    """Friction on the obstacle."""

    mu_wall: Annotated[float, quantity("1", "coefficient of friction on the obstacle", ge=0)] = 0.0
    wall_law: Annotated[str, choice(_LAW, (AUTO, *LAWS))] = AUTO
    mu_s_wall: Annotated[float | None, quantity("1", _STATIC, ge=0)] = None
    max_force_wall: Annotated[float | None, quantity("N", _LIMIT, gt=0)] = None


class WallParameters(laws.LawParameters, Protocol):
    """The parameters of the friction on the obstacle, added to the friction on the plane."""

    contact: str
    wall_law: str
    mu_wall: float
    mu_s_wall: float | None
    max_force_wall: float | None

    def model_copy(self, *, update: dict[str, object]) -> Self:
        """Parameters with some of them changed."""


Wall = TypeVar("Wall", bound=WallParameters)


def of_the_obstacle(params: Wall) -> Wall:
    """Parameters with the friction on the obstacle in place of the plane's."""
    name = params.wall_law
    if name == AUTO:
        name = "smooth" if params.contact == "penalty" else "coulomb"
    own = {"law": name, "mu": params.mu_wall, "mu_s": params.mu_s_wall, "max_force": params.max_force_wall}
    return params.model_copy(update=own)


def friction(params: WallParameters) -> tuple[Law, float]:
    """Law of friction on the obstacle and the coefficient of its bound, the static one of a law that has two."""
    own = of_the_obstacle(params)
    return laws.build(own), laws.static_coefficient(own)


def check(params: WallParameters) -> None:
    """Refuse parameters of the obstacle's law that contradict each other: ValueError in one line."""
    try:
        laws.check(of_the_obstacle(params))
    except ValueError as error:
        raise ValueError(f"friction on the obstacle (wall_law, mu_wall, mu_s_wall): {error}") from error
