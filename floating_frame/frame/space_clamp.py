"""Clamped frames in space: u = 0 on a face, the frame moves with the clamp (Szefer, case B, in space).

A clamp is a rigid body without mass: its pivot has the velocity w, and it spins with ω about it,

    v = w + ω × (r − r_pivot)  on the face,     Gᵀ(M a − f) = 0  for the free ones of w and ω, G = ∂v/∂(w, ω)

It is fixed, free along axes without a rotation, free altogether (a rigid face on a free body), or turns about an axis at rest in
space (revolute). Two of three rotations, undefined without a joint, and prescribed motions are refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.input_checks import finite_array
from friction.arrays import shown
from friction.given import Given

AXES = ("x", "y", "z")
ROTATION = "rotation"
ITSELF = property(lambda frame: frame)
"""The clamp of a frame that is one."""


class Joint(NamedTuple):
    """Free motions of a clamp, body axes.

    ``pivot`` X (3,) m: the point with velocity w, at rest at ``place`` (3,) m in space unless that is None; ``axes`` (3, 3):
    columns along which ω is counted; ``free`` (2, 3): which of w along the body's axes, and of ω, are free."""

    pivot: Array
    place: Array | None
    axes: Array
    free: NDArray[np.bool_]

    def motions(self, points: Array) -> Array:
        """Velocities (k, n, 3) of points (n, 3) m from the centre of mass at each free rate of 1 m/s or 1 rad/s."""
        along = np.broadcast_to(np.eye(3)[:, None], (3, *points.shape))
        about = cross(self.axes.T[:, None], points - self.pivot)
        return np.concatenate([along[self.free[0]], about[self.free[1]]])


@dataclass(frozen=True)
class SpaceClamped(Given):
    """u = 0 on the named ``face``; ``free``: along which of the body's axes "x", "y", "z" the clamp may move. With "rotation" after
    all three of them it turns as well: a rigid face on a free body. Raises ValueError for other names."""

    face: str
    free: tuple[str, ...] = ()
    name: str = "clamped"
    clamp: ClassVar[Any] = ITSELF

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in self.free:
            if what not in (*AXES, ROTATION):
                raise ValueError(
                    f"a clamp in space is free along x, y, z, and with all of them in rotation; got {shown(what)} "
                    "(about an axis turns SpaceHinged)"
                )
        if ROTATION in self.free and len(set(self.free)) < 4:
            raise ValueError(
                f"a clamp that turns freely is free along x, y and z, too; got {shown(self.free)} (about an axis turns SpaceHinged)"
            )

    def joint(self, place: Array, Q: Array) -> Joint:
        """Free axes, the pivot in the centre of mass."""
        along, about = [axis in self.free for axis in AXES], [ROTATION in self.free] * 3
        return Joint(np.zeros(3), None, np.eye(3), np.array([along, about]))

    def start(self, place: Array, spin: Array) -> str:
        """Words for the admissible initial motion of the face, with a ``spin`` (3,) rad/s."""
        return "without spin, and without a velocity along axes that are not free"


@dataclass(frozen=True)
class SpaceHinged(Given):
    """u = 0 on the named ``face``, which turns about the ``axis`` (3,) through the point ``through`` (3,) m, both at rest in space:
    a revolute joint. The point need not lie on the face. Raises ValueError for an axis without a direction."""

    face: str
    axis: Sequence[float] = (0.0, 1.0, 0.0)
    through: Sequence[float] = (0.0, 0.0, 0.0)
    name: str = "hinged"
    clamp: ClassVar[Any] = ITSELF

    def __post_init__(self) -> None:
        super().__post_init__()
        finite_array(self.through, (3,), "the point on a hinge's axis")
        if not np.linalg.norm(finite_array(self.axis, (3,), "the axis of a hinge")) > 0.0:
            raise ValueError(f"the axis of a hinge needs a direction, got {shown(self.axis)}")

    @property
    def direction(self) -> Array:
        """The unit vector (3,) along the axis, space axes."""
        axis = np.asarray(self.axis, float) / np.abs(self.axis).max()
        return np.asarray(axis / np.linalg.norm(axis))

    def joint(self, place: Array, Q: Array) -> Joint:
        """Hinge; the first of ``axes`` is its own, constant in the body as well."""
        point, along = np.asarray(self.through, float), self.direction @ Q
        across = np.linalg.svd(along[None])[2][1:]
        free = np.zeros((2, 3), np.bool_)
        free[1, 0] = True
        return Joint((point - place) @ Q, point, np.column_stack([along, *across]), free)

    def start(self, place: Array, spin: Array) -> str:
        """Words for the initial motion: the velocity that fits the spin about the axis."""
        turn = (spin @ self.direction) * self.direction
        speed = cross(turn, place - np.asarray(self.through, float))
        return (
            f"turning about its hinge alone: with spin_space {_formatted(turn)} rad/s the centre of mass has the velocity "
            f"{_formatted(speed)} m/s"
        )


SpaceClamp = SpaceClamped | SpaceHinged


def _formatted(values: Array) -> str:
    return "(" + ", ".join(f"{value:.12g}" for value in values + 0.0) + ")"
