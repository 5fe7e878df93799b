"""Rigid bodies in space: mass, inertia, and their contact points, ball or flat base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.input_checks import check_kind, finite_array, require
from friction.arrays import as_numbers, is_finite, shown
from friction.given import Given, read_only


class Feet:
    """Material points (m, 3) m from the centre of mass, by which a body may touch.

    ``reference`` X (m, 3) m: the points in the reference attitude; ``shares`` (m,) in the load, of sum 1; ``centres`` (m, 3) m and
    ``radius`` m: balls with these lowest points; ``flat``: a base that stays on the ground and shares the load by ``shares``.
    """

    radius, flat = 0.0, False

    def __init__(self, points: Sequence[Sequence[float]] | Array) -> None:
        """Keep the points. Raises ValueError where they are no finite triples."""
        self.reference = _points(points, "contact points")
        self.shares: Array = np.full(len(self.reference), 1.0 / max(len(self.reference), 1))
        self.centres = self.reference

    def arms(self, rotation: Array) -> Array:
        """Points on level ground (m, 3) m from the centre of mass, space axes, of the body turned by Q (3, 3)."""
        return np.asarray(self.centres @ rotation.T - np.array([0.0, 0.0, self.radius]))


def _points(points: Sequence[Sequence[float]] | Array, name: str) -> Array:
    """Points (m, 3) m. Raises ValueError where they are no finite triples."""
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
    """A ball of ``radius`` m about the centre of mass; its contact point is nearest to the obstacle."""

    def __init__(self, radius: float) -> None:
        """Keep the radius. Raises ValueError where it is not positive."""
        require(is_finite(radius) and radius > 0.0, "the radius of a ball", "be a finite length > 0 m", radius)
        super().__init__([[0.0, 0.0, -radius]])
        self.centres, self.radius = np.zeros((1, 3)), float(radius)


@dataclass(frozen=True, kw_only=True, repr=False)
class RigidSolid(Given):
    """A rigid body in space of ``mass`` kg; ``inertia`` kg m² about the centre of mass in body axes: principal moments (3,), or the
    tensor (3, 3); ``shape``: ``Feet``, ``Ball`` or ``Base``; ``outline`` (P, 3) m: further points, without contact: the run warns
    where one is below the ground. Raises ValueError for a mass that is not positive, or an inertia that no body has."""

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
        object.__setattr__(self, "inertia", read_only(tensor))
        object.__setattr__(self, "outline", read_only(_points(self.outline, "points of the outline")))

    def __repr__(self) -> str:
        return f"RigidSolid({self.mass:.6g} kg, {type(self.shape).__name__} of {len(self.shape.reference)} points)"

    @property
    def X(self) -> Array:
        """Reference positions (m, 3) m of the contact points, from the centre of mass."""
        return self.shape.reference

    @property
    def radius(self) -> float:
        """Length of the body, m: largest arm of its feet, or where that is 0 the radius of gyration."""
        feet = float(np.linalg.norm(self.shape.reference, axis=1).max(initial=0.0))
        return feet or float(np.sqrt(np.trace(self.inertia) / (2.0 * self.mass)))
