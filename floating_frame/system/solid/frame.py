"""Where the floating frame of a solid comes from: a frame condition, or a clamp that holds a face."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Motion
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross, exponential, rotation_vector
from floating_frame.frame.space_conditions import SpaceCondition
from floating_frame.frame.space_inertia import SpaceFrame, SpaceMass, moments
from floating_frame.system.protocol import StageHistory
from floating_frame.system.solid.stage import rigid_pass

NO_TURN = np.zeros(3)


class FrameOf(Protocol):
    """A frame that follows from nodal (x, v, a) (N, 3), and how it advances within a stage. ``free``: whether nothing holds it."""

    free: bool

    def of(self, x: Array, v: Array, a: Array, Q: Array) -> SpaceFrame:
        """Return the frame; ``Q`` as last known, or as integrated. Raises FrameUndefined."""

    def after(
        self, history: StageHistory, motion: tuple[Array, Array, Array], force: Array, start: SpaceFrame
    ) -> SpaceFrame:
        """Return the frame at a stage's end by its own equations, from nodal (x, v, a) and force (N, 3) N, but for the internal."""

    def rotation(self, start: Motion, stages: list[Motion], weights: Array) -> Array | None:
        """Return Q where it is integrated over a step from its spins, ``weights`` (S + 1,) s; None where positions give it."""


class FreeFrame:
    """The frame of a free body by a ``condition``."""

    free = True

    def __init__(self, condition: SpaceCondition, mass: SpaceMass) -> None:
        self._condition, self._mass = condition, mass

    def of(self, x: Array, v: Array, a: Array, Q: Array) -> SpaceFrame:
        return self._condition.decompose(moments(self._mass, x, v, a), Q)

    def after(
        self, history: StageHistory, motion: tuple[Array, Array, Array], force: Array, start: SpaceFrame
    ) -> SpaceFrame:
        of = moments(self._mass, *motion)
        return rigid_pass(self._condition, of, history, wrench(force, motion[0], of.centre), start, self._mass.total)

    def rotation(self, start: Motion, stages: list[Motion], weights: Array) -> Array | None:
        if self._condition.holonomic:
            return None
        way = np.zeros(3)
        for weight, motion in zip(weights, [start, *stages], strict=True):
            (x, _, Q), (v, *_), (a, *_) = motion
            way += weight * turn_rate(start.configuration[2], Q, self.of(x, v, a, Q).spin)
        return exponential(way) @ start.configuration[2]


class ClampFrame:
    """The frame of a body with ``X`` (N, 3) m that moves with its ``held`` nodes and does not turn."""

    free = False

    def __init__(self, held: NDArray[np.intp], X: Array) -> None:
        self._held, self._X = held, X

    def of(self, x: Array, v: Array, a: Array, Q: Array) -> SpaceFrame:
        first = self._held[0]
        return SpaceFrame(x[first] - Q @ self._X[first], v[first], a[first], Q, NO_TURN, NO_TURN)

    def after(
        self, history: StageHistory, motion: tuple[Array, Array, Array], force: Array, start: SpaceFrame
    ) -> SpaceFrame:
        return self.of(*motion, start.rotation)

    def rotation(self, start: Motion, stages: list[Motion], weights: Array) -> Array | None:
        return None


def turn_rate(start: Array, Q: Array, spin: Array) -> Array:
    """Return Θ' = Ω − ½ Θ × Ω, Θ the turn from ``start`` to Q."""
    return np.asarray(spin - 0.5 * cross(rotation_vector(Q @ start.T), spin))


def wrench(force: Array, x: Array, about: Array) -> Array:
    """Return force and moment (6,) of nodal forces (N, 3) at x (N, 3) about a point."""
    return np.concatenate([force.sum(axis=0), cross(x - about, force).sum(axis=0)])
