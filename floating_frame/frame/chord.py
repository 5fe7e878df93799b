"""Frames of beams: the chord, and the frame of a linear beam.

The chord's x axis runs through both ends, w = 0 there; A, P and B do not vanish, as in (3.13) to (3.15).

A free beam's motion in space does not depend on its frame: the run uses the mean axes, ∫ρA w = 0 and ∫ρA X w = 0 (the centroidal
beam frame), and splits every stored instant by the chord.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import fem
from floating_frame.errors import Unsolved
from floating_frame.frame.conditions import FRAMES, MeanAxis
from floating_frame.frame.kinematics import Array, FrameMotion, cross, unwrap_angle
from floating_frame.input_checks import require_one_of
from friction.given import Given


@dataclass(frozen=True)
class BeamChord(MeanAxis):
    """Origin in the middle of the chord from the left to the right end, angle along it. For bodies with these two ends only."""

    name: str = "beam-chord"

    @staticmethod
    def motion(ends: Array, rates: Array, accelerations: Array, angle: float) -> FrameMotion:
        """q, q', q'' of the chord, from x, v, a (2, 2) of the left and the right end; ``angle`` near α unwraps it.

        With d = x_r − x_l: α = atan2(d), ω = d × d'/d², ω' = (d × d'' − 2 ω d·d')/d². Raises Unsolved (FrameUndefined) for d = 0.
        """
        d, d1, d2 = ends[1] - ends[0], rates[1] - rates[0], accelerations[1] - accelerations[0]
        square = float(d @ d)
        if not square > 0.0:
            raise Unsolved(
                "the chord frame is undefined: both ends of the beam are at the same place", "FrameUndefined"
            )
        alpha = unwrap_angle(float(d[1]), float(d[0]), angle)
        spin = float(cross(d, d1)) / square
        spin_rate = (float(cross(d, d2)) - 2.0 * spin * float(d @ d1)) / square
        return FrameMotion(
            np.array([*ends.mean(axis=0), alpha]),
            np.array([*rates.mean(axis=0), spin]),
            np.array([*accelerations.mean(axis=0), spin_rate]),
        )


MOTIONS = ("fixed", "translation")


@dataclass(frozen=True)
class Lateral(Given):
    """The frame of a linear beam (``fem.beam.Beam``), which moves across its axis alone (Szefer, case C): its velocity is V_y, its
    friction b μ p_n sgn V_y where V_y ≠ 0.

    ``motion``: "fixed" in space with a ``support`` of ``fem.beam.SUPPORTS`` ("free": friction alone), (3.19); "translation":
    without supports, the frame moves with the mass centre and does not turn, (3.18). The body of a freely moving beam, (3.15) and
    (3.17), is a ``fem.BeamAxis``. Raises ValueError for other names.
    """

    support: str = "free"
    motion: str = "fixed"
    name: ClassVar[str] = "lateral"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one_of(fem.beam.SUPPORTS, "support", self.support)
        require_one_of(MOTIONS, "motion", self.motion)
        if self.motion == "translation" and self.support != "free":
            raise ValueError(f"a beam that translates has no supports, got support {self.support!r}")


BEAM_FRAMES = {**FRAMES, "beam-chord": BeamChord}
"""Frame conditions of a free beam by name."""
