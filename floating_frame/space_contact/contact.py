"""Contact of a body in space with an obstacle, as the user gives it: the normal law, and friction."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from floating_frame.contact.signorini import Signorini
from floating_frame.mistakes import check_kind, require
from floating_frame.space_contact.obstacles import GROUND, SpaceObstacle
from friction import Coulomb, Law, NormalLaw
from friction.arrays import is_finite
from friction.given import Given


@dataclass(frozen=True, kw_only=True)
class SpaceContact(Given):
    """Contact with an ``obstacle`` by a ``normal`` law, with friction ``mu`` by ``law``.

    ``Signorini()`` is exact and without restitution, its friction Coulomb's or ``StaticKinetic``: mu is then that of points at rest
    until they slip. ``friction.NormalForce`` or ``UserForce``, N at each point, is a penalty, its friction a function of the slip
    velocity, with memory or without (``Smooth``, ``Sliding``, ``SlidingStiction``); of two coefficients mu is the static one.
    Raises ValueError for others."""

    obstacle: SpaceObstacle = GROUND
    normal: Signorini | NormalLaw = field(default_factory=Signorini)
    law: Law = field(default_factory=Coulomb)
    mu: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind(
            "SpaceContact",
            "obstacle",
            self.obstacle,
            "shape_gap",
            "HalfSpace() or Sphere((0.0, 0.0, 0.0), 1.0)",
        )
        check_kind("SpaceContact", "normal", self.normal, "penalty", "Signorini() or NormalForce(stiffness=1e5)")
        require(is_finite(self.mu) and self.mu >= 0.0, "mu", "be a finite number >= 0", self.mu)
        if self.normal.penalty:
            check_smooth(self.law, self.mu)
            return
        if isinstance(self.normal, Signorini) and self.normal.restitution:
            raise ValueError(
                f"exact contact of bodies in space is without restitution, got {self.normal!r}; choose a penalty, "
                "NormalForce(stiffness=..., damping=...)"
            )
        check_law("SpaceContact", self.law)


def check_smooth(law: Law, mu: float) -> None:
    """Refuse laws that are not derived for a penalty contact in space: ValueError."""
    check_kind("SpaceContact", "law", law, "set_valued", "Smooth(v_reg=1e-3)")
    if mu > 0.0 and law.set_valued:
        raise ValueError(
            f"a penalty contact takes friction that is a function of the slip velocity, got {law!r}; choose a regularised law such "
            "as Smooth(v_reg=1e-3), or exact contact, normal=Signorini()"
        )
    for unfit, what in (
        (law.has_total, "a total over the body"),
        (law.metric is not None, "directions of its own"),
    ):
        if mu > 0.0 and unfit:
            raise ValueError(
                f"friction of a contact in space has no {what}, got {law!r}; choose a law such as Smooth(v_reg=1e-3)"
            )


def check_law(problem: str, law: Law, *, flat: bool = False) -> None:
    """Refuse laws that are not derived for a normal force that is unknown. Raises ValueError."""
    check_kind(problem, "law", law, "set_valued", "Coulomb() or StaticKinetic(dynamic_ratio=0.8)")
    plain = law.set_valued and law.metric is None and law.with_total_load(np.ones(1)) is law
    known = plain and law.radial.constant and not np.isfinite(law.radial.cap)
    if not known or (flat and law.radial.static != law.radial.kinetic):
        where, laws = ("a flat base", "Coulomb()") if flat else ("a body in space", "Coulomb() or StaticKinetic(...)")
        raise ValueError(
            f"the law of {where}, whose normal forces are unknown, must be {laws}, got {law!r}: "
            "others take a given pressure, in the plane (Foundation)"
        )
