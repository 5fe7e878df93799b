"""Dead loads with histories in time: edge tractions and body forces.

A dead load does not follow the body: its direction is fixed in space. Most are separable, f_i(t) = h(t) s_i F, with F (2,)
inertial, s (N,) its nodal shape on the body and h a history (``histories``), which knows where it jumps or kinks
(``breaks``), so that time steps end there. Loads that turn with the body are in ``followers``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from floating_frame.frame.kinematics import Array, finite, turned
from floating_frame.loads.edges import Body, edge_integrals
from floating_frame.loads.histories import Constant, History, InTime
from floating_frame.mistakes import require
from friction.arrays import is_finite
from friction.given import Given


class Load(Protocol):
    """A dead load on a body."""

    @property
    def history(self) -> History:
        """Its course in time."""
        ...

    def nodal_shape(self, body: Body, nodal_mass: Array) -> tuple[Array, Array]:
        """Return (s (N,), F (2,)) with the nodal force at history value one s_i F, N inertial; or (s (N, 2), F ()) where the
        direction varies."""
        ...


@dataclass(frozen=True)
class EdgeLoad(InTime):
    """Dead traction on a named edge: total ``force`` (F_x, F_y) N inertial, uniform per reference length."""

    edge: str
    force: Sequence[float]
    history: History = field(default_factory=Constant)

    def __post_init__(self) -> None:
        super().__post_init__()
        finite(self.force, 2, f"the force on edge {self.edge!r}")

    def nodal_shape(self, body: Body, nodal_mass: Array) -> tuple[Array, Array]:
        """Return ∫_edge φ_i ds / length and F. Raises ValueError for an edge that the body does not have."""
        return body.edge_shape(self.edge), np.array(self.force, float)


@dataclass(frozen=True)
class BodyForce(InTime):
    """Dead body force, ``force_per_mass`` (b_x, b_y) N/kg inertial, constant over the body (3.7)."""

    force_per_mass: Sequence[float]
    history: History = field(default_factory=Constant)

    def __post_init__(self) -> None:
        super().__post_init__()
        finite(self.force_per_mass, 2, "the body force per mass")

    def nodal_shape(self, body: Body, nodal_mass: Array) -> tuple[Array, Array]:
        """Return ∫ρ φ_i dV and b."""
        return nodal_mass, np.array(self.force_per_mass, float)


@dataclass(frozen=True)
class TangentialTraction(InTime):
    """Dead tangential traction on a closed edge around the centre of mass, of total ``torque`` N m, counter-clockwise.

    Uniform in size per reference length; its direction ``J X/|X|`` is that of the reference shape and does not turn.
    """

    edge: str
    torque: float
    history: History = field(default_factory=Constant)

    def __post_init__(self) -> None:
        super().__post_init__()
        require(is_finite(self.torque), f"the torque on edge {self.edge!r}", "be finite", self.torque)

    def nodal_shape(self, body: Body, nodal_mass: Array) -> tuple[Array, Array]:
        """Return s (N, 2), 1/m, with Σ X × s = 1 and the torque. Raises ValueError where the traction has a resultant force."""
        share, arm = body.edge_shape(self.edge), np.linalg.norm(body.X, axis=1)
        direction = turned(body.X) / np.where(arm > 0.0, arm, 1.0)[:, None]
        shape = share[:, None] * direction / float(share @ arm)
        if np.abs(shape.sum(axis=0)).max() * float(share @ arm) > 1e-9:
            raise ValueError(
                f"edge {self.edge!r} must be closed and symmetric about the centre of mass to take a pure torque"
            )
        return shape, np.array(float(self.torque))


@dataclass(frozen=True)
class EdgeTraction(InTime):
    """Dead traction with a profile along a named edge: ``traction`` (X (n, 2) m) -> (n, 2) N/m inertial per reference length.

    Nodal forces are consistent, ∫ φ_i t dS by four Gauss points a segment.
    """

    edge: str
    traction: Callable[[Array], Array]
    history: History = field(default_factory=Constant)

    def nodal_shape(self, body: Body, nodal_mass: Array) -> tuple[Array, Array]:
        """Return ∫ φ_i t dS (N, 2) N and 1. Raises ValueError for a missing edge or unfit tractions."""
        return edge_integrals(body, self.edge, self.traction), np.array(1.0)


@dataclass(frozen=True)
class BodyForceField(Given):
    """Dead body force as a function of place and time: ``force_per_mass`` (X (N, 2) m, t s) -> (N, 2) N/kg inertial (3.7).

    Interpolated like displacements, f = M b. ``breaks``: times at which it jumps or kinks, with the limits on either side.
    """

    force_per_mass: Callable[[Array, float], Array]
    breaks: tuple[float, ...] = ()

    def values(self, X: Array, time: float) -> Array:
        """Return b (N, 2) N/kg. Raises ValueError where it is not finite or of another shape."""
        field = np.asarray(self.force_per_mass(X, time), float)
        if field.shape != X.shape or not np.all(np.isfinite(field)):
            raise ValueError(
                f"a body force field must be finite with shape {X.shape}, got shape {field.shape} at t = {time:.6g} s"
            )
        return field
