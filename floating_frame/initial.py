"""Bodies at t = 0: the user's initial motion; in space position, contact points and clamped nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact import Contact
from floating_frame.frame.kinematics import Array, skew_of
from floating_frame.frame.rotations import matrix_of
from floating_frame.frame.space_clamp import Joint, SpaceClamp
from floating_frame.input_checks import check_kind, finite_array, require, vector
from floating_frame.rigid_solid import Feet
from friction.arrays import as_numbers
from friction.given import Given

if TYPE_CHECKING:
    from floating_frame.frame.conditions import Frame

DEPTH_TOLERANCE = 1e-12
"""Largest depth, m, below the ground at t = 0 that is rounding."""
VELOCITY_TOLERANCE = 1e-9
"""Largest deviation of a clamped face from the clamp's motion at t = 0, over its speed."""
FRAME = "a frame condition such as MeanAxis(), or a clamp such as SpaceClamped('left') or SpaceHinged('left')"


UPRIGHT = (1.0, 0.0, 0.0, 0.0)
"""The quaternion of a body that is not turned."""


@dataclass(frozen=True)
class InitialState(Given):
    """Motion at t = 0, in d = 2 or 3 dimensions: x = x0 + Q (X + u0), v = velocity + ω × (x − x0) + Q u0'.

    ``velocity`` (d,) m/s (empty: none); ``spin`` ω rad/s, in space (3,) in space axes (0.0: none); ``displacement`` u0 (N, d) m and
    ``rate`` u0' (N, d) m/s in the frame; by its condition the frame takes their rigid part. In the plane the frame begins at the
    origin, not turned; in space ``position`` is x0 (3,) m (None: the body stands on the ground), ``rotation`` Q as a quaternion (w,
    x, y, z), body to space. Raises ValueError for other values.
    """

    velocity: Sequence[float] = ()
    spin: float | Sequence[float] = 0.0
    displacement: Array | None = None
    rate: Array | None = None
    position: Sequence[float] | None = None
    rotation: Sequence[float] = UPRIGHT

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, given, shapes in (
            ("velocity", self.velocity, ((0,), (2,), (3,))),
            ("spin", self.spin, ((), (3,))),
        ):
            values = as_numbers(given, f"the initial {name}")
            fits = values.shape in shapes and bool(np.all(np.isfinite(values)))
            require(fits, f"the initial {name}", "be finite, with as many numbers as the body has axes", given)
        for name, nodal in (("displacement", self.displacement), ("displacement rate", self.rate)):
            if nodal is not None:
                finite_array(nodal, (-1, -1), f"the initial {name}")
        finite_array(self.rotation, (4,), "the rotation")
        if self.position is not None:
            finite_array(self.position, (3,), "the initial position")

    def of(self, d: int) -> InitialState:
        """Initial state of a body in ``d`` dimensions. Raises ValueError for another dimension."""
        if d == 2 and (self.position is not None or tuple(self.rotation) != UPRIGHT):
            raise ValueError("a body in the plane begins at the origin, not turned: leave out position and rotation")
        velocity = vector(self.velocity if len(self.velocity) else (0.0,) * d, "the initial velocity", d)
        if d == 2:
            require(np.ndim(self.spin) == 0, "the initial spin in the plane", "be a number", self.spin)
            return replace(self, velocity=tuple(velocity.tolist()))
        spin = finite_array(self.spin if np.any(self.spin) else np.zeros(3), (3,), "the initial spin")
        return replace(self, velocity=tuple(velocity.tolist()), spin=tuple(spin.tolist()))

    def fields(self, X: Array, place: Array | float = 0.0, Q: Array | None = None) -> tuple[Array, Array]:
        """Nodal x and v (N, d) of a body of nodes X (N, d) m at ``place`` (d,) m, turned by Q (d, d) (None: not).
        Raises ValueError for fields of another shape."""
        zero, turn = np.zeros_like(X), np.eye(X.shape[1]) if Q is None else Q
        u = zero if self.displacement is None else finite_array(self.displacement, X.shape, "the initial displacement")
        rate = zero if self.rate is None else finite_array(self.rate, X.shape, "the initial displacement rate")
        arms = (X + u) @ turn.T
        spin = arms @ skew_of(np.asarray(self.spin, float), X.shape[1]).T
        return place + arms, np.asarray(self.velocity, float) + spin + rate @ turn.T


def initial_penetration(
    contacts: tuple[Contact, ...], points: Array, radius: float = 0.0
) -> tuple[Contact, float, Array] | None:
    """First exact contact that points (m, 3) m, or balls of ``radius`` m about them, penetrate at t = 0, the depth, m, and the
    normal (3,)."""
    for contact in contacts if len(points) else ():
        if not contact.penalty:
            gap = contact.obstacle.gap(points, 0.0)
            deepest = int(np.argmin(gap.gap))
            below = float(radius - gap.gap[deepest])
            if not below <= DEPTH_TOLERANCE:
                return contact, below, gap.normal[deepest]
    return None


def initial_position(initial: InitialState, feet: Feet, Q: Array, contacts: tuple[Contact, ...]) -> Array:
    """Position (3,) m of a body turned by Q (3, 3): given, or standing on the ground. Raises ValueError where it cannot stand, or
    where a foot is inside an obstacle of exact contact."""
    arms = feet.arms(Q)[:, 2]
    lowest = float(arms.min()) if len(arms) else 0.0
    if initial.position is None:
        if contacts and not any(contact.obstacle.level for contact in contacts):
            raise ValueError(
                "without the ground z = 0 a body has no place to stand by itself: give its initial position"
            )
        if lowest > 0.0 and not feet.flat:
            raise ValueError(
                "a body whose feet are all above its centre of mass does not stand: give its initial position"
            )
    place = np.array([0.0, 0.0, -min(lowest, 0.0)] if initial.position is None else initial.position, float)
    if (inside := initial_penetration(contacts, place + feet.centres @ Q.T, feet.radius)) is not None:
        contact, below, normal = inside
        raise ValueError(
            f"the body begins {below:.6g} m below the ground z = 0: lift its centre of mass to z = {place[2] + below:.9g} m"
            if contact.obstacle.level
            else f"the body begins {below:.6g} m inside of {contact.obstacle!r}: move it along "
            f"{[round(float(n), 6) for n in normal]}"
        )
    return place


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Start of a body in space, rigid or elastic, at t = 0. It may touch the obstacles of its ``contacts``; a solid touches them,
    or lies on given pressure (``pressed``), by its ``face`` (None: by none). Under a given pressure nodes of that face and of
    ``guides`` keep their heights."""

    body: Any
    initial: InitialState
    contacts: tuple[Contact, ...]
    frame: Frame | SpaceClamp
    face: str | None
    guides: tuple[str, ...]
    pressed: bool

    @property
    def clamp(self) -> SpaceClamp | None:
        """The clamp, or None."""
        return self.frame.clamp

    @cached_property
    def clamped_nodes(self) -> NDArray[np.intp]:
        """The nodes (n,) of the clamped face."""
        clamp = self.clamp
        return np.zeros(0, np.intp) if clamp is None else np.asarray(self.body.boundary(clamp.face), np.intp)

    @cached_property
    def nodes(self) -> NDArray[np.intp]:
        """The nodes (m,) that may touch the ground, without clamped ones."""
        touching = np.zeros(0, np.intp) if self.face is None else self.body.boundary(self.face)
        return np.setdiff1d(touching, self.clamped_nodes).astype(np.intp)

    @cached_property
    def area(self) -> Array:
        """Shares (m,) m² of ``nodes`` in the face."""
        return np.zeros(0) if self.face is None else np.asarray(self.body.face_area(self.face)[self.nodes])

    @cached_property
    def guided_nodes(self) -> NDArray[np.intp]:
        """The nodes (n,) that keep their heights under a given pressure."""
        faces = [self.body.boundary(face) for face in self.guides]
        return np.asarray(np.unique(np.concatenate([self.nodes, *faces])), np.intp)

    @cached_property
    def configuration(self) -> tuple[Array, Array]:
        """Place (3,) m and rotation (3, 3) of the undeformed body. Raises ValueError."""
        Q = matrix_of(np.array(self.initial.rotation, float))
        feet = Feet(self.body.X[self.nodes]) if self.body.deformable else self.body.shape
        return initial_position(self.initial, feet, Q, self.contacts), Q

    @cached_property
    def nodal_motion(self) -> tuple[Array, Array, Array]:
        """Nodal x and v (N, 3) and Q (3, 3)."""
        place, Q = self.configuration
        return *self.initial.fields(self.body.X, place, Q), Q

    @property
    def joint(self) -> Joint:
        """Free motions of the clamp."""
        assert self.clamp is not None
        X, (x, _, Q) = self.body.X, self.nodal_motion
        return self.clamp.joint(x[self.clamped_nodes[0]] - Q @ X[self.clamped_nodes[0]], Q)

    def check(self) -> None:
        """Refuse an unfit body, frame or initial state: ValueError."""
        if not self.body.deformable:
            self._check_rigid()
            return
        check_kind("Problem", "frame", self.frame, "clamp", FRAME)
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
        if self.clamp is not None:
            self._check_clamp(self.clamp)

    def _check_rigid(self) -> None:
        """Refuse a rigid body with an initial displacement, and a start that a flat base does not allow."""
        (place, Q), shape, initial = self.configuration, self.body.shape, self.initial
        if initial.displacement is not None or initial.rate is not None:
            raise ValueError("a rigid body in space has no initial displacement: take an elastic solid")
        if not shape.flat:
            return
        grounds = [
            c
            for c in self.contacts
            if c.obstacle.level and not c.penalty and not c.obstacle.gap(np.zeros((1, 3)), 0.0).gap
        ]
        if not len(self.contacts) == len(grounds) == 1:
            raise ValueError("a flat base takes the ground z = 0 alone: Feet(points) take obstacles")
        motion = (*np.asarray(initial.spin, float)[:2], initial.velocity[2])
        if np.abs(place[2] + shape.arms(Q)[:, 2]).max() > DEPTH_TOLERANCE or np.any(motion):
            raise ValueError(
                "a flat base stays on the ground z = 0: begin there, turned and spinning about z only, without a velocity along z"
            )

    def _check_clamp(self, clamp: SpaceClamp) -> None:
        place, v, Q = self.nodal_motion
        clamped, X = self.clamped_nodes, self.body.X
        for name, u in (("displacement", self.initial.displacement), ("displacement rate", self.initial.rate)):
            if u is not None and np.abs(np.asarray(u)[clamped]).max() > 0.0:
                raise ValueError(f"the initial {name} must be 0 on the clamped face {clamp.face!r}")
        motions = self.joint.motions(X[clamped]).reshape(-1, 3 * len(clamped))
        given = (v[clamped] @ Q).ravel()
        admissible = motions.T @ np.linalg.lstsq(motions.T, given, rcond=None)[0]
        if np.abs(given - admissible).max() > VELOCITY_TOLERANCE * np.abs(given).max():
            x0, spin = place[clamped[0]] - Q @ X[clamped[0]], np.asarray(self.initial.spin, float)
            raise ValueError(f"the clamped face {clamp.face!r} must begin {clamp.start(x0, spin)}")

    def _check_ground(self) -> None:
        if self.face is None:
            given = {"contacts": self.contacts, "foundation": self.pressed, "guides": self.guides}
            for name in (name for name, value in given.items() if value):
                raise ValueError(f"Problem: a solid with {name} needs the face that touches the ground: face='bottom'")
            return
        if self.pressed and self.contacts:
            raise ValueError("Problem: the foundation is the ground z = 0 of a solid: leave out the contacts")
        if not len(self.area):
            raise ValueError(f"the face {self.face!r} is clamped: no node of it may touch the ground")
        if self.area.min() <= 0.0:
            raise ValueError(
                f"contact needs element P1 or Q1, got {self.body.element}: its corners have no share in a face"
            )
        if self.guides and not self.pressed:
            raise ValueError(
                "Problem: guides are for a given pressure (foundation=...), the ground itself lets nodes lift"
            )
        if self.pressed and np.abs(self.nodal_motion[1][self.guided_nodes, 2]).max() > 0.0:
            raise ValueError("nodes that keep their heights must begin without a velocity along z")
        if (inside := initial_penetration(self.contacts, self.nodal_motion[0][self.nodes])) is not None:
            contact, below, _ = inside
            where = "below the ground z = 0" if contact.obstacle.level else f"inside of {contact.obstacle!r}"
            raise ValueError(f"the body begins {below:.6g} m {where}: lift it by as much")
