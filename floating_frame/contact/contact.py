"""Contact of a body with an obstacle, as the user gives it: where on the body, the normal law, friction, and how it is integrated.

The contact force of Szefer, F_C = ∫_Γ_C f dS and its moment M^C about x0, has at each point of Γ_C

    f = f_n n − λ,   f_n = f_n(d, d'),   d = −g(x, t),   d' = −n·(v − v_o),   λ along the slip velocity (1 − n nᵀ)(v − v_o)

with the obstacle's gap g and normal n and its velocity v_o at the point, and λ a friction law of the bound μ f_n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from floating_frame.contact.obstacles import Obstacle
from floating_frame.mistakes import check_kind, require, require_one_of
from friction import Coulomb, Law
from friction.arrays import as_numbers, is_finite, shown
from friction.given import Given
from friction.laws.stateless import require_law

INTEGRATIONS = ("gauss", "nodes")


@dataclass(frozen=True)
class Contact(Given):
    """Contact of an ``edge`` (a name), or of some ``nodes`` (indices), of a body with an ``obstacle``.

    ``normal``: a ``friction.NormalForce`` or ``friction.UserForce`` (penalty), in N/m per unit of reference length along an edge,
    in N at each of ``nodes``; other kinds of normal laws (exact contact) may be named there too. ``law``, ``mu``: friction on the
    contact, ``|λ| <= μ f_n``, of two coefficients the static one: with a penalty any regularised law, with memory (bristles at the
    points, see ``contact_bristles``) and totals over the contact included; with exact contact Coulomb's or static and kinetic
    friction. ``integration`` over an edge: "gauss", four points on each segment, or "nodes", with the nodes' shares of
    the length. Raises ValueError unless exactly one of ``edge`` and ``nodes`` is given, and for values out of range.
    """

    obstacle: Obstacle
    edge: str | None = None
    nodes: Sequence[int] | None = None
    normal: Any = None
    law: Law = field(default_factory=Coulomb)
    mu: float = 0.0
    integration: str = "gauss"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.edge is None) == (self.nodes is None):
            raise ValueError(
                "a contact takes either an edge or nodes of the body, and one of them, "
                f"got edge={self.edge!r} and nodes={shown(self.nodes)}"
            )
        if self.normal is None:
            raise ValueError("a contact needs a normal law, such as friction.NormalForce(stiffness=1e6)")
        check_kind("Contact", "obstacle", self.obstacle, "gap", "an obstacle such as Line((0.3, 0.0), (-1.0, 0.0))")
        if self.nodes is not None:
            numbers = as_numbers(self.nodes, "the nodes of a contact")
            require(numbers.ndim == 1 and not np.any(numbers % 1.0), "the nodes of a contact", "be indices", self.nodes)
        require_law("Contact", self.law)
        check_kind("Contact", "normal", self.normal, "penalty", "a NormalForce, a UserForce or Signorini()")
        require_one_of(INTEGRATIONS, "integration", self.integration)
        require(is_finite(self.mu) and self.mu >= 0.0, "mu of a contact", "be a finite number >= 0", self.mu)

    @property
    def penalty(self) -> bool:
        """Whether the normal force is a function of penetration and its rate."""
        return bool(self.normal.penalty)
