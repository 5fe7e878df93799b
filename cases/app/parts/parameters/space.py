"""Sets of parameters of the cases in space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Self, TypedDict, cast

from pydantic import model_validator

import floating_frame as ff
from cases.app.parts import laws, penalty
from cases.app.parts.parameters.body import Box, Mass, RigidOrElastic
from cases.app.parts.parameters.contact import GroundInSpace, Penalty
from cases.app.parts.parameters.elastic import ElasticInSpace, ElementOfSolids, Poisson, Young
from cases.app.parts.parameters.friction import Coefficients, MuOfGround
from cases.app.parts.parameters.loads import Pull
from cases.app.parts.parameters.model import Given
from cases.app.parts.parameters.time import SchemeOfSolids, TimeInSpace
from cases.app.parts.quantities import choice

if TYPE_CHECKING:
    from floating_frame import Contact

EXACT, PENALTY = "signorini", "penalty"
LAWS_OF = {EXACT: ("coulomb", "static-kinetic"), PENALTY: ("smooth", "sliding", "sliding-stiction")}
"""Laws of friction where the normal force is unknown, and where it is a function of the penetration."""
ContactName = Annotated[
    str,
    choice("normal contact: signorini (exact), or penalty (a force that depends on the penetration)", tuple(LAWS_OF)),
]
LawInSpace = Annotated[
    str,
    choice(
        "friction law: coulomb or static-kinetic with contact signorini, the others with contact penalty (default there: smooth)",
        tuple(name for names in LAWS_OF.values() for name in names),
    ),
]


class Beside(TypedDict, total=False):
    """Known value beside a headline number."""

    exact: float | None
    reference: tuple[float, str] | None


class SpaceParameters(TimeInSpace, GroundInSpace):
    """Parameters of every case on the ground."""

    mu: MuOfGround


class RoughParameters(SpaceParameters, Penalty, Coefficients):
    """Parameters of cases with friction of feet or nodes: normal law, friction law, and their coefficients."""

    contact: ContactName = EXACT
    law: LawInSpace = "coulomb"
    mu_across: ClassVar[float | None] = None
    max_force: ClassVar[float | None] = None
    """None: laws in the plane have them."""

    @classmethod
    def completed(cls, given: Given) -> Given:
        """Fill in the law of a penalty contact."""
        return {"law": LAWS_OF[PENALTY][0]} | given if given.get("contact") == PENALTY else given

    def unread(self) -> dict[str, str]:
        """Also the parameters of other laws."""
        others = sorted(laws.parameters_of_others([self.law]) & set(type(self).model_fields))
        idle = super().unread() | dict.fromkeys(others, f"law {self.law}")
        if self.contact == EXACT:
            return idle | dict.fromkeys(Penalty.model_fields, f"contact {EXACT}")
        given = dict(self)
        return idle | {name: spline for spline, names in penalty.IN_PLACE_OF.items() if given[spline] for name in names}

    @model_validator(mode="after")
    def _contact_agrees(self) -> Self:
        known = LAWS_OF[self.contact]
        if self.law not in known:
            raise ValueError(f"law: expected one of {', '.join(known)} with contact {self.contact}, got {self.law}")
        laws.check(cast(laws.LawParameters, self))
        penalty.normal_force(self, 1.0)
        return self

    @property
    def coulomb(self) -> bool:
        """True for Coulomb friction with one coefficient and exact normal contact, as in the closed forms."""
        return self.contact == EXACT and (not laws.has(self.law, "dynamic_ratio") or self.mu_s in (None, self.mu))

    def ground(self, extent: float) -> Contact:
        """The ground as a contact; ``extent``: the number of feet, or the area m², that bears a penalty."""
        own = cast(laws.LawParameters, self)
        law, mu = laws.build(own), laws.static_coefficient(own)
        normal = ff.Signorini() if self.contact == EXACT else penalty.normal_force(self, extent)
        return ff.Contact(normal=normal, law=law, mu=mu)

    def standing(self, height: float, mass: float) -> tuple[float, float, float] | None:
        """Static position of a body's centre, ``height`` m above its base, on a penalty; None on exact contact."""
        if self.contact == EXACT:
            return None
        depth = penalty.depth_under(self, mass * self.gravity)
        if depth > height:
            raise ValueError(
                f"stiffness: expected a penalty that bears the weight above the centre of the body, {height:.3g} m above its base, "
                f"got one that bears it {depth:.3g} m deep"
            )
        return 0.0, 0.0, height - depth

    @property
    def known_as(self) -> str:
        """Kind of the closed forms of exact contact in this run, exact or reference."""
        return "exact" if self.contact == EXACT else "exact contact"

    def beside(self, value: float | None) -> Beside:
        """Known value beside a headline number, from a closed form of exact contact."""
        if self.contact == EXACT or value is None:
            return {"exact": value}
        return {"reference": (value, self.known_as)}


class ViscousParameters(RoughParameters, ElasticInSpace):
    """Parameters of cases with a body on the ground that may be an elastic solid."""

    @property
    def elastic(self) -> bool:
        """True for an elastic body."""
        return True

    def notes(self) -> list[str]:
        """Also a note on friction under unknown normal forces of a solid without viscosity."""
        if not (self.elastic and self.viscosity == 0.0 and self.contact == EXACT and self.mu > 0.0):
            return super().notes()
        from floating_frame.errors import UNDAMPED

        return [*super().notes(), f"viscosity 0: {UNDAMPED}"]


class SolidParameters(ViscousParameters, Box):
    """Parameters of cases with an elastic solid on the ground."""

    scheme: SchemeOfSolids = "sdirk2"
    elements: ElementOfSolids = "Q1"


class PulledParameters(SolidParameters, Pull):
    """Parameters of a solid on the ground under its weight, pulled at its face of largest x."""


class BlockParameters(ViscousParameters):
    """Parameters of a rigid or elastic block."""

    mass: Mass = 1.0
    body: RigidOrElastic = "rigid"
    E: Young = 1e7
    nu: Poisson = 0.3

    @property
    def elastic(self) -> bool:
        """True for an elastic body."""
        return self.body == "elastic"

    def unread(self) -> dict[str, str]:
        """Also the parameters of elasticity where the block is rigid."""
        only = ("E", "nu", "material", "viscosity", "frame")
        return super().unread() | ({} if self.elastic else dict.fromkeys(only, "body rigid"))
