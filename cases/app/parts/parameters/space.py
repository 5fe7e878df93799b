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
ContactName = Annotated[str, choice("normal law", tuple(LAWS_OF))]
LawInSpace = Annotated[
    str,
    choice(
        "friction law, with contact penalty one of the slip velocity (left out then: smooth)",
        tuple(name for names in LAWS_OF.values() for name in names),
    ),
]


class Beside(TypedDict, total=False):
    """What a headline stands beside."""

    exact: float | None
    reference: tuple[float, str] | None


class SpaceParameters(TimeInSpace, GroundInSpace):
    """What every case on the ground takes."""

    mu: MuOfGround


class RoughParameters(SpaceParameters, Penalty, Coefficients):
    """What every case takes whose feet or nodes rub: the normal law, the friction law, and their coefficients."""

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
        """Return the parameters of other laws."""
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
        """Whether friction is Coulomb's with one coefficient, and normal forces are exact: that of the closed forms."""
        return self.contact == EXACT and (not laws.has(self.law, "dynamic_ratio") or self.mu_s in (None, self.mu))

    def ground(self, extent: float) -> Contact:
        """Return the ground as a contact; ``extent``: the number of feet, or the area m², that bears a penalty."""
        own = cast(laws.LawParameters, self)
        law, mu = laws.build(own), laws.static_coefficient(own)
        normal = ff.Signorini() if self.contact == EXACT else penalty.normal_force(self, extent)
        return ff.Contact(normal=normal, law=law, mu=mu)

    def standing(self, height: float, mass: float) -> tuple[float, float, float] | None:
        """Return where the centre of a body rests whose centre is ``height`` m above its base; None: on the ground, not in it."""
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
        """What closed forms of exact contact are called beside the run."""
        return "exact" if self.contact == EXACT else "exact contact"

    def beside(self, value: float | None) -> Beside:
        """Return what a headline is put beside, by a closed form of exact contact."""
        if self.contact == EXACT or value is None:
            return {"exact": value}
        return {"reference": (value, self.known_as)}


class ViscousParameters(RoughParameters, ElasticInSpace):
    """What every case takes whose body on the ground is, or may be, an elastic solid."""

    @property
    def elastic(self) -> bool:
        """Whether the body is elastic."""
        return True

    def notes(self) -> list[str]:
        """Say besides where a solid without viscosity rubs under unknown normal forces."""
        if not (self.elastic and self.viscosity == 0.0 and self.contact == EXACT and self.mu > 0.0):
            return super().notes()
        from floating_frame.errors import UNDAMPED

        return [*super().notes(), f"viscosity 0: {UNDAMPED}"]


class SolidParameters(ViscousParameters, Box):
    """What every case with an elastic solid on the ground takes."""

    scheme: SchemeOfSolids = "sdirk2"
    elements: ElementOfSolids = "Q1"


class PulledParameters(SolidParameters, Pull):
    """What a case takes whose solid, pressed on the ground by its weight, is pulled at its face x = +."""


class BlockParameters(ViscousParameters):
    """What a block takes that is rigid or elastic."""

    mass: Mass = 1.0
    body: RigidOrElastic = "rigid"
    E: Young = 1e7
    nu: Poisson = 0.3

    @property
    def elastic(self) -> bool:
        """Whether the body is elastic."""
        return self.body == "elastic"

    def unread(self) -> dict[str, str]:
        """Return the parameters of an elastic block where it is rigid."""
        only = ("E", "nu", "material", "viscosity", "frame")
        return super().unread() | ({} if self.elastic else dict.fromkeys(only, "body rigid"))
