"""What the cases in space share: their parameters, and how they are integrated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Self, TypedDict, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from cases.app.parts import laws, penalty
from cases.app.parts.parameters import CaseParameters, Given, choice, quantity
from floating_frame import Contact, Options, Signorini

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]

SCHEMES = ("sdirk2", "backward-euler", "moreau-theta")
TimeStep = Annotated[float, quantity("s", "time step", gt=0)]
Scheme = Annotated[
    str, choice("time integration scheme; a step in which a point lands is one of backward Euler", SCHEMES)
]
Mass = Annotated[float, quantity("kg", "mass", gt=0)]
Mu = Annotated[float, quantity("1", "coefficient of friction on the ground", ge=0)]
Gravity = Annotated[float, quantity("m/s2", "acceleration of gravity, along -z", ge=0)]
SpeedX = Annotated[float, quantity("m/s", "initial velocity of the centre of mass along x")]
SpeedY = Annotated[float, quantity("m/s", "initial velocity of the centre of mass along y")]


EXACT, PENALTY = "signorini", "penalty"
LAWS_OF = {EXACT: ("coulomb", "static-kinetic"), PENALTY: ("smooth", "sliding", "sliding-stiction")}
"""Laws of friction where the normal force is unknown, and where it is a function of the penetration."""
ContactName = Annotated[str, choice("normal law", tuple(LAWS_OF))]
LawName = Annotated[
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


class FreeParameters(CaseParameters):
    """What every case in space takes."""

    dt: TimeStep
    scheme: Scheme = "sdirk2"


class SpaceParameters(FreeParameters):
    """What every case on the ground takes besides."""

    mu: Mu
    gravity: Gravity = 9.81


class RoughParameters(SpaceParameters):
    """What every case takes whose feet or nodes rub: the normal law, that of friction, and their coefficients."""

    contact: ContactName = EXACT
    law: LawName = "coulomb"
    mu_s: laws.MuStatic = None
    v_reg: laws.RegularisingSpeed = 1e-3
    v_s: laws.StaticSpeed = 1e-3
    v_d: laws.DynamicSpeed = None
    max_stiction_deformation: laws.StictionDeformation = 1e-5
    stiffness: penalty.Stiffness = 1e5
    damping: penalty.Damping = 0.0
    m1: penalty.StiffnessExponent = 1.0
    m2: penalty.DampingExponent = 1.0
    m3: penalty.IndentationExponent = 0.0
    onset: penalty.Onset = 0.0
    stiffness_spline: penalty.StiffnessSpline = ()
    damping_spline: penalty.DampingSpline = ()
    tensile: penalty.Tensile = False
    mu_across: ClassVar[float | None] = None
    max_force: ClassVar[float | None] = None
    """None: laws in the plane have them."""

    @classmethod
    def completed(cls, given: Given) -> Given:
        """Fill in the law of a penalty contact."""
        return {"law": LAWS_OF[PENALTY][0]} | given if given.get("contact") == PENALTY else given

    def unread(self) -> dict[str, str]:
        """Return the parameters of other laws."""
        idle = dict.fromkeys(sorted(laws.unread_by([self.law]) & set(type(self).model_fields)), f"law {self.law}")
        if self.contact == EXACT:
            return idle | dict.fromkeys(penalty.FIELDS, f"contact {EXACT}")
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
        normal = Signorini() if self.contact == EXACT else penalty.normal_force(self, extent)
        return Contact(normal=normal, law=law, mu=mu)

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


def options(params: FreeParameters, *, stress: bool = False) -> Options:
    """Return how a case in space is integrated."""
    return Options(dt=params.dt, scheme=params.scheme, output_every=params.output_every, stress=stress)


def box_inertia(mass: float, length: float, width: float, height: float) -> Array:
    """Return the principal moments (3,) kg m² of a homogeneous block about its centre."""
    squares = np.square([length, width, height])
    moments: Array = mass * (squares.sum() - squares) / 12.0
    return moments


def corners(length: float, width: float, height: float) -> Array:
    """Return the four base corners (4, 3) m from the centre of a block."""
    x, y = 0.5 * length, 0.5 * width
    return np.array([[a * x, b * y, -0.5 * height] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


def rubbed(data: xr.Dataset) -> float:
    """Return the energy, J, that friction has taken at the end, on exact contact or a penalty's."""
    return float(data.friction_work.values[-1].sum())
