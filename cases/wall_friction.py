"""Friction on the obstacle of case wall_impact: its law and coefficient from the parameters, and what contradicts itself.

The law is built as that of the plane beneath is (see ``laws``), with mu_wall, mu_s_wall and max_force_wall for mu, mu_s and
max_force; speeds, bristles and splines are those of the plane's law, for there is one set of them on the command line.
"""

from __future__ import annotations

from typing import Any

from cases import laws
from friction import Law

AUTO = "auto"
NO_SPLINE: dict[str, Any] = {"spline_speeds": (), "spline_values": ()}


def of_the_obstacle(params: Any) -> Any:
    """Return the parameters with the friction on the obstacle in place of that of the plane."""
    name = params.wall_law
    if name == AUTO:
        name = "smooth" if params.contact == "penalty" else "coulomb"
    own = {"law": name, "mu": params.mu_wall, "mu_s": params.mu_s_wall, "max_force": params.max_force_wall}
    return params.model_copy(update=own | ({} if name in laws.SPLINES else NO_SPLINE))


def friction(params: Any) -> tuple[Law, float]:
    """Return the law of friction on the obstacle and the coefficient of its bound, the static one of a law that has two."""
    own = of_the_obstacle(params)
    return laws.build(own), laws.static_coefficient(own)


def check(params: Any) -> None:
    """Refuse parameters of the two laws that contradict each other: ValueError in one line."""
    spline_on_the_obstacle = params.wall_law in laws.SPLINES and params.law not in laws.SPLINES
    laws.check(params.model_copy(update=NO_SPLINE) if spline_on_the_obstacle else params)
    try:
        laws.check(of_the_obstacle(params))
    except ValueError as error:
        raise ValueError(f"friction on the obstacle (wall_law, mu_wall, mu_s_wall): {error}") from error
