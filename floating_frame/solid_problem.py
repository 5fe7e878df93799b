"""Elastic solids in space, gravity along −z: what a user gives (Szefer's section 2 with a deformable body)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact import Contact
from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.shapes import GROUND
from floating_frame.frame.conditions import Frame, MeanAxis
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.frame.space_clamp import Joint, SpaceClamp
from floating_frame.loads.histories import Constant, History, InTime
from floating_frame.mistakes import (
    check_foundation,
    check_kind,
    finite_array,
)
from floating_frame.space_problem import NEVER_PUSHED, Feet, InSpace, SpaceInitial
from friction import Coulomb, Foundation

if TYPE_CHECKING:
    from fem import Solid

WHOLE = "body"
"""Where a ``SolidForce`` acts on all of the body, in proportion to its mass."""
LOAD = "SolidForce(force=(1.0, 0.0, 0.0), on='right')"
ALIKE = 1e-9
"""Part of the speed by which a clamped face may begin off the clamp's motion: numbers as they are typed."""


@dataclass(frozen=True, kw_only=True)
class SolidForce(InTime):
    """Dead ``force`` (3,) N in all, space axes, times ``history``: uniform over the face ``on`` of the reference shape, or over the
    mass where ``on`` is "body"."""

    force: Sequence[float]
    on: str = WHOLE
    history: History = field(default_factory=Constant)

    def __post_init__(self) -> None:
        super().__post_init__()
        finite_array(self.force, (3,), "a force on a solid")

    def shares(self, body: Solid) -> Array:
        """Return the share (N,) of each node. Raises ValueError for a face that the body does not have."""
        nodal = np.asarray(body.mass_matrix.sum(axis=1)).ravel()
        return nodal / nodal.sum() if self.on == WHOLE else body.face_shape(self.on)


@dataclass(frozen=True, kw_only=True)
class SolidInitial(SpaceInitial):
    """Motion at t = 0: x = position + Q (X + u0), v = velocity + spin_space × (x − position), with ``displacement`` u0 (N, 3) m in
    body axes. What is rigid in u0 is moved into the frame by its condition."""

    displacement: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.displacement is not None:
            finite_array(self.displacement, (-1, 3), "the initial displacement")

    def fields(self, X: Array, place: Array, Q: Array) -> tuple[Array, Array, Array]:
        """Return nodal x and v (N, 3) and Q of a body that is at ``place`` (3,) m, turned by Q (3, 3). Raises ValueError."""
        u = np.zeros_like(X) if self.displacement is None else self.displacement
        arms = (X + finite_array(u, X.shape, "the initial displacement")) @ Q.T
        spin = np.asarray(self.spin_space, float)
        return place + arms, np.asarray(self.velocity, float) + cross(spin, arms), Q


@dataclass(frozen=True, kw_only=True, repr=False)
class SolidProblem(InSpace):
    """An elastic solid in space under ``gravity`` m/s² along −z until ``t_end`` s.

    ``contact``: the face (None: there is none) that may touch the ``obstacle``, the ground z = 0 unless another is named, with the
    coefficient of friction ``mu`` and ``law``, Coulomb's or ``StaticKinetic``: mu is then that of nodes at rest until they slip.
    With a ``foundation`` the pressure there is given, as in the plane, instead of ``gravity`` (0). The nodes there keep their
    heights, with those of the faces ``guides`` (plane strain: both faces of a layer). ``contacts``, a tuple of ``Contact``:
    what the face may touch in place of the ground, each with its own friction; a penalty's normal force is Pa of its area.
    ``effects``: such as springs."""

    body: Solid
    contact: str | None = None
    obstacle: Obstacle = GROUND
    foundation: Foundation | None = None
    guides: tuple[str, ...] = ()
    frame: Frame | SpaceClamp = field(default_factory=MeanAxis)
    initial: SolidInitial = field(default_factory=SolidInitial)
    load: ClassVar[tuple[str, str]] = ("shares", LOAD)

    def __repr__(self) -> str:
        ground = "no ground" if self.contact is None else f"{self.contact} on the ground, mu={self.mu:g}"
        return f"SolidProblem({self.body!r}, {ground}, t_end={self.t_end:g} s, frame {self.frame.name}, {len(self.loads)} loads)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind("SolidProblem", "body", self.body, "face_area", "Solid.build(box(...), density=..., material=...)")
        check_kind(
            "SolidProblem",
            "frame",
            self.frame,
            "clamp",
            "a frame condition such as MeanAxis(), or a clamp such as SpaceClamped('left') or SpaceHinged('left')",
        )
        check_kind("SolidProblem", "initial", self.initial, "fields", "SolidInitial(velocity=(1.0, 0.0, 0.0))")
        check_foundation(self)
        check_kind(
            "SolidProblem", "obstacle", self.obstacle, "shape_gap", "HalfSpace() or Sphere((0.0, 0.0, 0.0), 1.0)"
        )
        self.obstacle.motion.check(self.t_end)
        if not self.body.objective:
            raise ValueError(
                f"a moving solid needs a material that rigid rotations leave free of force: {self.body.material.name} is not "
                "one, take st-venant-kirchhoff or neo-hookean"
            )
        if self.initial.displacement is not None:
            u = finite_array(self.initial.displacement, self.body.X.shape, "the initial displacement")
            jacobian, cell = self.body.smallest_jacobian(u)
            if not jacobian > 0.0:
                raise ValueError(f"the initial displacement turns cell {cell} inside out: det F = {jacobian:.3g}")
        self._check_ground()
        self._check_clamp()

    def _check_clamp(self) -> None:
        clamp = self.clamp
        if clamp is None:
            return
        place, v, Q = self.places
        u, held, X = self.initial.displacement, self.held, self.body.X
        if u is not None and np.abs(np.asarray(u)[held]).max() > 0.0:
            raise ValueError(f"the initial displacement must be 0 on the clamped face {clamp.face!r}")
        motions = self.joint.motions(X[held]).reshape(-1, 3 * len(held))
        given = (v[held] @ Q).ravel()
        kept = motions.T @ np.linalg.lstsq(motions.T, given, rcond=None)[0]
        if np.abs(given - kept).max() > ALIKE * np.abs(given).max():
            x0, spin = place[held[0]] - Q @ X[held[0]], np.asarray(self.initial.spin_space, float)
            raise ValueError(f"the clamped face {clamp.face!r} must begin {clamp.start(x0, spin)}")

    @property
    def clamp(self) -> SpaceClamp | None:
        """The clamp, of a body that has one."""
        return self.frame.clamp

    @property
    def joint(self) -> Joint:
        """What the clamp of a clamped body leaves free."""
        assert self.clamp is not None
        X, (x, _, Q) = self.body.X, self.places
        return self.clamp.joint(x[self.held[0]] - Q @ X[self.held[0]], Q)

    @property
    def held(self) -> NDArray[np.intp]:
        """The nodes (n,) of the clamped face."""
        clamp = self.clamp
        return np.zeros(0, np.intp) if clamp is None else np.asarray(self.body.boundary(clamp.face), np.intp)

    def _check_ground(self) -> None:
        if self.contact is None:
            other = {"obstacle": self.obstacle is not GROUND, "law": self.law != Coulomb()}
            for name in ("mu", "foundation", "guides", "obstacle", "contacts", "law"):
                if other.get(name, getattr(self, name)):
                    raise ValueError(f"SolidProblem: {name} needs the face that touches the ground: contact='bottom'")
            return
        if self.foundation is not None and (self.obstacle is not GROUND or self.contacts):
            raise ValueError("SolidProblem: the foundation is the ground z = 0: leave out the obstacle and contacts")
        if self.contacts and (self.mu or self.law != Coulomb() or self.obstacle is not GROUND):
            raise ValueError(
                "SolidProblem: mu, law and obstacle are those of a single exact contact; with contacts give each its own"
            )
        area = self.body.face_area(self.contact)[self.nodes]
        if not len(area):
            raise ValueError(f"the face {self.contact!r} is clamped: no node of it may touch the ground")
        if area.min() <= 0.0:
            raise ValueError(
                f"contact needs element P1 or Q1, got {self.body.element}: its corners have no share in a face"
            )
        if self.foundation is not None:
            if self.mu or self.law != Coulomb():
                raise ValueError(
                    "SolidProblem: mu is the foundation's where the pressure is given; leave one of them out"
                )
            if np.abs(self.places[1][self.guided, 2]).max() > 0.0:
                raise ValueError("nodes that keep their heights must begin without a velocity along z")
        elif self.guides:
            raise ValueError(
                "SolidProblem: guides are for a given pressure (foundation=...), the ground itself lets nodes lift"
            )
        for obstacle in (contact.obstacle for contact in self.exact):
            lowest = float(obstacle.gap(self.places[0][self.nodes], 0.0).gap.min())
            if lowest < -NEVER_PUSHED:
                where = "below the ground z = 0" if obstacle.level else f"inside of {obstacle!r}"
                raise ValueError(f"the body begins {-lowest:.6g} m {where}: lift it by as much")

    @property
    def touching(self) -> tuple[Contact, ...]:
        """All contacts of the face; none where its pressure is given."""
        if self.contact is None or self.foundation is not None:
            return ()
        return self.contacts or (Contact(obstacle=self.obstacle, mu=self.mu, law=self.law),)

    @property
    def declared(self) -> dict[str, Any]:
        """What the table of refusals is told of it."""
        return {"held": self.clamp is not None, "viscous": bool(self.body.viscosity)}

    @property
    def nodes(self) -> NDArray[np.intp]:
        """The nodes (m,) that may touch the ground; a clamp's are held anyway."""
        face = self.contact
        touching = np.zeros(0, np.intp) if face is None else self.body.boundary(face)
        return np.setdiff1d(touching, self.held).astype(np.intp)

    @property
    def guided(self) -> NDArray[np.intp]:
        """The nodes (n,) that keep their heights under a given pressure."""
        faces = [self.body.boundary(face) for face in self.guides]
        return np.asarray(np.unique(np.concatenate([self.nodes, *faces])), np.intp)

    @property
    def places(self) -> tuple[Array, Array, Array]:
        """Nodal x and v (N, 3) and Q (3, 3) at t = 0."""
        return self.initial.fields(self.body.X, *self.configuration)

    @property
    def configuration(self) -> tuple[Array, Array]:
        """Place (3,) m and rotation (3, 3) of the undeformed body at t = 0. Raises ValueError."""
        exact, soft = self.obstacles if self.touching else ([self.obstacle], [])
        return self.initial.configuration(Feet(self.body.X[self.nodes]), exact, soft)
