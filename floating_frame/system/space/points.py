"""Material points of a rigid body in space: configuration (x0 (3,), Q (3, 3)), velocity (v (3,), Ω (3,)), inertial axes."""

from __future__ import annotations

import numpy as np

from floating_frame.effect.protocol import Blocks
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross


class SpacePoints:
    """Points with reference coordinates X (P, 3) m from the centre of mass."""

    def __init__(self, reference: Array) -> None:
        """Keep X."""
        self.reference = np.atleast_2d(np.asarray(reference, float))

    def arms(self, configuration: Blocks) -> Array:
        """Return QX (P, 3) m."""
        return self.reference @ configuration[1].T

    def place(self, configuration: Blocks) -> Array:
        """Return x (P, 3) m."""
        return configuration[0] + self.arms(configuration)

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        """Return v (P, 3) m/s."""
        return velocity[0] + cross(velocity[1], self.arms(configuration))

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        """Return (Σ F, Σ QX × F) of forces (P, 3) N."""
        return force.sum(axis=0), cross(self.arms(configuration), force).sum(axis=0)
