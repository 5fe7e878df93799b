"""Bodies in space on rough ground and obstacles, gravity along −z: what a user gives (Szefer's section 2, Potra's block)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from floating_frame.contact.contact import Contact
from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.shapes import GROUND
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import matrix_of
from floating_frame.loads.histories import Constant, History, InTime
from floating_frame.mistakes import check_kind, check_members, check_tuple, finite_array, require, require_end
from friction import Coulomb, Foundation, Law
from friction.arrays import as_numbers, is_finite, shown
from friction.given import Given, owned
from friction.laws.stateless import require_law

if TYPE_CHECKING:
    from floating_frame.effect.protocol import Attachable

NEVER_PUSHED = 1e-12
"""Depth, m, below the ground at t = 0 that is rounding of what was given."""
LOAD = "SpaceForce(force=(1.0, 0.0, 0.0))"
CONTACT = "Contact(obstacle=HalfSpace(), mu=0.3)"


class Feet:
    """Material points (m, 3) m from the centre of mass: where a body may touch the ground z = 0.

    ``reference`` X (m, 3) m: the points in the reference attitude; ``shares`` (m,) in the load, of sum 1; ``centres`` (m, 3) m and
    ``radius`` m: the balls of which they are the lowest points; ``flat``: whether it is a base that stays on the ground and shares
    the load by ``shares``.
    """

    radius, flat = 0.0, False

    def __init__(self, points: Sequence[Sequence[float]] | Array) -> None:
        """Keep the points. Raises ValueError where they are no finite triples."""
        self.reference = _points(points, "contact points")
        self.shares: Array = np.full(len(self.reference), 1.0 / max(len(self.reference), 1))
        self.centres = self.reference

    def arms(self, rotation: Array) -> Array:
        """Return the points on level ground (m, 3) m from the centre of mass, space axes, where the body has turned by Q (3, 3)."""
        return np.asarray(self.centres @ rotation.T - np.array([0.0, 0.0, self.radius]))


def _points(points: Sequence[Sequence[float]] | Array, name: str) -> Array:
    """Return points (m, 3) m. Raises ValueError where they are no finite triples."""
    given = as_numbers(points, name)
    if given.size % 3 or not np.all(np.isfinite(given)):
        raise ValueError(f"{name} must be finite coordinates (X, Y, Z), got shape {given.shape}")
    return given.reshape(-1, 3)


class Base(Feet):
    """A flat base of many material points (m, 3) m from the centre of mass, with ``areas`` (m,) m²: it slides and turns on the
    ground and does not lift. Raises ValueError where the points lie on no plane Z = constant < 0."""

    flat = True

    def __init__(self, points: Sequence[Sequence[float]] | Array, areas: Sequence[float] | Array) -> None:
        super().__init__(points)
        weights, level = as_numbers(areas, "areas"), self.reference[:, 2]
        if weights.shape != (len(level),) or not np.all(np.isfinite(weights) & (weights > 0.0)):
            raise ValueError(f"a base needs a finite area > 0 m2 for each of its points, got {shown(areas)}")
        if len(level) < 3 or np.ptp(level) > 1e-12 * abs(level[0]) or not level[0] < 0.0:
            raise ValueError("a base is flat: three points and more, all at one Z < 0 below the centre of mass")
        self.shares = weights / weights.sum()


class Ball(Feet):
    """A ball of ``radius`` m about the centre of mass: it touches with the point nearest to an obstacle."""

    def __init__(self, radius: float) -> None:
        """Keep the radius. Raises ValueError where it is not positive."""
        require(is_finite(radius) and radius > 0.0, "the radius of a ball", "be a finite length > 0 m", radius)
        super().__init__([[0.0, 0.0, -radius]])
        self.centres, self.radius = np.zeros((1, 3)), float(radius)


@dataclass(frozen=True, kw_only=True, repr=False)
class RigidSolid(Given):
    """A rigid body in space of ``mass`` kg; ``inertia`` kg m² about the centre of mass in body axes: principal moments (3,), or the
    tensor (3, 3); ``shape``, ``Feet``, ``Ball`` or ``Base``: what touches the ground, seen from the centre of mass; ``outline``
    (P, 3) m: further points of it, which do not touch: the run warns where one is below the ground. Raises ValueError for a mass
    that is not positive, or an inertia that no body has."""

    deformable: ClassVar[bool] = False

    mass: float
    inertia: Sequence[float] | Array
    shape: Feet = field(default_factory=lambda: Feet([]))
    outline: Sequence[Sequence[float]] | Array = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        require(is_finite(self.mass) and self.mass > 0.0, "the mass of a body", "be a finite number > 0 kg", self.mass)
        given = as_numbers(self.inertia, "the inertia")
        tensor = finite_array(np.diag(given) if given.shape == (3,) else given, (3, 3), "the inertia")
        size = float(np.abs(tensor).max())
        if np.abs(tensor - tensor.T).max() > 1e-12 * size:
            raise ValueError("the inertia must be symmetric")
        moments = np.linalg.eigvalsh(tensor)
        if moments[0] <= 0.0:
            raise ValueError(f"the inertia must be positive definite, got principal moments {moments.tolist()}")
        if moments[0] + moments[1] < moments[2] * (1.0 - 1e-12):
            raise ValueError(
                f"no body has principal moments {moments.tolist()} kg m2: the two smaller ones add up to less than the largest"
            )
        check_kind(
            "RigidSolid", "shape", self.shape, "arms", "where it touches the ground, such as Ball(0.1) or Feet(points)"
        )
        object.__setattr__(self, "inertia", owned(tensor))
        object.__setattr__(self, "outline", owned(_points(self.outline, "points of the outline")))

    def __repr__(self) -> str:
        return f"RigidSolid({self.mass:.6g} kg, {type(self.shape).__name__} of {len(self.shape.reference)} points)"

    @property
    def radius(self) -> float:
        """Return a length of the body, m: of its feet, or of gyration."""
        feet = np.linalg.norm(self.shape.reference, axis=1)
        return float(feet.max()) if len(feet) else float(np.sqrt(np.trace(self.inertia) / (2.0 * self.mass)))


@dataclass(frozen=True, kw_only=True)
class SpaceInitial(Given):
    """Motion at t = 0: ``position`` (3,) m of the centre of mass (None: standing on the ground), ``rotation`` as a quaternion
    (w, x, y, z), body to space, ``velocity`` (3,) m/s, ``spin_space`` (3,) rad/s in space axes."""

    position: Sequence[float] | None = None
    rotation: Sequence[float] = (1.0, 0.0, 0.0, 0.0)
    velocity: Sequence[float] = (0.0, 0.0, 0.0)
    spin_space: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        finite_array(self.rotation, (4,), "the rotation")
        finite_array(self.velocity, (3,), "the initial velocity")
        finite_array(self.spin_space, (3,), "the initial spin")
        if self.position is not None:
            finite_array(self.position, (3,), "the initial position")

    def configuration(
        self, shape: Feet, obstacles: Sequence[Obstacle] = (GROUND,), soft: Sequence[Obstacle] = ()
    ) -> tuple[Array, Array]:
        """Return x0 (3,) m and Q (3, 3). Raises ValueError, also where a point is inside of an obstacle that is not ``soft``."""
        rotation = matrix_of(np.array(self.rotation, float))
        place = self._standing(shape, rotation, (*obstacles, *soft))
        if self.position is not None:
            place = np.array(self.position, float)
        for obstacle in obstacles if len(shape.reference) else ():
            gap = obstacle.gap(place + shape.centres @ rotation.T, 0.0)
            deepest = int(np.argmin(gap.gap))
            below = float(shape.radius - gap.gap[deepest])
            if not below <= NEVER_PUSHED:
                raise ValueError(
                    f"the body begins {below:.6g} m "
                    + (
                        f"below the ground z = 0: lift its centre of mass to z = {place[2] + below:.9g} m"
                        if obstacle.level
                        else f"inside of {obstacle!r}: move it along {[round(float(n), 6) for n in gap.normal[deepest]]}"
                    )
                )
        return place, rotation

    def _standing(self, shape: Feet, rotation: Array, obstacles: Sequence[Obstacle]) -> Array:
        """Return the place (3,) m of a body that stands on the ground. Raises ValueError where it does not, and none is given."""
        arms = shape.arms(rotation)[:, 2]
        lowest = float(arms.min()) if len(arms) else 0.0
        if self.position is None and not any(obstacle.level for obstacle in obstacles):
            raise ValueError(
                "without the ground z = 0 a body has no place to stand by itself: give its initial position"
            )
        if self.position is None and lowest > 0.0 and not shape.flat:
            raise ValueError(
                "a body whose feet are all above its centre of mass does not stand: give its initial position"
            )
        return np.array([0.0, 0.0, -min(lowest, 0.0)])


@dataclass(frozen=True, kw_only=True)
class SpaceForce(InTime):
    """Dead ``force`` (3,) N, space axes, at the material point ``at`` (3,) m from the centre of mass, times ``history``; one that
    ``follows`` the body is given in its axes and turns with it (a thrust)."""

    force: Sequence[float]
    at: Sequence[float] = (0.0, 0.0, 0.0)
    history: History = field(default_factory=Constant)
    follows: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        finite_array(self.force, (3,), "a force in space")
        finite_array(self.at, (3,), "the point of a force in space")


@dataclass(frozen=True, kw_only=True, repr=False)
class InSpace(Given):
    """What problems of bodies in space have in common: ``gravity`` m/s² along −z, the ground's friction coefficient ``mu`` and
    ``law``, ``contacts`` in place of that ground, ``effects`` such as springs, until ``t_end`` s."""

    t_end: float
    mu: float = 0.0
    gravity: float = 9.81
    law: Law = field(default_factory=Coulomb)
    contacts: tuple[Contact, ...] = ()
    effects: tuple[Attachable, ...] = ()
    loads: tuple[Any, ...] = ()
    load: ClassVar[tuple[str, str]] = ("at", LOAD)
    """The face of a load, and an example."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_end(self.t_end)
        for name, value, unit in (("mu", self.mu, ""), ("gravity", self.gravity, " m/s2")):
            require(is_finite(value) and value >= 0.0, name, f"be a finite number >= 0{unit}", value)
        require_law(type(self).__name__, self.law)
        for name, example in (("loads", self.load[1]), ("contacts", CONTACT), ("effects", "")):
            check_tuple(self, name, example)
        for load in self.loads:
            check_kind(type(self).__name__, "loads", load, *self.load)
        for contact in self.contacts:
            check_kind(type(self).__name__, "contacts", contact, "obstacle", CONTACT)
            contact.obstacle.motion.check(self.t_end)
        check_members(self, "effects")

    @property
    def touching(self) -> tuple[Contact, ...]:
        """All contacts: of the ground where none is named."""
        return self.contacts or (Contact(mu=self.mu, law=self.law),)

    @property
    def exact(self) -> tuple[Contact, ...]:
        """Those whose forces are unknown."""
        return tuple(contact for contact in self.touching if not contact.penalty)

    @property
    def obstacles(self) -> tuple[list[Obstacle], list[Obstacle]]:
        """Those of exact contact, and those of penalties."""
        soft = [contact.obstacle for contact in self.touching if contact.penalty]
        return [contact.obstacle for contact in self.exact], soft


@dataclass(frozen=True, kw_only=True, repr=False)
class SpaceProblem(InSpace):
    """A rigid body in space under ``gravity`` m/s² along −z, until ``t_end`` s.

    It may touch the ground z = 0 with friction coefficient ``mu`` by ``law``, Coulomb's, or ``StaticKinetic`` under feet: mu is
    then that of points at rest until they slip. ``contacts``, a tuple of ``Contact``: what it may touch in place of the
    ground, each with its own friction (``Contact(mu=0.3)`` is the ground); ``effects``: such as springs."""

    body: RigidSolid
    initial: SpaceInitial = field(default_factory=SpaceInitial)
    foundation: ClassVar[Foundation | None] = None
    """None: normal forces are unknown."""

    def __repr__(self) -> str:
        return f"SpaceProblem({self.body!r}, mu={self.mu:g}, t_end={self.t_end:g} s, {len(self.loads)} loads)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind("SpaceProblem", "body", self.body, "inertia", "RigidSolid(mass=..., inertia=..., shape=Ball(...))")
        check_kind("SpaceProblem", "initial", self.initial, "configuration", "SpaceInitial(velocity=(1.0, 0.0, 0.0))")
        if self.contacts and (self.mu or self.law != Coulomb()):
            raise ValueError("SpaceProblem: mu and law are those of the ground alone; with contacts give each its own")
        place, rotation = self.configuration
        if self.body.shape.flat:
            self._check_base(place[2] + self.body.shape.arms(rotation)[:, 2])

    @property
    def declared(self) -> dict[str, Any]:
        """What the table of refusals is told of it."""
        return {"flat": self.body.shape.flat}

    @property
    def configuration(self) -> tuple[Array, Array]:
        """Place (3,) m and rotation (3, 3) at t = 0. Raises ValueError."""
        return self.initial.configuration(self.body.shape, *self.obstacles)

    def _check_base(self, heights: Array) -> None:
        """Refuse what a flat base of points at ``heights`` (m,) m does not do: ValueError."""
        if self.contacts:
            raise ValueError("a flat base takes the ground z = 0 alone: Feet(points) take obstacles")
        motion = (*self.initial.spin_space[:2], self.initial.velocity[2])
        if np.abs(heights).max() > NEVER_PUSHED or np.any(motion):
            raise ValueError(
                "a flat base stays on the ground z = 0: begin there, turned and spinning about z only, without a velocity along z"
            )
