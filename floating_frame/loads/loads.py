"""Dead loads with histories in time: edge tractions and body forces.

A dead load does not follow the body: its direction is fixed in space. Most are separable, f_i(t) = h(t) s_i F, with F (d,)
inertial, s (N,) its nodal shape on the body and h a history (``histories``) with ``breaks``, jumps and kinks, on which time steps
end: ``nodal_shape`` gives (s, F), or (s (N, d), F ()) where the direction varies. Loads that turn with the body are in
``followers``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from floating_frame.frame.kinematics import Array, scatter, turned
from floating_frame.input_checks import check_kind, finite_array, require, require_one_of, vector
from floating_frame.loads.edges import Body, Edge
from floating_frame.loads.histories import Constant, History, TimeDependent
from friction.arrays import as_numbers, is_finite
from friction.given import Given

if TYPE_CHECKING:
    from fem.beam import Beam


WHOLE_BODY = "body"
"""Name for an ``EdgeLoad`` on the whole body, in proportion to its mass."""


def components(values: Sequence[float], what: str) -> Array:
    """Vector (d,) of the plane or of space. ValueError, naming ``what`` it is, for others."""
    return vector(values, what, 3 if np.shape(as_numbers(values, what)) == (3,) else 2)


@dataclass(frozen=True)
class EdgeLoad(TimeDependent):
    """Dead load on a named edge, of a solid a face: total ``force`` (d,) N inertial, uniform per reference length or area; over the
    mass where ``edge`` is "body"."""

    edge: str
    force: Sequence[float]
    history: History = field(default_factory=Constant)

    def __post_init__(self) -> None:
        super().__post_init__()
        components(self.force, f"the force on edge {self.edge!r}")

    def nodal_shape(self, body: Body, nodal_mass: Array) -> tuple[Array, Array]:
        """∫_edge φ_i ds / length and F. Raises ValueError for an edge that the body does not have."""
        share = nodal_mass / nodal_mass.sum() if self.edge == WHOLE_BODY else body.edge_shape(self.edge)
        return share, np.array(self.force, float)


@dataclass(frozen=True)
class BodyForce(TimeDependent):
    """Dead body force, ``force_per_mass`` b (d,) N/kg inertial, constant over the body (3.7)."""

    force_per_mass: Sequence[float]
    history: History = field(default_factory=Constant)

    def __post_init__(self) -> None:
        super().__post_init__()
        components(self.force_per_mass, "the body force per mass")

    def nodal_shape(self, body: Body, nodal_mass: Array) -> tuple[Array, Array]:
        """∫ρ φ_i dV and b."""
        return nodal_mass, np.array(self.force_per_mass, float)


@dataclass(frozen=True)
class TangentialTraction(TimeDependent):
    """Dead tangential traction on a closed edge around the centre of mass, of total ``torque`` N m, counter-clockwise.

    Uniform in size per reference length; its direction ``J X/|X|`` does not turn.
    """

    edge: str
    torque: float
    history: History = field(default_factory=Constant)

    def __post_init__(self) -> None:
        super().__post_init__()
        require(is_finite(self.torque), f"the torque on edge {self.edge!r}", "be finite", self.torque)

    def nodal_shape(self, body: Body, nodal_mass: Array) -> tuple[Array, Array]:
        """s (N, 2), 1/m, with Σ X × s = 1 and the torque. Raises ValueError where the traction has a resultant force."""
        share, arm = body.edge_shape(self.edge), np.linalg.norm(body.X, axis=1)
        direction = turned(body.X) / np.where(arm > 0.0, arm, 1.0)[:, None]
        shape = share[:, None] * direction / float(share @ arm)
        if np.abs(shape.sum(axis=0)).max() * float(share @ arm) > 1e-9:
            raise ValueError(
                f"edge {self.edge!r} must be closed and symmetric about the centre of mass to take a pure torque"
            )
        return shape, np.array(float(self.torque))


@dataclass(frozen=True)
class EdgeTraction(TimeDependent):
    """Dead traction with a profile along a named edge: ``traction`` (X (n, 2) m) -> (n, 2) N/m inertial per reference length.

    Nodal forces are consistent, ∫ φ_i t dS by four Gauss points a segment.
    """

    edge: str
    traction: Callable[[Array], Array]
    history: History = field(default_factory=Constant)

    def nodal_shape(self, body: Body, nodal_mass: Array) -> tuple[Array, Array]:
        """∫ φ_i t dS (N, 2) N and 1. Raises ValueError for a missing edge or unfit tractions."""
        edge = Edge.of(body, self.edge)
        points = edge.points.reshape(-1, 2)
        values = np.asarray(self.traction(points), float)
        if values.shape != points.shape or not np.all(np.isfinite(values)):
            raise ValueError(
                f"the traction on edge {self.edge!r} must be finite with shape {points.shape} at as many points, "
                f"got {values.shape}"
            )
        shares = edge.shares(values.reshape(edge.points.shape) * edge.stretch[..., None])
        return scatter(edge.nodes.ravel(), shares, len(body.X)), np.array(1.0)


@dataclass(frozen=True)
class BodyForceField(Given):
    """Dead body force as a function of place and time: ``force_per_mass`` (X (N, d) m, t s) -> (N, d) N/kg inertial (3.7).

    Interpolated like displacements, f = M b. ``breaks``: times at which it jumps or kinks, with the limits on either side.
    """

    force_per_mass: Callable[[Array, float], Array]
    breaks: tuple[float, ...] = ()

    def values(self, X: Array, time: float) -> Array:
        """b (N, d) N/kg. Raises ValueError where it is not finite or of another shape."""
        field = np.asarray(self.force_per_mass(X, time), float)
        if field.shape != X.shape or not np.all(np.isfinite(field)):
            raise ValueError(
                f"a body force field must be finite with shape {X.shape}, got shape {field.shape} at t = {time:.6g} s"
            )
        return field


PROFILES: dict[str, Callable[[Beam], Array]] = {
    "uniform": lambda beam: beam.load_vector(np.ones_like),
    "sine": lambda beam: beam.load_vector(lambda X: np.cos(np.pi * X / beam.length)),
    "tip": lambda beam: beam.length * beam.end_load(-1),
    "left-end": lambda beam: beam.end_load(0),
}
"""Nodal forces and couples (2N,) per unit of the load: p_t = 1; one half-wave of a sine, zero at both ends; the resultant of the
uniform one as a force at the right end; a unit force at the left end (N instead of N/m)."""


@dataclass(frozen=True)
class LateralLoad(TimeDependent):
    """A dead load across a beam, along +y in space: ``amplitude`` N/m (``left-end``: N) times ``profile``, a name in PROFILES,
    times ``history``. Raises ValueError for an unknown profile or an amplitude that is not finite."""

    amplitude: float
    profile: str = "uniform"
    history: History = field(default_factory=Constant)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one_of(PROFILES, "the profile of a lateral load", self.profile)
        require(is_finite(self.amplitude), "the amplitude of a lateral load", "be finite", self.amplitude)

    def hermite(self, beam: Beam) -> Array:
        """Forces and couples (2N,), N and N m, at history value one and amplitude one."""
        return PROFILES[self.profile](beam)

    def nodal_shape(self, body: Any, nodal_mass: Array) -> tuple[Array, Array]:
        """Forces on the points of a ``BeamAxis``, and (0, amplitude). Raises ValueError for another body."""
        check_kind("Problem", "body", body, "load_shape", "a Beam or a BeamAxis under a LateralLoad")
        return body.load_shape(self.hermite(body.beam)), np.array([0.0, self.amplitude])


@dataclass(frozen=True, kw_only=True)
class SpaceForce(TimeDependent):
    """Dead ``force`` (3,) N, space axes, at the material point ``at`` (3,) m from the centre of mass, times ``history``; where it
    ``follows`` the body, in the body's axes (a thrust)."""

    force: Sequence[float]
    at: Sequence[float] = (0.0, 0.0, 0.0)
    history: History = field(default_factory=Constant)
    follows: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        finite_array(self.force, (3,), "a force in space")
        finite_array(self.at, (3,), "the point of a force in space")


def SolidForce(*, force: Sequence[float], on: str = WHOLE_BODY, history: History | None = None) -> EdgeLoad:
    """Dead ``force`` (3,) N in all on a solid: see ``EdgeLoad``."""
    finite_array(force, (3,), "a force on a solid")
    return EdgeLoad(on, force, Constant() if history is None else history)
