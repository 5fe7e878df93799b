"""Points of a rigid body in space, for effects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floating_frame.effect.protocol import Attached, Blocks
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross, hat
from floating_frame.input_checks import vector


class SpacePoints:
    """Points with reference coordinates X (P, 3) m from the centre of mass; forces on points that ``follow`` the body have
    components in its axes. Places and velocities are also those of many instants, (..., P, 3)."""

    def __init__(self, X: Array, *, follow: bool = False) -> None:
        self.X, self.follow = np.atleast_2d(np.asarray(X, float)), follow

    def arms(self, configuration: Blocks) -> Array:
        """QX (..., P, 3) m."""
        return self.X @ configuration[1].swapaxes(-1, -2)

    def place(self, configuration: Blocks) -> Array:
        return configuration[0][..., None, :] + self.arms(configuration)

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        linear, spin = (part[..., None, :] for part in velocity)
        return np.asarray(linear + cross(spin, self.arms(configuration)))

    def rates(self, configuration: Blocks) -> Array:
        """Velocities (P, 3, 6) at unit rates (v, Ω)."""
        arms = self.arms(configuration)
        return np.concatenate([np.broadcast_to(np.eye(3), (len(arms), 3, 3)), -hat(arms)], axis=2)

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        force = force @ configuration[1].T if self.follow else force
        return force.sum(axis=0), cross(self.arms(configuration), force).sum(axis=0)

    def turn_slope(self, configuration: Blocks, force: Array) -> Array:
        """Derivative (6, 3) of force and moment of forces (P, 3) N by a rotation of the body, in space."""
        arms, force = self.arms(configuration), force[:, :3]
        return np.concatenate([np.zeros((3, 3)), arms.T @ force - float(np.vdot(arms, force)) * np.eye(3)])


def attached(at: str | Sequence[float], place: Array, rotation: Array) -> Attached:
    """Any point (X, Y, Z), m, of a body at ``place`` (3,) m, turned by ``rotation`` (3, 3), at t = 0. Raises ValueError for names:
    the body has no faces."""
    if isinstance(at, str):
        raise ValueError(f"a rigid body in space has no face {at!r}: attach to a point at=(X, Y, Z), m")
    X = vector(at, "'at' of an effect (m)", 3)[None]
    return Attached(SpacePoints(X), place + X @ rotation.T, np.ones(1))


class BallPoints(SpacePoints):
    """Centres of balls, with velocities (v, Ω) (P, 6) and forces (F, moment about the centre) (P, 6)."""

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        moving = super().velocity(configuration, velocity)
        return np.concatenate([moving, np.broadcast_to(velocity[1][..., None, :], moving.shape)], axis=-1)

    def rates(self, configuration: Blocks) -> Array:
        moving = super().rates(configuration)
        return np.concatenate([moving, np.broadcast_to(np.eye(6)[3:], moving.shape)], axis=1)

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        total, moment = super().pull(configuration, force[:, :3])
        return total, moment + force[:, 3:].sum(axis=0)
