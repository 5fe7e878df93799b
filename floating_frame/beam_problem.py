"""Beams as problems: lateral loads, and beams whose frame is fixed in space or translates (Szefer, case C, (3.18), (3.19)).

A beam that moves freely is an ordinary ``Problem`` with a ``fem.beam_axis.BeamAxis`` for its body, (3.15) and (3.17); what is here
besides is the linear beam with a single velocity per point, across the axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import fem
from floating_frame.loads.histories import Constant, History, InTime
from floating_frame.mistakes import (
    check_foundation,
    check_kind,
    check_members,
    check_tuple,
    require,
    require_end,
    require_one_of,
)
from friction.arrays import is_finite
from friction.given import Given

if TYPE_CHECKING:
    from fem.beam import Beam
    from floating_frame.effect.protocol import Attachable
    from floating_frame.frame.kinematics import Array
    from friction import Foundation

MOTIONS = ("fixed", "translation")
LATERAL_LOAD = "LateralLoad(1.0, profile='uniform')"


PROFILES: dict[str, Callable[[Beam], Array]] = {
    "uniform": lambda beam: beam.load_vector(np.ones_like),
    "sine": lambda beam: beam.load_vector(lambda X: np.cos(np.pi * X / beam.length)),
    "tip": lambda beam: beam.length * beam.end_load(-1),
    "left-end": lambda beam: beam.end_load(0),
}
"""Nodal forces and couples (2N,) per unit of the load: p_t = 1; one half-wave of a sine, zero at both ends; the resultant of the
uniform one as a force at the right end; a unit force at the left end (N instead of N/m)."""


@dataclass(frozen=True)
class LateralLoad(InTime):
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
        """Return the same on the points of a ``BeamAxis``: (s (P,), (0, amplitude)). Raises ValueError for another body."""
        check_kind("Problem", "body", body, "load_shape", "a BeamAxis under a LateralLoad")
        return body.load_shape(self.hermite(body.beam)), np.array([0.0, self.amplitude])


@dataclass(frozen=True, repr=False)
class BeamProblem(Given):
    """A linear beam that moves across its axis: velocity V_y only, friction b μ p_n sgn V_y where V_y ≠ 0.

    ``motion``: "fixed" in space with a ``support`` of ``fem.beam.SUPPORTS`` ("free" lies on friction alone), (3.19); "translation":
    without supports, the frame translates with the mass centre and does not turn, (3.18). ``t_end`` s. Raises ValueError.
    """

    beam: Beam
    t_end: float
    foundation: Foundation | None = None
    loads: tuple[LateralLoad, ...] = ()
    support: str = "free"
    motion: str = "fixed"
    effects: tuple[Attachable, ...] = ()

    def __repr__(self) -> str:
        law = "no friction" if self.foundation is None else f"law {type(self.foundation.law).__name__}"
        return f"BeamProblem({self.beam!r}, {law}, t_end={self.t_end:g} s, {self.motion}, {self.support})"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_end(self.t_end)
        check_kind(
            "BeamProblem", "beam", self.beam, "geometric_stiffness", "a beam; Beam.build(length=..., ...) makes one"
        )
        check_foundation(self)
        check_tuple(self, "loads", LATERAL_LOAD)
        check_tuple(self, "effects")
        check_members(self, "effects")
        for load in self.loads:
            check_kind("BeamProblem", "loads", load, "hermite", LATERAL_LOAD)
        for name, known in (("support", fem.beam.SUPPORTS), ("motion", MOTIONS)):
            require_one_of(known, name, getattr(self, name))
        if self.motion == "translation" and self.support != "free":
            raise ValueError(f"a beam that translates has no supports, got support {self.support!r}")
        if self.support == "simply-supported" and any(load.profile in ("tip", "left-end") for load in self.loads):
            raise ValueError(
                "a force on a supported end does nothing: support simply-supported takes no load profile tip"
            )
