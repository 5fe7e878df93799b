"""Contact of a body with an obstacle, as the user gives it: place on the body, normal law, friction, and quadrature.

The contact force of Szefer, F_C = ∫_Γ_C f dS and its moment M^C about x0, has at each point of Γ_C

    f = f_n n − λ,   f_n = f_n(d, d'),   d = −g(x, t),   d' = −n·(v − v_o),   λ along the slip velocity (1 − n nᵀ)(v − v_o)

with the obstacle's gap g and normal n and its velocity v_o at the point, and λ a friction law of the bound μ f_n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.shapes import GROUND
from floating_frame.input_checks import check_kind, require, require_one_of
from friction import RESTITUTION_LAWS, Coulomb, Law
from friction.arrays import as_numbers, is_finite, shown
from friction.given import Given
from friction.laws.common import require_law

INTEGRATIONS = ("gauss", "nodes")


@dataclass(frozen=True)
class Signorini(Given):
    """Exact unilateral contact as the normal law of a ``Contact``; ``restitution`` e in [0, 1], a ratio of velocities, impulses or
    (its square) works by ``restitution_law`` "newton", "poisson" or "stronge". ValueError otherwise."""

    restitution: float = 0.0
    restitution_law: str = "newton"
    penalty: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one_of(RESTITUTION_LAWS, "restitution_law", self.restitution_law)
        passive = is_finite(self.restitution) and 0.0 <= self.restitution <= 1.0
        require(passive, "restitution", "lie in [0, 1]", self.restitution)


@dataclass(frozen=True)
class Contact(Given):
    """Contact of a body with an ``obstacle``: in the plane of an ``edge`` (a name), or of some ``nodes`` (indices); in space of all
    points, or the face, of the body that may touch.

    ``normal``: ``Signorini()``, exact contact, or a ``friction.NormalForce`` or ``friction.UserForce`` (penalty), in N/m per unit
    of reference length along an edge, in Pa on the face of a solid, in N at single points. ``law``, ``mu`` (of two coefficients the
    static one): friction ``|λ| <= μ f_n``. With a penalty any regularised law, also with memory (bristles at the points), in the
    plane also with a total; with exact contact Coulomb's, or static and kinetic friction. ``integration`` over an edge: "gauss",
    four points on each segment, or "nodes", with the nodes' shares of the length. Raises ValueError unless exactly one of ``edge``
    and ``nodes`` is given in the plane, none in space, and for values out of range.
    """

    obstacle: Obstacle = GROUND
    edge: str | None = None
    nodes: Sequence[int] | None = None
    normal: Any = field(default_factory=Signorini)
    law: Law = field(default_factory=Coulomb)
    mu: float = 0.0
    integration: str = "gauss"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind(
            "Contact",
            "obstacle",
            self.obstacle,
            "shape_gap",
            "an obstacle such as HalfSpace() or Line((0.3, 0.0), (-1.0, 0.0))",
        )
        where = "in the plane" if self.obstacle.dimension == 2 else "in space"
        require(
            self.obstacle.motion.fits(self.obstacle.dimension),
            "the motion of an obstacle",
            f"be {where}",
            self.obstacle.motion,
        )
        where = f"got edge={self.edge!r} and nodes={shown(self.nodes)}"
        if self.obstacle.dimension == 2 and (self.edge is None) == (self.nodes is None):
            raise ValueError(f"a contact takes either an edge or nodes of the body, and one of them, {where}")
        if self.obstacle.dimension == 3 and not (self.edge is None and self.nodes is None):
            raise ValueError(f"a contact in space takes the points or the face by which the body touches, {where}")
        if self.nodes is not None:
            numbers = as_numbers(self.nodes, "the nodes of a contact")
            require(numbers.ndim == 1 and not np.any(numbers % 1.0), "the nodes of a contact", "be indices", self.nodes)
        require_law("Contact", self.law)
        check_kind("Contact", "normal", self.normal, "penalty", "a NormalForce, a UserForce or Signorini()")
        require_one_of(INTEGRATIONS, "integration", self.integration)
        require(is_finite(self.mu) and self.mu >= 0.0, "mu of a contact", "be a finite number >= 0", self.mu)

    @property
    def penalty(self) -> bool:
        """True if the normal force is a function of penetration and its rate."""
        return bool(self.normal.penalty)
